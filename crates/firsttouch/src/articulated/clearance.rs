//! The least distance of a robot from its obstacles and from itself, on one step, along a path, or in one configuration.
//!
//! # The method
//! 1. *A first pair.* Coarse solids around the parts are compared where their boxes are closest: at the beginning, in the middle or at the end. The pair that overlaps
//!    most is measured at that instant. Of the pairs that are apart the closest one is searched over the whole time (`clearance`): most
//!    often it is the closest of all, and its least distance excludes nearly all others.
//! 2. *Pairs at rest* are measured once, unless they are known to be farther apart.
//! 3. *Windows.* The sieve goes through windows of time, with the upper bound as the separation to be kept: what it proves free is farther
//!    apart than that. The pair of rule 1 is left out if its search ended: nothing is left to be found there. Two parts that are close in the middle of a window are measured there, which lowers the upper bound for
//!    everything that follows.
//! 4. *Exact stage.* What is left, each pair in its windows, goes through the same search: the nearest pair so far by itself, then all
//!    others in one queue.
//!
//! # Guarantee
//! Pairs that are dropped in rules 2 and 3 are proven to be farther apart than an upper bound of the least distance. All others are
//! bounded by the search. So the lower bound is that of the search, or the upper bound if that is less.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use glam::DVec3;

use super::checker::Checker;
use super::outline::Candidate;
use super::part_pairs::PartPair;
use super::path::{segment, segments_of};
use super::query::bodies;
use super::separation;
use super::sieve::{Sieve, Sieved, Span, Surroundings};
use crate::ask::Ask;
use crate::clearance::{Clearance, LeastDistance, PathClearance, Question, SidePair, least_distance_in};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::manifold::{ContactPoint, all_contacts};
use crate::motion::PoseAt;
use crate::narrow::{Pieces, touch_of_leaves};
use crate::numerics::bound::{lower_min, upper_max};
use crate::options::Options;
use crate::pair::{PairTouch, TreeStats};
use crate::robot::{LinkBounds, RobotMotion, Trajectory};
use crate::shape::Convex;

impl Checker {
    /// Returns the least distance along a path through waypoints, proven from both sides to the tolerance. Every joint moves at a constant
    /// rate from one waypoint to the next; at a single waypoint the robot rests. Returns `None` if nothing is checked, and an error for a path
    /// without waypoints. Links connected by a joint, and pairs that are allowed to touch, do not count. Body 0 is the robot, body `1 + k` obstacle `k`. The `t_max` of the options applies to
    /// each segment.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "ball".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let found = checker.clearance(&[vec![0.0], vec![4.0], vec![6.0], vec![2.0]], &Options::default())?;
    /// let found = found.expect("there is a post");
    /// // The distance is least at x = 6, at the end of the second segment.
    /// assert!(found.clearance.lower <= 2.0 && found.clearance.upper >= 2.0 && found.clearance.is_tight);
    /// assert_eq!((found.segment, found.clearance.t), (1, 1.0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance<'a>(
        &self,
        waypoints: &[Vec<f64>],
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<PathClearance>> {
        let (options, control) = &ask.into().plain("a least distance of a path")?;
        waypoints.iter().try_for_each(|waypoint| self.robot().validate(waypoint))?;
        let segments = segments_of(waypoints.len())?;
        self.least_of_segments(segments, options, control, |index, question| {
            let [from, to] = segment(waypoints, index);
            let motion = self.motion(from, to)?;
            Ok(self.least(&motion, question))
        })
    }

    /// Like [`Checker::clearance`], along a trajectory. Obstacles that move are on the same clock; see [`Checker::check_trajectory`].
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, Trajectory};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "ball".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10. The ball goes to 4 and back, by cubics that rest at all ends.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let there = [vec![0.0], vec![4.0], vec![0.0]];
    /// let rest = vec![vec![0.0]; 3];
    /// let way = Trajectory::cubic(checker.robot(), &[0.0, 1.0, 2.0], &there, &rest)?;
    /// let found = checker.clearance_along(&way, &Options::default())?.expect("there is a post").clearance;
    /// assert!(found.lower <= 4.0 && found.upper >= 4.0 && found.is_tight);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance_along<'a>(
        &self,
        trajectory: &Trajectory,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<PathClearance>> {
        let (options, control) = &ask.into().plain("a least distance of a path")?;
        self.least_of_segments(trajectory.segments(), options, control, |segment, question| {
            let own = self.on_segment(trajectory, segment)?;
            let checker = own.as_ref().unwrap_or(self);
            Ok(checker.least(&checker.along(trajectory, segment)?, question))
        })
    }

    /// Returns all contacts at the time `t` within a segment of a trajectory; see [`Checker::contacts`].
    pub fn contacts_along<'a>(
        &self,
        trajectory: &Trajectory,
        segment: usize,
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<ContactPoint>> {
        let (options, control) = &ask.into().plain("contacts of a robot")?;
        let segments = trajectory.segments();
        if segment >= segments {
            let what = format!("segment of a trajectory of {segments}");
            return Err(Error::OutOfRange { what, expected: "less than that", value: segment as f64 });
        }
        let own = self.on_segment(trajectory, segment)?;
        let checker = own.as_ref().unwrap_or(self);
        checker.contacts_of(&checker.along(trajectory, segment)?, t, options, control)
    }

    /// The least distance of several segments, each bounded by the upper bound of those before it.
    fn least_of_segments(
        &self,
        segments: usize,
        options: &Options,
        control: &Control<'_>,
        mut least: impl FnMut(usize, &Question) -> Result<(f64, Option<Nearest>)>,
    ) -> Result<Option<PathClearance>> {
        options.validate()?;
        let mut lower = f64::INFINITY;
        let mut nearest: Option<(usize, Nearest)> = None;
        for segment in 0..segments {
            let known_upper = nearest.as_ref().map_or(f64::INFINITY, |(_, known)| known.touch.gap);
            let question = Question { known_upper, watch: control.watch(), ..Question::new(options) };
            let (bound, found) = least(segment, &question)?;
            lower = lower_min(lower, bound);
            if let Some(found) = found {
                nearest = Some((segment, found));
            }
        }
        Ok(nearest.map(|(segment, Nearest { touch, bodies, .. })| {
            let lower = lower_min(lower, touch.gap);
            PathClearance { segment, clearance: Clearance::new(lower, touch, bodies, options.tolerance) }
        }))
    }

    /// Returns the least distance in one configuration, as exact as rounding allows. Obstacles that move are taken at time 0.
    pub fn distance<'a>(&self, configuration: &[f64], ask: impl Into<Ask<'a>>) -> Result<Option<Clearance>> {
        self.distance_at(configuration, configuration, 0.0, ask)
    }

    /// Returns the least distance at the time `t` on the way from one configuration to another, as exact as rounding allows.
    pub fn distance_at<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<Clearance>> {
        let (options, control) = &ask.into().plain("a distance")?;
        options.validate()?;
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        let motion = self.motion(from, to)?;
        let exact = Question { span: [t, t], tolerance: f64::MIN_POSITIVE, ..Question::new(options) };
        let question = Question { watch: control.watch(), ..exact };
        let (lower, found) = self.least(&motion, &question);
        Ok(found.map(|Nearest { touch, bodies, .. }| Clearance::new(lower, touch, bodies, options.tolerance)))
    }

    /// Returns all contacts at the time `t` on the way from one configuration to another, within `min_separation + tolerance` and the padding; see
    /// [`Scene::contacts`](crate::Scene::contacts). Body 0 is the robot, body `1 + k` obstacle `k`.
    pub fn contacts<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<ContactPoint>> {
        let (options, control) = &ask.into().plain("contacts of a robot")?;
        self.contacts_of(&RobotMotion::new(self.robot(), self.base(), from, to)?, t, options, control)
    }

    fn contacts_of(
        &self,
        motion: &RobotMotion<'_>,
        t: f64,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Vec<ContactPoint>> {
        options.validate()?;
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        let candidates: Vec<Candidate> = self.measured_pairs().collect();
        let pairs: Vec<PartPair<'_>> = candidates
            .iter()
            .map(|candidate| self.part_pair(motion, candidate, options.min_separation))
            .collect();
        let sides: Vec<SidePair<'_, Pieces<'_>>> = pairs.iter().map(PartPair::side_pair).collect();
        let found = all_contacts(&sides, t, options.tolerance, control.watch());
        let mut contacts: Vec<ContactPoint> = found
            .into_iter()
            .map(|(pair, mut touch)| {
                pairs[pair].describe(&mut touch);
                let touch = self.in_order_of_links(touch, &candidates[pair]);
                ContactPoint::new(touch, bodies(&candidates[pair]))
            })
            .collect();
        contacts.sort_by_key(|contact| contact.bodies);
        Ok(contacts)
    }

    fn least(&self, motion: &RobotMotion<'_>, question: &Question) -> (f64, Option<Nearest>) {
        let mut query = ClearanceQuery {
            checker: self,
            motion,
            question,
            upper: question.known_upper,
            nearest: None,
            lower: f64::INFINITY,
            searched: None,
        };
        query.first_pair();
        query.pairs_at_rest();
        query.windows();
        (lower_min(query.lower, query.upper), query.nearest)
    }
}

/// The nearest parts, and the bodies that they belong to.
struct Nearest {
    touch: PairTouch,
    candidate: Candidate,
    bodies: [usize; 2],
}

/// Pairs to begin with.
struct LikelyClosest {
    /// The pair whose solids overlap most, and when. That tells little about how far apart their contents are.
    overlapping: Option<(Candidate, f64)>,
    /// Of those whose solids are apart, the pair whose solids are closest.
    apart: Option<Candidate>,
}

/// The first pair is chosen from so many pairs by their boxes, and from so many of these by their solids.
const MOST_COMPARED: usize = 5_000;
const MOST_SOLIDS: usize = 32;

/// The first pair is searched with at most so many instants: a pair that needs more is left to the exact stage.
const FIRST_ITERATIONS: usize = 128;

/// Close pairs go to the exact stage in windows that were halved so often, all others in windows that were halved more.
const DEPTHS: [u32; 2] = [3, 5];

/// Pairs that are close in the middle of a window are measured there if it was halved less often than this.
const TRIED: u32 = 2;

/// One query, and its results so far.
struct ClearanceQuery<'a> {
    checker: &'a Checker,
    motion: &'a RobotMotion<'a>,
    question: &'a Question,
    /// The least upper bound that is known.
    upper: f64,
    /// Where it was found; `None` if it was known before.
    nearest: Option<Nearest>,
    /// What was measured is not closer than this.
    lower: f64,
    /// The pair that was searched over the whole time.
    searched: Option<Candidate>,
}

impl ClearanceQuery<'_> {
    /// Rule 1 of the header.
    fn first_pair(&mut self) {
        if self.upper < f64::INFINITY {
            return;
        }
        let LikelyClosest { overlapping, apart } = self.likely_closest();
        if let Some((candidate, t)) = overlapping {
            self.measure_at(candidate, t, f64::INFINITY);
        }
        let Some(candidate) = apart.filter(|_| self.upper > self.question.tolerance) else { return };
        let max_iterations = self.question.max_iterations.min(FIRST_ITERATIONS); // not a bound: a count
        let question =
            Question { max_iterations, least_budget: 0, known_upper: self.upper, ..*self.question };
        let lower = self.search(&[(candidate, question.span)], &question);
        // If the budget is spent, the exact stage goes on where the sieve leaves the pair.
        if self.upper - lower <= question.tolerance {
            self.lower = lower_min(self.lower, lower);
            self.searched = Some(candidate);
        }
    }

    /// The pairs that are likely the closest ones: their solids are, at that of three instants at which their boxes are. Not a bound: steers.
    fn likely_closest(&self) -> LikelyClosest {
        let [from, to] = self.question.span;
        let instants = [from, 0.5 * (from + to), to];
        let Surroundings { outline, obstacles, .. } = self.checker.surroundings();
        let poses: Vec<[PoseAt; 3]> =
            (0..outline.parts.len()).map(|i| self.motion.poses(&instants, outline.frames[i])).collect();
        let hull = |i: usize| outline.solids[i].whole();
        let boxes: Vec<[[DVec3; 2]; 3]> = (0..outline.parts.len())
            .map(|i| {
                let (center, half) = hull(i).bounds();
                poses[i].map(|pose| [pose.apply(center), pose.box_extent(half)])
            })
            .collect();
        let compared = if from < to { 0..3 } else { 0..1 };
        let mut guesses: Vec<(f64, usize, Candidate)> = Vec::new();
        for candidate in self.checker.measured_pairs().take(MOST_COMPARED) {
            let mut guess = (f64::INFINITY, 0, candidate);
            for k in compared.clone() {
                let [a, b] = match candidate {
                    Candidate::Obstacle(i, obstacle) => {
                        let (center, half) = obstacles[obstacle].solid.whole().bounds();
                        [boxes[i][k], [center, half]]
                    }
                    Candidate::Own(i, j) => [boxes[i][k], boxes[j][k]],
                };
                let gap = (b[0] - a[0]).abs() - a[1] - b[1];
                let outside = gap.max(DVec3::ZERO).length(); // not a bound: steers
                let gap = if outside > 0.0 { outside } else { gap.max_element() };
                if gap < guess.0 {
                    guess = (gap, k, candidate);
                }
            }
            guesses.push(guess);
        }
        // The pair with the closest boxes comes first: it excludes most of the others.
        let closest_boxes = (0..guesses.len()).min_by(|&x, &y| guesses[x].0.total_cmp(&guesses[y].0));
        if let Some(place) = closest_boxes {
            guesses.swap(0, place);
        }
        let mut closest: Option<(f64, Candidate)> = None;
        let mut deepest: Option<(f64, (Candidate, f64))> = None;
        let mut left = MOST_SOLIDS;
        for (gap, k, candidate) in guesses {
            if left == 0 || closest.is_some_and(|(known, _)| gap >= known) {
                continue;
            }
            left -= 1;
            let (solids, pose) = match candidate {
                Candidate::Obstacle(i, obstacle) => {
                    ([obstacles[obstacle].solid.whole(), hull(i)], poses[i][k])
                }
                Candidate::Own(i, j) => {
                    let [a, b] = [&poses[i][k], &poses[j][k]];
                    let rotation = a.rotation.transpose() * b.rotation;
                    ([hull(i), hull(j)], PoseAt { rotation, translation: a.to_body(b.translation) })
                }
            };
            let enough = closest.map_or(f64::INFINITY, |(known, _)| known);
            let towards = pose.apply(solids[1].bounds().0) - solids[0].bounds().0;
            let apart = separation::distance_up_to(enough, towards, solids, &pose, &LinkBounds::AT_REST);
            if apart > 0.0 && closest.is_none_or(|(known, _)| apart < known) {
                closest = Some((apart, candidate));
            } else if apart <= 0.0 && deepest.is_none_or(|(known, _)| apart < known) {
                deepest = Some((apart, (candidate, instants[k])));
            }
        }
        LikelyClosest {
            overlapping: deepest.map(|(_, pair)| pair),
            apart: closest.map(|(_, candidate)| candidate),
        }
    }

    /// Lowers the upper bound if a pair is closer than it at an instant. `apart` is about how far apart the two are, or infinite.
    fn measure_at(&mut self, candidate: Candidate, t: f64, apart: f64) {
        // The bound need not be sharp here: the exact stage will find what is left.
        let coarse = 0.02 * if self.upper < apart { self.upper } else { apart };
        let tolerance = upper_max(coarse, self.question.tolerance);
        let question = Question { span: [t, t], tolerance, known_upper: self.upper, ..*self.question };
        self.search(&[(candidate, [t, t])], &question);
    }

    /// Rule 2 of the header.
    fn pairs_at_rest(&mut self) {
        let [from, to] = self.question.span;
        let all: Vec<(Candidate, [f64; 2])> =
            self.checker.at_rest(self.upper).into_iter().map(|candidate| (candidate, [from, to])).collect();
        self.measure(&all);
    }

    /// Rules 3 and 4 of the header.
    fn windows(&mut self) {
        let mut sieve = Sieve::new(self.checker.surroundings(), self.motion, self.upper);
        sieve.watch = self.question.watch;
        sieve.depths = DEPTHS;
        sieve.left_out = self.searched;
        sieve.batches(self.question.span, |sieve, span, _| {
            let mut close: Vec<(Candidate, [f64; 2])> = Vec::new();
            let mut open: VecDeque<Span> = VecDeque::from([span]);
            while let Some(span) = open.pop_front() {
                if self.is_done() {
                    return ControlFlow::Break(());
                }
                let window = span.t;
                let (mut last, depth) = (None, span.depth());
                (sieve.min_separation, sieve.own_separation) = (self.upper, self.upper);
                let Sieved { close: found, halves } = sieve.sift(span, |candidate, middle| {
                    // In shorter windows the exact stage finds more.
                    if last != Some(candidate) && depth < TRIED {
                        last = Some(candidate);
                        self.measure_at(candidate, middle, f64::INFINITY);
                    }
                    self.is_done()
                });
                close.extend(found.into_iter().map(|candidate| (candidate, window)));
                open.extend(halves.into_iter().flatten());
            }
            self.measure(&close);
            if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }

    /// Whether nothing is left to find, or the query is interrupted: then nothing is proven.
    fn is_done(&mut self) -> bool {
        if self.question.watch.is_raised() {
            self.lower = 0.0;
            return true;
        }
        if self.upper <= self.question.tolerance {
            self.lower = 0.0;
            return true;
        }
        false
    }

    /// Measures pairs in their windows, exactly. The nearest one so far comes first: it excludes most of the others.
    fn measure(&mut self, pairs: &[(Candidate, [f64; 2])]) {
        let nearest = self.nearest.as_ref().map(|nearest| nearest.candidate);
        let (first, others): (Vec<_>, Vec<_>) =
            pairs.iter().copied().partition(|(candidate, _)| Some(*candidate) == nearest);
        for pairs in [first, others] {
            if !pairs.is_empty() {
                let question = Question { known_upper: self.upper, ..*self.question };
                let lower = self.search(&pairs, &question);
                self.lower = lower_min(self.lower, lower);
            }
        }
    }

    /// Searches pairs in their windows, and takes what is found. Returns the lower bound.
    fn search(&mut self, wanted: &[(Candidate, [f64; 2])], question: &Question) -> f64 {
        let pairs: Vec<PartPair<'_>> =
            wanted.iter().map(|(candidate, _)| self.checker.part_pair(self.motion, candidate, 0.0)).collect();
        let sides: Vec<SidePair<'_, Pieces<'_>>> = pairs.iter().map(PartPair::side_pair).collect();
        let windows: Vec<(usize, [f64; 2])> =
            wanted.iter().enumerate().map(|(place, (_, window))| (place, *window)).collect();
        let LeastDistance { lower, nearest } =
            least_distance_in(&sides, &windows, question, &mut TreeStats::default());
        if let Some((pair, leaves)) = nearest {
            let mut touch = touch_of_leaves(&sides[pair].sides, &leaves);
            pairs[pair].describe(&mut touch);
            let candidate = &wanted[pair].0;
            let touch = self.checker.in_order_of_links(touch, candidate);
            self.upper = touch.gap;
            self.nearest = Some(Nearest { touch, candidate: *candidate, bodies: bodies(candidate) });
        }
        lower
    }
}

impl Checker {
    /// Every pair that is checked.
    fn measured_pairs(&self) -> impl Iterator<Item = Candidate> {
        let parts = self.parts();
        let is_checked = |i: usize, j: usize| {
            let (a, b) = (parts[i].link, parts[j].link);
            a != b && !self.robot().is_allowed(a, b)
        };
        let own = (0..parts.len()).flat_map(move |i| {
            (i + 1..parts.len()).filter(move |&j| is_checked(i, j)).map(move |j| Candidate::Own(i, j))
        });
        self.obstacle_pairs().into_iter().chain(own)
    }
}
