//! The derivatives of a touch, or of a least distance, by the motions of its two bodies.
//!
//! A world may be cut in time: a scene with robots on trajectories is. The closest points at an instant are those of
//! the span before it. A body that no robot moves has its own motion over the whole time. A body that a robot holds
//! moves with the robot, and with the pose at which it lay before.
//!
//! After an interrupt the derivatives are flagged: the search for other places that touch was not completed.

mod instants;
mod place;

use glam::DVec3;

use super::{Level, Near, World};
use crate::answer::Touch;
use crate::body::BodyKind;
use crate::clearance::Clearance;
use crate::control::Control;
use crate::error::Result;
use crate::gradient::{
    Degenerate, Gradient, MotionGradient, Parameters, PoseGradient, SAME, VertexGradient, Witness,
    difference, extrapolated,
};
use crate::options::Options;

use instants::{Instants, Samples};
use place::{Place, link_and_shape, turns_half};

/// `δ` of a least distance, as a part of it.
const NEAR: f64 = 1e-7;

/// `δ` of a contact, as a part of the distance from a body's origin to it.
const BEFORE: f64 = 1e-5;

/// The most derivatives that are compared. With more different places, the derivative is flagged.
const MOST: usize = 256;

/// Returns how the time of a touch changes with the motions of its two bodies. The options are valid.
pub(crate) fn toi_gradient<W: World>(
    world: &W,
    touch: &Touch,
    options: &Options,
    control: &Control<'_>,
) -> Result<Gradient> {
    let instants = Instants::new(world, control);
    let there = Place::of(touch);
    // A body that a robot holds for a time is padded during that time.
    let given = world.separation_of_touch(touch, options);
    let padded = touch.gap - options.tolerance;
    let separation = if padded > given { padded } else { given };
    let at_touch = instants.witness(touch, &there, separation)?;
    let flagged = |why: Degenerate, witness: &Witness| {
        let partials = extrapolated(witness, witness);
        Gradient { bodies: shaped(&witness.parameters, partials), degenerate: Some(why) }
    };
    if touch.toi == 0.0 {
        return Ok(flagged(Degenerate::AtStart, &at_touch));
    }
    let arms = [0, 1].map(|side| instants.arm(&there, side, touch.points[side]));
    let size = arms.map(|arm| arm.unwrap_or(0.0)).into_iter().fold(0.0, f64::max); // not a bound: measured
    let Some(samples) = instants.samples(touch, &at_touch, [separation, size], options)? else {
        let grazes = at_touch.grazes(options.tolerance, size);
        let why = if grazes { Degenerate::Grazing } else { Degenerate::SeveralFeatures };
        return Ok(flagged(why, &at_touch));
    };
    let Samples { near, far, depth, .. } = &samples;
    let partials = extrapolated(near, far);
    if turns_half(world, touch.bodies) {
        let degenerate = Some(Degenerate::HalfTurn);
        return Ok(Gradient { bodies: shaped(&near.parameters, partials), degenerate });
    }
    // Near the end of the time, a touch that comes a little later is no touch at all.
    let is_last = touch.toi + 0.5 * depth / near.closing > options.t_max;
    let degenerate = if near.grazes(options.tolerance, size) || near.closing <= 0.0 {
        Some(Degenerate::Grazing)
    } else if is_last || contact_is_shared(&instants, touch, &samples, separation, options)? {
        Some(Degenerate::SeveralFeatures)
    } else {
        // At the contact itself, with the two taken apart along the normal: before it they may slide along each
        // other.
        let apart = Touch { points: touch.points, normal: near.normal, ..touch.clone() };
        let by = instants.displaced(&apart, 0.5 * depth, size, *depth)?;
        let first = near.time_derivatives();
        let differs = |found: &Option<Witness>| {
            found.as_ref().is_none_or(|found| difference(&first, &found.time_derivatives()) > SAME)
        };
        by.iter().any(differs).then_some(Degenerate::SeveralFeatures)
    };
    Ok(Gradient { bodies: shaped(&near.parameters, partials), degenerate })
}

/// Returns true if another place touches as early as this contact, with another derivative.
fn contact_is_shared<W: World>(
    instants: &Instants<'_, W>,
    touch: &Touch,
    samples: &Samples,
    separation: f64,
    options: &Options,
) -> Result<bool> {
    let Instants { world, control, .. } = *instants;
    let Samples { near, depth, touch: nearest, .. } = samples;
    if touch.bodies[0] == touch.bodies[1]
        && matches!(world.body(touch.bodies[0]).kind(), BodyKind::Deforming(_))
        && world.contacts(touch.toi, options, control)?.len() > 1
    {
        return Ok(true);
    }
    let extra = separation - world.separation_of_touch(touch, options);
    let of_touch = |found: &Touch| world.separation_of_touch(found, options) + extra;
    // As early as this contact, or later by less than it needs for half the depth.
    let latest = nearest.toi + (near.excess + 0.5 * depth) / near.closing;
    let first = near.time_derivatives();
    let before = 6.0 * depth;
    let span = [nearest.toi, nearest.toi];
    let level = Level::Beyond(options, extra + before);
    let Near { touches, is_complete } = world.near(span, &level, *depth, control)?;
    if !is_complete {
        return Ok(true);
    }
    let mut others: Vec<Witness> = Vec::new();
    for found in &touches {
        if others.len() > MOST {
            return Ok(true);
        }
        if !instants.is_alike(found, nearest, near.closing / near.speed) {
            others.push(instants.witness(found, &Place::of(found), of_touch(found))?);
        }
    }
    let end = if latest < 1.0 { latest } else { 1.0 };
    let level = Level::Beyond(options, extra);
    let Near { touches: after, is_complete } = world.near([touch.toi, end], &level, *depth, control)?;
    if !is_complete {
        return Ok(true);
    }
    let mut known: Vec<Place> = Vec::new();
    for found in after {
        let place = Place { t: nearest.toi, ..Place::of(&found) };
        let is_known = |other: &Place| {
            other.bodies == place.bodies && other.parts.map(link_and_shape) == place.parts.map(link_and_shape)
        };
        if is_known(&Place::of(touch)) || known.iter().any(is_known) {
            continue;
        }
        if known.len() > MOST {
            return Ok(true);
        }
        if let Some(found) = instants.closest(&place, None)? {
            others.push(instants.witness(&found, &Place::of(&found), of_touch(&found))?);
        }
        known.push(place);
    }
    let touches_by_then = |other: &Witness| {
        let toi = nearest.toi + other.excess / other.closing;
        // Bodies that part or move along do not touch. Bodies that touch already are no part of the question.
        toi <= latest
            && other.excess > 0.0
            && other.closing > 0.0
            && difference(&first, &other.time_derivatives()) > SAME
    };
    Ok(others.iter().any(touches_by_then))
}

/// Returns how a least distance changes with the motions of its two bodies.
pub(crate) fn clearance_gradient<W: World>(
    world: &W,
    clearance: &Clearance,
    control: &Control<'_>,
) -> Gradient {
    let instants = Instants::new(world, control);
    let given = Touch {
        toi: clearance.t,
        free_until: clearance.t,
        gap: clearance.upper,
        bodies: clearance.bodies,
        parts: clearance.parts,
        features: clearance.features,
        points: clearance.points,
        normal: clearance.normal,
    };
    let found = least_distance_gradient(&instants, &given, clearance);
    found.unwrap_or_else(|_| {
        let bodies = [MotionGradient::Other, MotionGradient::Other];
        Gradient { bodies, degenerate: Some(Degenerate::SeveralFeatures) }
    })
}

fn least_distance_gradient<W: World>(
    instants: &Instants<'_, W>,
    given: &Touch,
    clearance: &Clearance,
) -> Result<Gradient> {
    let Instants { world, control, .. } = *instants;
    let flagged = |touch: &Touch, is_flagged: bool| -> Result<Gradient> {
        let there = Place::of(touch);
        let witness = instants.witness(touch, &there, 0.0)?;
        let degenerate = is_flagged.then_some(Degenerate::SeveralFeatures);
        Ok(Gradient { bodies: shaped(&witness.parameters, witness.partials), degenerate })
    };
    let place = Place::of(given);
    let arms = [0, 1].map(|side| instants.arm(&place, side, given.points[side]));
    let [first, second] = [arms[0].clone()?, arms[1].clone()?];
    let speed = instants.witness(given, &place, 0.0)?.speed;
    let size = first.max(second).max(speed); // not a bound: measured
    let far = given.points.map(DVec3::length);
    let coordinates = size.max(far[0]).max(far[1]); // not a bound: measured
    if clearance.lower <= 0.0 || given.gap <= 1e-9 * coordinates {
        return flagged(given, true);
    }
    if turns_half(world, given.bodies) {
        return Ok(Gradient { degenerate: Some(Degenerate::HalfTurn), ..flagged(given, true)? });
    }
    let delta = NEAR * given.gap.min(size) + 1e-13 * coordinates; // not a bound: a choice
    let best = instants.refined(given, clearance.until)?;
    // The closest point where it was given stays the reference if nothing better is near.
    let best = if best.gap <= given.gap + 1e-13 * coordinates { best } else { given.clone() };
    let level = best.gap + delta;
    let Near { touches, is_complete } =
        world.near([0.0, clearance.until], &Level::Same(level), delta, control)?;
    let there = Place::of(&best);
    let witness = instants.witness(&best, &there, 0.0)?;
    let mut is_flagged = !is_complete;
    // A pair that is closer than the least distance was no part of the question.
    let was_left_out = |bodies: [usize; 2]| {
        let is_closer = |touch: &Touch| touch.bodies == bodies && touch.gap < clearance.lower;
        bodies != clearance.bodies && touches.iter().any(is_closer)
    };
    let mut compared = 0;
    for touch in touches.iter().filter(|touch| !was_left_out(touch.bodies)) {
        if is_flagged || instants.is_alike(touch, &best, 1.0) {
            continue;
        }
        compared += 1;
        let other = instants.witness(touch, &Place::of(touch), 0.0)?;
        is_flagged = compared > MOST || difference(&witness.derivatives, &other.derivatives) > SAME;
    }
    if !is_flagged {
        let by = instants.displaced(&best, delta, size, 0.0)?;
        let differs = |found: &Option<Witness>| {
            found.as_ref().is_none_or(|found| difference(&witness.derivatives, &found.derivatives) > SAME)
        };
        is_flagged = by.iter().any(differs);
    }
    let degenerate = is_flagged.then_some(Degenerate::SeveralFeatures);
    Ok(Gradient { bodies: shaped(&witness.parameters, witness.partials), degenerate })
}

/// Returns derivatives in the order of the parameters, as gradients by the kind of each motion.
fn shaped(parameters: &[Parameters; 2], partials: [Vec<f64>; 2]) -> [MotionGradient; 2] {
    let robots = [0, 1].map(|side| match &parameters[side] {
        Parameters::Joints(robot) | Parameters::Shift(robot) => Some(*robot),
        _ => None,
    });
    if robots[0].is_some() && robots[0] == robots[1] {
        // Two parts of one robot move with the same joints.
        let sum: Vec<f64> = partials[0].iter().zip(&partials[1]).map(|(x, y)| x + y).collect();
        return [0, 1].map(|side| shaped_side(&parameters[side], &sum));
    }
    [0, 1].map(|side| shaped_side(&parameters[side], &partials[side]))
}

fn shaped_side(parameters: &Parameters, partials: &[f64]) -> MotionGradient {
    let vector = |k: usize| DVec3::from_slice(&partials[3 * k..]);
    let pose = |k: usize| PoseGradient { translation: vector(k), rotation: vector(k + 1) };
    match parameters {
        Parameters::Fixed | Parameters::Poses => MotionGradient::Poses { from: pose(0), to: pose(2) },
        Parameters::Joints(_) => {
            let (from, to) = partials.split_at(partials.len() / 2);
            MotionGradient::Joints { from: from.to_vec(), to: to.to_vec() }
        }
        Parameters::Shift(_) => MotionGradient::Shift(partials.to_vec()),
        Parameters::Held(_) => {
            let (shift, pose) = partials.split_at(partials.len() - 6);
            let [translation, rotation] = [0, 3].map(|k| DVec3::from_slice(&pose[k..]));
            MotionGradient::Held { shift: shift.to_vec(), pose: PoseGradient { translation, rotation } }
        }
        Parameters::Vertices(vertices) => {
            let each = vertices.iter().enumerate();
            let each = each.map(|(k, &vertex)| VertexGradient {
                vertex,
                from: vector(2 * k),
                to: vector(2 * k + 1),
            });
            MotionGradient::Vertices(each.collect())
        }
        Parameters::Other => MotionGradient::Other,
    }
}
