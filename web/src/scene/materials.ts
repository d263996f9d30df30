// Materials, made once and kept as long as the view: a new motion compiles no shader.
import * as THREE from 'three';
import type { ArrowKind } from '../document';
import type { Theme } from '../theme';

/** Calm colours for bodies, so that the arrows stand out. */
const bodies = {
  light: ['#4f7fb3', '#b9824f', '#559a82', '#8d78b5', '#a8934a', '#64808f'],
  dark: ['#6b9fd4', '#cf9a66', '#68b499', '#a592cf', '#c2ad62', '#86a3b3'],
};
const axes = { light: ['#b4463c', '#3f8a4a', '#3c62b4'], dark: ['#e07a70', '#74c07e', '#7fa3f0'] };

const trailVertex = `
attribute vec4 before;
attribute vec4 here;
attribute vec4 after;
attribute float side;
uniform vec2 resolution;
uniform float width;
uniform float now;
uniform float span;
varying float age;
void main() {
  // x y z and the time; the ends are moved to now, and to where the trail is too old.
  vec4 p = here;
  if (p.w > now) p = mix(before, here, clamp((now - before.w) / max(here.w - before.w, 1e-30), 0.0, 1.0));
  float oldest = now - span;
  if (p.w < oldest) p = mix(here, after, clamp((oldest - here.w) / max(after.w - here.w, 1e-30), 0.0, 1.0));
  mat4 view = projectionMatrix * viewMatrix;
  vec4 a = view * vec4(before.xyz, 1.0);
  vec4 b = view * vec4(after.xyz, 1.0);
  vec2 along = (b.xy / max(b.w, 1e-6) - a.xy / max(a.w, 1e-6)) * resolution;
  vec2 across = vec2(-along.y, along.x) / max(length(along), 1e-6);
  gl_Position = view * vec4(p.xyz, 1.0);
  gl_Position.xy += across * side * width / resolution * gl_Position.w;
  age = (now - p.w) / span;
}`;

// Colours of these two come as the screen takes them: no work for each pixel.
const trailFragment = `
uniform vec3 color;
varying float age;
void main() {
  float rest = clamp(1.0 - age, 0.0, 1.0);
  gl_FragColor = vec4(color, 0.9 * rest * sqrt(rest));
}`;

const gridVertex = `
uniform float size;
varying vec2 place;
void main() {
  place = position.xy * size;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const gridFragment = `
uniform vec3 line;
uniform vec3 fill;
uniform float strength;
uniform float size;
uniform float spacing;
uniform vec2 shift;
varying vec2 place;
float lines(vec2 cell, vec2 width) {
  vec2 distance = abs(fract(cell - 0.5) - 0.5) / width;
  // Lines that stand closer than a few pixels fade into an even tone.
  return max(1.0 - min(distance.x, distance.y), 0.0) * clamp(1.5 - 4.0 * max(width.x, width.y), 0.0, 1.0);
}
void main() {
  float far = 1.0 - smoothstep(0.02, 1.0, dot(place, place) / (size * size));
  if (far <= 0.0) discard;
  vec2 cell = (place + shift) / spacing;
  vec2 width = max(fwidth(cell), 1e-6);
  float drawn = max(0.55 * lines(cell, width), lines(0.2 * cell, 0.2 * width));
  gl_FragColor = vec4(mix(fill, line, drawn), far * mix(strength, 1.0, drawn));
}`;

export class Materials {
  /** For everything solid; an instance has its colour, a corner its tone. */
  readonly solid = new THREE.MeshPhongMaterial({ specular: 0x2a2a2a, shininess: 45 });
  readonly arrow = new THREE.MeshLambertMaterial();
  /** Arrows behind something: seen through it, faintly. */
  readonly hidden = new THREE.MeshBasicMaterial({
    transparent: true, opacity: 0.42, depthFunc: THREE.GreaterDepth, depthWrite: false,
  });
  /** Each pixel is darkened once, however many things throw their shadow there. */
  readonly shadow = new THREE.MeshBasicMaterial({
    color: 0x000000, transparent: true, depthWrite: false, side: THREE.DoubleSide,
    stencilWrite: true, stencilFunc: THREE.EqualStencilFunc, stencilRef: 0, stencilZPass: THREE.IncrementStencilOp,
  });
  /** Friction cones, to be seen through, and through bodies: they open into the one that is pushed. */
  readonly cone = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.2, depthTest: false, depthWrite: false, side: THREE.DoubleSide });
  readonly grid = new THREE.ShaderMaterial({
    uniforms: {
      line: { value: new THREE.Color() }, fill: { value: new THREE.Color() }, strength: { value: 0 },
      size: { value: 1 }, spacing: { value: 1 }, shift: { value: new THREE.Vector2() },
    },
    vertexShader: gridVertex, fragmentShader: gridFragment, depthWrite: false, side: THREE.DoubleSide,
    // Drawn with what is opaque, before it: nothing is covered by the ground.
    blending: THREE.CustomBlending, blendSrcAlpha: THREE.OneFactor, blendDstAlpha: THREE.OneMinusSrcAlphaFactor,
  });
  /** Of all trails; each sets its colour when it is drawn. */
  readonly trail = new THREE.ShaderMaterial({
    uniforms: {
      resolution: { value: new THREE.Vector2(1, 1) }, width: { value: 2 }, now: { value: 0 }, span: { value: 1 },
      color: { value: new THREE.Color() },
    },
    vertexShader: trailVertex, fragmentShader: trailFragment,
    transparent: true, depthWrite: false, side: THREE.DoubleSide,
  });
  /** Of the fixed axes x, y and z. */
  readonly axes = [0, 1, 2].map(() => new THREE.MeshBasicMaterial());
  readonly background = new THREE.Color();
  private readonly pale = { value: new THREE.Color() };
  private theme!: Theme;

  /** `pale`: solid things can be seen through. */
  constructor(theme: Theme, pale = false) {
    if (pale) Object.assign(this.solid, { transparent: true, opacity: 0.3, depthWrite: false });
    this.solid.onBeforeCompile = (shader) => {
      shader.uniforms['pale'] = this.pale;
      shader.vertexShader = `attribute float tone;\nuniform vec3 pale;\n${shader.vertexShader}`.replace(
        '#include <color_vertex>', '#include <color_vertex>\nvColor.rgb = mix(vColor.rgb, pale, tone);');
    };
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const light = theme.name === 'light';
    this.background.set(theme.surface);
    this.pale.value.set(light ? '#ffffff' : '#e6edf5');
    this.shadow.opacity = light ? 0.13 : 0.38;
    this.axes.forEach((material, i) => material.color.set(axes[theme.name][i]!));
    this.uniform('line').set(theme.grid).lerp(new THREE.Color(theme.muted), light ? 0.12 : 0.05).convertLinearToSRGB();
    this.uniform('fill').set(theme.background).convertLinearToSRGB();
    this.grid.uniforms['strength']!.value = light ? 0.9 : 0.55;
  }

  body(index: number): THREE.Color {
    const palette = bodies[this.theme.name];
    return new THREE.Color(palette[index % palette.length]);
  }

  axis(index: number): THREE.Color {
    return new THREE.Color(axes[this.theme.name][index]);
  }

  force(kind: ArrowKind): THREE.Color {
    return new THREE.Color(this.theme.forces[kind]);
  }

  touch(state: number): THREE.Color {
    return new THREE.Color(this.theme.touches[state]);
  }

  /** Joints, points and segments: between text and background. */
  neutral(part: number): THREE.Color {
    return new THREE.Color(this.theme.text).lerp(new THREE.Color(this.theme.surface), part);
  }

  dispose(): void {
    const all = [this.solid, this.arrow, this.hidden, this.shadow, this.cone, this.grid, this.trail, ...this.axes];
    for (const material of all) material.dispose();
  }

  private uniform(name: 'line' | 'fill'): THREE.Color {
    return this.grid.uniforms[name]!.value as THREE.Color;
  }
}
