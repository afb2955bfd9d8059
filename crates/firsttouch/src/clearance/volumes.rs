//! Two nodes of trees over a window: rule 4 of the header of the folder.
//!
//! For a constant direction `n` the support function of each side is the maximum of functions whose second derivatives
//! are bounded by the acceleration of their points. Such a maximum stays below its chord plus `A w² σ (1 − σ) / 2`. A
//! deforming volume itself bounds the second derivative of its support function.

use glam::DVec3;

use super::window::{WindowBound, first_order, second_order};
use super::{Candidate, Search};
use crate::motion::{PoseAt, swept};
use crate::numerics::Window;
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::tree::composite::{Composite, Volume};

/// The rounding of a separation; see the header of `convex`.
const ROUNDING: f64 = 64.0 * UNIT;

/// The poses of a pair at the ends and in the middle of a window.
pub(super) struct Ends {
    pair: u32,
    window: [f64; 2],
    instants: [(f64, [PoseAt; 2]); 3],
    /// The pose errors of each side, and the part of the separation's error that does not depend on the reach.
    rotation_error: [f64; 2],
    error: f64,
}

impl<C: Composite + Copy> Search<'_, '_, C> {
    /// Returns the candidate with the best bound of its volumes.
    pub(super) fn bounded(&mut self, candidate: Candidate) -> Candidate {
        self.volumes += 1;
        self.stats.volume_pairs += 1;
        self.place_ends(&candidate);
        let Some(ends) = &self.ends else { return candidate };
        let [a, b] = &self.pairs[candidate.pair as usize].sides;
        let [node_a, node_b] = candidate.nodes;
        let (volume_a, volume_b) = (a.pieces.volume(node_a), b.pieces.volume(node_b));
        let reach = [volume_a.reach(), volume_b.reach()];
        let turning = [volume_a.core_reach(), volume_b.core_reach()];
        let error = (0..2).fold(ends.error, |sum, k| {
            sum + (swept(ends.rotation_error[k], reach[k]) + ROUNDING * reach[k]) * (1.0 + 8.0 * UNIT)
        });
        let along = |n: DVec3, (t, poses): &(f64, [PoseAt; 2])| {
            let h_a = volume_a.extent_at(poses[0].direction_to_body(n), *t);
            let h_b = volume_b.extent_at(poses[1].direction_to_body(-n), *t);
            n.dot(poses[1].translation - poses[0].translation) - (h_a + h_b) - error
        };
        let [from, to] = candidate.window;
        let width = to - from;
        let window = Window::between(from, to);
        let mut dip = None;
        let mut bound = |n: DVec3| {
            let s_0 = along(n, &ends.instants[0]);
            if width == 0.0 {
                return WindowBound { lower: s_0, place: 0.5, is_followed: false };
            }
            let s_1 = along(n, &ends.instants[2]);
            let dip = *dip.get_or_insert_with(|| {
                let acceleration = a.motion.acceleration(turning[0], window)
                    + b.motion.acceleration(turning[1], window)
                    + (volume_a.extent_acceleration() + volume_b.extent_acceleration());
                0.5 * acceleration * width * width * (1.0 + 16.0 * UNIT)
            });
            if dip.is_finite() {
                return second_order(s_0, s_1, dip);
            }
            // This includes the rates at which the volumes themselves grow, as in the header of `tree::step`.
            let poses = &ends.instants[0].1;
            let grows = |volume: &C::Volume<'_>, n: DVec3, off: f64| {
                volume.extent_speed(n, off + ROUNDING, from) + volume.extent_acceleration() * width
            };
            let [off_a, off_b] = ends.rotation_error;
            let closing = a.motion.speed_along(n, turning[0], window)
                + b.motion.speed_along(-n, turning[1], window)
                + grows(&volume_a, poses[0].direction_to_body(n), off_a)
                + grows(&volume_b, poses[1].direction_to_body(-n), off_b);
            first_order(s_0, closing * (1.0 + 8.0 * UNIT * closing.signum()), width)
        };

        let middle = &ends.instants[1];
        let mut best = (WindowBound::NONE, candidate.normal);
        let mut consider = |n: DVec3| {
            if n != DVec3::ZERO {
                let found = bound(n);
                if found.lower > best.0.lower {
                    best = (found, n);
                }
            }
            self.upper - best.0.lower <= self.question.tolerance
        };
        if !consider(candidate.normal) {
            let [out_of_a, out_of_b] = ways_out(&volume_a, &volume_b, middle);
            let _ = consider(out_of_a) || consider(out_of_b);
        }
        let (found, normal) = best;
        // Volumes that contain each other's centres have no direction: smaller volumes help, a shorter window does not.
        let is_lost = width > 0.0 && found.lower.is_finite();
        let time_loss = if is_lost { along(normal, middle) - found.lower } else { 0.0 };
        let lower = if found.lower > candidate.lower { found.lower } else { candidate.lower };
        Candidate { lower, normal, time_loss, ..candidate }
    }

    /// Returns the difference of two distances of a pair at an instant below which rounding hides it. Not a bound: it
    /// ends searches.
    pub(super) fn resolution(&mut self, pair: u32, t: f64) -> f64 {
        self.place_ends(&Candidate::new(pair, [t, t]));
        let [a, b] = &self.pairs[pair as usize].sides;
        let reach = [a.pieces.volume(0).reach(), b.pieces.volume(0).reach()];
        let error = self.ends.as_ref().map_or(0.0, |ends| {
            (0..2).fold(ends.error, |sum, k| sum + (ends.rotation_error[k] + ROUNDING) * reach[k])
        });
        4.0 * error
    }

    /// Computes the poses of a candidate, unless they are the current ones.
    fn place_ends(&mut self, candidate: &Candidate) {
        if let Some(ends) = &self.ends
            && ends.pair == candidate.pair
            && ends.window == candidate.window
        {
            return;
        }
        let [a, b] = &self.pairs[candidate.pair as usize].sides;
        let [from, to] = candidate.window;
        let instants =
            [from, from + 0.5 * (to - from), to].map(|t| (t, [a.motion.pose_at(t), b.motion.pose_at(t)]));
        let errors = [a.motion.pose_error(), b.motion.pose_error()];
        let size = instants.iter().fold(0.0, |size, (_, poses)| {
            let here = poses[0].translation.abs().max_element() + poses[1].translation.abs().max_element();
            crate::numerics::bound::upper_max(size, here)
        });
        self.ends = Some(Ends {
            pair: candidate.pair,
            window: candidate.window,
            instants,
            rotation_error: errors.map(|error| error.rotation),
            error: (errors[0].translation
                + errors[1].translation
                + 2.0 * ROUNDING * size
                + 8.0 * TINY_LENGTH)
                * (1.0 + 8.0 * UNIT),
        });
    }
}

/// Returns the directions out of each volume towards the centre of the other, from the first side to the second.
fn ways_out<V: Volume>(a: &V, b: &V, (t, poses): &(f64, [PoseAt; 2])) -> [DVec3; 2] {
    let center_a = poses[0].apply(a.center_at(*t));
    let center_b = poses[1].apply(b.center_at(*t));
    let out_of_a = poses[0].rotation * a.way_out_at(poses[0].to_body(center_b), *t);
    let out_of_b = poses[1].rotation * b.way_out_at(poses[1].to_body(center_a), *t);
    [out_of_a.normalize_or_zero(), (-out_of_b).normalize_or_zero()]
}
