//! What changes around a robot, and on it: obstacles, pairs that may touch, attached bodies, the base. Each change costs what it changes.

use std::sync::Arc;

use super::{Checker, World};
use crate::articulated::outline::{Obstacle, Outline};
use crate::body::{Body, BodyKind};
use crate::error::{Error, Result};
use crate::motion::Pose;
use crate::robot::LinkPart;
use crate::shape::Shape;

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
        *self.world.edit() = changed;
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
        let later = world.by_name.iter_mut().filter(|k| **k as usize > index);
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
        if self.world.robot.link(a).is_some() && self.world.robot.link(b).is_some() {
            let world = self.world.edit();
            Arc::make_mut(&mut world.robot).allow(a, b)?;
            world.outline_again();
            return Ok(());
        }
        let links_of = |name: &str| match self.world.robot.link(name) {
            Some(link) => Some(link..link + 1),
            None => (name == self.world.robot.name()).then(|| 0..self.world.robot.links().len()),
        };
        for name in [a, b] {
            if links_of(name).is_none() && self.index_of(name).is_none() {
                return Err(Error::UnknownName { name: name.into() });
            }
        }
        let pair = match (links_of(a), self.index_of(b)) {
            (Some(links), Some(obstacle)) => Some((links, obstacle)),
            _ => links_of(b).zip(self.index_of(a)),
        };
        let Some((links, obstacle)) = pair else {
            let what = format!(
                "allowing \"{a}\" and \"{b}\", which are neither two links nor a link and an obstacle"
            );
            return Err(Error::Unsupported { what });
        };
        let allowed = &mut Arc::make_mut(&mut self.world.edit().obstacles[obstacle]).allowed;
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
            let links: Vec<String> = self.world.robot.links().iter().map(|link| link.name().into()).collect();
            let world = alone.world.edit();
            let robot = Arc::make_mut(&mut world.robot);
            for (i, a) in links.iter().enumerate() {
                links[i + 1..].iter().try_for_each(|b| robot.allow(a, b))?;
            }
            world.outline_again();
        }
        Ok(alone)
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
        let world = self.world.edit();
        Arc::make_mut(&mut world.robot).hold(link, name, part, touch_links)?;
        world.robot_changed();
        Ok(())
    }

    /// Removes an attached body.
    pub fn release(&mut self, name: &str) -> Result<()> {
        let world = self.world.edit();
        let held = Arc::make_mut(&mut world.robot).release(name)?;
        for obstacle in world.obstacles.iter_mut().filter(|obstacle| !obstacle.allowed.is_empty()) {
            let allowed = &mut Arc::make_mut(obstacle).allowed;
            allowed.retain(|&link| link != held);
            allowed.iter_mut().filter(|link| **link > held).for_each(|link| *link -= 1);
        }
        world.robot_changed();
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

    /// Computes the distances of the obstacles from the parts fixed to the base again.
    fn rest_again(&mut self) {
        for obstacle in &mut self.obstacles {
            Arc::make_mut(obstacle).rest(&self.outline, self.base);
        }
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
