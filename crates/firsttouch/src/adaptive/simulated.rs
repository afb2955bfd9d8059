//! A robot in a simulation: a world, and a memory of some of its pairs.
//!
//! The world is a [`Checker`]. The memory (`memory`) covers the robot with itself, unless two links have a separation
//! of their own, and the obstacles at rest without rules of their own, unless the robot is padded. A second checker,
//! which remembers nothing, answers for the other pairs alone. Both answers together are that of the world.
//!
//! **Edits** go through [`Simulated::edit`], so that no memory outlives the state that it was proven of. A changed
//! robot, base or covered obstacle begins with an empty memory. Any other edit leaves the memory as it is, because the
//! memory says nothing about the pairs concerned.
//!
//! **Guarantee.** That of the memory and of the checker. Every pair is checked by one of the two.

use super::assembly::AssemblyTree;
use super::bounding::Bounding;
use super::culling::CullingWork;
use super::memory::Memory;
use super::transforms::Updates;
use crate::answer::{Answer, Touch};
use crate::articulated::Checker;
use crate::ask::Ask;
use crate::body::Body;
use crate::broad::Aabb;
use crate::control::Watch;
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose};
use crate::options::Options;
use crate::robot::{Robot, RobotStep};
use crate::tree::TreeStats;
use crate::world::both;

/// A variable of a robot's configuration that changes in a step, at a constant rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// The index of the variable, in the order of [`Robot::variables`].
    pub variable: usize,
    /// The value at the start of the step.
    pub from: f64,
    /// The value at the end of the step.
    pub to: f64,
}

/// Two bodies that may touch in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClosePair {
    /// The index of the link.
    pub link: usize,
    /// The body that the link may touch.
    pub other: Other,
}

/// A body that a link may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Other {
    /// Another link, by its index.
    Link(usize),
    /// An obstacle, by its index.
    Obstacle(usize),
}

/// The answer of a step and the statistics of the search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// The answer. Body 0 is the robot, body `1 + k` obstacle `k`; parts of the robot are its links.
    pub answer: Answer,
    /// The number of joints that moved or were suspect.
    pub joints: usize,
    /// The number of parts of the robot in pairs that may touch.
    pub bodies: usize,
    /// The number of pairs of parts, and of parts and obstacles, that are kept from step to step because they are near
    /// each other.
    pub near_pairs: u64,
    /// The number of those that neither their boxes nor their remembered distance prove free: the exact stage looks at
    /// them.
    pub close_pairs: u64,
    /// The number of pairs of nodes whose distance was measured in order to be remembered.
    pub measured: u64,
    /// The number of transforms that were computed.
    pub transforms: Updates,
    /// The work of culling.
    pub culling: CullingWork,
    /// The work of the exact stage.
    pub work: TreeStats,
}

/// A robot in a simulation, among obstacles. To simulate several robots, combine them under one root.
///
/// Obstacles may move, and every edit of a [`Checker`] is also possible here: see [`Simulated::edit`]. The memory
/// covers the robot with itself and with obstacles at rest that have no rules of their own. The other pairs are checked
/// again in each step.
///
/// ```
/// use firsttouch::adaptive::{Moved, Simulated};
/// use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Body, Options};
/// use glam::DVec3;
///
/// // Two balls of radius 1 on rails along x, and a third at rest at x = 20.
/// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// let rail = |name: &str, child: &str| Joint {
///     name: name.into(),
///     parent: "world".into(),
///     child: child.into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: None,
///     mimic: None,
/// };
/// let links = vec![("world".into(), vec![]), ("a".into(), vec![ball.clone()]), ("b".into(), vec![ball])];
/// let robot = Robot::new("balls", links, vec![rail("rail a", "a"), rail("rail b", "b")])?;
/// let wall = Body::new("wall", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 20.0)?));
/// let mut balls = Simulated::new(robot, Pose::IDENTITY, vec![wall], vec![0.0, 10.0])?;
///
/// // The first ball goes from 0 to 16 and would touch the second at 8.
/// let options = Options::default();
/// let step = balls.step(&[Moved { variable: 0, from: 0.0, to: 16.0 }], &options)?;
/// let Answer::Touch(touch) = step.answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
/// // It stops short of that, at 4, and the second goes on to touch the wall at 18.
/// balls.accept(0.25)?;
/// assert_eq!(balls.configuration(), [4.0, 10.0]);
/// let step = balls.step(&[Moved { variable: 1, from: 10.0, to: 20.0 }], &options)?;
/// let Answer::Touch(touch) = step.answer else { panic!("it touches the wall") };
/// assert!(touch.bodies == [0, 1] && touch.toi <= 0.8 && touch.toi > 0.8 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulated {
    memory: Memory,
    /// The world, if the memory does not cover all of it.
    beside: Option<Beside>,
}

/// A world of which the memory covers a part.
#[derive(Debug, Clone)]
struct Beside {
    world: Checker,
    /// The index in the world of each obstacle of the memory.
    covered: Vec<usize>,
    /// The pairs that the memory does not cover, and the index in the world of each of its obstacles.
    rest: Checker,
    left: Vec<usize>,
}

impl Simulated {
    /// Creates a simulation of a robot with its base at rest at `base`, in a configuration, among obstacles.
    ///
    /// Time runs from 0 to 1 in each step, also for obstacles that move; [`Simulated::edit`] describes how they go on
    /// in the next step.
    pub fn new(robot: Robot, base: Pose, obstacles: Vec<Body>, configuration: Vec<f64>) -> Result<Simulated> {
        if obstacles.iter().all(|body| matches!(body.as_rigid(), Some((_, Motion::Fixed(_))))) {
            return Ok(Simulated {
                memory: Memory::new(robot, base, obstacles, configuration)?,
                beside: None,
            });
        }
        Simulated::among(Checker::new(robot, base, obstacles)?, configuration)
    }

    /// Creates a simulation of the robot of a checker, in a configuration, in the world of the checker: its obstacles,
    /// attached objects, pairs that may touch, separations and paddings.
    ///
    /// ```
    /// use firsttouch::adaptive::{Moved, Simulated};
    /// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options};
    /// use glam::DVec3;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10, from which it keeps 1 away.
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
    /// let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// checker.keep_apart("ball", "post", 1.0)?;
    /// let mut simulated = Simulated::among(checker, vec![0.0])?;
    /// let step = simulated.step(&[Moved { variable: 0, from: 0.0, to: 14.0 }], &Options::default())?;
    /// assert!((step.answer.free_until(1.0) - 0.5).abs() < 1e-6); // at x = 7
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn among(checker: Checker, configuration: Vec<f64>) -> Result<Simulated> {
        let covered = checker.usual_obstacles();
        let is_own_usual = checker.is_own_usual();
        let bodies: Vec<Body> = covered.iter().map(|&k| checker.obstacle(k).clone()).collect();
        let mut robot = checker.robot().clone();
        if !is_own_usual {
            let links = robot.links().len();
            (0..links).for_each(|a| (a + 1..links).for_each(|b| robot.allow_links([a, b])));
        }
        let memory = Memory::new(robot, checker.base(), bodies, configuration)?;
        Ok(Simulated::beside(memory, checker, covered, is_own_usual))
    }

    /// A memory and the world of which it covers some obstacles, and the robot with itself if that `is_own_usual`.
    fn beside(memory: Memory, world: Checker, covered: Vec<usize>, is_own_usual: bool) -> Simulated {
        let all = world.obstacles().len();
        if covered.len() == all && is_own_usual {
            return Simulated { memory: memory.with_checker(world), beside: None };
        }
        let left: Vec<usize> = (0..all).filter(|k| covered.binary_search(k).is_err()).collect();
        let rest = world.with_some(!is_own_usual, &left);
        Simulated { memory, beside: Some(Beside { world, covered, rest, left }) }
    }

    /// Changes the world: obstacles, attached objects, pairs that may touch, separations and paddings, the base. If the
    /// edit fails, nothing is changed. Memories that still hold are kept. A step that was queried before an edit cannot
    /// be accepted after it.
    ///
    /// ```
    /// # use firsttouch::adaptive::{Moved, Simulated};
    /// # use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
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
    /// // A ball of radius 1 on a rail along x.
    /// let mut simulated = Simulated::new(robot, Pose::IDENTITY, vec![], vec![0.0])?;
    /// let to_ten = [Moved { variable: 0, from: 0.0, to: 10.0 }];
    /// assert_eq!(simulated.step(&to_ten, &Options::default())?.answer, Answer::Free);
    /// // Another comes along the rail, from x = 12 to x = 2: they touch at x = 5.
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let coming = Body::new("coming", Sphere::new(1.0)?, Motion::linear(at(12.0)?, at(2.0)?));
    /// simulated.edit(|world| world.add_obstacle(coming))?;
    /// let step = simulated.step(&to_ten, &Options::default())?;
    /// assert!((step.answer.free_until(1.0) - 0.5).abs() < 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn edit<R>(&mut self, edit: impl FnOnce(&mut Checker) -> Result<R>) -> Result<R> {
        let known = self.checker()?;
        let mut world = known.clone();
        let result = edit(&mut world)?;
        let (covered, is_own_usual) = (world.usual_obstacles(), world.is_own_usual());
        let of_known: Vec<usize> = match &self.beside {
            None => (0..known.obstacles().len()).collect(),
            Some(beside) => beside.covered.clone(),
        };
        let stays = known.is_own_usual() == is_own_usual
            && known.has_same_robot(&world)
            && known.has_same_obstacles(&of_known, &world, &covered);
        if stays {
            let mut memory = self.memory.clone();
            memory.forget_pending();
            *self = Simulated::beside(memory, world, covered, is_own_usual);
            return Ok(result);
        }
        let bounding = self.memory.bounding();
        let mut changed = Simulated::among(world, self.memory.configuration().to_vec())?;
        if bounding != Bounding::default() {
            changed = changed.with_bounding(bounding)?;
        }
        *self = changed;
        Ok(result)
    }

    /// Returns the world of the simulation. Every other question about a step is a question to it: see
    /// [`Simulated::ends`].
    pub fn checker(&self) -> Result<&Checker> {
        match &self.beside {
            None => self.memory.checker(),
            Some(beside) => Ok(&beside.world),
        }
    }

    /// Returns the configurations at the ends of a step, as the questions of a [`Checker`] take them.
    ///
    /// ```
    /// # use firsttouch::adaptive::{Moved, Simulated};
    /// # use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
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
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// let simulated = Simulated::new(robot, Pose::IDENTITY, vec![post], vec![0.0])?;
    /// let [from, to] = simulated.ends(&[Moved { variable: 0, from: 0.0, to: 5.0 }])?;
    /// let least = simulated.checker()?.distance_at(&from, &to, 1.0, &Options::default())?.unwrap();
    /// assert!((least.lower - 3.0).abs() < 1e-9); // from x = 6 to x = 9
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn ends(&self, moved: &[Moved]) -> Result<[Vec<f64>; 2]> {
        self.memory.ends(moved)
    }

    /// Returns the simulation with other bounds.
    pub fn with_bounding(self, bounding: Bounding) -> Result<Simulated> {
        Ok(Simulated { memory: self.memory.with_bounding(bounding)?, ..self })
    }

    /// Returns the simulation with another margin of the list of near pairs, in travels of a step. The answers do not
    /// depend on it.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn with_margin(self, margin: f64) -> Simulated {
        Simulated { memory: self.memory.with_margin(margin), ..self }
    }

    /// Returns the simulation with an assembly tree that joins the links in this order: `joints[k]` is the joint of the
    /// `k`-th merge. An edit that changes the robot, the base or an obstacle that is remembered brings back the
    /// balanced order.
    pub fn with_order(self, joints: &[usize]) -> Result<Simulated> {
        Ok(Simulated { memory: self.memory.with_order(joints)?, ..self })
    }

    /// Returns the robot, with the objects that it holds.
    pub fn robot(&self) -> &Robot {
        match &self.beside {
            None => self.memory.robot(),
            Some(beside) => beside.world.robot(),
        }
    }

    /// Returns the obstacles, in the order in which they were added.
    pub fn obstacles(&self) -> impl ExactSizeIterator<Item = &Body> {
        let all: Vec<&Body> = match &self.beside {
            None => self.memory.obstacles().iter().collect(),
            Some(beside) => beside.world.obstacles().collect(),
        };
        all.into_iter()
    }

    /// Returns the robot in a step as a body of a scene. There it can be checked against other robots, for example.
    /// The state does not change.
    ///
    /// ```
    /// use firsttouch::adaptive::{Moved, Simulated};
    /// use firsttouch::articulated::{LinkPart, Robot};
    /// use firsttouch::motion::Pose;
    /// use firsttouch::shape::Sphere;
    /// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("ball", vec![("ball".into(), vec![ball])], vec![])?;
    /// let simulated = Simulated::new(robot, Pose::IDENTITY, vec![], vec![])?;
    /// assert_eq!(simulated.body("ball", &[])?.kind_name(), "robot");
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn body(&self, name: impl Into<String>, moved: &[Moved]) -> Result<Body> {
        let [from, to] = self.ends(moved)?;
        Ok(Body::robot(name, RobotStep::new(self.robot().clone(), self.memory.base(), from, to)?))
    }

    /// Returns the order in which the robot's links are joined.
    #[doc(hidden)]
    pub fn tree(&self) -> &AssemblyTree {
        self.memory.tree()
    }

    /// Returns the configuration at the start of the next step.
    pub fn configuration(&self) -> &[f64] {
        self.memory.configuration()
    }

    /// Finds the first touch while these variables change and all others stay. The state does not change until
    /// [`Simulated::accept`].
    ///
    /// If `from` differs from the current value of a variable, the variable is set to `from` first. All of a floating
    /// joint's or a planar joint's variables move together; those not passed keep their values. The mode `All` is
    /// answered as `First`: the touches of all pairs are a question to [`Simulated::checker`].
    pub fn step<'a>(&mut self, moved: &[Moved], ask: impl Into<Ask<'a>>) -> Result<StepReport> {
        let Ask { options, control, filter, .. } = ask.into().without_clock("a step of a simulation")?;
        if filter.is_some() {
            return Err(Error::Unsupported { what: "a filter of pairs for a step of a simulation".into() });
        }
        self.step_watched(moved, &options, control.watch())
    }

    /// Like [`Simulated::step`]. If the watch ends the exact stage early, the answer is undecided.
    pub(crate) fn step_watched(
        &mut self,
        moved: &[Moved],
        options: &Options,
        watch: Watch,
    ) -> Result<StepReport> {
        let Some(Beside { covered, rest, left, .. }) = &self.beside else {
            return self.memory.step(moved, options, watch);
        };
        options.validate_reporting_start("a simulated body")?;
        let [from, to] = self.memory.ends(moved)?;
        // This changes nothing, so it goes first: an error leaves the state as it was.
        let of_rest = rest.check_step_watched(&from, &to, options, watch)?;
        let report = self.memory.step(moved, options, watch)?;
        let answer = both(
            in_world(report.answer, covered),
            in_world(of_rest.answer, left),
            options.mode,
            options.t_max,
        );
        let mut work = report.work;
        work += of_rest.work;
        Ok(StepReport { answer, close_pairs: report.close_pairs + of_rest.close_pairs, work, ..report })
    }

    /// Moves the state to the time `t` of the last step, in `[0, 1]`. A step can be accepted once.
    pub fn accept(&mut self, t: f64) -> Result<()> {
        self.memory.accept(t)
    }

    /// Returns the pairs that may touch in a step, which [`Simulated::step`] would check in its exact stage. Runs the
    /// transforms and the culling of the step only. Refuses a simulation in which obstacles move, or in which something
    /// is said about pairs.
    pub fn close_pairs(&mut self, moved: &[Moved], options: &Options) -> Result<Vec<ClosePair>> {
        if self.beside.is_some() {
            let what = "a list of close pairs where obstacles move or pairs have rules of their own";
            return Err(Error::Unsupported { what: what.into() });
        }
        self.memory.close_pairs(moved, options)
    }

    /// Returns a box for each part of the robot, in the order of links and parts, that the part never leaves during the
    /// last step.
    pub fn swept_boxes(&mut self) -> Vec<Aabb> {
        self.memory.swept_boxes()
    }
}

/// An answer about some obstacles of a world: body `1 + k` is that with the `k`-th of these indices.
fn in_world(answer: Answer, obstacles: &[usize]) -> Answer {
    let index = |body: usize| if body == 0 { 0 } else { 1 + obstacles[body - 1] };
    let of_touch = |touch: Touch| Touch { bodies: touch.bodies.map(index), ..touch };
    match answer {
        Answer::Free => Answer::Free,
        Answer::Touch(touch) => Answer::Touch(of_touch(touch)),
        Answer::TouchingAtStart(touch) => Answer::TouchingAtStart(of_touch(touch)),
        Answer::Undecided { free_until, bodies } => {
            Answer::Undecided { free_until, bodies: bodies.map(index) }
        }
    }
}
