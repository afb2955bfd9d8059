//! Bodies of a scene that a robot on a trajectory takes up and puts down.
//!
//! A body rests until the robot takes it at a waypoint, moves with a link until the robot puts it down at another, and
//! rests where it was left. The waypoints are cuts of the scene (`spans`), so in each span the body either rests or is
//! held:
//! 1. *Held.* It is an attached body in that span, as [`Scene::attach`] makes one.
//! 2. *At rest.* It is a rigid body. The link that will hold or has held it, and the `touch_links`, are not checked
//!    against it: the hand has to come and go.
//!
//! Its pairs with the bodies that it may touch while it is held are left out in those spans, and in other spans only if
//! both bodies rest. So a moving body that hits it before it is taken up, or after it is put down, is a touch.

use super::Scene;
use crate::body::{Body, BodyKind};
use crate::error::{Error, Result};
use crate::motion::{Motion, PoseAt, RigidMotion};
use crate::robot::{LinkPart, RobotMotion, RobotPath};
use crate::world::{BodyId, Grasp, Hold, hold, validate_times};

/// A grasp and the robot of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SceneGrasp {
    robot: BodyId,
    body: BodyId,
    grasp: Grasp,
}

impl Scene {
    /// Lets a robot on a trajectory take up a body of the scene at one waypoint and put it down at another; see
    /// [`Grasp`]. The body must be rigid and at rest, and is at rest again where it was left. Several grasps of one
    /// body must not overlap in time. Its pairs with the bodies that it `may_touch` are left out while it is held, and
    /// while both bodies rest.
    ///
    /// ```
    /// use firsttouch::articulated::{Grasp, Joint, JointKind, Robot, RobotPath, Trajectory};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene};
    /// use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "hand".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let robot = Robot::new("crane", vec![("rail".into(), vec![]), ("hand".into(), vec![])], vec![slide])?;
    /// // A hand on a rail along x takes a ball of radius 1 at x = 2, half way through, and carries it to x = 10. Another rests at x = 8.
    /// let way = Trajectory::linear(&robot, &[0.0, 1.0, 2.0], &[vec![0.0], vec![2.0], vec![10.0]])?;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot_along("crane", RobotPath::new(robot, Pose::IDENTITY, way)?))?;
    /// scene.add(Body::new("load", Sphere::new(1.0)?, Motion::fixed(at(2.0)?)))?;
    /// scene.add(Body::new("post", Sphere::new(1.0)?, Motion::fixed(at(8.0)?)))?;
    /// scene.grasp("crane", Grasp { body: "load".into(), link: "hand".into(), from: 1, ..Grasp::default() })?;
    /// // The balls touch when the load is at x = 6: half of the second half.
    /// let toi = scene.check(&Options::default())?.answer.touch().unwrap().toi;
    /// assert!(toi <= 0.75 && toi > 0.75 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn grasp(&mut self, robot: &str, grasp: Grasp) -> Result<()> {
        let [robot_place, body_place] = [self.place_of(robot)?, self.place_of(&grasp.body)?];
        let BodyKind::RobotPath(path) = self.bodies[robot_place].kind() else {
            let what =
                format!("a body that \"{robot}\" takes up: it is no robot on a path, and has no waypoints");
            return Err(Error::Unsupported { what });
        };
        let robot_of_path = path.robot();
        robot_of_path.link(&grasp.link).ok_or_else(|| Error::UnknownName { name: grasp.link.clone() })?;
        grasp.touch_links.iter().try_for_each(|name| robot_of_path.links_named(name).map(drop))?;
        grasp.validate(path.trajectory().segments())?;
        if !self.bodies[body_place].is_at_rest() {
            return Err(Error::Unsupported {
                what: format!("taking up \"{}\", which is not at rest", grasp.body),
            });
        }
        for other in &grasp.may_touch {
            self.place_of(other)?;
        }
        let [robot, body] = [robot_place, body_place].map(|place| self.directory.id_of(place));
        let span = self.time_held(robot_place, &grasp);
        let of_body = self.grasps.iter().filter(|known| known.body == body);
        let known = of_body.filter_map(|known| Some((self.directory.index_of(known.robot)?, &known.grasp)));
        validate_times(&grasp.body, span, known.map(|(robot, grasp)| self.time_held(robot, grasp)))?;
        self.grasps.push(SceneGrasp { robot, body, grasp });
        Ok(())
    }

    /// Returns the bodies that robots take up, in the order in which they were given: the name of the robot, and the
    /// grasp.
    pub fn grasps(&self) -> impl Iterator<Item = (&str, &Grasp)> {
        self.grasps.iter().filter_map(|SceneGrasp { robot, grasp, .. }| {
            Some((self.bodies[self.directory.index_of(*robot)?].name(), grasp))
        })
    }

    /// Returns where a rigid body is at the time `t`, up to rounding, also while a robot holds it: a pose to look at,
    /// not a bound. `None` for bodies that are not rigid.
    pub fn pose_at(&self, body: usize, t: f64) -> Option<PoseAt> {
        let (_, motion) = self.bodies.get(body)?.as_rigid()?;
        if self.grasps.is_empty() {
            return Some(motion.pose_at(t));
        }
        match self.hold(body, [t, t]).ok()? {
            None => Some(motion.pose_at(t)),
            Some(Hold::Resting(left)) => Some(left.map_or_else(|| motion.pose_at(t), |pose| pose.at())),
            Some(Hold::Held(k, own)) => {
                let grasp = &self.grasps[k];
                let path = self.path_of(self.directory.index_of(grasp.robot)?)?;
                let (segment, t) = path.segment_at(t);
                let hand =
                    path.step(segment).ok()?.motion().link_pose(path.robot().link(&grasp.grasp.link)?, t);
                let own = own.at();
                Some(PoseAt {
                    rotation: hand.rotation * own.rotation,
                    translation: hand.apply(own.translation),
                })
            }
        }
    }

    /// Returns true if a body is part of a grasp, as the robot or as the body that it takes up.
    pub(super) fn is_grasping(&self, place: usize) -> bool {
        let id = self.directory.id_of(place);
        self.grasps.iter().any(|grasp| grasp.robot == id || grasp.body == id)
    }

    /// Changes the scene of a span of time: bodies that are held in the span become attached bodies.
    pub(super) fn hold_in_span(&self, scene: &mut Scene, span: [f64; 2]) -> Result<()> {
        let mut done: Vec<BodyId> = Vec::new();
        // Pairs that may touch, and whether one of them is held for it.
        let mut may_touch: Vec<([usize; 2], bool)> = Vec::new();
        for SceneGrasp { body, .. } in &self.grasps {
            let Some(place) = self.directory.index_of(*body).filter(|_| !done.contains(body)) else {
                continue;
            };
            done.push(*body);
            let Some((shape, _)) = self.bodies[place].as_rigid() else { continue };
            let (name, shape) = (self.bodies[place].name(), shape.clone());
            // A link that touches it while it is held may touch it before and after.
            for known in self.grasps.iter().filter(|known| known.body == *body) {
                let Some(robot) = self.directory.index_of(known.robot) else { continue };
                let Some(of_path) = self.bodies[robot].as_robot() else { continue };
                let links = known.grasp.touch_links.iter().chain([&known.grasp.link]);
                for link in links.filter_map(|name| of_path.links_named(name).ok()).flatten() {
                    scene.allow_link_at(robot, link, place);
                }
            }
            let hold = self.hold(place, span)?;
            for (k, known) in self.grasps.iter().enumerate().filter(|(_, known)| known.body == *body) {
                let is_held = matches!(hold, Some(Hold::Held(by, _)) if by == k);
                let others = known.grasp.may_touch.iter().filter_map(|other| self.index_of(other));
                may_touch.extend(others.map(|other| ([place, other], is_held)));
            }
            match hold {
                None | Some(Hold::Resting(None)) => {}
                Some(Hold::Resting(Some(pose))) => {
                    scene.bodies[place] = Body::new(name, shape, Motion::fixed(pose));
                }
                Some(Hold::Held(k, pose)) => {
                    let SceneGrasp { robot, grasp, .. } = &self.grasps[k];
                    let Some(robot) = self.directory.index_of(*robot) else { continue };
                    let BodyKind::Robot(step) = scene.bodies[robot].kind_mut() else { continue };
                    let touch_links: Vec<&str> = grasp.touch_links.iter().map(String::as_str).collect();
                    let link = step.hold(&grasp.link, name, LinkPart { shape, pose }, &touch_links)?;
                    scene.bodies[place] = Body::attached(name.into(), robot, link);
                    scene.attached.push(*body);
                }
            }
        }
        for (pair, is_held) in may_touch {
            if is_held || pair.iter().all(|&i| scene.bodies[i].is_at_rest()) {
                let [a, b] = pair;
                scene.rules.allow(self.ids_of([a.min(b), a.max(b)]), [None, None]);
            }
        }
        Ok(())
    }

    /// Returns the place of a body in a span of time without waypoints inside; `None` if no robot takes it up.
    fn hold(&self, place: usize, span: [f64; 2]) -> Result<Option<Hold>> {
        let id = self.directory.id_of(place);
        let mut grasps: Vec<(usize, [f64; 2])> = Vec::new();
        for (k, known) in self.grasps.iter().enumerate().filter(|(_, known)| known.body == id) {
            let robot = self.directory.index_of(known.robot);
            grasps.extend(robot.map(|robot| (k, self.time_held(robot, &known.grasp))));
        }
        let Some((_, Motion::Fixed(at))) = self.bodies[place].as_rigid().filter(|_| !grasps.is_empty())
        else {
            return if grasps.is_empty() {
                Ok(None)
            } else {
                let what = format!("taking up \"{}\", which is not at rest", self.bodies[place].name());
                Err(Error::Unsupported { what })
            };
        };
        hold(at.at(), grasps, span, |k, begins| self.hand(k, begins)).map(Some)
    }

    /// Returns the pose of the link of a grasp where it begins, or where it ends.
    fn hand(&self, k: usize, begins: bool) -> Result<PoseAt> {
        let SceneGrasp { robot, grasp, .. } = &self.grasps[k];
        let path = self.directory.index_of(*robot).and_then(|robot| self.path_of(robot));
        let unknown = || Error::UnknownName { name: grasp.link.clone() };
        let path = path.ok_or_else(unknown)?;
        let waypoint = if begins { grasp.from } else { grasp.until.unwrap_or(grasp.from) };
        let q = path.trajectory().waypoint(waypoint);
        let link = path.robot().link(&grasp.link).ok_or_else(unknown)?;
        Ok(RobotMotion::new(path.robot(), path.base(), &q, &q)?.link_pose(link, 0.0))
    }

    fn path_of(&self, robot: usize) -> Option<&RobotPath> {
        match self.bodies[robot].kind() {
            BodyKind::RobotPath(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the times on the clock between which a body is held.
    fn time_held(&self, robot: usize, grasp: &Grasp) -> [f64; 2] {
        let Some(path) = self.path_of(robot) else { return [f64::INFINITY; 2] };
        let time = |waypoint: usize| path.times().nth(waypoint).unwrap_or(f64::INFINITY);
        [time(grasp.from), grasp.until.map_or(f64::INFINITY, time)]
    }
}
