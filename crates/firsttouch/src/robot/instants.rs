//! The frames of a robot at the instants queried lately: many pairs of links need the same instants.

use super::kinematics::{Frame, Kinematics, drive_of};
use crate::motion::{PoseAt, Velocity};

/// The instants queried lately. Parents come before their children, so for a link only the frames up to its own are placed: its descendants
/// are not needed. Velocities are computed only where they are queried: the sieve needs none.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    slots: Vec<Instant>,
}

/// The frames at an instant, as far as they were needed.
#[derive(Debug, Clone)]
struct Instant {
    t: f64,
    poses: Vec<PoseAt>,
    velocities: Vec<Velocity>,
}

/// More instants than a query usually needs; a power of two.
const SLOTS: usize = 64;

impl Cache {
    #[inline]
    fn instant(&mut self, t: f64) -> &mut Instant {
        if self.slots.is_empty() {
            let never = || Instant { t: f64::NAN, poses: Vec::new(), velocities: Vec::new() };
            self.slots.resize_with(SLOTS, never);
        }
        // Times differ in their leading bits; multiplying spreads them over the slots.
        let slot = (t.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize % SLOTS;
        let instant = &mut self.slots[slot];
        if instant.t != t {
            instant.t = t;
            instant.poses.clear();
            instant.velocities.clear();
        }
        instant
    }

    #[inline]
    pub(super) fn pose(&mut self, t: f64, frame: usize, kinematics: &Kinematics) -> PoseAt {
        let instant = self.instant(t);
        if instant.poses.len() <= frame {
            instant.place(frame, kinematics);
        }
        instant.poses[frame]
    }

    #[inline]
    pub(super) fn velocity(&mut self, t: f64, frame: usize, kinematics: &Kinematics) -> Velocity {
        let instant = self.instant(t);
        if instant.velocities.len() <= frame {
            instant.place_velocities(frame, kinematics);
        }
        instant.velocities[frame]
    }
}

impl Instant {
    /// Places the frames up to `last`, starting from the first one that is not placed yet.
    fn place(&mut self, last: usize, Kinematics { frames, drives, .. }: &Kinematics) {
        let Instant { t, poses, .. } = self;
        // Other frames of the same instant will be needed soon.
        poses.reserve(frames.len() - poses.len());
        let missing = poses.len();
        for (i, Frame { parent, moves }) in frames[..=last].iter().enumerate().skip(missing) {
            let local = match drive_of(drives, i) {
                None => moves.at(*t),
                Some(drive) => drive.at(moves, *t),
            };
            let placement = match parent.map(|parent| &poses[parent]) {
                None => local,
                Some(pose) => PoseAt {
                    rotation: pose.rotation * local.rotation,
                    translation: pose.rotation * local.translation + pose.translation,
                },
            };
            poses.push(placement);
        }
    }

    /// Computes the velocities of the frames up to `last`, in the same way.
    fn place_velocities(&mut self, last: usize, kinematics: &Kinematics) {
        if self.poses.len() <= last {
            self.place(last, kinematics);
        }
        let Kinematics { frames, drives, .. } = kinematics;
        let Instant { t, poses, velocities } = self;
        velocities.reserve(frames.len() - velocities.len());
        let missing = velocities.len();
        for (i, Frame { parent, moves }) in frames[..=last].iter().enumerate().skip(missing) {
            let placement = match parent.map(|parent| (&poses[parent], &velocities[parent])) {
                None => Velocity::default(),
                Some((pose, velocity)) => {
                    let (translation, slide, rate) = match drive_of(drives, i) {
                        None => (moves.translation_at(*t), moves.slide, moves.rate),
                        Some(drive) => {
                            let (rate, slide) = drive.rates_at(moves, *t);
                            (drive.translation_at(moves, *t), slide, rate)
                        }
                    };
                    let arm = pose.rotation * translation;
                    Velocity {
                        origin: velocity.of(arm) + pose.rotation * slide,
                        angular: velocity.angular + pose.rotation * (moves.axis * rate),
                    }
                }
            };
            velocities.push(placement);
        }
    }
}
