//! The least distance of a robot from its obstacles and from itself, on one step, along a path, or in one configuration.

use super::checker::Checker;
use super::outline::Candidate;
use super::part_pairs::PartPair;
use super::query::bodies;
use crate::clearance::{Clearance, LeastDistance, PathClearance, Question, SidePair, least_distance};
use crate::error::{Error, Result};
use crate::manifold::{ContactPoint, all_contacts};
use crate::narrow::{Pieces, touch_of_leaves};
use crate::numerics::bound::lower_min;
use crate::options::Options;
use crate::pair::{PairTouch, TreeStats};
use crate::robot::RobotMotion;

impl Checker {
    /// Returns the least distance along a path through waypoints, proven from both sides to the tolerance. Every joint moves at a constant
    /// rate from one waypoint to the next. Returns `None` if nothing is checked or the path has no segment. Links connected by a joint, and
    /// pairs that are allowed to touch, do not count. Body 0 is the robot, body `1 + k` obstacle `k`. The `t_max` of the options applies to
    /// each segment.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
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
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let found = checker.clearance(&[vec![0.0], vec![4.0], vec![6.0], vec![2.0]], &Options::default())?;
    /// let found = found.expect("there is a post");
    /// // The distance is least at x = 6, at the end of the second segment.
    /// assert!(found.clearance.lower <= 2.0 && found.clearance.upper >= 2.0 && found.clearance.is_tight);
    /// assert_eq!((found.segment, found.clearance.t), (1, 1.0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance(&self, waypoints: &[Vec<f64>], options: &Options) -> Result<Option<PathClearance>> {
        options.validate()?;
        waypoints.iter().try_for_each(|waypoint| self.robot().validate(waypoint))?;
        let mut lower = f64::INFINITY;
        let mut nearest: Option<(usize, Nearest)> = None;
        for (segment, ends) in waypoints.windows(2).enumerate() {
            let motion = RobotMotion::new(self.robot(), self.base(), &ends[0], &ends[1])?;
            let known_upper = nearest.as_ref().map_or(f64::INFINITY, |(_, known)| known.touch.gap);
            let question = Question { known_upper, ..Question::new(options) };
            let (bound, found) = self.least(&motion, &question);
            lower = lower_min(lower, bound);
            if let Some(found) = found {
                nearest = Some((segment, found));
            }
        }
        Ok(nearest.map(|(segment, Nearest { touch, bodies })| {
            let lower = lower_min(lower, touch.gap);
            PathClearance { segment, clearance: Clearance::new(lower, touch, bodies, options.tolerance) }
        }))
    }

    /// Returns the least distance in one configuration, as exact as rounding allows. Obstacles that move are taken at time 0.
    pub fn distance(&self, configuration: &[f64], options: &Options) -> Result<Option<Clearance>> {
        self.distance_at(configuration, configuration, 0.0, options)
    }

    /// Returns the least distance at the time `t` on the way from one configuration to another, as exact as rounding allows.
    pub fn distance_at(
        &self,
        from: &[f64],
        to: &[f64],
        t: f64,
        options: &Options,
    ) -> Result<Option<Clearance>> {
        options.validate()?;
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        let motion = RobotMotion::new(self.robot(), self.base(), from, to)?;
        let question = Question { span: [t, t], tolerance: f64::MIN_POSITIVE, ..Question::new(options) };
        let (lower, found) = self.least(&motion, &question);
        Ok(found.map(|Nearest { touch, bodies }| Clearance::new(lower, touch, bodies, options.tolerance)))
    }

    /// Returns all contacts at the time `t` on the way from one configuration to another, within `min_separation + tolerance`; see
    /// [`Scene::contacts`](crate::Scene::contacts). Body 0 is the robot, body `1 + k` obstacle `k`.
    pub fn contacts(&self, from: &[f64], to: &[f64], t: f64, options: &Options) -> Result<Vec<ContactPoint>> {
        options.validate()?;
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        let motion = RobotMotion::new(self.robot(), self.base(), from, to)?;
        let candidates = self.measured_pairs();
        let pairs: Vec<PartPair<'_>> =
            candidates.iter().map(|candidate| self.part_pair(&motion, candidate)).collect();
        let sides: Vec<SidePair<'_, Pieces<'_>>> =
            pairs.iter().map(|pair| SidePair { sides: pair.sides(), with_itself: false }).collect();
        let found = all_contacts(&sides, t, |_| options.min_separation + options.tolerance);
        let mut contacts: Vec<ContactPoint> = found
            .into_iter()
            .map(|(pair, mut touch)| {
                pairs[pair].describe(&mut touch);
                let touch = self.in_order_of_links(touch, &candidates[pair]);
                ContactPoint::new(touch, bodies(&candidates[pair]))
            })
            .collect();
        contacts.sort_by_key(|contact| contact.bodies);
        Ok(contacts)
    }

    fn least(&self, motion: &RobotMotion<'_>, question: &Question) -> (f64, Option<Nearest>) {
        let candidates = self.measured_pairs();
        let pairs: Vec<PartPair<'_>> =
            candidates.iter().map(|candidate| self.part_pair(motion, candidate)).collect();
        let sides: Vec<SidePair<'_, Pieces<'_>>> =
            pairs.iter().map(|pair| SidePair { sides: pair.sides(), with_itself: false }).collect();
        let LeastDistance { lower, nearest } = least_distance(&sides, question, &mut TreeStats::default());
        let nearest = nearest.map(|(pair, leaves)| {
            let mut touch = touch_of_leaves(&sides[pair].sides, &leaves);
            pairs[pair].describe(&mut touch);
            let touch = self.in_order_of_links(touch, &candidates[pair]);
            Nearest { touch, bodies: bodies(&candidates[pair]) }
        });
        (lower, nearest)
    }
}

/// The nearest parts, and the bodies that they belong to.
struct Nearest {
    touch: PairTouch,
    bodies: [usize; 2],
}

impl Checker {
    /// Every pair that is checked.
    fn measured_pairs(&self) -> Vec<Candidate> {
        let parts = self.parts().len();
        let mut pairs = self.obstacle_pairs();
        for i in 0..parts {
            for j in i + 1..parts {
                let (a, b) = (self.parts()[i].link, self.parts()[j].link);
                if a != b && !self.robot().is_allowed(a, b) {
                    pairs.push(Candidate::Own(i, j));
                }
            }
        }
        pairs
    }
}
