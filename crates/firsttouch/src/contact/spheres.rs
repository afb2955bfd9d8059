//! A test if a moving sphere and one at rest meet before the current first time.
//!
//! **Problem.** In the screw's frame, decide if the squared distance of the centres is at most `R²`, the squared sum of
//! the radii, for some `x` in `[0, X]`. The time does not matter: spheres are only bounds of their contents.
//!
//! **Method.** Let `p`, `q` be the centres, `d` and `m` the lengths of `p − q` and `p + q` across the axis, `z` the
//! difference along it, and `B = p_x q_y − p_y q_x`.
//! 1. *Cylinder.* The path of a sphere stays at its distance from the axis and between its first and last height. If
//!    the tube around that is farther than `R` from `q`, the spheres never meet. No division is needed. Without a
//!    rotation the tube is the path, and the test is complete.
//! 2. *General.* `Q(x) = (1 + x²) (D²(x) − R²) = q0 + q1 x + q2 x² + q3 x³ + q4 x⁴` with `q0 = d² + z² − R²`,
//!    `q1 = 2σz − 4B`, `q2 = m² + z² − R² + σ²`, `q3 = 2σz`, `q4 = σ²`. The spheres meet if `Q` is not positive
//!    somewhere. Its minimum is at an end of the window or at a root of `Q'`, of degree 3.
//! 3. *Pure rotation.* `q3 = q4 = 0`: the signs of a quadratic's slope at both ends and of its discriminant decide if
//!    it is positive, without a division.
//!
//! **Guarantee.** "Apart" is proven. "Meet" may be returned for spheres that miss each other by rounding. The roots
//! of `Q'` are isolated by [`near_zero`]; in a part `[l, h]` that may hold one, `Q` is at least
//! `min(Q(l), Q(h)) − (h − l) max |Q'|`.
//!
//! **Rounding.** `B` is computed as `p × (q − p)`, across the axis, which is of the size `|p| d`. Each coefficient
//! takes at most 8 roundings of the sum of the sizes of its terms, and so does Horner's rule: `32u` of the sum of all
//! sizes.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 3.1 and 4.2; equations re-derived.

use glam::DVec3;

use super::cubic::near_zero;
use super::frame::{Frame, Path};
use crate::numerics::bound::{exceeds, lower_min, lower_or_zero};
use crate::numerics::rounding::{TINY, UNIT};

/// A sphere in the frame.
#[derive(Debug, Clone, Copy)]
pub struct Ball {
    /// The centre; for a moving sphere, at the start.
    pub center: DVec3,
    /// The radius.
    pub radius: f64,
    /// The distance of the centre from the axis.
    pub from_axis: f64,
}

impl Ball {
    /// Creates the sphere with this centre in the frame.
    #[inline]
    pub fn new(center: DVec3, radius: f64) -> Ball {
        Ball { center, radius, from_axis: center.truncate().length() }
    }
}

/// Returns true if a moving sphere and one at rest may come within `distance`, in the frame, for `x` in `[0, x_end]`.
pub fn may_meet(frame: &Frame, moving: &Ball, resting: &Ball, distance: f64, x_end: f64) -> bool {
    let rise = frame.path().rise();
    // The distances from the axis and the sums here have an error of a few roundings of coordinates.
    let reach = (moving.radius + resting.radius + distance + 16.0 * UNIT * frame.size) * (1.0 + 16.0 * UNIT);
    // A sum that underflows counts as touching.
    let squared = reach * reach + TINY;
    let (p, q) = (moving.center, resting.center);
    let z = p.z - q.z;
    let climb = rise * x_end;
    // The closest heights of the two: at the start of the climb, at its end, or equal.
    let (lowest, highest) = if climb < 0.0 { (z + climb, z) } else { (z, z + climb) };
    let beside = if lowest > 0.0 { lowest } else { lower_or_zero(-highest) };
    match frame.path() {
        Path::Straight { .. } => {
            let (dx, dy) = (p.x - q.x, p.y - q.y);
            // NaN does not prove "apart".
            !exceeds((dx * dx + dy * dy + beside * beside) * (1.0 - 16.0 * UNIT), squared)
        }
        Path::Turning { .. } => {
            let across = moving.from_axis - resting.from_axis;
            if (across * across + beside * beside) * (1.0 - 16.0 * UNIT) > squared {
                return false;
            }
            meets_on_helix(p, q, moving.from_axis, rise, squared, x_end)
        }
    }
}

/// Steps 2 and 3 of the header.
fn meets_on_helix(p: DVec3, q: DVec3, from_axis: f64, rise: f64, squared: f64, x_end: f64) -> bool {
    let (dx, dy, z) = (p.x - q.x, p.y - q.y, p.z - q.z);
    let (mx, my) = (p.x + q.x, p.y + q.y);
    let (d2, m2, z2) = (dx * dx + dy * dy, mx * mx + my * my, z * z);
    let b = p.y * dx - p.x * dy;
    let (cross, steep) = (2.0 * rise * z, rise * rise);
    let c = [d2 + z2 - squared, cross - 4.0 * b, m2 + z2 - squared + steep, cross, steep];
    let at = |x: f64| (((c[4] * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
    let sizes = [
        d2 + z2 + squared,
        cross.abs() + 8.0 * from_axis * d2.sqrt(),
        m2 + z2 + squared + steep,
        cross.abs(),
        steep,
    ];
    let x = x_end;
    let mass = (((sizes[4] * x + sizes[3]) * x + sizes[2]) * x + sizes[1]) * x + sizes[0];
    let error = 32.0 * UNIT * mass + TINY;
    // Most spheres that the cylinder test does not separate meet at one of the ends.
    if !(c[0] > error && at(x_end) > error) {
        return true;
    }
    if rise == 0.0 {
        // The minimum is at the start, at the end, or in between if the quadratic falls first and rises later.
        let never_falls = c[1] >= error / x_end;
        let never_rises = c[1] + 2.0 * c[2] * x_end <= -error / x_end;
        // Products of four lengths underflow before all others; the answer is then "may meet". The same holds if a
        // coefficient is below the rounding error, where the parabola is not reliable.
        let lowest = 4.0 * (c[0] - error) * c[2] * (1.0 - 16.0 * UNIT);
        let stays_above = c[2] > 0.0 && lowest > c[1] * c[1] * (1.0 + 16.0 * UNIT) + TINY / UNIT;
        return !(never_falls || never_rises || stays_above);
    }
    // Half of the remaining spheres meet in the middle, or stay apart because all Bernstein coefficients, which bound
    // the values, are positive. Twice the error covers their rounding.
    if !exceeds(at(0.5 * x_end), error) {
        return true;
    }
    let [b1, b2, b3, b4] = [c[1] * x, c[2] * x * x, c[3] * x * x * x, c[4] * x * x * x * x];
    let bernstein = [
        c[0] + 0.25 * b1,
        c[0] + 0.5 * b1 + b2 / 6.0,
        c[0] + 0.75 * b1 + 0.5 * b2 + 0.25 * b3,
        c[0] + b1 + b2 + b3 + b4,
    ];
    if bernstein.into_iter().all(|coefficient| coefficient > 2.0 * error) {
        return false;
    }
    let slope = [c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4]];
    // The errors of the derivative are those of the coefficients, up to four times, for one power of x less.
    let band = 4.0 * error / x_end;
    let steepest = ((slope[3].abs() * x + slope[2].abs()) * x + slope[1].abs()) * x + slope[0].abs() + band;
    near_zero(&slope, band, 1e-7 * steepest, x_end)
        .into_iter()
        .any(|[l, h]| !exceeds(lower_min(at(l), at(h)) - steepest * (h - l), error))
}

#[cfg(test)]
mod tests {
    use super::super::frame::Extent;
    use super::*;
    use crate::motion::{ContactScrew, Pose, RigidMotion};
    use glam::DQuat;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Compares with the smallest sampled distance: never "apart" if the samples meet, and rarely "meet" if they are
    /// apart.
    #[test]
    fn agrees_with_sampling() {
        let mut state = 9;
        let (mut met, mut passed, mut apart) = (0, 0, 0);
        for case in 0..3000 {
            let mut vector = || DVec3::new(draw(&mut state), draw(&mut state), draw(&mut state));
            let half = [0.0, 1e-6, 0.01, 0.3, 0.7, 1.04][case % 6];
            let axis = vector().normalize();
            let v = axis * f64::sin(half);
            let turn = DQuat::from_xyzw(v.x, v.y, v.z, f64::cos(half));
            // Every third motion is a pure rotation about an axis through the origin.
            let shift = if case % 3 == 0 { DVec3::ZERO } else { vector() * 2.0 };
            let motion = ContactScrew::new(Pose::IDENTITY, Pose::new(shift, turn).unwrap());
            let (p, q) = (vector(), vector());
            let at_rest = Pose::IDENTITY.at();
            let extent = Extent { reach: 3.0, pose_error: motion.pose_error() };
            let frame = Frame::new(&motion, 0, at_rest, [extent, extent]);
            let radius = 0.4 + 0.3 * draw(&mut state);
            let a = Ball::new(frame.of_moving(p), radius);
            let b = Ball::new(frame.of_resting(q), 0.1);
            let t_end = 0.5 + 0.5 * draw(&mut state).abs();
            let meet = may_meet(&frame, &a, &b, 0.0, frame.x_above(t_end));
            let nearest = (0..=1000)
                .map(|k| (motion.pose_at(t_end * f64::from(k) / 1000.0).apply(p) - q).length())
                .fold(f64::INFINITY, f64::min);
            if nearest <= radius + 0.1 {
                met += 1;
                assert!(meet, "{case}: {nearest}");
            } else if meet {
                passed += 1;
                // Between samples a point moves less than 0.01.
                assert!(nearest < radius + 0.1 + 0.01, "{case}: {nearest} {radius}");
            } else {
                apart += 1;
            }
        }
        assert!(met > 250 && apart > 1500 && passed < 20, "{met} {passed} {apart}");
    }
}
