//! Motions as samples: a page shows a cubic and an arc through them. The motion is exact at the samples.

use glam::{DMat3, DQuat, DVec3};

use super::document::{Numbers, Pack, ShownMotion, plain, rows, wxyz};

/// No body turns further than this from one sample to the next.
const TURN: f64 = std::f64::consts::PI / 6.0;

/// The fewest and the most spans that a smooth piece of a motion is cut into.
const FEWEST: usize = 16;
const MOST: usize = 1024;

/// A moment of a run: its displayed time, and the time to evaluate the motion at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moment {
    /// In the time of the run.
    pub(super) time: f64,
    /// The segment that the moment belongs to.
    pub(super) segment: usize,
    /// In the time of the segment.
    pub(super) t: f64,
}

/// Returns moments in even steps from `from` to `to` within a segment, and one at each of `exact` that lies between.
///
/// A step that is nearly at one of `exact` is left out: if samples are too close, rounding decides their tangents.
pub(super) fn moments(segment: usize, [from, to]: [f64; 2], spans: usize, exact: &[f64]) -> Vec<Moment> {
    let length = to - from;
    let near = |t: f64| exact.iter().any(|e| (t - e).abs() < 1e-3 * length / spans as f64);
    let mut times: Vec<f64> = (1..spans)
        .map(|k| from + length * (k as f64 / spans as f64))
        .filter(|&t| !near(t))
        .chain(exact.iter().copied().filter(|&t| from < t && t < to))
        .collect();
    times.extend([from, to]);
    times.sort_by(f64::total_cmp);
    times.dedup();
    times.into_iter().map(|t| Moment { time: segment as f64 + t, segment, t }).collect()
}

/// Returns the number of spans that a smooth motion needs for turns of at most [`TURN`].
pub(super) fn spans(rotation: impl Fn(f64) -> DQuat, [from, to]: [f64; 2], at_least: f64) -> usize {
    let mut spans = FEWEST.max((at_least / TURN).ceil().min(MOST as f64) as usize);
    loop {
        let at = |k: usize| rotation(from + (to - from) * (k as f64 / spans as f64));
        let largest = (0..spans).map(|k| at(k).angle_between(at(k + 1))).fold(0.0, f64::max);
        if largest <= TURN || spans >= MOST {
            return spans;
        }
        spans *= 2;
    }
}

/// The places of a body at all moments.
#[derive(Debug, Default)]
pub(super) struct Track {
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
    matrices: Vec<DMat3>,
}

impl Track {
    pub(super) fn rigid(&mut self, position: DVec3, rotation: DMat3) {
        self.positions.push(position);
        self.rotations.push(DQuat::from_mat3(&rotation).normalize());
    }

    pub(super) fn affine(&mut self, position: DVec3, matrix: DMat3) {
        self.positions.push(position);
        self.matrices.push(matrix);
    }

    /// Returns true if the body is not always at the same place.
    fn moves(&self) -> bool {
        fn differ<T: PartialEq>(list: &[T]) -> bool {
            list.windows(2).any(|pair| pair[0] != pair[1])
        }
        differ(&self.positions) || differ(&self.rotations) || differ(&self.matrices)
    }

    /// Returns the motion of a body, or `None` if it rests.
    pub(super) fn shown(self, body: usize, times: Numbers, pack: &mut Pack) -> Option<ShownMotion> {
        self.moves().then(|| self.always(body, times, pack))
    }

    /// Returns the motion of a body, also if it rests.
    pub(super) fn always(self, body: usize, times: Numbers, pack: &mut Pack) -> ShownMotion {
        ShownMotion {
            body,
            times,
            positions: pack.f64(self.positions.iter().flat_map(|&p| plain(p))),
            quaternions: (!self.rotations.is_empty())
                .then(|| pack.f32(self.rotations.iter().flat_map(|&q| wxyz(q)))),
            matrices: (!self.matrices.is_empty())
                .then(|| pack.f64(self.matrices.iter().flat_map(|&m| rows(m)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_at_each_touch_and_none_beside_it() {
        let list = moments(2, [0.0, 1.0], 4, &[0.5000001, 0.9]);
        let times: Vec<f64> = list.iter().map(|moment| moment.time).collect();
        assert_eq!(times, [2.0, 2.25, 2.5000001, 2.75, 2.9, 3.0]);
        assert_eq!(list[4].t, 0.9);
    }

    /// Several full turns between two evenly spaced samples look like no turn: the caller's own bound counts.
    #[test]
    fn turns_are_cut_into_arcs() {
        let turning = |angle: f64| move |t: f64| DQuat::from_rotation_z(angle * t);
        assert_eq!(spans(turning(1.0), [0.0, 1.0], 0.0), 16);
        assert_eq!(spans(turning(12.0), [0.0, 1.0], 0.0), 32);
        let many = 64.0 * std::f64::consts::PI;
        assert!(many / spans(turning(many), [0.0, 1.0], many) as f64 <= TURN);
    }
}
