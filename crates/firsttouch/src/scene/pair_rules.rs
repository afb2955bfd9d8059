//! The rules of a scene about its pairs: the pairs that are not checked, and the separations of the others.
//!
//! Rules are given by names and kept by ids (`world::rules`). For two parts, every question finds here if they are
//! checked ([`Scene::parts_are_allowed`]) and which separation they keep ([`Scene::separation_of`]).

use super::Scene;
use super::parts::MovingPart;
use crate::answer::{Part, Touch};
use crate::body::BodyKind;
use crate::error::{Error, Result};
use crate::names::is_named;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::options::Options;
use crate::world::part_pairs::LinkShape;
use crate::world::{IdPair, Links, Padding, PairRule, padded, valid_separation};

/// A body, by its index, and one of its links; `None` for the whole body.
type Who = (usize, Option<u32>);

impl Scene {
    /// Excludes a pair of bodies from every check. A body and itself: its own parts against each other.
    ///
    /// A link of a robot is called `robot/link`. Names may be patterns with `*` and `?`, which stand for all bodies and
    /// links of robots that match now. Returns an error if nothing has such a name.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("a", Sphere::new(1.0)?, Motion::fixed(at(0.0)?)))?;
    /// scene.add(Body::new("b", Sphere::new(1.0)?, Motion::fixed(at(1.0)?)))?;
    /// scene.allow("a", "b")?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn allow(&mut self, a: &str, b: &str) -> Result<()> {
        for (pair, links) in self.named_pairs([a, b])? {
            self.rules.allow(pair, links);
        }
        Ok(())
    }

    /// Excludes one link of a robot and another body from every check: a floor and the foot that stands on it. The
    /// other links are checked against the body. This is the same as [`Scene::allow`] with `robot/link`.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot, RobotStep};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{HalfSpace, Sphere};
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 whose centre is half below a floor.
    /// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("post", vec![("foot".into(), vec![ball])], vec![])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot("post", RobotStep::new(robot, Pose::IDENTITY, vec![], vec![])?))?;
    /// scene.add(Body::new("floor", HalfSpace::new(DVec3::Z, 0.0)?, Motion::AT_REST))?;
    /// assert!(matches!(scene.check(&Options::default())?.answer, Answer::TouchingAtStart(_)));
    /// scene.allow_link("post", "foot", "floor")?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn allow_link(&mut self, robot: &str, link: &str, body: &str) -> Result<()> {
        let [robot_place, body_place] = [self.place_of(robot)?, self.place_of(body)?];
        let Some(of_robot) = self.bodies[robot_place].as_robot() else {
            return Err(Error::Unsupported { what: format!("a link of \"{robot}\", which is not a robot") });
        };
        if robot_place == body_place {
            let what = format!("a link of \"{robot}\" and \"{body}\" itself; use Robot::allow for two links");
            return Err(Error::Unsupported { what });
        }
        let link = of_robot.link(link).ok_or_else(|| Error::UnknownName { name: link.into() })?;
        self.allow_link_at(robot_place, link, body_place);
        Ok(())
    }

    /// The same for the bodies with these indices.
    pub(super) fn allow_link_at(&mut self, robot: usize, link: usize, body: usize) {
        let (pair, links) = self.in_order([(robot, Some(link as u32)), (body, None)]);
        self.rules.allow(pair, links);
    }

    /// Sets the distance below which two bodies, or the parts of one, count as touching. It replaces that of the
    /// options. Names may be those of links, and patterns, as for [`Scene::allow`]. A rule about single links takes
    /// precedence over a rule about the whole robot.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let path = Motion::linear(Pose::from_translation(DVec3::X * -9.0)?, Pose::from_translation(DVec3::X * 11.0)?);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", Sphere::new(1.0)?, path))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// scene.keep_apart("flying", "resting", 1.0)?;
    /// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they must touch") };
    /// assert!(touch.toi <= 0.3 && touch.toi > 0.3 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn keep_apart(&mut self, a: &str, b: &str, min_separation: f64) -> Result<()> {
        let separation = valid_separation([a, b], min_separation)?;
        for (pair, links) in self.named_pairs([a, b])? {
            self.rules.keep_apart(pair, links, separation);
        }
        Ok(())
    }

    /// Keeps all other bodies this much farther away from a robot, or from one of its links (`robot/link`), than the
    /// separation of the pair. Attached bodies have the padding of the robot. Two parts of one robot are not padded;
    /// the paddings of two robots are added, and that of a link is added to that of its robot. Queries for a touch
    /// respect it; distances do not.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot, RobotStep};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// // Two balls of radius 1 whose centres are 3 apart.
    /// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("post", vec![("foot".into(), vec![ball])], vec![])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot("post", RobotStep::new(robot, Pose::IDENTITY, vec![], vec![])?))?;
    /// let there = Motion::fixed(Pose::from_translation(DVec3::X * 3.0)?);
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, there))?;
    /// scene.pad("post", 0.5)?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// scene.pad("post/foot", 0.6)?;
    /// assert!(matches!(scene.check(&Options::default())?.answer, Answer::TouchingAtStart(_)));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn pad(&mut self, name: &str, padding: f64) -> Result<()> {
        let found = self.named(name)?;
        let other = found.iter().find(|(place, _)| self.bodies[*place].as_robot().is_none());
        if let Some(&(place, _)) = other {
            let name = self.bodies[place].name();
            let what =
                format!("the padding of \"{name}\", which is not a robot; use keep_apart for its pairs");
            return Err(Error::Unsupported { what });
        }
        for (place, link) in found {
            let of_robot = self.rules.padding_mut(self.directory.id_of(place));
            match link {
                None => of_robot.set_all(padding)?,
                Some(link) => of_robot.set_link(link, padding)?,
            }
        }
        Ok(())
    }

    /// Returns the bodies and links that a name or pattern stands for now, by their names. A link is called
    /// `robot/link`.
    pub fn names_matching(&self, name: &str) -> Result<Vec<String>> {
        Ok(self.named(name)?.into_iter().map(|who| self.name_of(who)).collect())
    }

    /// Returns the pairs that two names or patterns stand for now, as [`Scene::allow`] and [`Scene::keep_apart`] take
    /// them.
    pub fn pairs_named(&self, a: &str, b: &str) -> Result<Vec<[String; 2]>> {
        Ok(self.pairs_of([a, b])?.into_iter().map(|pair| pair.map(|who| self.name_of(who))).collect())
    }

    fn name_of(&self, (place, link): Who) -> String {
        let body = &self.bodies[place];
        match (link, body.as_robot()) {
            (Some(link), Some(robot)) => format!("{}/{}", body.name(), robot.links()[link as usize].name()),
            _ => body.name().to_string(),
        }
    }

    /// Returns the pairs of bodies that are left out of every check ([`Scene::allow`]), by their indices, in ascending
    /// order.
    pub fn allowed_pairs(&self) -> Vec<[usize; 2]> {
        self.pair_rules().into_iter().filter(|(_, rule)| rule.is_allowed()).map(|(pair, _)| pair).collect()
    }

    /// Returns the pairs of bodies that have a separation of their own ([`Scene::keep_apart`]), by their indices, in
    /// ascending order.
    ///
    /// ```
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Scene};
    /// let mut scene = Scene::default();
    /// for name in ["ball", "lamp"] {
    ///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// }
    /// scene.keep_apart("lamp", "ball", 0.25)?;
    /// assert_eq!(scene.separations(), [([0, 1], 0.25)]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn separations(&self) -> Vec<([usize; 2], f64)> {
        let rules = self.pair_rules().into_iter();
        rules.filter_map(|(pair, rule)| Some((pair, rule.whole_separation()?))).collect()
    }

    /// Copies the rule of another world to a pair of bodies, lower index first.
    pub(super) fn follow_rule(&mut self, pair: [usize; 2], rule: &PairRule) {
        self.rules.follow(self.ids_of(pair), rule);
    }

    /// Copies the rule of another world to the links of one robot, and its padding.
    pub(super) fn follow_own_rules(&mut self, robot: usize, rule: &PairRule, padding: &Padding) {
        self.follow_rule([robot, robot], rule);
        self.rules.padding_mut(self.directory.id_of(robot)).clone_from(padding);
    }

    /// Returns all that a name stands for: a body, a link as `robot/link`, or all that it matches as a pattern.
    fn named(&self, name: &str) -> Result<Vec<Who>> {
        if let Some(place) = self.index_of(name) {
            return Ok(vec![(place, None)]);
        }
        let mut found = Vec::new();
        for (place, body) in self.bodies.iter().enumerate() {
            if is_named(name, body.name()) {
                found.push((place, None));
                continue;
            }
            let links = body.as_robot().map_or(&[][..], |robot| robot.links());
            let named = |link: &str| is_named(name, &format!("{}/{link}", body.name()));
            let links = links.iter().zip(0..).filter(|(link, _)| named(link.name()));
            found.extend(links.map(|(_, link)| (place, Some(link))));
        }
        if found.is_empty() { Err(Error::UnknownName { name: name.into() }) } else { Ok(found) }
    }

    /// Returns all pairs that two names stand for. A body is paired with itself only if both names are its own, a link
    /// with itself never.
    fn pairs_of(&self, names: [&str; 2]) -> Result<Vec<[Who; 2]>> {
        let [first, second] = [self.named(names[0])?, self.named(names[1])?];
        let is_own = names.iter().all(|name| self.index_of(name).is_some());
        let all = first.iter().flat_map(|a| second.iter().map(move |b| [*a, *b]));
        let counts = |[a, b]: &[Who; 2]| a.0 != b.0 || is_own || a.1 != b.1 && a.1.is_some() && b.1.is_some();
        let found: Vec<[Who; 2]> = all.filter(counts).collect();
        if found.is_empty() {
            let [a, b] = names;
            let what = format!("a rule for \"{a}\" and \"{b}\", which are not two: no pair would follow it");
            return Err(Error::Unsupported { what });
        }
        Ok(found)
    }

    /// Returns the same with the pairs as the table of rules has them.
    fn named_pairs(&self, names: [&str; 2]) -> Result<Vec<(IdPair, Links)>> {
        Ok(self.pairs_of(names)?.into_iter().map(|pair| self.in_order(pair)).collect())
    }

    /// Returns a pair in the order of the ids.
    fn in_order(&self, [a, b]: [Who; 2]) -> (IdPair, Links) {
        let [(x, of_x), (y, of_y)] = if a.0 <= b.0 { [a, b] } else { [b, a] };
        (self.ids_of([x, y]), [of_x, of_y])
    }

    /// Returns all pairs of bodies that have a rule, by their indices, in ascending order.
    pub(super) fn pair_rules(&self) -> Vec<([usize; 2], &PairRule)> {
        let with_indices = |(ids, rule)| Some((self.indices_of(ids)?, rule));
        let mut pairs: Vec<([usize; 2], &PairRule)> = self.rules.pairs().filter_map(with_indices).collect();
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        pairs
    }

    /// Returns the paddings of all robots that have one, by their indices, in ascending order.
    pub(super) fn paddings(&self) -> Vec<(usize, &Padding)> {
        let with_index = |(id, padding)| Some((self.directory.index_of(id)?, padding));
        let mut all: Vec<(usize, &Padding)> = self.rules.paddings().filter_map(with_index).collect();
        all.sort_unstable_by_key(|(robot, _)| *robot);
        all
    }

    /// Returns true if two bodies, lower index first, or the parts of one are not checked.
    pub(super) fn is_allowed(&self, pair: [usize; 2]) -> bool {
        self.rules.of(self.ids_of(pair)).is_some_and(PairRule::is_allowed)
    }

    /// Returns true if two bodies, lower index first, have no rule, and neither has a padding.
    pub(super) fn is_usual(&self, pair: [usize; 2]) -> bool {
        let ids = self.ids_of(pair);
        self.rules.of(ids).is_none() && ids.iter().all(|id| self.rules.padding(*id).is_none())
    }

    /// Returns the separation that is given for two bodies without links, lower index first.
    pub(super) fn separation_given(&self, pair: [usize; 2]) -> Option<f64> {
        self.rules.of(self.ids_of(pair))?.whole_separation()
    }

    /// Returns the distance below which two bodies without links, lower index first, count as touching.
    pub(super) fn separation(&self, pair: [usize; 2], options: &Options) -> f64 {
        self.separation_given(pair).unwrap_or(options.min_separation)
    }

    /// Returns the rule for the bodies of two parts, and the links of the parts in the order of that rule.
    fn rule_of(&self, parts: [&MovingPart; 2]) -> Option<(&PairRule, Links)> {
        if self.rules.is_empty() {
            return None;
        }
        let (pair, links) = self.in_order(parts.map(|part| (part.body as usize, part.own_link())));
        Some((self.rules.of(pair)?, links))
    }

    /// Returns true if two parts are not checked: by a rule, or because they are parts of one link, or of links of one
    /// robot that may touch.
    pub(super) fn parts_are_allowed(&self, a: &MovingPart, b: &MovingPart) -> bool {
        let is_one = a.body == b.body;
        if let Some((rule, [x, y])) = self.rule_of([a, b])
            && (rule.allows([x, y]) || is_one && rule.allows([y, x]))
        {
            return true;
        }
        let (Some((robot, a)), Some((other, b))) = (a.of_robot, b.of_robot) else { return false };
        if robot != other {
            return false;
        }
        let BodyKind::Robot(step) = self.bodies[robot as usize].kind() else { return false };
        a.link == b.link || step.robot().is_allowed(a.link as usize, b.link as usize)
    }

    /// Returns the distance below which two parts touch: their own or `min_separation`, and the paddings.
    pub(super) fn separation_of(&self, [a, b]: [&MovingPart; 2], min_separation: f64) -> f64 {
        let given = self.rule_of([a, b]).and_then(|(rule, links)| {
            if a.body == b.body { rule.separation_within(links) } else { rule.separation(links) }
        });
        padded(given.unwrap_or(min_separation), self.padding_of([a, b]))
    }

    /// Returns the padding of two parts. That of two robots is added.
    fn padding_of(&self, [a, b]: [&MovingPart; 2]) -> f64 {
        if self.rules.paddings().next().is_none() {
            return 0.0;
        }
        let of = |part: &MovingPart| {
            let (robot, of) = part.of_robot?;
            Some(self.rules.padding(self.directory.id_of(robot as usize))?.of_link(of.link))
        };
        match (a.of_robot, b.of_robot) {
            (Some((robot, _)), Some((other, _))) if robot == other => 0.0,
            _ => padded(of(a).unwrap_or(0.0), of(b).unwrap_or(0.0)),
        }
    }

    /// Returns the distance that the two parts of a touch keep.
    pub(super) fn separation_of_touch(&self, touch: &Touch, options: &Options) -> f64 {
        let part = |side: usize| {
            let body = touch.bodies[side];
            let of_robot = match (self.bodies[body].kind(), touch.parts[side]) {
                (BodyKind::Robot(_) | BodyKind::RobotPath(_), Part::Link { link, shape, .. }) => {
                    Some((body as u32, LinkShape { link, shape }))
                }
                (BodyKind::Attached { robot, link }, _) => {
                    Some((*robot as u32, LinkShape { link: *link as u32, shape: 0 }))
                }
                _ => None,
            };
            MovingPart { body: body as u32, of_robot }
        };
        self.separation_of([&part(0), &part(1)], options.min_separation)
    }

    /// Returns the largest distance that any parts of two bodies, lower index first, keep.
    pub(super) fn most_kept(&self, pair: [usize; 2], options: &Options) -> f64 {
        let rule = self.rules.of(self.ids_of(pair));
        let separation = rule.map_or(options.min_separation, |rule| rule.most_kept(options.min_separation));
        let robots = pair.map(|body| match *self.bodies[body].kind() {
            BodyKind::Robot(_) | BodyKind::RobotPath(_) => Some(body),
            BodyKind::Attached { robot, .. } => Some(robot),
            _ => None,
        });
        if robots[0].is_some() && robots[0] == robots[1] {
            return separation;
        }
        let of_robot = |robot: usize| self.rules.padding(self.directory.id_of(robot));
        let [a, b] = robots.map(|robot| robot.and_then(of_robot).map_or(0.0, Padding::largest));
        padded(separation, padded(a, b))
    }

    /// Returns all distances that [`Scene::most_kept`] returns, in ascending order.
    pub(super) fn all_kept(&self, options: &Options) -> Vec<f64> {
        if self.rules.is_empty() && self.rules.paddings().next().is_none() {
            return vec![options.min_separation];
        }
        let bodies = self.bodies.len();
        let pairs = (0..bodies).flat_map(|i| (i..bodies).map(move |j| [i, j]));
        let mut kept: Vec<f64> = pairs.map(|pair| self.most_kept(pair, options)).collect();
        kept.sort_unstable_by(f64::total_cmp);
        kept.dedup();
        kept
    }

    /// Returns, for each body, the largest separation of its pairs, without paddings.
    pub(super) fn largest_separations(&self, options: &Options) -> impl Iterator<Item = ([usize; 2], f64)> {
        let least = options.min_separation;
        let rules = self.rules.pairs();
        let with_indices = move |(ids, rule): (IdPair, &PairRule)| {
            let largest = upper_max(least, rule.largest_separation()?);
            Some((self.indices_of(ids)?, largest))
        };
        rules.filter_map(with_indices)
    }

    /// Returns the largest padding of a robot, or of the robot that a part belongs to.
    pub(super) fn largest_padding(&self, part: &MovingPart) -> f64 {
        let robot = part.of_robot.map(|(robot, _)| self.directory.id_of(robot as usize));
        robot.and_then(|robot| self.rules.padding(robot)).map_or(0.0, Padding::largest)
    }

    /// Returns the largest separation that any parts keep.
    pub(super) fn largest_separation(&self, options: &Options) -> f64 {
        let pairs = largest_upper(self.largest_separations(options).map(|(_, x)| x));
        // At most two robots are in a pair.
        let [most, second] = self.rules.paddings().map(|(_, padding)| padding.largest()).fold(
            [0.0, 0.0],
            |[most, second]: [f64; 2], next| {
                if next > most { [next, most] } else { [most, upper_max(second, next)] }
            },
        );
        padded(padded(upper_max(options.min_separation, pairs), most), second)
    }
}
