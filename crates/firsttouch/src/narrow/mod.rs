//! The narrow phase: the first touch of two bodies, by the method for their kinds.
//!
//! 1. [`Subject`] names the kind of body of a side; [`Pieces`] makes the convex pieces of every kind one type.
//! 2. [`first_touch`] chooses the engine. It is one `match` over two subjects, and the table above it is the list of
//!    supported pairs.
//! 3. The engine returns a [`Verdict`]; the functions below [`first_touch`] turn it into a description in world
//!    coordinates.
//!
//! **Guarantee.** The guarantee of the engine. This module makes no proof and drops no pair: a pair without an engine
//! does not compile.

pub(crate) mod balls;
mod pieces;
mod subject;

pub use pieces::Pieces;
pub use subject::Subject;

use smallvec::SmallVec;

use crate::advancement::{PieceTouch, Separation, advance, advance_resting, touches_at_start};
use crate::answer::{Answer, Part};
use crate::control::Watch;
use crate::convex::{ConvexPair, Moving};
use crate::deformable::MovingTree;
use crate::ellipsoid::{self, Equation, FirstContact, PreparedEllipsoid};
use crate::motion::{Motion, PoseAt, RigidMotion};
use crate::options::{Mode, Options, Start};
use crate::pair::piece::Piece;
use crate::pair::{Limits, PairTouch, TreeStats, Verdict};
use crate::shape::{Convex, Ellipsoid, KnownSolid, Shape, Triangle};
use crate::tree::composite::Composite;
use crate::tree::{self, LeafTouch};

/// One side of a pair for the tree engine, of any kind unless `C` names one.
pub type Side<'a, C = Pieces<'a>> = crate::pair::Side<'a, C>;

/// The engine that checks a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Two convex solids.
    Solids,
    /// Two ellipsoids, by algebra.
    Ellipsoids,
    /// Trees of boxes: meshes, links, deforming meshes.
    Trees,
    /// CONTACT: two meshes, one on a contact screw and one at rest, if a scene requests it
    /// ([`Scene::decide_by_contact`](crate::Scene)).
    Contact,
    /// A deforming mesh with itself.
    Deforming,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 5] =
        [Engine::Solids, Engine::Ellipsoids, Engine::Trees, Engine::Contact, Engine::Deforming];

    /// Returns the name of the engine, one word.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Solids => "solids",
            Engine::Ellipsoids => "ellipsoids",
            Engine::Trees => "trees",
            Engine::Contact => "contact",
            Engine::Deforming => "deforming",
        }
    }
}

/// The verdict for several pairs together.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatched {
    /// The verdict.
    pub verdict: Verdict<PairTouch>,
    /// The index of the pair that the verdict is about; 0 if all are free.
    pub pair: usize,
    /// The engine that found it.
    pub engine: Engine,
}

/// Returns the first touch of the pairs within the limits; with `any`, a touch that need not be the first. There are
/// several pairs if a body does not move in one piece: the parts of its links.
///
/// The `match` has no catch-all: a new kind of subject or shape does not compile until every pair it forms has an
/// engine.
///
/// | | solid | mesh | link, attached | deforming |
/// |---|---|---|---|---|
/// | **solid** | [`convex`](crate::convex); two ellipsoids: [`ellipsoid`] | [`tree`] | [`tree`] | [`tree`] |
/// | **mesh** | [`tree`] | [`tree`] | [`tree`] | [`tree`] |
/// | **affine** ellipsoid | [`tree`]; two ellipsoids: [`ellipsoid`] first | [`tree`] | [`tree`] | [`tree`] |
/// | **link** of a robot, or a body **attached** to it | [`tree`] | [`tree`] | [`tree`] | [`tree`] |
/// | **deforming** mesh | [`tree`] | [`tree`] | [`tree`] | [`tree`] with exact tests; itself: `with_itself` |
///
/// A solid is a box, sphere, capsule, cylinder, cone, ellipsoid, hull or custom solid.
///
/// The time is cut where the velocity of a motion jumps: the second-order rules of the engines hold in each piece.
///
/// Two ellipsoids go to [`ellipsoid`]: algebra where both motions are rational or at rest.
///
/// A mesh on a contact screw also goes to [`tree`]. A scene that requests CONTACT takes a
/// [`ScrewPair`](crate::ScrewPair) instead of this function. Both decide within the tolerance.
///
/// With [`Start::Ignore`], [`advance_resting`] follows contacts at the start, for each pair of convex pieces with at
/// least one solid. Contacts of two surfaces are followed as a whole (`tree::surfaces`). Only engines that use
/// advancement can do this. So two ellipsoids that touch at the start are treated as two solids, affine ellipsoids go
/// to [`tree`], and the time is not cut where a velocity jumps.
pub fn first_touch(
    pairs: &[[Subject<'_>; 2]],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Dispatched {
    let &[[a, b]] = pairs else { return in_trees(pairs, limits, any, work) };
    match [a, b] {
        [Subject::Rigid { shape: shape_a, motion: a }, Subject::Rigid { shape: shape_b, motion: b }] => {
            let (verdict, engine) = rigid(
                [Moving { shape: shape_a, motion: a }, Moving { shape: shape_b, motion: b }],
                limits,
                any,
                work,
            );
            Dispatched { verdict, pair: 0, engine }
        }
        [Subject::Affine(_), Subject::Affine(_) | Subject::Rigid { .. }]
        | [Subject::Rigid { .. }, Subject::Affine(_)] => affine([a, b], limits, any, work),
        [
            Subject::Rigid { .. } | Subject::Affine(_) | Subject::Deforming(_) | Subject::Link { .. },
            Subject::Deforming(_) | Subject::Link { .. },
        ]
        | [Subject::Deforming(_) | Subject::Link { .. }, Subject::Rigid { .. } | Subject::Affine(_)] => {
            in_trees(pairs, limits, any, work)
        }
    }
}

/// Checks a deforming mesh against itself. Features that cross at the start touch then.
pub(crate) fn with_itself(
    tree: &MovingTree,
    options: &Options,
    watch: Watch,
    work: &mut TreeStats,
) -> Dispatched {
    // Scenes are spread over threads by pairs of bodies.
    let options = Options {
        threads: 1,
        mode: if options.mode == Mode::All { Mode::First } else { options.mode },
        ..*options
    };
    let report =
        tree.mesh().check_watched(&options, options.start, watch).expect("the options were validated");
    work.piece_pairs += report.stats.vf_tested + report.stats.ee_tested;
    let verdict = match report.answer {
        Answer::Free => Verdict::Free,
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Verdict::Touch(touch.into()),
        Answer::Undecided { free_until, .. } => Verdict::Undecided { free_until },
    };
    Dispatched { verdict, pair: 0, engine: Engine::Deforming }
}

/// Checks two rigid ellipsoids of a scene, whose motions have no jump in velocity. Contacts at the start are reported.
pub(crate) fn first_touch_of_ellipsoids(
    a: &PreparedEllipsoid<'_>,
    b: &PreparedEllipsoid<'_>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Dispatched {
    work.piece_pairs += 1;
    let verdict = ellipsoid::first_touch_of(a, b, limits, &mut work.iterations)
        .map(|found| touch(a.moving(), b.moving(), &found, [Part::Solid; 2]));
    Dispatched { verdict, pair: 0, engine: Engine::Ellipsoids }
}

/// Checks any pairs, by the engine for trees.
fn in_trees(pairs: &[[Subject<'_>; 2]], limits: &Limits, any: bool, work: &mut TreeStats) -> Dispatched {
    let sides: SmallVec<[[Side<'_>; 2]; 1]> =
        pairs.iter().map(|pair| [pair[0].side(), pair[1].side()]).collect();
    let kinks = pairs.iter().flatten().flat_map(Subject::kinks);
    let mut which = 0;
    let verdict = in_pieces(kinks, limits, |limits| {
        let (verdict, pair) = trees(&sides, limits, any, work);
        which = pair;
        verdict
    });
    Dispatched { verdict, pair: which, engine: Engine::Trees }
}

/// Checks two rigid bodies.
fn rigid<'a>(
    [a, b]: [Moving<'a, &'a Shape, Motion>; 2],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> (Verdict<PairTouch>, Engine) {
    let side =
        |side: Moving<'a, &'a Shape, Motion>| Side { pieces: Pieces::of(side.shape), motion: side.motion };
    let (side_a, side_b) = (side(a), side(b));
    let kinks = [a.motion, b.motion].into_iter().flat_map(Motion::kinks);
    match (side_a.pieces, side_b.pieces) {
        (Pieces::Solid(solid_a), Pieces::Solid(solid_b)) => match (a.shape, b.shape) {
            (Shape::Ellipsoid(ellipsoid_a), Shape::Ellipsoid(ellipsoid_b)) => {
                let a = Moving { shape: ellipsoid_a, motion: a.motion };
                let b = Moving { shape: ellipsoid_b, motion: b.motion };
                (in_pieces(kinks, limits, |limits| ellipsoids(a, b, limits, work)), Engine::Ellipsoids)
            }
            _ => {
                let known = |shape: &'a Shape, solid: &'a dyn Convex| {
                    KnownSolid::of(shape).unwrap_or(KnownSolid::Other(solid))
                };
                let (known_a, known_b) = (known(a.shape, solid_a.0), known(b.shape, solid_b.0));
                let a = Moving { shape: &known_a, motion: a.motion };
                let b = Moving { shape: &known_b, motion: b.motion };
                (in_pieces(kinks, limits, |limits| solids(a, b, limits, work)), Engine::Solids)
            }
        },
        (Pieces::Mesh(mesh_a), Pieces::Mesh(mesh_b)) => {
            let sides =
                [Side { pieces: mesh_a, motion: a.motion }, Side { pieces: mesh_b, motion: b.motion }];
            (in_pieces(kinks, limits, |limits| trees(&[sides], limits, any, work).0), Engine::Trees)
        }
        (Pieces::Solid(_), Pieces::Mesh(_))
        | (Pieces::Mesh(_), Pieces::Solid(_))
        | (
            Pieces::Compound(_)
            | Pieces::SolidMesh(_)
            | Pieces::Boxes(_)
            | Pieces::Unbounded(_)
            | Pieces::Deforming(_)
            | Pieces::Changing(_),
            _,
        )
        | (
            _,
            Pieces::Compound(_)
            | Pieces::SolidMesh(_)
            | Pieces::Boxes(_)
            | Pieces::Unbounded(_)
            | Pieces::Deforming(_)
            | Pieces::Changing(_),
        ) => (
            in_pieces(kinks, limits, |limits| trees(&[[side_a, side_b]], limits, any, work).0),
            Engine::Trees,
        ),
    }
}

/// Checks an ellipsoid that changes its shape against a rigid body or another such ellipsoid. If both are ellipsoids,
/// algebra proves the time before the first contact free, and advancement continues from there.
fn affine(pair: [Subject<'_>; 2], limits: &Limits, any: bool, work: &mut TreeStats) -> Dispatched {
    let mut limits = *limits;
    let algebra = pair[0].as_ellipsoid().zip(pair[1].as_ellipsoid());
    let engine = if algebra.is_some() { Engine::Ellipsoids } else { Engine::Trees };
    if limits.min_separation == 0.0
        && limits.start == Start::Report
        && let Some((a, b)) = algebra
        && let (Ok(track_a), Ok(track_b)) = (a.track(), b.track())
    {
        work.iterations += 1;
        match Equation::new(&track_a, &track_b).first_contact(limits.t_end) {
            FirstContact::None => return Dispatched { verdict: Verdict::Free, pair: 0, engine },
            FirstContact::At { t, .. } => limits.t_start = t,
        }
    }
    Dispatched { engine, ..in_trees(&[pair], &limits, any, work) }
}

/// Runs an engine for one piece of time after the other, cut where a velocity jumps, until a piece is not free. Over a
/// jump the rules of second order prove nothing, and those of first order take many steps. No proof depends on the
/// cuts.
pub(crate) fn in_pieces<T>(
    kinks: impl Iterator<Item = f64>,
    limits: &Limits,
    mut engine: impl FnMut(&Limits) -> Verdict<T>,
) -> Verdict<T> {
    if limits.start == Start::Ignore {
        // A resting contact is followed from the start to the end. The rules of second order account for jumps of the
        // velocity.
        return engine(limits);
    }
    let mut cuts: SmallVec<[f64; 3]> = kinks.filter(|&t| limits.t_start < t && t < limits.t_end).collect();
    if cuts.is_empty() {
        return engine(limits);
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts.push(limits.t_end);
    let mut t_start = limits.t_start;
    for t_end in cuts {
        let found = engine(&Limits { t_start, t_end, ..*limits });
        if !found.is_free() {
            return found;
        }
        t_start = t_end;
    }
    Verdict::Free
}

/// Describes the touch of two triangles.
pub(crate) fn touch_of_triangles(
    triangles: &[Triangle; 2],
    motions: [&Motion; 2],
    t: f64,
    separation: Separation,
    parts: [Part; 2],
) -> PairTouch {
    let a = Moving { shape: &triangles[0], motion: motions[0] };
    let b = Moving { shape: &triangles[1], motion: motions[1] };
    touch(a, b, &PieceTouch { t, separation }, parts)
}

/// Checks two convex solids. The code for two linear motions, the most frequent case, is compiled separately.
fn solids(
    a: Moving<'_, &KnownSolid<'_>, Motion>,
    b: Moving<'_, &KnownSolid<'_>, Motion>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Verdict<PairTouch> {
    match (a.motion, b.motion) {
        (Motion::Linear(motion_a), Motion::Linear(motion_b)) => {
            let a = Moving { shape: a.shape, motion: motion_a };
            let b = Moving { shape: b.shape, motion: motion_b };
            solids_in(a, b, limits, work)
        }
        _ => solids_in(a, b, limits, work),
    }
}

/// Checks two convex solids in motions of any kind.
fn solids_in<M: RigidMotion>(
    a: Moving<'_, &KnownSolid<'_>, M>,
    b: Moving<'_, &KnownSolid<'_>, M>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Verdict<PairTouch> {
    work.piece_pairs += 1;
    let mut pair = ConvexPair::new(a, b, limits.min_separation, limits.tolerance);
    let verdict = match limits.start {
        Start::Report => advance(&mut pair, limits, &mut work.iterations),
        Start::Ignore => advance_resting(&mut pair, limits, limits.t_start, &mut work.iterations),
    };
    verdict.map(|found| touch_at(pair.poses_at(found.t), [a.shape, b.shape], &found, [Part::Solid; 2]))
}

fn ellipsoids(
    a: Moving<'_, &Ellipsoid, Motion>,
    b: Moving<'_, &Ellipsoid, Motion>,
    limits: &Limits,
    work: &mut TreeStats,
) -> Verdict<PairTouch> {
    if limits.start == Start::Ignore {
        let solids_of = [a, b].map(|side| KnownSolid::Ellipsoid(side.shape));
        let a = Moving { shape: &solids_of[0], motion: a.motion };
        let b = Moving { shape: &solids_of[1], motion: b.motion };
        if touches_at_start(&mut ConvexPair::new(a, b, limits.min_separation, limits.tolerance), limits) {
            return solids(a, b, limits, work);
        }
    }
    work.piece_pairs += 1;
    ellipsoid::first_touch(a, b, limits, &mut work.iterations)
        .map(|found| touch(a, b, &found, [Part::Solid; 2]))
}

/// Returns the verdict, and the index of its pair.
fn trees<C: Composite + Copy>(
    pairs: &[[Side<'_, C>; 2]],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> (Verdict<PairTouch>, usize) {
    let found = tree::first_touch(pairs, limits, any, work);
    (found.verdict.map(|leaves| touch_of_leaves(&pairs[found.pair], &leaves)), found.pair)
}

/// Describes the touch of two leaves.
pub fn touch_of_leaves<C: Composite>([a, b]: &[Side<'_, C>; 2], found: &LeafTouch) -> PairTouch {
    let LeafTouch { t, free_until, leaves, separation, features } = *found;
    let mut pieces = [a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1])];
    for piece in &mut pieces {
        piece.look_at(t);
    }
    let parts = [a.pieces.part(leaves[0]), b.pieces.part(leaves[1])];
    let piece_a = Moving { shape: pieces[0].as_convex(), motion: a.motion };
    let piece_b = Moving { shape: pieces[1].as_convex(), motion: b.motion };
    let mut touch = touch(piece_a, piece_b, &PieceTouch { t, separation }, parts);
    touch.free_until = free_until;
    let [of_a, of_b] = features.unwrap_or(touch.features);
    touch.features = [a.pieces.feature(leaves[0], of_a), b.pieces.feature(leaves[1], of_b)];
    touch
}

/// Describes the touch of two convex pieces.
fn touch<S: Convex + ?Sized, M: RigidMotion + ?Sized>(
    a: Moving<'_, &S, M>,
    b: Moving<'_, &S, M>,
    found: &PieceTouch,
    parts: [Part; 2],
) -> PairTouch {
    touch_at([a.motion.pose_at(found.t), b.motion.pose_at(found.t)], [a.shape, b.shape], found, parts)
}

/// Describes the same touch, with the poses at its time.
fn touch_at<S: Convex + ?Sized>(
    [pose_a, pose_b]: [PoseAt; 2],
    [a, b]: [&S; 2],
    found: &PieceTouch,
    parts: [Part; 2],
) -> PairTouch {
    let PieceTouch { t, separation: Separation { normal, points, upper, .. } } = *found;
    PairTouch {
        toi: t,
        free_until: t,
        gap: upper,
        parts,
        features: [
            a.feature(pose_a.to_body(points[0]), pose_a.direction_to_body(normal)),
            b.feature(pose_b.to_body(points[1]), pose_b.direction_to_body(-normal)),
        ],
        points,
        normal,
    }
}

#[cfg(test)]
mod bounds_tests;
