// What the browser draws with.

const softwareNames = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether WebGL is done by the processor, as far as the browser tells; null where there is no WebGL. */
export function drawsInSoftware(): boolean | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('webgl2');
  if (context === null) return null;
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(names === null ? context.RENDERER : names.UNMASKED_RENDERER_WEBGL));
  // Browsers keep few contexts.
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return softwareNames.test(name);
}

/** The context to draw with. Throws where there is none. */
export function makeContext(canvas: HTMLCanvasElement): { context: WebGL2RenderingContext; software: boolean } {
  const software = drawsInSoftware();
  // Smooth edges are dear for a processor; there they come with the finer picture of what stands still.
  const context = software === null ? null : canvas.getContext('webgl2', {
    alpha: false, antialias: !software, depth: true, stencil: true, powerPreference: 'high-performance',
  });
  if (software === null || context === null) throw new Error('no WebGL');
  return { context, software };
}
