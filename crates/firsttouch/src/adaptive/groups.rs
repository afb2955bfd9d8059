//! The rigid groups of a step as frames: how two bodies move relative to each other when few joints move.
//!
//! Links with the same last moving joint before them do not move relative to each other: they are one group, in the frame of
//! the link that the joint carries. So the motion of a body is a product of as many moving transforms as there are
//! joints *that move* on its way,
//! ```text
//! H_1 J_1(t) H_2 J_2(t) ... H_r J_r(t) S
//! ```
//! with constant transforms in between: `H_i` from where joint `i` hangs to the frame of the group that it hangs on, `S`
//! from the body to its group's frame. The constant ones are quotients of world transforms at the start of the step, which the
//! assembly tree has; each comes with its error. There are at most two frames for each joint that moves and one for each
//! body asked for, and only those on the way to such a body are made.
//!
//! Everything else is the kinematics of robots in `articulated`: positions, velocities and their bounds along chains of frames,
//! kept for each instant asked for. Two bodies move relative to the last frame that both hang on, so that what the rest
//! of the robot does cancels.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 3.2, where transforms of potentially colliding bodies alone are updated.

use std::collections::HashMap;

use super::transforms::{Placed, Transform};
use crate::articulated::{Frame, JointMotion, Robot};

/// Where links are at the start of a step, and which joint carries each.
pub(super) type StartOf<'a> = dyn FnMut(usize) -> (Placed, Option<usize>) + 'a;

/// Frames of groups and bodies, parents before children.
pub(super) struct Groups<'a> {
    robot: &'a Robot,
    /// The motions of the joints that are not at rest, by the link they carry.
    moves: HashMap<usize, JointMotion>,
    pub(super) frames: Vec<Frame>,
    of_carrier: HashMap<usize, usize>,
    of_part: HashMap<usize, usize>,
}

impl<'a> Groups<'a> {
    pub(super) fn new(robot: &'a Robot, moves: HashMap<usize, JointMotion>) -> Groups<'a> {
        Groups { robot, moves, frames: Vec::new(), of_carrier: HashMap::new(), of_part: HashMap::new() }
    }

    /// The frame of a part, which is at `placed` in the frame of its link.
    pub(super) fn part(
        &mut self,
        part: usize,
        link: usize,
        placed: Placed,
        start_of: &mut StartOf<'_>,
    ) -> usize {
        if let Some(&frame) = self.of_part.get(&part) {
            return frame;
        }
        let (start, carrier) = start_of(link);
        let frame = self.resting_in(carrier, start.compose(&placed), start_of);
        self.of_part.insert(part, frame);
        frame
    }

    /// A frame at rest in the group of a carrier, given by where it is in the world at the start.
    fn resting_in(&mut self, carrier: Option<usize>, start: Placed, start_of: &mut StartOf<'_>) -> usize {
        let (parent, placed) = match carrier {
            None => (None, start),
            Some(carrier) => {
                let group = self.group(carrier, start_of);
                (Some(group), start.relative_to(&start_of(carrier).0))
            }
        };
        self.push(parent, JointMotion::resting_at(placed.pose, placed.error))
    }

    fn push(&mut self, parent: Option<usize>, moves: JointMotion) -> usize {
        self.frames.push(Frame { parent, moves });
        self.frames.len() - 1
    }

    /// The frame of the link that a joint carries.
    fn group(&mut self, carrier: usize, start_of: &mut StartOf<'_>) -> usize {
        // Up to a group that is there already, and down again.
        let mut way = Vec::new();
        let mut next = Some(carrier);
        while let Some(link) = next.filter(|link| !self.of_carrier.contains_key(link)) {
            way.push(link);
            next = self.robot.links()[link].parent().and_then(|parent| start_of(parent).1);
        }
        for link in way.into_iter().rev() {
            let frame = match self.robot.links()[link].parent() {
                // The base, which does not move.
                None => {
                    let Placed { pose, error } = start_of(link).0;
                    self.push(None, JointMotion::resting_at(pose, error))
                }
                Some(parent) => {
                    let (start, above) = start_of(parent);
                    let hook = match above.filter(|&above| above == parent) {
                        Some(same) => self.of_carrier[&same],
                        None => self.resting_in(above, start, start_of),
                    };
                    let moves = self.moves[&link];
                    self.push(Some(hook), moves)
                }
            };
            self.of_carrier.insert(link, frame);
        }
        self.of_carrier[&carrier]
    }

    /// How many parts were asked for.
    pub(super) fn parts(&self) -> usize {
        self.of_part.len()
    }

    /// The last frame that two hang on; none if it is the world.
    pub(super) fn common(&self, a: usize, b: usize) -> Option<usize> {
        let (mut a, mut b) = (Some(a), Some(b));
        // A parent has the lower index, and the world is before all.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            *later = later.and_then(|frame| self.frames[frame].parent);
        }
        a
    }
}
