//! Checks by sampling that a custom shape or motion keeps the obligations of its trait.
//!
//! A check that passes is no proof. A check that fails names the broken obligation and the numbers that show it. Each
//! check compares the bounds with the points and poses that the object itself returns, so it finds bounds that
//! contradict each other. A shape whose methods all describe the same wrong solid passes.

// Random sizes of samples, and a motion to compare with: which numbers are drawn is no answer.
#![allow(clippy::disallowed_methods)]

use std::fmt;

use glam::{DMat3, DQuat, DVec3};

use crate::motion::{PoseAt, PoseError, RigidMotion, Window};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::shape::{Convex, EXTENT_ERROR, SURFACE_ERROR};

/// An obligation that a shape or a motion does not keep.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// The obligation, in words.
    pub obligation: &'static str,
    /// The numbers that contradict the obligation.
    pub shown_by: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.obligation, self.shown_by)
    }
}

impl std::error::Error for Violation {}

/// The number of directions, or windows of time, that are drawn.
const SAMPLES: usize = 2000;

fn demand(holds: bool, obligation: &'static str, shown_by: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation { obligation, shown_by: shown_by() }) }
}

/// Checks the obligations of [`Convex`] by sampling. The same seed draws the same samples.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::shape::{Convex, Cylinder};
/// use firsttouch::{Feature, testing::check_convex};
/// assert!(check_convex(&Cylinder::new(1.0, 3.0)?, 7).is_ok());
///
/// /// A ball that says it is smaller than it is.
/// struct Shy;
/// impl Convex for Shy {
///     fn support(&self, direction: DVec3) -> DVec3 {
///         direction.normalize_or_zero()
///     }
///     fn extent(&self, _direction: DVec3) -> f64 {
///         0.9
///     }
///     fn reach(&self) -> f64 {
///         1.0
///     }
///     fn bounds(&self) -> (DVec3, DVec3) {
///         (DVec3::ZERO, DVec3::ONE)
///     }
///     fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
///         Feature::Face(0)
///     }
/// }
/// assert!(check_convex(&Shy, 7).unwrap_err().obligation.contains("`extent`"));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn check_convex(solid: &dyn Convex, seed: u64) -> Result<(), Violation> {
    let mut random = Random(seed);
    let (reach, core_reach, margin) = (solid.reach(), solid.core_reach(), solid.margin());
    demand(reach > 0.0 && reach.is_finite(), "`reach` is positive and finite", || format!("{reach}"))?;
    demand((0.0..=reach).contains(&core_reach), "`core_reach` is from zero to `reach`", || {
        format!("{core_reach}")
    })?;
    demand((0.0..=reach).contains(&margin), "`margin` is from zero to `reach`", || format!("{margin}"))?;
    let (center, half) = solid.bounds();
    demand(
        center.is_finite() && half.is_finite() && half.min_element() >= 0.0,
        "`bounds` are finite",
        || format!("centre {center}, half {half}"),
    )?;
    // The comparisons here have a few roundings themselves.
    let slack = (EXTENT_ERROR + SURFACE_ERROR + 32.0 * UNIT) * reach;
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let direction = DVec3::AXES[axis] * sign;
            let (extent, side) = (solid.extent(direction), sign * center[axis] + half[axis]);
            demand(extent <= side + slack, "`bounds` contain the solid", || {
                format!("extent {extent} along {direction}, the box ends at {side}")
            })?;
        }
    }
    for direction in [DVec3::ZERO, DVec3::NAN] {
        // These calls need not return anything meaningful, but must not panic.
        let _ = (solid.support(direction), solid.extent(direction), solid.feature(direction, direction));
    }
    let mut known: Vec<DVec3> = Vec::with_capacity(SAMPLES);
    for n in 0..SAMPLES {
        let [a, b] = [random.direction(n), random.direction(n / 7)];
        let [extent_a, extent_b] = [a, b].map(|direction| solid.extent(direction));
        let point = solid.support(a);
        demand(point.is_finite() && extent_a.is_finite(), "`support` and `extent` are finite", || {
            format!("{point} and {extent_a} along {a}")
        })?;
        demand(point.length() <= core_reach + slack, "`core_reach` contains the core", || {
            format!("the point {point} is at {}, core_reach is {core_reach}", point.length())
        })?;
        demand(extent_a <= reach + slack, "`reach` contains the solid", || {
            format!("extent {extent_a} along {a}, reach is {reach}")
        })?;
        let farthest = point.dot(a) + margin;
        // The quality of a support point only decides the speed of the search, so this margin may be generous.
        demand(
            extent_a <= farthest + 1e-6 * reach,
            "`support` is a farthest point of the core, and `extent` no larger than it needs to be",
            || format!("extent {extent_a} along {a}, the support point reaches {farthest}"),
        )?;
        known.push(point);
        // Support points of other directions also belong to the core.
        for other in [point, known[random.below(n + 1)], known[random.below(n + 1)]] {
            let reaches = other.dot(a) + margin;
            demand(
                extent_a >= reaches - slack,
                "`extent` is no less than `direction · x` for any point of the solid",
                || format!("extent {extent_a} along {a}, but the point {other} reaches {reaches}"),
            )?;
        }
        // The support function of a convex set: h(a + b) <= h(a) + h(b).
        let sum = a + b;
        let length = sum.length();
        if length > 1e-3 {
            let together = solid.extent(sum / length) * length;
            demand(
                together <= extent_a + extent_b + 4.0 * slack,
                "`extent` is the support function of a convex solid",
                || format!("{together} along the sum of {a} and {b}, which have {extent_a} and {extent_b}"),
            )?;
        }
        let _ = solid.feature(point + a * margin, a);
    }
    Ok(())
}

/// Checks the obligations of [`RigidMotion`] by sampling. The same seed draws the same samples.
///
/// ```
/// use firsttouch::glam::{DMat3, DVec3};
/// use firsttouch::motion::{Motion, Pose, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds, Window};
/// use firsttouch::testing::check_motion;
/// assert!(check_motion(&Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X)?), 7).is_ok());
///
/// /// Moves faster than it says.
/// struct Fast;
/// impl RigidMotion for Fast {
///     fn pose_at(&self, t: f64) -> PoseAt {
///         PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::X * t }
///     }
///     fn pose_error(&self) -> PoseError {
///         PoseError::default()
///     }
///     fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
///         let center = Velocity { origin: DVec3::X * 0.9, angular: DVec3::ZERO };
///         VelocityBounds { center, origin_radius: 0.0, angular_radius: 0.0 }
///     }
///     fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
///         0.0
///     }
/// }
/// assert!(check_motion(&Fast, 7).unwrap_err().obligation.contains("`velocity_bounds`"));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn check_motion(motion: &dyn RigidMotion, seed: u64) -> Result<(), Violation> {
    let mut random = Random(seed);
    let PoseError { rotation: turned, translation: moved } = motion.pose_error();
    demand(
        turned >= 0.0 && moved >= 0.0 && turned.is_finite() && moved.is_finite(),
        "`pose_error` is finite and not negative",
        || format!("rotation {turned}, translation {moved}"),
    )?;
    for n in 0..SAMPLES {
        // Long windows, short ones, and the ends of time.
        let width = 0.5_f64.powi((n % 12) as i32);
        let t0 = [0.0, 1.0 - width, random.unit() * (1.0 - width)][n % 3];
        let end = (t0 + width).min(1.0); // not a bound: a sample
        let Ok(window) = Window::new(t0, end) else { continue };
        let mut times = [0; 3].map(|_| t0 + random.unit() * (window.t1() - t0));
        if n % 5 == 0 {
            [times[0], times[2]] = [window.t0(), window.t1()];
        }
        times.sort_by(f64::total_cmp);
        check_window(motion, window, times, &mut random)?;
    }
    // A velocity that jumps shows in short windows around the jump only: close in on where the motion bends most.
    for n in 0..64 {
        let arm = random.direction(n) * 10.0_f64.powf(random.range(-2.0, 2.0));
        let start = f64::from(n as u32 % 32) / 33.0;
        let (mut low, mut high) = (start, start + 2.0 / 33.0);
        for _ in 0..12 {
            let (quarter, mut most) = (0.25 * (high - low), -1.0);
            let mut next = (low, high);
            for k in 0..3 {
                let t0 = low + f64::from(k) * quarter;
                let span = [t0, (t0 + 2.0 * quarter).min(1.0)]; // not a bound: a sample
                let Ok(window) = Window::new(span[0], span[1]) else { continue };
                let deviation = check_deviation(motion, window, arm, span)?;
                if deviation > most {
                    (most, next) = (deviation, (span[0], span[1]));
                }
            }
            (low, high) = next;
        }
    }
    Ok(())
}

/// Compares twice the distance between the middle of a path and the middle of its chord with the bound of the
/// acceleration.
fn check_deviation(
    motion: &dyn RigidMotion,
    window: Window,
    arm: DVec3,
    [t0, t1]: [f64; 2],
) -> Result<f64, Violation> {
    let PoseError { rotation: turned, translation: moved } = motion.pose_error();
    let points = [t0, 0.5 * (t0 + t1), t1].map(|t| motion.pose_at(t).apply(arm));
    let reach = arm.length() * (1.0 + 8.0 * UNIT);
    let (bounds, step) = (motion.velocity_bounds(window), 0.5 * (t1 - t0));
    let deviation = (points[0] - 2.0 * points[1] + points[2]).length();
    let acceleration = motion.acceleration(reach, window);
    // The middle is rounded, by which the point moves a little farther at its speed.
    let pace = bounds.center.origin.length() + bounds.origin_radius;
    let pace = pace + (bounds.center.angular.length() + bounds.angular_radius) * reach;
    let size = points[0].length() + points[2].length() + 4.0 * reach;
    let error = 4.0 * (turned * reach + moved) + 64.0 * UNIT * size + 16.0 * TINY_LENGTH;
    let largest = acceleration * step * step + error + 4.0 * UNIT * pace;
    demand(
        deviation <= largest || largest.is_nan(),
        "`acceleration` is an upper bound of the acceleration of every point, and infinite where the velocity jumps",
        || {
            format!(
                "the point {arm} is {deviation} off a steady motion from {t0} to {t1}, and may be {largest}"
            )
        },
    )?;
    Ok(deviation)
}

/// Compares the third difference of a path with the bound of the third derivative.
fn check_jerk(
    motion: &dyn RigidMotion,
    window: Window,
    arm: DVec3,
    [t0, t1]: [f64; 2],
) -> Result<(), Violation> {
    let reach = arm.length() * (1.0 + 8.0 * UNIT);
    let jerk = motion.jerk(reach, window);
    if jerk == f64::INFINITY {
        return Ok(());
    }
    let PoseError { rotation: turned, translation: moved } = motion.pose_error();
    let step = (t1 - t0) / 3.0;
    let points = [t0, t0 + step, t1 - step, t1].map(|t| motion.pose_at(t).apply(arm));
    let difference = (points[3] - points[0] - 3.0 * (points[2] - points[1])).length();
    // The times between the ends are rounded, by which the points move a little farther at their speed.
    let bounds = motion.velocity_bounds(window);
    let pace = bounds.center.origin.length() + bounds.origin_radius;
    let pace = pace + (bounds.center.angular.length() + bounds.angular_radius) * reach;
    let size = points[0].length() + points[3].length() + 4.0 * reach;
    let error = 8.0 * (turned * reach + moved) + 128.0 * UNIT * size + 32.0 * TINY_LENGTH;
    let largest = jerk * step * step * step + error + 16.0 * UNIT * pace;
    demand(
        difference <= largest || largest.is_nan(),
        "`jerk` is an upper bound of the third derivative of every point, and infinite where the velocity or the acceleration jumps",
        || {
            format!(
                "the point {arm} has a third difference of {difference} from {t0} to {t1}, and may have {largest}"
            )
        },
    )
}

/// Checks one window, with three times in it.
fn check_window(
    motion: &dyn RigidMotion,
    window: Window,
    [t0, _, t1]: [f64; 3],
    random: &mut Random,
) -> Result<(), Violation> {
    let PoseError { rotation: turned, translation: moved } = motion.pose_error();
    let middle = 0.5 * (t0 + t1);
    let poses @ [start, _, end] = [t0, middle, t1].map(|t| motion.pose_at(t));
    for (pose, t) in poses.iter().zip([t0, middle, t1]) {
        let PoseAt { rotation, translation } = *pose;
        let off = rotation.transpose() * rotation - DMat3::IDENTITY;
        let off = off.to_cols_array().map(f64::abs).into_iter().fold(0.0, f64::max); // not a bound: a check
        demand(
            translation.is_finite()
                && off <= 2.0 * turned + turned * turned + 16.0 * UNIT
                && rotation.determinant() > 0.0,
            "`pose_at` is a rotation and a translation, up to `pose_error`",
            || format!("at time {t}: {pose:?}; its columns are off by {off}"),
        )?;
    }
    let bounds = motion.velocity_bounds(window);
    let time = t1 - t0;
    // The times themselves are exact; the differences have a few roundings of the sizes involved.
    let size = start.translation.length() + end.translation.length();
    let rounding = 32.0 * UNIT * size + 4.0 * TINY_LENGTH;
    let strayed = (end.translation - start.translation - bounds.center.origin * time).length();
    let may_stray = bounds.origin_radius * time + 2.0 * moved + rounding;
    let times = || format!("from {t0} to {t1} in the window from {} to {}", window.t0(), window.t1());
    demand(
        strayed <= may_stray || may_stray.is_nan(),
        "`velocity_bounds` contain the velocity of the origin",
        || format!("the origin strays by {strayed} {}, and may by {may_stray}", times()),
    )?;
    // Two turns whose angular velocities differ by no more than a radius are no farther apart than that times the time.
    // The first turn is the motion, the second is steady with the rate at the centre.
    let steady = DMat3::from_quat(DQuat::from_scaled_axis(bounds.center.angular * time)) * start.rotation;
    let strayed = (end.rotation - steady).to_cols_array().map(|x| x * x).iter().sum::<f64>().sqrt();
    // The root of the sum of the squares of all entries is sqrt(2) times the norm of a difference of rotations, and at
    // most sqrt(3) times that of any other matrix.
    let may_stray = 1.415 * bounds.angular_radius * time
        + 4.0 * turned
        + 64.0 * UNIT * (1.0 + bounds.center.angular.length());
    demand(
        strayed <= may_stray || may_stray.is_nan(),
        "`velocity_bounds` contain the angular velocity",
        || format!("the rotation strays by {strayed} {}, and may by {may_stray}", times()),
    )?;
    let reach = 10.0_f64.powf(random.range(-2.0, 2.0));
    let arm = random.direction(1) * reach;
    let n = random.direction(1);
    let error = turned * reach + moved + 32.0 * UNIT * (size + reach) + 4.0 * TINY_LENGTH;
    let points = poses.map(|pose| pose.apply(arm));
    let (way, speed) =
        ((points[2] - points[0]).dot(n), motion.speed_along(n, reach * (1.0 + 8.0 * UNIT), window));
    demand(
        way <= speed * time + 2.0 * error || speed.is_nan(),
        "`speed_along` is an upper bound of the speed of every point",
        || format!("the point {arm} moves by {way} along {n} {}, at a speed of at most {speed}", times()),
    )?;
    check_deviation(motion, window, arm, [t0, t1])?;
    check_jerk(motion, window, arm, [t0, t1])?;
    let enclosed = motion.enclosure(window).apply(arm).range();
    for (point, axis) in points.iter().flat_map(|point| [(point, 0), (point, 1), (point, 2)]) {
        demand(
            enclosed[axis].lo() - error <= point[axis] && point[axis] <= enclosed[axis].hi() + error,
            "the enclosure that follows from `velocity_bounds` contains every pose",
            || format!("the point {arm} gets to {point} {}, outside of {enclosed:?}", times()),
        )?;
    }
    Ok(())
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Returns a unit vector. Every fourth is an axis or near one, where shapes have their corners, rims and poles.
    fn direction(&mut self, n: usize) -> DVec3 {
        loop {
            let v = DVec3::from_array([0; 3].map(|_| self.range(-1.0, 1.0)));
            let v = match n % 8 {
                0 => DVec3::AXES[n / 8 % 3] * v.x.signum(),
                4 => DVec3::AXES[n / 8 % 3] * v.x.signum() + v * 1e-9,
                _ => v,
            };
            let length = v.length();
            if length > 1e-3 && v.abs().max_element() <= 1.0 + 1e-6 {
                return v / length;
            }
        }
    }
}
