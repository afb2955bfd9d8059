//! The bounds of a pair of solids against exact positions, with motions that use the full size of their errors.

use super::*;
use crate::advancement::{Limits, Verdict, advance};
use crate::motion::hostile::{BoxAndBall, FixedAt, Hostile};
use crate::motion::{Motion, Pose};
use crate::pair::piece::MovingTriangle;
use crate::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Sphere, Triangle};
use dashu_ratio::RBig;

fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(draw(state), draw(state), draw(state))
}

/// Returns the time that advancement proves free.
fn proven_time(pair: &mut impl Approach, limits: &Limits) -> f64 {
    match advance(pair, limits, &mut 0) {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => free_until,
    }
}

/// No proof reaches beyond the first contact of the exact motions, for an error on either side of the pair.
#[test]
fn motions_that_use_up_their_errors_are_never_late() {
    let mut state = 2;
    let (mut meets, mut close, mut tried) = (0, 0, 0);
    for case in 0..4000 {
        let scene = BoxAndBall::random(&mut state, case % BoxAndBall::KINDS);
        let min_separation = if case % 5 == 0 { 0.1 } else { 0.0 };
        if scene.distance(0.0) <= min_separation + 0.01 {
            continue;
        }
        let contact = scene.contact(min_separation);
        let (cuboid, sphere) = (Cuboid::new(scene.half * 2.0).unwrap(), Sphere::new(scene.radius).unwrap());
        let a = Moving { shape: &cuboid, motion: &scene.motions[0] };
        let b = Moving { shape: &sphere, motion: &scene.motions[1] };
        let limits = Limits { min_separation, max_iterations: 60, ..Limits::default() };
        let proven = if (case / BoxAndBall::KINDS).is_multiple_of(2) {
            proven_time(&mut ConvexPair::new(a, b, min_separation, limits.tolerance), &limits)
        } else {
            proven_time(&mut ConvexPair::new(b, a, min_separation, limits.tolerance), &limits)
        };
        assert!(proven <= contact, "case {case}: free until {proven}, contact at {contact}: {scene:?}");
        tried += 1;
        meets += usize::from(contact <= 1.0);
        close += usize::from(contact <= 1.0 && proven > contact - 0.3);
    }
    assert!(4 * meets > tried && 5 * meets < 4 * tried, "{meets} of {tried} meet");
    assert!(2 * close > meets, "{close} of {meets} are proven nearly up to the contact");
}

/// The largest distance, speed and acceleration of two corners of boxes, by differences of exact positions.
#[test]
fn bounds_hold_for_every_pair_of_points() {
    let still = Hostile::default();
    let far = Hostile { start: DVec3::X * 3.0, ..still };
    // One cause for each bound, attained by some pair of corners.
    let causes = [
        [still, far],
        [Hostile { velocity: -DVec3::X * 4.0, ..still }, far],
        [still, Hostile { velocity: DVec3::X * 4.0, ..far }],
        [Hostile { velocity: -DVec3::X * 4.0, velocity_off: DVec3::X * 4.0, ..still }, far],
        [still, Hostile { velocity: DVec3::X * 4.0, velocity_off: -DVec3::X * 4.0, ..far }],
        [Hostile { spin: DVec3::Z * 3.0, ..still }, far],
        [still, Hostile { spin: DVec3::Z * 3.0, ..far }],
        [Hostile { spin: DVec3::Z * 3.0, spin_off: -DVec3::Z * 3.0, ..still }, far],
        [still, Hostile { spin: DVec3::Z * 3.0, spin_off: -DVec3::Z * 3.0, ..far }],
        [Hostile { acceleration: DVec3::X * 5.0, ..still }, far],
        [still, Hostile { acceleration: DVec3::X * 5.0, ..far }],
        [Hostile { moved: DVec3::X * 0.5, ..still }, far],
        [still, Hostile { moved: -DVec3::X * 0.5, ..far }],
    ];
    let thin = Cuboid::new(DVec3::new(2.0, 1e-6, 1e-6)).unwrap();
    let ends = [-DVec3::X, DVec3::X];
    let full = Window::between(0.0, 1.0);
    let (mut attained, h) = ([0; 3], 1e-4);
    for [a, b] in &causes {
        let pair = ConvexPair::new(
            Moving { shape: &thin, motion: a },
            Moving { shape: &thin, motion: b },
            0.0,
            1e-6,
        );
        let bounds = pair.relative_bounds(full);
        let [mut distance, mut speed, mut acceleration] = [0.0_f64; 3];
        for i in 1..100 {
            let t = f64::from(i) * 0.01;
            for from in ends {
                for to in ends {
                    let r = |t: f64| b.exact(t).apply(to) - a.exact(t).apply(from);
                    distance = distance.max(r(t).length());
                    speed = speed.max((r(t + h) - r(t - h)).length() / (2.0 * h));
                    acceleration = acceleration.max((r(t + h) - 2.0 * r(t) + r(t - h)).length() / (h * h));
                    // The closing speed along a direction is within the bound.
                    for n in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y] {
                        let closing = -(r(t + h) - r(t - h)).dot(n) / (2.0 * h);
                        let bound = pair.closing_speed(n, full);
                        assert!(closing <= bound + 1e-6, "{closing} > {bound} along {n}: {a:?} {b:?}");
                    }
                }
            }
        }
        assert!(distance <= bounds.distance + 1e-9, "{distance} > {}: {a:?} {b:?}", bounds.distance);
        assert!(speed <= bounds.speed + 1e-6, "{speed} > {}: {a:?} {b:?}", bounds.speed);
        assert!(acceleration <= bounds.acceleration + 1e-5, "{acceleration} > {bounds:?}: {a:?} {b:?}");
        attained[0] += usize::from(distance > 0.9 * bounds.distance);
        attained[1] += usize::from(speed > 0.9 * bounds.speed && speed > 0.0);
        attained[2] += usize::from(acceleration > 0.9 * bounds.acceleration && acceleration > 0.0);
    }
    assert!(attained[0] >= 3 && attained[1] >= 4 && attained[2] >= 4, "{attained:?}");
}

/// A point that deforms in the world frame, with acceleration, and is known only up to `uncertainty`.
struct Swaying {
    velocity: DVec3,
    acceleration: DVec3,
    uncertainty: f64,
    now: Triangle,
}

impl Swaying {
    fn new(velocity: DVec3, acceleration: DVec3, uncertainty: f64) -> Swaying {
        Swaying { velocity, acceleration, uncertainty, now: Triangle::new([DVec3::ZERO; 3], [0; 3], 0) }
    }
}

impl Piece for Swaying {
    type Solid = Triangle;
    fn solid(&self) -> &Triangle {
        &self.now
    }
    fn look_at(&mut self, t: f64) -> bool {
        self.now = Triangle::new([self.velocity * t + self.acceleration * (0.5 * t * t); 3], [0; 3], 0);
        true
    }
    fn reach(&self) -> f64 {
        self.velocity.length() + self.acceleration.length()
    }
    fn deform_speed_along(&self, n: DVec3, window: Window) -> f64 {
        let rate = |t: f64| (self.velocity + self.acceleration * t).dot(n);
        rate(window.t0()).max(rate(window.t1()))
    }
    fn deform_speed(&self, _window: Window) -> f64 {
        self.velocity.length() + self.acceleration.length()
    }
    fn deform_acceleration(&self, _window: Window) -> f64 {
        self.acceleration.length()
    }
    fn uncertainty(&self) -> f64 {
        self.uncertainty
    }
}

#[test]
fn what_deforms_is_never_late() {
    let far = Hostile { start: DVec3::X, ..Hostile::default() };
    let still = Hostile::default();
    let ball = Sphere::new(0.25).unwrap();
    // At 2 t, contact at 0.375; from rest at 4 t², contact at sqrt(0.75) / 2.
    for (velocity, acceleration, contact) in [(2.0, 0.0, 0.375), (0.0, 8.0, 0.75_f64.sqrt() / 2.0)] {
        let piece = || Swaying::new(DVec3::X * velocity, DVec3::X * acceleration, 0.0);
        let a = Moving { shape: piece(), motion: &still };
        let b = Moving { shape: &ball, motion: &far };
        let proven = proven_time(&mut ConvexPair::new(a, b, 0.0, 1e-6), &Limits::default());
        assert!(proven <= contact && proven > contact - 1e-5, "{proven} {contact}");
        let back = Hostile { start: -DVec3::X, ..still };
        let a = Moving { shape: &ball, motion: &back };
        let b = Moving {
            shape: Swaying::new(-DVec3::X * velocity, -DVec3::X * acceleration, 0.0),
            motion: &still,
        };
        let proven = proven_time(&mut ConvexPair::new(a, b, 0.0, 1e-6), &Limits::default());
        assert!(proven <= contact && proven > contact - 1e-5, "{proven} {contact}");
        // The bounds of second order, from the pieces alone.
        for swapped in [false, true] {
            let (of_piece, of_ball) =
                (Moving { shape: piece(), motion: &still }, Moving { shape: &ball, motion: &far });
            let bounds = if swapped {
                ConvexPair::new(of_ball, of_piece, 0.0, 1e-6).relative_bounds(Window::between(0.0, 1.0))
            } else {
                ConvexPair::new(of_piece, of_ball, 0.0, 1e-6).relative_bounds(Window::between(0.0, 1.0))
            };
            assert!(
                bounds.speed >= velocity + acceleration && bounds.acceleration >= acceleration,
                "{bounds:?}"
            );
        }
    }
}

/// The points of a piece that is known up to 0.1 may be 0.1 closer than the piece, and the gap includes that.
#[test]
fn the_gap_includes_what_is_not_known() {
    let far = Hostile { start: DVec3::X, ..Hostile::default() };
    let still = Hostile::default();
    let ball = Sphere::new(0.25).unwrap();
    let unsure = || Moving { shape: Swaying::new(DVec3::ZERO, DVec3::ZERO, 0.1), motion: &still };
    let known = Moving { shape: &ball, motion: &far };
    let mut pair = ConvexPair::new(unsure(), known, 0.0, 1e-6);
    let now = pair.separation(0.0);
    assert!(now.upper >= 0.85 && now.upper < 0.851, "{now:?}");
    assert!(ConvexPair::new(known, unsure(), 0.0, 1e-6).separation(0.0).upper >= 0.85);
    // The upper bound of the separation along a direction exceeds it by at most twice the error.
    let most = pair.separation_at_most(DVec3::X, 0.0);
    assert!(most >= 0.85, "{most}");
    let wrong = Hostile { moved: -DVec3::X * 0.1, start: DVec3::X, ..still };
    let point = Triangle::new([DVec3::ZERO; 3], [0; 3], 0);
    let a = Moving { shape: &point, motion: &still };
    let b = Moving { shape: &point, motion: &wrong };
    let mut pair = ConvexPair::new(a, b, 0.0, 1e-6);
    let (now, most) = (pair.separation(0.0), pair.separation_at_most(DVec3::X, 0.0));
    assert!(now.upper >= 1.0 && most >= 1.0 && now.lower <= 0.8 + 1e-12, "{now:?} {most}");
}

/// Two points, with coordinates in the body or positions of the body that are large or small. Distances are compared as
/// squares, in rational numbers.
#[test]
fn distances_of_points_are_enclosed_exactly() {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let mut state = 4;
    let mut inexact = [0; 2];
    for case in 0..4000 {
        let (large, near) = (vector(&mut state) * 1e6, vector(&mut state));
        // The large values: the coordinates in the body, the positions, or neither.
        let (in_body, at) = match case % 4 {
            0 => ([large, large + near], [DVec3::ZERO; 2]),
            1 => ([DVec3::ZERO; 2], [large, large + near]),
            2 => ([DVec3::ZERO; 2], [near, vector(&mut state)]),
            _ => ([large, DVec3::ZERO], [DVec3::ZERO, large + near]),
        };
        let pieces = in_body.map(|p| Triangle::new([p; 3], [0; 3], 0));
        let motions = at.map(FixedAt);
        let a = Moving { shape: &pieces[0], motion: &motions[0] };
        let b = Moving { shape: &pieces[1], motion: &motions[1] };
        let mut pair = ConvexPair::new(a, b, 0.0, 1e-15);
        let now = pair.separation(0.0);
        let between = [0, 1, 2]
            .map(|k| (exact(at[1][k]) + exact(in_body[1][k])) - (exact(at[0][k]) + exact(in_body[0][k])));
        let square = between.iter().fold(RBig::ZERO, |sum, x| sum + x * x);
        let squared = |x: f64| exact(x) * exact(x);
        assert!(now.lower <= 0.0 || squared(now.lower) <= square, "case {case}: {now:?}");
        assert!(squared(now.upper) >= square, "case {case}: {now:?}");
        let naive = (at[1] - at[0] + (in_body[1] - in_body[0])).length();
        inexact[usize::from(squared(naive) > square)] += 1;
    }
    assert!(inexact[0] > 1000 && inexact[1] > 1000, "{inexact:?}");
}

/// A triangle whose corners move on lines: no corner is faster or farther out than the bounds, in exact arithmetic.
#[test]
fn corners_of_a_moving_triangle_keep_their_bounds() {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let window = Window::between(0.0, 1.0);
    let mut state = 8;
    let mut inexact = 0;
    for case in 0..2000 {
        let size = [1.0, 1e6, 1e-3][case % 3];
        let t0 = [0; 3].map(|_| vector(&mut state) * size);
        let t1 = if case % 2 == 0 { t0.map(|p| p * 2.0) } else { [0; 3].map(|_| vector(&mut state) * size) };
        let piece = MovingTriangle::new(t0, t1, [0, 1, 2], 0);
        let n = vector(&mut state).normalize();
        let bound = exact(piece.deform_speed_along(n, window));
        let (speed, reach) = (exact(piece.deform_speed(window)), exact(Piece::reach(&piece)));
        for k in 0..3 {
            let velocity = [0, 1, 2].map(|i| exact(t1[k][i]) - exact(t0[k][i]));
            let along = (0..3).fold(RBig::ZERO, |sum, i| sum + &velocity[i] * exact(n[i]));
            assert!(along <= bound, "{t0:?} {t1:?} {n}");
            inexact += usize::from(along > exact((t1[k] - t0[k]).dot(n)));
            let square = |v: &[RBig; 3]| v.iter().fold(RBig::ZERO, |sum, x| sum + x * x);
            assert!(square(&velocity) <= &speed * &speed, "{t0:?} {t1:?}");
            for corner in [t0[k], t1[k]] {
                assert!(square(&corner.to_array().map(exact)) <= &reach * &reach, "{t0:?} {t1:?}");
            }
        }
    }
    assert!(inexact > 1000, "{inexact}");
    // A motion whose square underflows.
    let tiny = MovingTriangle::new([DVec3::ZERO; 3], [DVec3::X * 1e-170; 3], [0, 1, 2], 0);
    assert!(tiny.deform_speed(window) >= 1e-170);
}

/// The lower bound of the distance is the separation along the normal, bit for bit, although the support points come
/// from the search.
#[test]
fn the_distance_is_proven_by_the_separation_along_the_normal() {
    let state = &mut 23;
    let points: Vec<DVec3> = (0..60).map(|_| vector(state)).collect();
    let solids: Vec<Box<dyn Convex>> = vec![
        Box::new(Cuboid::new(DVec3::new(0.5, 1.0, 1.5)).unwrap()),
        Box::new(Sphere::new(0.5).unwrap()),
        Box::new(Capsule::new(0.3, 1.0).unwrap()),
        Box::new(Cylinder::new(0.4, 1.0).unwrap()),
        Box::new(Ellipsoid::new(DVec3::new(0.4, 0.7, 1.0)).unwrap()),
        Box::new(Hull::new(&points).unwrap()),
        Box::new(Triangle::new([points[0], points[1], points[2]], [0, 1, 2], 0)),
    ];
    let mut apart = 0;
    for case in 0..2000 {
        let mut motion = || {
            let mut pose = || {
                let turn = glam::DQuat::from_xyzw(draw(state), draw(state), draw(state), draw(state));
                Pose::new(vector(state), turn).unwrap()
            };
            Motion::linear(pose(), pose())
        };
        let motions = [motion(), motion()];
        let a = Moving { shape: &*solids[case % solids.len()], motion: &motions[0] };
        let b = Moving { shape: &*solids[case / solids.len() % solids.len()], motion: &motions[1] };
        let mut pair = ConvexPair::new(a, b, 0.0, 1e-6);
        for t in [0.0, 0.5 + 0.5 * draw(state), 1.0] {
            let found = pair.separation(t);
            let along = pair.separation_along(found.normal, t);
            assert_eq!(found.lower.to_bits(), along.to_bits(), "case {case} at {t}");
            apart += usize::from(found.lower > 0.0);
        }
    }
    assert!((1200..4800).contains(&apart), "{apart} of 6000 are apart");
}
