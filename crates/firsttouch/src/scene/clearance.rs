//! The least distance in a scene: all its pairs of parts in one search.
//!
//! 1. *A first upper bound.* The parts whose boxes in the middle of the time are closest to each other are measured at three instants.
//! 2. *Broad phase.* Pairs of parts whose boxes over the whole time are farther apart than this upper bound are dropped.
//! 3. All others go through one search (`clearance`). It bounds each pair once by the volumes around both parts; what is farther apart than
//!    something known is not looked at again.
//!
//! Pairs of parts are given to the search in the order of the names of their bodies, with the smaller name first, so that the answer does
//! not depend on the order of the bodies.

use super::Scene;
use super::parts::{MovingPart, Robots, parts_with_boxes};
use crate::articulated::part_pairs::PartPair;
use crate::ask::{Ask, PairFilter};
use crate::body::BodyKind;
use crate::broad::{Aabb, overlapping_pairs};
use crate::clearance::{Clearance, Question, SidePair, least_distance, least_distance_in};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::manifold::{ContactPoint, all_contacts};
use crate::narrow::{Pieces, touch_of_leaves};
use crate::numerics::Window;
use crate::numerics::bound::lower_min;
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::pair::{PairTouch, TreeStats};

impl Scene {
    /// Returns the least distance of any two bodies over `[0, t_max]`, with proven bounds on both sides that differ by at most the tolerance;
    /// `None` if there is no pair.
    ///
    /// Pairs on the allowed list are left out. A robot counts with itself, and so does a deforming mesh: of its features, those that
    /// share no vertex. The distance is that of the bodies, whatever separations are to be kept: `min_separation`, `start` and `mode`
    /// play no part. If the budget is spent, [`Clearance::is_tight`] is false and both bounds still hold.
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

    /// Returns the least distance of any two bodies at time `t`, as exact as rounding allows; `None` if there is no pair. The only option
    /// used is the budget.
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
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
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
        let robots = Robots::of(&self.bodies, 0..self.bodies.len());
        let (parts, boxes) = parts_with_boxes(&self.bodies, Window::between(span[0], span[1]));
        let question = Question { span, watch: control.watch(), ..Question::new(options) };
        // At an instant there is nothing to divide but the pieces.
        let least_budget = if span[0] == span[1] { 0 } else { question.least_budget };
        let question = Question { least_budget, ..question };
        let first = self.first_upper(&robots, &parts, filter, &question, options);
        let known_upper = first.as_ref().map_or(f64::INFINITY, |(touch, _)| touch.gap);
        let pairs = self.measured_pairs(&parts, &boxes, filter, known_upper);
        let measured = self.measured_of(&robots, &parts, pairs, options);
        let sides = measured.sides();
        let question = Question { known_upper, ..question };
        let found = least_distance(&sides, &question, &mut TreeStats::default());
        let nearest = found.nearest.map(|(pair, nearest)| {
            let touch = measured.described(pair, touch_of_leaves(&sides[pair].sides, &nearest));
            (touch, measured.pairs[pair].bodies)
        });
        let Some((touch, bodies)) = nearest.or(first) else { return Ok(None) };
        // What was dropped is farther apart than an upper bound.
        let lower = lower_min(found.lower, touch.gap);
        Ok(Some(Clearance::new(lower, touch, bodies, options.tolerance).until(span[1])))
    }

    /// The least distance of a few pairs of parts at a few instants; none if there is no pair among those that were tried.
    fn first_upper<'a>(
        &'a self,
        robots: &'a Robots<'a>,
        parts: &[MovingPart],
        filter: Option<PairFilter<'_>>,
        question: &Question,
        options: &Options,
    ) -> Option<(PairTouch, [usize; 2])> {
        // With few parts there is little to drop.
        if parts.len() < FEW_PARTS {
            return None;
        }
        let [from, to] = question.span;
        let middle = 0.5 * (from + to);
        let (_, boxes) = parts_with_boxes(&self.bodies, Window::between(middle, middle));
        let center = |p: usize| 0.5 * (boxes[p].low + boxes[p].high);
        let ranks = self.ranks();
        let rank =
            |p: usize| (ranks[parts[p].body as usize], parts[p].of_robot.map(|(_, of)| (of.link, of.shape)));
        // Along each axis the neighbours in the order of the centres.
        let mut guesses: Vec<(f64, [usize; 2])> = Vec::new();
        for axis in 0..3 {
            let mut order: Vec<usize> = (0..parts.len()).collect();
            order.sort_by(|&p, &q| center(p)[axis].total_cmp(&center(q)[axis]).then(rank(p).cmp(&rank(q))));
            for (place, &p) in order.iter().enumerate() {
                for &q in order[place + 1..].iter().take(NEIGHBOURS) {
                    let gap = (boxes[q].low - boxes[p].high).max(boxes[p].low - boxes[q].high); // not a bound: steers
                    guesses.push((gap.max_element(), if rank(p) <= rank(q) { [p, q] } else { [q, p] }));
                }
            }
        }
        guesses.sort_by(|x, y| x.0.total_cmp(&y.0).then_with(|| x.1.map(rank).cmp(&y.1.map(rank))));
        guesses.dedup();
        let wanted: Vec<[usize; 2]> = guesses
            .into_iter()
            .map(|(_, pair)| pair)
            .filter(|&[p, q]| self.is_measured(parts, [p, q], filter))
            .take(MEASURED_FIRST)
            .collect();
        let pairs = wanted.iter().map(|&pair| self.measured_pair(parts, &ranks, pair)).collect();
        let measured = self.measured_of(robots, parts, pairs, options);
        let sides = measured.sides();
        let windows: Vec<(usize, [f64; 2])> =
            (0..sides.len()).flat_map(|pair| [from, middle, to].map(|t| (pair, [t, t]))).collect();
        let (pair, nearest) =
            least_distance_in(&sides, &windows, question, &mut TreeStats::default()).nearest?;
        let touch = measured.described(pair, touch_of_leaves(&sides[pair].sides, &nearest));
        Some((touch, measured.pairs[pair].bodies))
    }

    /// Returns all contacts at time `t` within `min_separation + tolerance`, and within the separations of [`Scene::keep_apart`]. Two faces
    /// in contact give the corners of the area that they share: a box on a floor has 4, a cylinder or capsule on its side 2.
    ///
    /// The contacts of each pair of bodies follow each other, ordered by their places. Where triangles share a vertex or an edge that
    /// touches, it counts once. Contacts are measured, not proven; [`Scene::check`] proves when something touches. On curved
    /// surfaces the points are on the surface up to the tolerance.
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
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        if self.has_paths() {
            let (scene, t) = self.span_at(t)?;
            return scene.contacts_asked(t, ask);
        }
        let robots = Robots::of(&self.bodies, 0..self.bodies.len());
        let farthest = (self.largest_separation(options) + options.tolerance) * (1.0 + 4.0 * UNIT);
        let (parts, boxes) = parts_with_boxes(&self.bodies, Window::between(t, t));
        let pairs = self.measured_pairs(&parts, &boxes, *filter, farthest);
        let measured = self.measured_of(&robots, &parts, pairs, options);
        let found = all_contacts(&measured.sides(), t, options.tolerance, control.watch());
        let mut contacts: Vec<ContactPoint> = found
            .into_iter()
            .map(|(pair, touch)| {
                ContactPoint::new(measured.described(pair, touch), measured.pairs[pair].bodies)
            })
            .collect();
        // Stable: the contacts of two bodies stay in their order.
        contacts.sort_by_key(|contact| contact.bodies);
        Ok(contacts)
    }

    pub(super) fn measure<'a>(
        &'a self,
        robots: &'a Robots<'a>,
        span: [f64; 2],
        filter: Option<PairFilter<'_>>,
        options: &Options,
    ) -> Measured<'a> {
        let (parts, boxes) = parts_with_boxes(&self.bodies, Window::between(span[0], span[1]));
        let pairs = self.measured_pairs(&parts, &boxes, filter, f64::INFINITY);
        self.measured_of(robots, &parts, pairs, options)
    }

    pub(super) fn measured_of<'a>(
        &'a self,
        robots: &'a Robots<'a>,
        parts: &[MovingPart],
        pairs: Vec<MeasuredPair>,
        options: &Options,
    ) -> Measured<'a> {
        let built = |pair: &MeasuredPair| {
            let [a, b] = pair.parts.map(|p| parts[p]);
            robots.pair([a, b], self.separation_of([&a, &b], options.min_separation))
        };
        let built = pairs.iter().map(built).collect();
        Measured { pairs, built }
    }

    /// Whether two parts, or one with itself, are measured.
    fn is_measured(&self, parts: &[MovingPart], [p, q]: [usize; 2], filter: Option<PairFilter<'_>>) -> bool {
        let bodies = bodies_of(parts, [p, q]);
        let is_measured = if p == q {
            matches!(self.bodies[bodies[0]].kind(), BodyKind::Deforming(_))
        } else {
            !self.parts_are_allowed(&parts[p], &parts[q])
        };
        is_measured
            && !self.is_allowed(bodies)
            && !self.both_rest(bodies)
            && filter.is_none_or(|wanted| wanted(&self.bodies[bodies[0]], &self.bodies[bodies[1]]))
    }

    pub(super) fn measured_pair(
        &self,
        parts: &[MovingPart],
        ranks: &[u32],
        [p, q]: [usize; 2],
    ) -> MeasuredPair {
        let bodies = bodies_of(parts, [p, q]);
        let rank = |part: usize| ranks[parts[part].body as usize];
        let (p, q) = if p <= q { (p, q) } else { (q, p) };
        let ordered = if rank(q) < rank(p) { [q, p] } else { [p, q] };
        let swapped = parts[ordered[0]].body as usize != bodies[0];
        MeasuredPair { bodies, parts: ordered, swapped }
    }

    /// All pairs of parts that are not allowed to touch and whose boxes are within a distance, in the order of the names.
    pub(super) fn measured_pairs(
        &self,
        parts: &[MovingPart],
        boxes: &[Aabb],
        filter: Option<PairFilter<'_>>,
        within: f64,
    ) -> Vec<MeasuredPair> {
        let ranks = self.ranks();
        let mut pairs = Vec::new();
        let mut add = |pair: [usize; 2]| {
            if self.is_measured(parts, pair, filter) {
                let pair = self.measured_pair(parts, &ranks, pair);
                let order = pair.parts.map(|part| ranks[parts[part].body as usize]);
                pairs.push((order, pair));
            }
        };
        if within < f64::INFINITY {
            // Two boxes that are both this much larger overlap if they are within the distance. Two roundings.
            let half = 0.5 * within * (1.0 + 8.0 * UNIT);
            let inflated: Vec<Aabb> = boxes.iter().map(|bounds| bounds.inflated(half)).collect();
            let mut close = overlapping_pairs(&inflated);
            close.extend((0..parts.len()).map(|p| [p, p]));
            close.sort_unstable();
            close.into_iter().for_each(&mut add);
        } else {
            for p in 0..parts.len() {
                (p..parts.len()).for_each(|q| add([p, q]));
            }
        }
        // The parts of each body are in its own order; a stable sort keeps it.
        pairs.sort_by_key(|(order, _)| *order);
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }
}

/// With fewer parts than this, no first upper bound is searched for.
const FEW_PARTS: usize = 6;

/// So many pairs are measured for a first upper bound, out of those of each part with this many neighbours along each axis.
const MEASURED_FIRST: usize = 3;
const NEIGHBOURS: usize = 4;

/// The bodies of two parts, in the order of the scene.
fn bodies_of(parts: &[MovingPart], pair: [usize; 2]) -> [usize; 2] {
    let [p, q] = pair.map(|part| parts[part].body as usize);
    if p <= q { [p, q] } else { [q, p] }
}

/// Two parts whose distance is measured.
pub(super) struct MeasuredPair {
    /// In the order of the scene.
    pub(super) bodies: [usize; 2],
    /// In the order of the names.
    parts: [usize; 2],
    /// Whether the two orders differ.
    pub(super) swapped: bool,
}

/// The pairs of a scene with their sides.
pub(super) struct Measured<'a> {
    pub(super) pairs: Vec<MeasuredPair>,
    pub(super) built: Vec<PartPair<'a>>,
}

impl Measured<'_> {
    pub(super) fn sides(&self) -> Vec<SidePair<'_, Pieces<'_>>> {
        let pairs = self.built.iter().zip(&self.pairs);
        pairs
            .map(|(built, pair)| SidePair {
                with_itself: pair.parts[0] == pair.parts[1],
                ..built.side_pair()
            })
            .collect()
    }

    /// Names the parts of a touch and takes it to the world, in the order of the scene.
    pub(super) fn described(&self, pair: usize, mut touch: PairTouch) -> PairTouch {
        self.built[pair].describe(&mut touch);
        if self.pairs[pair].swapped { touch.swapped() } else { touch }
    }
}
