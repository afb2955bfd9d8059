//! The rules of advancement against pairs whose bounds are all attained, judged by exact arithmetic or closed forms.

use super::*;
use crate::{Interrupt, control::Control};
use dashu_ratio::RBig;

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

/// Returns a number in [0, 1).
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// A pair whose separation is a function of time, with given bounds over a window.
struct Known<D, V, B> {
    distance: D,
    speed: V,
    bounds: B,
}

impl<D, V, B> Approach for Known<D, V, B>
where
    D: Fn(f64) -> Separation,
    V: Fn(Window) -> f64,
    B: Fn(Window) -> RelativeBounds,
{
    fn separation(&mut self, t: f64) -> Separation {
        (self.distance)(t)
    }
    fn separation_along(&mut self, n: DVec3, t: f64) -> f64 {
        let now = (self.distance)(t);
        // The second piece is a point at `upper` along the normal.
        now.lower * n.dot(now.normal)
    }
    fn closing_speed(&self, _n: DVec3, window: Window) -> f64 {
        (self.speed)(window)
    }
    fn relative_bounds(&self, window: Window) -> RelativeBounds {
        (self.bounds)(window)
    }
    fn closing_guess(&self, _separation: &Separation, _t: f64) -> f64 {
        0.0
    }
}

/// Returns a separation by `distance` along x, known exactly.
fn apart(distance: f64) -> Separation {
    Separation { lower: distance, upper: distance, normal: DVec3::X, points: [DVec3::ZERO; 2] }
}

/// Returns bounds of pieces that do not turn, with at most this acceleration.
fn bent(acceleration: f64) -> RelativeBounds {
    RelativeBounds { distance: 10.0, speed: 10.0, acceleration }
}

fn run(pair: &mut impl Approach, limits: Limits) -> Verdict<PieceTouch> {
    advance(pair, &limits, &mut 0)
}

/// Returns the time that a verdict proves free.
fn proven(verdict: &Verdict<PieceTouch>) -> f64 {
    match verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => *free_until,
    }
}

#[test]
fn a_step_of_first_order_never_passes_the_contact() {
    let mut state = 3;
    let (mut closest, mut inexact) = (0.0_f64, 0);
    for case in 0..4000 {
        let t_start = draw(&mut state) * 0.5;
        let min_separation = if case % 2 == 0 { 0.0 } else { draw(&mut state) };
        let lower = min_separation + draw(&mut state) * [1.0, 1e-3, 1e-9][case % 3];
        let speed = 4.0 + draw(&mut state);
        if lower <= min_separation {
            continue;
        }
        let mut pair =
            Known { distance: |_| apart(lower), speed: |_| speed, bounds: |_| RelativeBounds::NONE };
        let limits =
            Limits { t_start, min_separation, tolerance: 1e-100, max_iterations: 1, ..Limits::default() };
        let Verdict::Undecided { free_until } = run(&mut pair, limits) else { panic!("one step is too few") };
        // The pair that closes in at this speed has not used more than its margin.
        let left = exact(lower) - exact(min_separation) - exact(speed) * (exact(free_until) - exact(t_start));
        assert!(left >= RBig::ZERO, "{lower} - {min_separation} at {speed} from {t_start}: {free_until}");
        let step = (lower - min_separation) / speed;
        closest = closest.max((free_until - t_start) / step);
        inexact += usize::from(exact(t_start) + exact(step) != exact(t_start + step));
    }
    assert!(closest > 1.0 - 1e-12, "the steps are shorter than they need to be: {closest}");
    assert!(inexact > 2000, "the sums are too easy: {inexact}");
}

/// At a single instant the separation alone decides, at any closing speed: no step is needed, and no step would change
/// the time.
#[test]
fn an_instant_needs_no_step() {
    let limits = Limits { t_start: 0.5, t_end: 0.5, tolerance: 1e-6, ..Limits::default() };
    let at = |distance: f64| {
        let mut pair =
            Known { distance: |_| apart(distance), speed: |_| 1e15, bounds: |_| RelativeBounds::NONE };
        run(&mut pair, limits)
    };
    assert_eq!(at(1e-5), Verdict::Free);
    assert_eq!(proven(&at(1e-7)), 0.5);
    assert_eq!(proven(&at(-1.0)), 0.5);
}

/// The function with the largest bend between `a²` and `b²` stays above zero exactly if half its bend is at most
/// `(a + b)²`.
#[test]
fn a_step_of_second_order_is_proven_exactly_if_it_is_free() {
    let mut state = 5;
    let (mut free, mut not_free) = (0, 0);
    for case in 0..4000 {
        let (a, b) = ((1.0 + draw(&mut state) * 8.0).floor(), (1.0 + draw(&mut state) * 8.0).floor());
        let h = 0.1 + draw(&mut state);
        // The bend has three parts: the direction turns, it turns while the points move, and these accelerate.
        let whole = 2.0 * (a + b) * (a + b) * (1.0 + if case % 2 == 0 { 1e-12 } else { -1e-12 });
        let shares = [draw(&mut state), draw(&mut state), draw(&mut state)];
        let shares = match case % 5 {
            0 => [1.0, 0.0, 0.0],
            1 => [0.0, 1.0, 0.0],
            2 => [0.0, 0.0, 1.0],
            _ => shares,
        };
        let part = |k: usize| whole * shares[k] / (shares[0] + shares[1] + shares[2]);
        let angle = 0.01 + draw(&mut state);
        let bounds = RelativeBounds {
            distance: part(0) / (angle * angle),
            speed: part(1) / (2.0 * angle * h),
            acceleration: part(2) / (h * h),
        };
        let is_free = case % 2 == 1;
        assert_eq!(proves_free(a * a, b * b, angle, &bounds, h), is_free, "{a} {b} {angle} {h} {bounds:?}");
        free += usize::from(is_free);
        not_free += usize::from(!is_free);
    }
    assert!(free == 2000 && not_free == 2000);
    let none = bent(0.0);
    assert!(!proves_free(0.0, 1.0, 0.0, &none, 1.0) && !proves_free(1.0, -1.0, 0.0, &none, 1.0));
    assert!(!proves_free(f64::NAN, 1.0, 0.0, &none, 1.0) && !proves_free(1.0, 1.0, f64::NAN, &none, 1.0));
    assert!(!proves_free(1.0, 1.0, f64::INFINITY, &none, 1.0));
}

#[test]
fn the_rounding_of_the_bend_is_covered() {
    let mut state = 9;
    let (mut yes, mut close) = (0, 0);
    for _ in 0..2000 {
        let (a, b) = ((1.0 + draw(&mut state) * 8.0).floor(), (1.0 + draw(&mut state) * 8.0).floor());
        let (h, angle) = (0.1 + draw(&mut state), 0.01 + draw(&mut state));
        let bounds = RelativeBounds {
            distance: draw(&mut state),
            speed: draw(&mut state),
            acceleration: 2.0 * (a + b) * (a + b) / (h * h),
        };
        let turning = angle * (angle * bounds.distance + 2.0 * bounds.speed * h) / (h * h);
        let mut bounds = RelativeBounds { acceleration: bounds.acceleration - turning, ..bounds };
        let square = |x: RBig| &x * &x;
        let half_bend = |bounds: &RelativeBounds| {
            let (angle, h) = (exact(angle), exact(h));
            (&angle * (&angle * exact(bounds.distance) + exact(2.0) * exact(bounds.speed) * &h)
                + exact(bounds.acceleration) * &h * &h)
                / exact(2.0)
        };
        for _ in 0..24 {
            bounds.acceleration = bounds.acceleration.next_down();
        }
        for _ in 0..48 {
            let is_free = half_bend(&bounds) <= square(exact(a + b));
            let proven = proves_free(a * a, b * b, angle, &bounds, h);
            assert!(is_free || !proven, "{a} {b} {angle} {h} {bounds:?}");
            yes += usize::from(proven);
            close += usize::from(is_free);
            bounds.acceleration = bounds.acceleration.next_up();
        }
    }
    assert!(close > 20_000, "{close} of 96,000 are free, {yes} proven");
}

#[test]
fn an_angle_is_never_underestimated() {
    // From closed forms: unit vectors at known angles.
    for i in 0..=1000 {
        let angle = std::f64::consts::PI * f64::from(i) / 1000.0;
        let bound = angle_between(DVec3::X, DVec3::new(angle.cos(), angle.sin(), 0.0));
        assert!(bound >= angle, "{bound} < {angle}");
        if angle < 1.3 {
            assert!(bound <= angle * 1.05 + 1e-14, "{bound} is far above {angle}");
        }
    }
    // Small angles: the angle is more than its sine, whose square is rational. The vectors have unit length up to
    // rounding.
    let mut state = 17;
    let mut needed = 0;
    for _ in 0..2000 {
        let mut vector = || DVec3::new(draw(&mut state), draw(&mut state), draw(&mut state)) - 0.5;
        let (a, off) = (vector().normalize(), vector());
        let b = (a + off * 1e-9).normalize();
        let [p, q] = [a, b].map(|v| v.to_array().map(exact));
        let minor = |i: usize, j: usize| &p[i] * &q[j] - &p[j] * &q[i];
        let square = |v: [RBig; 3]| v.into_iter().fold(RBig::ZERO, |sum, x| sum + &x * &x);
        let cross = square([minor(1, 2), minor(2, 0), minor(0, 1)]);
        let sine = cross / (square(p) * square(q));
        let bound = exact(angle_between(a, b));
        assert!(&bound * &bound >= sine, "{a} {b}");
        let chord = exact((b - a).length());
        needed += usize::from(&chord * &chord < sine);
    }
    assert!(needed > 10, "the chord is rarely too short: {needed}");
}

#[test]
fn a_rounded_instant_never_passes_the_end_of_the_step() {
    let mut state = 21;
    let mut rounded_up = 0;
    for case in 0..20_000 {
        let t = draw(&mut state) * 0.9;
        let step = draw(&mut state) * [0.1, 1e-6, 1e-13, 3e-16][case % 4];
        // Half of the sums lie exactly on the grid.
        let step = if case % 2 == 0 { (step * 2f64.powi(52)).round() * 2f64.powi(-52) } else { step };
        let end = round_instant(t, step);
        assert!(end >= t && exact(end) <= exact(t) + exact(step), "{t} + {step}: {end}");
        rounded_up += usize::from(exact(t + step) > exact(t) + exact(step));
    }
    assert!(rounded_up > 2000, "{rounded_up}");
}

/// The separation is 1 − 80 t³(1 − t)³: it starts and ends at 1 and dips to −1/4. Speed and acceleration are 0 at time
/// 0, so bounds that hold only for that instant would prove the whole time free. Contact: t (1 − t) = (1/80)^(1/3).
#[test]
fn bounds_are_taken_over_all_the_time_that_is_left() {
    let distance = |t: f64| {
        let s = 1.0 - 80.0 * (t * (1.0 - t)).powi(3);
        Separation { upper: s.max(0.0), ..apart(s) }
    };
    let speed = |w: Window| {
        let t = w.t1();
        80.0 * t * t * (3.0 + 12.0 * t + 15.0 * t * t + 6.0 * t * t * t)
    };
    let bounds = |w: Window| {
        let t = w.t1();
        bent(80.0 * t * (6.0 + 36.0 * t + 60.0 * t * t + 30.0 * t * t * t))
    };
    let verdict = run(&mut Known { distance, speed, bounds }, Limits::default());
    let contact = 0.5 - (0.25 - 80f64.cbrt().recip()).sqrt();
    let Verdict::Touch(touch) = &verdict else { panic!("{verdict:?}") };
    assert!(touch.t <= contact && touch.t > contact - 1e-4, "{} {contact}", touch.t);
}

/// A straight fall from 1 to 0.1, with a minimum separation of 1/2: it is reached at 5/9. At the end of the time the
/// separation is positive, but not more than the minimum.
#[test]
fn the_minimum_separation_counts_at_both_ends_of_a_step() {
    let distance = |t: f64| apart(1.0 - 0.9 * t);
    let mut pair = Known { distance, speed: |_| 10.0, bounds: |_| bent(0.0) };
    let limits = Limits { min_separation: 0.5, tolerance: 1e-3, ..Limits::default() };
    let verdict = run(&mut pair, limits);
    let Verdict::Touch(touch) = &verdict else { panic!("{verdict:?}") };
    assert!(touch.t <= 5.0 / 9.0 && touch.t > 0.55, "{}", touch.t);
}

/// A point runs from one side through the other point to the opposite side: the direction between them turns half a
/// circle.
#[test]
fn a_direction_that_turns_counts() {
    let distance = |t: f64| {
        let r = DVec3::X * (1.0 - 2.0 * t);
        Separation {
            lower: r.length(),
            upper: r.length(),
            normal: r.normalize_or(DVec3::X),
            points: [DVec3::ZERO; 2],
        }
    };
    let bounds = |_| RelativeBounds { distance: 1.0, speed: 2.0, acceleration: 0.0 };
    let mut pair = Known { distance, speed: |_| 2.0, bounds };
    let verdict = run(&mut pair, Limits { tolerance: 1e-3, ..Limits::default() });
    assert!(proven(&verdict) <= 0.5 && proven(&verdict) > 0.49, "{verdict:?}");
}

#[test]
fn what_is_not_known_proves_nothing() {
    let nan = f64::NAN;
    // A distance that is NaN, of pieces that recede.
    let distance = |_| Separation { lower: nan, upper: nan, ..apart(1.0) };
    let verdict = run(&mut Known { distance, speed: |_| -1.0, bounds: |_| bent(0.0) }, Limits::default());
    assert_eq!(verdict, Verdict::Undecided { free_until: 0.0 });
    // A speed that is NaN.
    for bounds in [RelativeBounds::NONE, bent(nan)] {
        let mut pair = Known { distance: |_| apart(1.0), speed: |_| nan, bounds: move |_| bounds };
        let limits = Limits { max_iterations: 5, ..Limits::default() };
        assert_eq!(run(&mut pair, limits), Verdict::Undecided { free_until: 0.0 });
    }
    // There is no lower bound.
    let distance = |_| Separation { lower: 0.0, ..apart(1.0) };
    let verdict = run(&mut Known { distance, speed: |_| 1.0, bounds: |_| bent(0.0) }, Limits::default());
    assert_eq!(verdict, Verdict::Undecided { free_until: 0.0 });
}

#[test]
fn a_budget_that_ends_is_undecided() {
    // Steps of 1e-20 do not change the time 1/2.
    let distance = |_| Separation { lower: 1e-20, ..apart(1.0) };
    let mut pair = Known { distance, speed: |_| 1.0, bounds: |_| RelativeBounds::NONE };
    let limits = Limits { t_start: 0.5, ..Limits::default() };
    assert_eq!(run(&mut pair, limits), Verdict::Undecided { free_until: 0.5 });
    // A straight fall, three steps of it.
    let mut pair =
        Known { distance: |t: f64| apart(1.0 - 2.0 * t), speed: |_| 8.0, bounds: |_| RelativeBounds::NONE };
    let verdict = run(&mut pair, Limits { max_iterations: 3, ..Limits::default() });
    let Verdict::Undecided { free_until } = verdict else { panic!("{verdict:?}") };
    assert!(free_until > 0.2 && free_until <= 0.5);
    // The same fall, interrupted.
    let interrupt = Interrupt::default();
    interrupt.raise();
    let watch = Control { interrupt: Some(&interrupt), ..Control::default() }.watch();
    let verdict = run(&mut pair, Limits { watch, tolerance: 1e-12, ..Limits::default() });
    assert!(matches!(verdict, Verdict::Undecided { free_until } if free_until <= 0.5), "{verdict:?}");
}

/// The lower bound is 0, the upper one 0.1: a touch within 1e-3 is not proven.
#[test]
fn a_touch_is_within_the_tolerance_by_its_upper_bound() {
    let distance = |t: f64| Separation { upper: 1.1 - t, ..apart(1.0 - t) };
    let mut pair = Known { distance, speed: |_| 1.0, bounds: |_| bent(0.0) };
    let verdict = run(&mut pair, Limits { tolerance: 1e-3, ..Limits::default() });
    assert!(verdict.touch().is_none() && proven(&verdict) <= 1.0, "{verdict:?}");
}
