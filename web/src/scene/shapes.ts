// The geometries of which everything is built, of unit size, shared by all instances. The attribute `tone` paints a
// pattern, 0 to 1 from an object's own colour to a pale one, so that a rotation is seen. Where there are many instances
// they have fewer corners.
import * as THREE from 'three';
import { mergeGeometries, mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';
import type { ArrowKind } from '../document';
import { helixMesh, type Helix } from './helix';

/** Gives each triangle the tone of its middle. */
function paint(geometry: THREE.BufferGeometry, tone: (x: number, y: number, z: number) => number): THREE.BufferGeometry {
  const flat = geometry.index === null ? geometry : geometry.toNonIndexed();
  flat.deleteAttribute('uv');
  const p = flat.getAttribute('position');
  const tones = new Float32Array(p.count);
  for (let i = 0; i < p.count; i += 3) {
    const middle = (get: (k: number) => number): number => (get(i) + get(i + 1) + get(i + 2)) / 3;
    tones.fill(tone(middle((k) => p.getX(k)), middle((k) => p.getY(k)), middle((k) => p.getZ(k))), i, i + 3);
  }
  flat.setAttribute('tone', new THREE.BufferAttribute(tones, 1));
  return mergeVertices(flat);
}

const plain = (geometry: THREE.BufferGeometry): THREE.BufferGeometry => paint(geometry, () => 0);
const quarter = (x: number, y: number): boolean => x > 0 === y > 0;

/** Along z, from -1/2 to 1/2. */
function upright(top: number, bottom: number, sides: number, open = false): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(top, bottom, 1, sides, 1, open).rotateX(Math.PI / 2);
}

function disk(sides: number): THREE.BufferGeometry {
  const rim = 0.84;
  const parts = [paint(upright(1, 1, sides, true), (x, y) => (quarter(x, y) ? 0.55 : 0))];
  for (const side of [1, -1]) {
    const flip = side > 0 ? 0 : Math.PI;
    const face = new THREE.CircleGeometry(rim, sides).rotateX(flip).translate(0, 0, side / 2);
    const ring = new THREE.RingGeometry(rim, 1, sides).rotateX(flip).translate(0, 0, side / 2);
    parts.push(paint(face, (x, y) => (quarter(x, y) ? 0.85 : 0.08)), plain(ring));
  }
  return mergeGeometries(parts);
}

/** A shaft along z from 0 to 1 in `dashes` pieces. */
function shaft(sides: number, dashes: number, filled: number): THREE.BufferGeometry {
  const pieces = [];
  for (let i = 0; i < dashes; ++i) {
    const length = dashes === 1 ? 1 : filled / dashes;
    pieces.push(upright(1, 1, sides).scale(1, 1, length).translate(0, 0, i / dashes + length / 2));
  }
  return plain(mergeGeometries(pieces));
}

/** A head along z from 0 to 1. */
function head(sides: number): THREE.BufferGeometry {
  return new THREE.ConeGeometry(1, 1, sides).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

function doubleHead(sides: number): THREE.BufferGeometry {
  return mergeGeometries([head(sides).scale(1, 1, 0.55), head(sides).scale(1, 1, 0.55).translate(0, 0, 0.45)]);
}

/** Two pyramids, base to base. */
function diamond(): THREE.BufferGeometry {
  const front = head(4).scale(1, 1, 0.5).translate(0, 0, 0.5);
  const back = head(4).scale(1, 1, 0.5).rotateY(Math.PI).translate(0, 0, 0.5);
  return mergeGeometries([front, back]);
}

/** Where there are many instances. */
type Coarse = boolean;
type Build = (coarse: Coarse) => THREE.BufferGeometry;

const cone: Build = (coarse) => plain(head(coarse ? 6 : 20));
const round = (dashes: number, filled: number): Build => (coarse) => shaft(coarse ? 5 : 10, coarse ? Math.min(dashes, 4) : dashes, filled);

/** Kinds of arrow differ in form too, for those who do not see the colours apart. */
const arrowForms: Record<ArrowKind, { shaft: Build; head: Build }> = {
  applied: { shaft: round(1, 1), head: cone },
  ideal: { shaft: () => shaft(4, 1, 1), head: () => plain(head(4)) },
  nonideal: { shaft: round(5, 0.62), head: cone },
  reaction: { shaft: round(1, 1), head: (coarse) => plain(doubleHead(coarse ? 6 : 16)) },
  other: { shaft: round(9, 0.5), head: () => plain(diamond()) },
};

const sphere = (coarse: Coarse, sides: number): THREE.BufferGeometry =>
  new THREE.SphereGeometry(1, coarse ? 12 : sides, coarse ? 6 : sides / 2);

const builders = {
  sphere: (coarse) => plain(sphere(coarse, 32)),
  /** Painted by octants. */
  ball: (coarse) => paint(sphere(coarse, 48), (x, y, z) => (x > 0 === y > 0 === z > 0 ? 0.8 : 0)),
  disk: (coarse) => disk(coarse ? 24 : 64),
  cylinder: (coarse) => plain(upright(1, 1, coarse ? 7 : 20)),
  /** Painted along its length, so that a spin is seen. */
  rod: (coarse) => paint(upright(1, 1, coarse ? 8 : 24), (x, y) => (quarter(x, y) ? 0.3 : 0)),
  box: () => paint(new THREE.BoxGeometry(1, 1, 1), (x, y) => (Math.abs(x) > 0.49 ? 0.3 : Math.abs(y) > 0.49 ? 0.6 : 0)),
  plainBox: () => plain(new THREE.BoxGeometry(1, 1, 1)),
  /** Hollow, from its tip at the origin to a rim of radius 1 at z = 1. */
  funnel: (coarse) => plain(new THREE.ConeGeometry(1, 1, coarse ? 12 : 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5)),
  octahedron: () => plain(new THREE.OctahedronGeometry(1)),
  cone,
} satisfies Record<string, Build>;

export type UnitShape = keyof typeof builders;

/** Makes each geometry at its first use; they last as long as the view. */
export class Shapes {
  private readonly made = new Map<string, THREE.BufferGeometry>();

  get(shape: UnitShape, coarse: Coarse): THREE.BufferGeometry {
    return this.make(shape, builders[shape], coarse);
  }

  arrow(kind: ArrowKind, part: 'shaft' | 'head', coarse: Coarse): THREE.BufferGeometry {
    return this.make(`${kind} ${part}`, arrowForms[kind][part], coarse);
  }

  dispose(): void {
    for (const geometry of this.made.values()) geometry.dispose();
    this.made.clear();
  }

  private make(name: string, build: Build, coarse: Coarse): THREE.BufferGeometry {
    const key = `${name} ${coarse}`;
    let geometry = this.made.get(key);
    if (geometry === undefined) {
      geometry = build(coarse);
      this.made.set(key, geometry);
    }
    return geometry;
  }
}

/** A spring of that form; not shared, since each has its own. */
export function springGeometry(helix: Helix): THREE.BufferGeometry {
  const { positions, normals, triangles } = helixMesh(helix);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
  geometry.setAttribute('tone', new THREE.BufferAttribute(new Float32Array(positions.length / 3), 1));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  return geometry;
}
