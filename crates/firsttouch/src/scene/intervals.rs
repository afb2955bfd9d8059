//! All times at which two bodies of a scene touch.

use super::Scene;
use super::parts::Robots;
use crate::ask::Ask;
use crate::control::Control;
use crate::ellipsoid::{Overlap, overlaps};
use crate::error::Result;
use crate::intervals::{TouchLimits, overlap_intervals};
use crate::options::Options;

impl Scene {
    /// Returns all times up to `t_max` at which two bodies touch, in order. All times between are proven free. A robot or a deforming mesh
    /// may be given with itself.
    ///
    /// Touching is being closer than the separation of the pair. In an overlap of kind [`Overlap`](crate::ellipsoid::OverlapKind::Overlap)
    /// the two are within the tolerance of that all the time; see [`Overlap`] for its brackets. Ellipsoids in rational motions are decided
    /// by algebra. In one of kind [`Graze`](crate::ellipsoid::OverlapKind::Graze) they may touch, or the budget was spent: the times outside are proven free,
    /// those inside are not proven to touch.
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
        self.overlaps_asked([a, b], &ask.into().plain("overlaps")?)
    }

    pub(super) fn overlaps_asked(
        &self,
        [a, b]: [&str; 2],
        (options, control): &(Options, Control<'_>),
    ) -> Result<Vec<Overlap>> {
        self.validate(options)?;
        if self.has_paths() {
            return self.overlaps_of_spans(a, b, options, control);
        }
        let pair = self.pair_of(a, b)?;
        if self.both_rest(pair) {
            // It is queried by name.
            let mut scene = self.clone();
            scene.leave_out_resting(false);
            return scene.overlaps_asked([a, b], &(*options, *control));
        }
        let [first, second] =
            pair.map(|i| self.bodies[i].as_subject().and_then(|subject| subject.as_ellipsoid()));
        if let (Some(first), Some(second)) = (first, second) {
            let min_separation = self.separation(pair, options);
            let algebra = overlaps(first, second, &Options { min_separation, ..*options });
            if let Ok(found) = algebra {
                return Ok(found);
            }
        }
        let robots = Robots::of(&self.bodies, 0..self.bodies.len());
        let names = pair.map(|i| self.bodies[i].name());
        let both = |x: &super::Body, y: &super::Body| [x.name(), y.name()] == names;
        let measured = self.measure(&robots, [0.0, options.t_max], Some(&both), options);
        let limits = TouchLimits::new(options, control.watch());
        Ok(overlap_intervals(&measured.sides(), &limits))
    }
}
