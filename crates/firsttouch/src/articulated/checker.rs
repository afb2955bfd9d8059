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

use std::collections::VecDeque;

use crate::answer::{Answer, Part};
use crate::articulated::culling::{Culling, PartBox, part_boxes, swept_boxes};
use crate::articulated::kinematics::{LinkMotion, RobotMotion};
use crate::articulated::outline::{Candidate, Outline};
use crate::articulated::robot::{LinkPart, Robot};
use crate::articulated::sieve::{Sieve, Sieved};
use crate::broad::{Aabb, overlapping_pairs};
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose};
use crate::narrow::touch_of_leaves;
use crate::narrow::{Pieces, Side};
use crate::numerics::Window;
use crate::options::{Mode, Options};
use crate::pair::{Limits, Verdict};
use crate::scene::{Body, BodyKind};
use crate::shape::Shape;
use crate::tree::{TreeStats, first_touch};

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
    outline: Outline,
    culling: Culling,
}

/// What a query found, and how much work it took.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The answer. Body 0 is the robot, body `1 + k` obstacle `k`.
    pub answer: Answer,
    /// Pairs of parts before culling.
    pub pairs: u64,
    /// Pairs whose boxes meet; by windows, those handed to the exact stage, each counted in every window.
    pub close_pairs: u64,
    /// Windows of time that were looked at, and pairs of coarse solids that were tested in them.
    pub windows: [u64; 2],
    /// The work of the exact stage.
    pub work: TreeStats,
}

impl Checker {
    /// A robot with its base at rest at `base`, among obstacles that may move or deform themselves. Refuses robots among the
    /// obstacles: those take a [`Scene`](crate::Scene).
    pub fn new(robot: Robot, base: Pose, obstacles: Vec<Body>) -> Result<Checker> {
        for body in &obstacles {
            if let BodyKind::Robot(_) | BodyKind::Attached { .. } = body.kind() {
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
        let obstacle_boxes: Vec<Aabb> = obstacles.iter().filter_map(|body| body.swept_box(whole)).collect();
        let outline = Outline::new(&robot, base, &parts, &own_pairs, &obstacles, &obstacle_boxes);
        let culling = Culling::default();
        Ok(Checker { robot, base, obstacles, obstacle_boxes, parts, own_pairs, outline, culling })
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
        let mut query = Query {
            checker: self,
            motion: &motion,
            options,
            work: TreeStats::default(),
            close: 0,
            windows: [0, 0],
            found: None,
        };
        if self.culling == Culling::Windows {
            query.by_windows();
        } else {
            query.by_boxes();
        }
        let Query { work, close, windows, found, .. } = query;
        let answer = found.map_or(Answer::Free, |(_, answer)| answer);
        Ok(StepReport { answer, pairs: self.pairs(), close_pairs: close, windows, work })
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

    pub(super) fn mover<'a>(&'a self, part: usize, motion: &'a LinkMotion<'a>) -> Side<'a> {
        let PartBox { link, part, .. } = self.parts[part];
        Side { pieces: Pieces::of(&self.robot.links()[link].parts()[part].shape), motion }
    }
}

/// One query: what was found so far.
struct Query<'a> {
    checker: &'a Checker,
    motion: &'a RobotMotion<'a>,
    options: &'a Options,
    work: TreeStats,
    close: u64,
    windows: [u64; 2],
    /// The earliest event, a touch or a spent budget, with its time.
    found: Option<(f64, Answer)>,
}

impl Query<'_> {
    /// How far apart parts must be to be left out: what is within the tolerance at the start counts as touching then.
    fn apart(&self) -> f64 {
        self.options.min_separation + self.options.tolerance
    }

    /// All pairs whose boxes over the whole step meet.
    fn by_boxes(&mut self) {
        let Checker { parts, culling, .. } = self.checker;
        let window = Window::between(0.0, self.options.t_max);
        let boxes: Vec<Aabb> = swept_boxes(self.motion, parts, window, *culling)
            .into_iter()
            .map(|bounds| bounds.inflated(self.apart()))
            .collect();
        let close = self.checker.close_pairs(&boxes);
        self.exactly(&close, [0.0, self.options.t_max]);
    }

    /// What the sieve lets through, window by window.
    fn by_windows(&mut self) {
        let Options { mode, t_max, .. } = *self.options;
        let apart = self.apart();
        let outline = &self.checker.outline;
        let at_rest: Vec<Candidate> = outline
            .at_rest
            .iter()
            .filter(|(_, distance)| distance.is_nan() || *distance <= apart)
            .map(|(candidate, _)| *candidate)
            .collect();
        self.exactly(&at_rest, [0.0, t_max]);
        let mut sieve = Sieve::new(outline, self.motion, apart);
        let any = mode == Mode::Any;
        let mut open = VecDeque::from([sieve.whole(t_max)]);
        // For the first touch the earliest window comes first, for any touch the longest.
        while let Some(span) = if any { open.pop_front() } else { open.pop_back() } {
            let done = match &self.found {
                Some((t, _)) => (any && self.has_touch()) || *t <= span.t[0],
                None => false,
            };
            if done {
                continue;
            }
            let t = span.t;
            self.windows[0] += 1;
            // For any touch, what overlaps in the middle of the window is looked at there before anything else.
            let Sieved { close, halves } = sieve.sift(span, |candidate, middle| {
                any && {
                    self.exactly(&[candidate], [middle, middle]);
                    self.has_touch()
                }
            });
            self.exactly(&close, t);
            if let Some([early, late]) = halves {
                if any {
                    open.extend([early, late]);
                } else {
                    open.extend([late, early]);
                }
            }
        }
        self.windows[1] = sieve.tests;
    }

    fn has_touch(&self) -> bool {
        self.found.as_ref().is_some_and(|(_, answer)| answer.touch().is_some())
    }

    /// The exact stage, for some pairs in a span of time.
    fn exactly(&mut self, close: &[Candidate], [t_start, t_end]: [f64; 2]) {
        let t_end = self.found.as_ref().map_or(t_end, |(t, _)| t_end.min(*t));
        if close.is_empty() || t_end < t_start {
            return;
        }
        self.close += close.len() as u64;
        let checker = self.checker;
        let part = |i: usize| (checker.parts[i].link, checker.parts[i].part);
        let moves: Vec<[LinkMotion<'_>; 2]> = close
            .iter()
            .map(|candidate| match *candidate {
                Candidate::Obstacle(i, _) => [self.motion.part(part(i).0, part(i).1); 2],
                Candidate::Own(i, j) => self.motion.relative(part(i), part(j)),
            })
            .collect();
        let pairs: Vec<[Side<'_>; 2]> = close
            .iter()
            .zip(&moves)
            .map(|(candidate, moves)| match *candidate {
                Candidate::Obstacle(i, k) => {
                    [checker.mover(i, &moves[0]), obstacle_mover(&checker.obstacles[k])]
                }
                Candidate::Own(i, j) => [checker.mover(i, &moves[0]), checker.mover(j, &moves[1])],
            })
            .collect();
        let limits = Limits { t_start, t_end, ..Limits::of_valid(self.options) };
        let found = first_touch(&pairs, &limits, self.options.mode == Mode::Any, &mut self.work);
        let (t, answer) = match found.verdict {
            Verdict::Free => return,
            Verdict::Undecided { free_until } => {
                (free_until, Answer::Undecided { free_until, bodies: bodies(&close[found.pair]) })
            }
            Verdict::Touch(leaves) => {
                let mut touch =
                    touch_of_leaves(&pairs[found.pair], &leaves).between(bodies(&close[found.pair]));
                let link = |i: usize| Part::Link(checker.parts[i].link as u32);
                match close[found.pair] {
                    Candidate::Obstacle(i, _) => touch.parts[0] = link(i),
                    Candidate::Own(i, j) => {
                        touch.parts = [link(i), link(j)];
                        // Both were placed in the frame of a link: back to the world.
                        let base =
                            checker.robot.common_ancestor(checker.parts[i].link, checker.parts[j].link);
                        let frame = self.motion.link_pose(base, touch.toi);
                        touch.points = touch.points.map(|point| frame.apply(point));
                        touch.normal = frame.rotation * touch.normal;
                    }
                }
                if self.options.mode == Mode::Any {
                    // The windows are not taken in the order of time: nothing is proven of the others.
                    touch.free_until = 0.0;
                }
                let at_start = touch.toi == 0.0;
                (touch.toi, if at_start { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) })
            }
        };
        if self.found.as_ref().is_none_or(|(known, _)| t < *known) {
            self.found = Some((t, answer));
        }
    }
}

pub(super) fn bodies(candidate: &Candidate) -> [usize; 2] {
    match candidate {
        Candidate::Obstacle(_, obstacle) => [0, 1 + obstacle],
        Candidate::Own(_, _) => [0, 0],
    }
}

pub(super) fn obstacle_mover(body: &Body) -> Side<'_> {
    match body.kind() {
        BodyKind::Rigid { shape, motion } => Side { pieces: Pieces::of(shape), motion },
        BodyKind::Affine(ellipsoid) => {
            Side { pieces: Pieces::Changing(ellipsoid.changing()), motion: &Motion::AT_REST }
        }
        BodyKind::Deforming(tree) => Side { pieces: Pieces::Deforming(tree), motion: &Motion::AT_REST },
        BodyKind::Robot(_) | BodyKind::Attached { .. } => unreachable!("the constructor refuses robots"),
    }
}
