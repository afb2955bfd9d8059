//! What changes around a robot, and on it: obstacles, pairs that may touch, attached bodies, the base. The cost of a
//! change depends on its own size alone, not on that of the whole world.

use std::sync::Arc;

use super::{Checker, World};
use crate::articulated::outline::{Candidate, Obstacle, Outline};
use crate::body::{Body, BodyKind};
use crate::error::{Error, Result};
use crate::motion::Pose;
use crate::names::is_named;
use crate::numerics::bound::upper_max;
use crate::options::Options;
use crate::pair::NeededGap;
use crate::robot::LinkPart;
use crate::shape::Shape;
use crate::world::{Padding, padded, valid_separation};

/// One thing that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Robot,
    Link(usize),
    Obstacle(usize),
}

/// A pair to which a rule of a checker can apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RobotPair {
    /// Two links of the robot.
    Links([usize; 2]),
    /// All links of the robot among themselves.
    Robot,
    /// A link, or with `None` the whole robot, and an obstacle.
    Obstacle(Option<u32>, usize),
}

impl Checker {
    /// Adds an obstacle and returns its index.
    pub fn add_obstacle(&mut self, body: Body) -> Result<usize> {
        refuse_robots(&body)?;
        if self.index_of(body.name()).is_some() {
            return Err(Error::DuplicateName { name: body.name().into() });
        }
        let world = self.world.edit();
        let (rank, index) = (world.rank_of(body.name()), world.obstacles.len());
        world.obstacles.push(Arc::new(Obstacle::new(body, &world.outline, world.base)));
        world.by_name.insert(rank, index as u32);
        world.tree.forget();
        Ok(index)
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
        let mut changed = World { obstacles: Vec::new(), by_name: Vec::new(), ..World::clone(&self.world) };
        changed.add_obstacles(bodies)?;
        changed.find_largest();
        *self.world.edit() = changed;
        Ok(())
    }

    /// Moves an obstacle at rest to another pose. Pairs that are allowed to touch stay allowed. Returns an error for an
    /// obstacle that moves or deforms: remove it and add it again.
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
        let World { obstacles, outline, base, .. } = &*self.world;
        let moved = obstacles[index].moved(pose, outline, *base).ok_or_else(|| Error::Unsupported {
            what: format!("moving obstacle \"{name}\", which is not at rest"),
        })?;
        self.replace_obstacle(index, moved);
        Ok(())
    }

    /// Puts another obstacle of the same name in the place of one.
    pub(in crate::articulated) fn replace_obstacle(&mut self, index: usize, obstacle: Obstacle) {
        let world = self.world.edit();
        world.tree.moved(world.rank_of(obstacle.body.name()), &obstacle);
        world.obstacles[index] = Arc::new(obstacle);
    }

    /// Removes an obstacle. The indices of those after it decrease by one.
    pub fn remove_obstacle(&mut self, name: &str) -> Result<()> {
        let index = self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
        let world = self.world.edit();
        world.by_name.remove(world.rank_of(name));
        world.obstacles.remove(index);
        world.tree.forget();
        world.find_largest();
        let later = world.by_name.iter_mut().filter(|k| **k as usize > index);
        later.for_each(|k| *k -= 1);
        Ok(())
    }

    /// Excludes a pair from every check: two links, or a link (or the robot, by its name) and an obstacle. The robot
    /// stands for the links that it has now: bodies that it takes up later are checked.
    ///
    /// A link may be called `robot/link` too, and must be if an obstacle has its name. Names may be patterns with `*`
    /// and `?`, which stand for all obstacles, held bodies and links (as `robot/link`) that match now.
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
        let pairs = self.named_pairs("allowing", [a, b])?;
        self.allow_pairs(&pairs);
        Ok(())
    }

    /// Leaves out all pairs of a list.
    pub(crate) fn allow_pairs(&mut self, pairs: &[RobotPair]) {
        self.for_pairs(pairs, |world, pair| match pair {
            RobotPair::Links([x, y]) => Arc::make_mut(&mut world.robot).allow_links([x, y]),
            RobotPair::Robot => {
                let links = world.robot.links().len();
                let robot = Arc::make_mut(&mut world.robot);
                (0..links).for_each(|x| (x + 1..links).for_each(|y| robot.allow_links([x, y])));
            }
            RobotPair::Obstacle(link, obstacle) => {
                let links = link.map_or(0..world.robot.links().len() as u32, |link| link..link + 1);
                let rule = &mut Arc::make_mut(&mut world.obstacles[obstacle]).rule;
                links.for_each(|link| rule.allow([Some(link), None]));
            }
        });
    }

    /// Sets the distance below which two things count as touching: a link or the whole robot (by its name), and an
    /// obstacle, a link or the robot itself. It replaces that of the options; the padding is added to it. Names may be
    /// patterns, as for [`Checker::allow`].
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
    /// checker.keep_apart("post", "other", 0.5)?;
    /// assert_eq!(checker.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// checker.keep_apart("post/*", "oth*", 1.5)?;
    /// assert_ne!(checker.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn keep_apart(&mut self, a: &str, b: &str, min_separation: f64) -> Result<()> {
        let separation = valid_separation([a, b], min_separation)?;
        if let ([Named::Link(x)], [Named::Link(y)]) = (&self.named(a)?[..], &self.named(b)?[..])
            && x == y
        {
            let what =
                format!("keeping the parts of link \"{a}\" apart: they do not move relative to each other");
            return Err(Error::Unsupported { what });
        }
        let pairs = self.named_pairs("keeping apart", [a, b])?;
        self.keep_pairs_apart(&pairs, separation);
        Ok(())
    }

    /// Sets the separation of all pairs of a list.
    pub(crate) fn keep_pairs_apart(&mut self, pairs: &[RobotPair], separation: f64) {
        self.for_pairs(pairs, |world, pair| match pair {
            RobotPair::Links(links) => world.own.keep_apart(links.map(|link| Some(link as u32)), separation),
            RobotPair::Robot => world.own.keep_apart([None, None], separation),
            RobotPair::Obstacle(link, obstacle) => {
                Arc::make_mut(&mut world.obstacles[obstacle]).rule.keep_apart([link, None], separation);
            }
        });
    }

    /// Returns the pairs that two names or patterns stand for now, as [`Checker::allow`] and [`Checker::keep_apart`]
    /// take them. A link is called `robot/link` only if an obstacle has its name too.
    pub fn pairs_named(&self, a: &str, b: &str) -> Result<Vec<[String; 2]>> {
        let robot = &self.world.robot;
        let of_link = |link: usize| {
            let name = robot.links()[link].name();
            if self.index_of(name).is_some() { format!("{}/{name}", robot.name()) } else { name.to_string() }
        };
        let obstacle = |k: usize| self.world.obstacles[k].body.name().to_string();
        let named = |pair: RobotPair| match pair {
            RobotPair::Links(links) => links.map(of_link),
            RobotPair::Robot => [robot.name(), robot.name()].map(str::to_string),
            RobotPair::Obstacle(Some(link), k) => [of_link(link as usize), obstacle(k)],
            RobotPair::Obstacle(None, k) => [robot.name().to_string(), obstacle(k)],
        };
        Ok(self.named_pairs("a rule for", [a, b])?.into_iter().map(named).collect())
    }

    /// Edits all pairs of a list.
    fn for_pairs(&mut self, pairs: &[RobotPair], mut edit: impl FnMut(&mut World, RobotPair)) {
        let world = self.world.edit();
        let is_of_robot = pairs.iter().any(|pair| !matches!(pair, RobotPair::Obstacle(..)));
        pairs.iter().for_each(|pair| edit(world, *pair));
        if is_of_robot {
            world.outline_again();
        }
        world.find_largest();
    }

    /// Returns all pairs that two names stand for: two links, the robot with itself, or the robot or a link and an
    /// obstacle.
    fn named_pairs(&self, what: &str, names: [&str; 2]) -> Result<Vec<RobotPair>> {
        let [first, second] = [self.named(names[0])?, self.named(names[1])?];
        let links = self.world.robot.links().len();
        let mut pairs = Vec::new();
        for &a in &first {
            for &b in &second {
                match (a, b) {
                    (Named::Link(x), Named::Link(y)) => pairs.push(RobotPair::Links([x, y])),
                    (Named::Link(x), Named::Robot) | (Named::Robot, Named::Link(x)) => {
                        pairs.extend((0..links).filter(|&y| y != x).map(|y| RobotPair::Links([x, y])));
                    }
                    (Named::Robot, Named::Robot) => pairs.push(RobotPair::Robot),
                    (Named::Robot, Named::Obstacle(k)) | (Named::Obstacle(k), Named::Robot) => {
                        pairs.push(RobotPair::Obstacle(None, k));
                    }
                    (Named::Link(x), Named::Obstacle(k)) | (Named::Obstacle(k), Named::Link(x)) => {
                        pairs.push(RobotPair::Obstacle(Some(x as u32), k));
                    }
                    (Named::Obstacle(_), Named::Obstacle(_)) => {}
                }
            }
        }
        if pairs.is_empty() {
            let [a, b] = names;
            let what =
                format!("{what} \"{a}\" and \"{b}\", which are neither two links nor a link and an obstacle");
            return Err(Error::Unsupported { what });
        }
        Ok(pairs)
    }

    /// Returns all that a name stands for: a link, the robot or an obstacle of this name. Otherwise it is a link as
    /// `robot/link`, or a pattern for the robot (with it all links), such links, held bodies and obstacles.
    fn named(&self, name: &str) -> Result<Vec<Named>> {
        let robot = &self.world.robot;
        if let Some(link) = robot.link(name) {
            if self.index_of(name).is_some() {
                let of_robot = robot.name();
                let what = format!(
                    "the name \"{name}\", which an obstacle and a link have: write \"{of_robot}/{name}\" for the link"
                );
                return Err(Error::Unsupported { what });
            }
            return Ok(vec![Named::Link(link)]);
        }
        if name == robot.name() {
            return Ok(vec![Named::Robot]);
        }
        if let Some(index) = self.index_of(name) {
            return Ok(vec![Named::Obstacle(index)]);
        }
        let mut found = Vec::new();
        let is_robot = is_named(name, robot.name());
        for (index, link) in robot.links().iter().enumerate() {
            let is_held = robot.is_attached(index) && is_named(name, link.name());
            if is_robot || is_held || is_named(name, &format!("{}/{}", robot.name(), link.name())) {
                found.push(Named::Link(index));
            }
        }
        let bodies = self.obstacles().enumerate().filter(|(_, body)| is_named(name, body.name()));
        found.extend(bodies.map(|(index, _)| Named::Obstacle(index)));
        if found.is_empty() { Err(Error::UnknownName { name: name.into() }) } else { Ok(found) }
    }

    /// Returns the distance that two parts keep: their own or `min_separation`, and the padding.
    pub(in crate::articulated) fn separation_of(&self, candidate: &Candidate, min_separation: f64) -> f64 {
        let link = |part: usize| self.parts()[part].link as u32;
        let World { own, obstacles, padding, .. } = &*self.world;
        match *candidate {
            Candidate::Own(i, j) => {
                own.separation_within([Some(link(i)), Some(link(j))]).unwrap_or(min_separation)
            }
            Candidate::Obstacle(i, k) => {
                let separation = obstacles[k].rule.separation([Some(link(i)), None]);
                padded(separation.unwrap_or(min_separation), padding.of_link(link(i)))
            }
        }
    }

    /// Returns two gaps: that of any two parts of the robot, and that of any parts that are checked. Parts that are
    /// proven apart by the gap do not touch at the start.
    pub(in crate::articulated) fn needed_gaps(&self, options: &Options) -> [NeededGap; 2] {
        let World { padding, largest: [own, obstacles], .. } = &*self.world;
        let with = |own: Option<f64>| {
            let min_separation = own.map_or(options.min_separation, |x| upper_max(x, options.min_separation));
            Options { min_separation, ..*options }
        };
        let own_gap = NeededGap::padded(&with(*own), 0.0);
        let all = NeededGap::padded(&with(*obstacles), padding.largest());
        [own_gap, if all.value() < own_gap.value() { own_gap } else { all }]
    }

    /// Keeps all obstacles this much farther away from the robot than the minimum separation, which applies to pairs of
    /// links as well. Queries for a touch respect it; distances do not.
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
        self.world.edit().padding.set_all(padding)
    }

    /// Takes over the paddings of another world with the same links.
    pub(crate) fn follow_padding(&mut self, padding: &Padding) {
        self.world.edit().padding.clone_from(padding);
    }

    /// Keeps all obstacles this much farther away from a link of the robot, in addition to [`Checker::set_padding`].
    pub fn set_link_padding(&mut self, link: &str, padding: f64) -> Result<()> {
        let unknown = || Error::UnknownName { name: link.into() };
        let robot = &self.world.robot;
        let index = robot.link(link).filter(|&i| !robot.is_attached(i)).ok_or_else(unknown)?;
        self.world.edit().padding.set_link(index as u32, padding)
    }

    /// Attaches a shape to a link, at `pose` in the link's frame. The attached body becomes a link of its own with this
    /// name. It is checked against everything except the link that holds it and those in `touch_links`.
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
        let world = self.world.edit();
        Arc::make_mut(&mut world.robot).hold(link, name, part, touch_links)?;
        world.robot_changed();
        Ok(())
    }

    /// Removes an attached body.
    pub fn release(&mut self, name: &str) -> Result<()> {
        let world = self.world.edit();
        let held = Arc::make_mut(&mut world.robot).release(name)?;
        for obstacle in world.obstacles.iter_mut().filter(|obstacle| !obstacle.rule.is_about_whole_bodies()) {
            Arc::make_mut(obstacle).rule.remove_link(0, held as u32);
        }
        (0..2).for_each(|side| world.own.remove_link(side, held as u32));
        world.robot_changed();
        world.find_largest();
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
        let world = self.world.edit();
        world.base = base;
        world.rest_again();
    }
}

impl World {
    /// Adds all obstacles, or none of them if one is invalid.
    pub(super) fn add_obstacles(&mut self, bodies: Vec<Body>) -> Result<()> {
        let known = self.obstacles.iter().map(|obstacle| &obstacle.body);
        let mut names: Vec<&str> = known.chain(&bodies).map(|body| body.name()).collect();
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
        self.tree.forget();
        Ok(())
    }

    fn robot_changed(&mut self) {
        self.outline_again();
        self.rest_again();
    }

    fn outline_again(&mut self) {
        self.outline = Arc::new(Outline::new(&self.robot, Some(&self.outline)));
    }

    /// Finds the largest separations that are set for pairs of the robot's links, and for pairs of the robot and an
    /// obstacle.
    pub(super) fn find_largest(&mut self) {
        let of_obstacles = self.obstacles.iter().filter_map(|obstacle| obstacle.rule.largest_separation());
        self.largest = [self.own.largest_separation(), of_obstacles.reduce(upper_max)];
    }

    /// Computes the distances of the obstacles from the parts fixed to the base again.
    fn rest_again(&mut self) {
        for obstacle in &mut self.obstacles {
            Arc::make_mut(obstacle).rest(&self.outline, self.base);
        }
        self.tree.rested();
    }
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
