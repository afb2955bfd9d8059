//! The first touch of a robot with its surroundings and with itself, while it goes from one configuration to another.
//!
//! 1. *Link-level spatial culling.* Each part's swept box against the obstacles' boxes and against the other parts'; what
//!    survives are the potentially colliding pairs.
//! 2. *Exact stage.* All pairs through one queue of the tree engine: conservative advancement of pairs of tree nodes with
//!    their own directions and motion bounds, earliest bound first, `t_min` shared. Two parts of the robot move
//!    relative to the last link that both hang on.
//!
//! The checker is built once per robot and surroundings; a query rebuilds nothing. It is meant to be used by many
//! threads at once, one query each.
//!
//! Guarantee: that of the tree engine; culling is rigorous.
//!
//! Departures: the convex-hull lower bound of Sec. 7.2 is what the upper nodes of the trees do here.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 4 to 7.

use crate::advancement::Limits;
use crate::answer::{Answer, Part};
use crate::articulated::culling::{Culling, PartBox, part_boxes, swept_boxes};
use crate::articulated::kinematics::{LinkMotion, RobotMotion};
use crate::articulated::robot::{LinkPart, Robot};
use crate::broad::{Aabb, overlapping_pairs};
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose};
use crate::narrow::composite::Pieces;
use crate::narrow::touch_of_leaves;
use crate::narrow::tree_tree::{Mover, TreeOutcome, TreeStats, first_touch};
use crate::numerics::Window;
use crate::options::{Mode, Options};
use crate::scene::{Body, Matter};
use crate::shape::Shape;

/// A robot among obstacles, ready for queries.
#[derive(Debug, Clone)]
pub struct Checker {
    pub(super) robot: Robot,
    pub(super) base: Pose,
    pub(super) obstacles: Vec<Body>,
    obstacle_boxes: Vec<Aabb>,
    pub(super) parts: Vec<PartBox>,
    /// Pairs of parts of the robot that are checked against each other.
    own_pairs: Vec<[usize; 2]>,
    culling: Culling,
}

/// What a query found, and how much work it took.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The answer. Body 0 is the robot, body `1 + k` obstacle `k`.
    pub answer: Answer,
    /// Pairs of parts before culling.
    pub pairs: u64,
    /// Pairs whose boxes meet.
    pub close_pairs: u64,
    /// The work of the exact stage.
    pub work: TreeStats,
}

impl Checker {
    /// A robot with its base at rest at `base`, among obstacles that may move or deform themselves. Refuses robots among the
    /// obstacles: those take a [`Scene`](crate::Scene).
    pub fn new(robot: Robot, base: Pose, obstacles: Vec<Body>) -> Result<Checker> {
        for body in &obstacles {
            if let Matter::Robot(_) | Matter::Held { .. } = body.matter() {
                return Err(Error::Unsupported {
                    what: format!(
                        "robots among the obstacles of a robot, here \"{}\": check them as one scene",
                        body.name()
                    ),
                });
            }
        }
        for LinkPart { shape, .. } in robot.links().iter().flat_map(|link| link.parts()) {
            if let Shape::Mesh(mesh) = shape {
                // Made now rather than in the first query.
                mesh.hull();
            }
        }
        let parts = part_boxes(&robot);
        let mut own_pairs = Vec::new();
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                let (a, b) = (parts[i].link, parts[j].link);
                if a != b && !robot.is_allowed(a, b) {
                    own_pairs.push([i, j]);
                }
            }
        }
        let whole = Window::between(0.0, 1.0);
        let obstacle_boxes = obstacles.iter().filter_map(|body| body.swept_box(whole)).collect();
        Ok(Checker { robot, base, obstacles, obstacle_boxes, parts, own_pairs, culling: Culling::default() })
    }

    /// The same with another way of culling.
    pub fn with_culling(mut self, culling: Culling) -> Checker {
        self.culling = culling;
        self
    }

    /// The robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Body] {
        &self.obstacles
    }

    /// The box that each part of the robot, in the order of links and parts, never leaves on the way from one
    /// configuration to another.
    pub fn swept_boxes(&self, from: &[f64], to: &[f64]) -> Result<Vec<Aabb>> {
        let motion = RobotMotion::new(&self.robot, self.base, from, to)?;
        Ok(swept_boxes(&motion, &self.parts, Window::between(0.0, 1.0), self.culling))
    }

    /// The first touch on the way from one configuration to another, every joint moving at a constant rate.
    pub fn check_step(&self, from: &[f64], to: &[f64], options: &Options) -> Result<StepReport> {
        options.validate()?;
        let motion = RobotMotion::new(&self.robot, self.base, from, to)?;
        let window = Window::between(0.0, options.t_max);
        let boxes: Vec<Aabb> = swept_boxes(&motion, &self.parts, window, self.culling)
            .into_iter()
            .map(|bounds| bounds.inflated(options.min_separation))
            .collect();

        let close: Vec<(Candidate, [LinkMotion<'_>; 2])> = self
            .close_pairs(&boxes)
            .into_iter()
            .map(|candidate| match candidate {
                Candidate::Obstacle(i, _) => {
                    (candidate, [motion.part(self.parts[i].link, self.parts[i].part); 2])
                }
                Candidate::Own(i, j) => {
                    let [a, b] = [i, j].map(|i| (self.parts[i].link, self.parts[i].part));
                    (candidate, motion.relative(a, b))
                }
            })
            .collect();

        let pairs: Vec<[Mover<'_>; 2]> = close
            .iter()
            .map(|(candidate, moves)| match *candidate {
                Candidate::Obstacle(i, k) => [self.mover(i, &moves[0]), obstacle_mover(&self.obstacles[k])],
                Candidate::Own(i, j) => [self.mover(i, &moves[0]), self.mover(j, &moves[1])],
            })
            .collect();
        let limits = Limits {
            t_start: 0.0,
            t_end: options.t_max,
            min_separation: options.min_separation,
            tolerance: options.tolerance,
            max_iterations: options.max_iterations,
        };
        let mut work = TreeStats::default();
        let outcome = first_touch(&pairs, &limits, options.mode == Mode::Any, &mut work);
        let answer = match outcome {
            TreeOutcome::Free => Answer::Free,
            TreeOutcome::Undecided { free_until, pair } => {
                Answer::Undecided { free_until, bodies: bodies(&close[pair].0) }
            }
            TreeOutcome::Touch(found) => {
                let candidate = close[found.pair].0;
                let mut touch = touch_of_leaves(&pairs[found.pair], &found);
                touch.bodies = bodies(&candidate);
                let link = |i: usize| Part::Link(self.parts[i].link as u32);
                match candidate {
                    Candidate::Obstacle(i, _) => touch.parts[0] = link(i),
                    Candidate::Own(i, j) => {
                        touch.parts = [link(i), link(j)];
                        // Both were placed in the frame of a link: back to the world.
                        let base = self.robot.common_ancestor(self.parts[i].link, self.parts[j].link);
                        let frame = motion.link_pose(base, found.t);
                        touch.points = touch.points.map(|point| frame.apply(point));
                        touch.normal = frame.rotation * touch.normal;
                    }
                }
                if touch.toi == 0.0 { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
            }
        };
        Ok(StepReport { answer, pairs: self.pairs(), close_pairs: close.len() as u64, work })
    }

    /// How many pairs there are before culling.
    pub(super) fn pairs(&self) -> u64 {
        (self.parts.len() * self.obstacles.len() + self.own_pairs.len()) as u64
    }

    /// The pairs whose boxes meet: parts with obstacles, then parts with each other, in ascending order.
    pub(super) fn close_pairs(&self, boxes: &[Aabb]) -> Vec<Candidate> {
        let mut close = Vec::new();
        // With many parts all against all takes longer than everything else.
        const FEW_PAIRS: u64 = 2_000;
        if self.pairs() <= FEW_PAIRS {
            for (i, swept) in boxes.iter().enumerate() {
                let obstacles = self.obstacle_boxes.iter().enumerate();
                let met = obstacles.filter(|(_, obstacle)| swept.overlaps(obstacle));
                close.extend(met.map(|(k, _)| Candidate::Obstacle(i, k)));
            }
            let met = self.own_pairs.iter().filter(|[i, j]| boxes[*i].overlaps(&boxes[*j]));
            close.extend(met.map(|&[i, j]| Candidate::Own(i, j)));
            return close;
        }
        let parts = boxes.len();
        let all: Vec<Aabb> = boxes.iter().chain(&self.obstacle_boxes).copied().collect();
        let mut own = Vec::new();
        for [i, j] in overlapping_pairs(&all) {
            if i >= parts {
                continue;
            }
            if j >= parts {
                close.push(Candidate::Obstacle(i, j - parts));
            } else {
                let (a, b) = (self.parts[i].link, self.parts[j].link);
                if a != b && !self.robot.is_allowed(a, b) {
                    own.push(Candidate::Own(i, j));
                }
            }
        }
        close.append(&mut own);
        close
    }

    pub(super) fn mover<'a>(&'a self, part: usize, motion: &'a LinkMotion<'a>) -> Mover<'a> {
        let PartBox { link, part, .. } = self.parts[part];
        Mover { pieces: Pieces::of(&self.robot.links()[link].parts()[part].shape), motion }
    }
}

/// A pair that survived culling.
#[derive(Debug, Clone, Copy)]
pub(super) enum Candidate {
    /// A part of the robot and an obstacle.
    Obstacle(usize, usize),
    /// Two parts of the robot.
    Own(usize, usize),
}

pub(super) fn bodies(candidate: &Candidate) -> [usize; 2] {
    match candidate {
        Candidate::Obstacle(_, obstacle) => [0, 1 + obstacle],
        Candidate::Own(_, _) => [0, 0],
    }
}

pub(super) fn obstacle_mover(body: &Body) -> Mover<'_> {
    match body.matter() {
        Matter::Rigid { shape, motion } => Mover { pieces: Pieces::of(shape), motion },
        Matter::Affine(ellipsoid) => {
            Mover { pieces: Pieces::Changing(ellipsoid.changing()), motion: &Motion::AT_REST }
        }
        Matter::Deforming(tree) => Mover { pieces: Pieces::Deforming(tree), motion: &Motion::AT_REST },
        Matter::Robot(_) | Matter::Held { .. } => unreachable!("the constructor refuses robots"),
    }
}
