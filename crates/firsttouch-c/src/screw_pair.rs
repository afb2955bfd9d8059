//! Two meshes on a contact screw, by CONTACT.

use std::mem::MaybeUninit;
use std::sync::Arc;

use firsttouch::motion::ContactScrew;
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{ScrewPair, ScrewPairOptions};

use crate::border::{Failure, Outcome, freed, ft_status, given, guarded, hand_out};
use crate::shape::ft_shape;
use crate::values::{answered, ft_answer, ft_options, ft_pose};

/// A moving mesh and one at rest, with their trees of spheres, ready for any number of queries by the method of
/// CONTACT. It never changes.
pub struct ft_screw_pair {
    pair: ScrewPair,
}

/// Returns the options of CONTACT for a radius of the leaf spheres; 0 is the default.
pub(crate) fn contact_options(leaf_radius: f64) -> ScrewPairOptions {
    let leaf_radius = if leaf_radius == 0.0 { None } else { Some(leaf_radius) };
    ScrewPairOptions { leaf_radius, ..ScrewPairOptions::default() }
}

fn mesh_of(shape: &ft_shape) -> Outcome<Arc<Mesh>> {
    match &shape.shape {
        Shape::Mesh(mesh) => Ok(Arc::clone(mesh)),
        other => Err(Failure::invalid(format!("a screw pair needs two meshes, not a {}", other.kind()))),
    }
}

/// Builds the trees of spheres of two meshes. `leaf_radius` is the radius of the leaf spheres of both; 0 takes about
/// the size of the smaller triangles.
#[unsafe(no_mangle)]
pub extern "C" fn ft_screw_pair_new(
    moving: Option<&ft_shape>,
    resting: Option<&ft_shape>,
    leaf_radius: f64,
    out: Option<&mut MaybeUninit<*mut ft_screw_pair>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        let (moving, resting) = (mesh_of(given("moving", moving)?)?, mesh_of(given("resting", resting)?)?);
        let pair = ScrewPair::new(moving, resting, contact_options(leaf_radius))?;
        hand_out(out, ft_screw_pair { pair });
        Ok(())
    })
}

/// Finds the first touch while the moving mesh, body 0, goes from one pose to another on a contact screw and the other,
/// body 1, is at rest. `options` may be NULL: the default. A contact at time 0 is reported.
#[unsafe(no_mangle)]
pub extern "C" fn ft_screw_pair_check(
    pair: Option<&ft_screw_pair>,
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    at_rest: Option<&ft_pose>,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let pair = &given("pair", pair)?.pair;
        let motion = ContactScrew::new(given("from", from)?.read()?, given("to", to)?.read()?);
        let at_rest = given("at_rest", at_rest)?.read()?;
        answered(answer, options, |options| Ok(pair.check(&motion, at_rest, options)?))
    })
}

/// Finds the first touch of two moving meshes, each given by its first and its last pose: two poses each. The motion of
/// the first relative to the second is the contact screw between its first and last pose in the second one's frame; a
/// third body would see another motion. The points and the normal of a touch are in that frame. `options` may be NULL:
/// the default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_screw_pair_check_relative(
    pair: Option<&ft_screw_pair>,
    first: Option<&[ft_pose; 2]>,
    second: Option<&[ft_pose; 2]>,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let pair = &given("pair", pair)?.pair;
        let read = |[from, to]: &[ft_pose; 2]| -> Outcome<_> { Ok([from.read()?, to.read()?]) };
        let (first, second) = (read(given("first", first)?)?, read(given("second", second)?)?);
        answered(answer, options, |options| Ok(pair.check_relative(first, second, options)?))
    })
}

/// Frees a screw pair. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_screw_pair_free(pair: Option<Box<ft_screw_pair>>) {
    freed(pair);
}
