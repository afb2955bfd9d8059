//! A world at instants: the closest points of two parts, their derivatives, and witnesses near a contact or a least
//! distance.

use std::cell::RefCell;
use std::rc::Rc;

use glam::DVec3;

use super::place::{Place, link_and_shape, link_of, link_partials, partials, pose, velocity};
use super::{BEFORE, World};
use crate::answer::Touch;
use crate::body::BodyKind;
use crate::control::Control;
use crate::error::Result;
use crate::gradient::{Derivatives, Parameters, SAME, Witness, difference, extrapolated_derivatives};
use crate::motion::{RigidMotion, jumps};
use crate::options::Options;
use crate::questions::{Displacement, closest};

/// A span of time of a world that is cut in time.
struct Span<W> {
    times: [f64; 2],
    world: W,
}

/// A world at instants. Spans of time are built once.
pub(super) struct Instants<'a, W> {
    pub(super) world: &'a W,
    pub(super) control: &'a Control<'a>,
    spans: RefCell<Vec<Rc<Span<W>>>>,
}

/// A world at an instant.
enum Instant<'a, W> {
    Whole(&'a W, f64),
    Within(Rc<Span<W>>, f64),
}

impl<W: World> Instant<'_, W> {
    fn world(&self) -> &W {
        match self {
            Instant::Whole(world, _) => world,
            Instant::Within(span, _) => &span.world,
        }
    }

    /// Returns the instant on the clock of that world.
    fn own(&self, there: &Place) -> Place {
        let t = match self {
            Instant::Whole(_, t) => *t,
            Instant::Within(span, t) => ((t - span.times[0]) / self.width()).clamp(0.0, 1.0),
        };
        Place { t, ..*there }
    }

    /// Returns the length of the span of time of the world.
    fn width(&self) -> f64 {
        match self {
            Instant::Whole(..) => 1.0,
            Instant::Within(span, _) => span.times[1] - span.times[0],
        }
    }
}

/// Witnesses before a contact.
pub(super) struct Samples {
    pub(super) near: Witness,
    pub(super) far: Witness,
    /// The closest points of `near`.
    pub(super) touch: Touch,
    /// The approximate distance of the two there.
    pub(super) depth: f64,
}

impl<'a, W: World> Instants<'a, W> {
    pub(super) fn new(world: &'a W, control: &'a Control<'a>) -> Instants<'a, W> {
        Instants { world, control, spans: RefCell::new(Vec::new()) }
    }

    /// Returns the world at an instant; at a cut, the world before it.
    fn at(&self, t: f64) -> Result<Instant<'a, W>> {
        let is_there = |span: &&Rc<Span<W>>| {
            let [start, end] = span.times;
            (start < t || start == 0.0) && t <= end
        };
        if let Some(known) = self.spans.borrow().iter().find(is_there) {
            return Ok(Instant::Within(Rc::clone(known), t));
        }
        let Some((times, world)) = self.world.span_before(t)? else {
            return Ok(Instant::Whole(self.world, t));
        };
        let span = Rc::new(Span { times, world });
        self.spans.borrow_mut().push(Rc::clone(&span));
        Ok(Instant::Within(span, t))
    }

    /// Returns the distance of a point from the origin of its body.
    pub(super) fn arm(&self, there: &Place, side: usize, point: DVec3) -> Result<f64> {
        let instant = self.at(there.t)?;
        Ok(point.distance(pose(instant.world(), &instant.own(there), side).translation))
    }

    /// Returns the parameters of a side, and how a point moves with each.
    fn moved(&self, there: &Place, side: usize, point: DVec3) -> Result<(Parameters, Vec<DVec3>)> {
        let world = self.world;
        if let Some((robot, step, link, shape)) = link_of(world, there, side) {
            let (is_shift, moved) = link_partials((step, link, shape), there.t, point);
            let parameters = if is_shift { Parameters::Shift(robot) } else { Parameters::Joints(robot) };
            return Ok((parameters, moved));
        }
        let instant = self.at(there.t)?;
        let own = instant.own(there);
        let body = there.bodies[side];
        // The six ways in which a change of the pose of a body at rest moves the point. A robot may have carried the
        // body.
        let carried = || {
            let now = pose(instant.world(), &own, side);
            let first = world.body(body).as_rigid().map(|(_, motion)| motion.pose_at(0.0).rotation);
            let turn = first.map_or(glam::DMat3::IDENTITY, |first| now.rotation * first.transpose());
            let arm = point - now.translation;
            let axes = DVec3::AXES.map(|axis| turn * axis);
            [axes[0], axes[1], axes[2], axes[0].cross(arm), axes[1].cross(arm), axes[2].cross(arm)]
        };
        if let Some((robot, step, link, shape)) = link_of(instant.world(), &own, side) {
            let (is_shift, mut moved) = link_partials((step, link, shape), own.t, point);
            if !is_shift {
                // The ends of the span are no waypoints: both together are a shift.
                let variables = moved.len() / 2;
                moved = (0..variables).map(|k| moved[k] + moved[variables + k]).collect();
            }
            if !world.body(body).is_at_rest() {
                return Ok((Parameters::Shift(robot), moved));
            }
            moved.extend(carried());
            return Ok((Parameters::Held(robot), moved));
        }
        if world.body(body).is_at_rest() {
            let of_end = |weight: f64| carried().map(|moved| moved * weight);
            return Ok((Parameters::Fixed, [of_end(1.0 - there.t), of_end(there.t)].concat()));
        }
        Ok(partials(world, there, side, point))
    }

    /// Returns the witness of closest points.
    pub(super) fn witness(&self, touch: &Touch, there: &Place, separation: f64) -> Result<Witness> {
        let Touch { points, normal, gap, .. } = *touch;
        let instant = self.at(there.t)?;
        let own = instant.own(there);
        let speed = |side: usize| velocity(instant.world(), &own, side, points[side]) / instant.width();
        let relative = speed(0) - speed(1);
        let (mut parameters, mut partials) = ([Parameters::Other, Parameters::Other], [vec![], vec![]]);
        let mut derivatives = Derivatives::new();
        for side in 0..2 {
            let (of_side, moved) = self.moved(there, side, points[side])?;
            let along = if side == 0 { -normal } else { normal };
            partials[side] = moved.iter().map(|moved| along.dot(*moved)).collect();
            of_side.add_to(&mut derivatives, there.bodies[side], there.t, &partials[side], &moved);
            parameters[side] = of_side;
        }
        Ok(Witness {
            excess: gap - separation,
            normal,
            closing: normal.dot(relative),
            speed: relative.length(),
            partials,
            derivatives,
            parameters,
        })
    }

    /// Returns the closest points of two parts at an instant, with one of them displaced.
    pub(super) fn closest(&self, there: &Place, by: Option<&Displacement>) -> Result<Option<Touch>> {
        let instant = self.at(there.t)?;
        let t = instant.own(there).t;
        let found = closest(&instant.world().pairs(), there.bodies, there.parts, t, by);
        Ok(found.map(|touch| Touch { toi: there.t, free_until: there.t, ..touch }))
    }

    /// Returns the witnesses of two parts, with one of them turned by about a distance to four sides; none for two
    /// parts of one mesh. With a lift, all are also taken apart along the normal by as much, and shifted to four sides.
    pub(super) fn displaced(
        &self,
        touch: &Touch,
        distance: f64,
        size: f64,
        lift: f64,
    ) -> Result<Vec<Option<Witness>>> {
        let there = Place::of(touch);
        let is_one_mesh = touch.bodies[0] == touch.bodies[1]
            && matches!(self.world.body(touch.bodies[0]).kind(), BodyKind::Deforming(_));
        if is_one_mesh {
            return Ok(Vec::new());
        }
        let (u, v) = touch.normal.any_orthonormal_pair();
        let (about, shift) = (touch.points[1], touch.normal * lift);
        let sides = [u, -u, v, -v];
        let turned = |side: DVec3| Displacement { about, turn: side * (distance / size), shift };
        let shifted = |side: DVec3| Displacement { about, turn: DVec3::ZERO, shift: shift + side * distance };
        let all = sides.map(turned).into_iter().chain(sides.map(shifted).into_iter().filter(|_| lift > 0.0));
        let mut found = Vec::new();
        for by in all {
            let closest = self.closest(&there, Some(&by))?.filter(|closest| closest.gap > 0.0);
            let witness = |found: Touch| self.witness(&found, &Place::of(&found), 0.0);
            found.push(closest.map(witness).transpose()?);
        }
        Ok(found)
    }

    /// Returns the closest points where the distance of two parts is least, near an instant at which it nearly is.
    pub(super) fn refined(&self, given: &Touch, until: f64) -> Result<Touch> {
        /// No farther away than this part of the time.
        const REACH: f64 = 0.02;
        let sample = |t: f64| -> Result<Option<(Touch, f64)>> {
            let Some(found) = self.closest(&Place { t, ..Place::of(given) }, None)? else { return Ok(None) };
            let closing = self.witness(&found, &Place::of(&found), 0.0)?.closing;
            Ok(Some((found, closing)))
        };
        let Some((first, closing)) = sample(given.toi)? else { return Ok(given.clone()) };
        let later = if closing > 0.0 { 1.0 } else { -1.0 };
        let mut step = 1e-8;
        let (mut near, mut far) = ((given.toi, closing), None);
        while step <= REACH {
            let t = (given.toi + later * step).clamp(0.0, until);
            let Some((_, closing)) = sample(t)? else { break };
            if closing * later <= 0.0 {
                far = Some((t, closing));
                break;
            }
            near = (t, closing);
            if t == 0.0 || t == until {
                break;
            }
            step *= 8.0;
        }
        let Some(mut far) = far else { return Ok(first) };
        // The place of the secant, or the middle if that place is near an end.
        for round in 0..50 {
            let width = far.0 - near.0;
            if width.abs() <= 1e-14 || near.1 == 0.0 {
                break;
            }
            let part = near.1 / (near.1 - far.1);
            let part = if round % 3 == 2 || part.is_nan() { 0.5 } else { part.clamp(0.01, 0.99) };
            let t = near.0 + width * part;
            let Some((_, closing)) = sample(t)? else { break };
            if closing * later > 0.0 {
                near = (t, closing);
            } else {
                far = (t, closing);
            }
        }
        let t = if near.1.abs() <= far.1.abs() { near.0 } else { far.0 };
        Ok(sample(t)?.map_or(first, |(found, _)| found))
    }

    /// Returns witnesses before a contact from which its derivatives are extrapolated: at the largest of several depths
    /// at which two extrapolations agree. `None` if there is no such depth.
    pub(super) fn samples(
        &self,
        touch: &Touch,
        at_touch: &Witness,
        [separation, size]: [f64; 2],
        options: &Options,
    ) -> Result<Option<Samples>> {
        let shallowest = (1e-8 * size).max(8.0 * options.tolerance); // not a bound: a choice
        let mut depth = shallowest.max(BEFORE * size); // not a bound: a choice
        let guess = if at_touch.closing > 1e-3 * at_touch.speed { at_touch.closing } else { at_touch.speed };
        while depth >= shallowest {
            let mut all: Vec<(Touch, Witness)> = Vec::new();
            let mut closing = guess;
            for times in [1.0, 2.0, 4.0] {
                let wanted = times * depth;
                let mut t = touch.toi - (wanted - at_touch.excess) / closing;
                let mut found = None;
                for _ in 0..6 {
                    if t.is_nan() || t <= 0.0 || t >= touch.toi {
                        break;
                    }
                    let place = Place { t, ..Place::of(touch) };
                    let Some(closest) = self.closest(&place, None)? else { break };
                    let place = self.reported(touch, &closest);
                    let witness = self.witness(&closest, &place, separation)?;
                    if witness.excess > 0.5 * wanted && witness.excess < 1.5 * wanted {
                        closing = witness.closing;
                        found = Some((closest, witness));
                        break;
                    }
                    let by = if witness.excess > 0.0 && witness.closing > 0.0 {
                        (witness.excess - wanted) / witness.closing
                    } else {
                        -wanted / at_touch.speed
                    };
                    t += by;
                }
                all.extend(found);
            }
            if let [(nearest, near), (_, far), (_, farther)] = &all[..] {
                let after = touch.toi + depth / near.closing;
                let span = [nearest.toi.min(touch.toi - 4.0 * depth / near.closing), after]; // not a bound: where to look
                let [first, second] =
                    [extrapolated_derivatives(near, far), extrapolated_derivatives(far, farther)];
                if !self.jumps_in(touch.bodies, span) && difference(&first, &second) <= 0.25 * SAME {
                    let (near, far) = (near.clone(), far.clone());
                    return Ok(Some(Samples { near, far, touch: nearest.clone(), depth }));
                }
            }
            depth *= 0.25;
        }
        Ok(None)
    }

    /// Returns the place at which the derivatives of closest points are reported. Triangles that share the closest
    /// feature may take turns; the derivatives are by the vertices of the one that touches.
    fn reported(&self, touch: &Touch, found: &Touch) -> Place {
        let part = |side: usize| match self.world.body(touch.bodies[side]).kind() {
            BodyKind::Deforming(_) => touch.parts[side],
            _ => found.parts[side],
        };
        Place { bodies: found.bodies, parts: [part(0), part(1)], t: found.toi }
    }

    /// Returns true if the velocity of one of two bodies jumps in a span of time.
    fn jumps_in(&self, bodies: [usize; 2], [from, to]: [f64; 2]) -> bool {
        let jumps_in = |body: usize| match self.world.body(body).kind() {
            BodyKind::Rigid { motion, .. } => jumps(motion).any(|t| from <= t && t <= to),
            _ => false,
        };
        self.world.has_cut([from, to]) || bodies.into_iter().any(jumps_in)
    }

    /// Returns true if two instants have so nearly the same closest points that their derivatives are the same. `part`
    /// is the part of the speed at which the points close in, where derivatives are divided by it.
    pub(super) fn is_alike(&self, a: &Touch, b: &Touch, part: f64) -> bool {
        let is_deforming = |body: usize| {
            matches!(self.world.body(body).kind(), BodyKind::Deforming(_) | BodyKind::Affine(_))
        };
        let are_parts = if a.bodies.into_iter().any(is_deforming) {
            a.parts == b.parts
        } else {
            a.parts.map(link_and_shape) == b.parts.map(link_and_shape)
        };
        let near = 0.125 * SAME * part;
        let place = Place::of(a);
        let arms = [0, 1].map(|side| self.arm(&place, side, a.points[side]).unwrap_or(0.0));
        a.bodies == b.bodies
            && are_parts
            && (a.toi - b.toi).abs() <= near
            && a.normal.distance(b.normal) <= near
            && (0..2).all(|side| a.points[side].distance(b.points[side]) <= near * arms[side])
    }
}
