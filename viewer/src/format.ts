// The document that the page reads. FORMAT.md explains every field; both change together.

export type Vec3 = [number, number, number];
/** w, x, y, z, as in scene files. */
export type Quat = [number, number, number, number];

/** Bytes, as base64, deflated (zlib) or not. */
export interface BufferText {
  encoding: "base64" | "deflate-base64";
  /** The number of bytes after decoding. */
  bytes: number;
  data: string;
}

export type Scalar = "u8" | "u16" | "u32" | "f32" | "f64";

/** Numbers inside a buffer. */
export interface BufferView {
  buffer: number;
  /** In bytes; a multiple of the size of one number. */
  offset: number;
  /** The number of entries. */
  count: number;
  type: Scalar;
}

/** Numbers, written out or inside a buffer. */
export type Data = number[] | BufferView;

/** Vertices: three numbers each. Integers are quantised: 0 is `box[0]`, the largest integer is `box[1]`. */
export interface Vertices {
  box?: [Vec3, Vec3];
  positions: Data;
}

export interface MeshGeometry extends Vertices {
  kind: "mesh";
  /** Three per triangle. */
  indices: Data;
  /** Two per edge that belongs to no triangle. */
  edges?: Data;
  /** Vertices that belong to no triangle and no edge. */
  points?: Data;
  /** Left out: the page decides. */
  shading?: "flat" | "smooth";
  /** A deforming mesh: the vertices at two or more times, linear in between. `positions` is the first of them. */
  frames?: { times: number[]; positions: Data[] };
}

export type Geometry =
  | { kind: "box"; size: Vec3 }
  | { kind: "sphere"; radius: number }
  | { kind: "capsule"; radius: number; length: number }
  | { kind: "cylinder"; radius: number; length: number }
  | { kind: "cone"; radius: number; length: number }
  | { kind: "ellipsoid"; semi_axes: Vec3 }
  | { kind: "half_space"; normal: Vec3; offset: number }
  | MeshGeometry
  | ({ kind: "points"; radius: number } & Vertices)
  | ({ kind: "boxes"; sizes: Data } & Vertices);

export interface Shape {
  geometry: number;
  position?: Vec3;
  quaternion?: Quat;
  scale?: Vec3;
  /** `visual` and `collision` shapes are shown one or the other; shapes without a role are always shown. */
  role?: "visual" | "collision";
}

export interface Body {
  name: string;
  /** The kind of body, in a word or two; shown as text. */
  kind: string;
  /** The robot that a link or an attached part belongs to. */
  group?: string;
  shapes: Shape[];
  /** The place where no motion gives another. */
  position?: Vec3;
  quaternion?: Quat;
  /** For affine bodies, instead of `quaternion`: 9 numbers, row by row. */
  matrix?: number[];
}

/** The places of a body over the time of a run. */
export interface Motion {
  body: number;
  /** Not decreasing. A time given twice is a kink: the curve is smooth on either side of it only. */
  times: Data;
  /** Three per time. */
  positions: Data;
  /** Four per time, w x y z; turns of less than half a turn from one to the next. */
  quaternions?: Data;
  /** Nine per time, row by row; for affine bodies. */
  matrices?: Data;
}

export type AnswerWord = "free" | "touch" | "touching_at_start" | "undecided";

/** An answer as in the command's JSON, with the time of the run and with bodies by index. */
export interface Answer {
  answer: AnswerWord;
  /** The time of the touch in the run's time. */
  time?: number;
  /** The exact number of the command; within its segment for a path. Left out: `time`. */
  toi?: number;
  segment?: number;
  /** Proven free before this time, in the run's time. */
  free_until?: number;
  gap?: number;
  bodies?: [number, number];
  parts?: [string, string];
  features?: [string, string];
  points?: [Vec3, Vec3];
  normal?: Vec3;
  /** The two features in world coordinates at the touch: 1 point, 2 points of an edge, 3 or more corners of a face. */
  marks?: [Vec3[], Vec3[]];
}

export interface Contact {
  points: [Vec3, Vec3];
  normal?: Vec3;
  gap?: number;
  features?: [string, string];
  marks?: [Vec3[], Vec3[]];
}

export interface Overlap {
  from: number;
  to: number;
  certain: boolean;
}

/** The work of the engine for one pair. */
export interface Search {
  /** The stage at which the pair left the search. */
  stage: "allowed" | "boxes_apart" | "later" | "advanced";
  /** Times up to which freedom was proven, step by step. */
  steps?: Data;
  /** Windows of time proven free, and the method of each proof. */
  windows?: { from: number; to: number; by: string }[];
  /** Counters: iterations, pairs of volumes and so on. */
  counts?: Record<string, number>;
}

export interface Pair extends Answer {
  bodies: [number, number];
  overlaps?: Overlap[];
  search?: Search;
}

/** Bounds of the least distance at sampled times. */
export interface Clearance {
  times: Data;
  lower: Data;
  upper: Data;
  least?: { time: number; lower: number; upper: number; bodies?: [number, number]; points?: [Vec3, Vec3] };
}

/** One motion of all bodies with its answer: `check` and `deform` have one run, `path` has one per path. */
export interface Run {
  name?: string;
  /** Time runs from 0 to this number. */
  duration: number;
  /** The times at which segments begin, and the end. */
  segments?: number[];
  answer: Answer;
  /** Every contact at the touch, if the command was run with that option. */
  contacts?: Contact[];
  pairs?: Pair[];
  clearance?: Clearance;
  /** Totals of the search. `pairs`, `allowed`, `boxes_apart`, `later` and `advanced` are drawn as a bar. */
  stats?: Record<string, number>;
  motions: Motion[];
}

export interface ViewDocument {
  format: "firsttouch-view";
  version: 1;
  title: string;
  /** The command that gave the answer, shown as text. */
  command?: string;
  /** The axis that points up; z if left out. */
  up?: "y" | "z";
  /** With "s" the page plays in real time. */
  time_unit?: string;
  length_unit?: string;
  tolerance?: number;
  min_separation?: number;
  mode?: "first" | "any" | "all";
  /** An address of server-sent events; the page reloads on each message. */
  live?: string;
  buffers: BufferText[];
  geometries: Geometry[];
  bodies: Body[];
  runs: Run[];
}
