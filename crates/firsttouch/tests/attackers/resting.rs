//! Attacks on contacts at the start that are left out: boxes and sheets given as meshes. They touch at the start in all
//! the ways that hide depth from pairs of triangles.
//!
//! [`run`] panics with the story at the first broken promise. Each round is one of:
//! - *boxes*: two boxes, many of them with sizes and places on a coarse grid, so that walls, edges and corners lie in
//!   common planes, lines and points; all of them turned or not; resting, sliding, pressing, turning and parting. Their
//!   depth is known from the separating axes, and is sampled;
//! - *polytopes*: a random convex body and its mirror image in one of its faces, or another one with a corner in that
//!   face: slanted walls that meet at the rim of a common face. Their depth is sampled as well;
//! - *sheets*: two open sheets, one a little above the other, that move by each other. The time at which one is below
//!   the other by the tolerance is known.
//!
//! Both in units of length from 2^-280 to 2^280.

use firsttouch::motion::{Motion, Pose, PoseAt, RigidMotion};
use firsttouch::shape::{Hull, Mesh, Shape};
use firsttouch::{Answer, Body, Mode, Options, Scene, Start};
use glam::{DQuat, DVec3, dvec3};

use super::random::Random;

/// Counts of the rounds by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    /// Boxes that part at some time.
    pub(crate) parted: usize,
    /// Touches of boxes that have parted before, or are deeper than at the start by half of the tolerance or more.
    pub(crate) tight: usize,
    /// Touches of boxes.
    pub(crate) pressed: usize,
    /// Boxes with sides in common planes.
    pub(crate) flush: usize,
    /// Polytopes, and those that touch.
    pub(crate) polytopes: [usize; 2],
    /// Sheets: the number that would pass through, and the number that are free.
    pub(crate) sheets: [usize; 3],
}

/// Attacks `rounds` times.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(round as u64));
        let name = format!("seed {seed}, round {round}");
        match below(&mut random, 4) {
            0 => sheets(&mut random, &mut counts, &name),
            1 => polytopes(&mut random, &mut counts, &name),
            _ => boxes(&mut random, &mut counts, &name),
        }
    }
    counts
}

fn below(random: &mut Random, n: usize) -> usize {
    (random.next() % n as u64) as usize
}

/// Returns the surface of a box whose sides are grids of `cells` by `cells` squares.
pub(crate) fn box_mesh(half: DVec3, cells: usize) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = |i: usize, j: usize| {
                let along = |k: usize| -1.0 + 2.0 * k as f64 / cells as f64;
                let mut p = DVec3::ZERO;
                (p[axis], p[u], p[v]) = (sign, along(i), along(j));
                p * half
            };
            grid(cells, corner, &mut points, &mut triangles);
        }
    }
    Mesh::new(points, triangles).expect("a mesh")
}

/// Adds a grid of squares, two triangles each.
pub(crate) fn grid(
    cells: usize,
    corner: impl Fn(usize, usize) -> DVec3,
    points: &mut Vec<DVec3>,
    triangles: &mut Vec<[u32; 3]>,
) {
    for i in 0..cells {
        for j in 0..cells {
            let first = points.len() as u32;
            points.extend([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
}

/// Returns a sheet at z = 0.
pub(crate) fn sheet(half: [f64; 2], cells: usize) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let along = |k: usize| -1.0 + 2.0 * k as f64 / cells as f64;
    let corner = |i: usize, j: usize| dvec3(half[0] * along(i), half[1] * along(j), 0.0);
    grid(cells, corner, &mut points, &mut triangles);
    Mesh::new(points, triangles).expect("a mesh")
}

pub(crate) fn two(a: impl Into<Shape>, motion_a: Motion, b: impl Into<Shape>, motion_b: Motion) -> Scene {
    let mut scene = Scene::default();
    scene.add(Body::new("a", a, motion_a)).expect("a body");
    scene.add(Body::new("b", b, motion_b)).expect("another body");
    scene
}

/// Returns the separation of two boxes, negative for the depth of an overlap, by the separating axes: normals of faces
/// and of pairs of edges.
pub(crate) fn separation(halves: [DVec3; 2], poses: [PoseAt; 2]) -> f64 {
    let [a, b] = poses.map(|pose| [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis]);
    let mut axes: Vec<DVec3> = a.iter().chain(&b).copied().collect();
    for x in a {
        for y in b {
            // Edges that are nearly parallel matter too. Any direction gives a bound of the depth, also one that is
            // mostly rounding.
            axes.extend(x.cross(y).try_normalize());
        }
    }
    let between = poses[1].translation - poses[0].translation;
    let along = |n: DVec3| {
        let extent =
            |frame: [DVec3; 3], half: DVec3| (0..3).map(|k| half[k] * frame[k].dot(n).abs()).sum::<f64>();
        between.dot(n).abs() - extent(a, halves[0]) - extent(b, halves[1])
    };
    axes.into_iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

fn pose(position: DVec3, rotation: DQuat) -> Pose {
    Pose::new(position, rotation).expect("a pose")
}

fn rotation(random: &mut Random) -> DQuat {
    let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
    DQuat::from_xyzw(x, y, z, w + 1e-3).normalize()
}

/// Returns the unit of length: a power of two.
fn unit(random: &mut Random) -> f64 {
    if below(random, 3) > 0 { 1.0 } else { 2.0_f64.powi(below(random, 561) as i32 - 280) }
}

fn options(random: &mut Random, unit: f64) -> Options {
    let mode = [Mode::First, Mode::First, Mode::Any, Mode::All][below(random, 4)];
    let tolerance = unit * [1e-6, 1e-6, 1e-4, 1e-8][below(random, 4)];
    Options { mode, tolerance, start: Start::Ignore, ..Options::default() }
}

fn boxes(random: &mut Random, counts: &mut Counts, name: &str) {
    let unit = unit(random);
    let options = options(random, unit);
    let tolerance = options.tolerance;
    let cells = 1 + below(random, 2);
    let is_flush = below(random, 4) > 0;
    // On a grid of quarters walls, edges and corners meet.
    let size = |random: &mut Random| {
        unit * if is_flush { 0.25 * (1 + below(random, 3)) as f64 } else { random.range(0.3, 1.0) }
    };
    let halves = [0, 1].map(|_| dvec3(size(random), size(random), size(random)));
    let wanted = [0.0, 0.0, 0.5, -0.2][below(random, 4)] * tolerance;
    // The direction of separation at the start, in the common frame.
    let frame = if below(random, 2) == 0 { DQuat::IDENTITY } else { rotation(random) };
    let (lower, from, turn, up) = if is_flush {
        let aside = |random: &mut Random, k: usize| {
            let most = halves[0][k] + halves[1][k];
            (unit * (0.25 * below(random, 13) as f64 - 1.5)).clamp(-most, most)
        };
        let place = dvec3(aside(random, 0), aside(random, 1), halves[0].z + halves[1].z + wanted);
        (frame, frame * place, frame, frame * DVec3::Z)
    } else {
        let (lower, turn) = (rotation(random), rotation(random));
        let way = (random.vector(1.0) + 1e-3 * DVec3::X).normalize();
        let at = |p: DVec3, q: DQuat| Motion::fixed(pose(p, q)).pose_at(0.0);
        let depth = |x: f64| separation(halves, [at(DVec3::ZERO, lower), at(x * way, turn)]);
        let (mut near, mut far) = (0.0, 8.0 * unit);
        for _ in 0..80 {
            let middle = 0.5 * (near + far);
            if depth(middle) < wanted { near = middle } else { far = middle }
        }
        (lower, near * way, turn, way)
    };
    let scale = [tolerance, 1e-3 * unit, 0.5 * unit][below(random, 3)];
    let any = random.vector(scale);
    let along = any.dot(up) * up;
    let shift = match below(random, 4) {
        0 => -along.dot(up).abs() * up,
        1 => any - along,
        2 => any - along + along.dot(up).abs() * up,
        _ => any,
    };
    let axis = if below(random, 2) == 0 { up } else { (random.vector(1.0) + 1e-3 * DVec3::X).normalize() };
    let spin = if below(random, 2) == 0 { 0.0 } else { scale / unit * random.range(0.0, 1.0) };
    let (start, end) = (pose(from, turn), pose(from + shift, DQuat::from_axis_angle(axis, spin) * turn));
    let lower = pose(DVec3::ZERO, lower);
    let motion = match below(random, 4) {
        0 => Motion::screw(start, end),
        1 => Motion::contact_screw(start, end),
        _ => Motion::linear(start, end),
    };
    // Either may be the one that moves.
    let is_swapped = below(random, 2) == 0;
    let mut motions = [Motion::fixed(lower), motion];
    let mut sizes = halves;
    if is_swapped {
        motions.reverse();
        sizes.reverse();
    }
    let at_time = |t: f64| separation(sizes, [motions[0].pose_at(t), motions[1].pose_at(t)]);
    let begin = at_time(0.0);
    let meshes = sizes.map(|half| box_mesh(half, cells));
    let [a, b] = meshes;
    let found =
        two(a, motions[0].clone(), b, motions[1].clone()).check(&options).expect("valid options").answer;
    let story = || format!("{name}: {sizes:?} {motions:?} {options:?}: {found:?}");
    let proven = found.free_until(1.0);
    let mut opened = false;
    for k in 0..=500 {
        // More often near the start.
        let t = (f64::from(k) / 500.0).powi(2);
        if t >= proven && t > 0.0 {
            break;
        }
        let now = at_time(t);
        opened |= now > begin.max(0.0) + 4.0 * tolerance;
        let rounding = 1e-12 * unit;
        let least = if opened { -rounding } else { begin.min(0.0) - tolerance * (1.0 + 1e-6) - rounding };
        assert!(now >= least, "{now:e} at {t}, {begin:e} at the start, {}", story());
    }
    counts.parted += usize::from(opened);
    counts.flush += usize::from(is_flush);
    match &found {
        Answer::Free => counts.free += 1,
        Answer::TouchingAtStart(_) => counts.at_start += 1,
        Answer::Undecided { .. } => counts.undecided += 1,
        Answer::Touch(touch) => {
            counts.touch += 1;
            counts.pressed += 1;
            counts.tight += usize::from(opened || at_time(touch.toi) < begin - 0.5 * tolerance);
            assert!(touch.gap <= tolerance, "{}", story());
        }
    }
}

/// A convex body by its corners, the normals of its faces and its edges.
struct Polytope {
    corners: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
    mesh: Mesh,
}

impl Polytope {
    /// Returns the hull of points, if it has volume.
    fn new(points: &[DVec3]) -> Option<Polytope> {
        let hull = Hull::new(points).ok().filter(|hull| hull.dimension() == 3)?;
        let corners = hull.vertices().to_vec();
        let normal = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|v| corners[v as usize]);
            (b - a).cross(c - a).try_normalize()
        };
        let normals = hull.faces().iter().filter_map(normal).collect();
        let edges = hull.edges().iter().map(|&[a, b]| corners[b as usize] - corners[a as usize]).collect();
        let mesh = Mesh::new(corners.clone(), hull.faces().to_vec()).ok()?;
        Some(Polytope { corners, normals, edges, mesh })
    }

    fn extent(&self, pose: &PoseAt, n: DVec3) -> [f64; 2] {
        let along = self.corners.iter().map(|p| pose.apply(*p).dot(n));
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    }
}

/// Like [`separation`], for two polytopes.
fn separation_of(bodies: &[Polytope; 2], poses: [PoseAt; 2]) -> f64 {
    let turned = |k: usize, n: &DVec3| poses[k].rotation * *n;
    let mut axes: Vec<DVec3> = Vec::new();
    for (k, body) in bodies.iter().enumerate() {
        axes.extend(body.normals.iter().map(|n| turned(k, n)));
    }
    for a in &bodies[0].edges {
        for b in &bodies[1].edges {
            axes.extend(turned(0, &a.normalize()).cross(turned(1, &b.normalize())).try_normalize());
        }
    }
    let along = |n: &DVec3| {
        let [a, b] = [0, 1].map(|k| bodies[k].extent(&poses[k], *n));
        (b[0] - a[1]).max(a[0] - b[1])
    };
    axes.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

fn polytopes(random: &mut Random, counts: &mut Counts, name: &str) {
    let options = options(random, 1.0);
    let tolerance = options.tolerance;
    let cloud = |random: &mut Random| -> Vec<DVec3> {
        (0..5 + below(random, 4)).map(|_| (random.vector(1.0) * 8.0).round() / 8.0).collect()
    };
    let Some(first) = Polytope::new(&cloud(random)) else { return };
    let n = first.normals[below(random, first.normals.len())];
    let height = first.corners.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
    let on_face: Vec<DVec3> = first.corners.iter().copied().filter(|p| p.dot(n) > height - 1e-9).collect();
    let wanted = [0.0, 0.0, 0.5, -0.2][below(random, 4)] * tolerance;
    // The first corner of the second body is in the face, or near it.
    let points: Vec<DVec3> = if below(random, 3) > 0 {
        first.corners.iter().map(|p| *p + n * (2.0 * (height - p.dot(n)) + wanted)).collect()
    } else {
        let other = cloud(random);
        let lowest = *other.iter().min_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).expect("some");
        let target = on_face.iter().sum::<DVec3>() / on_face.len() as f64;
        other.iter().map(|p| *p - lowest + target + n * wanted).collect()
    };
    let Some(second) = Polytope::new(&points) else { return };
    let scale = [tolerance, 1e-3, 0.5][below(random, 3)];
    let any = random.vector(scale);
    let along = any.dot(n) * n;
    let shift = match below(random, 4) {
        0 => -along.dot(n).abs() * n,
        1 => any - along,
        2 => any - along + along.dot(n).abs() * n,
        _ => any,
    };
    let axis = if below(random, 2) == 0 { n } else { (random.vector(1.0) + 1e-3 * DVec3::X).normalize() };
    let spin = if below(random, 2) == 0 { 0.0 } else { scale * random.range(0.0, 1.0) };
    let frame = if below(random, 2) == 0 { DQuat::IDENTITY } else { rotation(random) };
    let turn = frame * DQuat::from_axis_angle(axis, spin);
    let motions = [
        Motion::fixed(pose(DVec3::ZERO, frame)),
        Motion::linear(pose(DVec3::ZERO, frame), pose(frame * shift, turn)),
    ];
    let bodies = [first, second];
    let at_time = |t: f64| separation_of(&bodies, [motions[0].pose_at(t), motions[1].pose_at(t)]);
    let begin = at_time(0.0);
    let meshes = [0, 1].map(|k| bodies[k].mesh.clone());
    let [a, b] = meshes;
    let scene = two(a, motions[0].clone(), b, motions[1].clone());
    let found = scene.check(&options).expect("valid options").answer;
    let story = || {
        let corners = [0, 1].map(|k| &bodies[k].corners);
        format!("{name}: {corners:?} {motions:?} {options:?}: {found:?}")
    };
    let proven = found.free_until(1.0);
    let mut opened = false;
    for k in 0..=120 {
        let t = (f64::from(k) / 120.0).powi(2);
        if t >= proven && t > 0.0 {
            break;
        }
        let now = at_time(t);
        opened |= now > begin.max(0.0) + 4.0 * tolerance;
        let least = if opened { -1e-12 } else { begin.min(0.0) - tolerance * (1.0 + 1e-6) - 1e-12 };
        assert!(now >= least, "{now:e} at {t}, {begin:e} at the start, {}", story());
    }
    counts.parted += usize::from(opened);
    counts.polytopes[0] += 1;
    match &found {
        Answer::Free => counts.free += 1,
        Answer::TouchingAtStart(_) => counts.at_start += 1,
        Answer::Undecided { .. } => counts.undecided += 1,
        Answer::Touch(touch) => {
            counts.touch += 1;
            counts.polytopes[1] += 1;
            counts.pressed += 1;
            counts.tight += usize::from(opened || at_time(touch.toi) < begin - 0.5 * tolerance);
            assert!(touch.gap <= tolerance, "{}", story());
        }
    }
}

fn sheets(random: &mut Random, counts: &mut Counts, name: &str) {
    let unit = unit(random);
    let options = options(random, unit);
    let tolerance = options.tolerance;
    let cells = 1 + below(random, 3);
    let size = |random: &mut Random| unit * 0.25 * (1 + below(random, 4)) as f64;
    let halves = [0, 1].map(|_| [size(random), size(random)]);
    let frame = if below(random, 2) == 0 { DQuat::IDENTITY } else { rotation(random) };
    let aside = |random: &mut Random, k: usize| {
        let most = halves[0][k] + halves[1][k];
        (unit * (0.25 * below(random, 13) as f64 - 1.5)).clamp(-most, most)
    };
    let gap = tolerance * random.range(0.01, 0.9);
    let from = dvec3(aside(random, 0), aside(random, 1), gap);
    // The second one may be tilted a little, so that it crosses the first at the start.
    let tilt = [0.0, 0.0, random.range(-1.0, 1.0) * tolerance / unit][below(random, 3)];
    let far = [10.0 * tolerance, 0.5 * unit, 2.0 * unit][below(random, 3)];
    let mut shift = random.vector(far);
    match below(random, 4) {
        _ if tilt != 0.0 => (shift.x, shift.y) = (0.0, 0.0),
        0 => (shift.x, shift.y) = (0.0, 0.0),
        1 => shift.z = 0.0,
        _ => {}
    }
    let tilted = frame * DQuat::from_rotation_y(tilt);
    let motion = Motion::linear(pose(frame * from, tilted), pose(frame * (from + shift), tilted));
    let [a, b] = halves.map(|half| sheet(half, cells));
    let scene = two(a, Motion::fixed(pose(DVec3::ZERO, frame)), b, motion);
    let found = scene.check(&options).expect("valid options").answer;
    let story = || {
        format!(
            "{name}: {halves:?} from {from} by {shift}, tilted by {tilt:e}, in {frame} {options:?}: {found:?}"
        )
    };
    counts.sheets[0] += 1;
    match &found {
        Answer::Free => counts.free += 1,
        Answer::TouchingAtStart(_) => counts.at_start += 1,
        Answer::Undecided { .. } => counts.undecided += 1,
        Answer::Touch(touch) => {
            counts.touch += 1;
            assert!(touch.gap <= tolerance, "{}", story());
        }
    }
    // Returns when the second sheet comes into the plane of the first, and when all of it is below by the tolerance and
    // the depth at the start.
    let overlap = |t: f64| {
        let at = from + shift * t;
        (0..2).map(|k| halves[0][k] + halves[1][k] - at[k].abs()).fold(f64::INFINITY, f64::min)
    };
    // The heights of the second sheet over the first, at the start.
    let ends = [1.0, -1.0].map(|sign| {
        let x = (from.x + sign * halves[1][0]).clamp(-halves[0][0], halves[0][0]);
        gap - tilt * (x - from.x)
    });
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let depth = (-low).max(0.0);
    let below_all = if tilt == 0.0 { 0.0 } else { high + depth };
    let deep = (below_all + tolerance * (1.0 + 1e-6) + 1e-12 * unit) / -shift.z;
    // It is clearly on the upper side at the start.
    let through = shift.z < 0.0 && deep <= 1.0 && depth < 0.5 * high;
    let level = (low / -shift.z).max(0.0);
    // It passes through, and not around the side, if both are well inside each other all the while.
    if through && (0..=8).all(|k| overlap(level + (deep - level) * f64::from(k) / 8.0) > 2.0 * tolerance) {
        counts.sheets[1] += 1;
        assert!(found.free_until(1.0) <= deep, "below by the tolerance at {deep}, {}", story());
        assert_ne!(found, Answer::Free, "{}", story());
    }
    if shift.z >= 0.0 {
        counts.sheets[2] += usize::from(found == Answer::Free);
    }
}
