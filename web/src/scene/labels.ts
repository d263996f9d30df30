// Names beside things, as elements over the picture. Where two would cover each other the later one waits.
import * as THREE from 'three';

interface Label {
  element: HTMLElement;
  width: number;
  shown: boolean;
  locate: (out: THREE.Vector3) => boolean;
}

const lineHeight = 16;

export class Labels {
  readonly element = document.createElement('div');
  private labels: Label[] = [];
  private readonly place = new THREE.Vector3();
  private readonly taken: number[] = [];

  constructor() {
    this.element.className = 'scene-labels';
    this.element.setAttribute('aria-hidden', 'true');
  }

  clear(): void {
    this.labels = [];
    this.element.replaceChildren();
  }

  add(text: string, className: string, color: string | null, locate: Label['locate']): void {
    const element = document.createElement('span');
    element.className = `scene-label ${className}`;
    element.textContent = text;
    element.hidden = true;
    if (color !== null) element.style.color = color;
    this.element.append(element);
    this.labels.push({ element, width: 7 * text.length + 8, shown: false, locate });
  }

  /** Puts each label beside its place in a picture of that size. */
  update(camera: THREE.Camera, width: number, height: number): void {
    const { place, taken } = this;
    taken.length = 0;
    for (const label of this.labels) {
      let seen = label.locate(place);
      if (seen) {
        place.project(camera);
        const x = Math.round((place.x * 0.5 + 0.5) * width);
        const y = Math.round((0.5 - place.y * 0.5) * height);
        seen = Math.abs(place.z) < 1 && x > -50 && x < width + 50 && y > -20 && y < height + 20 && this.free(x, y, label.width);
        if (seen) {
          taken.push(x, y, label.width);
          label.element.style.transform = `translate(${x}px, ${y}px)`;
        }
      }
      if (seen !== label.shown) {
        label.shown = seen;
        label.element.hidden = !seen;
      }
    }
  }

  private free(x: number, y: number, width: number): boolean {
    const { taken } = this;
    for (let i = 0; i < taken.length; i += 3) {
      if (Math.abs(taken[i + 1]! - y) < lineHeight && taken[i]! < x + width && x < taken[i]! + taken[i + 2]!) return false;
    }
    return true;
  }
}
