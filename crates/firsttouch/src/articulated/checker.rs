//! A robot among obstacles, ready for any number of queries: a motion from one configuration to another, or a single configuration.
//!
//! 1. *Windows.* For each pair of a part of the robot and an obstacle, or of two parts, coarse solids around both are followed through
//!    windows of time, which are halved where necessary (`sieve`). Most pairs are proven free in one window.
//! 2. *Exact stage.* The remaining pairs go through one queue of the tree engine: conservative advancement of pairs of tree nodes with
//!    their own directions and motion bounds, earliest bound first, `t_min` shared. Two parts of the robot move
//!    relative to the last common ancestor of their links.
//!
//! The data of the robot is built once and shared by all clones, so a clone is cheap. Obstacles can be added, moved and removed, and bodies
//! attached and released; the cost depends only on the change. Queries change nothing: many threads can use one checker at once.
//!
//! Guarantee: that of the tree engine; the sieve is rigorous.
//!
//! Departures: the paper culls by boxes of whole links over the whole step ([`Culling::Taylor`] does the same). The upper nodes of the
//! trees take the place of the convex-hull lower bound of Sec. 7.2.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 4 to 7.

use std::sync::Arc;

use crate::answer::Answer;
use crate::articulated::culling::{Culling, PartBox, swept_boxes};
use crate::articulated::outline::{Candidate, Obstacle, Outline};
use crate::articulated::query::Query;
use crate::articulated::sieve::Surroundings;
use crate::body::{Body, BodyKind};
use crate::broad::{Aabb, overlapping_pairs};
use crate::control::{Control, Watch};
use crate::error::{Error, Result};
use crate::motion::Pose;
use crate::numerics::Window;
use crate::numerics::bound::upper_max;
use crate::options::Options;
use crate::robot::RobotMotion;
use crate::robot::{LinkPart, Prepared, Robot};
use crate::shape::Shape;
use crate::tree::TreeStats;

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
    robot: Arc<Robot>,
    base: Pose,
    outline: Arc<Outline>,
    /// The obstacles, in the order in which they were added.
    obstacles: Vec<Arc<Obstacle>>,
    /// The indices of the obstacles in the order of their names.
    by_name: Vec<u32>,
    culling: Culling,
    padding: Padding,
}

/// How much larger the robot is than its shapes, towards obstacles.
#[derive(Debug, Clone, Default)]
struct Padding {
    /// Of everything.
    all: f64,
    /// Of single links of the robot itself; zero for those beyond the end.
    links: Vec<f64>,
    /// The largest of all.
    largest: f64,
}

/// The answer of a query and the statistics of the search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// The answer. Body 0 is the robot, body `1 + k` obstacle `k`. Of two links the one with the lower index comes first.
    pub answer: Answer,
    /// The number of pairs of parts before culling.
    pub pairs: u64,
    /// The number of pairs whose boxes overlap. With [`Culling::Windows`]: the pairs handed to the exact stage, counted once per window.
    pub close_pairs: u64,
    /// The number of windows of time that were searched, and of the pairs of coarse solids that were tested in them.
    pub windows: [u64; 2],
    /// The work of the exact stage.
    pub work: TreeStats,
}

impl Checker {
    /// Creates a checker for a robot with its base at rest at `base`, among obstacles with different names. Obstacles may move or deform.
    ///
    /// Returns an error if an obstacle is a robot. A checker treats several robots, moving or not, as one robot; see
    /// [`forest`](crate::adaptive::forest). Meshes are shared: data computed for one checker is not computed again for another.
    pub fn new(robot: impl Into<Arc<Robot>>, base: Pose, obstacles: Vec<Body>) -> Result<Checker> {
        let robot = robot.into();
        let outline = Arc::new(Outline::new(&robot, None));
        let mut checker = Checker {
            robot,
            base,
            outline,
            obstacles: Vec::with_capacity(obstacles.len()),
            by_name: Vec::with_capacity(obstacles.len()),
            culling: Culling::default(),
            padding: Padding::default(),
        };
        checker.add_obstacles(obstacles)?;
        Ok(checker)
    }

    /// Returns the checker with another method of culling.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn with_culling(mut self, culling: Culling) -> Checker {
        self.culling = culling;
        self
    }

    /// Returns the robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Returns the pose of the robot's base.
    pub fn base(&self) -> Pose {
        self.base
    }

    /// Returns the obstacles, in the order in which they were added.
    pub fn obstacles(&self) -> impl ExactSizeIterator<Item = &Body> {
        self.obstacles.iter().map(|obstacle| &obstacle.body)
    }

    /// Returns the obstacle with this index.
    pub fn obstacle(&self, index: usize) -> &Body {
        &self.obstacles[index].body
    }

    /// Returns the index of the obstacle with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        let index = *self.by_name.get(self.rank_of(name))? as usize;
        (self.obstacles[index].body.name() == name).then_some(index)
    }

    /// Adds an obstacle and returns its index.
    pub fn add_obstacle(&mut self, body: Body) -> Result<usize> {
        refuse_robots(&body)?;
        if self.index_of(body.name()).is_some() {
            return Err(Error::DuplicateName { name: body.name().into() });
        }
        let (rank, index) = (self.rank_of(body.name()), self.obstacles.len());
        self.obstacles.push(Arc::new(Obstacle::new(body, &self.outline, self.base)));
        self.by_name.insert(rank, index as u32);
        Ok(index)
    }

    /// Adds all obstacles, or none of them if one is invalid.
    fn add_obstacles(&mut self, bodies: Vec<Body>) -> Result<()> {
        let mut names: Vec<&str> = self.obstacles().chain(&bodies).map(|body| body.name()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::DuplicateName { name: pair[0].into() });
        }
        bodies.iter().try_for_each(refuse_robots)?;
        let made = bodies.into_iter().map(|body| Arc::new(Obstacle::new(body, &self.outline, self.base)));
        self.obstacles.extend(made);
        self.by_name = (0..self.obstacles.len() as u32).collect();
        let obstacles = &self.obstacles;
        self.by_name.sort_unstable_by_key(|&k| obstacles[k as usize].body.name());
        Ok(())
    }

    /// Replaces all obstacles. If one of the new ones is invalid, the old ones stay.
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
    /// # let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// checker.set_obstacles(vec![])?;
    /// assert_eq!(checker.check_step(&[0.0], &[16.0], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_obstacles(&mut self, bodies: Vec<Body>) -> Result<()> {
        let mut changed = Checker { obstacles: Vec::new(), by_name: Vec::new(), ..self.clone() };
        changed.add_obstacles(bodies)?;
        *self = changed;
        Ok(())
    }

    /// Moves an obstacle at rest to another pose. Pairs that are allowed to touch stay allowed. Returns an error for an obstacle that moves
    /// or deforms: remove it and add it again.
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
    /// # let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// checker.move_obstacle("post", at(20.0)?)?;
    /// assert_eq!(checker.check_step(&[0.0], &[16.0], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn move_obstacle(&mut self, name: &str, pose: Pose) -> Result<()> {
        let index = self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
        let moved = self.obstacles[index].moved(pose, &self.outline, self.base).ok_or_else(|| {
            Error::Unsupported { what: format!("moving obstacle \"{name}\", which is not at rest") }
        })?;
        self.obstacles[index] = Arc::new(moved);
        Ok(())
    }

    /// Removes an obstacle. The indices of those after it decrease by one.
    pub fn remove_obstacle(&mut self, name: &str) -> Result<()> {
        let index = self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
        self.by_name.remove(self.rank_of(name));
        self.obstacles.remove(index);
        let later = self.by_name.iter_mut().filter(|k| **k as usize > index);
        later.for_each(|k| *k -= 1);
        Ok(())
    }

    /// Excludes a pair from every check: two links, or a link (or the robot, by its name) and an obstacle.
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
    /// # let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// checker.allow("ball", "post")?;
    /// assert_eq!(checker.check_step(&[0.0], &[16.0], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn allow(&mut self, a: &str, b: &str) -> Result<()> {
        if self.robot.link(a).is_some() && self.robot.link(b).is_some() {
            Arc::make_mut(&mut self.robot).allow(a, b)?;
            self.outline = Arc::new(Outline::new(&self.robot, Some(&self.outline)));
            return Ok(());
        }
        let (of_robot, of_obstacle) = if self.index_of(b).is_some() { (a, b) } else { (b, a) };
        let unknown = |name: &str| Error::UnknownName { name: name.into() };
        let obstacle = self.index_of(of_obstacle).ok_or_else(|| unknown(of_obstacle))?;
        let links = match self.robot.link(of_robot) {
            Some(link) => link..link + 1,
            None if of_robot == self.robot.name() => 0..self.robot.links().len(),
            None => return Err(unknown(of_robot)),
        };
        let allowed = &mut Arc::make_mut(&mut self.obstacles[obstacle]).allowed;
        allowed.extend(links);
        allowed.sort_unstable();
        allowed.dedup();
        Ok(())
    }

    /// Returns the checker of one pair of bodies: the robot and one obstacle, or, with `None`, the robot and itself. The first touches of all
    /// pairs are those of these checkers. In their answers an obstacle is body 1.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Answer, Body, Options};
    /// # use glam::DVec3;
    /// # let part = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("ball", vec![("ball".into(), vec![part])], vec![])?;
    /// # let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// # let post = |name: &str, x: f64| Ok::<Body, firsttouch::Error>(Body::new(name, Sphere::new(1.0)?, Motion::fixed(at(x)?)));
    /// // A ball of radius 1 at the origin, and posts of radius 1 at x = 1 and x = 5.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post("near", 1.0)?, post("far", 5.0)?])?;
    /// let is_free = |obstacle| Ok::<bool, firsttouch::Error>(
    ///     checker.alone_with(obstacle)?.check_state(&[], &Options::default())?.answer == Answer::Free,
    /// );
    /// assert_eq!((is_free(Some(0))?, is_free(Some(1))?, is_free(None)?), (false, true, true));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn alone_with(&self, obstacle: Option<usize>) -> Result<Checker> {
        let mut alone = self.clone();
        let names: Vec<String> = self.obstacles().map(|body| body.name().into()).collect();
        for (_, name) in names.iter().enumerate().rev().filter(|(k, _)| Some(*k) != obstacle) {
            alone.remove_obstacle(name)?;
        }
        if obstacle.is_some() {
            let links: Vec<String> = self.robot.links().iter().map(|link| link.name().into()).collect();
            let robot = Arc::make_mut(&mut alone.robot);
            for (i, a) in links.iter().enumerate() {
                links[i + 1..].iter().try_for_each(|b| robot.allow(a, b))?;
            }
            alone.outline = Arc::new(Outline::new(&alone.robot, Some(&self.outline)));
        }
        Ok(alone)
    }

    /// Keeps all obstacles this much farther away from the robot than the minimum separation, which applies to pairs of links as well.
    /// Queries for a touch respect it; distances do not.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Answer, Body, Options};
    /// # use glam::DVec3;
    /// # let part = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("post", vec![("post".into(), vec![part])], vec![])?;
    /// # let other = Body::new("other", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 3.0)?));
    /// // Two balls of radius 1 whose centres are 3 apart.
    /// let mut checker = Checker::new(robot, Pose::IDENTITY, vec![other])?;
    /// checker.set_padding(0.5)?;
    /// assert_eq!(checker.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// checker.set_link_padding("post", 0.6)?;
    /// assert_ne!(checker.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_padding(&mut self, padding: f64) -> Result<()> {
        self.padding.all = valid_padding(padding)?;
        self.padding.add_up();
        Ok(())
    }

    /// Keeps all obstacles this much farther away from a link of the robot, in addition to [`Checker::set_padding`].
    pub fn set_link_padding(&mut self, link: &str, padding: f64) -> Result<()> {
        let unknown = || Error::UnknownName { name: link.into() };
        let index = self.robot.link(link).filter(|&i| !self.robot.is_attached(i)).ok_or_else(unknown)?;
        let padding = valid_padding(padding)?;
        let links = &mut self.padding.links;
        links.resize(links.len().max(index + 1), 0.0); // not a bound: a count
        links[index] = padding;
        self.padding.add_up();
        Ok(())
    }

    /// The padding between two parts.
    pub(super) fn padding_of(&self, candidate: &Candidate) -> f64 {
        match *candidate {
            Candidate::Own(_, _) => 0.0,
            Candidate::Obstacle(part, _) => self.padding.of_link(self.parts()[part].link),
        }
    }

    /// The padding of all links; `None` if some have one of their own.
    pub(crate) fn common_padding(&self) -> Option<f64> {
        (self.padding.largest == self.padding.all).then_some(self.padding.all)
    }

    /// The links that an obstacle is not checked against.
    pub(crate) fn links_allowed(&self, obstacle: usize) -> impl Iterator<Item = usize> {
        self.obstacles[obstacle].allowed.iter().copied()
    }

    /// The largest padding of any pair.
    pub(super) fn largest_padding(&self) -> f64 {
        self.padding.largest
    }

    /// Attaches a shape to a link, at `pose` in the link's frame. The attached body becomes a link of its own with this name. It is checked
    /// against everything except the link that holds it and those in `touch_links`.
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
    /// # let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// // It holds another ball of radius 1 before it, whose front is 3 ahead: that touches first, at 6.
    /// checker.hold("load", Sphere::new(1.0)?, "ball", at(2.0)?, &[])?;
    /// let answer = checker.check_step(&[0.0], &[12.0], &Options::default())?.answer;
    /// assert!(matches!(answer, Answer::Touch(touch) if (touch.toi - 0.5).abs() < 1e-6));
    /// checker.release("load")?;
    /// assert_eq!(checker.check_step(&[0.0], &[7.0], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn hold(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        link: &str,
        pose: Pose,
        touch_links: &[&str],
    ) -> Result<()> {
        let part = LinkPart { shape: shape.into(), pose };
        Arc::make_mut(&mut self.robot).hold(link, name, part, touch_links)?;
        self.robot_changed();
        Ok(())
    }

    /// Removes an attached body.
    pub fn release(&mut self, name: &str) -> Result<()> {
        let held = Arc::make_mut(&mut self.robot).release(name)?;
        for obstacle in self.obstacles.iter_mut().filter(|obstacle| !obstacle.allowed.is_empty()) {
            let allowed = &mut Arc::make_mut(obstacle).allowed;
            allowed.retain(|&link| link != held);
            allowed.iter_mut().filter(|link| **link > held).for_each(|link| *link -= 1);
        }
        self.robot_changed();
        Ok(())
    }

    /// Moves the base of the robot to another pose.
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
    /// # let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
    /// checker.set_base(Pose::from_translation(DVec3::Y * 5.0)?);
    /// assert_eq!(checker.check_step(&[0.0], &[16.0], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_base(&mut self, base: Pose) {
        self.base = base;
        self.rest_again();
    }

    fn robot_changed(&mut self) {
        self.outline = Arc::new(Outline::new(&self.robot, Some(&self.outline)));
        self.rest_again();
    }

    /// Computes the distances of the obstacles from the parts fixed to the base again.
    fn rest_again(&mut self) {
        for obstacle in &mut self.obstacles {
            Arc::make_mut(obstacle).rest(&self.outline, self.base);
        }
    }

    /// The position of an obstacle's name in the order of names, or the position where it would be inserted.
    fn rank_of(&self, name: &str) -> usize {
        self.by_name.partition_point(|&k| self.obstacles[k as usize].body.name() < name)
    }

    /// Returns a box for each part of the robot, in the order of links and parts, that the part never leaves on the way from one
    /// configuration to another.
    pub fn swept_boxes(&self, from: &[f64], to: &[f64]) -> Result<Vec<Aabb>> {
        let motion = self.motion(from, to)?;
        let mut parts = self.parts().to_vec();
        parts.sort_unstable_by_key(|part| (part.link, part.part));
        Ok(swept_boxes(&motion, &parts, Window::between(0.0, 1.0), self.culling))
    }

    /// Finds the first touch on the way from one configuration to another, every joint moving at a constant rate.
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
    /// let answer = checker.check_step(&[0.0], &[16.0], &Options::default())?.answer;
    /// assert!(matches!(answer, Answer::Touch(touch) if (touch.toi - 0.5).abs() < 1e-6)); // at x = 8
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_step(&self, from: &[f64], to: &[f64], options: &Options) -> Result<StepReport> {
        self.check_step_with(from, to, options, &Control::default())
    }

    /// Like [`Checker::check_step`], under the control of the caller, who may stop it early. A stopped check returns [`Answer::Undecided`],
    /// with what is proven so far, unless a touch is known that nothing else precedes.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Control, Interrupt, Options};
    /// # let ball = || Sphere::new(1.0);
    /// # let part = firsttouch::articulated::LinkPart { shape: ball()?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("post", vec![("post".into(), vec![part])], vec![])?;
    /// # let other = Body::new("other", ball()?, Motion::fixed(Pose::IDENTITY));
    /// # let checker = Checker::new(robot, Pose::IDENTITY, vec![other])?;
    /// let interrupt = Interrupt::default();
    /// interrupt.raise();
    /// let control = Control { interrupt: Some(&interrupt), progress: None };
    /// let report = checker.check_step_with(&[], &[], &Options::default(), &control)?;
    /// assert!(matches!(report.answer, Answer::Undecided { free_until: 0.0, .. }));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_step_with(
        &self,
        from: &[f64],
        to: &[f64],
        options: &Options,
        control: &Control<'_>,
    ) -> Result<StepReport> {
        options.validate_reporting_start("a check of a robot")?;
        let motion = self.motion(from, to)?;
        Ok(Query::new(self, &motion, options).watched(control.watch()).step(self.culling))
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
        Ok(Query::new(self, &motion, options).watched(watch).step(self.culling))
    }

    /// Checks whether anything touches in one configuration. Obstacles that move are taken at time 0. The answer is [`Answer::Free`],
    /// [`Answer::TouchingAtStart`] or [`Answer::Undecided`].
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
    pub fn check_state(&self, configuration: &[f64], options: &Options) -> Result<StepReport> {
        options.validate_reporting_start("a check of a robot")?;
        let motion = self.motion(configuration, configuration)?;
        Ok(Query::new(self, &motion, options).state())
    }

    pub(super) fn motion(&self, from: &[f64], to: &[f64]) -> Result<RobotMotion<'_>> {
        RobotMotion::prepared(&self.robot, &self.outline.prepared, self.base, from, to)
    }

    pub(super) fn prepared(&self) -> &Prepared {
        &self.outline.prepared
    }

    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    pub(super) fn culling(&self) -> Culling {
        self.culling
    }

    pub(super) fn obstacle_data(&self) -> &[Arc<Obstacle>] {
        &self.obstacles
    }

    pub(super) fn obstacle_data_mut(&mut self) -> &mut [Arc<Obstacle>] {
        &mut self.obstacles
    }

    /// The number of pairs before culling.
    pub(super) fn pairs(&self) -> u64 {
        (self.parts().len() * self.obstacles.len()) as u64 + self.outline.own_pairs
    }

    pub(super) fn parts(&self) -> &[PartBox] {
        &self.outline.parts
    }

    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { outline: &self.outline, obstacles: &self.obstacles, by_name: &self.by_name }
    }

    /// The pairs that do not move relative to each other and may be within `apart`.
    pub(super) fn at_rest(&self, apart: f64) -> Vec<Candidate> {
        let mut close = Vec::new();
        for &k in &self.by_name {
            let parts = self.obstacles[k as usize].at_rest(&self.outline, apart);
            close.extend(parts.map(|i| Candidate::Obstacle(i, k as usize)));
        }
        close.extend(self.outline.own_at_rest(&self.robot, apart));
        close
    }

    /// All pairs of a part and an obstacle that are checked, in the order of the obstacles' names.
    pub(super) fn obstacle_pairs(&self) -> Vec<Candidate> {
        let mut pairs = Vec::with_capacity(self.parts().len() * self.obstacles.len());
        for &k in &self.by_name {
            let checked = |i: &usize| self.obstacles[k as usize].is_checked(&self.outline, *i);
            pairs.extend((0..self.parts().len()).filter(checked).map(|i| Candidate::Obstacle(i, k as usize)));
        }
        pairs
    }

    /// The pairs whose boxes overlap: parts with obstacles, then parts with each other, in ascending order.
    pub(super) fn close_pairs(&self, boxes: &[Aabb]) -> Vec<Candidate> {
        let whole = Window::between(0.0, 1.0);
        let parts = boxes.len();
        let obstacles = self.by_name.iter().map(|&k| &self.obstacles[k as usize].body);
        let nowhere = Aabb { low: glam::DVec3::INFINITY, high: glam::DVec3::NEG_INFINITY };
        let swept = obstacles.map(|body| body.swept_box(whole).unwrap_or(nowhere));
        let all: Vec<Aabb> = boxes.iter().copied().chain(swept).collect();
        let (mut close, mut own) = (Vec::new(), Vec::new());
        for [i, j] in overlapping_pairs(&all) {
            if i >= parts {
                continue;
            }
            if j >= parts {
                let k = self.by_name[j - parts] as usize;
                if self.obstacles[k].is_checked(&self.outline, i) {
                    close.push(Candidate::Obstacle(i, k));
                }
            } else {
                let (a, b) = (self.parts()[i].link, self.parts()[j].link);
                if a != b && !self.robot.is_allowed(a, b) {
                    own.push(Candidate::Own(i, j));
                }
            }
        }
        close.append(&mut own);
        close
    }
}

impl Padding {
    fn of_link(&self, link: usize) -> f64 {
        let own = self.links.get(link).copied().unwrap_or(0.0);
        // Rounded up: what is kept is never less than what was asked for.
        if own == 0.0 { self.all } else { (self.all + own).next_up() }
    }

    fn add_up(&mut self) {
        let links = (0..self.links.len()).map(|link| self.of_link(link));
        self.largest = links.fold(self.all, upper_max);
    }
}

fn valid_padding(padding: f64) -> Result<f64> {
    if (0.0..=1e100).contains(&padding) {
        return Ok(padding);
    }
    Err(Error::OutOfRange { what: "padding".into(), expected: "zero or more", value: padding })
}

fn refuse_robots(body: &Body) -> Result<()> {
    match body.kind() {
        BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => Err(Error::Unsupported {
            what: format!(
                "robots among the obstacles of a robot, here \"{}\": check them as one scene, or as one robot",
                body.name()
            ),
        }),
        BodyKind::Rigid { .. } | BodyKind::Affine(_) | BodyKind::Deforming(_) => Ok(()),
    }
}
