//! The certificate of a scene: its statement, and the proof until the time that a check finds.

use super::Scene;
use super::parts::{MovingPart, moving_parts};
use crate::ask::Ask;
use crate::body::{Body, BodyKind};
use crate::certificate::{Certificate, StatedBody, Statement, StatementBuilder};
use crate::error::{Error, Result};

impl Scene {
    /// Checks the scene, and proves that nothing touches until the time that is found: all the time, or until
    /// shortly before the first touch. The proof can be written and verified without this library; see
    /// docs/certificates.md. The filter of the question leaves pairs out; the statement says so.
    ///
    /// Returns an error that names the pair if there is no such proof: the pair touches at the start, passes within
    /// rounding, or has no closed form.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene};
    /// use glam::DVec3;
    /// // Two balls of radius 1 that touch at the time 3/8.
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("still", Sphere::new(1.0)?, Motion::fixed(at(0.0)?)))?;
    /// scene.add(Body::new("coming", Sphere::new(1.0)?, Motion::linear(at(5.0)?, at(-3.0)?)))?;
    /// let until = scene.certify(&Options::default())?.free_until();
    /// assert!(until <= 0.375 && until > 0.375 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn certify<'a>(&self, ask: impl Into<Ask<'a>>) -> Result<Certificate> {
        let ask: Ask<'_> = ask.into();
        let until = self.check(ask)?.answer.free_until(ask.options.t_max);
        self.certify_until(until, ask)
    }

    /// Proves that nothing touches until a time, from 0 to 1, that a check has found. If the proof fails within
    /// rounding of that time, it ends a little earlier. See [`Scene::certify`].
    pub fn certify_until<'a>(&self, until: f64, ask: impl Into<Ask<'a>>) -> Result<Certificate> {
        let ask: Ask<'_> = ask.into();
        Certificate::before(self.statement(ask)?, until, &ask)
    }

    /// Returns the statement that a certificate of the scene proves: shapes, motions and pairs as numbers and formulas.
    ///
    /// ```
    /// use firsttouch::motion::Motion;
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene};
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("ball", Sphere::new(0.5)?, Motion::AT_REST))?;
    /// let statement = scene.statement(&Options::default())?;
    /// assert!(statement.to_string().starts_with("{\"shape\":0,\"sphere\":0.5}\n"));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn statement<'a>(&self, ask: impl Into<Ask<'a>>) -> Result<Statement> {
        let ask: Ask<'_> = ask.into();
        self.validate(&ask.options)?;
        if !self.grasps.is_empty() {
            let what = "a certificate with bodies that a robot takes up".into();
            return Err(Error::Unsupported { what });
        }
        let mut builder = StatementBuilder::default();
        let stated = self.bodies.iter().map(|body| builder.add(body)).collect::<Result<Vec<_>>>()?;
        // The rules know robots between two configurations. A path does not change them.
        let mut rules = self.clone();
        for body in &mut rules.bodies {
            if let BodyKind::RobotPath(path) = body.kind() {
                *body = Body::robot(body.name().to_string(), path.step(0)?);
            }
        }
        let parts: Vec<(MovingPart, usize)> = moving_parts(&rules.bodies)
            .into_iter()
            .map(|part| {
                let found = match (part.of_robot, &stated[part.body as usize]) {
                    (None, StatedBody::Whole(found)) => Some(*found),
                    (None, _) => None,
                    (Some((robot, of)), _) => match &stated[robot as usize] {
                        StatedBody::Robot(parts) => {
                            let place = [of.link as usize, of.shape as usize];
                            parts.iter().find(|(known, _)| *known == place).map(|(_, found)| *found)
                        }
                        _ => None,
                    },
                };
                let unknown = || Error::UnknownName { name: self.bodies[part.body as usize].name().into() };
                Ok((part, found.ok_or_else(unknown)?))
            })
            .collect::<Result<_>>()?;
        let mut unchecked: Vec<(String, Vec<[usize; 2]>)> = Vec::new();
        let mut separations = Vec::new();
        for (k, (a, p)) in parts.iter().enumerate() {
            for (b, q) in &parts[k..] {
                let pair = [*p.min(q), *p.max(q)]; // not a bound: indices
                if let Some(why) = rules.reason(a, b, &ask) {
                    match unchecked.iter_mut().find(|(known, _)| known == why) {
                        Some((_, pairs)) => pairs.push(pair),
                        None => unchecked.push((why.into(), vec![pair])),
                    }
                    continue;
                }
                if p == q {
                    continue;
                }
                let separation = rules.separation_of([a, b], ask.options.min_separation);
                if separation != ask.options.min_separation {
                    separations.push((pair, separation));
                }
            }
        }
        let deforms = |body: &Body| matches!(body.kind(), BodyKind::Deforming(_));
        for (k, body) in self.bodies.iter().enumerate() {
            if deforms(body) && !self.is_allowed([k, k]) && ask.filter.is_none_or(|wanted| wanted(body, body))
            {
                let what = format!("a certificate for the deforming mesh \"{}\" against itself", body.name());
                return Err(Error::Unsupported { what });
            }
        }
        Ok(builder.end(ask.options.min_separation, separations, unchecked))
    }

    /// Returns why two parts are not checked against each other, if they are not. A part is given with itself only
    /// if it deforms.
    fn reason(&self, a: &MovingPart, b: &MovingPart, ask: &Ask<'_>) -> Option<&'static str> {
        let bodies = [a.body.min(b.body) as usize, a.body.max(b.body) as usize]; // not a bound: indices
        let [x, y] = bodies.map(|body| &self.bodies[body]);
        if a == b {
            let deforms = matches!(x.kind(), BodyKind::Deforming(_));
            let left_out = self.is_allowed(bodies) || ask.filter.is_some_and(|wanted| !wanted(x, x));
            return (deforms && left_out).then_some("a deforming mesh against itself is allowed to touch");
        }
        if let (Some((robot, of_a)), Some((other, of_b))) = (a.of_robot, b.of_robot)
            && robot == other
            && let BodyKind::Robot(step) = self.bodies[robot as usize].kind()
        {
            if of_a.link == of_b.link {
                return Some("parts of one link");
            }
            let joint = |child: u32, parent: u32| {
                step.robot().links()[child as usize].parent() == Some(parent as usize)
            };
            if joint(of_a.link, of_b.link) || joint(of_b.link, of_a.link) {
                return Some("links joined by a joint");
            }
        }
        if self.parts_are_allowed(a, b) || self.is_allowed(bodies) {
            return Some("allowed to touch");
        }
        if self.both_rest(bodies) {
            return Some("both at rest, and left out");
        }
        if x.is_unbounded() && y.is_unbounded() {
            return Some("two half-spaces");
        }
        ask.filter.is_some_and(|wanted| !wanted(x, y)).then_some("left out of the question")
    }
}
