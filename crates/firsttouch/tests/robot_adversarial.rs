//! Robots against adversarial inputs: walls that the path of one point enters by a tiny amount, clutter judged by
//! brute force at many instants, numbers at the ends of their range. All positions come from textbook formulas, not
//! from the library.

use super::provers::{by_bisection, by_boxes};
use super::random;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Mimic, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{Capsule, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DAffine3, DQuat, DVec3};
use random::Random;

impl Random {
    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
    /// From `low` to `high`, every order of magnitude equally likely.
    fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }
}

/// Triangles or one segment, swept by a ball: the oracle's description of a shape.
#[derive(Clone)]
struct Piece {
    corners: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
    radius: f64,
}

impl Piece {
    fn capsule(radius: f64, length: f64) -> Piece {
        let end = DVec3::Z * (0.5 * length);
        Piece { corners: vec![-end, end], triangles: vec![[0, 1, 1]], radius }
    }

    fn shape(&self) -> Shape {
        if let [a, b] = self.corners[..]
            && self.radius > 0.0
        {
            return Capsule::new(self.radius, (b - a).length()).unwrap().into();
        }
        let triangles = self.triangles.iter().map(|t| t.map(|v| v as u32)).collect();
        Mesh::new(self.corners.clone(), triangles).unwrap().into()
    }

    fn placed(&self, place: &DAffine3) -> Piece {
        let corners = self.corners.iter().map(|v| place.transform_point3(*v)).collect();
        Piece { corners, ..self.clone() }
    }

    fn triangle(&self, k: usize) -> [DVec3; 3] {
        self.triangles[k].map(|v| self.corners[v])
    }

    /// Returns the distance of two pieces in one frame, exact except for rounding; 0 if surfaces cross.
    fn distance(&self, other: &Piece) -> f64 {
        let mut least = f64::INFINITY;
        for i in 0..self.triangles.len() {
            for j in 0..other.triangles.len() {
                least = least.min(triangle_distance(&self.triangle(i), &other.triangle(j)));
            }
        }
        least - self.radius - other.radius
    }

    /// Returns a ball around it.
    fn ball(&self) -> (DVec3, f64) {
        let center = self.corners.iter().sum::<DVec3>() / self.corners.len() as f64;
        let radius = self.corners.iter().fold(0.0_f64, |most, v| most.max((*v - center).length()));
        (center, radius + self.radius)
    }
}

fn segment_distance([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    // The closest of: each end to the other segment, and the closest points of the two lines if those are inside.
    let to_segment = |x: DVec3, a: DVec3, b: DVec3| {
        let along = b - a;
        let t = if along == DVec3::ZERO { 0.0 } else { (x - a).dot(along) / along.length_squared() };
        (x - (a + along * t.clamp(0.0, 1.0))).length()
    };
    let ends = to_segment(p, r, s).min(to_segment(q, r, s)).min(to_segment(r, p, q)).min(to_segment(s, p, q));
    let (d, e, w) = (q - p, s - r, p - r);
    let (a, b, c) = (d.dot(d), d.dot(e), e.dot(e));
    let determinant = a * c - b * b;
    if determinant <= 1e-14 * a * c {
        return ends;
    }
    let t = (b * e.dot(w) - c * d.dot(w)) / determinant;
    let u = (a * e.dot(w) - b * d.dot(w)) / determinant;
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
        ends.min((w + d * t - e * u).length())
    } else {
        ends
    }
}

fn triangle_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..3 {
        for j in 0..3 {
            least = least.min(segment_distance([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]));
        }
    }
    for (points, [p, q, r]) in [(a, b), (b, a)] {
        let normal = (*q - *p).cross(*r - *p);
        if normal == DVec3::ZERO {
            continue;
        }
        let inside = |x: DVec3| {
            [(p, q), (q, r), (r, p)].iter().all(|(u, v)| (**v - **u).cross(x - **u).dot(normal) >= 0.0)
        };
        let heights = points.map(|x| (x - *p).dot(normal) / normal.length());
        for k in 0..3 {
            if inside(points[k]) {
                least = least.min(heights[k].abs());
            }
            let l = (k + 1) % 3;
            if heights[k] * heights[l] < 0.0 {
                let crossing = points[k] + (points[l] - points[k]) * (heights[k] / (heights[k] - heights[l]));
                if inside(crossing) {
                    return 0.0;
                }
            }
        }
    }
    least
}

/// Returns a shape of random kind, of about a given size.
fn random_piece(random: &mut Random, size: f64) -> Piece {
    let soup = |random: &mut Random, count: usize| {
        let mut corners = Vec::new();
        for k in 0..count {
            let [a, b, c] = [0; 3].map(|_| random.vector(size));
            // Some triangles are segments, some are points.
            corners.extend([a, if k % 7 == 5 { a } else { b }, if k % 5 >= 3 { a } else { c }]);
        }
        let triangles = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        Piece { corners, triangles, radius: 0.0 }
    };
    match random.below(7) {
        0 => Piece::capsule(random.range(0.01, 0.3) * size, size),
        1 => Piece::capsule(1e-3 * size, 1e-6 * size),
        2 => soup(random, 1),
        3 => soup(random, 6),
        4 => {
            // Far from its own origin, and the middle of its box is farther than any corner.
            let far = |v: DVec3| v * size;
            let (high, low) = (0.816, 0.408);
            let corners = vec![
                far(DVec3::new(high, low, low)),
                far(DVec3::new(low, high, low)),
                far(DVec3::new(low, low, high)),
            ];
            Piece { corners, triangles: vec![[0, 1, 2]], radius: 0.0 }
        }
        5 => {
            // A flat grid: all in one plane.
            let at = |i: usize, j: usize| DVec3::new(i as f64 / 3.0, j as f64 / 3.0, 0.5) * size;
            let corners = (0..16).map(|k| at(k % 4, k / 4)).collect();
            let cell = |k: usize| {
                let v = k % 3 + 4 * (k / 3);
                [[v, v + 1, v + 4], [v + 1, v + 5, v + 4]]
            };
            Piece { corners, triangles: (0..9).flat_map(cell).collect(), radius: 0.0 }
        }
        _ => {
            // A bent pipe: its hull fills in most of the space, so the sieve halves it.
            let (around, along) = (4, 9);
            let at = |i: usize, j: usize| {
                let (turn, tube) = (i as f64 * 0.5, j as f64 * std::f64::consts::FRAC_PI_2);
                let out = 1.0 + 0.15 * tube.cos();
                DVec3::new(out * turn.cos(), out * turn.sin(), 0.15 * tube.sin()) * size
            };
            let corners = (0..=along).flat_map(|i| (0..around).map(move |j| at(i, j))).collect();
            let cell = |k: usize| {
                let (i, j) = (k / around, k % around);
                let v = |i: usize, j: usize| i * around + j % around;
                [[v(i, j), v(i + 1, j), v(i, j + 1)], [v(i + 1, j), v(i + 1, j + 1), v(i, j + 1)]]
            };
            Piece { corners, triangles: (0..along * around).flat_map(cell).collect(), radius: 0.0 }
        }
    }
}

/// The description of a robot, for the independent formulas.
#[derive(Clone)]
struct Described {
    names: Vec<String>,
    joints: Vec<Joint>,
    /// The parts of each link, with their placements in it.
    parts: Vec<Vec<(Piece, Pose)>>,
}

/// A robot and its motion.
#[derive(Clone)]
struct Way {
    described: Described,
    robot: Robot,
    base: Pose,
    from: Vec<f64>,
    to: Vec<f64>,
}

fn affine(pose: &Pose) -> DAffine3 {
    DAffine3::from_rotation_translation(pose.rotation(), pose.translation())
}

/// Returns a tree of joints of every kind without any parts; `branching` of 1 is a chain.
fn random_tree(random: &mut Random, links: usize, branching: u64, size: f64) -> Described {
    let names = (0..links).map(|i| format!("link{i}")).collect();
    let mut joints: Vec<Joint> = Vec::new();
    for i in 1..links {
        let parent = i - 1 - (random.below(branching) as usize) % i;
        let axis = match random.below(3) {
            0 => DVec3::Z,
            1 => random.vector(1.0) + DVec3::splat(1e-3),
            _ => DVec3::X * 1e-9,
        };
        let kind = match random.below(10) {
            0..=3 => JointKind::Revolute { axis },
            4..=6 => JointKind::Prismatic { axis },
            7 => JointKind::Fixed,
            8 => JointKind::Planar { normal: axis },
            _ => JointKind::Floating,
        };
        let alike = |a: &JointKind| {
            matches!(
                (a, kind),
                (JointKind::Revolute { .. }, JointKind::Revolute { .. })
                    | (JointKind::Prismatic { .. }, JointKind::Prismatic { .. })
            )
        };
        let followed = joints.iter().rev().find(|joint| joint.mimic.is_none() && alike(&joint.kind));
        let (multiplier, offset) = (random.range(-3.0, 3.0), random.range(-1.0, 1.0) * size.min(1.0));
        let mimic = followed.map(|joint| Mimic { joint: joint.name.clone(), multiplier, offset });
        let origin = match random.below(4) {
            0 => Pose::IDENTITY,
            1 => Pose::from_translation(random.vector(0.5 * size)).unwrap(),
            _ => random.pose(0.5 * size),
        };
        joints.push(Joint {
            name: format!("joint{i}"),
            parent: format!("link{parent}"),
            child: format!("link{i}"),
            origin,
            kind,
            limits: None,
            mimic: mimic.filter(|_| random.chance(3)),
        });
    }
    Described { names, joints, parts: vec![Vec::new(); links] }
}

impl Described {
    fn robot(&self) -> Robot {
        let links = self.names.iter().zip(&self.parts).map(|(name, parts)| {
            let part = |(piece, pose): &(Piece, Pose)| LinkPart { shape: piece.shape(), pose: *pose };
            (name.clone(), parts.iter().map(part).collect())
        });
        Robot::new("hostile", links.collect(), self.joints.clone()).unwrap()
    }

    /// Returns a random motion; angles go up to `turn`, slides to `slide`.
    fn way(self, random: &mut Random, base: Pose, turn: f64, slide: f64) -> Way {
        let robot = self.robot();
        let is_turn = |name: &str| {
            let of = self.joints.iter().find(|joint| joint.name == *name);
            name.ends_with("/theta") || of.is_some_and(|j| matches!(j.kind, JointKind::Revolute { .. }))
        };
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for variable in robot.variables() {
            let [start, end] = if variable.name.contains("/rot_") {
                [0; 2].map(|_| variable.zero + random.range(-1.0, 1.0))
            } else if is_turn(&variable.name) {
                let start = random.range(-3.0, 3.0);
                [start, if random.chance(5) { start } else { start + random.range(-turn, turn) }]
            } else {
                [0; 2].map(|_| random.range(-slide, slide))
            };
            from.push(start);
            to.push(end);
        }
        Way { described: self, robot, base, from, to }
    }
}

impl Way {
    /// Returns the placements of the links, in the order of their description, by textbook formulas.
    fn places(&self, t: f64) -> Vec<DAffine3> {
        let Described { joints, names, .. } = &self.described;
        let mut places = vec![affine(&self.base)];
        for joint in joints {
            let parent = names.iter().position(|name| *name == joint.parent).unwrap();
            let value = |suffix: &str| {
                let (name, scale, shift) = match &joint.mimic {
                    Some(mimic) => (mimic.joint.clone(), mimic.multiplier, mimic.offset),
                    None => (format!("{}{suffix}", joint.name), 1.0, 0.0),
                };
                let i = self.robot.variable(&name).unwrap();
                [self.from[i] * scale + shift, self.to[i] * scale + shift]
            };
            let lerp = |[a, b]: [f64; 2]| a + (b - a) * t;
            let local = match joint.kind {
                JointKind::Fixed => DAffine3::IDENTITY,
                JointKind::Revolute { axis } => DAffine3::from_axis_angle(axis.normalize(), lerp(value(""))),
                JointKind::Prismatic { axis } => {
                    DAffine3::from_translation(axis.normalize() * lerp(value("")))
                }
                JointKind::Planar { normal } => {
                    let normal = normal.normalize();
                    let x = if normal.z.abs() > 0.9 { DVec3::X } else { DVec3::Z };
                    let x = (x - normal * x.dot(normal)).normalize();
                    let shift = x * lerp(value("/x")) + normal.cross(x) * lerp(value("/y"));
                    DAffine3::from_translation(shift)
                        * DAffine3::from_axis_angle(normal, lerp(value("/theta")))
                }
                JointKind::Floating => {
                    let end = |k: usize| {
                        let v = |suffix: &str| value(suffix)[k];
                        let q = DQuat::from_xyzw(v("/rot_x"), v("/rot_y"), v("/rot_z"), v("/rot_w"));
                        (DVec3::new(v("/trans_x"), v("/trans_y"), v("/trans_z")), q.normalize())
                    };
                    let ((p, q), (r, s)) = (end(0), end(1));
                    // Not `slerp`, which is a chord for small rotations.
                    let (axis, angle) = (if q.dot(s) < 0.0 { -s } else { s } * q.conjugate()).to_axis_angle();
                    DAffine3::from_rotation_translation(
                        DQuat::from_axis_angle(axis, angle * t) * q,
                        p.lerp(r, t),
                    )
                }
                _ => unreachable!("no robot here has a joint of another kind"),
            };
            let place = places[parent] * affine(&joint.origin) * local;
            places.push(place);
        }
        places
    }

    /// Returns the robot as a body of a scene, with the obstacles.
    fn scene(&self, obstacles: &[Body]) -> Scene {
        let step = RobotStep::new(self.robot.clone(), self.base, self.from.clone(), self.to.clone()).unwrap();
        let mut scene = Scene::default();
        scene.add(Body::robot("robot", step)).unwrap();
        for (k, body) in obstacles.iter().enumerate() {
            scene.add(body.clone()).unwrap();
            for other in &obstacles[..k] {
                scene.allow(body.name(), other.name()).unwrap();
            }
        }
        scene
    }

    /// Returns the answers of all query routes, by name; the slow ones only if requested.
    fn answers(&self, obstacles: &[Body], options: &Options, slow: bool) -> Vec<(&'static str, Answer)> {
        let checker = Checker::new(self.robot.clone(), self.base, obstacles.to_vec()).unwrap();
        let windows = |options| checker.check_step(&self.from, &self.to, options).unwrap().answer;
        let any = Options { mode: Mode::Any, ..*options };
        let mut answers = vec![("windows", windows(options)), ("any", windows(&any))];
        if slow {
            answers.push(("scene", self.scene(obstacles).check(options).unwrap().answer));
            for by in [by_boxes, by_bisection] {
                let found = by(&checker, [&self.from, &self.to], options);
                answers.extend(found.into_iter().map(|(name, answer)| (name, answer.unwrap())));
            }
        }
        answers
    }
}

/// Returns a closed box of triangles between two corners, in a frame given by an affine map.
fn wall_piece(low: DVec3, high: DVec3, frame: &DAffine3) -> Piece {
    let corner = |i: usize| {
        let pick = |k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
        frame.transform_point3(DVec3::new(pick(0), pick(1), pick(2)))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Piece { corners: (0..8).map(corner).collect(), triangles, radius: 0.0 }
}

/// Returns a rotation that takes z to `n`.
fn towards(n: DVec3) -> DAffine3 {
    let x = n.any_orthonormal_vector();
    DAffine3::from_mat3(glam::DMat3::from_cols(x, n.cross(x), n))
}

/// Returns the place of the largest value of a function of time: samples, then golden section around the best of them.
fn argmax(t_max: f64, samples: usize, f: impl Fn(f64) -> f64) -> (f64, f64) {
    let step = t_max / samples as f64;
    let best = (0..=samples).map(|i| i as f64 * step).max_by(|s, t| f(*s).total_cmp(&f(*t))).unwrap();
    let (mut low, mut high) = ((best - step).max(0.0), (best + step).min(t_max));
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..60 {
        let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if f(a) < f(b) {
            low = a;
        } else {
            high = b;
        }
    }
    let found = [best, low, high].into_iter().max_by(|s, t| f(*s).total_cmp(&f(*t))).unwrap();
    (found, f(found))
}

/// One part of a robot, and a wall that it enters by a tiny amount at the top of its path: relative to the world, to
/// a moving obstacle, or to another link. Every bound that is too small by more than that amount lets it through. A
/// wall that is as far beyond the top of the path is never touched.
#[test]
fn walls_entered_by_a_hair() {
    let (mut inner, mut free, mut own, mut moving, mut undecided) = (0, 0, 0, 0, 0);
    let count = 600;
    for seed in 0..count {
        let mut random = Random(70_000 + seed);
        let scale = [1.0, 1.0, 1e-3, 1e3][random.below(4) as usize];
        let links = 2 + random.below(6) as usize;
        let mut described = random_tree(&mut random, links, 1, scale);
        let piece_size = scale * random.magnitude(0.01, 1.0);
        let piece = random_piece(&mut random, piece_size);
        let place = if random.chance(3) { Pose::IDENTITY } else { random.pose(0.5 * scale) };
        described.parts[links - 1].push((piece.clone(), place));
        let base = match random.below(3) {
            0 => Pose::IDENTITY,
            1 => random.pose(scale),
            _ => random.pose(1e4 * scale),
        };
        let turn = [0.0, 1e-3, 0.3, 2.0, 2.0, 30.0][random.below(6) as usize];
        let slide = scale * [0.0, 0.1, 1.0, 10.0][random.below(4) as usize];
        let way = described.way(&mut random, base, turn, slide);

        // The frame of the wall: 0 the world, 1 a moving obstacle, 2 a link that is not next to the part's.
        let kind = random.below(if links > 2 { 3 } else { 2 });
        let near_base = |random: &mut Random| {
            let turned = random.rotation();
            Pose::new(base.translation() + random.vector(scale), turned).unwrap()
        };
        let (start, end) = (near_base(&mut random), near_base(&mut random));
        let motion = match (kind, random.below(3)) {
            (0 | 2, _) => Motion::fixed(start),
            (_, 0) => Motion::linear(start, end),
            (_, 1) => Motion::screw(start, end),
            _ => Motion::contact_screw(start, end),
        };
        let holder = random.below(links as u64 - 1).min(links.saturating_sub(3) as u64) as usize;
        let frame = |t: f64| {
            if kind == 2 {
                way.places(t)[holder]
            } else {
                let at = motion.pose_at(t);
                DAffine3 { matrix3: at.rotation, translation: at.translation }
            }
        };
        let t_max = if random.chance(4) { random.magnitude(1e-3, 1.0) } else { 1.0 };
        let n = if random.chance(2) {
            // Along an axis of the world, where the boxes are tightest.
            let axis = DVec3::AXES[random.below(3) as usize] * if random.chance(2) { 1.0 } else { -1.0 };
            frame(0.5 * t_max).matrix3.transpose() * axis
        } else {
            random.vector(1.0).normalize()
        };
        let seen = |t: f64| frame(t).inverse() * way.places(t)[links - 1] * affine(&place);
        let height = |t: f64| {
            let seen = seen(t);
            let heights = piece.corners.iter().map(|v| n.dot(seen.transform_point3(*v)));
            heights.fold(f64::NEG_INFINITY, f64::max) + piece.radius
        };
        let samples = 200 + (turn * 30.0) as usize;
        let (top_at, top) = argmax(t_max, samples, height);
        let min_separation = if random.chance(3) { 0.05 * scale } else { 0.0 };
        let hair = 1e-9 * scale + 1e-12 * base.translation().length();
        let tolerance = [1e-6, 1e-4][random.below(2) as usize] * scale;
        let options = Options { tolerance, min_separation, t_max, ..Options::default() };

        // Wide enough for the whole path, and thick.
        let width = 20.0 * scale * (1.0 + slide / scale);
        let middle = seen(top_at).transform_point3(piece.corners[0]);
        let across = middle - n * n.dot(middle);
        for is_entered in [true, false] {
            let beyond = min_separation + if is_entered { -hair } else { 2.0 * tolerance + hair };
            let placed = DAffine3::from_translation(across + n * (top + beyond)) * towards(n);
            let wall = wall_piece(DVec3::new(-width, -width, 0.0), DVec3::new(width, width, width), &placed);
            let mut walled = way.clone();
            let obstacles = if kind == 2 {
                walled.described.parts[holder].push((wall, Pose::IDENTITY));
                walled.robot = walled.described.robot();
                vec![]
            } else {
                vec![Body::new("wall", wall.shape(), motion.clone())]
            };
            let slow = seed % 8 == 0 && turn < 10.0;
            for (by, answer) in walled.answers(&obstacles, &options, slow) {
                let what = || format!("seed {seed} {by} entered {is_entered}: {answer:?}, top at {top_at}");
                match &answer {
                    Answer::Free => {
                        assert!(!is_entered, "{}", what());
                        free += 1;
                    }
                    Answer::Undecided { free_until, .. } => {
                        undecided += 1;
                        assert!(!is_entered || *free_until <= top_at + 1e-12, "{}", what());
                    }
                    Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
                        assert!(is_entered, "{}", what());
                        assert!(by == "any" || touch.toi <= top_at + 1e-12, "{}", what());
                        let gap = top + beyond - height(touch.toi);
                        assert!(gap <= min_separation + tolerance + hair, "{} gap {gap}", what());
                        assert!(touch.gap <= min_separation + tolerance, "{}", what());
                        inner += usize::from(touch.toi > 0.0 && top_at > 0.0 && top_at < t_max);
                        own += usize::from(kind == 2);
                        moving += usize::from(kind == 1);
                    }
                }
            }
        }
    }
    println!("inner {inner} free {free} own {own} moving {moving} undecided {undecided}");
    assert!(inner > 300 && free > 1000 && own > 250 && moving > 300, "{inner} {free} {own} {moving}");
}

/// An obstacle: a piece in its own frame, or in the world at both ends of its vertices' paths.
enum Obstacle {
    Moves(Piece, Box<Motion>),
    Deforms(Piece, Piece),
}

impl Obstacle {
    fn at(&self, t: f64) -> Piece {
        match self {
            Obstacle::Moves(piece, motion) => {
                let at = motion.pose_at(t);
                piece.placed(&DAffine3 { matrix3: at.rotation, translation: at.translation })
            }
            Obstacle::Deforms(first, last) => {
                let corners = first.corners.iter().zip(&last.corners).map(|(p, q)| p.lerp(*q, t)).collect();
                Piece { corners, ..first.clone() }
            }
        }
    }

    fn body(&self, name: String) -> Body {
        match self {
            Obstacle::Moves(piece, motion) => Body::new(name, piece.shape(), Motion::clone(motion)),
            Obstacle::Deforms(first, last) => {
                let triangles = first.triangles.iter().map(|t| t.map(|v| v as u32)).collect();
                let frames = [first, last].map(|piece| piece.corners.clone());
                let [start, end] = frames;
                Body::deforming(name, Deformable::new(start, end, triangles, vec![], vec![]).unwrap())
            }
        }
    }
}

/// Robots of every kind of joint and shape among obstacles that rest and move, and against themselves. At every sampled
/// instant before the returned time all pairs are farther apart than required, and at that time some pair is close.
#[test]
fn clutter_against_brute_force() {
    let (mut inner, mut free, mut at_start, mut own, mut undecided) = (0, 0, 0, 0, 0);
    let count = 500;
    for seed in 0..count {
        let mut random = Random(90_000 + seed);
        let scale = [1.0, 1.0, 1e-3, 1e3][random.below(4) as usize];
        let links = 2 + random.below(7) as usize;
        let mut described = random_tree(&mut random, links, 2, scale);
        for link in 0..links {
            for _ in 0..[0, 1, 1, 2][random.below(4) as usize] {
                let size = scale * random.magnitude(0.02, 0.2);
                let piece = random_piece(&mut random, size);
                let place = if random.chance(3) { Pose::IDENTITY } else { random.pose(0.2 * scale) };
                described.parts[link].push((piece, place));
            }
        }
        let base = if random.chance(4) { random.pose(1e4 * scale) } else { random.pose(scale) };
        let turn = [0.3, 1.0, 3.0, 20.0][random.below(4) as usize];
        let way = described.way(&mut random, base, turn, scale);
        let mut obstacles: Vec<Obstacle> = Vec::new();
        for _ in 0..2 + random.below(4) {
            let size = scale * random.magnitude(0.1, 0.8);
            let piece = random_piece(&mut random, size);
            let near = |random: &mut Random| {
                let turned = random.rotation();
                Pose::new(base.translation() + random.vector(1.5 * scale), turned).unwrap()
            };
            let (start, end) = (near(&mut random), near(&mut random));
            let motion = match random.below(6) {
                0 => Motion::linear(start, end),
                1 => Motion::screw(start, end),
                2 => Motion::contact_screw(start, end),
                _ => Motion::fixed(start),
            };
            let [first, last] = [start, end].map(|pose| piece.placed(&affine(&pose)));
            let deforms = piece.radius == 0.0 && random.chance(5);
            obstacles.push(if deforms {
                Obstacle::Deforms(first, last)
            } else {
                Obstacle::Moves(piece, Box::new(motion))
            });
        }
        let bodies: Vec<Body> =
            obstacles.iter().enumerate().map(|(k, obstacle)| obstacle.body(format!("body{k}"))).collect();
        let t_max = if random.chance(4) { random.range(0.1, 1.0) } else { 1.0 };
        let min_separation = if random.chance(3) { 0.01 * scale } else { 0.0 };
        // With few steps most answers are undecided; their proofs must hold nevertheless.
        let max_iterations = if random.chance(4) { 1 + random.below(6) as usize } else { 10_000 };
        let tolerance = scale * random.magnitude(1e-7, 1e-3);
        let options = Options { tolerance, min_separation, t_max, max_iterations, ..Options::default() };
        let slack = 1e-10 * scale + 1e-13 * base.translation().length();

        // The smallest distance of all pairs at an instant; pairs farther than `enough` are skipped.
        let joined = |a: usize, b: usize| {
            let Described { joints, names, .. } = &way.described;
            let joins = |j: &Joint| [&j.parent, &j.child] == [&names[a], &names[b]];
            a == b || joints.iter().any(joins)
        };
        let gap_at = |t: f64, enough: f64| {
            let places = way.places(t);
            let mut placed: Vec<(Option<usize>, Piece)> = Vec::new();
            for (link, parts) in way.described.parts.iter().enumerate() {
                let in_world = |(piece, pose): &(Piece, Pose)| piece.placed(&(places[link] * affine(pose)));
                placed.extend(parts.iter().map(|part| (Some(link), in_world(part))));
            }
            placed.extend(obstacles.iter().map(|obstacle| (None, obstacle.at(t))));
            let mut least = f64::INFINITY;
            for (i, (of_a, a)) in placed.iter().enumerate() {
                for (of_b, b) in &placed[i + 1..] {
                    let is_checked = match (of_a, of_b) {
                        (Some(a), Some(b)) => !joined(*a, *b) && !joined(*b, *a),
                        (None, None) => false,
                        _ => true,
                    };
                    let ((p, r), (q, s)) = (a.ball(), b.ball());
                    if is_checked && (p - q).length() - r - s < least.min(enough) {
                        least = least.min(a.distance(b));
                    }
                }
            }
            least
        };
        let near = min_separation + 2.0 * options.tolerance;
        // A scene also checks deforming bodies against themselves.
        let all_rigid = obstacles.iter().all(|obstacle| matches!(obstacle, Obstacle::Moves(..)));
        for (by, answer) in way.answers(&bodies, &options, seed % 6 == 0 && all_rigid) {
            let what = |t: f64| format!("seed {seed} {by} at {t}: {answer:?}");
            let free_until = answer.free_until(t_max);
            let is_first = by != "any" || answer.touch().is_none();
            let samples = if by == "windows" { 60 } else { 15 };
            for i in 0..samples {
                // Up to just before the end, where a late answer would show.
                let back = if i % 2 == 0 { f64::from(i) / f64::from(samples) } else { 0.5_f64.powi(i) };
                let t = free_until * (1.0 - back);
                if is_first && (t < free_until || answer == Answer::Free) {
                    let gap = gap_at(t, near);
                    assert!(gap > min_separation - slack, "{} gap {gap}", what(t));
                }
            }
            match &answer {
                Answer::Free => free += 1,
                Answer::Undecided { .. } => undecided += 1,
                Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
                    let gap = gap_at(touch.toi, near);
                    assert!(
                        gap <= min_separation + options.tolerance + slack,
                        "{} gap {gap}",
                        what(touch.toi)
                    );
                    inner += usize::from(touch.toi > 0.0);
                    at_start += usize::from(touch.toi == 0.0);
                    own += usize::from(touch.bodies == [0, 0]);
                }
            }
        }
    }
    println!("inner {inner} free {free} at start {at_start} own {own} undecided {undecided}");
    assert!(inner > 100 && free > 500 && own > 30 && undecided > 10, "{inner} {free} {own} {undecided}");
}

fn joint(name: &str, parent: &str, child: &str, kind: JointKind, mimic: Option<Mimic>) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind,
        limits: None,
        mimic,
    }
}

fn ball(radius: f64, at: DVec3) -> LinkPart {
    LinkPart { shape: Sphere::new(radius).unwrap().into(), pose: Pose::from_translation(at).unwrap() }
}

/// A planar or floating joint has several variables and cannot be a mimic joint.
#[test]
fn a_mimic_of_several_variables_is_rejected() {
    for kind in [JointKind::Planar { normal: DVec3::Z }, JointKind::Floating] {
        let links = ["a", "b", "c"].map(|name| (name.to_string(), vec![])).to_vec();
        let follows = Mimic { joint: "turn".into(), multiplier: 1.0, offset: 0.0 };
        let joints = vec![
            joint("turn", "a", "b", JointKind::Revolute { axis: DVec3::Z }, None),
            joint("slide", "b", "c", kind, Some(follows)),
        ];
        let robot = Robot::new("confused", links, joints);
        assert!(robot.is_err(), "{:?}", robot.unwrap().variables());
    }
}

/// Rates so large that their powers overflow: for every answer, no touch is missed and there is no panic.
#[test]
fn overflowing_rates_prove_nothing() {
    let mut answered = 0;
    for rate in [1e10, 1e30, 1e60, 1e100] {
        for multiplier in [1.0, 1e60, 1e100] {
            for t_max in [1.0, 1e-100] {
                let links = ["a", "b", "c", "d"].map(|name| (name.to_string(), vec![]));
                let mut links = links.to_vec();
                links[3].1.push(ball(1.0, DVec3::ZERO));
                let follows = Mimic { joint: "first".into(), multiplier, offset: 0.0 };
                let turn = JointKind::Revolute { axis: DVec3::Z };
                let joints = vec![
                    joint("first", "a", "b", turn, None),
                    joint("second", "b", "c", turn, Some(follows)),
                    joint("third", "c", "d", turn, None),
                ];
                let robot = Robot::new("fast", links, joints).unwrap();
                // Always touching: the ball rotates about its own centre.
                let other = Body::new("ball", Sphere::new(1.0).unwrap(), Motion::fixed(Pose::IDENTITY));
                let checker = Checker::new(robot, Pose::IDENTITY, vec![other]).unwrap();
                for mode in [Mode::First, Mode::Any] {
                    let options = Options { mode, t_max, ..Options::default() };
                    let (from, to) = ([0.0, 0.0], [rate, 0.0]);
                    let by_windows = checker.check_step(&from, &to, &options).map(|report| report.answer);
                    let others = by_boxes(&checker, [&from, &to], &options);
                    // Rejecting the input is also a valid answer.
                    let (mut by, all) = (0, std::iter::once(("windows", by_windows)).chain(others));
                    for (name, answer) in all.flat_map(|(name, answer)| Some((name, answer.ok()?))) {
                        assert_ne!(answer, Answer::Free, "{name} {rate} {multiplier} {t_max} {mode:?}");
                        by = 1;
                    }
                    answered += by;
                }
            }
        }
    }
    assert!(answered >= 24, "{answered}");
}

/// Walls where the sieve's bound is as tight as possible. A point on an arm rotates about z, on a slide along y that
/// makes its heights over the wall equal at two of the three known instants of the whole window:
/// `r sin(φ + ω t) + v t`. The parabola through them is then as close to the wall as it claims, and for some phases
/// the whole error is of third order. The wall is fixed in the world or in the base, or it is on a rotating slide of
/// its own and everything is relative to it (then the joints towards the base count).
#[test]
fn walls_where_the_parabola_is_tight() {
    let (mut sieved, mut entered) = (0, 0);
    let count = 1500;
    for seed in 0..count {
        let mut random = Random(110_000 + seed);
        let (kind, joints) = (random.below(3), 1 + random.below(3) as usize);
        let radius = random.magnitude(0.1, 10.0);
        let (phase, half_turn) = (random.range(-3.2, 3.2), random.magnitude(5e-3, 1.5));
        let t_max = if random.chance(2) { 1.0 } else { random.range(0.01, 1.0) };
        // The arm's sine at the three instants, and the slide that makes two of the heights equal.
        let sine = |k: f64| (phase + k * half_turn).sin();
        let shift = radius
            * match random.below(3) {
                0 => sine(-1.0) - sine(1.0),
                1 => 2.0 * (sine(-1.0) - sine(0.0)),
                _ => 2.0 * (sine(0.0) - sine(1.0)),
            };

        // Links: the base, the slide, the rotating ones. Relative to the wall it is the other way round, with the
        // point on its own branch, which comes later.
        let names: Vec<String> = (0..joints + 3).map(|i| format!("link{i}")).collect();
        let turn = JointKind::Revolute { axis: DVec3::Z };
        let slide = JointKind::Prismatic { axis: DVec3::Y };
        let mut kinds = if kind == 2 { vec![turn; joints] } else { vec![slide] };
        kinds.extend(if kind == 2 { vec![slide] } else { vec![turn; joints] });
        let mut chain: Vec<Joint> = (1..joints + 2)
            .map(|i| joint(&format!("joint{i}"), &names[i - 1], &names[i], kinds[i - 1], None))
            .collect();
        // The arm is the translation of the last joint, or the position of the part on its link, or the position of
        // the wall's axis.
        let arm = DVec3::X * radius;
        let arm_of = random.below(if kind == 2 { 3 } else { 2 });
        let last_kind = if kind == 2 { JointKind::Prismatic { axis: DVec3::Z } } else { JointKind::Fixed };
        let last_parent = if kind == 2 { 0 } else { joints + 1 };
        let mut last = joint("last", &names[last_parent], &names[joints + 2], last_kind, None);
        match arm_of {
            0 => last.origin = Pose::from_translation(arm).unwrap(),
            1 => {}
            _ => chain[0].origin = Pose::from_translation(-arm).unwrap(),
        }
        chain.push(last);
        let place = Pose::from_translation(if arm_of == 1 { arm } else { DVec3::ZERO }).unwrap();
        let piece = if random.chance(2) {
            Piece::capsule(1e-7 * radius, 1e-7 * radius)
        } else {
            let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|v| v * 1e-7 * radius).to_vec();
            Piece { corners, triangles: vec![[0, 1, 2]], radius: 0.0 }
        };
        let mut described = Described { names, joints: chain, parts: vec![Vec::new(); joints + 3] };
        described.parts[joints + 2].push((piece.clone(), place));
        let robot = described.robot();
        // All rotating joints share the rotation.
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for variable in robot.variables() {
            let of = described.joints.iter().find(|joint| joint.name == variable.name).unwrap();
            let (start, by) = match of.kind {
                JointKind::Revolute { .. } => {
                    ((phase - half_turn) / joints as f64, 2.0 * half_turn / joints as f64)
                }
                JointKind::Prismatic { axis } if axis == DVec3::Y => (random.range(-1.0, 1.0), shift),
                _ => (0.0, 0.0),
            };
            from.push(start);
            to.push(start + by / t_max);
        }
        let base = match random.below(3) {
            0 => Pose::IDENTITY,
            1 => Pose::new(random.vector(1.0), DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)).unwrap(),
            _ => random.pose(1.0),
        };
        let way = Way { described, robot, base, from, to };
        let holder = if kind == 2 { joints + 1 } else { 0 };
        let frame = |t: f64| way.places(t)[holder];
        let n = DVec3::Y * if random.chance(2) { 1.0 } else { -1.0 };
        let seen = |t: f64| frame(t).inverse() * way.places(t)[joints + 2] * affine(&place);
        let height = |t: f64| {
            let seen = seen(t);
            let heights = piece.corners.iter().map(|v| n.dot(seen.transform_point3(*v)));
            heights.fold(f64::NEG_INFINITY, f64::max) + piece.radius
        };
        let (top_at, top) = argmax(t_max, 100, height);
        // The height of the path above the known instants: the sieve must account for it.
        let known = [0.0, 0.5, 1.0].map(|k| height(k * t_max)).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let rise = top - known;
        let hair = 1e-9 * radius;
        let options = Options { tolerance: hair, t_max, ..Options::default() };
        let middle = seen(top_at).transform_point3(piece.corners[0]);
        let across = middle - n * n.dot(middle);
        let width = 100.0 * radius;
        for beyond in [-hair, 0.1 * rise + 1e3 * hair] {
            let placed = DAffine3::from_translation(across + n * (top + beyond)) * towards(n);
            let wall = wall_piece(DVec3::new(-width, -width, 0.0), DVec3::splat(width), &placed);
            let mut walled = way.clone();
            let obstacles = if kind == 0 {
                let at = frame(0.0);
                vec![Body::new("wall", wall.placed(&at).shape(), Motion::AT_REST)]
            } else {
                walled.described.parts[holder].push((wall, Pose::IDENTITY));
                walled.robot = walled.described.robot();
                vec![]
            };
            let checker = Checker::new(walled.robot.clone(), base, obstacles).unwrap();
            for mode in [Mode::First, Mode::Any] {
                let options = Options { mode, ..options };
                let report = checker.check_step(&way.from, &way.to, &options).unwrap();
                let what = || {
                    format!("seed {seed} {kind} {mode:?} {beyond}: {report:?}, top at {top_at}, rise {rise}")
                };
                if beyond < 0.0 {
                    assert_ne!(report.answer, Answer::Free, "{}", what());
                    let is_late = mode == Mode::First && report.answer.free_until(t_max) > top_at + 1e-9;
                    assert!(!is_late, "{}", what());
                    entered += usize::from(rise > 10.0 * hair && report.answer.touch().is_some());
                } else {
                    assert!(report.answer.touch().is_none(), "{}", what());
                    // Proven in one window: nothing else is between the wall and the bound.
                    let at_once = report.windows[0] == 1 && report.close_pairs == 0;
                    sieved += usize::from(rise > 10.0 * hair && at_once);
                }
            }
        }
    }
    println!("entered {entered} sieved {sieved}");
    assert!(entered > 1000 && sieved > 300, "{entered} {sieved}");
}
