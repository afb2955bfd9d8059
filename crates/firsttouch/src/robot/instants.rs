//! The frames of a robot at the last queried instants: many pairs of links need the same instants.
//!
//! Parents come before their children, so for a link only the frames up to its own are placed: its descendants are not
//! needed. Velocities are computed only if a query needs them: the sieve needs none. Frames of parts are not cached:
//! each is one product away from the frame of its link.
//!
//! The sieve begins with three instants of all links. These are placed together, with the same bits: see `pose_lanes`.

use fearless_simd::{Level, dispatch};
use glam::{DMat3, DVec3};

use super::kinematics::{Frame, Kinematics, drive_of};
use super::pose_lanes::place_lanes;
use crate::motion::{PoseAt, Velocity};

/// The last queried instants.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    slots: Vec<Slot>,
    /// The poses of the links, a row for each instant. Rows are added as instants are queried for the first time.
    poses: Vec<PoseAt>,
    velocities: Vec<Velocity>,
    /// The number of rows of poses and of velocities.
    rows: [u32; 2],
}

/// An instant: its rows, and the number of frames placed in each.
#[derive(Debug, Clone, Copy)]
struct Slot {
    t: f64,
    poses: Row,
    velocities: Row,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    index: u32,
    placed: u32,
}

/// The index of a row that does not exist yet.
const NONE: u32 = u32::MAX;

/// More instants than a query usually needs; a power of two.
const SLOTS: usize = 64;

/// The initial room: this number of poses, or this number of rows of a robot with many links. Growing copies all poses.
const FIRST_POSES: usize = 320;
const FIRST_ROWS: usize = 4;

const NOWHERE: PoseAt = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

impl Cache {
    #[inline]
    fn slot(&mut self, t: f64) -> usize {
        if self.slots.is_empty() {
            let row = Row { index: NONE, placed: 0 };
            self.slots = vec![Slot { t: f64::NAN, poses: row, velocities: row }; SLOTS];
        }
        // Times differ in their leading bits; multiplying spreads them over the slots.
        let slot = (t.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize % SLOTS;
        let known = &mut self.slots[slot];
        if known.t != t {
            known.t = t;
            known.poses.placed = 0;
            known.velocities.placed = 0;
        }
        slot
    }

    #[inline]
    pub(super) fn pose(&mut self, t: f64, frame: usize, kinematics: &Kinematics) -> PoseAt {
        let Some(link) = kinematics.link_of_part(frame) else { return self.link_pose(t, frame, kinematics) };
        let pose = self.link_pose(t, link, kinematics);
        moved(&pose, &kinematics.frames[frame].moves.at(t))
    }

    #[inline]
    fn link_pose(&mut self, t: f64, link: usize, kinematics: &Kinematics) -> PoseAt {
        let slot = self.slot(t);
        if self.slots[slot].poses.placed as usize <= link {
            self.place(slot, link, kinematics);
        }
        self.poses[self.slots[slot].poses.index as usize * kinematics.kept() + link]
    }

    /// Writes the poses of a link at three instants.
    #[inline]
    pub(super) fn poses(
        &mut self,
        t: &[f64; 3],
        link: usize,
        kinematics: &Kinematics,
        poses: &mut [PoseAt; 3],
    ) {
        let slots = t.map(|t| self.slot(t));
        let placed = slots.map(|slot| self.slots[slot].poses.placed as usize);
        let is_unknown = placed[0] <= link && placed == [placed[0]; 3];
        let are_different = slots[0] != slots[1] && slots[1] != slots[2] && slots[0] != slots[2];
        if is_unknown && are_different && kinematics.drives.is_empty() {
            // The other links are also needed.
            self.place_together(slots, *t, link.max(kinematics.last_moving()), kinematics); // not a bound: indices
        } else if are_different {
            for (slot, placed) in slots.into_iter().zip(placed) {
                if placed <= link {
                    self.place(slot, link, kinematics);
                }
            }
        } else {
            // Two instants may share a slot: one is copied before the next takes its place.
            for (t, pose) in t.iter().zip(poses) {
                *pose = self.link_pose(*t, link, kinematics);
            }
            return;
        }
        for (slot, pose) in slots.into_iter().zip(poses) {
            *pose = self.poses[self.slots[slot].poses.index as usize * kinematics.kept() + link];
        }
    }

    #[inline]
    pub(super) fn velocity(&mut self, t: f64, frame: usize, kinematics: &Kinematics) -> Velocity {
        let Some(link) = kinematics.link_of_part(frame) else {
            return self.link_velocity(t, frame, kinematics);
        };
        let velocity = self.link_velocity(t, link, kinematics);
        let pose = self.link_pose(t, link, kinematics);
        carried(t, (&pose, &velocity), frame, kinematics)
    }

    fn link_velocity(&mut self, t: f64, link: usize, kinematics: &Kinematics) -> Velocity {
        let slot = self.slot(t);
        if self.slots[slot].velocities.placed as usize <= link {
            self.place_velocities(slot, link, kinematics);
        }
        self.velocities[self.slots[slot].velocities.index as usize * kinematics.kept() + link]
    }

    /// Returns the first pose of the row of a slot. The row is added if there is none.
    #[inline]
    fn pose_row(&mut self, slot: usize, links: usize) -> usize {
        let row = &mut self.slots[slot].poses;
        if row.index == NONE {
            row.index = self.rows[0];
            self.rows[0] += 1;
            if self.poses.is_empty() {
                self.poses.reserve((FIRST_ROWS * links).max(FIRST_POSES)); // not a bound: a size
            }
            self.poses.resize(self.rows[0] as usize * links, NOWHERE);
        }
        row.index as usize * links
    }

    /// Places the links up to `last`, starting from the first one that is not placed yet.
    fn place(&mut self, slot: usize, last: usize, kinematics: &Kinematics) {
        let links = kinematics.kept();
        let row = self.pose_row(slot, links);
        let Slot { t, poses: Row { placed, .. }, .. } = self.slots[slot];
        let poses = &mut self.poses[row..row + links];
        for i in placed as usize..=last {
            let Frame { parent, moves } = &kinematics.frames[i];
            let local = match drive_of(&kinematics.drives, i) {
                None => moves.at(t),
                Some(drive) => drive.at(moves, t),
            };
            poses[i] = match parent {
                None => local,
                Some(parent) => moved(&poses[*parent], &local),
            };
        }
        self.slots[slot].poses.placed = last as u32 + 1;
    }

    /// Like [`Cache::place`], for three instants at once, at each of which the same links are placed.
    fn place_together(&mut self, slots: [usize; 3], t: [f64; 3], last: usize, kinematics: &Kinematics) {
        let links = kinematics.kept();
        let rows = slots.map(|slot| self.pose_row(slot, links));
        let first = self.slots[slots[0]].poses.placed as usize;
        let poses = &mut self.poses;
        dispatch!(Level::new(), simd => place_lanes(simd, poses, rows, t, first..last + 1, kinematics));
        for slot in slots {
            self.slots[slot].poses.placed = last as u32 + 1;
        }
    }

    /// Computes the velocities of the links up to `last`, starting from the first one that has none yet.
    fn place_velocities(&mut self, slot: usize, last: usize, kinematics: &Kinematics) {
        if self.slots[slot].poses.placed as usize <= last {
            self.place(slot, last, kinematics);
        }
        let links = kinematics.kept();
        let row = &mut self.slots[slot].velocities;
        if row.index == NONE {
            row.index = self.rows[1];
            self.rows[1] += 1;
            self.velocities.resize(self.rows[1] as usize * links, Velocity::default());
        }
        let Slot { t, poses, velocities } = self.slots[slot];
        let poses = &self.poses[poses.index as usize * links..];
        let row = &mut self.velocities[velocities.index as usize * links..];
        for i in velocities.placed as usize..=last {
            row[i] = match kinematics.frames[i].parent {
                None => Velocity::default(),
                Some(parent) => carried(t, (&poses[parent], &row[parent]), i, kinematics),
            };
        }
        self.slots[slot].velocities.placed = last as u32 + 1;
    }
}

/// Returns a frame in the world, from its parent's and its own motion.
#[inline]
fn moved(parent: &PoseAt, local: &PoseAt) -> PoseAt {
    PoseAt {
        rotation: parent.rotation * local.rotation,
        translation: parent.rotation * local.translation + parent.translation,
    }
}

/// Returns the velocity of a frame, from its parent's pose and velocity.
fn carried(
    t: f64,
    (pose, velocity): (&PoseAt, &Velocity),
    frame: usize,
    kinematics: &Kinematics,
) -> Velocity {
    let moves = &kinematics.frames[frame].moves;
    let (translation, slide, rate) = match drive_of(&kinematics.drives, frame) {
        None => (moves.translation_at(t), moves.slide, moves.rate),
        Some(drive) => {
            let (rate, slide) = drive.rates_at(moves, t);
            (drive.translation_at(moves, t), slide, rate)
        }
    };
    let arm = pose.rotation * translation;
    Velocity {
        origin: velocity.of(arm) + pose.rotation * slide,
        angular: velocity.angular + pose.rotation * (moves.axis * rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Pose;
    use crate::robot::{Joint, JointKind, Robot, RobotMotion};

    /// Three instants that are placed together have the bits of instants that are placed one by one, for all kinds of
    /// joints and for a tree that branches.
    #[test]
    fn placing_together_changes_no_bit() {
        let state = &mut 5_u64;
        let mut unit = move || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let count = 20;
        let mut joints = Vec::new();
        for i in 1..count {
            let axis = DVec3::new(unit(), unit(), unit()) + DVec3::splat(0.01);
            let kind = match i % 7 {
                0 => JointKind::Fixed,
                1 => JointKind::Prismatic { axis },
                2 => JointKind::Planar { normal: axis },
                3 => JointKind::Floating,
                _ => JointKind::Revolute { axis },
            };
            let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, unit(), unit(), unit());
            let at = DVec3::new(unit(), unit(), unit());
            joints.push(Joint {
                name: format!("j{i}"),
                parent: format!("l{}", if i % 3 == 0 { i / 2 } else { i - 1 }),
                child: format!("l{i}"),
                origin: Pose::new(at, turn).unwrap(),
                kind,
                limits: None,
                mimic: None,
            });
        }
        let links = (0..count).map(|i| (format!("l{i}"), vec![])).collect();
        let robot = Robot::new("tree", links, joints).unwrap();
        let mut different = 0;
        for round in 0..200 {
            let size = [0.0, 1e-9, 1.0, 3.0, 1e7][round % 5];
            let mut ends = || -> Vec<f64> { robot.zero().iter().map(|zero| zero + size * unit()).collect() };
            let (from, to) = (ends(), ends());
            let base = Pose::from_translation(DVec3::new(0.1, 0.2, 0.3)).unwrap();
            let motion = || RobotMotion::new(&robot, base, &from, &to).unwrap();
            let (together, one_by_one) = (motion(), motion());
            let t = [0.0, 0.5 * unit().abs(), 1.0];
            // An order that places some links first and the others later.
            for link in [3, 1, 11, count - 1, 0, 7] {
                let poses = together.poses(&t, link);
                for (t, pose) in t.into_iter().zip(&poses) {
                    let single = one_by_one.link_pose(link, t);
                    let bits = |pose: &PoseAt| {
                        let columns = pose.rotation.to_cols_array();
                        (columns.map(f64::to_bits), pose.translation.to_array().map(f64::to_bits))
                    };
                    assert_eq!(bits(pose), bits(&single), "link {link} at {t}");
                }
                different += usize::from(poses[0] != poses[2]);
            }
        }
        assert!(different > 600, "{different}");
    }
}
