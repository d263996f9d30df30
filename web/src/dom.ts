// Elements, made without writing HTML: what a model calls its things is text here, never markup.

type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes (true: present, false or undefined: absent) and children; strings become text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
}

/**
 * A button. `hint` says more than its text; what is read aloud is the text, so that those who speak to their browser can say what
 * they see, and the hint only where the text is a sign.
 */
export function makeButton(text: string, hint: string, onClick: () => void): HTMLButtonElement {
  const sign = !/\p{L}/u.test(text);
  const button = make('button', { type: 'button', title: hint, 'aria-label': sign ? hint : undefined }, text);
  button.addEventListener('click', onClick);
  return button;
}

/** A modal dialog that a click beside it closes. */
export function makeDialog(attributes: Attributes, ...children: (Node | string)[]): HTMLDialogElement {
  const dialog = make('dialog', attributes, ...children);
  dialog.addEventListener('click', (event) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const inside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (event.target === dialog && !inside) dialog.close();
  });
  return dialog;
}

const svgSpace = 'http://www.w3.org/2000/svg';

/** A short stroke in the colour and dashes of a series. */
export function makeSwatch(colour: string, dash: number[]): SVGElement {
  const svg = document.createElementNS(svgSpace, 'svg');
  setAttributes(svg, { class: 'swatch', viewBox: '0 0 22 6', width: 22, height: 6, 'aria-hidden': 'true' });
  const line = document.createElementNS(svgSpace, 'line');
  setAttributes(line, { x1: 0, y1: 3, x2: 22, y2: 3, stroke: colour, 'stroke-width': 2.5, 'stroke-dasharray': dash.join(' ') });
  svg.append(line);
  return svg;
}

/** Runs `work` when what has been built so far is on the screen. A hidden page draws no frames: there a timer does. */
export function afterPaint(work: () => void): void {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    work();
  };
  requestAnimationFrame(() => setTimeout(once, 0));
  setTimeout(once, 200);
}
