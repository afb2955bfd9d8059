//! The step of a pair of nodes against the exact first contact, with motions that use up all their errors.

use super::*;
use crate::motion::hostile::{BoxAndBall, Hostile};
use crate::motion::{PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::shape::{Cuboid, Sphere};
use composite::Solid;

fn limits(min_separation: f64) -> Limits {
    Limits { min_separation, max_iterations: 60, ..Limits::default() }
}

/// The step of two roots from the start, with any direction tried.
fn step<C: Composite + Copy>(sides: [Side<'_, C>; 2], limits: Limits, inherited: DVec3) -> f64 {
    let pairs = [sides];
    let mut stats = TreeStats::default();
    let mut search = Search { pairs: &pairs, limits, stats: &mut stats, instant: None, resting: 0 };
    let now = search.instant_at(limits.t_start, 0);
    search.step(&now, [0, 0], inherited, f64::INFINITY).0
}

/// The time that the engine proves free.
fn proven_time<C: Composite + Copy>(sides: [Side<'_, C>; 2], limits: Limits) -> f64 {
    match first_touch(&[sides], &limits, false, &mut TreeStats::default()).verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => free_until,
    }
}

/// One velocity jumps: no acceleration is known, and the rule of first order is used.
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
        let motions: [&dyn RigidMotion; 2] = if case % 3 == 0 {
            [&jumping[0], &jumping[1]]
        } else {
            [&scene.motions[0], &scene.motions[1]]
        };
        let mut sides = [
            Side { pieces: Solid(&cuboid), motion: motions[0] },
            Side { pieces: Solid(&sphere), motion: motions[1] },
        ];
        if case % 2 == 0 {
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
    assert!(5 * meets > 2 * tried && 5 * meets < 4 * tried, "{meets} of {tried} meet");
    assert!(3 * close > meets, "{close} of {meets} steps are long");
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
        // With a NaN acceleration the speed still counts: it recedes.
        let is_proven = radius == 0.0;
        assert!(if is_proven { step == f64::INFINITY } else { step < 1e-90 }, "{radius} {acceleration}: {step}");
    }
    // A pose that is NaN is not apart.
    let lost = Hostile { start: DVec3::splat(f64::NAN), ..Hostile::default() };
    let sides = [Side { pieces: Solid(&one), motion: &still }, Side { pieces: Solid(&one), motion: &lost }];
    assert_eq!(step(sides, Limits::default(), DVec3::X), 0.0);
}

/// A pair that runs out of steps is undecided, and the others are still looked at.
#[test]
fn a_budget_that_ends_is_undecided() {
    let one = ball(0.5);
    // Grazes at half time, at a distance far below the tolerance that its errors allow to be proven.
    let (still, grazing) =
        (at(0.0), Hostile { start: DVec3::new(-2.0, 1.0 + 1e-9, 0.0), velocity: DVec3::X * 4.0, ..at(0.0) });
    let hitting = Hostile { start: DVec3::X * 3.0, velocity: -DVec3::X * 3.0, ..at(0.0) };
    let side = |motion| Side { pieces: Solid(&one), motion };
    let budget = Limits { max_iterations: 1, tolerance: 1e-12, ..Limits::default() };
    let alone = first_touch(&[[side(&still), side(&grazing)]], &budget, false, &mut TreeStats::default());
    let Verdict::Undecided { free_until } = alone.verdict else { panic!("{alone:?}") };
    assert!(free_until < 0.5);
    // A search for any touch does not end at the pair that ran out of steps.
    let limits = Limits { max_iterations: 2, ..Limits::default() };
    let both = [[side(&still), side(&grazing)], [side(&still), side(&hitting)]];
    let found = first_touch(&both, &limits, true, &mut TreeStats::default());
    assert!(!found.verdict.is_free(), "{found:?}");
    // Interrupted before anything is known.
    let interrupt = crate::Interrupt::default();
    interrupt.raise();
    let control = crate::Control { interrupt: Some(&interrupt), ..crate::Control::default() };
    let limits = Limits { watch: control.watch(), ..Limits::default() };
    let found = first_touch(&[[side(&still), side(&hitting)]], &limits, false, &mut TreeStats::default());
    assert!(matches!(found.verdict, Verdict::Undecided { .. }), "{found:?}");
}
