//! How deep two bodies are in each other: an upper bound of the shortest translation that takes them apart.
//!
//! Along any direction `n`, moving the second body by the overlap of their extents along `n` takes them apart. So for every direction the
//! overlap, rounded up, is an upper bound of the penetration depth. For convex solids the direction of the least overlap is searched for;
//! for meshes the convex hulls are taken apart, which is enough and may be more than needed.

use glam::DVec3;

use super::Scene;
use crate::advancement::{Approach, Resting};
use crate::convex::{ConvexPair, Moving};
use crate::error::{Error, Result};
use crate::narrow::Side;
use crate::numerics::bound::upper_or_zero;
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::tree::composite::Composite;

/// A translation that takes two bodies apart.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Penetration {
    /// Moving the second body by this along `normal` takes the two apart, up to touching. An upper bound of the penetration depth, and
    /// for two convex solids the depth itself as far as the search finds it; 0 if they are apart.
    pub upper: f64,
    /// The unit direction to move the second body in.
    pub normal: DVec3,
}

impl Scene {
    /// Returns an upper bound of the penetration depth of two bodies at time `t`. Returns an error for robots, whose links are many bodies.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{Cuboid, Sphere};
    /// use firsttouch::{Body, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 whose centre is 0.75 above a floor is 0.25 deep in it.
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("floor", Cuboid::new(DVec3::new(20.0, 20.0, 8.0))?, Motion::fixed(at(-4.0)?)))?;
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::fixed(at(0.75)?)))?;
    /// let depth = scene.penetration_at("floor", "ball", 0.0)?;
    /// assert!(depth.upper >= 0.25 && depth.upper < 0.25 + 1e-9 && (depth.normal - DVec3::Z).length() < 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn penetration_at(&self, a: &str, b: &str, t: f64) -> Result<Penetration> {
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        let side = |name: &str| -> Result<Side<'_>> {
            let place = self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
            let subject = self.bodies[place].as_subject();
            let refused = || Error::Unsupported {
                what: format!("the penetration depth of \"{name}\", a part of a robot"),
            };
            Ok(subject.ok_or_else(refused)?.side())
        };
        let (a, b) = (side(a)?, side(b)?);
        let (separation, normal) = match (a.pieces.hull(), b.pieces.hull()) {
            (Some(hull_a), Some(hull_b)) => {
                let first = Moving { shape: hull_a, motion: a.motion };
                let second = Moving { shape: hull_b, motion: b.motion };
                let mut pair = ConvexPair::new(first, second, f64::INFINITY, 1e-12);
                let found = pair.separation(t);
                let normal =
                    if found.lower > 0.0 { found.normal } else { pair.contact_normal(t, found.normal) };
                (pair.separation_along(normal, t), normal)
            }
            _ => least_overlap([&a, &b], t),
        };
        Ok(Penetration { upper: upper_or_zero(-separation), normal })
    }
}

/// The separation along the best of some directions, by the volumes around both.
fn least_overlap([a, b]: [&Side<'_>; 2], t: f64) -> (f64, DVec3) {
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let reach = [a.pieces.reach(0), b.pieces.reach(0)];
    // As in the header of `convex`.
    let error = [a, b].iter().zip(reach).zip(&poses).fold(8.0 * TINY_LENGTH, |sum, ((side, reach), pose)| {
        let off = side.motion.pose_error();
        sum + (off.rotation + 64.0 * UNIT) * reach
            + off.translation
            + 128.0 * UNIT * pose.translation.length()
    });
    let centers = [0, 1].map(|k| poses[k].apply([a, b][k].pieces.center_at(0, t)));
    let frames =
        poses.iter().flat_map(|pose| [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis]);
    let directions = frames.chain(DVec3::AXES).flat_map(|n| [n, -n]).chain([centers[1] - centers[0]]);
    let mut best = (f64::NEG_INFINITY, DVec3::Z);
    for n in directions.filter_map(DVec3::try_normalize) {
        let h_a = a.pieces.extent_at(0, poses[0].direction_to_body(n), t);
        let h_b = b.pieces.extent_at(0, poses[1].direction_to_body(-n), t);
        let separation =
            n.dot(poses[1].translation - poses[0].translation) - (h_a + h_b) - error * (1.0 + 8.0 * UNIT);
        if separation > best.0 {
            best = (separation, n);
        }
    }
    best
}
