//! The questions of a scene besides the check: distances, contacts, overlaps and derivatives.

use super::Scene;
use super::pairs::ScenePairs;
use super::world::SceneWorld;
use crate::answer::Touch;
use crate::ask::{Ask, PairFilter};
use crate::body::Body;
use crate::clearance::{Clearance, Question};
use crate::control::Control;
use crate::ellipsoid::{Overlap, overlaps as overlaps_of_ellipsoids};
use crate::error::Result;
use crate::gradient::Gradient;
use crate::manifold::ContactPoint;
use crate::options::Options;
use crate::questions::{
    GoalChange, Margin, SafeScale, clearance_gradient, contacts, least, max_safe_scale, overlaps,
    toi_gradient, valid_instant,
};

impl Scene {
    /// Returns the least distance of any two bodies over `[0, t_max]`, with proven bounds on both sides that differ by
    /// at most the tolerance; `None` if there is no pair.
    ///
    /// Pairs on the allowed list are left out. A robot counts with itself, and so does a deforming mesh: of its
    /// features, those that share no vertex. The distance is that of the bodies themselves: separations,
    /// `min_separation`, `start` and `mode` play no part. If the budget is spent, [`Clearance::is_tight`] is false and
    /// both bounds still hold.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene};
    /// use glam::DVec3;
    /// // Two balls of radius 1. One flies past the other along x, at a distance of 5 between the centres: 3 between the balls, halfway.
    /// let at = |x: f64| Pose::from_translation(DVec3::new(x, 5.0, 0.0));
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-10.0)?, at(10.0)?)))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// let clearance = scene.clearance(&Options::default())?.expect("there is a pair");
    /// assert!(clearance.lower <= 3.0 && 3.0 <= clearance.upper && clearance.upper - clearance.lower <= 1e-6);
    /// assert!((clearance.t - 0.5).abs() < 1e-3);
    /// assert!((clearance.points[1] - DVec3::Y).length() < 1e-2);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance<'a>(&self, ask: impl Into<Ask<'a>>) -> Result<Option<Clearance>> {
        let Ask { options, control, filter, .. } = ask.into().without_clock("a least distance")?;
        self.validate(&options)?;
        self.least([0.0, options.t_max], &options, filter, &control)
    }

    /// Returns the least distance of any two bodies at time `t`, as exact as rounding allows; `None` if there is no
    /// pair. The only option used is the budget.
    ///
    /// ```
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options, Scene};
    /// # use glam::DVec3;
    /// # let at = |x: f64| Pose::from_translation(DVec3::new(x, 5.0, 0.0));
    /// # let mut scene = Scene::default();
    /// # scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-10.0)?, at(10.0)?)))?;
    /// # scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// // The scene above at the start: the centres are sqrt(10² + 5²) apart.
    /// let distance = scene.distance_at(0.0, &Options::default())?.expect("there is a pair");
    /// let exact = 125_f64.sqrt() - 2.0;
    /// assert!(distance.lower <= exact && exact <= distance.upper && distance.upper - distance.lower < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn distance_at<'a>(&self, t: f64, ask: impl Into<Ask<'a>>) -> Result<Option<Clearance>> {
        let Ask { options, control, filter, .. } = ask.into().without_clock("a distance")?;
        self.validate(&options)?;
        valid_instant(t)?;
        let exact = Options { tolerance: f64::MIN_POSITIVE, ..options };
        let found = self.least([t, t], &exact, filter, &control)?;
        // Rounding is the only error left.
        Ok(found.map(|found| Clearance { is_tight: found.upper - found.lower <= options.tolerance, ..found }))
    }

    pub(super) fn least(
        &self,
        span: [f64; 2],
        options: &Options,
        filter: Option<PairFilter<'_>>,
        control: &Control<'_>,
    ) -> Result<Option<Clearance>> {
        if self.has_paths() {
            return self.least_of_spans(span, options, filter, control);
        }
        let question = Question { span, watch: control.watch(), ..Question::new(options) };
        // At an instant there is nothing to divide but the pieces.
        let least_budget = if span[0] == span[1] { 0 } else { question.least_budget };
        let found = least(&ScenePairs::new(self, filter), &Question { least_budget, ..question });
        Ok(found.clearance(options.tolerance).map(|found| found.until(span[1])))
    }

    /// Returns all contacts at time `t` within `min_separation + tolerance`, and within the separations of
    /// [`Scene::keep_apart`]. Two faces in contact give the corners of the area that they share: a box on a floor has
    /// 4, a cylinder or capsule on its side 2.
    ///
    /// The contacts of each pair of bodies follow each other, ordered by their places. If several triangles share a
    /// vertex or an edge that touches, it counts once. Contacts are measured, not proven; [`Scene::check`] proves when
    /// something touches. On curved surfaces the points are on the surface up to the tolerance.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Cuboid;
    /// use firsttouch::{Body, Options, Scene};
    /// use glam::DVec3;
    /// // A cube of side 2 falls from z = 3 to z = -1 onto a floor whose top is at z = 0: it stands on its four lower corners.
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("cube", Cuboid::new(DVec3::splat(2.0))?, Motion::linear(at(3.0)?, at(-1.0)?)))?;
    /// scene.add(Body::new("floor", Cuboid::new(DVec3::new(9.0, 9.0, 1.0))?, Motion::fixed(at(-0.5)?)))?;
    /// let options = Options::default();
    /// let toi = scene.check(&options)?.answer.touch().expect("it falls onto the floor").toi;
    /// let contacts = scene.contacts(toi, &options)?;
    /// assert_eq!(contacts.len(), 4);
    /// for contact in &contacts {
    ///     assert!(contact.gap <= 1e-6 && (contact.normal + DVec3::Z).length() < 1e-6);
    ///     assert!((contact.points[0].truncate().abs() - DVec3::ONE.truncate()).length() < 1e-6);
    /// }
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn contacts<'a>(&self, t: f64, ask: impl Into<Ask<'a>>) -> Result<Vec<ContactPoint>> {
        self.contacts_asked(t, ask.into().without_clock("contacts")?)
    }

    fn contacts_asked(&self, t: f64, ask: Ask<'_>) -> Result<Vec<ContactPoint>> {
        let Ask { options, control, filter, .. } = &ask;
        self.validate(options)?;
        valid_instant(t)?;
        if self.has_paths() {
            let (scene, t) = self.span_at(t)?;
            return scene.contacts_asked(t, ask);
        }
        Ok(contacts(&ScenePairs::new(self, *filter), t, options, control))
    }

    /// Returns all times up to `t_max` at which two bodies touch, in order. All times between are proven free. A robot
    /// or a deforming mesh may be given with itself. A pair that a filter leaves out has none.
    ///
    /// Touching is being closer than the separation of the pair. In an overlap of kind
    /// [`Overlap`](crate::ellipsoid::OverlapKind::Overlap) the two are within the tolerance of that all the time; see
    /// [`Overlap`] for its brackets. Ellipsoids in rational motions are decided by algebra. In one of kind
    /// [`Graze`](crate::ellipsoid::OverlapKind::Graze) they may touch, or the budget was spent: the times outside are
    /// proven free, those inside are not proven to touch.
    ///
    /// ```
    /// use firsttouch::ellipsoid::OverlapKind;
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 flies from x = -10 to x = 10 through another at rest: they touch from x = -2 to x = 2.
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-10.0)?, at(10.0)?)))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// let found = scene.overlaps("flying", "resting", &Options::default())?;
    /// assert_eq!((found.len(), found[0].kind), (1, OverlapKind::Overlap));
    /// assert!(found[0].start[0] <= 0.4 && found[0].start[1] < 0.4 + 1e-6);
    /// assert!(found[0].end[1] >= 0.6 && found[0].end[0] > 0.6 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn overlaps<'a>(&self, a: &str, b: &str, ask: impl Into<Ask<'a>>) -> Result<Vec<Overlap>> {
        let Ask { options, control, filter, .. } = ask.into().without_clock("overlaps")?;
        let pair = self.pair_of(a, b)?;
        let bodies = pair.map(|i| &self.bodies[i]);
        if filter.is_some_and(|wanted| !wanted(bodies[0], bodies[1])) {
            self.validate(&options)?;
            return Ok(Vec::new());
        }
        self.overlaps_asked(pair, &options, &control)
    }

    pub(super) fn overlaps_asked(
        &self,
        pair: [usize; 2],
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Vec<Overlap>> {
        self.validate(options)?;
        if self.has_paths() {
            return self.overlaps_of_spans(pair, options, control);
        }
        let [first, second] =
            pair.map(|i| self.bodies[i].as_subject().and_then(|subject| subject.as_ellipsoid()));
        if let (Some(first), Some(second)) = (first, second) {
            let min_separation = self.separation(pair, options);
            let algebra = overlaps_of_ellipsoids(first, second, &Options { min_separation, ..*options });
            if let Ok(found) = algebra {
                return Ok(found);
            }
        }
        // The pair is queried by name.
        let pairs = ScenePairs::new(self, None).with_resting();
        Ok(overlaps(&pairs, pair, options, control))
    }
    /// Returns how the time of a touch changes with the motions of its two bodies: the derivatives of `toi` by the
    /// poses at both ends, the joint values, or the positions of vertices. The touch must be one of this scene under
    /// these options.
    ///
    /// Without a flag ([`Gradient::degenerate`]) the derivatives exist. The differences to the left and to the right
    /// then agree with them within 1 % of the most that a parameter of the kind changes the time. This holds for
    /// changes that move no point by more than a few millionths of the size of the bodies.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, MotionGradient, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 flies from x = -9 to x = 11, and meets another at x = -2. If it starts 1 farther along, at x = -8, it takes
    /// // 19 t = 6 instead of 20 t = 7: to first order the time falls by (1 - t) / 20 = 0.0325.
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-9.0)?, at(11.0)?)))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// let options = Options::default();
    /// let touch = scene.check(&options)?.answer.touch().cloned().expect("they touch");
    /// let gradient = scene.toi_gradient(&touch, &options)?;
    /// assert_eq!(gradient.degenerate, None);
    /// let MotionGradient::Poses { from, to } = &gradient.bodies[0] else { panic!("it is rigid") };
    /// assert!((from.translation.x + 0.0325).abs() < 1e-8 && (to.translation.x + 0.0175).abs() < 1e-8);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn toi_gradient<'a>(&self, touch: &Touch, ask: impl Into<Ask<'a>>) -> Result<Gradient> {
        let Ask { options, control, filter, .. } = &ask.into().without_clock("the derivative of a touch")?;
        self.validate(options)?;
        toi_gradient(&SceneWorld::new(self, *filter), touch, options, control)
    }

    /// Returns how the least distance changes with the motions of its two bodies; see [`Scene::toi_gradient`]. It is
    /// degenerate where the two touch, and where the least distance is attained at several places or times, or nearly
    /// so: within a ten-millionth of it. The clearance must be one of this scene. If it was filtered, parts that are
    /// closer than its lower bound play no role.
    ///
    /// ```
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, MotionGradient, Options, Scene};
    /// # use glam::DVec3;
    /// # let at = |x: f64| Pose::from_translation(DVec3::new(x, 5.0, 0.0));
    /// # let mut scene = Scene::default();
    /// # scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-10.0)?, at(10.0)?)))?;
    /// # scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// // A ball passes another at y = 5, halfway: half of what either end is moved by along y.
    /// let clearance = scene.clearance(&Options { tolerance: 1e-12, ..Options::default() })?.expect("there is a pair");
    /// let gradient = scene.clearance_gradient(&clearance);
    /// let MotionGradient::Poses { from, to } = &gradient.bodies[0] else { panic!("it is rigid") };
    /// assert!((from.translation.y - 0.5).abs() < 1e-5 && (to.translation.y - 0.5).abs() < 1e-5);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance_gradient(&self, clearance: &Clearance) -> Gradient {
        clearance_gradient(&SceneWorld::new(self, None), clearance, &Control::default())
    }
    /// Returns the part of a change of a body's goal that is proven safe. For every fraction of the change from 0 to
    /// [`SafeScale::scale`] the scene is proven free: every pair keeps its separation. See also
    /// [`Checker::max_safe_scale`](crate::articulated::Checker::max_safe_scale).
    ///
    /// Returns an error for a change of another kind of body or motion, and for a rotation by half a turn or more.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{Cuboid, Sphere};
    /// use firsttouch::{Body, GoalChange, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 that rests 4 above a floor may be let down by 3, three quarters of a change by 4.
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::fixed(at(4.0)?)))?;
    /// scene.add(Body::new("floor", Cuboid::new(DVec3::new(9.0, 9.0, 1.0))?, Motion::fixed(at(-0.5)?)))?;
    /// let down = GoalChange::Twist { translation: DVec3::Z * -4.0, rotation: DVec3::ZERO };
    /// let safe = scene.max_safe_scale("ball", &down, &Options::default())?;
    /// assert!(safe.is_free && safe.scale < 0.75 && safe.scale > 0.75 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn max_safe_scale<'a>(
        &self,
        name: &str,
        change: &GoalChange,
        ask: impl Into<Ask<'a>>,
    ) -> Result<SafeScale> {
        let ask = ask.into().without_clock("a safe scale")?;
        let Ask { options, control, .. } = &ask;
        self.validate(options)?;
        let place = self.place_of(name)?;
        // A body that is taken up is padded from then on.
        let grasps = self.grasps().next().is_some();
        let kept = if grasps { vec![self.largest_separation(options)] } else { self.all_kept(options) };
        max_safe_scale(&self.bodies[place], change, options, control, |changed| {
            let mut scene = self.clone();
            scene.bodies[place] = changed;
            Margin::of_separations(&kept, options.tolerance, |separation| {
                let keeps = |a: &Body, b: &Body| {
                    let pair = [a, b].map(|body| scene.index_of(body.name()));
                    let kept = |[a, b]: [usize; 2]| scene.most_kept([a.min(b), a.max(b)], options);
                    pair[0].zip(pair[1]).is_none_or(|(a, b)| kept([a, b]) == separation)
                };
                let wanted = |a: &Body, b: &Body| ask.filter.is_none_or(|wanted| wanted(a, b)) && keeps(a, b);
                let of_kept = Ask { filter: Some(&wanted), ..ask };
                scene.clearance(if kept.len() == 1 { ask } else { of_kept })
            })
        })
    }
}
