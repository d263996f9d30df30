// The camera and the hand that moves it: mouse, touch and keys turn, pan and zoom; it can follow something.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Scene } from '../document';
import { upAxis, upSign } from './measure';
import { fit, type Direction, type Outline } from './outline';

export type ViewName = 'default' | 'front' | 'back' | 'side' | 'top' | 'corner';

const fieldOfView = 32;
/** How much of the picture a motion fills. */
const margin = 0.88;

export class CameraRig {
  /** The one that is moved. */
  readonly camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.01, 100);
  /** Sees what that sees at its target, in parallel light. */
  private readonly parallel = new THREE.OrthographicCamera();
  orthographic = false;
  private controls: OrbitControls;
  private up: Scene['up'] = 'y';
  private flat: 0 | 1 | 2 | null = null;
  private outline: Outline = new Float64Array();
  private readonly center = new THREE.Vector3();
  private radius = 0;
  private touched = false;
  private readonly followed = new THREE.Vector3();
  private following = false;

  /** `changed` is called whenever the picture has to be drawn anew. */
  constructor(private readonly element: HTMLElement, private readonly changed: () => void) {
    this.controls = this.makeControls();
    // A lamp at the camera, so that no side that is seen is black.
    const lamp = new THREE.DirectionalLight(0xffffff, 1.1);
    lamp.position.set(-0.4, 0.3, 1);
    this.camera.add(lamp, lamp.target);
    element.addEventListener('keydown', this.key);
  }

  /**
   * Takes the scene as the one to look at. The camera stays where it is, in the fixed axes, unless they are other ones or
   * the scene is quite another, or nobody has moved the camera and the scene has outgrown the picture or shrunk in it.
   */
  setScene(scene: Scene, flat: 0 | 1 | 2 | null, outline: Outline): void {
    const center = new THREE.Vector3(...scene.center);
    const shift = this.center.clone().sub(center);
    const before = this.radius;
    const turned = scene.up !== this.up;
    this.center.copy(center);
    this.radius = scene.radius;
    this.flat = flat;
    this.outline = outline;
    if (turned) {
      this.up = scene.up;
      this.controls.dispose();
      this.camera.up.set(0, 0, 0).setComponent(upAxis(scene), upSign(scene));
      this.controls = this.makeControls();
    }
    const room = this.touched ? 5 : 1.15;
    const fits = shift.length() + scene.radius < room * before && scene.radius > (this.touched ? 0.1 : 0.5) * before;
    if (turned || !fits) {
      this.view('default');
      return;
    }
    // What is drawn is measured from the centre, so that the numbers stay small.
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.followed.add(shift);
    this.update();
  }

  /** Looks at all of the scene from there. */
  view(name: ViewName): void {
    const flat = this.flat;
    const z = this.up.endsWith('z');
    const direction = new THREE.Vector3();
    if (name === 'top') direction.set(0, z ? -1e-3 : 1, z ? 1 : 1e-3);
    else if (name === 'front') direction.set(0, z ? -1 : 0, z ? 0 : 1);
    else if (name === 'back') direction.set(0, z ? 1 : 0, z ? 0 : -1);
    else if (name === 'side') direction.set(1, 0, 0);
    else if (name === 'corner') direction.set(1, z ? -1 : 1, 1);
    else if (flat === null) direction.set(0.75, z ? -1.25 : 0.55, z ? 0.55 : 1.25);
    else if (flat === 0) direction.set(1, z ? -0.2 : 0.14, z ? 0.14 : 0.2);
    else direction.set(0.2, z ? -1 : 0.14, z ? 0.14 : 1);
    if (this.up.startsWith('-')) direction.setComponent(z ? 2 : 1, -direction.getComponent(z ? 2 : 1));
    const back = direction.normalize();
    const right = new THREE.Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new THREE.Vector3().crossVectors(back, right);
    const tanY = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2)) * margin;
    const { distance, x, y } = fit(
      this.outline, right.toArray() as Direction, up.toArray() as Direction, back.toArray() as Direction,
      tanY * this.camera.aspect, tanY,
    );
    this.controls.target.copy(right.multiplyScalar(x)).addScaledVector(up, y);
    this.camera.position.copy(this.controls.target).addScaledVector(back, Math.max(distance, 0.3 * this.radius));
    this.following = false;
    this.touched = name !== 'default';
    this.update();
    this.changed();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / height;
    if (this.touched || this.radius === 0) this.camera.updateProjectionMatrix();
    else this.view('default');
  }

  /**
   * Keeps a moving place where it is in the picture; null to let go. A camera that nobody has moved comes so close that
   * `radius` around the place is seen.
   */
  follow(place: THREE.Vector3 | null, radius = 0): void {
    if (place !== null && this.following) {
      const step = place.clone().sub(this.followed);
      this.camera.position.add(step);
      this.controls.target.add(step);
    } else if (place !== null) {
      // Brings it to the middle first.
      this.camera.position.sub(this.controls.target);
      if (!this.touched && radius > 0) {
        const half = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2)) * margin * Math.min(this.camera.aspect, 1);
        this.camera.position.setLength(radius / half);
      }
      this.camera.position.add(place);
      this.controls.target.copy(place);
    }
    this.following = place !== null;
    if (place !== null) this.followed.copy(place);
  }

  /** Before a picture is drawn: what is left of a movement, and the range of depths. */
  update(): void {
    this.controls.update();
    const distance = this.camera.position.distanceTo(this.controls.target);
    const reach = this.camera.position.length() + 6 * this.radius;
    this.camera.near = Math.max(distance / 200, reach / 20000);
    this.camera.far = reach;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** The one that is looked through; after `update`. */
  get shown(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    if (!this.orthographic) return this.camera;
    const { camera, parallel } = this;
    const distance = camera.position.distanceTo(this.controls.target);
    const half = distance * Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2));
    [parallel.top, parallel.bottom, parallel.right, parallel.left] = [half, -half, half * camera.aspect, -half * camera.aspect];
    [parallel.near, parallel.far] = [distance - camera.far, camera.far];
    parallel.position.copy(camera.position);
    parallel.quaternion.copy(camera.quaternion);
    parallel.updateProjectionMatrix();
    parallel.updateMatrixWorld();
    return parallel;
  }

  dispose(): void {
    this.element.removeEventListener('keydown', this.key);
    this.controls.dispose();
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.element);
    controls.enableDamping = true;
    controls.dampingFactor = 0.18;
    controls.addEventListener('start', () => (this.touched = true));
    controls.addEventListener('change', this.changed);
    return controls;
  }

  private readonly key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = event.shiftKey;
    const turn = 0.09;
    const step = 30;
    switch (event.key) {
      case 'ArrowLeft':
        if (pan) this.controls.pan(step, 0);
        else this.controls.rotateLeft(turn);
        break;
      case 'ArrowRight':
        if (pan) this.controls.pan(-step, 0);
        else this.controls.rotateLeft(-turn);
        break;
      case 'ArrowUp':
        if (pan) this.controls.pan(0, step);
        else this.controls.rotateUp(turn);
        break;
      case 'ArrowDown':
        if (pan) this.controls.pan(0, -step);
        else this.controls.rotateUp(-turn);
        break;
      case '+':
      case '=':
        this.controls.dollyIn(1 / 1.1);
        break;
      case '-':
        this.controls.dollyOut(1 / 1.1);
        break;
      case 'Home':
      case '0':
        event.preventDefault();
        this.view('default');
        return;
      default:
        return;
    }
    event.preventDefault();
    this.touched = true;
    this.changed();
  };
}
