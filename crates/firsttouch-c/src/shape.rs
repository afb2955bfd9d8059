//! Shapes.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use firsttouch::shape::{
    Capsule, Cone, Convex, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, Hull, Mesh, Octree,
    OctreeCell, PointCloud, Shape, SolidMesh, Sphere,
};
use firsttouch_io::Files;
use glam::{DVec2, DVec3};

use crate::border::{
    Failure, Out, Outcome, Rows, entry, ft_status, given, guarded, hand_out, list, put_text, text,
};

/// A shape in its own frame. It never changes. Objects that are given a shape share it. So it can be freed at once, and
/// several bodies can have it without a copy.
pub struct ft_shape {
    pub(crate) shape: Shape,
    /// Warnings about the file from which it was read.
    warnings: Vec<String>,
}

fn make(out: Out<'_, *mut ft_shape>, shape: impl FnOnce() -> Outcome<Shape>) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        hand_out(out, ft_shape { shape: shape()?, warnings: Vec::new() });
        Ok(())
    })
}

/// Creates a solid box with these full side lengths, about its origin.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_box(
    x: f64,
    y: f64,
    z: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || Ok(Cuboid::new(DVec3::new(x, y, z))?.into()))
}

/// Creates a solid ball.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_sphere(radius: f64, out: Option<&mut MaybeUninit<*mut ft_shape>>) -> ft_status {
    make(out, || Ok(Sphere::new(radius)?.into()))
}

/// Creates a solid capsule along z. `length` is that of its axis, without the caps.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_capsule(
    radius: f64,
    length: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || Ok(Capsule::new(radius, length)?.into()))
}

/// Creates a solid cylinder along z.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_cylinder(
    radius: f64,
    length: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || Ok(Cylinder::new(radius, length)?.into()))
}

/// Creates a solid cone along z. Its base is at `-length / 2`, its tip at `length / 2`.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_cone(
    radius: f64,
    length: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || Ok(Cone::new(radius, length)?.into()))
}

/// Creates a half-space: all points `x` with `normal . x <= offset`, for the normal of length 1. `normal` has three
/// numbers and any length but 0.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_half_space(
    normal: Option<&[f64; 3]>,
    offset: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || Ok(HalfSpace::new(DVec3::from_array(*given("normal", normal)?), offset)?.into()))
}

/// Creates a solid ellipsoid with these semi-axes.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_ellipsoid(
    a: f64,
    b: f64,
    c: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || Ok(Ellipsoid::new(DVec3::new(a, b, c))?.into()))
}

/// Creates the solid convex hull of `count` points of three numbers, `stride` bytes apart (0: 24).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_hull(
    points: *const f64,
    count: usize,
    stride: usize,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let points = unsafe { Rows::new("points", points, count, 3, stride)? };
        Ok(Hull::new(&points.to_points())?.into())
    })
}

/// Creates a triangle soup, which is a surface: `vertex_count` points of three numbers, `vertex_stride` bytes apart (0:
/// 24), and `triangle_count` triples of indices, `triangle_stride` bytes apart (0: 12).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_mesh(
    vertices: *const f64,
    vertex_count: usize,
    vertex_stride: usize,
    triangles: *const u32,
    triangle_count: usize,
    triangle_stride: usize,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let vertices = unsafe { Rows::new("vertices", vertices, vertex_count, 3, vertex_stride)? };
        // SAFETY: the caller's promise.
        let triangles = unsafe { Rows::new("triangles", triangles, triangle_count, 3, triangle_stride)? };
        Ok(Mesh::new(vertices.to_points(), triangles.to_arrays())?.into())
    })
}

/// Creates the inside of a closed mesh, which is given as in `ft_shape_mesh`. Refuses a mesh that is not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_solid_mesh(
    vertices: *const f64,
    vertex_count: usize,
    vertex_stride: usize,
    triangles: *const u32,
    triangle_count: usize,
    triangle_stride: usize,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let vertices = unsafe { Rows::new("vertices", vertices, vertex_count, 3, vertex_stride)? };
        // SAFETY: the caller's promise.
        let triangles = unsafe { Rows::new("triangles", triangles, triangle_count, 3, triangle_stride)? };
        Ok(SolidMesh::new(Mesh::new(vertices.to_points(), triangles.to_arrays())?)?.into())
    })
}

/// Creates balls of one radius around `count` points of three numbers, `stride` bytes apart (0: 24). The radius may be
/// 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_point_cloud(
    points: *const f64,
    count: usize,
    stride: usize,
    radius: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let points = unsafe { Rows::new("points", points, count, 3, stride)? };
        Ok(PointCloud::new(points.to_points(), radius)?.into())
    })
}

/// A solid cell of an octree.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ft_octree_cell {
    /// Its low corner, in units of the resolution.
    pub key: [i32; 3],
    /// Its sides are `2^level` units long.
    pub level: u32,
}

/// Creates a shape from `count` solid cells of an octree, in any order. `resolution` is the unit of their corners.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_octree(
    resolution: f64,
    cells: *const ft_octree_cell,
    count: usize,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let cells = unsafe { list("cells", cells, count)? };
        let cells = cells.iter().map(|cell| {
            let level = u8::try_from(cell.level);
            let level = level.map_err(|_| Failure::invalid(format!("there is no level {}", cell.level)))?;
            Ok(OctreeCell { key: cell.key, level })
        });
        Ok(Octree::new(resolution, cells.collect::<Outcome<_>>()?)?.into())
    })
}

/// Creates a surface over a rectangle about the origin, with sides of `x` and `y`: `rows` rows of `columns` heights,
/// from low y to high y, `stride` bytes apart (0: 8 columns).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_height_field(
    heights: *const f64,
    rows: usize,
    columns: usize,
    stride: usize,
    x: f64,
    y: f64,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let all = unsafe { Rows::new("heights", heights, rows, columns, stride)? };
        let heights = all.iter().flatten().copied().collect();
        Ok(HeightField::new(columns, rows, DVec2::new(x, y), heights)?.into())
    })
}

/// Creates a triangle soup from an OBJ, STL, PLY, OFF, glTF or COLLADA file. `ft_shape_warnings` reports contents of
/// the file that the shape lacks, for example loose edges.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_mesh_file(
    path: *const std::ffi::c_char,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        // SAFETY: the caller's promise.
        let path = unsafe { text("path", path)? };
        let files = Files::default();
        let data = files.read_mesh(Path::new(path))?;
        files.warn_of_loose_parts(&data, Path::new(path));
        let warnings = files.take_warnings().iter().map(ToString::to_string).collect();
        hand_out(out, ft_shape { shape: Mesh::new(data.positions, data.triangles)?.into(), warnings });
        Ok(())
    })
}

/// Writes the number of warnings from reading the shape's file.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_warnings(
    shape: Option<&ft_shape>,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        given("count", count)?.write(given("shape", shape)?.warnings.len());
        Ok(())
    })
}

/// Writes a warning about an ignored part of the shape's file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_warning(
    shape: Option<&ft_shape>,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let warning = entry("warning", &given("shape", shape)?.warnings, index)?;
        // SAFETY: the caller's promise.
        unsafe { put_text(warning, text, capacity, length) }
    })
}

/// Creates one shape from several convex shapes, all in one frame. Refuses meshes and compounds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_shape_compound(
    pieces: *const Option<&ft_shape>,
    count: usize,
    out: Option<&mut MaybeUninit<*mut ft_shape>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise; NULL is `None`.
        let pieces = unsafe { list("pieces", pieces, count)? };
        let pieces =
            pieces.iter().map(|&piece| convex(&given("a piece", piece)?.shape)).collect::<Outcome<_>>()?;
        Ok(Shape::compound(pieces)?)
    })
}

fn convex(shape: &Shape) -> Outcome<Arc<dyn Convex + Send + Sync>> {
    Ok(match shape {
        Shape::Box(solid) => Arc::new(*solid),
        Shape::Sphere(solid) => Arc::new(*solid),
        Shape::Capsule(solid) => Arc::new(*solid),
        Shape::Cylinder(solid) => Arc::new(*solid),
        Shape::Cone(solid) => Arc::new(*solid),
        Shape::Ellipsoid(solid) => Arc::new(*solid),
        Shape::Hull(hull) => hull.clone(),
        other => {
            let text = format!("a {} as a piece of a compound, which has convex pieces", other.kind());
            return Err(Failure::new(ft_status::Unsupported, text));
        }
    })
}

/// Frees a shape. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_shape_free(shape: Option<Box<ft_shape>>) {
    guarded(|| {
        drop(shape);
        Ok(())
    });
}
