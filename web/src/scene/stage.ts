// The canvas: draws when something has changed, at most once a frame.
import * as THREE from 'three';
import type { Clock } from '../clock';
import type { ArrowKind, Motion, Scene } from '../document';
import type { Theme } from '../theme';
import { usualArrow } from './arrows';
import { CameraRig, type ViewName } from './camera';
import { Cast, type Named } from './cast';
import { setMoment, type Moment } from './frames';
import { makeContext } from './graphics';
import { Labels } from './labels';
import { Materials } from './materials';
import { nearRadius } from './measure';
import { hasNumbers, Numbers } from './numbers';
import { flatAxis, outlineOf, usualForce } from './outline';
import { Quality } from './quality';
import { pictureOf } from '../exports/download';
import { Setting } from './setting';
import { Shapes } from './shapes';
import type { Options } from './toolbar';
import { TouchList } from './touch-list';

const mostPixelRatio = 2;
/** A still is at least this wide, and no side is longer than the other. */
const stillWidth = 1920;
const longestSide = 4096;
/** What stands still is drawn this finely where there is no graphics card. */
const softwareRatio = 2;
/** Milliseconds without a change after which a coarse picture is drawn again, finely. */
const pause = 250;

/** The scene with numbers to draw with: what is not finite comes as null. */
function sound(scene: Scene): Scene {
  const finite = (x: number | null, otherwise: number): number => (x !== null && Number.isFinite(x) ? x : otherwise);
  const [x, y, z] = scene.center;
  const radius = finite(scene.radius, 1);
  return {
    ...scene, center: [finite(x, 0), finite(y, 0), finite(z, 0)], radius: radius > 0 ? radius : 1,
    scale: finite(scene.scale, radius), largest_force: finite(scene.largest_force, 0),
  };
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly software: boolean;
  private readonly world = new THREE.Scene();
  private readonly materials: Materials;
  private readonly shapes = new Shapes();
  private readonly plane = new THREE.PlaneGeometry(2, 2);
  private readonly rig: CameraRig;
  private readonly labels = new Labels();
  private readonly touchList = new TouchList();
  private readonly numbers = new Numbers();
  private readonly scaleText = document.createElement('span');
  private readonly observer: ResizeObserver;
  private readonly unsubscribe: () => void;
  private readonly moment: Moment = { frame: 0, part: 0 };
  private readonly place = new Float64Array(3);
  private readonly followedPlace = new THREE.Vector3();
  private motion: Motion | null = null;
  private other: Motion | null = null;
  /** What is drawn of it. */
  private ghost: Cast | null = null;
  private readonly ghostMoment: Moment = { frame: 0, part: 0 };
  private readonly pale: Materials;
  private cast: Cast | null = null;
  private setting: Setting | null = null;
  private options: Options | null = null;
  private names = false;
  private followed: Named | null = null;
  private span = 1;
  private readonly quality: Quality;
  private finer = 0;
  private steady = false;
  private lost = false;
  private pending = 0;
  private drawn = 0;
  private width = 1;
  private height = 1;

  /** `onPick`: the user has clicked on this, or on nothing: ''. Throws where WebGL is not to be had. */
  constructor(private readonly element: HTMLElement, private readonly clock: Clock, theme: Theme, private readonly onPick: (name: string) => void) {
    this.canvas = document.createElement('canvas');
    const { context, software } = makeContext(this.canvas);
    this.software = software;
    // A graphics card that draws every other frame may have been told to; a processor has not.
    this.quality = new Quality(software ? 20 : 40);
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, context, stencil: true });
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute(
      'aria-label', 'Animation of the motion. Arrow keys turn the camera, with shift they move it, plus and minus zoom, Home resets, space plays.');
    this.scaleText.className = 'scene-scale';
    element.append(this.canvas, this.labels.element, this.touchList.element, this.numbers.element, this.scaleText);
    this.materials = new Materials(theme);
    this.pale = new Materials(theme, true);
    this.world.background = this.materials.background;
    this.rig = new CameraRig(this.canvas, () => this.invalidate());
    this.canvas.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      clock.toggle();
    });
    this.listenForPicks();
    const subscriptions = [clock.onTime(() => this.invalidate()), clock.onState(() => this.invalidate())];
    this.unsubscribe = () => subscriptions.forEach((end) => end());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(element);
    this.resize();
  }

  get arrowKinds(): ArrowKind[] {
    return this.cast?.arrows.kinds ?? [];
  }

  /** Names of what the camera can follow. */
  get followable(): string[] {
    return this.cast?.named.filter((named) => named.followed).map((named) => named.name) ?? [];
  }

  get hasTouches(): boolean {
    return !this.touchList.empty;
  }

  get hasTrails(): boolean {
    return (this.cast?.trails.group.children.length ?? 0) > 0;
  }

  setMotion(motion: Motion): void {
    this.motion = motion;
    this.build();
  }

  /** Another motion beside this one, pale; null: none. */
  setOther(other: Motion | null): void {
    this.other = other;
    this.build();
  }

  setTheme(theme: Theme): void {
    this.pale.setTheme(theme);
    this.materials.setTheme(theme);
    this.touchList.setTheme(theme);
    if (this.motion !== null) this.build();
  }

  setOptions(options: Options): void {
    this.options = options;
    this.apply();
    this.invalidate();
  }

  view(name: ViewName): void {
    this.rig.view(name);
  }

  invalidate(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(this.frame);
  }

  /** Draws now. */
  draw(): void {
    if (this.pending !== 0) cancelAnimationFrame(this.pending);
    this.pending = 0;
    if (this.lost) return;
    const t = this.clock.time;
    const { cast, rig } = this;
    if (cast !== null) {
      setMoment(this.moment, cast.times, t);
      cast.update(this.moment);
      this.touchList.update(this.moment, this.clock.playing);
      if (this.motion !== null) this.numbers.update(this.motion, cast.scene, this.moment, this.clock.playing);
      if (this.ghost !== null) {
        setMoment(this.ghostMoment, this.ghost.times, t);
        this.ghost.update(this.ghostMoment);
      }
      if (cast.trails.group.visible) cast.trails.update(t, this.span);
      this.followNow();
    }
    rig.update();
    const camera = rig.shown;
    this.renderer.render(this.world, camera);
    this.labels.update(camera, this.width, this.height);
    this.element.dataset['framesDrawn'] = String(++this.drawn);
    this.element.dataset['time'] = String(t);
  }

  /** Whether all pictures have to be of full and equal size, as for a video. */
  setSteady(steady: boolean): void {
    this.steady = steady;
    this.setRatio(this.movingRatio);
    this.invalidate();
  }

  /** The picture of now, without names, larger than the canvas where that is small. */
  async still(): Promise<Blob> {
    const most = longestSide / Math.max(this.width, this.height);
    const before = this.renderer.getPixelRatio();
    this.setRatio(Math.min(Math.max(this.stillRatio, stillWidth / this.width), most));
    this.draw();
    const picture = pictureOf(this.canvas);
    this.setRatio(before);
    this.draw();
    return picture;
  }

  /** The graphics card has lost what it had: nothing is drawn until `resume`. */
  suspend(): void {
    this.lost = true;
    this.clear();
    this.release();
  }

  resume(): void {
    this.lost = false;
    this.build();
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    clearTimeout(this.finer);
    this.unsubscribe();
    this.observer.disconnect();
    this.rig.dispose();
    this.clear();
    this.release();
    this.renderer.dispose();
    this.element.replaceChildren();
  }

  private readonly frame = (now: number): void => {
    this.pending = 0;
    if (this.clock.playing) this.quality.picture(now);
    else this.quality.rest();
    this.setRatio(this.movingRatio);
    this.draw();
    clearTimeout(this.finer);
    if (this.movingRatio < this.stillRatio && !this.steady) this.finer = window.setTimeout(this.refine, pause);
  };

  private readonly refine = (): void => {
    if (this.clock.playing || this.steady) return;
    this.setRatio(this.stillRatio);
    this.draw();
  };

  private get stillRatio(): number {
    return this.software ? softwareRatio : Math.min(window.devicePixelRatio, mostPixelRatio);
  }

  private get movingRatio(): number {
    const most = this.software ? Math.min(window.devicePixelRatio, 1) : this.stillRatio;
    return most * (this.steady ? 1 : this.quality.factor);
  }

  private setRatio(ratio: number): void {
    if (this.renderer.getPixelRatio() === ratio) return;
    this.renderer.setPixelRatio(ratio);
    this.setResolution();
  }

  /** What outlives a motion; it is sent to the graphics card again when it is used again. */
  private release(): void {
    this.shapes.dispose();
    this.plane.dispose();
    this.materials.dispose();
    this.pale.dispose();
  }

  private clear(): void {
    this.world.clear();
    this.cast?.dispose();
    this.ghost?.dispose();
    this.ghost = null;
    this.setting?.dispose();
    this.labels.clear();
    this.cast = null;
    this.setting = null;
  }

  /** Puts together what is drawn; materials and shared geometries stay. */
  private build(): void {
    if (this.lost) return;
    this.clear();
    const given = this.motion?.document.scene ?? null;
    this.scaleText.textContent = '';
    if (this.motion !== null && given !== null && given.frames > 0) {
      const scene = sound(given);
      const reach = usualArrow * nearRadius(scene);
      const force = usualForce(this.motion, scene);
      const perForce = force > 0 ? reach / force : 0;
      const outline = outlineOf(this.motion, scene, perForce, reach);
      const flat = flatAxis(outline, scene);
      const setting = new Setting(scene, flat, this.shapes, this.materials, this.plane);
      const cast = new Cast(this.motion, scene, perForce, this.shapes, this.materials);
      cast.shadows.matrixAutoUpdate = false;
      cast.shadows.matrix.copy(setting.shadow);
      this.world.add(setting.group, cast.root, cast.shadows, this.rig.camera);
      this.addGhost(scene);
      this.setting = setting;
      this.cast = cast;
      this.touchList.setScene(this.motion, scene);
      const tips = setting.axes.flatMap(({ tip }) => [...tip.toArray(), 0]);
      this.rig.setScene(scene, flat, Float64Array.from([...outline, ...tips]));
      if (setting.spacing > 0) this.scaleText.textContent = `grid ${Number(setting.spacing.toPrecision(3))}`;
      this.makeLabels();
    }
    this.apply();
    this.invalidate();
  }

  /** Things of the other motion, without its forces and paths. */
  private addGhost(beside: Scene): void {
    const given = this.other?.document.scene ?? null;
    if (this.other === null || given === null || given.frames === 0) return;
    const objects = given.objects.map((object) => ('trail' in object ? { ...object, trail: false } : object));
    const scene = { ...sound(given), center: beside.center, radius: beside.radius, ground: null, objects, arrows: [], touches: [] };
    this.ghost = new Cast(this.other, scene, 0, this.shapes, this.pale);
    this.world.add(this.ghost.root);
  }

  private apply(): void {
    const { cast, options } = this;
    if (cast === null || options === null) return;
    cast.arrows.show(options.shown);
    cast.arrows.scale = options.scale;
    cast.touches.group.visible = options.touches;
    this.touchList.element.hidden = !options.touches || this.touchList.empty;
    cast.trails.group.visible = options.trails;
    const times = cast.times;
    this.span = Math.max(options.span * (times[times.length - 1]! - times[0]!), 1e-12);
    this.followed = cast.named.find((named) => named.followed && named.name === options.follow) ?? null;
    if (this.followed === null) this.rig.follow(null);
    this.rig.orthographic = options.orthographic;
    this.numbers.show(cast.scene.objects.filter(hasNumbers).find(({ name }) => name !== '' && name === options.numbers) ?? null);
    if (this.names !== options.names) {
      this.names = options.names;
      this.makeLabels();
    }
  }

  /** A click that moves nothing asks for the numbers of what is there. */
  private listenForPicks(): void {
    let from: [number, number] | null = null;
    this.canvas.addEventListener('pointerdown', (event) => (from = event.button === 0 ? [event.clientX, event.clientY] : null));
    this.canvas.addEventListener('pointerup', (event) => {
      if (from === null || this.cast === null || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
      const box = this.canvas.getBoundingClientRect();
      const place = new THREE.Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
      const ray = new THREE.Raycaster();
      ray.setFromCamera(place, this.rig.shown);
      this.onPick(this.cast.pick(ray));
    });
  }

  private followNow(): void {
    if (this.followed === null || !this.followed.locate(this.moment, this.place)) return;
    const scene = this.motion?.document.scene;
    this.rig.follow(this.followedPlace.fromArray(this.place), scene ? nearRadius(sound(scene)) : 0);
  }

  private makeLabels(): void {
    const { cast, setting, labels } = this;
    labels.clear();
    if (cast === null || setting === null) return;
    setting.axes.forEach(({ letter, tip }, i) => {
      const color = `#${this.materials.axis(i).getHexString()}`;
      labels.add(letter, 'axis', color, (out) => {
        out.copy(tip);
        return true;
      });
    });
    if (!this.names) return;
    const at = (found: boolean, out: THREE.Vector3): boolean => {
      if (found) out.fromArray(this.place);
      return found;
    };
    for (const named of cast.named) {
      if (named.name !== '') labels.add(named.name, '', null, (out) => at(named.locate(this.moment, this.place), out));
    }
    for (const arrow of cast.scene.arrows) {
      const color = `#${this.materials.force(arrow.kind).getHexString()}`;
      labels.add(`${arrow.name}, ${arrow.kind === 'nonideal' ? 'non-ideal' : arrow.kind}`, 'arrow', color, (out) => at(cast.arrows.tip(arrow, this.moment, this.place), out));
    }
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.renderer.setPixelRatio(this.movingRatio);
    this.renderer.setSize(clientWidth, clientHeight);
    this.setResolution();
    this.rig.resize(clientWidth, clientHeight);
    // At once: a canvas that has been resized is empty.
    this.draw();
    this.invalidate();
  }

  private setResolution(): void {
    const { uniforms } = this.materials.trail;
    (uniforms['resolution']!.value as THREE.Vector2).set(this.canvas.width, this.canvas.height);
    uniforms['width']!.value = 2 * this.renderer.getPixelRatio();
  }
}
