//! CONTACT, 2001: leaves of one size and of two, beside the general engine. Ellipsoids, 2009: the equation of the
//! interpolant and of a rigid motion.

use std::sync::Arc;

use firsttouch::contact::{self, ContactPair, Covered, Tables};
use firsttouch::ellipsoid::{Equation, Track};
use firsttouch::motion::{AffineInterpolant, ContactScrew, Motion, Pose};
use firsttouch::pair::{Limits, TreeStats};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{Options, ScrewPair, ScrewPairOptions};

use super::{Engine, Result};
use crate::scenes::bouncing::{Bouncing, Setup};
use crate::scenes::ellipsoids::close_pairs;
use crate::scenes::shapes::{floor, potato};

pub(super) fn contact() -> Result<Vec<Engine>> {
    let (moving, resting): (Arc<Mesh>, Arc<Mesh>) = (potato(1_000, 1)?.into(), floor(20.0)?.into());
    let mut run = Bouncing::thrown(&moving, 2001, Setup::default())?;
    let mut screws = Vec::new();
    let mut from = run.pose();
    for k in 0..90 {
        run.step();
        let to = run.pose();
        if k % 30 == 20 {
            screws.push(ContactScrew::new(from, to));
        }
        from = to;
    }
    let options = Options::default();
    let one = ScrewPair::new(Arc::clone(&moving), Arc::clone(&resting), ScrewPairOptions::default())?;
    let limits = Limits::new(&options)?;
    let shapes = [Shape::Mesh(Arc::clone(&moving)), Shape::Mesh(Arc::clone(&resting))];
    let (of_one, of_two) = (screws.clone(), screws.clone());
    Ok(vec![
        Engine::new("leaves of one size", move || {
            for screw in &of_one {
                one.check(screw, Pose::IDENTITY, &options)?;
            }
            Ok(())
        }),
        Engine::new("leaves of two sizes", move || {
            for screw in &of_two {
                let moving = Covered { mesh: &moving, tree: moving.spheres() };
                let resting = Covered { mesh: &resting, tree: resting.spheres() };
                let pair = ContactPair { moving, motion: screw, resting, at_rest: Pose::IDENTITY.into() };
                contact::first_touch(&pair, &limits, false, Tables::ALL, &mut TreeStats::default());
            }
            Ok(())
        }),
        Engine::new("general engine", move || {
            for screw in &screws {
                let motion = Motion::ContactScrew(*screw);
                firsttouch::first_touch((&shapes[0], &motion), (&shapes[1], &Motion::AT_REST), &options)?;
            }
            Ok(())
        }),
    ])
}

/// Returns the engines for rigid motions of two ellipsoids that both turn, and for the interpolants that stand for
/// their relative motions.
pub(super) fn ellipsoids() -> Result<Vec<Engine>> {
    let pairs = close_pairs(201)?;
    let mut tracks: [Vec<[Track; 2]>; 2] = Default::default();
    for ends in pairs.windows(2) {
        let [(a, from_a), (b, from_b)] = ends[0];
        let [to_a, to_b] = [ends[1][0].1, ends[1][1].1];
        let track = |shape, motion| Track::new(shape, &motion).ok_or("the motion is not rational");
        tracks[0]
            .push([track(&a, Motion::rational(from_a, to_a))?, track(&b, Motion::rational(from_b, to_b))?]);
        let seen = AffineInterpolant::between(&b, seen_from(from_a, from_b)?, seen_from(to_a, to_b)?)?;
        tracks[1].push([track(&a, Motion::fixed(Pose::IDENTITY))?, Track::interpolant(&seen)]);
    }
    let [rigid, interpolant] = tracks;
    let equations = |name, tracks: Vec<[Track; 2]>| {
        Engine::new(name, move || {
            for [a, b] in &tracks {
                std::hint::black_box(Equation::new(a, b));
            }
            Ok(())
        })
    };
    Ok(vec![equations("interpolant", interpolant), equations("rigid", rigid)])
}

/// Returns a pose as seen from another.
fn seen_from(from: Pose, pose: Pose) -> Result<Pose> {
    let inverse = from.rotation().conjugate();
    Ok(Pose::new(inverse * (pose.translation() - from.translation()), inverse * pose.rotation())?)
}
