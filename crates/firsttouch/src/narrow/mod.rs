//! The narrow phase: one method per kind of pair. [`first_touch`] is the dispatcher and the support table in one.

pub mod composite;
pub mod contact;
pub mod convex_convex;
pub mod tree_tree;

use smallvec::SmallVec;

use crate::advancement::{Limits, Outcome, Separation, advance};
use crate::answer::{Answer, Part, Touch};
use crate::motion::{ContactScrew, Motion, PoseAt, RigidMotion};
use crate::options::{Mode, Options};
use crate::scene::Body;
use crate::shape::{Convex, Mesh, Shape};
use composite::{Composite, Solid};
use contact::{ContactOutcome, ContactPair, Covered, FaceTouch, Tables};
use convex_convex::{ConvexPair, Moving};
use tree_tree::{LeafTouch, TreeOutcome, TreeStats};

/// The first touch of two bodies in `[0, t_end]`, `bodies` being their indices in the scene.
///
/// This `match` has no catch-all: a new shape does not compile until every pair it forms has an engine.
///
/// | | solid | mesh |
/// |---|---|---|
/// | **solid** (box, sphere, capsule, cylinder, ellipsoid, hull) | [`convex_convex`] | [`tree_tree`] |
/// | **mesh** | [`tree_tree`] | [`tree_tree`]; [`contact`] if one is on a contact screw and the other at rest |
///
/// Motions whose velocity jumps are taken in pieces: the engines' rules of second order hold in each.
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
    let in_pieces = |touch: &mut dyn FnMut(&Limits) -> Found| {
        let mut found = Found::Free;
        for piece in pieces([a.motion(), b.motion()], &limits) {
            found = touch(&piece);
            if !matches!(found, Found::Free) {
                break;
            }
        }
        found
    };
    let found = match (Side::of(a.shape()), Side::of(b.shape()), OnContactScrew::of(a, b)) {
        (Side::Solid(solid_a), Side::Solid(solid_b), _) => {
            in_pieces(&mut |limits| solids(moving(solid_a, a), moving(solid_b, b), limits, work))
        }
        (Side::Solid(solid_a), Side::Mesh(mesh_b), _) => in_pieces(&mut |limits| {
            composites(moving(&Solid(solid_a), a), moving(mesh_b, b), limits, any, work)
        }),
        (Side::Mesh(mesh_a), Side::Solid(solid_b), _) => in_pieces(&mut |limits| {
            composites(moving(mesh_a, a), moving(&Solid(solid_b), b), limits, any, work)
        }),
        (Side::Mesh(mesh_a), Side::Mesh(mesh_b), OnContactScrew::Neither) => {
            in_pieces(&mut |limits| composites(moving(mesh_a, a), moving(mesh_b, b), limits, any, work))
        }
        (Side::Mesh(mesh_a), Side::Mesh(mesh_b), OnContactScrew::First { motion, at_rest }) => {
            let (moving, resting) = (Covered::natural(mesh_a), Covered::natural(mesh_b));
            on_contact_screw(&ContactPair { moving, motion, resting, at_rest }, [a, b], &limits, any, work)
        }
        (Side::Mesh(mesh_a), Side::Mesh(mesh_b), OnContactScrew::Second { motion, at_rest }) => {
            let (moving, resting) = (Covered::natural(mesh_b), Covered::natural(mesh_a));
            on_contact_screw(&ContactPair { moving, motion, resting, at_rest }, [b, a], &limits, any, work)
                .swapped()
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
            Found::Free | Found::Undecided { .. } => self,
        }
    }
}

/// Which of two bodies is on a contact screw while the other is at rest.
enum OnContactScrew<'a> {
    Neither,
    First { motion: &'a ContactScrew, at_rest: PoseAt },
    Second { motion: &'a ContactScrew, at_rest: PoseAt },
}

impl OnContactScrew<'_> {
    fn of<'a>(a: &'a Body, b: &'a Body) -> OnContactScrew<'a> {
        match (a.motion(), b.motion()) {
            (Motion::ContactScrew(motion), Motion::Fixed(pose)) => {
                OnContactScrew::First { motion, at_rest: *pose }
            }
            (Motion::Fixed(pose), Motion::ContactScrew(motion)) => {
                OnContactScrew::Second { motion, at_rest: *pose }
            }
            _ => OnContactScrew::Neither,
        }
    }
}

/// The limits, cut where a velocity jumps.
fn pieces(motions: [&Motion; 2], limits: &Limits) -> SmallVec<[Limits; 3]> {
    let mut cuts: SmallVec<[f64; 2]> = motions
        .iter()
        .filter_map(|motion| motion.kink())
        .filter(|&t| limits.t_start < t && t < limits.t_end)
        .collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let starts = std::iter::once(limits.t_start).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain(std::iter::once(limits.t_end));
    starts.zip(ends).map(|(t_start, t_end)| Limits { t_start, t_end, ..*limits }).collect()
}

/// The touch of two meshes by the engine for contact screws; `bodies` are the moving one and the one at rest.
fn on_contact_screw(
    pair: &ContactPair<'_>,
    bodies: [&Body; 2],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Found {
    match contact::first_touch(pair, limits, any, Tables::ALL, work) {
        ContactOutcome::Free => Found::Free,
        ContactOutcome::Undecided { free_until } => Found::Undecided { free_until },
        ContactOutcome::Touch(FaceTouch { t, faces, separation }) => {
            let triangles = [pair.moving.mesh.triangle(faces[0]), pair.resting.mesh.triangle(faces[1])];
            let [a, b] = [moving(&triangles[0], bodies[0]), moving(&triangles[1], bodies[1])];
            Found::Touch(touch(a, b, t, &separation, faces.map(Part::Triangle)))
        }
    }
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
    let mut pair = ConvexPair::new(a, b, limits.min_separation, limits.tolerance);
    match advance(&mut pair, limits, &mut work.iterations) {
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
