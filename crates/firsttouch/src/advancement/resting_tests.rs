//! A contact at the start that deepens is never left out for too long: pairs in closed form whose bounds are attained.

use super::*;
use crate::advancement::RelativeBounds;

/// The separation along x is a function of time; it touches at the start.
struct Sinking<D, V, B> {
    depth: D,
    speed: V,
    acceleration: B,
    /// The difference between the exact separation and the lower bound at the start.
    unsure: f64,
    /// The difference between the upper bound of the distance and the separation.
    slack: f64,
}

impl<D, V, B> Approach for Sinking<D, V, B>
where
    D: Fn(f64) -> f64,
    V: Fn(Window) -> f64,
    B: Fn(Window) -> f64,
{
    fn separation(&mut self, t: f64) -> Separation {
        let s = -(self.depth)(t);
        let upper = if s > 0.0 { s } else { 0.0 };
        let slack = if t == 0.0 { 0.0 } else { self.slack };
        Separation { lower: s, upper: upper + slack, normal: DVec3::X, points: [DVec3::ZERO; 2] }
    }
    fn separation_along(&mut self, n: DVec3, t: f64) -> f64 {
        // Along any other direction they overlap by a lot.
        if n != DVec3::X {
            return -10.0;
        }
        -(self.depth)(t) - if t == 0.0 { self.unsure } else { 0.0 }
    }
    fn closing_speed(&self, _n: DVec3, window: Window) -> f64 {
        (self.speed)(window)
    }
    fn relative_bounds(&self, window: Window) -> RelativeBounds {
        RelativeBounds { distance: 10.0, speed: 10.0, acceleration: (self.acceleration)(window) }
    }
    fn closing_guess(&self, _separation: &Separation, _t: f64) -> f64 {
        0.0
    }
}

impl<D, V, B> Resting for Sinking<D, V, B>
where
    D: Fn(f64) -> f64,
    V: Fn(Window) -> f64,
    B: Fn(Window) -> f64,
{
    fn separation_at_most(&mut self, n: DVec3, t: f64) -> f64 {
        if n == DVec3::X { -(self.depth)(t) } else { -10.0 }
    }
    fn contact_normal(&mut self, _t: f64, _hint: DVec3) -> DVec3 {
        DVec3::X
    }
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, max_iterations: 2000, ..Limits::default() }
}

/// Returns the time up to which the contact is left out.
fn left_out(pair: &mut impl Resting, limits: &Limits) -> f64 {
    match advance_resting(pair, limits, 0.0, &mut 0) {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => free_until,
    }
}

/// It sinks at the speed 2: by the tolerance of 1/8 at 1/16.
#[test]
fn a_steady_sinking_ends_at_the_tolerance() {
    for unsure in [0.0, 0.05] {
        let mut pair =
            Sinking { depth: |t: f64| 2.0 * t, speed: |_| 2.0, acceleration: |_| 0.0, unsure, slack: 0.0 };
        let end = left_out(&mut pair, &limits(0.125));
        assert!(end <= 0.0625 && (unsure > 0.0 || end > 0.05), "{end}");
    }
}

/// It sinks by 2 within the time, a little more than the tolerance: the whole window is not proven.
#[test]
fn a_window_that_is_almost_proven_is_not() {
    let mut pair =
        Sinking { depth: |t: f64| 2.0 * t, speed: |_| 2.0, acceleration: |_| 1e9, unsure: 0.0, slack: 0.0 };
    let end = left_out(&mut pair, &limits(1.95));
    assert!(end <= 0.975 && end > 0.8, "{end}");
}

/// It sinks by 80 t³(1 − t)³ and comes back: at most 1.25 deep at half time, 0.5 deep where t (1 − t) = (1/160)^(1/3).
/// At the start speed and acceleration are 0, and at the end the depth is as at the start.
#[test]
fn what_comes_back_was_there() {
    let depth = |t: f64| 80.0 * (t * (1.0 - t)).powi(3);
    let speed = |w: Window| {
        let t = w.t1();
        80.0 * t * t * (3.0 + 12.0 * t + 15.0 * t * t + 6.0 * t * t * t)
    };
    let acceleration = |w: Window| {
        let t = w.t1();
        80.0 * t * (6.0 + 36.0 * t + 60.0 * t * t + 30.0 * t * t * t)
    };
    let deep = 0.5 - (0.25 - 160f64.cbrt().recip()).sqrt();
    let end = left_out(&mut Sinking { depth, speed, acceleration, unsure: 0.0, slack: 0.0 }, &limits(0.5));
    assert!(end <= deep && end > 0.5 * deep, "{end} {deep}");
}

/// It sinks with an acceleration of 8, from rest: 4 t² deep.
#[test]
fn an_accelerated_sinking_ends_at_the_tolerance() {
    let mut pair = Sinking {
        depth: |t: f64| 4.0 * t * t,
        speed: |w: Window| 8.0 * w.t1(),
        acceleration: |_| 8.0,
        unsure: 0.0,
        slack: 0.0,
    };
    let end = left_out(&mut pair, &limits(0.25));
    assert!(end <= 0.25 && end > 0.2, "{end}");
}

#[test]
fn what_is_not_known_is_undecided() {
    // A speed that is NaN.
    let mut pair = Sinking {
        depth: |_: f64| 0.0,
        speed: |_| f64::NAN,
        acceleration: |_| f64::NAN,
        unsure: 0.0,
        slack: 0.0,
    };
    let end = left_out(&mut pair, &limits(0.25));
    assert!(end <= 0.0, "{end}");
    // A budget of one step.
    let mut pair =
        Sinking { depth: |t: f64| 0.3 * t, speed: |_| 1.0, acceleration: |_| 1e6, unsure: 0.0, slack: 0.0 };
    let budget = Limits { max_iterations: 1, ..limits(0.25) };
    let verdict = advance_resting(&mut pair, &budget, 0.0, &mut 0);
    assert!(matches!(verdict, Verdict::Undecided { free_until } if free_until < 1.0), "{verdict:?}");
    // If the proof ends and the pieces may be apart, the result is neither free nor a touch.
    let mut pair =
        Sinking { depth: |t: f64| 2.0 * t, speed: |_| 2.0, acceleration: |_| 0.0, unsure: 0.0, slack: 1.0 };
    let verdict = advance_resting(&mut pair, &limits(0.125), 0.0, &mut 0);
    assert!(matches!(verdict, Verdict::Undecided { free_until } if free_until <= 0.0625), "{verdict:?}");
}

/// Each rule alone, for a contact that may deepen by 1 and deepens steadily by a little more, or by 1.5. `follow` tries
/// shorter windows than these, so it does not need to refuse them.
#[test]
fn a_window_in_which_it_deepens_is_not_proven() {
    let beyond = |separation: f64| (separation + 1.0).next_down();
    for (depth, acceleration) in [(1.05, 1e9), (1.5, 0.0), (0.95, 1e9)] {
        let mut pair = Sinking {
            depth: |t: f64| depth * t,
            speed: |_| depth,
            acceleration: |_| acceleration,
            unsure: 0.0,
            slack: 0.0,
        };
        let margin = beyond(pair.separation_along(DVec3::X, 0.0));
        let is_free = is_proven(&mut pair, DVec3::X, margin, &beyond, 0.0, 1.0);
        assert_eq!(is_free, depth < 1.0, "{depth}");
    }
}
