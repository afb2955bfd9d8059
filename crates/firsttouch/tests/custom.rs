//! Shapes and motions that the library does not know, in scenes: a cone, an oscillation, and wrappers around known
//! ones.
//!
//! The cone and the oscillation are checked against a formula and dense sampling. The wrappers hide a shape or a motion
//! of the library behind the traits: the answers must be those for the shape and the motion themselves.

use crate::random;

use std::sync::Arc;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds, Window};
use firsttouch::shape::{Convex, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use firsttouch::testing::{check_convex, check_motion};
use firsttouch::{Answer, Body, Error, Feature, Mode, Options, Scene, first_touch};
use glam::{DMat3, DQuat, DVec2, DVec3};
use random::Random;

/// A solid cone about z, its tip at `height / 2` and its base at `-height / 2`.
#[derive(Debug, Clone, Copy)]
struct Cone {
    radius: f64,
    height: f64,
}

impl Cone {
    /// Returns the distance from a point, zero inside: in the half-plane of the point the cone is a triangle.
    fn distance(&self, point: DVec3) -> f64 {
        let p = DVec2::new(point.truncate().length(), point.z);
        let (tip, rim) = (DVec2::new(0.0, 0.5 * self.height), DVec2::new(self.radius, -0.5 * self.height));
        let side = tip - rim;
        let inside = p.y >= rim.y && side.perp_dot(p - rim) >= 0.0;
        let to_segment = |a: DVec2, b: DVec2| {
            let s = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            (p - a - s * (b - a)).length()
        };
        let base = DVec2::new(0.0, rim.y);
        if inside { 0.0 } else { to_segment(rim, tip).min(to_segment(base, rim)) }
    }
}

impl Convex for Cone {
    fn support(&self, d: DVec3) -> DVec3 {
        let around = d.truncate().length();
        let half = 0.5 * self.height;
        if half * d.z >= self.radius * around - half * d.z {
            return DVec3::Z * half;
        }
        let out = if around > 0.0 { d.truncate() / around } else { DVec2::X };
        (self.radius * out).extend(-half)
    }
    fn extent(&self, d: DVec3) -> f64 {
        let half = 0.5 * self.height;
        (half * d.z).max(self.radius * d.truncate().length() - half * d.z)
    }
    fn reach(&self) -> f64 {
        self.radius.hypot(0.5 * self.height) * (1.0 + 1e-14)
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, DVec3::new(self.radius, self.radius, 0.5 * self.height))
    }
    fn feature(&self, point: DVec3, normal: DVec3) -> Feature {
        match () {
            () if point.z > 0.5 * self.height * (1.0 - 1e-9) => Feature::Vertex(0),
            () if normal.z < -0.999 => Feature::Face(0),
            () => Feature::Face(1),
        }
    }
}

/// The origin swings along x and the body about y, both as the sine of `rate · t`.
#[derive(Debug, Clone, Copy)]
struct Swing {
    rate: f64,
    way: f64,
    angle: f64,
}

impl RigidMotion for Swing {
    fn pose_at(&self, t: f64) -> PoseAt {
        let sine = (self.rate * t).sin();
        PoseAt {
            rotation: DMat3::from_rotation_y(self.angle * sine),
            translation: DVec3::X * self.way * sine,
        }
    }
    fn pose_error(&self) -> PoseError {
        // A few roundings of numbers of this size. There is no guarantee for the sines of the platform, so this is
        // generous.
        PoseError {
            rotation: 1e-13 * (1.0 + self.angle * self.rate),
            translation: 1e-13 * self.way * self.rate,
        }
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let cosine = self.rate * (self.rate * window.mid()).cos();
        // The rate changes by at most its derivative times the time.
        let spread = self.rate * self.rate * window.half_width() + 1e-12 * self.rate;
        VelocityBounds {
            center: Velocity {
                origin: DVec3::X * self.way * cosine,
                angular: DVec3::Y * self.angle * cosine,
            },
            origin_radius: self.way * spread,
            angular_radius: self.angle * spread,
        }
    }
    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        let square = self.rate * self.rate;
        (self.way + (self.angle + self.angle * self.angle) * reach) * square * (1.0 + 1e-12)
    }
}

#[test]
fn they_keep_what_the_traits_demand() {
    let mut random = Random(7);
    for seed in 0..40 {
        let cone = Cone { radius: random.range(0.1, 2.0), height: random.range(0.1, 4.0) };
        check_convex(&cone, seed).unwrap_or_else(|violation| panic!("{cone:?}: {violation}"));
        let swing = Swing {
            rate: random.range(0.1, 20.0),
            way: random.range(0.0, 3.0),
            angle: random.range(0.0, 2.0),
        };
        check_motion(&swing, seed).unwrap_or_else(|violation| panic!("{swing:?}: {violation}"));
    }
}

/// A swinging cone and a ball on a straight line, against the formula at 2,000 times.
#[test]
fn balls_meet_a_swinging_cone() {
    let mut random = Random(2026);
    let (mut hits, mut free) = (0, 0);
    for n in 0..300 {
        let cone = Cone { radius: random.range(0.3, 1.5), height: random.range(0.3, 3.0) };
        let swing = Swing {
            rate: random.range(1.0, 12.0),
            way: random.range(0.0, 2.0),
            angle: random.range(0.0, 1.5),
        };
        let radius = random.range(0.05, 0.6);
        let (from, to) = (DVec3::Z * 4.0 + random.vector(3.0), -DVec3::Z * 4.0 + random.vector(3.0));
        let [from, to] = [from, to].map(|at| Pose::from_translation(at).unwrap());
        let flying = Motion::linear(from, to);
        let mut scene = Scene::default();
        let shape = Shape::custom(Arc::new(cone)).unwrap();
        let swinging = Motion::custom(Arc::new(swing)).unwrap();
        scene.add(Body::new("cone", shape.clone(), swinging.clone())).unwrap();
        let ball: Shape = Sphere::new(radius).unwrap().into();
        scene.add(Body::new("ball", ball.clone(), flying.clone())).unwrap();
        let answer = scene.check(&Options::default()).unwrap().answer;
        let gap = |t: f64| {
            let center = flying.pose_at(t).translation;
            cone.distance(swing.pose_at(t).to_body(center)) - radius
        };
        let free_until = match &answer {
            Answer::Free => {
                free += 1;
                1.0
            }
            Answer::Touch(touch) => {
                hits += 1;
                assert!(gap(touch.toi) <= 1e-6 + 1e-12, "{n}: {} at {}", gap(touch.toi), touch.toi);
                touch.toi
            }
            Answer::TouchingAtStart(_) | Answer::Undecided { .. } => panic!("{n}: {answer:?}"),
        };
        for i in 0..2000 {
            let t = f64::from(i) / 2000.0;
            assert!(t >= free_until || gap(t) > 0.0, "{n}: {} at {t}, free until {free_until}", gap(t));
        }
        // Without a scene the answer is the same, except for the side that is examined first.
        let alone = first_touch((&ball, &flying), (&shape, &swinging), &Options::default()).unwrap();
        match (alone, answer) {
            (Answer::Touch(alone), Answer::Touch(touch)) => {
                assert_eq!((alone.toi, alone.bodies), (touch.toi, [0, 1]), "{n}");
                assert_eq!(alone.points, [touch.points[1], touch.points[0]], "{n}");
            }
            (alone, answer) => assert_eq!(alone, answer, "{n}"),
        }
    }
    assert!(hits > 80 && free > 80, "{hits} hits, {free} free");
}

/// A solid of the library behind the trait.
struct Hidden<S>(S);

impl<S: Convex> Convex for Hidden<S> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0.support(direction)
    }
    fn extent(&self, direction: DVec3) -> f64 {
        self.0.extent(direction)
    }
    fn margin(&self) -> f64 {
        self.0.margin()
    }
    fn reach(&self) -> f64 {
        self.0.reach()
    }
    fn core_reach(&self) -> f64 {
        self.0.core_reach()
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        self.0.bounds()
    }
    fn feature(&self, point: DVec3, normal: DVec3) -> Feature {
        self.0.feature(point, normal)
    }
}

/// A motion of the library behind the trait.
struct HiddenMotion(Motion);

impl RigidMotion for HiddenMotion {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.0.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.0.pose_error()
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        self.0.velocity_bounds(window)
    }
    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        self.0.acceleration(reach, window)
    }
}

fn pose(random: &mut Random, at: DVec3) -> Pose {
    let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
    Pose::new(at, DQuat::from_xyzw(x, y, z, w)).unwrap()
}

fn tetrahedron() -> ([DVec3; 4], [[u32; 3]; 4]) {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|v| v - DVec3::splat(0.25));
    (corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

/// The answers are those for the hidden shape or motion, bit for bit: the same engines see the same numbers.
#[test]
fn hidden_shapes_and_motions_give_the_same_answers() {
    let mut random = Random(11);
    let (corners, triangles) = tetrahedron();
    let others: [Shape; 5] = [
        Sphere::new(0.5).unwrap().into(),
        Cylinder::new(0.4, 0.8).unwrap().into(),
        Ellipsoid::new(DVec3::new(0.3, 0.5, 0.7)).unwrap().into(),
        Hull::new(&corners).unwrap().into(),
        Mesh::new(corners.to_vec(), triangles.to_vec()).unwrap().into(),
    ];
    let cuboid = Cuboid::new(DVec3::new(1.0, 0.6, 0.8)).unwrap();
    let hidden = Shape::custom(Arc::new(Hidden(cuboid))).unwrap();
    let mut hits = 0;
    for n in 0..200 {
        let other = &others[n % others.len()];
        let [from, to] = [-1.0, 1.0].map(|side| {
            let at = DVec3::X * 2.5 * side + random.vector(2.0);
            pose(&mut random, at)
        });
        let moving = Motion::linear(from, to);
        let hidden_motion = Motion::custom(Arc::new(HiddenMotion(moving.clone()))).unwrap();
        let still = Motion::fixed(pose(&mut random, DVec3::ZERO));
        for mode in [Mode::First, Mode::Any] {
            let options = Options { mode, ..Options::default() };
            let plain = first_touch((&cuboid.into(), &moving), (other, &still), &options).unwrap();
            let wrapped = first_touch((&hidden, &hidden_motion), (other, &still), &options).unwrap();
            assert_eq!(plain, wrapped, "{n}, {}", other.kind());
            hits += u32::from(plain.touch().is_some());
        }
    }
    assert!((100..350).contains(&hits), "{hits} of 400 touch");
}

/// A compound of one hull on each side of a gap is free exactly where both hulls are.
#[test]
fn a_compound_touches_where_the_first_of_its_pieces_does() {
    let mut random = Random(5);
    let (corners, _) = tetrahedron();
    let mut counts = [0; 2];
    for n in 0..60 {
        let pieces: Vec<Arc<dyn Convex + Send + Sync>> = (0..9)
            .map(|_| {
                let shift = random.vector(1.5);
                Arc::new(Hull::new(&corners.map(|v| 0.6 * v + shift)).unwrap())
                    as Arc<dyn Convex + Send + Sync>
            })
            .collect();
        let [from, to] = [-4.0, 4.0].map(|x| {
            let at = DVec3::X * x + random.vector(1.5);
            pose(&mut random, at)
        });
        let moving = Motion::screw(from, to);
        let other: Shape = Cuboid::new(DVec3::splat(0.5)).unwrap().into();
        let check = |shape: &Shape| {
            let answer =
                first_touch((shape, &Motion::AT_REST), (&other, &moving), &Options::default()).unwrap();
            answer.free_until(f64::INFINITY)
        };
        let whole = Shape::compound(pieces.clone()).unwrap();
        let each = pieces.iter().map(|piece| check(&Shape::custom(Arc::clone(piece)).unwrap()));
        let (first, found) = (each.fold(f64::INFINITY, f64::min), check(&whole));
        // Both are right to the tolerance, which here is passed in less than 1e-4.
        assert!(first == found || (first - found).abs() < 1e-4, "{n}: {found} instead of {first}");
        counts[usize::from(found.is_finite())] += 1;
    }
    assert!(counts[0] >= 5 && counts[1] >= 20, "{counts:?}");
}

/// A robot among custom shapes: a hand on a rail moves from x = 0 to x = 8.
#[test]
fn robots_meet_shapes_and_motions_of_ones_own() {
    let slide = Joint {
        name: "slide".into(),
        parent: "rail".into(),
        child: "hand".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    // The cone of the hand points along z; its rim is at x = 1 in the height -1.
    let cone = Shape::custom(Arc::new(Cone { radius: 1.0, height: 2.0 })).unwrap();
    let hand = vec![LinkPart { shape: cone.clone(), pose: Pose::IDENTITY }];
    let robot =
        Robot::new("crane", vec![("rail".into(), vec![]), ("hand".into(), hand)], vec![slide]).unwrap();
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let boxes = |motion: Motion| Body::new("box", Cuboid::new(DVec3::splat(2.0)).unwrap(), motion);
    let two: Vec<Arc<dyn Convex + Send + Sync>> =
        vec![Arc::new(Cuboid::new(DVec3::splat(2.0)).unwrap()), Arc::new(Sphere::new(0.5).unwrap())];
    // The rim is at the face of the box, at x = 5, when the hand is at x = 4: at time 1/2.
    let obstacles = [
        boxes(Motion::fixed(at(6.0))),
        boxes(Motion::custom(Arc::new(HiddenMotion(Motion::fixed(at(6.0))))).unwrap()),
        Body::new("custom", Shape::compound(two).unwrap(), Motion::fixed(at(6.0))),
        Body::new("cone", cone, Motion::fixed(at(6.0))),
    ];
    for obstacle in obstacles {
        let name = obstacle.name().to_owned();
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![obstacle]).unwrap();
        let answer = checker.check_step(&[0.0], &[8.0], &Options::default()).unwrap().answer;
        let Answer::Touch(touch) = answer else { panic!("{name}: {answer:?}") };
        assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6, "{name}: {}", touch.toi);
    }
}

/// Invalid input is refused where it enters.
#[test]
fn nonsense_is_refused() {
    struct Wrong {
        reach: f64,
        margin: f64,
        half: DVec3,
    }
    impl Convex for Wrong {
        fn support(&self, _direction: DVec3) -> DVec3 {
            DVec3::ZERO
        }
        fn extent(&self, _direction: DVec3) -> f64 {
            self.reach
        }
        fn margin(&self) -> f64 {
            self.margin
        }
        fn reach(&self) -> f64 {
            self.reach
        }
        fn bounds(&self) -> (DVec3, DVec3) {
            (DVec3::ZERO, self.half)
        }
        fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
            Feature::Face(0)
        }
    }
    let good = || Wrong { reach: 1.0, margin: 1.0, half: DVec3::ONE };
    assert!(Shape::custom(Arc::new(good())).is_ok());
    for wrong in [
        Wrong { reach: f64::NAN, ..good() },
        Wrong { reach: -1.0, ..good() },
        Wrong { reach: f64::INFINITY, ..good() },
        Wrong { margin: -0.5, ..good() },
        Wrong { margin: f64::NAN, ..good() },
        Wrong { half: DVec3::new(1.0, -1.0, 1.0), ..good() },
        Wrong { half: DVec3::NAN, ..good() },
    ] {
        assert!(Shape::custom(Arc::new(wrong)).is_err());
    }
    assert!(matches!(Shape::compound(vec![]), Err(Error::Empty { .. })));

    struct Scaled(f64);
    impl RigidMotion for Scaled {
        fn pose_at(&self, _t: f64) -> PoseAt {
            PoseAt { rotation: DMat3::IDENTITY * self.0, translation: DVec3::ZERO }
        }
        fn pose_error(&self) -> PoseError {
            PoseError::default()
        }
        fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
            VelocityBounds { center: Velocity::default(), origin_radius: 0.0, angular_radius: 0.0 }
        }
        fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
            0.0
        }
    }
    assert!(Motion::custom(Arc::new(Scaled(1.0))).is_ok());
    // A scaled rotation once gave a false `Free`; a mirror image is no motion either.
    for scale in [0.5, -1.0, f64::NAN, 0.0] {
        assert!(Motion::custom(Arc::new(Scaled(scale))).is_err(), "{scale}");
    }
}

/// The checks find the errors for which they exist.
#[test]
fn broken_obligations_are_found() {
    /// A cone with one of its methods broken.
    struct Broken(usize);
    const CONE: Cone = Cone { radius: 1.0, height: 2.0 };
    impl Convex for Broken {
        fn support(&self, direction: DVec3) -> DVec3 {
            CONE.support(direction) * if self.0 == 0 { 1.0 + 1e-9 } else { 1.0 }
        }
        fn extent(&self, direction: DVec3) -> f64 {
            CONE.extent(direction) - if self.0 == 1 { 1e-12 } else { 0.0 }
        }
        fn reach(&self) -> f64 {
            CONE.reach() * if self.0 == 2 { 0.999 } else { 1.0 }
        }
        fn bounds(&self) -> (DVec3, DVec3) {
            let (center, half) = CONE.bounds();
            (center, half * if self.0 == 3 { 0.999 } else { 1.0 })
        }
        fn feature(&self, point: DVec3, normal: DVec3) -> Feature {
            CONE.feature(point, normal)
        }
    }
    for broken in 0..4 {
        assert!(check_convex(&Broken(broken), 3).is_err(), "{broken}");
    }
    assert!(check_convex(&Broken(4), 3).is_ok());

    /// A swing with one of its methods broken.
    struct Jerky(usize);
    const SWING: Swing = Swing { rate: 5.0, way: 1.0, angle: 1.0 };
    impl RigidMotion for Jerky {
        fn pose_at(&self, t: f64) -> PoseAt {
            let mut pose = SWING.pose_at(t);
            if self.0 == 0 {
                // A velocity that jumps, which the motion does not report.
                pose.translation.y = 0.1 * (t - 0.4).max(0.0);
            }
            if self.0 == 1 {
                pose.rotation *= 1.0 + 1e-9;
            }
            pose
        }
        fn pose_error(&self) -> PoseError {
            SWING.pose_error()
        }
        fn velocity_bounds(&self, window: Window) -> VelocityBounds {
            let mut bounds = SWING.velocity_bounds(window);
            match self.0 {
                0 => bounds.origin_radius += 0.1,
                2 => bounds.origin_radius *= 0.3,
                3 => bounds.angular_radius *= 0.3,
                4 => bounds.center.angular = -bounds.center.angular,
                _ => {}
            }
            bounds
        }
        fn acceleration(&self, reach: f64, window: Window) -> f64 {
            SWING.acceleration(reach, window) * if self.0 == 5 { 0.2 } else { 1.0 }
        }
        fn jerk(&self, _reach: f64, _window: Window) -> f64 {
            if self.0 == 6 { 0.01 } else { f64::INFINITY }
        }
    }
    for broken in 0..7 {
        assert!(check_motion(&Jerky(broken), 3).is_err(), "{broken}");
    }
    assert!(check_motion(&Jerky(7), 3).is_ok());
}
