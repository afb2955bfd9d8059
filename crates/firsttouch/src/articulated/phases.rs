//! A path on which a robot takes things up and puts them down, as a row of phases.
//!
//! Each phase has a checker of its own, an edited clone of the first. Bodies that are held in the phase ([`hold`]) are
//! links, and bodies that were put down before it stand at their new places. So every phase is an ordinary question, of
//! a path or of a trajectory.

use std::ops::Range;

use super::checker::Checker;
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose, PoseAt};
use crate::robot::RobotMotion;
use crate::world::{Grasp, Hold, hold, validate_times};

/// A part of a path during which the robot holds the same things.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Phase {
    /// The segments of the path.
    pub segments: Range<usize>,
    /// The checker of this phase: the robot with the bodies that it holds, among all other bodies.
    pub checker: Checker,
}

impl Checker {
    /// Cuts a path where the robot takes things up and puts them down; see [`Grasp`]. Without grasps there is one
    /// phase. Several grasps of one body must not overlap in time. For a trajectory give its waypoints, and ask each
    /// phase about its [part](crate::articulated::Trajectory::part).
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
        let mut checker = self.clone();
        for (k, grasp) in grasps.iter().enumerate() {
            self.validate_grasp(grasp, segments)?;
            let earlier = grasps[..k].iter().filter(|other| other.body == grasp.body);
            validate_times(&grasp.body, time_held(grasp), earlier.map(time_held))?;
            for name in grasp.touch_links.iter().chain([&grasp.link]) {
                for link in self.robot().links_named(name)? {
                    checker.allow(self.robot().links()[link].name(), &grasp.body)?;
                }
            }
        }
        let mut cuts: Vec<usize> =
            grasps.iter().flat_map(|grasp| [Some(grasp.from), grasp.until]).flatten().collect();
        cuts.extend([0, segments]);
        cuts.sort_unstable();
        cuts.dedup();
        let phase = |ends: &[usize]| {
            let segments = ends[0]..ends[1];
            Ok(Phase { checker: checker.in_phase(&segments, waypoints, grasps)?, segments })
        };
        cuts.windows(2).map(phase).collect()
    }

    fn validate_grasp(&self, grasp: &Grasp, segments: usize) -> Result<()> {
        grasp.validate(segments)?;
        let unknown = |name: &String| Error::UnknownName { name: name.clone() };
        self.robot().link(&grasp.link).ok_or_else(|| unknown(&grasp.link))?;
        let index = self.index_of(&grasp.body).ok_or_else(|| unknown(&grasp.body))?;
        let is_at_rest = matches!(self.obstacle(index).as_rigid(), Some((_, Motion::Fixed(_))));
        let what = if !is_at_rest {
            "which is not at rest"
        } else if self.rule_of(index).largest_separation().is_some() {
            "which has a separation of its own from the robot"
        } else {
            return Ok(());
        };
        Err(Error::Unsupported { what: format!("taking up \"{}\", {what}", grasp.body) })
    }

    /// Returns a clone of this checker with every body at its place in a phase.
    fn in_phase(&self, phase: &Range<usize>, waypoints: &[Vec<f64>], grasps: &[Grasp]) -> Result<Checker> {
        let hand = |k: usize, begins: bool| {
            let grasp = &grasps[k];
            let waypoint = if begins { grasp.from } else { grasp.until.unwrap_or(grasp.from) };
            self.link_at(&grasp.link, &waypoints[waypoint])
        };
        let mut checker = self.clone();
        let mut held: Vec<&Grasp> = Vec::new();
        for (first, Grasp { body, .. }) in grasps.iter().enumerate() {
            let of_body = |k: &usize| grasps[*k].body == *body;
            if (0..first).any(|k| of_body(&k)) {
                continue;
            }
            let times = (first..grasps.len()).filter(of_body).map(|k| (k, time_held(&grasps[k]))).collect();
            let rests = self.index_of(body).and_then(|index| self.obstacle(index).as_rigid());
            let Some((_, Motion::Fixed(at))) = rests else { continue };
            match hold(at.at(), times, [phase.start as f64, phase.end as f64], hand)? {
                Hold::Resting(None) => {}
                Hold::Resting(Some(pose)) => checker.move_obstacle(body, pose)?,
                Hold::Held(k, pose) => {
                    checker.take_up(&grasps[k], pose)?;
                    held.push(&grasps[k]);
                }
            }
        }
        for grasp in held {
            for other in &grasp.may_touch {
                if checker.index_of(other).is_some() || checker.robot().link(other).is_some() {
                    checker.allow(&grasp.body, other)?;
                }
            }
        }
        Ok(checker)
    }

    fn link_at(&self, link: &str, configuration: &[f64]) -> Result<PoseAt> {
        let index = self.robot().link(link).ok_or_else(|| Error::UnknownName { name: link.into() })?;
        let motion = RobotMotion::new(self.robot(), self.base(), configuration, configuration)?;
        Ok(motion.link_pose(index, 0.0))
    }

    /// Makes an obstacle a part of the robot. A link that may touch it as an obstacle may touch it as a link.
    fn take_up(&mut self, grasp: &Grasp, pose: Pose) -> Result<()> {
        let unknown = || Error::UnknownName { name: grasp.body.clone() };
        let index = self.index_of(&grasp.body).ok_or_else(unknown)?;
        let shape = self.obstacle(index).as_rigid().ok_or_else(unknown)?.0.clone();
        let (rule, links) = (self.rule_of(index), self.robot().links().iter().enumerate());
        let allowed = links.filter(|(link, _)| rule.allows([Some(*link as u32), None]));
        let touch_links: Vec<String> = allowed.map(|(_, link)| link.name().into()).collect();
        let touch_links: Vec<&str> = touch_links.iter().map(String::as_str).collect();
        self.remove_obstacle(&grasp.body)?;
        self.hold(&grasp.body, shape, &grasp.link, pose, &touch_links).map(drop)
    }
}

/// Returns the waypoints between which a body is held.
fn time_held(grasp: &Grasp) -> [f64; 2] {
    [grasp.from as f64, grasp.until.map_or(f64::INFINITY, |until| until as f64)]
}
