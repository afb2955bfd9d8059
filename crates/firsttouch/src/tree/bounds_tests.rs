//! The step of a pair of nodes against the exact first contact, with motions that use the full size of their errors.

use super::*;
use crate::answer::Part;
use crate::motion::hostile::{BoxAndBall, FixedAt, Hostile};
use crate::motion::{PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::numerics::Window;
use crate::shape::{Convex, Cuboid, Mesh, Sphere, Triangle};
use composite::Solid;
use dashu_ratio::RBig;
use glam::DMat3;

fn limits(min_separation: f64) -> Limits {
    Limits { min_separation, max_iterations: 60, ..Limits::default() }
}

/// Returns the step of two roots from the start, with any direction tried.
fn step<C: Composite + Copy>(sides: [Side<'_, C>; 2], limits: Limits, inherited: DVec3) -> f64 {
    let pairs = [sides];
    let mut stats = TreeStats::default();
    let mut search = Search::new(&pairs, limits, &mut stats);
    let now = search.instant_at(limits.t_start, 0);
    search.step(&now, [0, 0], &mut Inherited::new(inherited), f64::INFINITY).0
}

/// Returns the time that the engine proves free.
fn proven_time<C: Composite + Copy>(sides: [Side<'_, C>; 2], limits: Limits) -> f64 {
    match first_touch(&[sides], &limits, false, &mut TreeStats::default()).verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => free_until,
    }
}

/// A velocity that jumps: the acceleration is unknown, and the rule of first order is used.
struct Jumping(Hostile);

impl RigidMotion for Jumping {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.0.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.0.pose_error()
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        self.0.velocity_bounds(window)
    }
    fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
        f64::INFINITY
    }
}

#[test]
fn steps_of_motions_that_use_up_their_errors_are_never_late() {
    let mut state = 6;
    let (mut meets, mut close, mut tried) = (0, 0, 0);
    for case in 0..6000 {
        let scene = BoxAndBall::random(&mut state, case % BoxAndBall::KINDS);
        let min_separation = if case % 5 == 0 { 0.1 } else { 0.0 };
        if scene.distance(0.0) <= min_separation + 0.01 {
            continue;
        }
        let contact = scene.contact(min_separation);
        let (cuboid, sphere) = (Cuboid::new(scene.half * 2.0).unwrap(), Sphere::new(scene.radius).unwrap());
        let jumping = scene.motions.map(Jumping);
        let motions: [&dyn RigidMotion; 2] = if (case / BoxAndBall::KINDS).is_multiple_of(3) {
            [&jumping[0], &jumping[1]]
        } else {
            [&scene.motions[0], &scene.motions[1]]
        };
        let mut sides = [
            Side { pieces: Solid(&cuboid), motion: motions[0] },
            Side { pieces: Solid(&sphere), motion: motions[1] },
        ];
        if (case / BoxAndBall::KINDS).is_multiple_of(2) {
            sides.swap(0, 1);
        }
        let limits = limits(min_separation);
        let step = step(sides, limits, DVec3::ZERO);
        assert!(step <= contact, "case {case}: a step of {step}, contact at {contact}: {scene:?}");
        let proven = proven_time(sides, limits);
        assert!(proven <= contact, "case {case}: free until {proven}, contact at {contact}: {scene:?}");
        tried += 1;
        meets += usize::from(contact <= 1.0);
        close += usize::from(contact <= 1.0 && step > 0.5 * contact);
    }
    assert!(4 * meets > tried && 5 * meets < 4 * tried, "{meets} of {tried} meet");
    assert!(3 * close > meets, "{close} of {meets} steps are long");
}

/// A single instant: a pair is free exactly if it is farther apart than the separation then, at any speed. The speeds
/// are so large that a step in time would prove nothing.
#[test]
fn an_instant_needs_no_velocity() {
    let mut state = 8;
    let (mut free, mut touching) = (0, 0);
    for case in 0..4000 {
        let scene = BoxAndBall::random(&mut state, case % BoxAndBall::KINDS);
        let min_separation = if case % 5 == 0 { 0.1 } else { 0.0 };
        let t = (case % 7) as f64 / 6.0;
        let (cuboid, sphere) = (Cuboid::new(scene.half * 2.0).unwrap(), Sphere::new(scene.radius).unwrap());
        let fast = scene.motions.map(Fast);
        let sides = [
            Side { pieces: Solid(&cuboid), motion: &fast[0] as &dyn RigidMotion },
            Side { pieces: Solid(&sphere), motion: &fast[1] },
        ];
        let limits = Limits { t_start: t, t_end: t, ..limits(min_separation) };
        let is_free = proven_time(sides, limits) == f64::INFINITY;
        let apart = scene.distance(t) - min_separation;
        assert!(!is_free || apart > 0.0, "case {case}: {apart} at {t}: {scene:?}");
        // The errors of these motions are a few hundredths.
        assert!(is_free || apart < 0.5, "case {case}: {apart} at {t}: {scene:?}");
        free += usize::from(is_free);
        touching += usize::from(apart <= 0.0);
    }
    assert!(free > 1000 && touching > 100, "{free} free, {touching} touching");
}

/// A motion whose velocity is only known to be finite.
struct Fast(Hostile);

impl RigidMotion for Fast {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.0.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.0.pose_error()
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        VelocityBounds { origin_radius: 1e30, ..self.0.velocity_bounds(window) }
    }
    fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
        1e60
    }
}

fn ball(radius: f64) -> Sphere {
    Sphere::new(radius).unwrap()
}

fn at(x: f64) -> Hostile {
    Hostile { start: DVec3::X * x, ..Hostile::default() }
}

/// Pieces within the tolerance at the start touch: they are not skipped although they recede.
#[test]
fn what_touches_at_the_start_is_not_skipped() {
    let one = ball(0.5);
    let (still, receding) = (at(0.0), Hostile { velocity: DVec3::X, ..at(1.0 + 1e-3) });
    let sides =
        [Side { pieces: Solid(&one), motion: &still }, Side { pieces: Solid(&one), motion: &receding }];
    let limits = Limits { tolerance: 1e-2, ..Limits::default() };
    assert_eq!(proven_time(sides, limits), 0.0);
}

/// Bounds that overflow or are NaN prove nothing.
#[test]
fn what_is_not_known_is_no_step() {
    struct Broken(f64, f64);
    impl RigidMotion for Broken {
        fn pose_at(&self, _t: f64) -> PoseAt {
            PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::X * 3.0 }
        }
        fn pose_error(&self) -> PoseError {
            PoseError { rotation: 0.0, translation: 0.0 }
        }
        fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
            let center = Velocity { origin: DVec3::X, angular: DVec3::ZERO };
            VelocityBounds { center, origin_radius: self.0, angular_radius: 0.0 }
        }
        fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
            self.1
        }
    }
    let one = ball(0.5);
    let still = at(0.0);
    for (radius, acceleration) in [
        (f64::NAN, 0.0),
        (f64::NAN, f64::INFINITY),
        (0.0, f64::NAN),
        (f64::INFINITY, 0.0),
        (f64::INFINITY, f64::INFINITY),
        (1e200, 1e300),
    ] {
        let broken = Broken(radius, acceleration);
        let sides =
            [Side { pieces: Solid(&one), motion: &still }, Side { pieces: Solid(&one), motion: &broken }];
        let step = step(sides, Limits::default(), DVec3::ZERO);
        // With a NaN acceleration the speed still counts: the pair recedes.
        let is_proven = radius == 0.0;
        assert!(
            if is_proven { step == f64::INFINITY } else { step < 1e-90 },
            "{radius} {acceleration}: {step}"
        );
    }
    // A NaN pose is not apart, even if the pair recedes.
    let lost = Hostile { start: DVec3::splat(f64::NAN), velocity: DVec3::X, ..Hostile::default() };
    let jumping = Jumping(lost);
    for motion in [&lost as &dyn RigidMotion, &jumping] {
        let sides = [Side { pieces: Solid(&one), motion: &still }, Side { pieces: Solid(&one), motion }];
        assert_eq!(step(sides, Limits::default(), DVec3::X), 0.0);
    }
}

/// A pair that runs out of steps is undecided, and the others are still examined.
#[test]
fn a_budget_that_ends_is_undecided() {
    let one = ball(0.5);
    // The pair grazes at half time, at a distance far below the tolerance that the errors allow to prove.
    let (still, grazing) =
        (at(0.0), Hostile { start: DVec3::new(-2.0, 1.0 + 1e-9, 0.0), velocity: DVec3::X * 4.0, ..at(0.0) });
    let hitting = Hostile { start: DVec3::X * 3.0, velocity: -DVec3::X * 3.0, ..at(0.0) };
    let side = |motion| Side { pieces: Solid(&one), motion };
    let budget = Limits { max_iterations: 1, tolerance: 1e-12, ..Limits::default() };
    let alone = first_touch(&[[side(&still), side(&grazing)]], &budget, false, &mut TreeStats::default());
    let Verdict::Undecided { free_until } = alone.verdict else { panic!("{alone:?}") };
    assert!(free_until < 0.5);
    // An interrupt before any result.
    let interrupt = crate::Interrupt::default();
    interrupt.raise();
    let control = crate::Control { interrupt: Some(&interrupt), ..crate::Control::default() };
    let limits = Limits { watch: control.watch(), ..Limits::default() };
    let found = first_touch(&[[side(&still), side(&hitting)]], &limits, false, &mut TreeStats::default());
    assert!(matches!(found.verdict, Verdict::Undecided { .. }), "{found:?}");
}

/// Balls on a line, in motions of constant acceleration: the step ends where they touch.
#[test]
fn a_step_ends_at_the_contact_and_not_beyond() {
    let one = ball(0.5);
    // The gap is 1 + v t − a t² / 2.
    for (v, a, contact) in [
        (1.0, 8.0, (1.0 + 17f64.sqrt()) / 8.0),
        (-1.0, 8.0, (17f64.sqrt() - 1.0) / 8.0),
        (-2.0, 0.0, 0.5),
        (0.0, 8.0, 0.5),
    ] {
        let moving = Hostile { velocity: DVec3::X * v, acceleration: -DVec3::X * a, ..at(2.0) };
        let still = at(0.0);
        let sides =
            [Side { pieces: Solid(&one), motion: &still }, Side { pieces: Solid(&one), motion: &moving }];
        let step = step(sides, Limits::default(), DVec3::ZERO);
        assert!(step <= contact && step > contact - 1e-9, "{v} {a}: {step} {contact}");
    }
}

/// A ball that grows: its radius is `0.5 + rate t + acceleration t² / 2`.
#[derive(Clone, Copy)]
struct Growing {
    rate: f64,
    acceleration: f64,
}

impl Composite for Growing {
    type Volume<'a> = Growing;

    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }
    fn volume(&self, _node: u32) -> Growing {
        *self
    }
    fn piece(&self, _leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Triangle(Triangle::new([DVec3::ZERO; 3], [0; 3], 0))
    }
    fn part(&self, _leaf: u32) -> Part {
        Part::Solid
    }
    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

impl Volume for Growing {
    fn extent(&self, direction: DVec3) -> f64 {
        self.reach() * direction.length()
    }
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }
    fn reach(&self) -> f64 {
        0.5 + self.rate + 0.5 * self.acceleration
    }
    fn core_reach(&self) -> f64 {
        0.0
    }
    fn core_extent(&self, _direction: DVec3) -> f64 {
        0.0
    }
    fn size(&self) -> f64 {
        0.0
    }
    fn way_out(&self, point: DVec3) -> DVec3 {
        point
    }
    fn extent_at(&self, direction: DVec3, t: f64) -> f64 {
        (0.5 + self.rate * t + 0.5 * self.acceleration * t * t) * direction.length()
    }
    fn extent_speed(&self, direction: DVec3, _off: f64, t: f64) -> f64 {
        (self.rate + self.acceleration * t) * direction.length()
    }
    fn extent_acceleration(&self) -> f64 {
        self.acceleration
    }
}

/// Two balls at a distance of 2 that grow, each by itself: the gap is `1 − rate t − acceleration t² / 2`. If a velocity
/// jumps, the rule of first order gives the same.
#[test]
fn what_grows_is_never_late() {
    let grows = |rate: f64, acceleration: f64| Growing { rate, acceleration };
    let none = grows(0.0, 0.0);
    let (still, far) = (at(0.0), at(2.0));
    let jumping = Jumping(far);
    for (pieces, contact) in [
        ([grows(2.0, 0.0), none], 0.5),
        ([none, grows(2.0, 0.0)], 0.5),
        ([grows(0.0, 8.0), none], 0.5),
        ([none, grows(0.0, 8.0)], 0.5),
        ([none, none], f64::INFINITY),
    ] {
        for motion in [&far as &dyn RigidMotion, &jumping] {
            let [a, b] = pieces;
            let sides = [Side { pieces: a, motion: &still }, Side { pieces: b, motion }];
            let step = step(sides, Limits::default(), DVec3::ZERO);
            assert!(step <= contact && step > 0.1, "{step} {contact}");
        }
    }
}

/// Points far from the origin of their body, or bodies far from the origin: a pair that is proven apart along a
/// direction is apart in exact arithmetic.
#[test]
fn rounding_is_covered() {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let mut state = 12_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut counts = [0; 2];
    for case in 0..6000 {
        let mut vector = || DVec3::new(unit(), unit(), unit());
        let (large, near) = (vector() * 1e6, vector());
        let (in_body, place) = match case % 4 {
            0 => ([large, DVec3::ZERO], [DVec3::ZERO; 2]),
            1 => ([DVec3::ZERO, large], [DVec3::ZERO; 2]),
            2 => ([DVec3::ZERO; 2], [large, large + near]),
            _ => ([DVec3::ZERO; 2], [DVec3::ZERO, large]),
        };
        let coordinate = |k: usize| {
            (exact(place[1][k]) + exact(in_body[1][k])) - (exact(place[0][k]) + exact(in_body[0][k]))
        };
        let square = (0..3).fold(RBig::ZERO, |sum, k| sum + coordinate(k) * coordinate(k));
        // The required separation is a few units more or less than the exact one.
        let between = place[1] - place[0] + (in_body[1] - in_body[0]);
        let min_separation = between.length() * (1.0 + (vector().x * 8.0).round() * 0.5 * f64::EPSILON);
        let is_apart = square > exact(min_separation) * exact(min_separation);
        let points = in_body.map(|p| Triangle::new([p; 3], [0; 3], 0));
        let motions = place.map(FixedAt);
        let sides =
            [0, 1].map(|k| Side { pieces: Solid(&points[k]), motion: &motions[k] as &dyn RigidMotion });
        let limits = Limits { t_start: 0.25, min_separation, tolerance: 1e-15, ..Limits::default() };
        let step = step(sides, limits, between.normalize());
        assert!(step == 0.0 || is_apart, "case {case}: {place:?} {in_body:?} {min_separation}");
        let computed = between.normalize().dot(between) > min_separation;
        counts[0] += usize::from(is_apart);
        counts[1] += usize::from(computed && !is_apart);
    }
    assert!(counts[0] > 500 && counts[1] > 10, "{counts:?}");
}

/// Two meshes whose hulls cannot be followed to their contact, because their poses have large errors.
#[test]
fn hulls_that_are_undecided_prove_no_more_than_they_say() {
    let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - 0.5;
    let vertices: Vec<DVec3> = (0..8).map(corner).collect();
    let faces = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let mesh = Mesh::new(vertices, faces).unwrap();
    let still = at(0.0);
    let moving = Hostile { velocity: -DVec3::X * 4.0, moved: DVec3::X * 0.2, ..at(3.0) };
    let sides = [Side { pieces: &mesh, motion: &still }, Side { pieces: &mesh, motion: &moving }];
    let proven = proven_time(sides, Limits::default());
    assert!(proven <= 0.5 && proven > 0.3, "{proven}");
}

/// The pose of the first body has an error in rotation. A ball flies along a wall that is level in its pose. In truth
/// the wall rises in the direction of flight: the ball arrives, although its velocity has no part along the normal of
/// the pose.
#[test]
fn a_direction_that_is_off_costs_speed() {
    let (wall, ball) = (Cuboid::new(DVec3::new(40.0, 40.0, 0.002)).unwrap(), ball(0.001));
    let tilt = 0.01;
    let tilted = Jumping(Hostile { attitude: -DVec3::Y * tilt, turned: DVec3::Y * tilt, ..at(0.0) });
    let flying = Hostile { start: DVec3::Z * 0.052, velocity: DVec3::X * 10.0, ..at(0.0) };
    let sides =
        [Side { pieces: Solid(&wall), motion: &tilted }, Side { pieces: Solid(&ball), motion: &flying }];
    let contact = (0.052 * tilt.cos() - 0.002) / (10.0 * tilt.sin());
    let step = step(sides, Limits::default(), DVec3::Z);
    assert!(step <= contact && step > 0.9 * contact, "{step} {contact}");
}

/// Angular velocities are given in the frame of the first body. In its exact frame they are within the error that is
/// added to the speeds of points.
#[test]
fn angular_velocities_are_known_up_to_the_error_of_the_frame() {
    let mut state = 5_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let one = ball(0.5);
    let mut by_frame = 0;
    for _ in 0..200 {
        let mut vector = |size: f64| DVec3::new(unit(), unit(), unit()) * size;
        let motions = [0, 1].map(|_| Hostile {
            attitude: vector(2.0),
            spin: vector(3.0),
            turned: vector(0.02),
            spin_off: vector(0.01),
            ..Hostile::default()
        });
        let pairs = [motions
            .each_ref()
            .map(|motion| Side { pieces: Solid(&one), motion: motion as &dyn RigidMotion })];
        let (mut stats, limits) = (TreeStats::default(), Limits::default());
        let mut search = Search::new(&pairs, limits, &mut stats);
        let now = search.instant_at(0.25, 0);
        for (k, motion) in motions.iter().enumerate() {
            let exact = motions[0].exact(0.25).rotation.transpose() * motion.spin;
            let off = exact.distance(now.angular[k]);
            assert!(off <= now.speed_error_per_reach[k], "{off} {}", now.speed_error_per_reach[k]);
            by_frame += usize::from(off > motion.velocity_bounds(now.left).angular_radius);
        }
    }
    assert!(by_frame > 100, "{by_frame}");
}

/// Pairs that replace their parent share a node and the direction of the parent. Their steps have the bits of steps
/// without sharing.
#[test]
fn sharing_support_functions_changes_no_bit() {
    let mut state = 29_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut proven = 0;
    for _ in 0..40 {
        let mut vector = |size: f64| DVec3::new(unit(), unit(), unit()) * size;
        let meshes = [0, 1].map(|_| {
            let vertices: Vec<DVec3> = (0..60).map(|_| vector(1.0)).collect();
            Mesh::new(vertices, (0..20).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap()
        });
        let still = at(0.0);
        let moving = Hostile { start: vector(3.0), velocity: vector(3.0), spin: vector(2.0), ..at(0.0) };
        let motions: [&dyn RigidMotion; 2] = [&still, &moving];
        let pairs = [[0, 1].map(|k| Side { pieces: &meshes[k], motion: motions[k] })];
        let (mut stats, limits) = (TreeStats::default(), Limits::default());
        let mut search = Search::new(&pairs, limits, &mut stats);
        let now = search.instant_at(0.125, 0);
        let normal = moving.start.normalize();
        for (side, Side { pieces, .. }) in pairs[0].iter().enumerate() {
            let children = pieces.children(0).unwrap();
            let mut shared = Inherited::new(normal);
            for child in children.into_iter().chain(children) {
                let nodes = if side == 0 { [child, 0] } else { [0, child] };
                let (step, n) = search.step(&now, nodes, &mut shared, 0.01);
                let (alone, n_alone) = search.step(&now, nodes, &mut Inherited::new(normal), 0.01);
                assert_eq!((step.to_bits(), n), (alone.to_bits(), n_alone));
                proven += usize::from(step > 0.0 && n == normal);
            }
        }
    }
    assert!(proven > 50, "{proven}");
}
