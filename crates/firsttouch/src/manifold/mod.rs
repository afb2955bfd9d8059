//! All contacts of two convex pieces at an instant, where a face, an edge or a point of one meets one of the other.
//!
//! 1. The closest points give the normal `n` from the first piece to the second; for pieces that overlap, the direction
//!    of least overlap.
//! 2. *Support faces.* These are the corners of each piece that are within the tolerance of touching the other piece
//!    along `n` (`face`). They span a point, a segment or a convex polygon.
//! 3. *Clipping.* Both are projected along `n`; the contacts lie at the corners of their intersection (`clip`). Each
//!    has a height on both faces, by linear interpolation, and the difference is its gap.
//! 4. If the projections do not meet, the closest points are the only contact.
//!
//! A box on a floor has 4 contacts, a lying cylinder or capsule 2, a ball 1. The result is measured, not proven: the
//! points are on their pieces up to rounding, and on a curved face up to the tolerance. Corners of a solid that are
//! closer together than about `sqrt(tolerance · size)` may be returned as one.
//!
//! Reference: the manifold by clipping that rigid-body simulators use; there with the faces of polyhedra, here with
//! support functions.

mod answer;
mod clip;
mod face;

pub use answer::ContactPoint;

use glam::{DVec2, DVec3};

use crate::advancement::{Approach, Resting};
use crate::clearance::{CloseLeaves, SidePair, bounded, leaves_within};
use crate::control::Watch;
use crate::convex::{ConvexPair, Moving};
use crate::motion::RigidMotion;
use crate::pair::PairTouch;
use crate::pair::piece::Piece;
use crate::tree::composite::{AnyPiece, Composite};

use face::support_face;

/// One contact: a point on each piece and the normal from the first to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PieceContact {
    pub(crate) points: [DVec3; 2],
    pub(crate) normal: DVec3,
    pub(crate) gap: f64,
}

/// Returns the contacts of two pieces at `t` whose gaps are at most `within`; none if the pieces are farther apart.
pub(crate) fn contacts<MA, MB>(
    mut a: Moving<'_, AnyPiece<'_>, MA>,
    mut b: Moving<'_, AnyPiece<'_>, MB>,
    t: f64,
    within: f64,
) -> Vec<PieceContact>
where
    MA: RigidMotion + ?Sized,
    MB: RigidMotion + ?Sized,
{
    a.shape.look_at(t);
    b.shape.look_at(t);
    let mut pair = ConvexPair::new(a, b, f64::INFINITY, 1e-6 * within);
    let nearest = pair.separation(t);
    if nearest.lower > within {
        return Vec::new();
    }
    // For points this close, rounding dominates the direction between them.
    let size = a.shape.reach() + b.shape.reach();
    let is_measured = nearest.upper > 1e-12 * size && nearest.lower > 0.0;
    let normal = if is_measured { nearest.normal } else { pair.contact_normal(t, nearest.normal) };
    let normal = normal.normalize_or_zero();
    let closest = PieceContact { points: nearest.points, normal, gap: nearest.upper };
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let separation = pair.separation_along(normal, t);
    let band = if separation > 0.0 { within - separation } else { within };
    let faces =
        [support_face(&a.shape, &poses[0], normal, band), support_face(&b.shape, &poses[1], -normal, band)];
    let (u, v) = normal.any_orthonormal_pair();
    let origin = nearest.points[0];
    let flat = |p: &DVec3| {
        let from = *p - origin;
        (DVec2::new(from.dot(u), from.dot(v)), from.dot(normal))
    };
    let [of_a, of_b] = faces.map(|face| clip::Polygon::new(face.iter().map(flat).collect()));
    let mut found: Vec<PieceContact> = of_a
        .intersection(&of_b)
        .into_iter()
        .map(|place| {
            let at = |height: f64| origin + u * place.x + v * place.y + normal * height;
            let heights = [of_a.height(place), of_b.height(place)];
            let gap = heights[1] - heights[0];
            // If the two overlap, each point is on its own piece and the gap is zero.
            PieceContact { points: heights.map(at), normal, gap: if gap > 0.0 { gap } else { 0.0 } }
        })
        .filter(|contact| contact.gap <= within * (1.0 + 1e-9) + 1e-14 * size)
        .collect();
    if found.is_empty() {
        found.push(closest);
    }
    found
}

/// Returns all contacts of pairs of composites at `t`: each with its pair, in the order of the pairs. Contacts at one
/// place that triangles share are returned once. A pair is in contact within its separation and the tolerance. After an
/// interrupt the list is incomplete.
pub(crate) fn all_contacts<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    t: f64,
    tolerance: f64,
    watch: Watch,
) -> Vec<(usize, PairTouch)> {
    let bounded = bounded(pairs, [t, t]);
    let pairs = bounded.as_deref().unwrap_or(pairs);
    let within = |pair: usize| pairs[pair].separation + tolerance;
    let close = leaves_within(pairs, t, within, watch);
    let mut found: Vec<(usize, PairTouch)> = Vec::new();
    for of_pair in close.chunk_by(|x, y| x.pair == y.pair) {
        let pair = of_pair[0].pair;
        let mut contacts: Vec<PairTouch> = of_pair
            .iter()
            .take_while(|_| !watch.is_raised())
            .flat_map(|leaves| contacts_of(&pairs[pair], leaves, t, within(pair)))
            .collect();
        // Contacts at one place are next to each other in this order.
        let place = |contact: &PairTouch| contact.points[0].to_array();
        contacts.sort_by(|x, y| {
            let [p, q] = [place(x), place(y)];
            p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
        });
        let size = contacts.iter().map(|contact| contact.points[0].length()).fold(0.0, f64::max); // not a bound: measured
        let one = 1e-3 * within(pair) + 1e-13 * size;
        let mut distinct: Vec<PairTouch> = Vec::new();
        for contact in contacts {
            if watch.is_raised() {
                break;
            }
            let is_near = |known: &&PairTouch| contact.points[0].x - known.points[0].x <= one;
            let is_known = distinct.iter().rev().take_while(is_near).any(|known| {
                known.points[0].distance(contact.points[0]) <= one
                    && known.points[1].distance(contact.points[1]) <= one
            });
            if !is_known {
                distinct.push(contact);
            }
        }
        found.extend(distinct.into_iter().map(|contact| (pair, contact)));
    }
    found
}

fn contacts_of<C: Composite>(
    pair: &SidePair<'_, C>,
    close: &CloseLeaves,
    t: f64,
    within: f64,
) -> Vec<PairTouch> {
    let sides = &pair.sides;
    let mut pieces = close.pieces(sides);
    pieces.iter_mut().for_each(|piece| {
        piece.look_at(t);
    });
    let a = Moving { shape: pieces[0], motion: sides[0].motion };
    let b = Moving { shape: pieces[1], motion: sides[1].motion };
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let describe = |contact: PieceContact| {
        let PieceContact { points, normal, gap } = contact;
        let feature = |k: usize, outwards: DVec3| {
            let at = poses[k].to_body(points[k]);
            let feature = pieces[k].as_convex().feature(at, poses[k].direction_to_body(outwards));
            sides[k].pieces.feature(close.leaves[k], feature)
        };
        PairTouch {
            toi: t,
            free_until: t,
            gap,
            parts: [sides[0].pieces.part(close.leaves[0]), sides[1].pieces.part(close.leaves[1])],
            features: [feature(0, normal), feature(1, -normal)],
            points,
            normal,
        }
    };
    contacts(a, b, t, within).into_iter().map(describe).collect()
}
