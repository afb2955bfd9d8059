//! The narrow phase: one method per kind of pair. [`first_touch`] is the dispatcher and the support table in one.

pub mod convex_convex;

use crate::advancement::{Limits, Outcome, advance};
use crate::answer::{Answer, Part, Touch};
use crate::error::{Error, Result};
use crate::motion::RigidMotion;
use crate::options::Options;
use crate::scene::Body;
use crate::shape::{Convex, Shape};
use convex_convex::{ConvexPair, Moving};

/// The engine that handles a pair of shapes. This `match` has no catch-all: a new shape does not compile until every
/// pair it forms has an engine or is refused by name.
///
/// | | solid | mesh |
/// |---|---|---|
/// | **solid** (box, sphere, capsule, cylinder, ellipsoid, hull) | `convex_convex` | not yet |
/// | **mesh** | not yet | not yet |
pub fn supported(a: &Shape, b: &Shape) -> Result<()> {
    use Shape::*;
    match (a, b) {
        (
            Box(_) | Sphere(_) | Capsule(_) | Cylinder(_) | Ellipsoid(_) | Hull(_),
            Box(_) | Sphere(_) | Capsule(_) | Cylinder(_) | Ellipsoid(_) | Hull(_),
        ) => Ok(()),
        (Mesh(_), Box(_) | Sphere(_) | Capsule(_) | Cylinder(_) | Ellipsoid(_) | Hull(_) | Mesh(_))
        | (Box(_) | Sphere(_) | Capsule(_) | Cylinder(_) | Ellipsoid(_) | Hull(_), Mesh(_)) => {
            Err(Error::Unsupported { what: format!("{} against {}", a.kind(), b.kind()) })
        }
    }
}

/// The first touch of two bodies in `[0, t_end]`, `bodies` being their indices in the scene. Steps are counted in
/// `iterations`.
///
/// The pair is worked on in the order of the bodies' names, whatever the order they are given in: swapping the two sides
/// mirrors the answer and changes no bit of it.
pub fn first_touch(
    a: &Body,
    b: &Body,
    bodies: [usize; 2],
    t_end: f64,
    options: &Options,
    iterations: &mut u64,
) -> Result<Answer> {
    supported(a.shape(), b.shape())?;
    if b.name() < a.name() {
        let answer = first_touch(b, a, [bodies[1], bodies[0]], t_end, options, iterations)?;
        return Ok(match answer {
            Answer::Touch(touch) => Answer::Touch(touch.swapped()),
            Answer::TouchingAtStart(touch) => Answer::TouchingAtStart(touch.swapped()),
            Answer::Undecided { free_until, .. } => Answer::Undecided { free_until, bodies },
            Answer::Free => Answer::Free,
        });
    }
    let (Some(solid_a), Some(solid_b)) = (a.shape().as_convex(), b.shape().as_convex()) else {
        return Err(Error::Unsupported {
            what: format!("{} against {}", a.shape().kind(), b.shape().kind()),
        });
    };
    let limits = Limits {
        t_start: 0.0,
        t_end,
        min_separation: options.min_separation,
        tolerance: options.tolerance,
        max_iterations: options.max_iterations,
    };
    let mut pair = ConvexPair::new(
        Moving { shape: solid_a, motion: a.motion() },
        Moving { shape: solid_b, motion: b.motion() },
        options.min_separation,
        options.tolerance,
    );
    Ok(match advance(&mut pair, &limits, iterations) {
        Outcome::Free => Answer::Free,
        Outcome::Undecided { free_until } => Answer::Undecided { free_until, bodies },
        Outcome::Touch { t, separation } => {
            let normal = separation.normal;
            let feature = |solid: &dyn Convex, motion: &dyn RigidMotion, point, outward| {
                let pose = motion.pose_at(t);
                solid.feature(pose.to_body(point), pose.direction_to_body(outward))
            };
            let touch = Touch {
                toi: t,
                gap: separation.upper,
                bodies,
                parts: [Part::Solid; 2],
                features: [
                    feature(solid_a, a.motion(), separation.points[0], normal),
                    feature(solid_b, b.motion(), separation.points[1], -normal),
                ],
                points: separation.points,
                normal,
            };
            if t == 0.0 { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
        }
    })
}
