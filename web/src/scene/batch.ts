// Many instances of one geometry in one draw call. Places are asked for first, then the batch is built, then the
// places are written at each new time, without allocation.
import * as THREE from 'three';

export class Batch {
  readonly colors: THREE.Color[] = [];
  /** Whose instance each is; '' of nobody's. */
  readonly owners: string[] = [];
  mesh: THREE.InstancedMesh | null = null;
  private array: Float32Array = new Float32Array(0);
  private readonly twins: THREE.InstancedMesh[] = [];

  constructor(
    readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
    /** Whether the geometry belongs to this batch alone. */
    private readonly owned = false,
  ) {}

  add(color: THREE.Color, owner = ''): number {
    this.owners.push(owner);
    return this.colors.push(color) - 1;
  }

  build(): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, this.colors.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    this.colors.forEach((color, slot) => mesh.setColorAt(slot, color));
    this.array = mesh.instanceMatrix.array as Float32Array;
    this.array.fill(0);
    this.mesh = mesh;
    return mesh;
  }

  /** The same instances once more with another material: their shadows, or what shines through. */
  double(material: THREE.Material): THREE.InstancedMesh {
    const twin = new THREE.InstancedMesh(this.geometry, material, 0);
    twin.instanceMatrix = this.mesh!.instanceMatrix;
    twin.instanceColor = this.mesh!.instanceColor;
    twin.count = this.colors.length;
    twin.frustumCulled = false;
    this.twins.push(twin);
    return twin;
  }

  /** Call after the places have been written. */
  changed(): void {
    this.mesh!.instanceMatrix.needsUpdate = true;
  }

  /** Another colour for one that is drawn. */
  paint(slot: number, color: THREE.Color): void {
    this.mesh!.setColorAt(slot, color);
    this.mesh!.instanceColor!.needsUpdate = true;
  }

  hide(slot: number): void {
    this.array.fill(0, slot * 16, slot * 16 + 16);
  }

  /** Position, quaternion x y z w from `pose`, and the sizes along the instance's own axes. */
  place(slot: number, pose: Float64Array, sx: number, sy: number, sz: number): void {
    const x = pose[3]!;
    const y = pose[4]!;
    const z = pose[5]!;
    const w = pose[6]!;
    const m = this.array;
    const o = slot * 16;
    m[o] = (1 - 2 * (y * y + z * z)) * sx;
    m[o + 1] = 2 * (x * y + w * z) * sx;
    m[o + 2] = 2 * (x * z - w * y) * sx;
    m[o + 4] = 2 * (x * y - w * z) * sy;
    m[o + 5] = (1 - 2 * (x * x + z * z)) * sy;
    m[o + 6] = 2 * (y * z + w * x) * sy;
    m[o + 8] = 2 * (x * z + w * y) * sz;
    m[o + 9] = 2 * (y * z - w * x) * sz;
    m[o + 10] = (1 - 2 * (x * x + y * y)) * sz;
    m[o + 12] = pose[0]!;
    m[o + 13] = pose[1]!;
    m[o + 14] = pose[2]!;
    m[o + 15] = 1;
  }

  /**
   * At a point, with the z axis along the unit vector (dx, dy, dz): `width` across and `length` along. The turn about
   * that axis is the shortest way from `reference`, so that it does not jump where directions stay away from its opposite.
   */
  along(
    slot: number, x: number, y: number, z: number, dx: number, dy: number, dz: number,
    width: number, length: number, reference: 'y' | 'z',
  ): void {
    const m = this.array;
    const o = slot * 16;
    // In coordinates p, q, r of which r is along the reference: those of d, and where they stand in a column.
    const turned = reference === 'y';
    const p = turned ? dz : dx;
    const q = turned ? dx : dy;
    const r = turned ? dy : dz;
    const i = o + (turned ? 2 : 0);
    const j = o + (turned ? 0 : 1);
    const l = o + (turned ? 1 : 2);
    const k = 1 + r > 1e-9 ? 1 / (1 + r) : 0;
    m[i] = (1 - p * p * k) * width;
    m[j] = -p * q * k * width;
    m[l] = -p * width;
    m[i + 4] = -p * q * k * width;
    m[j + 4] = (k > 0 ? 1 - q * q * k : -1) * width;
    m[l + 4] = -q * width;
    m[o + 8] = dx * length;
    m[o + 9] = dy * length;
    m[o + 10] = dz * length;
    m[o + 12] = x;
    m[o + 13] = y;
    m[o + 14] = z;
    m[o + 15] = 1;
  }

  dispose(): void {
    this.mesh?.dispose();
    for (const twin of this.twins) twin.dispose();
    if (this.owned) this.geometry.dispose();
  }
}
