//! Culling with any kind of bounds, chosen at run time.

use super::assembly::AssemblyTree;
use super::culling::{Culler, CullingWork, Gaps, ObstacleTree, Pairs};
use super::sweeps::{Chord, Enclosed};
use super::transforms::{Placed, Updates};
use crate::broad::Aabb;
use crate::error::Result;
use crate::motion::Pose;
use crate::numerics::{Interval, TaylorModel, Window};
use crate::robot::{JointMotion, PartBox, Robot};

/// The kind of bounds for the transforms of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bounding {
    /// The transforms at both ends, and bounds of the acceleration in between. Suits short steps, and is by far the
    /// cheapest.
    #[default]
    Chord,
    /// Taylor models of order 3. Suits long steps.
    Taylor,
    /// Intervals, as in the paper. They become wider with every joint that moves.
    Interval,
}

/// Culling with any of these bounds.
#[derive(Debug, Clone)]
pub(super) enum AnyCuller {
    Chord(Box<Culler<Chord>>),
    Taylor(Box<Culler<Enclosed<TaylorModel>>>),
    Interval(Box<Culler<Enclosed<Interval>>>),
}

macro_rules! forward {
    ($self:ident, $culler:ident => $call:expr) => {
        match $self {
            AnyCuller::Chord($culler) => $call,
            AnyCuller::Interval($culler) => $call,
            AnyCuller::Taylor($culler) => $call,
        }
    };
}

impl AnyCuller {
    pub(super) fn new(
        bounding: Bounding,
        robot: &Robot,
        tree: &AssemblyTree,
        base: Pose,
        configuration: &[f64],
    ) -> Result<AnyCuller> {
        let joint = |link: usize| match robot.links()[link].joint() {
            None => Ok(JointMotion::still(base)),
            Some(joint) => JointMotion::of(joint, configuration, configuration),
        };
        Ok(match bounding {
            Bounding::Chord => AnyCuller::Chord(Box::new(Culler::new(robot, tree, base, joint)?)),
            Bounding::Interval => AnyCuller::Interval(Box::new(Culler::new(robot, tree, base, joint)?)),
            Bounding::Taylor => AnyCuller::Taylor(Box::new(Culler::new(robot, tree, base, joint)?)),
        })
    }

    pub(super) fn bounding(&self) -> Bounding {
        match self {
            AnyCuller::Chord(_) => Bounding::Chord,
            AnyCuller::Interval(_) => Bounding::Interval,
            AnyCuller::Taylor(_) => Bounding::Taylor,
        }
    }

    pub(super) fn parts(&self) -> &[PartBox] {
        forward!(self, culler => culler.parts())
    }

    pub(super) fn counts(&self) -> Updates {
        forward!(self, culler => culler.counts())
    }

    pub(super) fn work(&self) -> CullingWork {
        forward!(self, culler => culler.work())
    }

    pub(super) fn typical_radius(&self) -> f64 {
        forward!(self, culler => culler.typical_radius())
    }

    pub(super) fn reach_of(&self, link: usize) -> f64 {
        forward!(self, culler => culler.reach_of(link))
    }

    pub(super) fn update(
        &mut self,
        tree: &AssemblyTree,
        joints: &[(usize, JointMotion, bool)],
        window: Window,
    ) {
        forward!(self, culler => culler.update(tree, joints, window));
    }

    pub(super) fn pairs(
        &mut self,
        robot: &Robot,
        tree: &AssemblyTree,
        obstacles: &ObstacleTree,
        gaps: Gaps,
    ) -> Pairs {
        forward!(self, culler => culler.pairs(robot, tree, obstacles, gaps))
    }

    pub(super) fn start_of(&mut self, tree: &AssemblyTree, link: usize) -> (Placed, Option<usize>) {
        forward!(self, culler => culler.start_of(tree, link))
    }

    /// A part at both ends of the step, if that is what bounds are made of.
    pub(super) fn chord_of(&mut self, tree: &AssemblyTree, part: usize) -> Option<Chord> {
        match self {
            AnyCuller::Chord(culler) => Some(culler.part_sweep(tree, part)),
            AnyCuller::Taylor(_) | AnyCuller::Interval(_) => None,
        }
    }

    pub(super) fn part_box(&mut self, tree: &AssemblyTree, part: usize) -> Aabb {
        forward!(self, culler => culler.part_box(tree, part))
    }
}
