// Geometries of the document as geometries of three.js.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  EdgesGeometry,
  IcosahedronGeometry,
  Matrix4,
  Sphere,
  SphereGeometry,
  Vector3,
  Box3,
} from "three";
import { DocumentError, type Loaded } from "./document";
import type { Geometry, MeshGeometry } from "./format";

/** The drawn objects of one geometry; all bodies that have it share them. */
export interface Built {
  kind: "surface" | "points" | "cells" | "plane";
  geometry: BufferGeometry;
  /** Sharp edges, drawn as lines; a primitive's or a small mesh's. */
  creases?: BufferGeometry;
  /** Edges and points of a mesh that belong to no triangle; they share its vertices. */
  looseEdges?: BufferGeometry;
  loosePoints?: BufferGeometry;
  flat: boolean;
  closed: boolean;
  triangles: number;
  /** In the frame of the body; empty for a shape without end. */
  box: Box3;
  radius?: number;
  /** Side lengths of cells. */
  sizes?: ArrayLike<number>;
  plane?: { normal: Vector3; offset: number };
  deform?: Deforming;
}

/** A mesh whose vertices move linearly between frames. */
export interface Deforming {
  /** Vertices at a time. */
  at(time: number, out: Float32Array): void;
  /** Sets the shared geometry to a time. */
  set(time: number): void;
}

/** Above this number of triangles, sharp edges are not searched: it takes longer than the rest of the page. */
const MAX_CREASED = 6000;

export function build(shape: Geometry, loaded: Loaded, where: string): Built {
  switch (shape.kind) {
    case "box":
      return solid(new BoxGeometry(...shape.size), true);
    case "sphere":
      return solid(new IcosahedronGeometry(shape.radius, 12), false, roundNormals);
    case "ellipsoid":
      return solid(ellipsoid(shape.semi_axes), false);
    case "capsule":
      return solid(upright(new CapsuleGeometry(shape.radius, shape.length, 12, 40)), false);
    case "cylinder":
      return solid(upright(new CylinderGeometry(shape.radius, shape.radius, shape.length, 48)), true);
    case "cone":
      return solid(upright(new ConeGeometry(shape.radius, shape.length, 48)), true);
    case "half_space":
      return plane(shape);
    case "mesh":
      return mesh(shape, loaded, where);
    case "points":
    case "boxes": {
      const positions = loaded.vertices(shape.positions, shape.box, where);
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(positions, 3));
      const sizes = shape.kind === "boxes" ? loaded.numbers(shape.sizes, where) : undefined;
      if (sizes && sizes.length * 3 !== positions.length) throw new DocumentError(`${where}: one size per cell`);
      const radius = shape.kind === "points" ? shape.radius : 0;
      const box = boxOf(positions).expandByScalar(sizes ? largest(sizes) / 2 : radius);
      geometry.boundingBox = box;
      geometry.boundingSphere = box.getBoundingSphere(new Sphere());
      return { kind: sizes ? "cells" : "points", geometry, flat: true, closed: true, triangles: 0, box, radius, sizes };
    }
    default:
      throw new DocumentError(`${where}: unknown kind "${(shape as { kind: string }).kind}"`);
  }
}

/** The axis of three.js's round solids is y; ours is z. */
function upright(geometry: BufferGeometry): BufferGeometry {
  return geometry.applyMatrix4(new Matrix4().makeRotationX(Math.PI / 2));
}

function ellipsoid([a, b, c]: [number, number, number]): BufferGeometry {
  const geometry = new SphereGeometry(1, 64, 40);
  return upright(geometry).applyMatrix4(new Matrix4().makeScale(a, b, c));
}

function roundNormals(geometry: BufferGeometry): void {
  const normals = geometry.getAttribute("position").clone() as BufferAttribute;
  const v = new Vector3();
  for (let i = 0; i < normals.count; i++) {
    v.fromBufferAttribute(normals, i).normalize();
    normals.setXYZ(i, v.x, v.y, v.z);
  }
  geometry.setAttribute("normal", normals);
}

function solid(geometry: BufferGeometry, sharp: boolean, finish?: (geometry: BufferGeometry) => void): Built {
  finish?.(geometry);
  geometry.deleteAttribute("uv");
  geometry.computeBoundingBox();
  geometry.computeBoundingSphere();
  const count = (geometry.index ?? geometry.getAttribute("position")).count;
  return {
    kind: "surface",
    geometry,
    creases: sharp ? new EdgesGeometry(geometry, 30) : undefined,
    flat: false,
    closed: true,
    triangles: count / 3,
    box: geometry.boundingBox!.clone(),
  };
}

function plane(shape: { normal: [number, number, number]; offset: number }): Built {
  const normal = new Vector3(...shape.normal);
  const offset = shape.offset / normal.length();
  normal.normalize();
  const geometry = new BufferGeometry();
  return { kind: "plane", geometry, flat: true, closed: true, triangles: 0, box: new Box3(), plane: { normal, offset } };
}

function mesh(shape: MeshGeometry, loaded: Loaded, where: string): Built {
  const first = shape.frames?.positions[0] ?? shape.positions;
  const positions = loaded.vertices(first, shape.box, where);
  const vertices = positions.length / 3;
  const indices = unsigned(loaded.numbers(shape.indices, where));
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] >= vertices) throw new DocumentError(`${where}: there is no vertex ${indices[i]}`);
  }
  const triangles = indices.length / 3;
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));

  const { normals, creased } = vertexNormals(positions, indices);
  const flat = shape.shading ? shape.shading === "flat" : creased > 0.08;
  if (!flat) geometry.setAttribute("normal", new BufferAttribute(normals, 3));

  const box = boxOf(positions);
  const built: Built = { kind: "surface", geometry, flat, closed: false, triangles, box };
  if (shape.frames) {
    const frames = shape.frames.positions.map((data, i) => loaded.vertices(data, shape.box, `${where}, frame ${i}`));
    if (frames.length !== shape.frames.times.length || frames.some((frame) => frame.length !== positions.length)) {
      throw new DocumentError(`${where}: one frame per time, all of the same length`);
    }
    for (const frame of frames) box.union(boxOf(frame));
    built.deform = deforming(geometry, frames, shape.frames.times, flat);
  } else if (flat && triangles <= MAX_CREASED) {
    built.creases = new EdgesGeometry(geometry, 30);
  }
  geometry.boundingBox = box.clone();
  geometry.boundingSphere = box.getBoundingSphere(new Sphere());
  const loose = (data: typeof shape.edges): BufferGeometry | undefined => {
    if (!data) return undefined;
    const numbers = unsigned(loaded.numbers(data, where));
    const part = new BufferGeometry();
    part.setAttribute("position", geometry.getAttribute("position"));
    part.setIndex(new BufferAttribute(numbers, 1));
    part.boundingSphere = geometry.boundingSphere;
    return part;
  };
  built.looseEdges = loose(shape.edges);
  built.loosePoints = loose(shape.points);
  return built;
}

function unsigned(numbers: ArrayLike<number>): Uint16Array | Uint32Array {
  return numbers instanceof Uint16Array || numbers instanceof Uint32Array ? numbers : Uint32Array.from(numbers);
}

function deforming(geometry: BufferGeometry, frames: Float32Array[], times: number[], flat: boolean): Deforming {
  const shown = geometry.getAttribute("position") as BufferAttribute;
  const indices = geometry.index!.array;
  const at = (time: number, out: Float32Array): void => {
    let i = 0;
    while (i + 2 < times.length && times[i + 1] <= time) i++;
    const j = Math.min(i + 1, times.length - 1);
    const span = times[j] - times[i];
    const s = span > 0 ? Math.min(1, Math.max(0, (time - times[i]) / span)) : 0;
    const [from, to] = [frames[i], frames[j]];
    for (let k = 0; k < out.length; k++) out[k] = from[k] + (to[k] - from[k]) * s;
  };
  let current = Number.NaN;
  const set = (time: number): void => {
    if (time === current) return;
    current = time;
    at(time, shown.array as Float32Array);
    shown.needsUpdate = true;
    if (!flat) {
      const normal = geometry.getAttribute("normal") as BufferAttribute;
      vertexNormals(shown.array as Float32Array, indices, normal.array as Float32Array);
      normal.needsUpdate = true;
    }
  };
  return { at, set };
}

/**
 * Normals of vertices, weighted by area, and the fraction of corners whose face is far from its vertex's normal. That
 * fraction distinguishes a scanned or simulated surface, which looks best smooth, from a machined one, which looks best
 * flat.
 */
export function vertexNormals(
  positions: Float32Array,
  indices: ArrayLike<number>,
  out: Float32Array = new Float32Array(positions.length),
): { normals: Float32Array; creased: number } {
  out.fill(0);
  const faces = new Float32Array(indices.length);
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [3 * indices[i], 3 * indices[i + 1], 3 * indices[i + 2]];
    const ux = positions[b] - positions[a],
      uy = positions[b + 1] - positions[a + 1],
      uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a],
      vy = positions[c + 1] - positions[a + 1],
      vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy,
      y = uz * vx - ux * vz,
      z = ux * vy - uy * vx;
    out[a] += x;
    out[a + 1] += y;
    out[a + 2] += z;
    out[b] += x;
    out[b + 1] += y;
    out[b + 2] += z;
    out[c] += x;
    out[c + 1] += y;
    out[c + 2] += z;
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    faces[i] = x / length;
    faces[i + 1] = y / length;
    faces[i + 2] = z / length;
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.sqrt(out[i] * out[i] + out[i + 1] * out[i + 1] + out[i + 2] * out[i + 2]) || 1;
    out[i] /= length;
    out[i + 1] /= length;
    out[i + 2] /= length;
  }
  // A soup (no vertex shared) has normals of faces at all its vertices: that is flat anyway.
  let far = 0;
  for (let i = 0; i < indices.length; i++) {
    const [v, f] = [3 * indices[i], i - (i % 3)];
    if (out[v] * faces[f] + out[v + 1] * faces[f + 1] + out[v + 2] * faces[f + 2] < 0.8) far++;
  }
  return { normals: out, creased: far / Math.max(1, indices.length) };
}

export function boxOf(positions: Float32Array): Box3 {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const v = positions[i + k];
      if (v < low[k]) low[k] = v;
      if (v > high[k]) high[k] = v;
    }
  }
  return new Box3(new Vector3(...low), new Vector3(...high));
}

function largest(numbers: ArrayLike<number>): number {
  let max = 0;
  for (let i = 0; i < numbers.length; i++) max = Math.max(max, numbers[i]);
  return max;
}
