//! A robot of a scene as a [`Checker`]: all other bodies stand around it, and the rules of the scene apply.

use super::Scene;
use crate::adaptive::Simulated;
use crate::articulated::{Checker, RobotPair};
use crate::body::{Body, BodyKind};
use crate::error::{Error, Result};
use crate::world::Links;

/// The role of a body of the scene in the checker.
#[derive(Clone, Copy)]
enum Role {
    Robot,
    /// A body that the robot holds, by the index of its link.
    Held(usize),
    Obstacle(usize),
}

impl Scene {
    /// Returns a checker for a robot and its attached bodies, among all other bodies. All rules of the scene about
    /// pairs of the robot apply: allowed pairs, separations and paddings. Its base stands where its motion in the scene
    /// begins; its joints are free.
    ///
    /// Refuses a scene with another robot, and a robot on a path.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot, RobotStep};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{HalfSpace, Sphere};
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 whose centre is half below a floor that it may touch.
    /// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("post", vec![("foot".into(), vec![ball])], vec![])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot("post", RobotStep::new(robot, Pose::IDENTITY, vec![], vec![])?))?;
    /// scene.add(Body::new("floor", HalfSpace::new(DVec3::Z, 0.0)?, Motion::AT_REST))?;
    /// scene.allow("post/foot", "floor")?;
    /// assert_eq!(scene.checker("post")?.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn checker(&self, robot: &str) -> Result<Checker> {
        let place = self.place_of(robot)?;
        let BodyKind::Robot(step) = self.bodies[place].kind() else {
            let what = format!(
                "a checker of \"{robot}\", which is not a robot in a motion between two configurations"
            );
            return Err(Error::Unsupported { what });
        };
        let mut obstacles: Vec<Body> = Vec::new();
        let roles = self.bodies.iter().enumerate().map(|(i, body)| match body.kind() {
            _ if i == place => Role::Robot,
            BodyKind::Attached { robot, link } if *robot == place => Role::Held(*link),
            _ => {
                obstacles.push(body.clone());
                Role::Obstacle(obstacles.len() - 1)
            }
        });
        let roles: Vec<Role> = roles.collect();
        let mut checker = Checker::new(step.robot().clone(), step.base(), obstacles)?;
        // In a scene the name of a robot does not stand for its attached bodies.
        let links = 0..step.robot().links().len();
        let own: Vec<usize> = links.clone().filter(|&link| !step.robot().is_attached(link)).collect();
        let holds = own.len() < links.len();
        let mut allowed = Vec::new();
        for (pair, rule) in self.pair_rules() {
            let roles = pair.map(|body| roles[body]);
            allowed.extend(rule.all_allowed().flat_map(|links| pairs_of(roles, links, &own, holds)));
            for (links, separation) in rule.all_separations() {
                checker.keep_pairs_apart(&pairs_of(roles, links, &own, holds), separation);
            }
        }
        checker.allow_pairs(&allowed);
        for (_, padding) in self.paddings().into_iter().filter(|(robot, _)| *robot == place) {
            checker.follow_padding(padding);
        }
        Ok(checker)
    }

    /// Returns a simulation of a robot in the world of [`Scene::checker`], in the configuration in which its motion in
    /// the scene begins.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot, RobotStep};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1, and another that is 3 away and comes closer by 2.
    /// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("post", vec![("foot".into(), vec![ball])], vec![])?;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot("post", RobotStep::new(robot, Pose::IDENTITY, vec![], vec![])?))?;
    /// scene.add(Body::new("other", Sphere::new(1.0)?, Motion::linear(at(3.0)?, at(1.0)?)))?;
    /// let step = scene.simulated("post")?.step(&[], &Options::default())?;
    /// assert!(matches!(step.answer, Answer::Touch(touch) if (touch.toi - 0.5).abs() < 1e-6));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn simulated(&self, robot: &str) -> Result<Simulated> {
        let checker = self.checker(robot)?;
        let start = match self.bodies[self.place_of(robot)?].kind() {
            BodyKind::Robot(step) => step.from().to_vec(),
            _ => Vec::new(),
        };
        Simulated::among(checker, start)
    }
}

/// Returns the pairs of a checker that a rule about two bodies, or links of them, stands for. `own` are the links of
/// the robot without its attached bodies; `holds` is true if it has any.
fn pairs_of([a, b]: [Role; 2], [of_a, of_b]: Links, own: &[usize], holds: bool) -> Vec<RobotPair> {
    let links = |role: Role, link: Option<u32>| match (role, link) {
        (Role::Robot, Some(link)) => vec![link as usize],
        (Role::Robot, None) => own.to_vec(),
        (Role::Held(link), _) => vec![link],
        (Role::Obstacle(_), _) => Vec::new(),
    };
    let whole = |role: Role, link: Option<u32>| matches!(role, Role::Robot) && link.is_none() && !holds;
    match (a, b) {
        (Role::Obstacle(_), Role::Obstacle(_)) => Vec::new(),
        (Role::Obstacle(k), other) | (other, Role::Obstacle(k)) => {
            let link = if matches!(a, Role::Obstacle(_)) { of_b } else { of_a };
            if whole(other, link) {
                return vec![RobotPair::Obstacle(None, k)];
            }
            links(other, link).into_iter().map(|link| RobotPair::Obstacle(Some(link as u32), k)).collect()
        }
        _ if whole(a, of_a) && whole(b, of_b) => vec![RobotPair::Robot],
        _ => {
            let (first, second) = (links(a, of_a), links(b, of_b));
            let all = first.iter().flat_map(|x| second.iter().map(move |y| [*x, *y]));
            all.filter(|[x, y]| x != y).map(RobotPair::Links).collect()
        }
    }
}
