//! A robot among obstacles, ready for any number of queries: a motion from one configuration to another, or a single
//! configuration.
//!
//! 1. *Windows.* For each pair of a part of the robot and an obstacle, or of two parts, coarse solids around both are
//!    followed through windows of time, which are halved where necessary (`sieve`). Most pairs are proven free in one
//!    window.
//! 2. *Exact stage.* The remaining pairs go through one queue of the tree engine: conservative advancement of pairs of
//!    tree nodes with their own directions and motion bounds, earliest bound first, `t_min` shared. Two parts of the
//!    robot move relative to the last common ancestor of their links.
//!
//! The data of the robot is built once and shared by all clones, so a clone is cheap. Obstacles can be added, moved and
//! removed, and bodies attached and released; the cost depends only on the change. Queries change nothing: many threads
//! can use one checker at once.
//!
//! Guarantee: that of the tree engine; the sieve is rigorous.
//!
//! Departures: the paper culls by boxes of whole links over the whole step. The upper nodes of the
//! trees take the place of the convex-hull lower bound of Sec. 7.2.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 4 to 7.

mod asked;
mod changes;
mod usual;

pub(crate) use changes::RobotPair;

use std::sync::Arc;

use crate::answer::Answer;
use crate::articulated::all_pairs::AllPairs;
use crate::articulated::obstacle_tree::LazyObstacleTree;
use crate::articulated::outline::{Candidate, Obstacle, Outline};
use crate::articulated::query::Query;
use crate::articulated::sieve::Surroundings;
use crate::articulated::version::{Version, Versioned};
use crate::ask::Ask;
use crate::body::Body;
use crate::broad::Aabb;
use crate::control::Watch;
use crate::error::Result;
use crate::motion::Pose;
use crate::numerics::Window;
use crate::options::{Mode, Options};
use crate::pair::NeededGap;
use crate::robot::{PartBox, Prepared, Robot, RobotMotion, swept_boxes};
use crate::tree::TreeStats;
use crate::world::{Padding, PairReport, PairRule};

/// A robot among obstacles, ready for queries.
///
/// ```
/// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Body, Options};
/// use glam::DVec3;
/// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
/// let slide = Joint {
///     name: "slide".into(),
///     parent: "rail".into(),
///     child: "ball".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: None,
///     mimic: None,
/// };
/// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(at(10.0)?));
/// let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
///
/// // From x = 0 to x = 16 the balls touch at x = 8.
/// let options = Options::default();
/// let Answer::Touch(touch) = checker.check_step(&[0.0], &[16.0], &options)?.answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
/// // The post is moved away, and a clone knows nothing of that.
/// let before = checker.clone();
/// checker.move_obstacle("post", at(20.0)?)?;
/// assert_eq!(checker.check_step(&[0.0], &[16.0], &options)?.answer, Answer::Free);
/// assert_ne!(before.check_step(&[0.0], &[16.0], &options)?.answer, Answer::Free);
/// // It may stand anywhere but here:
/// assert_eq!(checker.check_state(&[17.0], &options)?.answer, Answer::Free);
/// assert_ne!(checker.check_state(&[18.5], &options)?.answer, Answer::Free);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Checker {
    world: Versioned<World>,
}

/// The data on which the answers of a checker depend, besides the question. Every change to it goes through
/// [`Versioned::edit`].
#[derive(Debug, Clone)]
struct World {
    robot: Arc<Robot>,
    base: Pose,
    /// Data derived from the robot and shared by clones: coarse solids, distances of parts that rest in one frame,
    /// cells. They hold for this robot, any motion, any obstacles and any options.
    outline: Arc<Outline>,
    /// The obstacles, in the order in which they were added, each with its coarse solid and its distances from the
    /// parts that are fixed to the base.
    obstacles: Vec<Arc<Obstacle>>,
    /// The indices of the obstacles in the order of their names.
    by_name: Vec<u32>,
    /// The boxes of these obstacles. The tree finds the obstacles to examine, and proves nothing about a robot.
    tree: LazyObstacleTree,
    padding: Padding,
    /// The rule for two links of the robot, besides the pairs that are allowed to touch.
    own: PairRule,
    /// The largest separations of `own` and of the rules of all obstacles.
    largest: [Option<f64>; 2],
}

/// The answer of a query and the statistics of the search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// The answer. Body 0 is the robot, body `1 + k` obstacle `k`. In a pair of links, the one with the lower index
    /// comes first.
    pub answer: Answer,
    /// The number of pairs of parts before culling.
    pub pairs: u64,
    /// The number of pairs handed to the exact stage, counted once per window of time.
    pub close_pairs: u64,
    /// The number of windows of time that were searched, and of the pairs of coarse solids that were tested in them.
    pub windows: [u64; 2],
    /// The work of the exact stage.
    pub work: TreeStats,
    /// With [`Mode::All`], the answer of every pair of bodies that is not free: the robot with itself, then with the
    /// obstacles in their order. If the query was interrupted, pairs that were not checked are not listed.
    pub by_pair: Vec<PairReport>,
}

impl Checker {
    /// Creates a checker for a robot with its base at rest at `base`, among obstacles with different names. Obstacles
    /// may move or deform.
    ///
    /// Returns an error if an obstacle is a robot. A checker treats several robots, moving or not, as one robot; see
    /// [`forest`](crate::adaptive::forest). Meshes are shared: data computed for one checker is not computed again for
    /// another.
    pub fn new(robot: impl Into<Arc<Robot>>, base: Pose, obstacles: Vec<Body>) -> Result<Checker> {
        let robot = robot.into();
        let outline = Arc::new(Outline::new(&robot, None));
        let mut world = World {
            robot,
            base,
            outline,
            obstacles: Vec::with_capacity(obstacles.len()),
            by_name: Vec::with_capacity(obstacles.len()),
            tree: LazyObstacleTree::default(),
            padding: Padding::default(),
            own: PairRule::default(),
            largest: [None, None],
        };
        world.add_obstacles(obstacles)?;
        Ok(Checker { world: Versioned::new(world) })
    }

    /// Returns the robot.
    pub fn robot(&self) -> &Robot {
        &self.world.robot
    }

    pub(super) fn shared_robot(&self) -> &Arc<Robot> {
        &self.world.robot
    }

    /// Returns the pose of the robot's base.
    pub fn base(&self) -> Pose {
        self.world.base
    }

    /// Returns the obstacles, in the order in which they were added.
    pub fn obstacles(&self) -> impl ExactSizeIterator<Item = &Body> {
        self.world.obstacles.iter().map(|obstacle| &obstacle.body)
    }

    /// Returns the obstacle with this index.
    pub fn obstacle(&self, index: usize) -> &Body {
        &self.world.obstacles[index].body
    }

    /// Returns the index of the obstacle with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.world.index_of(name)
    }

    /// Returns the version of the checker: its robot, obstacles, allowed pairs, paddings and base. Every edit gives it
    /// another one, which no other checker of the process has. So two checkers with one version are unedited clones of
    /// each other, and a proof made with one of them holds for the other.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::Body;
    /// # let part = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("post", vec![("post".into(), vec![part])], vec![])?;
    /// # let other = Body::new("other", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY));
    /// let mut checker = Checker::new(robot, Pose::IDENTITY, vec![other])?;
    /// let clone = checker.clone();
    /// assert_eq!(checker.version(), clone.version());
    /// checker.allow("post", "other")?;
    /// assert_ne!(checker.version(), clone.version());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn version(&self) -> Version {
        self.world.version()
    }

    /// Returns the rule for the robot and an obstacle, with the links of the robot on the first side.
    pub(crate) fn rule_of(&self, obstacle: usize) -> &PairRule {
        &self.world.obstacles[obstacle].rule
    }

    /// Returns the rule for two links of the robot, besides the pairs that are allowed to touch.
    pub(crate) fn own_rule(&self) -> &PairRule {
        &self.world.own
    }

    /// Returns the padding of the robot.
    pub(crate) fn padding(&self) -> &Padding {
        &self.world.padding
    }

    /// Returns a box for each part of the robot, in the order of links and parts, that the part never leaves on the way
    /// from one configuration to another.
    pub fn swept_boxes(&self, from: &[f64], to: &[f64]) -> Result<Vec<Aabb>> {
        let motion = self.motion(from, to)?;
        let mut parts = self.parts().to_vec();
        parts.sort_unstable_by_key(|part| (part.link, part.part));
        Ok(swept_boxes(&motion, &parts, Window::between(0.0, 1.0)))
    }

    /// Finds the first touch on the way from one configuration to another, every joint moving at a constant rate. With
    /// [`Mode::All`] it finds that of every pair of bodies ([`StepReport::by_pair`]).
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Answer, Body, Mode, Options};
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
    /// # let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(at(10.0)?));
    /// # let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// let answer = checker.check_step(&[0.0], &[16.0], &Options::default())?.answer;
    /// assert!(matches!(answer, Answer::Touch(touch) if (touch.toi - 0.5).abs() < 1e-6)); // at x = 8
    /// // The robot and the post are the only pair that touches.
    /// let all = checker.check_step(&[0.0], &[16.0], &Options { mode: Mode::All, ..Options::default() })?;
    /// assert_eq!(all.by_pair.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), [[0, 1]]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_step<'a>(&self, from: &[f64], to: &[f64], ask: impl Into<Ask<'a>>) -> Result<StepReport> {
        let (checker, Ask { options, control, .. }) = &self.asked(ask.into(), "a check of a robot")?;
        options.validate_reporting_start("a check of a robot")?;
        let motion = checker.motion(from, to)?;
        Ok(checker.check_motion_of(&motion, options, control.watch()))
    }

    /// Returns the report for a motion of the robot. The options are valid.
    pub(super) fn check_motion_of(
        &self,
        motion: &RobotMotion<'_>,
        options: &Options,
        watch: Watch,
    ) -> StepReport {
        match options.mode {
            Mode::All => AllPairs::new(self, motion, options, watch).report(options.t_max),
            Mode::First | Mode::Any => Query::new(self, motion, options).watched(watch).step(),
        }
    }

    /// Like [`Checker::check_step`], ended early by a watch.
    pub(crate) fn check_step_watched(
        &self,
        from: &[f64],
        to: &[f64],
        options: &Options,
        watch: Watch,
    ) -> Result<StepReport> {
        let motion = self.motion(from, to)?;
        Ok(Query::new(self, &motion, options).watched(watch).step())
    }

    /// Checks whether anything touches in one configuration. Obstacles that move are taken at time 0. The answer is
    /// [`Answer::Free`], [`Answer::TouchingAtStart`] or [`Answer::Undecided`].
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Answer, Body, Options};
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
    /// # let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(at(10.0)?));
    /// # let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// assert_eq!(checker.check_state(&[7.0], &Options::default())?.answer, Answer::Free);
    /// assert!(matches!(checker.check_state(&[9.0], &Options::default())?.answer, Answer::TouchingAtStart(_)));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_state<'a>(&self, configuration: &[f64], ask: impl Into<Ask<'a>>) -> Result<StepReport> {
        let (checker, Ask { options, control, .. }) =
            &self.asked(ask.into(), "a check of a configuration")?;
        options.validate_reporting_start("a check of a robot")?;
        let motion = checker.motion(configuration, configuration)?;
        let watch = control.watch();
        Ok(match options.mode {
            Mode::All => AllPairs::new(checker, &motion, options, watch).report(0.0),
            Mode::First | Mode::Any => Query::new(checker, &motion, options).watched(watch).state(),
        })
    }

    pub(super) fn motion(&self, from: &[f64], to: &[f64]) -> Result<RobotMotion<'_>> {
        RobotMotion::prepared(&self.world.robot, &self.world.outline.prepared, self.world.base, from, to)
    }

    pub(super) fn prepared(&self) -> &Prepared {
        &self.world.outline.prepared
    }

    pub(super) fn outline(&self) -> &Outline {
        &self.world.outline
    }

    pub(super) fn obstacle_data(&self) -> &[Arc<Obstacle>] {
        &self.world.obstacles
    }

    /// Returns the number of pairs before culling.
    pub(super) fn pairs(&self) -> u64 {
        (self.parts().len() * self.world.obstacles.len()) as u64 + self.world.outline.own_pairs
    }

    pub(super) fn parts(&self) -> &[PartBox] {
        &self.world.outline.parts
    }

    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        let World { outline, obstacles, by_name, tree, .. } = &*self.world;
        Surroundings { outline, obstacles, by_name, tree }
    }

    /// Returns the pairs that do not move relative to each other and may be within `apart`.
    pub(super) fn at_rest(&self, apart: f64) -> Vec<Candidate> {
        let mut close = Vec::new();
        let nearest = self.world.tree.facts(&self.world.obstacles).at_rest;
        if nearest.is_some_and(|nearest| !nearest.covers(NeededGap::of(apart))) {
            for &k in &self.world.by_name {
                let parts = self.world.obstacles[k as usize].at_rest(&self.world.outline, apart);
                close.extend(parts.map(|i| Candidate::Obstacle(i, k as usize)));
            }
        }
        close.extend(self.world.outline.own_at_rest(&self.world.robot, apart));
        close
    }

    /// Returns all pairs of a part and an obstacle that are checked, in the order of the obstacles' names.
    pub(super) fn obstacle_pairs(&self) -> Vec<Candidate> {
        let mut pairs = Vec::with_capacity(self.parts().len() * self.world.obstacles.len());
        for &k in &self.world.by_name {
            let checked = |i: &usize| self.world.obstacles[k as usize].is_checked(&self.world.outline, *i);
            pairs.extend((0..self.parts().len()).filter(checked).map(|i| Candidate::Obstacle(i, k as usize)));
        }
        pairs
    }
}

impl World {
    fn index_of(&self, name: &str) -> Option<usize> {
        let index = *self.by_name.get(self.rank_of(name))? as usize;
        (self.obstacles[index].body.name() == name).then_some(index)
    }

    /// Returns the position of an obstacle's name in the order of names, or the position where it would be inserted.
    fn rank_of(&self, name: &str) -> usize {
        self.by_name.partition_point(|&k| self.obstacles[k as usize].body.name() < name)
    }
}
