//! Deforming meshes.

use std::mem::MaybeUninit;
use std::sync::Arc;

use firsttouch::deformable::{Deformable, Settings};

use crate::border::{Failure, Outcome, Rows, freed, ft_status, given, guarded, hand_out, list};
use crate::report::ft_report;
use crate::values::{answered, ft_answer, ft_options, options};

/// A mesh whose vertices move on straight lines from one frame to the next.
pub struct ft_deformable {
    pub(crate) mesh: Arc<Deformable>,
}

/// Creates a mesh from its two frames and its features. `t0` and `t1` have `vertex_count` points of three numbers,
/// `vertex_stride` bytes apart (0: 24). `triangles` are triples, `edges` pairs of indices (edges that belong to no
/// triangle), `points` single ones, all without gaps; any of the three may be empty. The hierarchy is built with
/// `threads` threads; 0 is one per core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_deformable_new(
    t0: *const f64,
    t1: *const f64,
    vertex_count: usize,
    vertex_stride: usize,
    triangles: *const u32,
    triangle_count: usize,
    edges: *const u32,
    edge_count: usize,
    points: *const u32,
    point_count: usize,
    threads: u64,
    out: Option<&mut MaybeUninit<*mut ft_deformable>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        // SAFETY: the caller's promise.
        let t0 = unsafe { Rows::new("t0", t0, vertex_count, 3, vertex_stride)? };
        // SAFETY: the caller's promise.
        let t1 = unsafe { Rows::new("t1", t1, vertex_count, 3, vertex_stride)? };
        // SAFETY: the caller's promise.
        let triangles = unsafe { Rows::new("triangles", triangles, triangle_count, 3, 0)? };
        // SAFETY: the caller's promise.
        let edges = unsafe { Rows::new("edges", edges, edge_count, 2, 0)? };
        // SAFETY: the caller's promise.
        let points = unsafe { list("points", points, point_count)? };
        let threads = usize::try_from(threads).unwrap_or(usize::MAX);
        let mesh = Deformable::with_settings(
            t0.to_points(),
            t1.to_points(),
            triangles.to_arrays(),
            edges.to_arrays(),
            points.to_vec(),
            Settings { threads, ..Settings::default() },
        )?;
        hand_out(out, ft_deformable { mesh: Arc::new(mesh) });
        Ok(())
    })
}

/// Replaces both frames. The number of vertices stays the same. Scenes that have the mesh keep the frames that they
/// were given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_deformable_set_frames(
    mesh: Option<&mut ft_deformable>,
    t0: *const f64,
    t1: *const f64,
    vertex_count: usize,
    vertex_stride: usize,
) -> ft_status {
    guarded(|| {
        let mesh = given("mesh", mesh)?;
        // SAFETY: the caller's promise.
        let t0 = unsafe { Rows::new("t0", t0, vertex_count, 3, vertex_stride)? };
        // SAFETY: the caller's promise.
        let t1 = unsafe { Rows::new("t1", t1, vertex_count, 3, vertex_stride)? };
        same_count(&mesh.mesh, vertex_count)?;
        Ok(Arc::make_mut(&mut mesh.mesh).set_frames(&t0.to_points(), &t1.to_points())?)
    })
}

fn same_count(mesh: &Deformable, given: usize) -> Outcome {
    let expected = mesh.vertices();
    if given == expected {
        return Ok(());
    }
    Err(Failure::invalid(format!("a frame of {given} vertices for a mesh of {expected}")))
}

/// Makes the frame at time 1 the one at time 0, and `t1` the next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_deformable_step_to(
    mesh: Option<&mut ft_deformable>,
    t1: *const f64,
    vertex_count: usize,
    vertex_stride: usize,
) -> ft_status {
    guarded(|| {
        let mesh = given("mesh", mesh)?;
        // SAFETY: the caller's promise.
        let t1 = unsafe { Rows::new("t1", t1, vertex_count, 3, vertex_stride)? };
        same_count(&mesh.mesh, vertex_count)?;
        Ok(Arc::make_mut(&mut mesh.mesh).step_to(&t1.to_points())?)
    })
}

/// Finds the first touch of the mesh with itself. `options` may be NULL: the default. In mode all,
/// `ft_deformable_report` has all touches.
#[unsafe(no_mangle)]
pub extern "C" fn ft_deformable_check(
    mesh: Option<&ft_deformable>,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let mesh = given("mesh", mesh)?;
        answered(answer, options, |options| Ok(mesh.mesh.check(options, options.start)?.answer))
    })
}

/// Checks the mesh with itself and returns the complete result. `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_deformable_report(
    mesh: Option<&ft_deformable>,
    options: Option<&ft_options>,
    out: Option<&mut MaybeUninit<*mut ft_report>>,
) -> ft_status {
    guarded(|| {
        let (mesh, out) = (given("mesh", mesh)?, given("out", out)?);
        let options = self::options(options)?;
        let report = mesh.mesh.check(&options, options.start)?;
        hand_out(out, ft_report::of_deforming(&report, options.t_max));
        Ok(())
    })
}

/// Writes how far a simulator may advance: the largest time proven free, multiplied by `factor` (from 0 to 1) if there
/// is a touch after it. It is 0 if there is a touch at the start, `t_max` if there is none. `options` may be NULL: the
/// default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_deformable_safe_step(
    mesh: Option<&ft_deformable>,
    options: Option<&ft_options>,
    factor: f64,
    step: Option<&mut MaybeUninit<f64>>,
) -> ft_status {
    guarded(|| {
        let (mesh, step) = (given("mesh", mesh)?, given("step", step)?);
        let options = self::options(options)?;
        step.write(mesh.mesh.safe_step(&options, options.start, factor)?);
        Ok(())
    })
}

/// Frees a deforming mesh. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_deformable_free(mesh: Option<Box<ft_deformable>>) {
    freed(mesh);
}
