//! Things that robots take up and put down: where each of them is between two waypoints.
//!
//! 1. A body rests until a robot takes it at a waypoint, moves with a link until the robot puts it down at another, and
//!    rests where it was left.
//! 2. Waypoints are cuts in time: in a span between two cuts a body either rests or is held ([`hold`]). Scenes number
//!    them by the clock, checkers by the waypoints of a path.
//! 3. A world of a span is a clone in which such a body is moved, or held by a link.
//!
//! The pose in which a body is held, and the pose in which it is left, follow from the poses of the link at the two
//! waypoints. Both are rounded to f64, and the rounded poses count as exact.

use glam::DQuat;

use crate::error::{Error, Result};
use crate::motion::{Pose, PoseAt};

/// A body that a robot holds from one waypoint to another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grasp {
    /// The name of an obstacle that is at rest.
    pub body: String,
    /// The link that holds it.
    pub link: String,
    /// Further links that may touch it. These, and the link that holds it, may touch it all the time: also while the
    /// hand comes and goes.
    pub touch_links: Vec<String>,
    /// Obstacles that it may touch while it is held, for example the table that it stands on.
    pub may_touch: Vec<String>,
    /// The waypoint at which it is taken, counted from 0.
    pub from: usize,
    /// The waypoint at which it is put down; `None` if it is kept.
    pub until: Option<usize>,
}

impl Grasp {
    /// Returns an error unless its waypoints are on a path of `segments` segments, the second after the first. A body
    /// may be taken at the last waypoint and be kept.
    pub(crate) fn validate(&self, segments: usize) -> Result<()> {
        let is_within = self.from <= segments && self.until.is_none_or(|until| until <= segments);
        if is_within && self.until.is_none_or(|until| self.from < until) {
            return Ok(());
        }
        Err(Error::OutOfRange {
            what: format!("waypoints between which \"{}\" is held", self.body),
            expected: "on the path, the second after the first",
            value: self.until.unwrap_or(self.from) as f64,
        })
    }
}

/// The place of a body in a span of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Hold {
    /// At rest in the world, where it was left; `None` before it is taken up.
    Resting(Option<Pose>),
    /// In the frame of the link of this grasp.
    Held(usize, Pose),
}

/// Returns where a body is in a span without cuts inside. It rests at `at` before all grasps. These come with the times
/// from which and until which they hold it; `hand` is the pose of the link of a grasp where it begins, or where it
/// ends.
pub(crate) fn hold(
    mut at: PoseAt,
    mut grasps: Vec<(usize, [f64; 2])>,
    span: [f64; 2],
    hand: impl Fn(usize, bool) -> Result<PoseAt>,
) -> Result<Hold> {
    grasps.sort_by(|x, y| x.1[0].total_cmp(&y.1[0]));
    let mut left = None;
    for (k, [from, until]) in grasps {
        if span[0] < from {
            break;
        }
        let own = in_hand(&hand(k, true)?, &at)?;
        // At the instant at which it is put down, both are the same.
        if span[1] <= until {
            return Ok(Hold::Held(k, own));
        }
        let pose = left_by_hand(&hand(k, false)?, &own)?;
        (at, left) = (pose.at(), Some(pose));
    }
    Ok(Hold::Resting(left))
}

/// Returns an error if two grasps of one body overlap in time.
pub(crate) fn validate_times(
    body: &str,
    [from, until]: [f64; 2],
    mut others: impl Iterator<Item = [f64; 2]>,
) -> Result<()> {
    if others.any(|other| from < other[1] && other[0] < until) {
        return Err(Error::Unsupported { what: format!("two grasps of \"{body}\" at one time") });
    }
    Ok(())
}

/// Returns the pose in the frame of a hand of a body that is at a pose in the world.
fn in_hand(hand: &PoseAt, at: &PoseAt) -> Result<Pose> {
    rounded(PoseAt {
        rotation: hand.rotation.transpose() * at.rotation,
        translation: hand.to_body(at.translation),
    })
}

/// Returns the pose in the world of a body that is at a pose in the frame of a hand.
fn left_by_hand(hand: &PoseAt, own: &Pose) -> Result<Pose> {
    let own = own.at();
    rounded(PoseAt { rotation: hand.rotation * own.rotation, translation: hand.apply(own.translation) })
}

fn rounded(pose: PoseAt) -> Result<Pose> {
    Pose::new(pose.translation, DQuat::from_mat3(&pose.rotation).normalize())
}
