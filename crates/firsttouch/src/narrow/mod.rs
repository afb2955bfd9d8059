//! The narrow phase: one method per kind of pair. [`first_touch`] is the dispatcher and the support table in one.

pub mod composite;
pub mod contact;
pub mod convex_convex;
mod deforming_pair;
pub mod hulled;
pub mod piece;
pub mod tree_tree;

use smallvec::SmallVec;

use crate::advancement::{Limits, Outcome, Separation, advance};
use crate::answer::{Answer, Part, Touch};
use crate::deformable::{MovingTree, Start};
use crate::ellipsoid::{self, EllipsoidMotion, Equation, FirstContact};
use crate::motion::{ContactScrew, FixedPose, Motion, RigidMotion};
use crate::options::{Mode, Options};
use crate::scene::{Body, Engine, Matter};
use crate::shape::{Convex, Ellipsoid, Shape};
use composite::{Composite, Pieces};
use contact::{ContactOutcome, ContactPair, Covered, FaceTouch, Tables};
use convex_convex::{ConvexPair, Moving};
use piece::Piece;
use tree_tree::{LeafTouch, Mover, TreeOutcome, TreeStats};

/// Two bodies, or one with itself, and the pairs of their parts that may meet.
#[derive(Clone, Copy)]
pub struct Meeting<'a> {
    /// The bodies.
    pub bodies: [&'a Body; 2],
    /// The parts: one pair for two bodies that move in one piece each, several for robots. Both sides of a pair are in one
    /// frame, which need not be the world's.
    pub parts: &'a [[Mover<'a>; 2]],
}

/// The first touch of two bodies in `[0, options.t_max]`, which of the pairs of parts it is of, and what found it. Bodies and
/// links are for the caller to name.
///
/// These `match`es have no catch-all: a new kind of body or shape does not compile until every pair it forms has an
/// engine.
///
/// | | solid | mesh | robot, held | deforming |
/// |---|---|---|---|---|
/// | **solid** (box, sphere, capsule, cylinder, ellipsoid, hull) | [`convex_convex`]; two ellipsoids: [`ellipsoid`] | [`tree_tree`] | [`tree_tree`] | [`tree_tree`] |
/// | **mesh** | [`tree_tree`] | [`tree_tree`]; [`contact`] if one is on a contact screw and the other at rest | [`tree_tree`] | [`tree_tree`] |
/// | **affine** ellipsoid | [`tree_tree`]; two ellipsoids: [`ellipsoid`] first | [`tree_tree`] | [`tree_tree`] | [`tree_tree`] |
/// | **robot**, or what it **holds** | [`tree_tree`] | [`tree_tree`] | [`tree_tree`], also with itself | [`tree_tree`] |
/// | **deforming** mesh | [`tree_tree`] | [`tree_tree`] | [`tree_tree`] | [`tree_tree`] with exact tests; itself: [`deformable`](crate::deformable) |
///
/// Motions whose velocity jumps are taken in pieces: the engines' rules of second order hold in each.
///
/// Two ellipsoids go to [`ellipsoid`]: algebra where both motions are rational or at rest.
pub fn first_touch(
    meeting: &Meeting<'_>,
    options: &Options,
    work: &mut TreeStats,
) -> (Answer, usize, Engine) {
    let limits = Limits {
        t_start: 0.0,
        t_end: options.t_max,
        min_separation: options.min_separation,
        tolerance: options.tolerance,
        max_iterations: options.max_iterations,
    };
    let any = options.mode == Mode::Any;
    let Meeting { bodies, parts } = *meeting;
    let (found, engine) = match [bodies[0].matter(), bodies[1].matter()] {
        [Matter::Rigid { shape: shape_a, motion: a }, Matter::Rigid { shape: shape_b, motion: b }] => rigid(
            bodies,
            [Moving { shape: shape_a, motion: a }, Moving { shape: shape_b, motion: b }],
            &limits,
            any,
            work,
        ),
        [Matter::Deforming(tree), Matter::Deforming(other)] if std::ptr::eq(bodies[0], bodies[1]) => {
            debug_assert!(std::sync::Arc::ptr_eq(tree, other));
            (with_itself(tree, options, work), Engine::Deforming)
        }
        [Matter::Affine(_), Matter::Affine(_) | Matter::Rigid { .. }]
        | [Matter::Rigid { .. }, Matter::Affine(_)] => {
            let algebra = bodies[0].as_ellipsoid().zip(bodies[1].as_ellipsoid());
            let engine = if algebra.is_some() { Engine::Ellipsoids } else { Engine::Trees };
            (changing(bodies, parts, algebra, &limits, any, work), engine)
        }
        [
            Matter::Rigid { .. }
            | Matter::Affine(_)
            | Matter::Deforming(_)
            | Matter::Robot(_)
            | Matter::Held { .. },
            Matter::Deforming(_) | Matter::Robot(_) | Matter::Held { .. },
        ]
        | [
            Matter::Deforming(_) | Matter::Robot(_) | Matter::Held { .. },
            Matter::Rigid { .. } | Matter::Affine(_),
        ] => (in_pieces(bodies, &limits, |limits| trees(parts, limits, any, work)), Engine::Trees),
    };
    match found {
        Found::Free => (Answer::Free, 0, engine),
        Found::Undecided { free_until } => (Answer::Undecided { free_until, bodies: [0; 2] }, 0, engine),
        Found::Touch(touch, pair) => {
            let touches = if touch.toi == 0.0 { Answer::TouchingAtStart } else { Answer::Touch };
            (touches(touch), pair, engine)
        }
    }
}

/// Two rigid bodies.
fn rigid<'a>(
    bodies: [&'a Body; 2],
    [a, b]: [Moving<'a, &'a Shape, Motion>; 2],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> (Found, Engine) {
    let mover =
        |side: Moving<'a, &'a Shape, Motion>| Mover { pieces: Pieces::of(side.shape), motion: side.motion };
    let (mover_a, mover_b) = (mover(a), mover(b));
    match (mover_a.pieces, mover_b.pieces, OnContactScrew::of(a.motion, b.motion)) {
        (Pieces::Solid(solid_a), Pieces::Solid(solid_b), _) => match (a.shape, b.shape) {
            (Shape::Ellipsoid(egg_a), Shape::Ellipsoid(egg_b)) => {
                let egg_a = Moving { shape: egg_a, motion: a.motion };
                let egg_b = Moving { shape: egg_b, motion: b.motion };
                (
                    in_pieces(bodies, limits, |limits| ellipsoids(egg_a, egg_b, limits, work)),
                    Engine::Ellipsoids,
                )
            }
            _ => {
                let solid_a = Moving { shape: solid_a.0 as &dyn Convex, motion: a.motion };
                let solid_b = Moving { shape: solid_b.0 as &dyn Convex, motion: b.motion };
                (in_pieces(bodies, limits, |limits| solids(solid_a, solid_b, limits, work)), Engine::Solids)
            }
        },
        (Pieces::Mesh(mesh_a), Pieces::Mesh(mesh_b), OnContactScrew::Neither) => {
            let (motion_a, motion_b) = (mover_a.motion, mover_b.motion);
            let sides =
                [Mover { pieces: mesh_a, motion: motion_a }, Mover { pieces: mesh_b, motion: motion_b }];
            (in_pieces(bodies, limits, |limits| trees(&[sides], limits, any, work)), Engine::Trees)
        }
        (Pieces::Mesh(mesh_a), Pieces::Mesh(mesh_b), OnContactScrew::First { motion, at_rest }) => {
            let (moving, resting) = (Covered::natural(mesh_a), Covered::natural(mesh_b));
            let pair = ContactPair { moving, motion, resting, at_rest };
            (on_contact_screw(&pair, [a.motion, b.motion], limits, any, work), Engine::Contact)
        }
        (Pieces::Mesh(mesh_a), Pieces::Mesh(mesh_b), OnContactScrew::Second { motion, at_rest }) => {
            let (moving, resting) = (Covered::natural(mesh_b), Covered::natural(mesh_a));
            let pair = ContactPair { moving, motion, resting, at_rest };
            (on_contact_screw(&pair, [b.motion, a.motion], limits, any, work).swapped(), Engine::Contact)
        }
        (Pieces::Solid(_), Pieces::Mesh(_), _)
        | (Pieces::Mesh(_), Pieces::Solid(_), _)
        | (Pieces::Deforming(_) | Pieces::Changing(_), _, _)
        | (_, Pieces::Deforming(_) | Pieces::Changing(_), _) => (
            in_pieces(bodies, limits, |limits| trees(&[[mover_a, mover_b]], limits, any, work)),
            Engine::Trees,
        ),
    }
}

/// An ellipsoid that changes its shape, and a rigid body or another of its kind. Where both are ellipsoids, algebra proves the
/// time before the first contact free, and advancement goes on from there.
fn changing(
    bodies: [&Body; 2],
    parts: &[[Mover<'_>; 2]],
    algebra: Option<(EllipsoidMotion<'_>, EllipsoidMotion<'_>)>,
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Found {
    let mut limits = *limits;
    if limits.min_separation == 0.0
        && let Some((a, b)) = algebra
        && let (Ok(track_a), Ok(track_b)) = (a.track(), b.track())
    {
        work.iterations += 1;
        match Equation::new(&track_a, &track_b).first_contact(limits.t_end) {
            FirstContact::None => return Found::Free,
            FirstContact::At { t, .. } => limits.t_start = t,
        }
    }
    in_pieces(bodies, &limits, |limits| trees(parts, limits, any, work))
}

/// A deforming mesh with itself. What crosses at the start touches then.
fn with_itself(tree: &MovingTree, options: &Options, work: &mut TreeStats) -> Found {
    // Scenes are spread over threads by pairs of bodies.
    let options = Options {
        threads: 1,
        mode: if options.mode == Mode::All { Mode::First } else { options.mode },
        ..*options
    };
    let report = tree.mesh().check(&options, Start::Report).expect("the options were validated");
    work.piece_pairs += report.stats.vf_tested + report.stats.ee_tested;
    match report.answer {
        Answer::Free => Found::Free,
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Found::Touch(touch, 0),
        Answer::Undecided { free_until, .. } => Found::Undecided { free_until },
    }
}

/// What an engine found; the touch does not know yet which bodies it is about.
enum Found {
    Free,
    /// Of one of the pairs of parts.
    Touch(Touch, usize),
    Undecided {
        free_until: f64,
    },
}

impl Found {
    fn swapped(self) -> Found {
        match self {
            Found::Touch(touch, pair) => Found::Touch(touch.swapped(), pair),
            Found::Free | Found::Undecided { .. } => self,
        }
    }
}

/// Which of two bodies is on a contact screw while the other is at rest.
enum OnContactScrew<'a> {
    Neither,
    First { motion: &'a ContactScrew, at_rest: FixedPose },
    Second { motion: &'a ContactScrew, at_rest: FixedPose },
}

impl OnContactScrew<'_> {
    fn of<'a>(a: &'a Motion, b: &'a Motion) -> OnContactScrew<'a> {
        match (a, b) {
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

/// Asks an engine for one piece of time after the other, cut where a velocity jumps, until something is found.
fn in_pieces(bodies: [&Body; 2], limits: &Limits, mut engine: impl FnMut(&Limits) -> Found) -> Found {
    let mut cuts: SmallVec<[f64; 3]> = bodies
        .iter()
        .filter_map(|body| body.kink())
        .filter(|&t| limits.t_start < t && t < limits.t_end)
        .collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts.push(limits.t_end);
    let mut t_start = limits.t_start;
    for t_end in cuts {
        let found = engine(&Limits { t_start, t_end, ..*limits });
        if !matches!(found, Found::Free) {
            return found;
        }
        t_start = t_end;
    }
    Found::Free
}

/// The touch of two meshes by the engine for contact screws; `motions` are that of the moving one and that of the one at rest.
fn on_contact_screw(
    pair: &ContactPair<'_>,
    motions: [&Motion; 2],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Found {
    match contact::first_touch(pair, limits, any, Tables::ALL, work) {
        ContactOutcome::Free => Found::Free,
        ContactOutcome::Undecided { free_until } => Found::Undecided { free_until },
        ContactOutcome::Touch(FaceTouch { t, faces, separation }) => {
            let triangles = [pair.moving.mesh.triangle(faces[0]), pair.resting.mesh.triangle(faces[1])];
            let a = Moving { shape: &triangles[0], motion: motions[0] };
            let b = Moving { shape: &triangles[1], motion: motions[1] };
            Found::Touch(touch(a, b, t, &separation, faces.map(Part::Triangle)), 0)
        }
    }
}

fn solids(
    a: Moving<'_, &dyn Convex, Motion>,
    b: Moving<'_, &dyn Convex, Motion>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Found {
    work.piece_pairs += 1;
    let mut pair = ConvexPair::new(a, b, limits.min_separation, limits.tolerance);
    match advance(&mut pair, limits, &mut work.iterations) {
        Outcome::Free => Found::Free,
        Outcome::Undecided { free_until } => Found::Undecided { free_until },
        Outcome::Touch { t, separation } => Found::Touch(touch(a, b, t, &separation, [Part::Solid; 2]), 0),
    }
}

fn ellipsoids(
    a: Moving<'_, &Ellipsoid, Motion>,
    b: Moving<'_, &Ellipsoid, Motion>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Found {
    work.piece_pairs += 1;
    match ellipsoid::first_touch(a, b, limits, &mut work.iterations) {
        Outcome::Free => Found::Free,
        Outcome::Undecided { free_until } => Found::Undecided { free_until },
        Outcome::Touch { t, separation } => Found::Touch(touch(a, b, t, &separation, [Part::Solid; 2]), 0),
    }
}

fn trees<C: Composite + Copy>(
    pairs: &[[Mover<'_, C>; 2]],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Found {
    match tree_tree::first_touch(pairs, limits, any, work) {
        TreeOutcome::Free => Found::Free,
        TreeOutcome::Undecided { free_until, .. } => Found::Undecided { free_until },
        TreeOutcome::Touch(found) => Found::Touch(touch_of_leaves(&pairs[found.pair], &found), found.pair),
    }
}

/// Everything about the touch of two leaves.
pub(crate) fn touch_of_leaves<C: Composite>([a, b]: &[Mover<'_, C>; 2], found: &LeafTouch) -> Touch {
    let LeafTouch { t, leaves, separation, features, .. } = found;
    let mut pieces = [a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1])];
    for piece in &mut pieces {
        piece.look_at(*t);
    }
    let parts = [a.pieces.part(leaves[0]), b.pieces.part(leaves[1])];
    let piece_a = Moving { shape: pieces[0].as_convex(), motion: a.motion };
    let piece_b = Moving { shape: pieces[1].as_convex(), motion: b.motion };
    let mut touch = touch(piece_a, piece_b, *t, separation, parts);
    let [of_a, of_b] = features.unwrap_or(touch.features);
    touch.features = [a.pieces.feature(leaves[0], of_a), b.pieces.feature(leaves[1], of_b)];
    touch
}

/// Everything about the touch of two convex pieces.
fn touch<S: Convex + ?Sized, M: RigidMotion + ?Sized>(
    a: Moving<'_, &S, M>,
    b: Moving<'_, &S, M>,
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
