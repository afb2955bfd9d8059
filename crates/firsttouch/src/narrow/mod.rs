//! The narrow phase: one method per kind of pair. [`first_touch`] is the dispatcher and the support table in one.

pub mod composite;
pub mod convex_convex;
pub mod tree_tree;

use crate::advancement::{Limits, Outcome, Separation, advance};
use crate::answer::{Answer, Part, Touch};
use crate::motion::RigidMotion;
use crate::options::{Mode, Options};
use crate::scene::Body;
use crate::shape::Convex;
use composite::{Composite, Pieces};
use convex_convex::{ConvexPair, Moving};
use tree_tree::{LeafTouch, Mover, TreeOutcome, TreeStats};

/// The first touch of two bodies in `[0, t_end]`, `bodies` being their indices in the scene.
///
/// The pair is worked on in the order of the bodies' names, whatever the order they are given in: swapping the two sides
/// mirrors the answer and changes no bit of it.
///
/// This `match` has no catch-all: a new shape does not compile until every pair it forms has an engine.
///
/// | | solid | mesh |
/// |---|---|---|
/// | **solid** (box, sphere, capsule, cylinder, ellipsoid, hull) | [`convex_convex`] | [`tree_tree`] |
/// | **mesh** | [`tree_tree`] | [`tree_tree`] |
pub fn first_touch(
    a: &Body,
    b: &Body,
    bodies: [usize; 2],
    t_end: f64,
    options: &Options,
    work: &mut TreeStats,
) -> Answer {
    if b.name() < a.name() {
        return match first_touch(b, a, [bodies[1], bodies[0]], t_end, options, work) {
            Answer::Touch(touch) => Answer::Touch(touch.swapped()),
            Answer::TouchingAtStart(touch) => Answer::TouchingAtStart(touch.swapped()),
            Answer::Undecided { free_until, .. } => Answer::Undecided { free_until, bodies },
            Answer::Free => Answer::Free,
        };
    }
    let limits = Limits {
        t_start: 0.0,
        t_end,
        min_separation: options.min_separation,
        tolerance: options.tolerance,
        max_iterations: options.max_iterations,
    };
    let any = options.mode == Mode::Any;
    let (mover_a, mover_b) = (mover(a), mover(b));
    let found = match (mover_a.pieces, mover_b.pieces) {
        (Pieces::Solid(_), Pieces::Solid(_)) => solids(a, b, &limits, work),
        (Pieces::Solid(_), Pieces::Mesh(_))
        | (Pieces::Mesh(_), Pieces::Solid(_))
        | (Pieces::Mesh(_), Pieces::Mesh(_)) => trees([mover_a, mover_b], &limits, any, work),
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

/// What an engine found; the touch does not know yet which bodies it is about.
enum Found {
    Free,
    Touch(Touch),
    Undecided { free_until: f64 },
}

fn mover(body: &Body) -> Mover<'_> {
    Mover { pieces: Pieces::of(body.shape()), motion: body.motion() }
}

fn solids(a: &Body, b: &Body, limits: &Limits, work: &mut TreeStats) -> Found {
    let (Some(solid_a), Some(solid_b)) = (a.shape().as_convex(), b.shape().as_convex()) else {
        unreachable!("both are solids")
    };
    work.piece_pairs += 1;
    let (a, b) =
        (Moving { shape: solid_a, motion: a.motion() }, Moving { shape: solid_b, motion: b.motion() });
    let mut pair = ConvexPair::new(a, b, limits.min_separation, limits.tolerance);
    match advance(&mut pair, limits, &mut work.iterations) {
        Outcome::Free => Found::Free,
        Outcome::Undecided { free_until } => Found::Undecided { free_until },
        Outcome::Touch { t, separation } => Found::Touch(touch(a, b, t, &separation, [Part::Solid; 2])),
    }
}

fn trees(pair: [Mover<'_>; 2], limits: &Limits, any: bool, work: &mut TreeStats) -> Found {
    match tree_tree::first_touch(&[pair], limits, any, work) {
        TreeOutcome::Free => Found::Free,
        TreeOutcome::Undecided { free_until, .. } => Found::Undecided { free_until },
        TreeOutcome::Touch(leaf_touch) => Found::Touch(touch_of_leaves(&pair, &leaf_touch)),
    }
}

/// Everything about the touch of two leaves.
pub(crate) fn touch_of_leaves([a, b]: &[Mover<'_>; 2], found: &LeafTouch) -> Touch {
    let LeafTouch { t, leaves, separation, .. } = found;
    let pieces = [a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1])];
    let parts = [a.pieces.part(leaves[0]), b.pieces.part(leaves[1])];
    let piece_a = Moving { shape: pieces[0].as_convex(), motion: a.motion };
    let piece_b = Moving { shape: pieces[1].as_convex(), motion: b.motion };
    touch(piece_a, piece_b, *t, separation, parts)
}

/// Everything about the touch of two convex pieces.
fn touch<S: Convex + ?Sized, M: RigidMotion + ?Sized>(
    a: Moving<'_, S, M>,
    b: Moving<'_, S, M>,
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
