// Documents of every kind, made by hand, for the tests of a page and for its pictures.
import { Pack } from "./pack.mjs";

const { cos, sin, PI, hypot, sqrt, exp } = Math;

const header = (title, more = {}) => ({ format: "firsttouch-view", version: 1, title, tolerance: 1e-6, ...more });

// Meshes

function grid(nu, nv, at, { closedU = false, closedV = false } = {}) {
  const [cu, cv] = [closedU ? nu : nu + 1, closedV ? nv : nv + 1];
  const positions = new Float64Array(cu * cv * 3);
  for (let i = 0; i < cu; i++) for (let j = 0; j < cv; j++) positions.set(at(i / nu, j / nv), 3 * (i * cv + j));
  const indices = new Uint32Array(nu * nv * 6);
  let n = 0;
  for (let i = 0; i < nu; i++) {
    for (let j = 0; j < nv; j++) {
      const [a, b] = [i * cv + j, ((i + 1) % cu) * cv + j];
      const [c, d] = [((i + 1) % cu) * cv + ((j + 1) % cv), i * cv + ((j + 1) % cv)];
      indices.set([a, b, c, a, c, d], n);
      n += 6;
    }
  }
  return { positions, indices };
}

/** A torus knot: a tube around a closed curve. */
export function knot(nu, nv, size = 1, tube = 0.28) {
  const curve = (u) => {
    const a = 4 * PI * u;
    const r = 0.62 * (2 + cos(1.5 * a)) * 0.5;
    return [size * r * cos(a), size * r * sin(a), size * 0.42 * sin(1.5 * a)];
  };
  return grid(
    nu,
    nv,
    (u, v) => {
      const [p, q] = [curve(u), curve(u + 1e-4)];
      let t = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
      const l = hypot(...t);
      t = t.map((c) => c / l);
      let n = [p[0], p[1], 0];
      const along = n[0] * t[0] + n[1] * t[1] + n[2] * t[2];
      n = n.map((c, i) => c - along * t[i]);
      const m = hypot(...n);
      n = n.map((c) => c / m);
      const b = [t[1] * n[2] - t[2] * n[1], t[2] * n[0] - t[0] * n[2], t[0] * n[1] - t[1] * n[0]];
      const [c, s] = [cos(2 * PI * v) * tube * size, sin(2 * PI * v) * tube * size];
      return [0, 1, 2].map((i) => p[i] + c * n[i] + s * b[i]);
    },
    { closedU: true, closedV: true },
  );
}

const turnZ = (angle) => [cos(angle / 2), 0, 0, sin(angle / 2)];
const multiply = ([a, b, c, d], [e, f, g, h]) => [
  a * e - b * f - c * g - d * h,
  a * f + b * e + c * h - d * g,
  a * g - b * h + c * e + d * f,
  a * h + b * g - c * f + d * e,
];
const axisAngle = ([x, y, z], angle) => [cos(angle / 2), x * sin(angle / 2), y * sin(angle / 2), z * sin(angle / 2)];
const rotate = (q, v) => multiply(multiply(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);

const stats = {
  pairs: 10,
  allowed: 1,
  boxes_apart: 6,
  later: 1,
  advanced: 2,
  parts: 5,
  volume_pairs: 214,
  piece_pairs: 31,
  iterations: 17,
};

/** Rigid bodies: a knot falls past a pillar onto a block; with clearance, contacts and features. */
export function rigid(encoding) {
  const pack = new Pack();
  const lowest = 1.2 * (0.28 + 0.42);
  const n = 25;
  const times = Array.from({ length: n }, (_, i) => i / (n - 1));
  const toi = 0.6180339887498949;
  const height = (t) => 0.6 + lowest + 3.2 * (toi - t);
  const q = (t) => axisAngle([0, 0, 1], 2.4 * t);
  const document = header("knot.toml", {
    command: "firsttouch check knot.toml --clearance",
    length_unit: "m",
    time_unit: "s",
    geometries: [
      pack.mesh(knot(220, 28, 1.2)),
      { kind: "box", size: [2.6, 2.2, 0.6] },
      { kind: "cylinder", radius: 0.28, length: 2.6 },
      { kind: "capsule", radius: 0.22, length: 0.9 },
      { kind: "cone", radius: 0.45, length: 0.9 },
      { kind: "sphere", radius: 0.4 },
    ],
    bodies: [
      { name: "knot", kind: "mesh", shapes: [{ geometry: 0 }] },
      { name: "block", kind: "box", shapes: [{ geometry: 1 }], position: [0, 0, 0.3] },
      { name: "pillar", kind: "cylinder", shapes: [{ geometry: 2 }], position: [2.2, 1.1, 1.3] },
      {
        name: "peg",
        kind: "capsule",
        shapes: [{ geometry: 3 }],
        position: [-2.1, 0.6, 0.7],
        quaternion: axisAngle([1, 0, 0], 0.7),
      },
      {
        name: "hat and ball",
        kind: "compound",
        shapes: [{ geometry: 4, position: [0, 0, 0.83] }, { geometry: 5 }],
        position: [1.9, -1.5, 0.4],
      },
    ],
    runs: [
      {
        duration: 1,
        answer: {
          answer: "touch",
          time: toi,
          gap: 3.42e-13,
          bodies: [0, 1],
          parts: ["tri 5028", "solid"],
          features: ["vertex 2514", "face 5"],
          points: [
            [0.73, -0.21, 0.6],
            [0.73, -0.21, 0.6],
          ],
          normal: [0, 0, -1],
          marks: [
            [[0.73, -0.21, 0.6]],
            [
              [-1.3, -1.1, 0.6],
              [1.3, -1.1, 0.6],
              [1.3, 1.1, 0.6],
              [-1.3, 1.1, 0.6],
            ],
          ],
        },
        clearance: (() => {
          const ts = Array.from({ length: 60 }, (_, i) => i / 59);
          const d = ts.map((t) => Math.min(Math.max(0, 3.2 * (toi - t)), 0.9 + 0.5 * sin(7 * t)));
          return { times: ts, lower: d.map((v) => v * 0.97), upper: d.map((v) => v * 1.02) };
        })(),
        stats,
        motions: [{ body: 0, times, positions: times.flatMap((t) => [0, 0, height(t)]), quaternions: times.flatMap(q) }],
      },
    ],
  });
  return { ...document, buffers: pack.buffers(encoding) };
}

/** A free motion with its least clearance. */
export function free() {
  return header("near_miss.toml", {
    command: "firsttouch check near_miss.toml --clearance",
    buffers: [],
    min_separation: 0.05,
    geometries: [
      { kind: "box", size: [1, 1, 1] },
      { kind: "sphere", radius: 0.6 },
      { kind: "half_space", normal: [0, 0, 1], offset: -0.9 },
    ],
    bodies: [
      { name: "cube", kind: "box", shapes: [{ geometry: 0 }] },
      { name: "ball", kind: "sphere", shapes: [{ geometry: 1 }] },
      { name: "ground", kind: "half space", shapes: [{ geometry: 2 }] },
    ],
    runs: [
      {
        duration: 1,
        answer: { answer: "free" },
        clearance: {
          times: Array.from({ length: 81 }, (_, i) => i / 80),
          ...(() => {
            const d = Array.from({ length: 81 }, (_, i) => sqrt(((6 * i) / 80 - 3) ** 2 + 1.9) - 1.2 + 0.1);
            return { lower: d.map((v) => v - 0.01), upper: d.map((v) => v + 0.01) };
          })(),
          least: {
            time: 0.5,
            lower: 0.1999994,
            upper: 0.2000003,
            bodies: [0, 1],
            points: [
              [0, 0.5, 0],
              [0, 0.7, 0],
            ],
          },
        },
        stats: { pairs: 3, allowed: 0, boxes_apart: 2, later: 0, advanced: 1, iterations: 9 },
        motions: [
          { body: 1, times: [0, 1], positions: [-3, 1.3, 0, 3, 1.3, 0] },
          {
            body: 0,
            times: [0, 0.5, 1],
            positions: [0, 0, 0, 0, 0, 0, 0, 0, 0],
            quaternions: [turnZ(-PI / 2), turnZ(0), turnZ(PI / 2)].flat(),
          },
        ],
      },
    ],
  });
}

/** An arm of six links on several paths, with visual and collision shapes, a held part and obstacles. */
export function robot() {
  const pack = new Pack();
  const lengths = [0.36, 0.42, 0.4, 0.3, 0.16, 0.1];
  const radii = [0.11, 0.085, 0.075, 0.06, 0.05, 0.04];
  const geometries = [];
  const bodies = [];
  lengths.forEach((length, i) => {
    const r = radii[i];
    const profile = (u) => r * (0.72 + 0.28 * cos(2 * PI * u) ** 2);
    geometries.push(
      pack.mesh(
        grid(28, 20, (u, v) => [profile(u) * cos(2 * PI * v), profile(u) * sin(2 * PI * v), u * length], { closedV: true }),
      ),
    );
    geometries.push({ kind: "capsule", radius: r, length });
    geometries.push({ kind: "sphere", radius: r * 1.08 });
    bodies.push({
      name: ["shoulder", "upper_arm", "elbow", "forearm", "wrist", "hand"][i],
      kind: "link",
      group: "arm6",
      shapes: [
        { geometry: 3 * i, role: "visual" },
        { geometry: 3 * i + 2, role: "visual" },
        { geometry: 3 * i + 1, position: [0, 0, length / 2], role: "collision" },
      ],
    });
  });
  const first = geometries.length;
  geometries.push(
    { kind: "box", size: [0.05, 0.05, 0.22] },
    { kind: "box", size: [0.7, 0.5, 0.03] },
    { kind: "box", size: [0.03, 0.5, 0.62] },
    { kind: "cylinder", radius: 0.18, length: 0.06 },
    { kind: "cylinder", radius: 0.04, length: 0.16 },
  );
  bodies.push(
    { name: "bottle", kind: "attached", group: "arm6", shapes: [{ geometry: first, position: [0, 0, 0.11] }] },
    {
      name: "shelf",
      kind: "obstacle",
      shapes: [0.2, 0.5, 0.8]
        .map((z) => ({ geometry: first + 1, position: [0, 0, z] }))
        .concat([
          { geometry: first + 2, position: [0.34, 0, 0.5] },
          { geometry: first + 2, position: [-0.34, 0, 0.5] },
        ]),
      position: [0.25, 1.68, 0.04],
    },
    { name: "pedestal", kind: "obstacle", shapes: [{ geometry: first + 3 }], position: [0, 0, -0.03] },
    { name: "can", kind: "obstacle", shapes: [{ geometry: first + 4 }], position: [0.38, 1.58, 0.635] },
  );
  const kinematics = (q) => {
    let p = [0, 0, 0];
    let r = [1, 0, 0, 0];
    const poses = [];
    lengths.forEach((length, i) => {
      r = multiply(r, axisAngle(i % 3 === 0 ? [0, 0, 1] : [1, 0, 0], q[i]));
      poses.push([p, r]);
      p = rotate(r, [0, 0, length]).map((c, k) => c + p[k]);
    });
    poses.push([p, r]);
    return poses;
  };
  const waypoints = (seed) =>
    Array.from({ length: 4 }, (_, k) =>
      [
        0.5 - 1.6 * (k / 3) + 0.3 * sin(seed),
        0.5 + 0.35 * k * (0.6 + 0.4 * cos(seed)),
        0.9 - 0.12 * k + 0.2 * sin(2 * seed),
        0.6 * sin(k + seed),
        0.7 - 0.2 * k,
        0.3 * seed,
      ].map((v, i) => (i === 1 || i === 2 || i === 4 ? -v : v)),
    );
  const runs = Array.from({ length: 14 }, (_, index) => {
    const points = waypoints(index * 0.7);
    const per = 12;
    const times = [];
    const poses = [];
    for (let s = 0; s < points.length - 1; s++) {
      for (let k = 0; k <= per; k++) {
        times.push(s + k / per);
        poses.push(kinematics(points[s].map((v, i) => v + (points[s + 1][i] - v) * (k / per))));
      }
    }
    const time = 1.4375;
    const at = poses[times.indexOf(1.4166666666666665) >= 0 ? times.indexOf(1.4166666666666665) : 18];
    const tip = rotate(at[6][1], [0, 0, 0.22]).map((c, k) => c + at[6][0][k]);
    const touch = index % 3 === 0;
    const shared = pack.view(Float64Array.from(times));
    return {
      name: `path ${index + 1}`,
      duration: 3,
      segments: [0, 1, 2, 3],
      answer: touch
        ? {
            answer: "touch",
            time,
            segment: 1,
            toi: 0.4375,
            gap: 8.1e-7,
            bodies: [6, 7],
            parts: ["bottle", "solid"],
            features: ["edge 4", "face 2"],
            points: [tip, tip.map((c, k) => c + [0, 0.004, 0][k])],
            normal: [0, 1, 0],
            marks: [[tip, tip.map((c, k) => c + [0.05, 0, 0][k])], []],
          }
        : index === 7
          ? { answer: "undecided", free_until: 2.25, segment: 2, bodies: [5, 7] }
          : { answer: "free" },
      stats: {
        pairs: 36,
        allowed: 9,
        boxes_apart: 19,
        later: touch ? 3 : 0,
        advanced: touch ? 5 : 8,
        segments: 3,
        iterations: 61,
      },
      motions: poses[0].map((_, body) => ({
        body,
        times: shared,
        positions: pack.view(Float32Array.from(poses.flatMap((p) => p[body][0]))),
        quaternions: pack.view(Float32Array.from(poses.flatMap((p) => p[body][1]))),
      })),
    };
  });
  return header("arm6.urdf · paths.csv", {
    command: "firsttouch path arm6.urdf paths.csv --scene shelf.toml",
    length_unit: "m",
    geometries,
    bodies,
    runs,
    buffers: pack.buffers(),
  });
}

/** A cloth that falls over a ball, with loose edges (a rope) beside it. */
export function cloth(n = 90) {
  const pack = new Pack();
  const sheet = (shape) => grid(n, n, (u, v) => shape(2 * u - 1, 2 * v - 1));
  const flat = sheet((x, y) => [1.3 * x, 1.3 * y, 1.25 + 0.05 * sin(5 * x) * cos(4 * y)]);
  const draped = sheet((x, y) => {
    const r = hypot(x, y);
    const drop = 0.95 * (1 - exp(-1.9 * r * r));
    return [1.3 * x * (1 - 0.22 * drop), 1.3 * y * (1 - 0.22 * drop), 0.74 - drop + 0.09 * r * sin(6 * Math.atan2(y, x))];
  });
  const { box, views } = pack.vertices(flat.positions, draped.positions);
  const toi = 0.36;
  const top = 0.7;
  const document = header("cloth.toml", {
    command: "firsttouch check cloth.toml",
    geometries: [
      {
        kind: "mesh",
        box,
        positions: views[0],
        indices: pack.indices(flat.indices, flat.positions.length / 3),
        frames: { times: [0, 1], positions: views },
      },
      { kind: "sphere", radius: top },
      { kind: "cylinder", radius: 1, length: 0.06 },
      {
        kind: "mesh",
        positions: Array.from({ length: 20 }, (_, i) => [1.7, -1 + i / 9.5, 0.1 * sin(i)]).flat(),
        indices: [],
        edges: Array.from({ length: 19 }, (_, i) => [i, i + 1]).flat(),
        points: [0, 19],
      },
    ],
    bodies: [
      { name: "cloth", kind: "deforming", shapes: [{ geometry: 0 }] },
      { name: "ball", kind: "sphere", shapes: [{ geometry: 1 }] },
      { name: "table", kind: "cylinder", shapes: [{ geometry: 2 }], position: [0, 0, -0.73] },
      { name: "rope", kind: "deforming", shapes: [{ geometry: 3 }], position: [0, 0, -0.6] },
    ],
    runs: [
      {
        duration: 1,
        answer: {
          answer: "touch",
          time: toi,
          gap: 4.4e-16,
          bodies: [0, 1],
          parts: ["tri 8100", "solid"],
          features: ["face 8100", "face 0"],
          points: [
            [0.0, 0.0, 1.065],
            [0.0, 0.0, 1.065],
          ].map(([x, y]) => [x, y, 1.25 + (0.74 - 1.25) * toi]),
          normal: [0, 0, -1],
          marks: [
            [
              [0, 0, 1.0664],
              [0.029, 0, 1.0664],
              [0.029, 0.029, 1.0664],
            ],
            [],
          ],
        },
        stats: { pairs: 6, allowed: 1, boxes_apart: 2, later: 1, advanced: 2, vf_candidates: 18231, ee_candidates: 40212 },
        motions: [],
      },
    ],
  });
  return { ...document, buffers: pack.buffers() };
}

/** A sheet that folds onto itself: one body that touches itself, with several contacts and frames at three times. */
export function deform(n = 40) {
  const pack = new Pack();
  const folded = (amount) =>
    grid(n, n, (u, v) => {
      const x = 2 * u - 1;
      const angle = Math.max(0, x) * PI * amount;
      const r = amount > 0 ? 1 / (PI * amount) : 0;
      return amount > 0 && x > 0 ? [r * sin(angle), 1.2 * v - 0.6, r * (1 - cos(angle))] : [x, 1.2 * v - 0.6, 0];
    });
  const frames = [0, 0.55, 1.35].map((amount) => folded(amount).positions);
  const { box, views } = pack.vertices(...frames);
  const { indices } = folded(0);
  const p = [-0.214, 0, 0];
  const document = header("sheet0.ply → sheet1.ply", {
    command: "firsttouch deform sheet0.ply sheet1.ply --contacts",
    geometries: [
      {
        kind: "mesh",
        box,
        positions: views[0],
        indices: pack.indices(indices, frames[0].length / 3),
        frames: { times: [0, 0.5, 1], positions: views },
      },
    ],
    bodies: [{ name: "sheet", kind: "deforming", shapes: [{ geometry: 0 }] }],
    runs: [
      {
        duration: 1,
        answer: {
          answer: "touch",
          time: 0.96875,
          gap: 2.2e-16,
          bodies: [0, 0],
          parts: ["tri 3160", "tri 1240"],
          features: ["edge 4721", "edge 1873"],
          points: [p, p],
          normal: [0, 0, -1],
          marks: [
            [
              [-0.214, -0.03, 0],
              [-0.214, 0, 0],
            ],
            [
              [-0.23, 0, 0],
              [-0.2, 0, 0],
            ],
          ],
        },
        contacts: [-0.6, -0.3, 0, 0.3, 0.6].map((y) => ({
          points: [
            [-0.214, y, 0],
            [-0.214, y, 0],
          ],
          normal: [0, 0, -1],
          gap: 3e-7,
        })),
        stats: { vf_candidates: 1812, ee_candidates: 4021, iterations: 12 },
        motions: [],
      },
    ],
  });
  return { ...document, buffers: pack.buffers() };
}

/** Ellipsoids: some on rational motions, one that changes its shape. The answer is the start of a pair's overlap. */
export function ellipsoids() {
  const n = 33;
  const times = Array.from({ length: n }, (_, i) => i / (n - 1));
  const geometries = [
    { kind: "ellipsoid", semi_axes: [1, 0.5, 0.5] },
    { kind: "ellipsoid", semi_axes: [0.5, 0.8, 0.4] },
    { kind: "ellipsoid", semi_axes: [1, 1, 1] },
  ];
  const bodies = [
    { name: "egg", kind: "ellipsoid", shapes: [{ geometry: 0 }] },
    { name: "stone", kind: "ellipsoid", shapes: [{ geometry: 1 }], position: [0.4, 0.2, 0] },
    { name: "balloon", kind: "affine", shapes: [{ geometry: 2 }] },
  ];
  for (let i = 0; i < 9; i++)
    bodies.push({
      name: `pebble ${i + 1}`,
      kind: "ellipsoid",
      shapes: [{ geometry: 1, scale: [0.45, 0.45, 0.45] }],
      position: [3.2 * cos(i * 0.7), 3.2 * sin(i * 0.7), -0.6],
      quaternion: axisAngle([0.6, 0, 0.8], i),
    });
  return header("example_1.toml", {
    command: "firsttouch check example_1.toml",
    buffers: [],
    geometries,
    bodies,
    runs: [
      {
        duration: 1,
        answer: {
          answer: "touch",
          time: 0.40625,
          gap: 0,
          bodies: [0, 1],
          parts: ["solid", "solid"],
          features: ["face 0", "face 0"],
          points: [
            [-0.13, 0.14, 0.05],
            [-0.13, 0.14, 0.05],
          ],
          normal: [0.97, 0.2, 0.1],
        },
        pairs: [
          {
            answer: "touch",
            time: 0.40625,
            gap: 0,
            bodies: [0, 1],
            overlaps: [{ from: 0.40625, to: 0.6640625, certain: true }],
            points: [
              [-0.13, 0.14, 0.05],
              [-0.13, 0.14, 0.05],
            ],
            normal: [0.97, 0.2, 0.1],
          },
          { answer: "free", bodies: [1, 2] },
          { answer: "free", bodies: [0, 2] },
        ],
        stats: { pairs: 66, allowed: 0, boxes_apart: 60, later: 3, advanced: 3 },
        motions: [
          {
            body: 0,
            times,
            positions: times.flatMap((t) => [-4 + 8 * t, 0.4 * sin(3 * t), 0]),
            quaternions: times.flatMap((t) => {
              const l = hypot(1, t);
              return [1 / l, 0, 0, t / l];
            }),
          },
          {
            body: 2,
            times,
            positions: times.flatMap((t) => [1.6, 2 - t, 0.8 + 0.5 * t]),
            matrices: times.flatMap((t) => [0.5 + 0.5 * t, 0.2 * t, 0, 0, 0.5, 0, 0, 0.1 * t, 0.9 - 0.5 * t]),
          },
        ],
      },
    ],
  });
}

/** A scanned room as points and as cells of an octree, and a drone that flies through it. */
export function cloud(n = 30000) {
  const pack = new Pack();
  let seed = 7;
  const random = () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 2 ** 32;
  const points = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    const kind = random();
    let p;
    if (kind < 0.45) p = [6 * random() - 3, 4 * random() - 2, 0.01 * random()];
    else if (kind < 0.7) p = [6 * random() - 3, 2 + 0.01 * random(), 2.2 * random()];
    else if (kind < 0.85) p = [-3 + 0.01 * random(), 4 * random() - 2, 2.2 * random()];
    else {
      const a = 2 * PI * random();
      p = [1 + 0.35 * cos(a), 0.2 + 0.35 * sin(a), 1.5 * random()];
    }
    points.set(p, 3 * i);
  }
  const { box, views } = pack.vertices(points);
  const cells = Array.from({ length: 160 }, (_, i) => [
    -1.6 + 0.1 * (i % 8),
    -1.3 + 0.1 * Math.floor((i % 40) / 8),
    0.05 + 0.1 * Math.floor(i / 40),
  ]);
  const cellPack = pack.vertices(Float64Array.from(cells.flat()));
  const document = header("room.ply", {
    command: "firsttouch check room.toml",
    length_unit: "m",
    geometries: [
      { kind: "points", radius: 0.018, box, positions: views[0] },
      { kind: "boxes", box: cellPack.box, positions: cellPack.views[0], sizes: pack.view(Float32Array.from(cells, () => 0.1)) },
      { kind: "box", size: [0.3, 0.3, 0.1] },
      { kind: "cylinder", radius: 0.14, length: 0.025 },
    ],
    bodies: [
      { name: "scan", kind: "points", shapes: [{ geometry: 0 }] },
      { name: "map", kind: "octree", shapes: [{ geometry: 1 }] },
      {
        name: "drone",
        kind: "compound",
        shapes: [
          { geometry: 2 },
          ...[
            [1, 1],
            [1, -1],
            [-1, 1],
            [-1, -1],
          ].map(([x, y]) => ({ geometry: 3, position: [0.26 * x, 0.26 * y, 0.05] })),
        ],
      },
    ],
    runs: [
      {
        duration: 1,
        answer: {
          answer: "touch",
          time: 0.655,
          gap: 2e-7,
          bodies: [0, 2],
          parts: ["point 21043", "solid"],
          features: ["vertex 21043", "edge 3"],
          points: [
            [0.66, 0.26, 1.17],
            [0.655, 0.26, 1.17],
          ],
          normal: [-1, 0, 0],
        },
        stats: { pairs: 3, allowed: 0, boxes_apart: 1, later: 0, advanced: 2, volume_pairs: 511 },
        motions: [
          {
            body: 2,
            times: [0, 0.5, 1],
            positions: [-2.4, -1.2, 0.8, -0.4, -0.2, 1.1, 1.8, 0.6, 1.3],
            quaternions: [turnZ(0), turnZ(0.3), turnZ(0.5)].flat(),
          },
        ],
      },
    ],
  });
  return { ...document, buffers: pack.buffers() };
}

/** Every pair of a small crowd, with overlaps, steps of the search and windows. */
export function all() {
  const names = ["red car", "blue car", "lorry", "bus", "tram"];
  const bodies = names.map((name, i) => ({ name, kind: "box", shapes: [{ geometry: i < 2 ? 0 : 1 }] }));
  bodies.push({ name: "road", kind: "box", shapes: [{ geometry: 2 }], position: [0, 0, -0.56] });
  const ways = [
    [
      [-6, 0],
      [6, 0],
    ],
    [
      [0, -5],
      [0, 5],
    ],
    [
      [6, 3],
      [-6, 1],
    ],
    [
      [-6, -3],
      [6, -2.4],
    ],
    [
      [3, -6],
      [3, 6],
    ],
  ];
  const point = (x, y) => [
    [x, y, 0],
    [x, y, 0],
  ];
  const touch = (a, b, from, to, x, y, certain = true) => ({
    answer: "touch",
    time: from,
    toi: from,
    gap: 1e-9,
    bodies: [a, b],
    parts: ["solid", "solid"],
    features: ["edge 3", "face 1"],
    points: point(x, y),
    normal: [1, 0, 0],
    overlaps: [{ from, to, certain }],
    search: {
      stage: "advanced",
      steps: [0.2, 0.35, 0.43, 0.45].map((s) => s * from * 2),
      windows: [
        { from: 0, to: from * 0.6, by: "boxes" },
        { from: from * 0.6, to: from, by: "advancement" },
      ],
      counts: { iterations: 9, piece_pairs: 3 },
    },
  });
  const pairs = [
    touch(0, 1, 1.62, 2.31, -0.7, 0),
    touch(0, 4, 2.6, 3.2, 2.3, 0),
    touch(1, 2, 2.7, 3.4, 0, 2.1),
    {
      ...touch(2, 4, 1.2, 1.5, 3.2, 2.5),
      overlaps: [
        { from: 1.2, to: 1.5, certain: true },
        { from: 2.9, to: 3.05, certain: false },
      ],
    },
    touch(3, 4, 2.9, 3.4, 2.2, -2.5),
    { answer: "free", bodies: [0, 3], search: { stage: "boxes_apart" } },
    {
      answer: "undecided",
      free_until: 1.9,
      bodies: [1, 3],
      search: { stage: "advanced", steps: [0.5, 1, 1.4, 1.7, 1.9], counts: { iterations: 1000 } },
    },
    { answer: "free", bodies: [0, 2], search: { stage: "advanced", counts: { iterations: 4 } } },
    { answer: "free", bodies: [2, 3], search: { stage: "later" }, free_until: 2 },
    ...names.map((_, i) => ({ answer: "free", bodies: [i, 5], search: { stage: "allowed" } })),
  ];
  const first = pairs[3];
  return header("crossing.toml", {
    command: "firsttouch check crossing.toml --mode all",
    mode: "all",
    time_unit: "s",
    buffers: [],
    geometries: [
      { kind: "box", size: [1.6, 0.8, 0.7] },
      { kind: "box", size: [2.6, 1, 1.1] },
      { kind: "box", size: [14, 14, 0.02] },
    ],
    bodies,
    runs: [
      {
        duration: 4,
        answer: { ...first, overlaps: undefined, search: undefined },
        pairs,
        stats: { pairs: 15, allowed: 5, boxes_apart: 1, later: 1, advanced: 8, iterations: 1043 },
        motions: ways.map(([from, to], body) => ({
          body,
          times: [0, 4],
          positions: [...from, 0, ...to, 0],
          quaternions: [
            turnZ(Math.atan2(to[1] - from[1], to[0] - from[0])),
            turnZ(Math.atan2(to[1] - from[1], to[0] - from[0])),
          ].flat(),
        })),
      },
    ],
  });
}

/** Names that somebody wrote to do harm, or that do not fit. */
export function hostile() {
  const evil = [
    "<script>window.hacked = true</script>",
    "</script><script>window.hacked = true</script>",
    "<img src=x onerror='window.hacked = true'>",
    "<!-- <script>",
    "\u202Egnp.exe\u2066\u0000\u0007",
    "x".repeat(4000),
    "שלום עולם",
    "",
    "   ",
    "👩‍🚀 ünïcode ‮",
    "__proto__",
    "a&amp;b \"quoted\" 'single'",
    "line\nbreak\ttab\u2028",
  ];
  return header(evil[1], {
    command: evil[0],
    time_unit: "<b>s</b>",
    length_unit: "</script>",
    buffers: [],
    geometries: [{ kind: "sphere", radius: 0.4 }],
    bodies: evil.map((name, i) => ({
      name,
      kind: evil[2],
      group: i > 8 ? evil[4] : undefined,
      shapes: [{ geometry: 0 }],
      position: [i % 5, Math.floor(i / 5), 0],
    })),
    runs: [
      {
        name: evil[0],
        duration: 1,
        answer: {
          answer: "touch",
          time: 0.5,
          gap: 0,
          bodies: [0, 5],
          parts: [evil[1], evil[5]],
          features: [evil[2], evil[4]],
          points: [
            [0.4, 0, 0],
            [0.4, 0, 0],
          ],
          normal: [1, 0, 0],
        },
        pairs: [
          {
            answer: "touch",
            time: 0.5,
            bodies: [0, 5],
            search: { stage: "advanced", counts: { "<script>": 3 }, windows: [{ from: 0, to: 0.5, by: evil[0] }] },
          },
        ],
        stats: { pairs: 1, advanced: 1, "<img src=x onerror=alert(1)>": 3 },
        motions: [],
      },
      { name: evil[4], duration: 2, answer: { answer: "free" }, motions: [] },
    ],
  });
}

/** Many triangles: copies of one knot, or several meshes of their own. */
export function many(triangles, { shared = false, encoding } = {}) {
  const pack = new Pack();
  const count = 10;
  const nv = 40;
  const nu = Math.round(triangles / count / (2 * nv));
  const made = knot(nu, nv, 1);
  const geometries = Array.from({ length: shared ? 1 : count }, () => pack.mesh(made));
  return header(`${(2 * nu * nv * count).toLocaleString("en-US")} triangles`, {
    geometries,
    bodies: Array.from({ length: count }, (_, i) => ({
      name: `knot ${i}`,
      kind: "mesh",
      shapes: [{ geometry: shared ? 0 : i }],
      position: [2.8 * (i % 5), 2.8 * Math.floor(i / 5), 0],
    })),
    runs: [
      {
        duration: 1,
        answer: { answer: "free" },
        stats: { pairs: 45, allowed: 0, boxes_apart: 45, later: 0, advanced: 0 },
        motions: [{ body: 0, times: [0, 1], positions: [0, 0, 0, 0, 0, 3], quaternions: [turnZ(0), turnZ(1)].flat() }],
      },
    ],
    buffers: pack.buffers(encoding),
  });
}

/** A thousand bodies, ten robots among them, and two thousand pairs. */
export function crowd() {
  const bodies = [];
  const motions = [];
  for (let i = 0; i < 1000; i++) {
    const at = [2 * (i % 32), 2 * Math.floor(i / 32), 0.5];
    bodies.push({
      name: `body ${i}`,
      kind: "rigid",
      group: i < 100 ? `robot ${Math.floor(i / 10)}` : undefined,
      shapes: [{ geometry: i % 4 }],
      position: at,
    });
    if (i % 3 === 0)
      motions.push({
        body: i,
        times: [0, 1],
        positions: [...at, at[0] + sin(i), at[1] + cos(i), 0.5],
        quaternions: [...turnZ(0), ...turnZ(1.5)],
      });
  }
  const pairs = Array.from({ length: 2000 }, (_, i) => ({
    bodies: [i % 1000, (i * 7 + 1) % 1000],
    ...(i % 50
      ? { answer: "free", search: { stage: "advanced", steps: [0.3, 0.6, 0.8] } }
      : { answer: "touch", time: 0.4 + i / 5000, overlaps: [{ from: 0.4 + i / 5000, to: 0.9, certain: true }] }),
  }));
  return header("crowd", {
    mode: "all",
    buffers: [],
    geometries: [
      { kind: "box", size: [1, 1, 1] },
      { kind: "sphere", radius: 0.5 },
      { kind: "capsule", radius: 0.3, length: 0.5 },
      { kind: "cylinder", radius: 0.4, length: 1 },
    ],
    bodies,
    runs: [
      {
        duration: 1,
        answer: {
          answer: "touch",
          time: 0.4,
          gap: 1e-7,
          bodies: [0, 1],
          parts: ["solid", "solid"],
          features: ["face 1", "face 0"],
          points: [
            [1, 0, 0.5],
            [1, 0, 0.5],
          ],
          normal: [1, 0, 0],
        },
        pairs,
        stats: { pairs: 499500, allowed: 0, boxes_apart: 497500, later: 0, advanced: 2000 },
        motions,
      },
    ],
  });
}

/** The largest that a number of triangles gets: no vertex is shared, and each has two frames. */
export function soup(triangles, { frames = 2, encoding } = {}) {
  const pack = new Pack();
  const { positions, indices } = knot(Math.round(triangles / 80), 40);
  const corners = Float64Array.from(
    { length: 3 * indices.length },
    (_, i) => positions[3 * indices[Math.floor(i / 3)] + (i % 3)],
  );
  const moved = corners.map((v, i) => v * 1.5 + 0.2 * sin(i));
  const { box, views } = pack.vertices(...(frames === 2 ? [corners, moved] : [corners]));
  const list = pack.indices(
    Uint32Array.from(indices, (_, i) => i),
    indices.length,
  );
  const geometry = {
    kind: "mesh",
    box,
    positions: views[0],
    indices: list,
    ...(frames === 2 && { frames: { times: [0, 1], positions: views } }),
  };
  return header("soup", {
    geometries: [geometry],
    bodies: [{ name: "soup", kind: "deforming", shapes: [{ geometry: 0 }] }],
    runs: [{ duration: 1, answer: { answer: "free" }, motions: [] }],
    buffers: pack.buffers(encoding),
  });
}

export const KINDS = { rigid, free, robot, cloth, deform, ellipsoids, cloud, all, hostile };
