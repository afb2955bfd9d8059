//! The memory of a simulation from step to step: finds the first touch of a robot with itself and with obstacles at
//! rest, at a cost that depends on the joints that move.
//!
//! **Problem.** A simulator moves `m` of a robot's `n` joints in a step and wants the first touch: with the
//! surroundings, and of the robot with itself. It queries many steps; most joints rest most of the time.
//!
//! **Method** of a step:
//! 1. The joints that move, and those that moved in the step before, get new transforms; the assembly tree updates
//!    those that depend on them (`transforms`), and its volumes (`culling`).
//! 2. Culling on the tree, unless the list of near pairs still serves: pairs of parts whose boxes over the step
//!    overlap. Links that do not move relative to each other are one rigid group; no pair inside a group is checked.
//! 3. The exact stage: the pairs go through the tree engine (`tree`), with the motions of rigid groups relative to
//!    each other (`exact`). Neither processes a joint that does not move.
//!
//! **What is proven.** [`StepReport::answer`] is the answer for all pairs of the robot's links, and of links and
//! obstacles, as [`Checker`](crate::articulated::Checker) gives it: a pair within `min_separation + tolerance` at the
//! start touches then. The step does not check pairs inside a group. Earlier steps have proven that they are farther
//! apart than that, and these proofs are kept (`proofs`):
//! - A joint is *suspect* if pairs on its two sides are not proven apart at the start. At first all joints are suspect.
//!   A step checks the pairs on two sides of a suspect joint even if the joint rests.
//! - [`Memory::accept`] takes the state to a time of the step. Up to the first touch, that state is proven free;
//!   beyond it, the joints that moved become suspect. Joints that are passed with other values than they had become
//!   suspect as well, and so do joints whose last proof was of a smaller separation. The same goes for the joints
//!   between a pair that neither culling nor its front could show to be farther apart than
//!   `min_separation + tolerance`: the exact stage proves `min_separation` and no more.
//! - Where something touches at the start, the joints between the bodies that touch stay suspect, and no others.
//!
//! **What is remembered.** Pairs that are near each other are listed (`nearby`), and the list serves as long as nothing
//! else can have come near. Of each listed pair a lower bound of its distance is known, node by node (`fronts`), which
//! decreases by no more than the two travel relative to each other (`travel`). Only pairs that may come too close are
//! examined, beginning at the nodes that may. So a step in which little moves costs little, even among many contacts.
//!
//! Values at a time inside the step are rounded, so the accepted state is not exactly on the path that was checked.
//! Steps are therefore checked with a separation that is enlarged by the error that this causes between two bodies
//! (about `1e-15` of the robot's size, a tiny part of the tolerance). Where the error is not tiny, the joints become
//! suspect.
//!
//! **Guarantee.** That of the tree engine; culling is rigorous. All transforms are computed from joint values, none
//! from the transforms of the step before: errors do not grow with the number of steps.
//!
//! **Departures from the paper.** There the exact stage bisects time, with interval bounds of positions over shorter
//! and shorter spans. Advancement needs no spans: it bounds positions at instants, and velocities.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 3.

mod acceptance;
mod beginning;

use std::sync::OnceLock;

use self::beginning::Begun;
use super::assembly::AssemblyTree;
use super::bounding::{AnyCuller, Bounding};
use super::culling::ObstacleTree;
use super::exact::{CoarseSolids, Exact, ExactStep, ExactWork, exact};
use super::nearby::{Kept, Nearby, OtherBody};
use super::proofs::Proofs;
use super::simulated::{ClosePair, Moved, Other, StepReport};
use super::travel::Reaches;
use crate::advancement::Limits;
use crate::answer::Answer;
use crate::articulated::Checker;
use crate::body::Body;
use crate::broad::Aabb;
use crate::control::Watch;
use crate::error::{Error, Result, bounded};
use crate::motion::{Motion, Pose};
use crate::options::{Mode, Options};
use crate::pair::{NeededGap, ProvenGap};
use crate::robot::{JointKind, JointMotion, LinkJoint, Robot};
use crate::shape::Shape;

/// The memory of a simulation about a robot among obstacles at rest, without rules of their own.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    robot: Robot,
    base: Pose,
    obstacles: Vec<Body>,
    solids: CoarseSolids,
    obstacle_tree: ObstacleTree,
    tree: AssemblyTree,
    culler: AnyCuller,
    /// For each variable the links whose joints it moves.
    followers: Vec<Vec<usize>>,
    configuration: Vec<f64>,
    /// The configuration at the end of a step. It equals the current one except while the motions of a step are
    /// computed.
    target: Vec<f64>,
    /// The links whose joints moved or were suspect in the last step.
    stirred: Vec<usize>,
    /// The proofs about all pairs in the current configuration, joint by joint.
    proofs: Proofs,
    /// Bounds that hold for every configuration so far.
    reaches: Reaches,
    /// The pairs that are near each other in the current configuration, if they are known.
    nearby: Option<Nearby>,
    /// The margin of that list, in travels of a step.
    margin: f64,
    /// The world, built on first use: the robot, the base and the obstacles of the simulation, which never change.
    checker: OnceLock<Checker>,
    pending: Option<Pending>,
}

/// A step that was queried and may be accepted. Its proofs hold for the options of that query: `accept` keeps only the
/// [`ProvenGap`]s that [`Memory::step`] has recorded.
#[derive(Debug, Clone)]
struct Pending {
    moved: Vec<Moved>,
    /// The time up to which it is proven free; `None` if not even the start is.
    proven_until: Option<f64>,
    /// Bound of the distance by which rounding may move two bodies at a time inside the step, and a flag that the proof
    /// leaves room for it.
    rounding: f64,
    rounding_covered: bool,
}

/// The margin of the list of near pairs: the number of steps like the present one for which the list should be of use.
/// It is never more than the size of the parts, because then the list would hold most of the pairs.
pub(super) const MARGIN: f64 = 4.0;

impl Memory {
    /// Creates a simulation of a robot with its base at rest at `base`, in a configuration, among obstacles at rest.
    pub(super) fn new(
        robot: Robot,
        base: Pose,
        obstacles: Vec<Body>,
        configuration: Vec<f64>,
    ) -> Result<Memory> {
        if configuration.len() != robot.variables().len() {
            return Err(Error::OutOfRange {
                what: "number of joint values".into(),
                expected: "one per variable of the robot",
                value: configuration.len() as f64,
            });
        }
        for (variable, &value) in robot.variables().iter().zip(&configuration) {
            bounded(|| format!("joint \"{}\"", variable.name), value)?;
        }
        let rests = |body: &&Body| matches!(body.as_rigid(), Some((_, Motion::Fixed(_))));
        if let Some(body) = obstacles.iter().find(|body| !rests(body)) {
            return Err(Error::Unsupported {
                what: format!("remembering pairs with \"{}\", which is not at rest", body.name()),
            });
        }
        for part in robot.links().iter().flat_map(|link| link.parts()) {
            if let Shape::Mesh(mesh) = &part.shape {
                // Computed here rather than in the first step.
                mesh.hull();
            }
        }
        let mut followers = vec![Vec::new(); robot.variables().len()];
        for (link, described) in robot.links().iter().enumerate() {
            for variable in described.joint().into_iter().flat_map(variables_of) {
                followers[variable].push(link);
            }
        }
        let tree = AssemblyTree::balanced(&robot);
        let culler = AnyCuller::new(Bounding::default(), &robot, &tree, base, &configuration)?;
        let own = (0..robot.links().len()).map(|link| culler.reach_of(link)).collect();
        let mut lengths = Vec::with_capacity(robot.links().len());
        for link in robot.links() {
            lengths.push(match link.joint() {
                None => 0.0,
                Some(joint) => JointMotion::of(joint, &configuration, &configuration)?.length(),
            });
        }
        Ok(Memory {
            proofs: Proofs::none(robot.links().len()),
            reaches: Reaches::new(&robot, own, |link| lengths[link]),
            nearby: None,
            margin: MARGIN,
            robot,
            base,
            obstacle_tree: ObstacleTree::new(&obstacles),
            solids: CoarseSolids::new(culler.parts().len(), obstacles.len()),
            obstacles,
            tree,
            culler,
            followers,
            target: configuration.clone(),
            configuration,
            stirred: Vec::new(),
            checker: OnceLock::new(),
            pending: None,
        })
    }

    /// Returns the simulation with other bounds.
    pub(super) fn with_bounding(mut self, bounding: Bounding) -> Result<Memory> {
        self.culler = AnyCuller::new(bounding, &self.robot, &self.tree, self.base, &self.configuration)?;
        self.stirred.clear();
        self.nearby = None;
        self.pending = None;
        Ok(self)
    }

    /// Returns the simulation with another margin of the list of near pairs, in travels of a step. The answers do not
    /// depend on it.
    #[cfg(feature = "internals")]
    pub(super) fn with_margin(mut self, margin: f64) -> Memory {
        self.margin = margin;
        self
    }

    /// Returns the simulation with an assembly tree that joins the links in this order: `joints[k]` is the joint of the
    /// `k`-th merge.
    pub(super) fn with_order(mut self, joints: &[usize]) -> Result<Memory> {
        self.tree = AssemblyTree::in_order(&self.robot, joints)?;
        let bounding = self.culler.bounding();
        self.with_bounding(bounding)
    }

    /// Returns the robot.
    pub(super) fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Returns the obstacles.
    pub(super) fn obstacles(&self) -> &[Body] {
        &self.obstacles
    }

    /// Returns the configurations at the ends of a step. Their values are not checked.
    pub(super) fn ends(&self, moved: &[Moved]) -> Result<[Vec<f64>; 2]> {
        let (mut from, mut to) = (self.configuration.clone(), self.configuration.clone());
        for step in moved {
            let len = from.len();
            let what = || "moved variable".to_string();
            let (Some(start), Some(end)) = (from.get_mut(step.variable), to.get_mut(step.variable)) else {
                return Err(Error::IndexOutOfRange { what: what(), index: step.variable, len });
            };
            (*start, *end) = (step.from, step.to);
        }
        Ok([from, to])
    }

    /// Returns the checker that has the robot, the base and the obstacles.
    pub(super) fn checker(&self) -> Result<&Checker> {
        if self.checker.get().is_none() {
            let made = Checker::new(self.robot.clone(), self.base, self.obstacles.clone())?;
            // Another thread may have been faster.
            drop(self.checker.set(made));
        }
        self.checker
            .get()
            .ok_or_else(|| Error::Unsupported { what: "a simulation without its checker".into() })
    }

    /// The same, with a checker that has them already.
    pub(super) fn with_checker(mut self, checker: Checker) -> Memory {
        self.checker = OnceLock::from(checker);
        self
    }

    pub(super) fn base(&self) -> Pose {
        self.base
    }

    pub(super) fn bounding(&self) -> Bounding {
        self.culler.bounding()
    }

    /// Forgets the last step, which can then not be accepted.
    pub(super) fn forget_pending(&mut self) {
        self.pending = None;
    }

    /// Returns the order in which the robot's links are joined.
    pub(super) fn tree(&self) -> &AssemblyTree {
        &self.tree
    }

    /// Returns the configuration at the start of the next step.
    pub(super) fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// The step of [`Simulated::step`](super::Simulated::step). If the watch ends the exact stage early, the answer is
    /// undecided.
    pub(super) fn step(&mut self, moved: &[Moved], options: &Options, watch: Watch) -> Result<StepReport> {
        let begun = self.begin(moved, options)?;
        let Begun { motions, limits, gap, rounding, rounding_covered, open, transforms, .. } = begun;
        let limits = Limits { watch, ..limits };
        let counts_before = self.culler.counts();
        let Memory { robot, tree, culler, obstacles, solids, nearby, .. } = self;
        let mut work = ExactWork::default();
        let (close_pairs, scene) = (open.len() as u64, Exact { robot, tree, culler, obstacles, solids });
        let exact_step = ExactStep { moves: &motions, limits: &limits, gap, any: options.mode == Mode::Any };
        let answer = match nearby {
            Some(list) if !open.is_empty() => exact(scene, &mut list.pairs, open, &exact_step, &mut work),
            _ => Answer::Free,
        };

        let proven_until = match &answer {
            Answer::Free => Some(options.t_max),
            Answer::TouchingAtStart(_) => None,
            Answer::Touch(_) | Answer::Undecided { .. } if options.mode == Mode::Any => None,
            // At the touch itself the gap is at least the requested separation, which is more than must be proven if
            // there was room.
            Answer::Touch(touch) if rounding_covered => Some(touch.toi),
            Answer::Touch(touch) => Some(touch.toi.next_down()),
            Answer::Undecided { free_until, .. } => {
                Some(free_until.next_down()).filter(|&until| until >= 0.0)
            }
        };
        let needed = NeededGap::at_start(options);
        if proven_until.is_some() {
            let weak = self.barely_proven(needed);
            self.proofs.prove(&self.stirred, needed.shown());
            // The exact stage looks for pairs within the separation: it proves that and no more.
            self.proofs.prove(&weak, ProvenGap::beyond(options.min_separation));
        } else {
            // Something touches at the start, or may. All other pairs are proven apart there, and stay so while they
            // rest.
            self.proofs.prove(&self.stirred, needed.shown());
            let unknown = self.not_apart_at_start(needed);
            self.proofs.forget(&unknown);
        }
        let moved = moved.to_vec();
        self.pending = Some(Pending { moved, proven_until, rounding, rounding_covered });
        Ok(StepReport {
            answer,
            joints: self.stirred.len(),
            bodies: work.bodies,
            near_pairs: self.nearby.as_ref().map_or(0, |list| list.pairs.len() as u64),
            close_pairs,
            measured: work.measured,
            transforms: transforms + (self.culler.counts() - counts_before),
            culling: self.culler.work(),
            work: work.tree,
        })
    }

    /// The pairs that a step would check in its exact stage.
    pub(super) fn close_pairs(&mut self, moved: &[Moved], options: &Options) -> Result<Vec<ClosePair>> {
        let Begun { jumped, open, .. } = self.begin(moved, options)?;
        self.proofs.forget(&jumped);
        let link = |part: usize| self.culler.parts()[part].link;
        let pairs = self.nearby.as_ref().map_or(&[][..], |list| &list.pairs);
        let close = open.iter().map(|&k| ClosePair {
            link: link(pairs[k].part),
            other: match pairs[k].other {
                OtherBody::Obstacle(obstacle) => Other::Obstacle(obstacle),
                OtherBody::Part(part) => Other::Link(link(part)),
            },
        });
        Ok(close.collect())
    }

    /// The joints between pairs that went through the exact stage, of which the step proves `min_separation` and no
    /// more: they may be within the tolerance, at its end or throughout. All other pairs are farther apart than that,
    /// too: culling or their fronts have shown it for the whole step.
    fn barely_proven(&self, needed: NeededGap) -> Vec<usize> {
        let Some(list) = &self.nearby else { return Vec::new() };
        let is_stirred = |link: &usize| self.stirred.binary_search(link).is_ok();
        let mut weak = Vec::new();
        for pair in &list.pairs {
            if !pair.is_proven && !pair.front.is_safe(pair.travel, needed) {
                let between = pair.between.iter().map(|&k| list.joints[k as usize]);
                weak.extend(between.filter(is_stirred));
            }
        }
        weak.sort_unstable();
        weak.dedup();
        weak
    }

    /// The joints between pairs that neither culling nor their fronts prove to be farther apart than this at the start
    /// of the step.
    fn not_apart_at_start(&self, needed: NeededGap) -> Vec<usize> {
        let Some(list) = &self.nearby else { return self.stirred.clone() };
        let is_open = |pair: &&Kept| !pair.is_proven && !pair.front.is_safe(0.0, needed);
        let between = list.pairs.iter().filter(is_open).flat_map(|pair| &pair.between);
        let mut joints: Vec<usize> = between.map(|&k| list.joints[k as usize]).collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    /// Returns a box for each part of the robot, in the order of links and parts, that the part never leaves during the
    /// last step.
    pub(super) fn swept_boxes(&mut self) -> Vec<Aabb> {
        (0..self.culler.parts().len()).map(|part| self.culler.part_box(&self.tree, part)).collect()
    }
}

/// The variables of a joint.
fn variables_of(joint: &LinkJoint) -> std::ops::Range<usize> {
    let count = match joint.kind {
        JointKind::Fixed => 0,
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } => 1,
        JointKind::Planar { .. } => 3,
        JointKind::Floating => 7,
        JointKind::Ball => 4,
    };
    joint.variable..joint.variable + count
}
