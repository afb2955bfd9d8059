// The place of a body at a time: a cubic through samples for positions and matrices, the shorter arc for orientations.
//
// The tangent at a sample is that of the parabola through it and its two neighbours, so motions of constant speed or
// constant acceleration are drawn exactly. At the ends and at kinks (a time given twice) the parabola is one-sided.

import { Matrix4, Quaternion, Vector3 } from "three";
import { DocumentError, type Loaded } from "./document";
import type { Body, Motion, Shape } from "./format";

/** The pose of a body as a function of time. */
export interface Track {
  readonly moves: boolean;
  at(time: number, out: Matrix4): Matrix4;
}

/** A body at rest. */
export function resting(body: Body): Track {
  const pose = poseOf(body);
  return { moves: false, at: (_time, out) => out.copy(pose) };
}

/** The matrix of a body or a shape in its parent's frame. */
export function poseOf(placed: Body | Shape): Matrix4 {
  const [x, y, z] = placed.position ?? [0, 0, 0];
  if ("matrix" in placed && placed.matrix) return affine(placed.matrix, 0, x, y, z, new Matrix4());
  const [qw, qx, qy, qz] = placed.quaternion ?? [1, 0, 0, 0];
  const scale = "scale" in placed && placed.scale ? new Vector3(...placed.scale) : new Vector3(1, 1, 1);
  return new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw).normalize(), scale);
}

function affine(m: ArrayLike<number>, at: number, x: number, y: number, z: number, out: Matrix4): Matrix4 {
  return out.set(
    m[at],
    m[at + 1],
    m[at + 2],
    x,
    m[at + 3],
    m[at + 4],
    m[at + 5],
    y,
    m[at + 6],
    m[at + 7],
    m[at + 8],
    z,
    0,
    0,
    0,
    1,
  );
}

/** A body that moves through samples. */
export function sampled(motion: Motion, loaded: Loaded, where: string): Track {
  const times = loaded.numbers(motion.times, where);
  const positions = loaded.numbers(motion.positions, where);
  const quaternions = motion.quaternions && loaded.numbers(motion.quaternions, where);
  const matrices = motion.matrices && loaded.numbers(motion.matrices, where);
  const n = times.length;
  if (n === 0 || positions.length !== 3 * n) throw new DocumentError(`${where}: positions need three numbers per time`);
  if (quaternions && quaternions.length !== 4 * n) throw new DocumentError(`${where}: quaternions need four numbers per time`);
  if (matrices && matrices.length !== 9 * n) throw new DocumentError(`${where}: matrices need nine numbers per time`);
  for (let i = 1; i < n; i++) {
    if (!(times[i] >= times[i - 1])) throw new DocumentError(`${where}: times must not decrease`);
  }
  const p = [0, 0, 0];
  const m = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  const [position, q0, q1] = [new Vector3(), new Quaternion(), new Quaternion()];
  const one = new Vector3(1, 1, 1);
  return {
    moves: n > 1,
    at(time, out) {
      const i = spanAt(times, time);
      const h = i + 1 < n ? times[i + 1] - times[i] : 0;
      const s = h > 0 ? Math.min(1, Math.max(0, (time - times[i]) / h)) : 0;
      cubic(times, positions, 3, i, s, p);
      if (matrices) {
        cubic(times, matrices, 9, i, s, m);
        return affine(m, 0, p[0], p[1], p[2], out);
      }
      q0.identity();
      if (quaternions) {
        const j = Math.min(i + 1, n - 1);
        q0.set(quaternions[4 * i + 1], quaternions[4 * i + 2], quaternions[4 * i + 3], quaternions[4 * i]).normalize();
        q1.set(quaternions[4 * j + 1], quaternions[4 * j + 2], quaternions[4 * j + 3], quaternions[4 * j]).normalize();
        q0.slerp(q1, s);
      }
      return out.compose(position.set(p[0], p[1], p[2]), q0, one);
    },
  };
}

/** The last sample at or before `time` that begins a span of some length. */
function spanAt(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return Math.min(low, Math.max(0, times.length - 2));
}

/** The value at the fraction `s` of the span from sample `i` to the next, for `width` numbers per sample. */
function cubic(times: ArrayLike<number>, values: ArrayLike<number>, width: number, i: number, s: number, out: number[]): void {
  const n = times.length;
  if (n === 1) {
    for (let k = 0; k < width; k++) out[k] = values[k];
    return;
  }
  const h = times[i + 1] - times[i];
  const before = i > 0 ? times[i] - times[i - 1] : 0;
  const after = i + 2 < n ? times[i + 2] - times[i + 1] : 0;
  const [s2, s3] = [s * s, s * s * s];
  const blends = [2 * s3 - 3 * s2 + 1, s3 - 2 * s2 + s, -2 * s3 + 3 * s2, s3 - s2];
  for (let k = 0; k < width; k++) {
    const v0 = values[i * width + k];
    const v1 = values[(i + 1) * width + k];
    if (h <= 0) {
      out[k] = v1;
      continue;
    }
    const slope = (v1 - v0) / h;
    const slopeBefore = before > 0 ? (v0 - values[(i - 1) * width + k]) / before : slope;
    const slopeAfter = after > 0 ? (values[(i + 2) * width + k] - v1) / after : slope;
    // The parabola through three samples, at its middle one.
    const middle0 = before > 0 ? (slopeBefore * h + slope * before) / (h + before) : undefined;
    const middle1 = after > 0 ? (slope * after + slopeAfter * h) / (h + after) : undefined;
    // At an end, the slope of the parabola through the known values at the other end.
    const m0 = middle0 ?? (middle1 === undefined ? slope : 2 * slope - middle1);
    const m1 = middle1 ?? (middle0 === undefined ? slope : 2 * slope - middle0);
    out[k] = blends[0] * v0 + blends[1] * h * m0 + blends[2] * v1 + blends[3] * h * m1;
  }
}
