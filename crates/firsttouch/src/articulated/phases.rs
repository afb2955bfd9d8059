//! Things that a robot takes up and puts down along a path.
//!
//! A body is an obstacle at rest until the robot takes it, moves with a link until the robot puts it down, and is an obstacle again where it
//! was left. So a path is a row of phases, each with a checker of its own, and every one of them is an ordinary question.
//!
//! Where a body is held, and where it is left, follows from the poses of the link at two waypoints. Both are rounded to f64, and those
//! numbers are the poses.

use std::ops::Range;

use glam::DQuat;

use super::checker::Checker;
use crate::body::Body;
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose, PoseAt};
use crate::robot::RobotMotion;
use crate::shape::Shape;

/// A body that a robot holds from one waypoint to another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grasp {
    /// The name of an obstacle that is at rest.
    pub body: String,
    /// The link that holds it.
    pub link: String,
    /// Further links that may touch it. These, and the link that holds it, may touch it all the time: also while the hand comes and goes.
    pub touch_links: Vec<String>,
    /// Obstacles that it may touch while it is held, for example what it stands on.
    pub may_touch: Vec<String>,
    /// The waypoint at which it is taken, counted from 0.
    pub from: usize,
    /// The waypoint at which it is put down; `None` if it is kept.
    pub until: Option<usize>,
}

impl Grasp {
    /// Returns an error unless its waypoints are on a path of so many segments, the second after the first. A body may be taken at the last
    /// waypoint and be kept.
    pub(crate) fn validate(&self, segments: usize) -> Result<()> {
        let is_within = self.from <= segments && self.until.is_none_or(|until| until <= segments);
        if is_within && self.until.is_none_or(|until| self.from < until) {
            return Ok(());
        }
        Err(Error::OutOfRange {
            what: format!("waypoints between which \"{}\" is held", self.body),
            expected: "on the path, the second after the first",
            value: self.until.unwrap_or(self.from) as f64,
        })
    }
}

/// A part of a path during which the robot holds the same things.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Phase {
    /// The segments of the path.
    pub segments: Range<usize>,
    /// The robot with what it holds, among everything else.
    pub checker: Checker,
}

impl Checker {
    /// Cuts a path where the robot takes things up and puts them down; see [`Grasp`]. Without grasps there is one phase.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Grasp, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "hand".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("hand".into(), vec![])], vec![slide])?;
    /// # let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// // A hand on a rail along x takes a ball at x = 3 when it is at x = 2, and leaves it when it is at x = 6.
    /// let ball = Body::new("ball", Sphere::new(0.5)?, Motion::fixed(at(3.0)?));
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![ball])?;
    /// let grasp = Grasp { body: "ball".into(), link: "hand".into(), from: 1, until: Some(2), ..Grasp::default() };
    /// let phases = checker.phases(&[vec![0.0], vec![2.0], vec![6.0], vec![0.0]], &[grasp])?;
    /// let segments: Vec<_> = phases.iter().map(|phase| phase.segments.clone()).collect();
    /// assert_eq!(segments, [0..1, 1..2, 2..3]);
    /// assert!(phases[1].checker.robot().link("ball").is_some());
    /// let left = phases[2].checker.obstacle(0).as_rigid().unwrap().1;
    /// assert_eq!(*left, Motion::fixed(at(7.0)?));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn phases(&self, waypoints: &[Vec<f64>], grasps: &[Grasp]) -> Result<Vec<Phase>> {
        waypoints.iter().try_for_each(|waypoint| self.robot().validate(waypoint))?;
        if waypoints.len() < 2 {
            return Err(Error::OutOfRange {
                what: "number of waypoints".into(),
                expected: "two or more",
                value: waypoints.len() as f64,
            });
        }
        let segments = waypoints.len() - 1;
        grasps.iter().try_for_each(|grasp| grasp.validate(segments))?;
        let mut cuts: Vec<usize> =
            grasps.iter().flat_map(|grasp| [Some(grasp.from), grasp.until]).flatten().collect();
        cuts.extend([0, segments]);
        cuts.sort_unstable();
        cuts.dedup();
        let mut checker = self.clone();
        for grasp in grasps {
            for name in grasp.touch_links.iter().chain([&grasp.link]) {
                for link in self.robot().links_named(name)? {
                    checker.allow(self.robot().links()[link].name(), &grasp.body)?;
                }
            }
        }
        let mut phases = Vec::with_capacity(cuts.len());
        for (k, &start) in cuts.iter().enumerate() {
            for grasp in grasps.iter().filter(|grasp| grasp.until == Some(start)) {
                checker.put_down(grasp, &waypoints[start])?;
            }
            for grasp in grasps.iter().filter(|grasp| grasp.from == start) {
                checker.take_up(grasp, &waypoints[start])?;
            }
            if let Some(&end) = cuts.get(k + 1) {
                phases.push(Phase { segments: start..end, checker: checker.clone() });
            }
        }
        Ok(phases)
    }

    fn link_at(&self, link: &str, configuration: &[f64]) -> Result<PoseAt> {
        let index = self.robot().link(link).ok_or_else(|| Error::UnknownName { name: link.into() })?;
        let motion = RobotMotion::new(self.robot(), self.base(), configuration, configuration)?;
        Ok(motion.link_pose(index, 0.0))
    }

    fn take_up(&mut self, grasp: &Grasp, configuration: &[f64]) -> Result<()> {
        let unknown = || Error::UnknownName { name: grasp.body.clone() };
        let index = self.index_of(&grasp.body).ok_or_else(unknown)?;
        let Some((shape, Motion::Fixed(at))) = self.obstacle(index).as_rigid() else {
            return Err(Error::Unsupported {
                what: format!("taking up \"{}\", which is not at rest", grasp.body),
            });
        };
        let (shape, at): (Shape, PoseAt) = (shape.clone(), at.at());
        let hand = self.link_at(&grasp.link, configuration)?;
        let pose = in_hand(&hand, &at)?;
        // What may touch it as an obstacle may touch it as a link.
        let rule = self.rule_of(index);
        let links = self.robot().links().iter().enumerate();
        let allowed = links.filter(|(link, _)| rule.allows([Some(*link as u32), None]));
        let allowed: Vec<String> = allowed.map(|(_, link)| link.name().into()).collect();
        let touch_links: Vec<&str> = allowed.iter().chain(&grasp.touch_links).map(String::as_str).collect();
        self.remove_obstacle(&grasp.body)?;
        self.hold(&grasp.body, shape, &grasp.link, pose, &touch_links)?;
        for other in &grasp.may_touch {
            if self.index_of(other).is_some() || self.robot().link(other).is_some() {
                self.allow(&grasp.body, other)?;
            }
        }
        Ok(())
    }

    fn put_down(&mut self, grasp: &Grasp, configuration: &[f64]) -> Result<()> {
        let unknown = || Error::UnknownName { name: grasp.body.clone() };
        let held = self.robot().link(&grasp.body).ok_or_else(unknown)?;
        let part = self.robot().links()[held].parts()[0].clone();
        let hand = self.link_at(&grasp.link, configuration)?;
        let pose = left_by_hand(&hand, &part.pose)?;
        // What may touch it as a link may touch it as an obstacle.
        let links = 0..self.robot().links().len();
        let allowed = links.filter(|&link| link != held && self.robot().is_allowed(held, link));
        let allowed: Vec<String> = allowed.map(|link| self.robot().links()[link].name().into()).collect();
        self.release(&grasp.body)?;
        self.add_obstacle(Body::new(&grasp.body[..], part.shape, Motion::fixed(pose)))?;
        allowed.iter().try_for_each(|link| self.allow(link, &grasp.body))
    }
}

/// The pose in the frame of a hand of a body that is at a pose in the world.
pub(crate) fn in_hand(hand: &PoseAt, at: &PoseAt) -> Result<Pose> {
    rounded(PoseAt {
        rotation: hand.rotation.transpose() * at.rotation,
        translation: hand.to_body(at.translation),
    })
}

/// The pose in the world of a body that is at a pose in the frame of a hand.
pub(crate) fn left_by_hand(hand: &PoseAt, own: &Pose) -> Result<Pose> {
    let own = own.at();
    rounded(PoseAt { rotation: hand.rotation * own.rotation, translation: hand.apply(own.translation) })
}

fn rounded(pose: PoseAt) -> Result<Pose> {
    Pose::new(pose.translation, DQuat::from_mat3(&pose.rotation).normalize())
}
