//! The time that one direction proves, against exact arithmetic.

use super::super::{EdgeEdge, Verdict, VertexFace};
use super::*;
use dashu_ratio::RBig;

fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / 2f64.powi(52) - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(draw(state), draw(state), draw(state))
}

/// Returns true if all differences of the second and the first feature are at least `separation` along `n` at `t`,
/// exactly.
fn is_apart<P: Pair>(q: &P, n: DVec3, t: f64, separation: f64) -> bool {
    let n = n.to_array().map(rational);
    let length = n.iter().fold(RBig::ZERO, |sum, x| sum + x * x);
    let t = rational(t);
    (0..P::SPLIT).all(|i| {
        (P::SPLIT..4).all(|j| {
            let along = (0..3).fold(RBig::ZERO, |sum, k| {
                let d0 = rational(q.t0()[j][k]) - rational(q.t0()[i][k]);
                let d1 = rational(q.t1()[j][k]) - rational(q.t1()[i][k]);
                sum + &n[k] * (&d0 + (d1 - &d0) * &t)
            });
            along >= RBig::ZERO && &along * &along >= rational(separation) * rational(separation) * &length
        })
    })
}

fn check<P: Pair>(q: &P, state: &mut u64, tight: bool) -> [bool; 3] {
    let differences = Differences::new(q);
    let t = 0.3 * (1.0 + draw(state));
    let points = positions(q, t);
    let touching = closest_points::<P>(&points);
    let (distance, n) = length_and_direction(touching.b - touching.a);
    // In the tight cases only rounding is left.
    let separation = if tight {
        distance * (1.0 + (draw(state) * 12.0).round() * 0.25 * f64::EPSILON)
    } else {
        distance * 0.5 * (1.0 + draw(state))
    };
    match differences.safe_until(n, t, separation) {
        None => {
            assert!(
                is_apart(q, n, 1.0, separation) && is_apart(q, n, t, separation),
                "{separation} from {t}"
            );
            [true, false, false]
        }
        Some(until) if until <= t => [false, true, false],
        Some(until) => {
            let end = if until < 1.0 { until } else { 1.0 };
            assert!(
                is_apart(q, n, t, separation) && is_apart(q, n, end, separation),
                "{separation} from {t} to {until}"
            );
            [false, false, true]
        }
    }
}

#[test]
fn a_direction_proves_only_what_is_true() {
    let mut state = 5;
    let mut count = [0; 3];
    for case in 0..6000 {
        // Nearby features, far from the origin in some cases, and slow in others.
        let offset = vector(&mut state) * [0.0, 1.0][case % 2];
        let size = [1.0, 1e-3, 1e-6][case % 3];
        let slow = [1.0, 1e-3][case / 6 % 2];
        let p = [0; 4].map(|_| vector(&mut state) * size);
        let t0 = p.map(|p| offset + p);
        let t1 = p.map(|p| offset + p + vector(&mut state) * size * slow);
        let tight = case % 5 < 3;
        let kind = if case % 4 < 2 {
            check(&VertexFace { t0, t1 }, &mut state, tight)
        } else {
            check(&EdgeEdge { t0, t1 }, &mut state, tight)
        };
        for (count, one) in count.iter_mut().zip(kind) {
            *count += usize::from(one);
        }
    }
    assert!(count.iter().all(|&n| n > 300), "{count:?}");
}

#[test]
fn a_distance_that_is_not_known_proves_nothing() {
    let receding = VertexFace {
        t0: [DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y],
        t1: [DVec3::Z * 2.0, DVec3::ZERO, DVec3::X, DVec3::Y],
    };
    let differences = Differences::new(&receding);
    assert_eq!(differences.safe_until(-DVec3::Z, 0.0, 0.5), None);
    assert_eq!(differences.safe_until(-DVec3::Z, 0.0, f64::NAN), Some(0.0));
    assert_eq!(differences.safe_until(DVec3::splat(f64::NAN), 0.0, 0.5), Some(0.0));
    assert_eq!(differences.safe_until(DVec3::Z, 0.0, 0.5), Some(0.0));
}

#[test]
fn a_budget_that_ends_is_undecided() {
    // The vertex slides past a corner: many short steps.
    let at = |x: f64| [DVec3::new(x, 0.0, 1.0), DVec3::ZERO, DVec3::X, DVec3::Y];
    let q = VertexFace { t0: at(-4.0), t1: at(4.0) };
    let limits = Limits { min_separation: 0.99999, tolerance: 1e-12, max_iterations: 2, ..Limits::default() };
    let Verdict::Undecided { free_until } = advance(&q, &limits) else { panic!() };
    assert!(free_until > 0.0 && free_until <= 0.5);
    // Near the end of a fall, a step of 1e-20 does not change the time.
    let at = |z: f64| [DVec3::new(0.2, 0.2, z), DVec3::ZERO, DVec3::X, DVec3::Y];
    let q = VertexFace { t0: at(1.0), t1: at(-1.0) };
    let limits = Limits { min_separation: 0.3, tolerance: 1e-18, max_iterations: 100, ..Limits::default() };
    let Verdict::Undecided { free_until } = advance(&q, &limits) else { panic!() };
    assert!(free_until <= 0.35 && free_until > 0.349);
    // A contact at the end is not free up to the end.
    let q = VertexFace { t0: at(1.0), t1: at(0.25) };
    let limits = Limits { min_separation: 0.25 + 1e-6, tolerance: 1e-5, ..Limits::default() };
    assert!(matches!(advance(&q, &limits), Verdict::Touch(_)));
}
