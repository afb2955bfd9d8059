//! A box that contains a moving body at all times, from its places at a few instants.
//!
//! 1. At each of some instants the box around the shape is turned and moved, and boxed again.
//! 2. Along a fixed axis a point of the body is a function of time. If the point's acceleration is at most `a`, the
//!    function is above its chord between two instants `w` apart by at most `a w² / 8`, and below it by as much. So
//!    between these instants every point stays in the union of both boxes, inflated by that.
//! 3. The number of instants is chosen to keep the bulge small beside the body. A body that moves along a line without
//!    turning needs two, and its box is as small as possible.
//!
//! This costs a twentieth of a box from Taylor models (`broad::swept`), which remains for motions that need many
//! instants or whose acceleration is not bounded.
//!
//! **Guarantee.** Rigorous, including all rounding. A pose is off by its error: a point is off by the rotation's error
//! times its reach, and by the translation's error. A placed centre has 7 roundings of at most the reach and the
//! translation, a half side 6, and each end one more; the code takes 64.

use glam::DVec3;

use super::Aabb;
use crate::motion::{RigidMotion, swept};
use crate::numerics::Window;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::shape::local::length_up;

/// The largest bulge, in parts of half the diagonal of the body's box. A larger value removes fewer pairs, a smaller
/// one takes more instants.
const BULGE: f64 = 0.02;

/// The most chords; with more, Taylor models are as fast.
const MOST_CHORDS: f64 = 16.0;

/// Returns a box that contains, at every time of the window, the box around `center` with half sides `half`. Returns
/// `None` if that would take too many instants, or if the acceleration is unknown.
pub(crate) fn chord_box<M: RigidMotion + ?Sized>(
    motion: &M,
    center: DVec3,
    half: DVec3,
    window: Window,
) -> Option<Aabb> {
    let reach = length_up(center.abs() + half);
    let acceleration = motion.acceleration(reach, window);
    let whole = bulge(acceleration, window.t1() - window.t0());
    let chords = if whole > 0.0 { (whole / (BULGE * half.length())).sqrt().ceil() } else { 1.0 };
    // Too many, or NaN.
    if acceleration.is_nan() || chords.is_nan() || chords > MOST_CHORDS {
        return None;
    }
    // The quotient underflows for a tiny bulge and a large body: even then one chord is needed.
    let count = if chords > 1.0 { chords as u32 } else { 1 };
    Some(along_chords(motion, (center, half), window, (acceleration, reach), count))
}

/// Like `chord_box`, from both ends alone, for a path of any length. The box is infinite or NaN if the acceleration
/// is unknown.
pub fn one_chord_box<M: RigidMotion + ?Sized>(
    motion: &M,
    center: DVec3,
    half: DVec3,
    window: Window,
) -> Aabb {
    let reach = length_up(center.abs() + half);
    let acceleration = motion.acceleration(reach, window);
    along_chords(motion, (center, half), window, (acceleration, reach), 1)
}

/// Rule 2 of the header, for a chord of this width.
fn bulge(acceleration: f64, width: f64) -> f64 {
    acceleration * width * width / 8.0 * (1.0 + 8.0 * UNIT)
}

fn along_chords<M: RigidMotion + ?Sized>(
    motion: &M,
    (center, half): (DVec3, DVec3),
    window: Window,
    (acceleration, reach): (f64, f64),
    count: u32,
) -> Aabb {
    let (start, end) = (window.t0(), window.t1());
    let instant =
        |k: u32| if k == count { end } else { start + (end - start) * (f64::from(k) / f64::from(count)) };
    let mut all = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    let (mut widest, mut farthest) = (0.0, 0.0);
    for k in 0..=count {
        let pose = motion.pose_at(instant(k));
        let middle = pose.apply(center);
        let extent = pose.box_extent(half);
        all = all.union(&Aabb { low: middle - extent, high: middle + extent });
        farthest = upper_max(farthest, pose.translation.abs().max_element());
        if k > 0 {
            widest = upper_max(widest, instant(k) - instant(k - 1));
        }
    }
    let error = motion.pose_error();
    let off = error.translation
        + swept(error.rotation, reach)
        + 64.0 * UNIT * (reach + farthest)
        + 8.0 * TINY_LENGTH;
    let bulge = bulge(acceleration, widest * (1.0 + 4.0 * UNIT));
    all.inflated((bulge + off) * (1.0 + 8.0 * UNIT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::swept_box;
    use crate::motion::hostile::Hostile;
    use crate::motion::{Motion, Pose, PoseAt, PoseError, Velocity, VelocityBounds};
    use glam::{DMat3, DQuat};

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(state: &mut u64) -> DVec3 {
        DVec3::new(unit(state), unit(state), unit(state))
    }

    /// Returns the largest distance of the corners of a box outside its swept box, by dense sampling of the exact
    /// motion: negative if they stay inside.
    fn leaves(swept: &Aabb, motion: &Hostile, center: DVec3, half: DVec3, window: Window) -> f64 {
        let mut out = f64::NEG_INFINITY;
        for step in 0..=300 {
            let t = window.t0() + (window.t1() - window.t0()) * f64::from(step) / 300.0;
            let pose = motion.exact(t);
            for corner in 0..8 {
                let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let point = pose.apply(center + half * DVec3::new(side(0), side(1), side(2)));
                out = out.max((point - swept.high).max_element()).max((swept.low - point).max_element());
            }
        }
        out
    }

    /// Motions that use the full size of one of their errors, and that accelerate or turn: no corner ever leaves the
    /// box, and some come close.
    #[test]
    fn nothing_leaves_its_box() {
        let state = &mut 11;
        let (mut found, mut close) = (0, 0);
        for case in 0..600 {
            let mut motion = Hostile {
                start: 3.0 * vector(state),
                velocity: vector(state),
                attitude: 2.0 * vector(state),
                ..Hostile::default()
            };
            match case % 5 {
                0 => motion.moved = 0.3 * vector(state),
                1 => motion.turned = 0.2 * vector(state),
                2 => motion.acceleration = 3.0 * vector(state),
                3 => motion.spin = 1.5 * vector(state),
                _ => {}
            }
            let center = if case % 2 == 0 { DVec3::ZERO } else { vector(state) };
            let half = (DVec3::splat(0.3) + 0.25 * vector(state)).abs();
            let from = 0.3 * unit(state).abs();
            let window = Window::between(from, from + 0.2 + 0.5 * unit(state).abs());
            let Some(swept) = chord_box(&motion, center, half, window) else { continue };
            let out = leaves(&swept, &motion, center, half, window);
            assert!(out <= 0.0, "{case}: {out}");
            found += 1;
            close += usize::from(out > -0.01);
        }
        assert!(found > 500 && close > 200, "{found} of 600 have a box, {close} are close to it");
    }

    /// Motions of the crate: the box is at most slightly larger than that of the Taylor models, or there is none.
    #[test]
    fn as_small_as_taylor_models() {
        let state = &mut 12;
        let whole = Window::between(0.0, 1.0);
        let mut found = 0;
        for case in 0..200 {
            let mut pose = || {
                let turn = DQuat::from_scaled_axis(if case % 2 == 0 { DVec3::ZERO } else { vector(state) });
                Pose::new(4.0 * vector(state), turn).unwrap()
            };
            let motion = Motion::linear(pose(), pose());
            let (center, half) = (0.1 * vector(state), DVec3::new(0.4, 0.3, 0.5));
            let taylor = swept_box(&motion.enclosure(whole), center, half);
            if let Some(swept) = chord_box(&motion, center, half, whole) {
                let grown = (swept.high - swept.low) - (taylor.high - taylor.low);
                assert!(grown.max_element() < 2.0 * BULGE, "{case}: {grown}");
                found += 1;
            }
        }
        assert!(found > 190, "{found} of 200");
    }

    /// A motion along a line with a bound of its acceleration that is almost zero.
    struct AlmostStraight {
        velocity: DVec3,
        acceleration: f64,
    }

    impl RigidMotion for AlmostStraight {
        fn pose_at(&self, t: f64) -> PoseAt {
            PoseAt { rotation: DMat3::IDENTITY, translation: self.velocity * t }
        }
        fn pose_error(&self) -> PoseError {
            PoseError { rotation: 0.0, translation: UNIT * self.velocity.length() }
        }
        fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
            let center = Velocity { origin: self.velocity, angular: DVec3::ZERO };
            VelocityBounds { center, origin_radius: 0.0, angular_radius: 0.0 }
        }
        fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
            self.acceleration
        }
    }

    /// The bulge of such a motion, in parts of a body of thousands of units, underflowed to zero. That gave no chord at
    /// all, and the box was that of the last instant alone.
    #[test]
    fn a_bulge_that_underflows_takes_a_chord() {
        let whole = Window::between(0.0, 1.0);
        let mut underflows = 0;
        for (size, acceleration) in
            [(1e3, 1e-323), (1e4, 1e-321), (1e12, 1e-313), (1e12, 1e-300), (1e90, 1e-240)]
        {
            let motion = AlmostStraight { velocity: DVec3::X * 50.0 * size, acceleration };
            let swept = chord_box(&motion, DVec3::ZERO, DVec3::splat(size), whole).unwrap();
            assert!(
                swept.low.x <= -size && swept.high.x >= 51.0 * size,
                "{size:e} {acceleration:e}: {swept:?}"
            );
            underflows += u32::from(acceleration / 8.0 > 0.0 && acceleration / 8.0 / (BULGE * size) == 0.0);
        }
        assert!(underflows > 2, "{underflows}");
    }

    /// An infinite or NaN acceleration gives no box. A point has a box only if it moves along a line.
    #[test]
    fn unknown_motions_have_no_box() {
        let whole = Window::between(0.0, 1.0);
        for unknown in [f64::NAN, f64::INFINITY] {
            let motion = Hostile { acceleration: DVec3::X * unknown, ..Hostile::default() };
            assert_eq!(chord_box(&motion, DVec3::ZERO, DVec3::ONE, whole), None);
        }
        let turning = Hostile { spin: DVec3::Z, ..Hostile::default() };
        assert_eq!(chord_box(&turning, DVec3::X, DVec3::ZERO, whole), None);
        let straight = Hostile { velocity: DVec3::X, ..Hostile::default() };
        assert!(chord_box(&straight, DVec3::X, DVec3::ZERO, whole).is_some());
    }
}
