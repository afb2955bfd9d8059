//! The narrow phase: one method per kind of pair. [`first_touch`] is the dispatcher and the support table in one.

pub mod composite;
pub mod convex_convex;
pub mod tree_tree;

use std::cmp::Ordering;

use crate::advancement::{Limits, Outcome, Separation, advance};
use crate::answer::{Answer, Part, Touch};
use crate::ellipsoid;
use crate::motion::{Motion, RigidMotion};
use crate::options::{Mode, Options};
use crate::scene::Body;
use crate::shape::{Convex, Ellipsoid, Mesh, Shape};
use composite::{Composite, Solid};
use convex_convex::{ConvexPair, Moving};
use tree_tree::{LeafTouch, TreeOutcome, TreeStats};

/// The first touch of two bodies in `[0, t_end]`, `bodies` being their indices in the scene.
///
/// This `match` has no catch-all: a new shape does not compile until every pair it forms has an engine.
///
/// | | solid | mesh |
/// |---|---|---|
/// | **solid** (box, sphere, capsule, cylinder, ellipsoid, hull) | [`convex_convex`] | [`tree_tree`] |
/// | **mesh** | [`tree_tree`] | [`tree_tree`] |
///
/// Two ellipsoids go to [`ellipsoid`]: algebra where both motions are rational or at rest.
pub fn first_touch(
    a: &Body,
    b: &Body,
    bodies: [usize; 2],
    t_end: f64,
    options: &Options,
    work: &mut TreeStats,
) -> Answer {
    let limits = Limits {
        t_start: 0.0,
        t_end,
        min_separation: options.min_separation,
        tolerance: options.tolerance,
        max_iterations: options.max_iterations,
    };
    let any = options.mode == Mode::Any;
    let found = match (Side::of(a.shape()), Side::of(b.shape())) {
        (Side::Solid(solid_a), Side::Solid(solid_b)) => match (a.shape(), b.shape()) {
            (Shape::Ellipsoid(egg_a), Shape::Ellipsoid(egg_b)) => {
                ellipsoids(moving(egg_a, a), moving(egg_b, b), &limits, work)
            }
            _ => solids(moving(solid_a, a), moving(solid_b, b), &limits, work),
        },
        (Side::Solid(solid_a), Side::Mesh(mesh_b)) => {
            composites(moving(mesh_b, b), moving(&Solid(solid_a), a), &limits, any, work).swapped()
        }
        (Side::Mesh(mesh_a), Side::Solid(solid_b)) => {
            composites(moving(mesh_a, a), moving(&Solid(solid_b), b), &limits, any, work)
        }
        (Side::Mesh(mesh_a), Side::Mesh(mesh_b)) => {
            let (a, b) = (moving(mesh_a, a), moving(mesh_b, b));
            if in_order(&a, &b) {
                composites(a, b, &limits, any, work)
            } else {
                composites(b, a, &limits, any, work).swapped()
            }
        }
    };
    match found {
        Found::Free => Answer::Free,
        Found::Undecided { free_until } => Answer::Undecided { free_until, bodies },
        Found::Touch(mut touch) => {
            touch.bodies = bodies;
            if touch.toi == 0.0 { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
        }
    }
}

/// A shape as the engines see it.
enum Side<'a> {
    Solid(&'a (dyn Convex + Sync)),
    Mesh(&'a Mesh),
}

impl Side<'_> {
    fn of(shape: &Shape) -> Side<'_> {
        match shape {
            Shape::Box(solid) => Side::Solid(solid),
            Shape::Sphere(solid) => Side::Solid(solid),
            Shape::Capsule(solid) => Side::Solid(solid),
            Shape::Cylinder(solid) => Side::Solid(solid),
            Shape::Ellipsoid(solid) => Side::Solid(solid),
            Shape::Hull(solid) => Side::Solid(solid.as_ref()),
            Shape::Mesh(mesh) => Side::Mesh(mesh),
        }
    }
}

/// What an engine found; the touch does not know yet which bodies it is about.
enum Found {
    Free,
    Touch(Touch),
    Undecided { free_until: f64 },
}

impl Found {
    fn swapped(self) -> Found {
        match self {
            Found::Touch(touch) => Found::Touch(touch.swapped()),
            other => other,
        }
    }
}

/// Which of two meshes goes first. Trees are opened in an order that depends on the sides; deciding by what the two are,
/// not by how they are given, makes the answer the same, bit for bit, when they are swapped.
fn in_order(a: &Moving<'_, Mesh, Motion>, b: &Moving<'_, Mesh, Motion>) -> bool {
    let compare = |x: &[f64], y: &[f64]| {
        x.iter().zip(y).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let placement = |side: &Moving<'_, Mesh, Motion>, t: f64| {
        let pose = side.motion.pose_at(t);
        let mut numbers = [0.0; 12];
        numbers[..9].copy_from_slice(&pose.rotation.to_cols_array());
        numbers[9..].copy_from_slice(&pose.translation.to_array());
        numbers
    };
    let vertices = |mesh: &Mesh| mesh.vertices().iter().flat_map(|v| v.to_array()).collect::<Vec<f64>>();
    compare(&placement(a, 0.0), &placement(b, 0.0))
        .then_with(|| compare(&placement(a, 1.0), &placement(b, 1.0)))
        .then_with(|| a.shape.triangles().cmp(b.shape.triangles()))
        .then_with(|| compare(&vertices(a.shape), &vertices(b.shape)))
        .is_le()
}

fn moving<'a, S: ?Sized>(shape: &'a S, body: &'a Body) -> Moving<'a, S, Motion> {
    Moving { shape, motion: body.motion() }
}

fn solids<'a>(
    a: Moving<'_, dyn Convex + Sync + 'a, Motion>,
    b: Moving<'_, dyn Convex + Sync + 'a, Motion>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Found {
    work.piece_pairs += 1;
    let mut pair = ConvexPair::new(a, b, limits.tolerance);
    match advance(&mut pair, limits, &mut work.iterations) {
        Outcome::Free => Found::Free,
        Outcome::Undecided { free_until } => Found::Undecided { free_until },
        Outcome::Touch { t, separation } => Found::Touch(touch(a, b, t, &separation, [Part::Solid; 2])),
    }
}

fn ellipsoids(
    a: Moving<'_, Ellipsoid, Motion>,
    b: Moving<'_, Ellipsoid, Motion>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Found {
    work.piece_pairs += 1;
    match ellipsoid::first_touch(a, b, limits, &mut work.iterations) {
        Outcome::Free => Found::Free,
        Outcome::Undecided { free_until } => Found::Undecided { free_until },
        Outcome::Touch { t, separation } => Found::Touch(touch(a, b, t, &separation, [Part::Solid; 2])),
    }
}

fn composites<A: Composite, B: Composite>(
    a: Moving<'_, A, Motion>,
    b: Moving<'_, B, Motion>,
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Found {
    match tree_tree::first_touch(a, b, limits, any, work) {
        TreeOutcome::Free => Found::Free,
        TreeOutcome::Undecided { free_until } => Found::Undecided { free_until },
        TreeOutcome::Touch(LeafTouch { t, leaves, separation }) => {
            let pieces = (a.shape.piece(leaves[0]), b.shape.piece(leaves[1]));
            let parts = [a.shape.part(leaves[0]), b.shape.part(leaves[1])];
            let piece_a = Moving { shape: &pieces.0, motion: a.motion };
            let piece_b = Moving { shape: &pieces.1, motion: b.motion };
            Found::Touch(touch(piece_a, piece_b, t, &separation, parts))
        }
    }
}

/// Everything about the touch of two convex pieces.
fn touch<A: Convex + ?Sized, B: Convex + ?Sized>(
    a: Moving<'_, A, Motion>,
    b: Moving<'_, B, Motion>,
    t: f64,
    separation: &Separation,
    parts: [Part; 2],
) -> Touch {
    let Separation { normal, points, upper, .. } = *separation;
    let (pose_a, pose_b) = (a.motion.pose_at(t), b.motion.pose_at(t));
    Touch {
        toi: t,
        gap: upper,
        bodies: [0; 2],
        parts,
        features: [
            a.shape.feature(pose_a.to_body(points[0]), pose_a.direction_to_body(normal)),
            b.shape.feature(pose_b.to_body(points[1]), pose_b.direction_to_body(-normal)),
        ],
        points,
        normal,
    }
}
