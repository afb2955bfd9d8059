//! Motion planning: a path of a robot among obstacles at rest, every edge of which is proven free.
//!
//! 1. *Guesses.* [`plan`] first searches with balls in place of links, at samples of each motion (`guess`). Steps 2 to
//!    4 steer by these. The motions of the paths that they find are then proven; a motion that is not proven free
//!    teaches the guesses, and the search goes on (`guided`). If that finds no path, the search begins again with
//!    proven motions.
//! 2. *Search.* [`Method::RrtConnect`] grows two trees of configurations, from both ends, until they meet.
//!    [`Method::Roadmap`] samples free configurations, joins near ones, and searches the shortest way; it proves an
//!    edge only when a way uses it. See [`Roadmap`] for many queries in one world. Every other sample for a robot with
//!    many joints moves some of them only: the others stay between the ends of the path.
//! 3. *Shortcuts.* Two random points of the path are joined by one edge, if that edge is free.
//! 4. *Smoothing.* Corners are cut, if the edges that replace them are free.
//! 5. *Proof.* Every edge of the path is checked once more, in the direction of travel and with the caller's options. A
//!    path with an edge that is not proven free is not returned. This can happen: a touch may be reported anywhere
//!    within the tolerance, so that an edge may be free one way and touch the other way. Then all steps are repeated
//!    once, with edges that are free both ways, by the very checks of the proof.
//! 6. *Time.* On request, the path becomes a trajectory within limits of velocity and acceleration, which is itself
//!    proven free ([`timed`]).
//!
//! Guarantee: step 5 uses [`Checker`], so its guarantee is the path's: no two things come closer than `min_separation`
//! anywhere on it. All other steps only steer. There is no guarantee that a path is found, and not finding one proves
//! nothing, except where an end of the path itself touches.
//!
//! The same seed gives the same path on every machine: the search uses no function whose rounding depends on the
//! platform.
//!
//! References: Kuffner, LaValle 2000, "RRT-Connect"; Kavraki, Svestka, Latombe, Overmars 1996, "Probabilistic
//! roadmaps"; Bohlin, Kavraki 2000, "Path planning using lazy PRM"; Chaikin 1974, "An algorithm for high-speed curve
//! generation". The planner in which CATCH (2007, Sec. 8.1) is evaluated is also lazy.

mod edges;
mod guess;
mod guess_trees;
mod guided;
mod random;
mod roadmap;
mod rrt_connect;
mod shorten;
mod space;
mod timed;

use edges::BothWays;
pub use edges::{EdgeStatement, Edges, ProvenEdges};
pub use roadmap::Roadmap;
pub use space::Space;
pub use timed::{MotionLimits, TimedOutcome, TimedPlan, timed};

use crate::answer::Answer;
use crate::articulated::Checker;
use crate::ask::Ask;
use crate::body::{Body, BodyKind};
use crate::clearance::PathClearance;
use crate::control::{Control, Interrupt};
use crate::error::{Error, Result, positive};
use crate::motion::Motion;
use crate::options::{Mode, Options};
use random::Random;
use shorten::{cut_corners, shortcut, tighten};

/// The method of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Two trees that grow towards each other.
    #[default]
    RrtConnect,
    /// A roadmap whose edges are proven when they are needed.
    Roadmap,
}

/// The options of a planner.
///
/// ```
/// use firsttouch::planning::PlanOptions;
/// let options = PlanOptions { seed: 7, ..PlanOptions::default() };
/// assert_eq!((options.max_samples, options.shortcuts), (20_000, 200));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanOptions {
    /// The method of the search.
    pub method: Method,
    /// The seed of all random numbers. The same seed gives the same path.
    pub seed: u64,
    /// The number of samples after which the search ends without a path. The search by guesses before it takes at most
    /// half as many more.
    pub max_samples: usize,
    /// Greatest distance that a tree grows towards a sample. The unit is the range of one joint.
    pub reach: f64,
    /// The number of neighbours that a configuration of a roadmap is joined with.
    pub neighbours: usize,
    /// The number of shortcuts that are tried.
    pub shortcuts: usize,
    /// Number of rounds in which all corners are cut. Each round may double the number of waypoints.
    pub smoothing: usize,
    /// The tolerance, the separation to keep, and the limits of each check. The mode and `t_max` are not used.
    pub check: Options,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            method: Method::RrtConnect,
            seed: 0,
            max_samples: 20_000,
            reach: 0.5,
            neighbours: 10,
            shortcuts: 200,
            smoothing: 0,
            check: Options::DEFAULT,
        }
    }
}

/// The work of a planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PlanStats {
    /// The number of random configurations.
    pub samples: usize,
    /// The number of edges and configurations that were checked.
    pub checks: usize,
    /// The number of configurations in the trees or in the roadmap.
    pub nodes: usize,
    /// The number of edges and configurations that were guessed to be free or not.
    pub guesses: usize,
    /// The number of edges that were guessed to be free and were not proven free.
    pub refuted: usize,
}

impl PlanStats {
    fn add(&mut self, other: PlanStats) {
        self.samples += other.samples;
        self.checks += other.checks;
        self.nodes += other.nodes;
        self.guesses += other.guesses;
        self.refuted += other.refuted;
    }
}

/// A path, proven free.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The configurations, from the first to the last. Between two of them every joint moves at a constant rate.
    pub waypoints: Vec<Vec<f64>>,
    /// The length of the path, in the unit of [`Space::distance`].
    pub length: f64,
    /// The length of the path before shortcuts and smoothing.
    pub found_length: f64,
    /// The work of the planner.
    pub stats: PlanStats,
}

impl Plan {
    /// Returns the least distance of the robot to anything that it is checked against, and of its own links, anywhere
    /// on the path; `None` if there are no pairs. The checker is that of the plan.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::planning::{Outcome, PlanControl, PlanOptions, plan};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "ball".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: Some([-10.0, 10.0]),
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 8.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 8. The path ends at x = 5.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let outcome = plan(&checker, &[0.0], &[5.0], &PlanOptions::default(), &PlanControl::default())?;
    /// let Outcome::Found(plan) = outcome else { panic!("the way is free") };
    /// let least = plan.clearance(&checker, &Options::default())?.unwrap();
    /// assert!((least.clearance.lower - 1.0).abs() < 1e-5);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance<'a>(&self, checker: &Checker, ask: impl Into<Ask<'a>>) -> Result<Option<PathClearance>> {
        checker.clearance(&self.waypoints, ask)
    }
}

/// The result of a planner.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A path was found, and every edge of it is proven free.
    Found(Plan),
    /// An end of the path is not proven free: no path begins or ends there.
    EndNotFree {
        /// 0 for the start, 1 for the goal.
        end: usize,
        /// What [`Checker::check_state`] says about it.
        answer: Answer,
    },
    /// No path was found. This proves nothing.
    NotFound {
        /// True if the search was interrupted. Otherwise all samples are spent.
        is_interrupted: bool,
        /// The work of the planner.
        stats: PlanStats,
    },
}

/// The means to stop a planner, and to follow its progress. The default does neither.
#[derive(Clone, Copy, Default)]
pub struct PlanControl<'a> {
    /// Ends the search when it is raised. If a path is known by then, it is proven and returned without further
    /// shortcuts, unless the proof takes longer than [`PlanControl::last_interrupt`] allows.
    pub interrupt: Option<&'a Interrupt>,
    /// Ends everything, the last proof included, when it is raised.
    pub last_interrupt: Option<&'a Interrupt>,
    /// Called with the work so far, after each sample.
    pub progress: Option<&'a dyn Fn(PlanStats)>,
}

impl PlanControl<'_> {
    fn is_stopped(&self) -> bool {
        let raised = |interrupt: Option<&Interrupt>| interrupt.is_some_and(Interrupt::is_raised);
        raised(self.interrupt) || raised(self.last_interrupt)
    }
}

impl std::fmt::Debug for PlanControl<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanControl").field("interrupt", &self.interrupt).finish_non_exhaustive()
    }
}

/// Plans a path from one configuration to another, every edge of which is proven free.
///
/// Returns an error if an obstacle moves, or if a joint slides without limits: [`plan_in`] takes the ranges of the
/// joints.
///
/// ```
/// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::planning::{Outcome, PlanControl, PlanOptions, plan};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Body, Options};
/// use glam::DVec3;
/// // A ball of radius 1 that slides in the plane z = 0, and a post of radius 1 at x = 5.
/// let slide = |name: &str, parent: &str, child: &str, axis: DVec3| Joint {
///     name: name.into(),
///     parent: parent.into(),
///     child: child.into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis },
///     limits: Some([-10.0, 10.0]),
///     mimic: None,
/// };
/// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// let links = vec![("ground".into(), vec![]), ("cart".into(), vec![]), ("ball".into(), vec![ball])];
/// let joints = vec![slide("x", "ground", "cart", DVec3::X), slide("y", "cart", "ball", DVec3::Y)];
/// let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 5.0)?));
/// let checker = Checker::new(Robot::new("slider", links, joints)?, Pose::IDENTITY, vec![post])?;
///
/// let (from, to) = ([0.0, 0.0], [9.0, 0.0]);
/// let outcome = plan(&checker, &from, &to, &PlanOptions::default(), &PlanControl::default())?;
/// let Outcome::Found(plan) = outcome else { panic!("there is a way around the post") };
/// // The straight way is blocked, so there is at least one waypoint between the ends.
/// assert!(plan.waypoints.len() >= 3);
/// assert_eq!((&plan.waypoints[0][..], plan.waypoints.last().unwrap().as_slice()), (&from[..], &to[..]));
/// let report = checker.check_path(&plan.waypoints, &Options::default(), |_| ())?;
/// assert_eq!(report.answer, Answer::Free);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn plan(
    checker: &Checker,
    from: &[f64],
    to: &[f64],
    options: &PlanOptions,
    control: &PlanControl<'_>,
) -> Result<Outcome> {
    let space = Space::new(checker.robot(), [from, to], &[])?;
    plan_in(&space, checker, from, to, options, control)
}

/// Like [`plan`], with the ranges of the joints as a [`Space`].
pub fn plan_in(
    space: &Space,
    checker: &Checker,
    from: &[f64],
    to: &[f64],
    options: &PlanOptions,
    control: &PlanControl<'_>,
) -> Result<Outcome> {
    let edges = ProvenEdges::new(checker, options.check, control.interrupt)?;
    let (outcome, guessed) = guided::plan(space, [from, to], options, control, &edges)?;
    if let Some(outcome) = outcome {
        return Ok(outcome);
    }
    proven_plan(space, [from, to], options, control, edges, guessed)
}

/// Plans with proven motions only, after a search that spent some samples.
fn proven_plan(
    space: &Space,
    ends: [&[f64]; 2],
    options: &PlanOptions,
    control: &PlanControl<'_>,
    mut edges: ProvenEdges<'_>,
    mut before: PlanStats,
) -> Result<Outcome> {
    let (checker, check) = (edges.checker(), edges.options(Mode::First));
    // All samples that the caller allows, so that guesses never cost a path.
    let allowed = options.max_samples.saturating_add(before.samples);
    let rest =
        |before: &PlanStats| PlanOptions { max_samples: allowed.saturating_sub(before.samples), ..*options };
    match plan_with(space, ends, &rest(&before), control, &mut edges, None)? {
        Outcome::Found(mut plan) => {
            plan.stats.add(before);
            let proven = prove(checker, plan, &check, control)?;
            let Outcome::NotFound { is_interrupted: false, stats } = proven else { return Ok(proven) };
            before = stats;
        }
        Outcome::NotFound { is_interrupted, mut stats } => {
            stats.add(before);
            return Ok(Outcome::NotFound { is_interrupted, stats });
        }
        ended @ Outcome::EndNotFree { .. } => return Ok(ended),
    }
    let mut both_ways = BothWays(edges);
    match plan_with(space, ends, &rest(&before), control, &mut both_ways, None)? {
        Outcome::Found(mut plan) => {
            plan.stats.add(before);
            prove(checker, plan, &check, control)
        }
        Outcome::NotFound { is_interrupted, mut stats } => {
            stats.add(before);
            Ok(Outcome::NotFound { is_interrupted, stats })
        }
        ended @ Outcome::EndNotFree { .. } => Ok(ended),
    }
}

/// Step 5.
fn prove(checker: &Checker, mut plan: Plan, check: &Options, control: &PlanControl<'_>) -> Result<Outcome> {
    let proof = Control { interrupt: control.last_interrupt, progress: None };
    let reports = checker.check_paths(&[&plan.waypoints[..]], Ask::from(check).control(&proof), |_| ())?;
    plan.stats.checks += plan.waypoints.len() - 1;
    if reports.iter().all(|report| report.answer == Answer::Free && report.segment.is_none()) {
        return Ok(Outcome::Found(plan));
    }
    Ok(Outcome::NotFound {
        is_interrupted: proof.interrupt.is_some_and(Interrupt::is_raised),
        stats: plan.stats,
    })
}

/// Plans with a custom check of edges: the search, shortcuts and smoothing, without the last proof. The path is proven
/// as far as `edges` proves it. With a roadmap the search goes on from the knowledge of earlier queries, for any method
/// of the options. [`Roadmap`] describes this knowledge, and the error for another space.
pub fn plan_with(
    space: &Space,
    ends: [&[f64]; 2],
    options: &PlanOptions,
    control: &PlanControl<'_>,
    edges: &mut dyn Edges,
    mut roadmap: Option<&mut Roadmap>,
) -> Result<Outcome> {
    space.validate(ends)?;
    positive(|| "reach".into(), options.reach)?;
    if let Some(roadmap) = &mut roadmap {
        roadmap.begin(space, edges.statement())?;
    }
    let mut search = Search {
        space,
        ends,
        options,
        control,
        edges,
        random: Random::new(options.seed),
        stats: PlanStats::default(),
        is_guessing: false,
    };
    for (end, configuration) in ends.into_iter().enumerate() {
        let answer = search.check(configuration, configuration, Mode::Any)?;
        if search.is_stopped() {
            return Ok(search.not_found());
        }
        if answer != Answer::Free {
            return Ok(Outcome::EndNotFree { end, answer });
        }
    }
    let Some(mut waypoints) = search.find(roadmap)? else { return Ok(search.not_found()) };
    let found_length = space.length(&waypoints);
    search.shorten(&mut waypoints)?;
    let length = space.length(&waypoints);
    Ok(Outcome::Found(Plan { waypoints, length, found_length, stats: search.stats }))
}

/// The state that all steps of a search share.
struct Search<'a> {
    space: &'a Space,
    ends: [&'a [f64]; 2],
    options: &'a PlanOptions,
    control: &'a PlanControl<'a>,
    edges: &'a mut dyn Edges,
    random: Random,
    stats: PlanStats,
    /// True if the edges are guesses.
    is_guessing: bool,
}

impl Search<'_> {
    /// Step 2.
    fn find(&mut self, roadmap: Option<&mut Roadmap>) -> Result<Option<Vec<Vec<f64>>>> {
        // The straight way is often free.
        let ends = self.ends;
        if self.is_free(ends[0], ends[1])? {
            return Ok(Some(ends.map(<[f64]>::to_vec).to_vec()));
        }
        match (roadmap, self.options.method) {
            (Some(roadmap), _) => roadmap.search(self, ends),
            (None, Method::RrtConnect) => rrt_connect::search(self, ends),
            (None, Method::Roadmap) => Roadmap::default().search(self, ends),
        }
    }

    /// Steps 3 and 4.
    fn shorten(&mut self, path: &mut Vec<Vec<f64>>) -> Result<()> {
        if self.is_guessing {
            tighten(self, path)?;
        } else {
            shortcut(self, path)?;
        }
        (0..self.options.smoothing).try_for_each(|_| cut_corners(self, path))
    }

    fn check(&mut self, from: &[f64], to: &[f64], mode: Mode) -> Result<Answer> {
        if self.is_guessing {
            self.stats.guesses += 1;
        } else {
            self.stats.checks += 1;
        }
        self.edges.check(from, to, mode)
    }

    /// Returns true if an edge is proven free. An undecided edge is not.
    fn is_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool> {
        Ok(self.check(from, to, Mode::Any)? == Answer::Free)
    }

    fn sample(&mut self) -> Vec<f64> {
        self.stats.samples += 1;
        if let Some(progress) = self.control.progress {
            progress(self.stats);
        }
        if self.space.is_wide() && self.stats.samples.is_multiple_of(2) {
            return self.space.sample_some(&mut self.random, self.ends);
        }
        self.space.sample(&mut self.random)
    }

    fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Returns true if no further sample may be taken.
    fn is_over(&self) -> bool {
        self.stats.samples >= self.options.max_samples || self.is_stopped()
    }

    fn not_found(&self) -> Outcome {
        Outcome::NotFound { is_interrupted: self.is_stopped(), stats: self.stats }
    }
}

/// Rejects obstacles that move: a waypoint has no time.
fn refuse_motion(checker: &Checker) -> Result<()> {
    match moving(checker) {
        None => Ok(()),
        Some(body) => Err(Error::Unsupported {
            what: format!("planning among obstacles that move or deform, here \"{}\"", body.name()),
        }),
    }
}

/// Returns an obstacle that moves or deforms, if there is one.
fn moving(checker: &Checker) -> Option<&Body> {
    let moves = |kind: &BodyKind| !matches!(kind, BodyKind::Rigid { motion: Motion::Fixed(_), .. });
    checker.obstacles().find(|body| moves(body.kind()))
}
