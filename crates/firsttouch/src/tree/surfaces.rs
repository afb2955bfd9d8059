//! Two surfaces that touch at the start: the time during which they rest on each other, slide or roll, until they part
//! or press deeper.
//!
//! # The problem
//! Triangles have no inside. Two touching triangles can pass through each other without being deep in each other at any
//! time: the walls of two equal boxes slide along each other while one box sinks into the other. So the search must
//! follow the surfaces, not pairs of triangles.
//!
//! # The method
//! 1. *Contacts.* All pairs of triangles within `min_separation + tolerance` at the start. The depth of a contact is
//!    that of its pair of triangles, along the direction in which it is least deep. This is exact up to rounding. For
//!    two triangles that overlap, the best direction is a normal of one, a product of their edges or, for triangles in
//!    one plane, a normal of an edge in that plane.
//! 2. *Regions.* Contacts that share a triangle belong to one region. The depth of a region is that of its deepest
//!    contact.
//! 3. *Sides.* For a region choose a set `P` of triangles of the first surface and a set `Q` of the second, with all of
//!    its triangles. Follow the convex hulls of `P` and `Q` ([`rest_of_hulls`]). Suppose that there is a direction
//!    `n(t)`, continuous in time, along which they are apart up to the depth of the region and the tolerance. Then `P`
//!    stays on one side of a plane that moves continuously, and `Q` on the other. Neither passes through the other.
//! 4. *Ordinary pairs.* All pairs of triangles that are not in `P × Q` for any region are ordinary: they touch when
//!    they come within `min_separation`.
//! 5. When the hulls of a region are farther apart than `min_separation + tolerance`, its contact has ended, and the
//!    pairs in `P × Q` are ordinary from then on.
//! 6. Any choice of `P` and `Q` gives a proof. Three are tried, until one proves the whole time free. If none does, the
//!    proof that reaches farthest counts:
//!    - Both surfaces as a whole, as one region. This is the proof for bodies with a plane between them that slide over
//!      any distance.
//!    - The triangles in contact, and all that are on their side of the plane at the start: a box that slides on the
//!      floor of a room, but not the room's walls.
//!    - Only the triangles in contact.
//! 7. The direction at the start determines on which side of `Q` each `P` is. If both lie in one plane, they do not
//!    determine it. Two surfaces that lie in one plane as a whole may leave it to either side. Otherwise the side is
//!    that of the surfaces as a whole, if there is a plane between these. If there is none, no side is assumed, and the
//!    contact is proven only while no point moves by more than the tolerance.
//!
//! # Guarantee
//! Take any time before the returned one, and any common point of both surfaces, or any pair of points within
//! `min_separation`. It belongs to a contact region that has existed since the start. It lies between two parallel
//! planes whose distance is the depth of that region at the start plus the tolerance. The region's triangles of one
//! surface are beyond one of the planes, and its triangles of the other surface are beyond the second plane. The planes
//! move continuously from the start on.
//!
//! The statement about the planes matters for the following reason. Let both surfaces be closed, and let neither be
//! inside the other at the start. A point of a triangle outside `P` never meets the second surface, so it stays outside
//! it. So a point inside the second body at a later time belongs to `P`, and the same holds for `Q`. All of `P` is on
//! one side of the plane and all of `Q` on the other, up to the depth and the tolerance. And the side at the start is
//! the right one. Suppose it were the wrong one for a region in which triangles of both lie in one plane: the first
//! body is beyond the plane on the side of the second, and the second on the side of the first. At the rim of their
//! common area, one of the surfaces turns away from the plane, and the triangle at which it does so is in the region.
//! If it turns to the right side, it contradicts the direction. If it turns to the wrong side, it enters the other
//! body, which is not so at the start.
//!
//! Some surfaces do not allow a common direction at the start: a box in the corner of one mesh, a ball in a bowl of its
//! size. They are followed only while no point moves by more than the tolerance. After that, the answer is a touch.

use std::collections::HashMap;

use glam::DVec3;
use smallvec::SmallVec;

use super::composite::{AnyPiece, Composite};
use super::step::Inherited;
use super::{Cover, LeafTouch, MOST_RESTING, Search, opened};
use crate::advancement::{
    Approach, Limits, Rest, Resting, Separation, Tie, Verdict, direction_at_start, rest_of_hulls,
};
use crate::answer::Feature;
use crate::convex::{ConvexPair, Moving};
use crate::motion::RigidMotion;
use crate::numerics::Window;
use crate::numerics::bound::{exceeds, largest_upper, upper_max};
use crate::numerics::rounding::{TINY_LENGTH, UNIT, up};
use crate::options::Start;
use crate::pair::Side;
use crate::pair::piece::Piece;
use crate::shape::convex::bounds_of;
use crate::shape::{Convex, Hull};

/// The most regions whose sets are extended beyond the triangles in contact.
const MOST_EXTENDED: usize = 16;

/// The most directions of contacts that are tried for a whole region.
const MOST_TRIED: usize = 64;

/// Two triangles in contact at the start.
struct Contact {
    leaves: [u32; 2],
    /// An upper bound of their separation along `normal`, the direction in which they are least deep.
    separation: f64,
    normal: DVec3,
}

/// Connected contacts.
#[derive(Default)]
struct Region {
    /// The leaves of each side, sorted.
    leaves: [Vec<u32>; 2],
    /// Some different directions of the contacts, to try.
    normals: Vec<DVec3>,
    /// The least separation of all contacts.
    least: f64,
}

/// The groups that the leaves of each side belong to, in ascending order.
#[derive(Default)]
pub(super) struct Groups {
    of: [HashMap<u32, SmallVec<[u32; 2]>>; 2],
}

impl Groups {
    fn add(&mut self, group: u32, leaves: &[Vec<u32>; 2]) {
        for (of, leaves) in self.of.iter_mut().zip(leaves) {
            for &leaf in leaves {
                of.entry(leaf).or_default().push(group);
            }
        }
    }

    /// Returns true if both leaves belong to this group, or to a common one if it is `None`.
    pub(super) fn covers(&self, group: Option<u32>, [a, b]: [u32; 2]) -> bool {
        let (Some(of_a), Some(of_b)) = (self.of[0].get(&a), self.of[1].get(&b)) else { return false };
        of_a.iter().any(|k| group.is_none_or(|group| group == *k) && of_b.contains(k))
    }
}

/// The sets of triangles that are followed; see rule 6 of the header.
#[derive(Clone, Copy, PartialEq)]
enum Sets {
    BeyondThePlane,
    InContact,
}

impl<C: Composite + Copy> Search<'_, C> {
    /// Returns the verdict about two surfaces that touch at the start, up to `t_end`; `None` if they do not touch at
    /// the start.
    pub(super) fn surfaces_at_rest(&mut self, pair: u32, t_end: f64) -> Option<Verdict<LeafTouch>> {
        let t_start = self.limits.t_start;
        let Some(touching) = self.near(pair, t_start) else {
            self.stats.not_followed += 1;
            return Some(Verdict::Undecided { free_until: t_start });
        };
        if touching.is_empty() {
            return None;
        }
        let contacts: Vec<Contact> =
            touching.into_iter().map(|leaves| self.contact(pair, leaves, t_start)).collect();
        let regions = regions(&contacts);
        let (mut best, tie) = match self.whole(pair, &regions, t_end) {
            Some((verdict, tie)) => (Some(verdict), tie),
            None => (None, Tie::Unknown),
        };
        for sets in [Sets::BeyondThePlane, Sets::InContact] {
            if best.as_ref().is_some_and(Verdict::is_free) {
                break;
            }
            if sets == Sets::InContact || regions.len() <= MOST_EXTENDED {
                let verdict = self.by_regions(pair, &regions, sets, tie, t_end);
                if best.is_none_or(|best| proven(&verdict) > proven(&best)) {
                    best = Some(verdict);
                }
            }
        }
        best
    }

    /// Returns all pairs of leaves that are within `min_separation + tolerance` at `t`; `None` if there are too many,
    /// or the query is interrupted.
    fn near(&mut self, pair: u32, t: f64) -> Option<Vec<[u32; 2]>> {
        let touching = self.limits.min_separation + self.limits.tolerance;
        let limits = Limits { min_separation: touching, ..self.limits };
        let mut search = self.with(limits, Cover::All);
        let instant = search.instant_at(t, pair);
        let [a, b] = search.pairs[pair as usize];
        let mut found = Vec::new();
        let mut open = vec![[0, 0]];
        while let Some(nodes) = open.pop() {
            if search.limits.watch.is_raised() {
                return None;
            }
            let (step, _) = search.step(&instant, nodes, &mut Inherited::new(DVec3::ZERO), 0.0);
            // The two are proven to be farther apart.
            if exceeds(step, 0.0) {
                continue;
            }
            if let Some(children) = opened(&a.pieces, &b.pieces, nodes) {
                open.extend(children);
            } else if search.leaves(pair, nodes).separation(t).upper <= touching {
                if found.len() >= MOST_RESTING {
                    return None;
                }
                found.push(nodes);
            }
        }
        Some(found)
    }

    /// Returns the pieces of two leaves.
    fn leaves(
        &self,
        pair: u32,
        leaves: [u32; 2],
    ) -> ConvexPair<'_, AnyPiece<'_>, dyn RigidMotion + '_, AnyPiece<'_>, dyn RigidMotion + '_> {
        let [a, b] = &self.pairs[pair as usize];
        let piece_a = Moving { shape: a.pieces.piece(leaves[0]), motion: a.motion };
        let piece_b = Moving { shape: b.pieces.piece(leaves[1]), motion: b.motion };
        ConvexPair::new(piece_a, piece_b, self.limits.min_separation, self.limits.tolerance)
    }

    /// Rule 1 of the header: returns the depth of two triangles in each other.
    fn contact(&self, pair: u32, leaves: [u32; 2], t: f64) -> Contact {
        let sides = &self.pairs[pair as usize];
        let mut pieces = self.leaves(pair, leaves);
        let gjk = pieces.separation(t).normal;
        let mut best = (f64::NEG_INFINITY, gjk);
        let mut try_direction = |n: DVec3| {
            if let Some(n) = n.try_normalize() {
                for n in [n, -n] {
                    let separation = pieces.separation_along(n, t);
                    if separation > best.0 {
                        best = (separation, n);
                    }
                }
            }
        };
        try_direction(gjk);
        let edges = [0, 1].map(|k| {
            let [p, q, r] = corners_at(&sides[k], leaves[k], t);
            // Scaled to size one, so that their products neither underflow nor overflow.
            [q - p, r - q, p - r].map(|edge| edge / edge.abs().max_element())
        });
        let normals = edges.map(|edges| edges[0].cross(edges[1]));
        for (of_a, normal) in edges.iter().zip(normals) {
            try_direction(normal);
            for edge in of_a {
                try_direction(edge.cross(normal));
            }
        }
        for edge_a in edges[0] {
            for edge_b in edges[1] {
                try_direction(edge_a.cross(edge_b));
            }
        }
        let normal = pieces.contact_normal(t, best.1);
        Contact { leaves, separation: pieces.separation_at_most(normal, t), normal }
    }

    /// Follows both surfaces as a whole, and returns the side that they determine. `None` if their regions are not
    /// equally deep.
    fn whole(&mut self, pair: u32, regions: &[Region], t_end: f64) -> Option<(Verdict<LeafTouch>, Tie)> {
        let depths = || regions.iter().map(|region| region.least);
        let least = depths().fold(f64::INFINITY, f64::min); // not a bound: compared with the largest below
        let largest = depths().fold(f64::NEG_INFINITY, f64::max); // not a bound: a NaN is caught below
        let apart = self.limits.min_separation + self.limits.tolerance;
        if !depths().all(|depth| depth.is_finite()) || largest - least > apart {
            return None;
        }
        let normals = regions.iter().flat_map(|region| &region.normals);
        let normals: Vec<DVec3> = normals.take(MOST_TRIED).copied().collect();
        let [a, b] = self.pairs[pair as usize];
        let all = |side: &Side<'_, C>| match side.pieces.hull() {
            Some(_) => Vec::new(),
            None => all_leaves(&side.pieces),
        };
        let leaves = [all(&a), all(&b)];
        let limits = Limits { t_end, ..self.limits };
        let mut hulls = ConvexPair::new(
            Moving { shape: Part::new(&a, &leaves[0]), motion: a.motion },
            Moving { shape: Part::new(&b, &leaves[1]), motion: b.motion },
            limits.min_separation,
            limits.tolerance,
        );
        let normal = direction_at_start(&mut hulls, &normals, limits.t_start);
        let separation = hulls.separation_along(normal, limits.t_start);
        let tie = if exceeds(separation, least - 0.5 * limits.tolerance) {
            Tie::Along(normal)
        } else {
            Tie::Unknown
        };
        let rest =
            rest_of_hulls(&mut hulls, &normals, least, Tie::Either, &limits, &mut self.stats.iterations);
        let verdict = match rest {
            Rest::Lasting => Verdict::Free,
            Rest::Parted { t } => self.ordinary(pair, t, t_end, Cover::AllAfterContact),
            Rest::Deeper { t, normal } => self.deeper(pair, t, normal),
            Rest::OutOfSteps { t } => Verdict::Undecided { free_until: t },
        };
        Some((verdict, tie))
    }

    /// Follows each region with its own sets.
    fn by_regions(
        &mut self,
        pair: u32,
        regions: &[Region],
        sets: Sets,
        tie: Tie,
        t_end: f64,
    ) -> Verdict<LeafTouch> {
        let [a, b] = self.pairs[pair as usize];
        let mut groups = Groups::default();
        let mut verdict = Verdict::Free;
        let mut parted = Vec::new();
        for (k, region) in regions.iter().enumerate() {
            let limits = Limits { t_end: t_end.min(proven(&verdict)), ..self.limits }; // not a bound: both are times
            let hulls_of = |leaves: &[Vec<u32>; 2]| {
                ConvexPair::new(
                    Moving { shape: Part::new(&a, &leaves[0]), motion: a.motion },
                    Moving { shape: Part::new(&b, &leaves[1]), motion: b.motion },
                    limits.min_separation,
                    limits.tolerance,
                )
            };
            let extended = match sets {
                Sets::InContact => None,
                Sets::BeyondThePlane => {
                    let normal =
                        direction_at_start(&mut hulls_of(&region.leaves), &region.normals, limits.t_start);
                    Some(self.beyond_the_plane(pair, &region.leaves, normal))
                }
            };
            let leaves = extended.as_ref().unwrap_or(&region.leaves);
            groups.add(k as u32, leaves);
            let rest = rest_of_hulls(
                &mut hulls_of(leaves),
                &region.normals,
                region.least,
                tie,
                &limits,
                &mut self.stats.iterations,
            );
            let found = match rest {
                Rest::Lasting => continue,
                Rest::Parted { t } => {
                    parted.push((k as u32, t));
                    continue;
                }
                Rest::Deeper { t, normal } => self.deeper(pair, t, normal),
                Rest::OutOfSteps { t } => Verdict::Undecided { free_until: t },
            };
            verdict = earlier(verdict, found);
        }
        let t_end = t_end.min(proven(&verdict)); // not a bound: both are times
        let t_start = self.limits.t_start;
        verdict = earlier(verdict, self.ordinary(pair, t_start, t_end, Cover::Except(&groups)));
        for (group, t) in parted {
            let t_end = t_end.min(proven(&verdict)); // not a bound: both are times
            verdict = earlier(verdict, self.ordinary(pair, t, t_end, Cover::Only(&groups, group)));
        }
        verdict
    }

    /// Returns these leaves, and all leaves on their side along `normal` at the start. This proves nothing.
    fn beyond_the_plane(&self, pair: u32, leaves: &[Vec<u32>; 2], normal: DVec3) -> [Vec<u32>; 2] {
        let t = self.limits.t_start;
        [0, 1].map(|k| {
            let side = &self.pairs[pair as usize][k];
            let out = if k == 0 { normal } else { -normal };
            let height = |leaf: u32| {
                corners_at(side, leaf, t).iter().map(|p| p.dot(out)).fold(f64::NEG_INFINITY, f64::max) // not a bound: a choice
            };
            let highest = leaves[k].iter().map(|&leaf| height(leaf)).fold(f64::NEG_INFINITY, f64::max); // not a bound: a choice
            // A little more, for rounding, which is far less than the margin of the tolerance.
            let limit = highest + 1e-3 * self.limits.tolerance;
            let mut all = all_leaves(&side.pieces);
            all.retain(|&leaf| height(leaf) <= limit || leaves[k].binary_search(&leaf).is_ok());
            all
        })
    }

    /// Searches ordinary pairs from `t` to `t_end`.
    fn ordinary(&mut self, pair: u32, t: f64, t_end: f64, cover: Cover<'_>) -> Verdict<LeafTouch> {
        if t > t_end {
            return Verdict::Free;
        }
        let limits = Limits { t_start: t, t_end, start: Start::Report, ..self.limits };
        self.with(limits, cover).first([pair], false).verdict
    }

    /// Returns the touch of two surfaces whose contact is proven up to `t`: that of the deepest triangles.
    fn deeper(&mut self, pair: u32, t: f64, normal: DVec3) -> Verdict<LeafTouch> {
        let mut deepest: Option<(f64, LeafTouch)> = None;
        for leaves in self.near(pair, t).unwrap_or_default() {
            let mut pieces = self.leaves(pair, leaves);
            let along = pieces.separation_along(normal, t);
            if deepest.as_ref().is_none_or(|(least, _)| along < *least) {
                let separation = Separation { normal, ..pieces.separation(t) };
                deepest = Some((along, LeafTouch { t, free_until: t, leaves, separation, features: None }));
            }
        }
        match deepest {
            Some((_, touch)) => Verdict::Touch(touch),
            None => Verdict::Undecided { free_until: t },
        }
    }
}

/// Returns the time up to which a verdict is a proof.
pub(super) fn proven(verdict: &Verdict<LeafTouch>) -> f64 {
    match verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => *free_until,
    }
}

fn earlier(a: Verdict<LeafTouch>, b: Verdict<LeafTouch>) -> Verdict<LeafTouch> {
    if proven(&b) < proven(&a) { b } else { a }
}

/// Rule 2 of the header.
fn regions(contacts: &[Contact]) -> Vec<Region> {
    // A leaf's first contact represents it. Each contact points to another one of its region, and a root points to
    // itself.
    let mut parent: Vec<usize> = (0..contacts.len()).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    for side in 0..2 {
        let mut first: HashMap<u32, usize> = HashMap::new();
        for (k, contact) in contacts.iter().enumerate() {
            let known = *first.entry(contact.leaves[side]).or_insert(k);
            let (a, b) = (root(&mut parent, known), root(&mut parent, k));
            parent[a.max(b)] = a.min(b); // not a bound: indices
        }
    }
    let mut found: Vec<Region> = Vec::new();
    let mut place: HashMap<usize, usize> = HashMap::new();
    for (k, contact) in contacts.iter().enumerate() {
        let of = root(&mut parent, k);
        let index = *place.entry(of).or_insert(found.len());
        if index == found.len() {
            found.push(Region { least: f64::INFINITY, ..Region::default() });
        }
        let region = &mut found[index];
        for side in 0..2 {
            region.leaves[side].push(contact.leaves[side]);
        }
        // A NaN separation becomes infinite: then there is no proof.
        if contact.separation.is_nan() || contact.separation < region.least {
            region.least = upper_max(contact.separation, f64::NEG_INFINITY);
        }
        let is_new = |n: &DVec3| n.dot(contact.normal) < 1.0 - 1e-9;
        if region.normals.len() < MOST_TRIED && region.normals.iter().all(is_new) {
            region.normals.push(contact.normal);
        }
    }
    for region in &mut found {
        for leaves in &mut region.leaves {
            leaves.sort_unstable();
            leaves.dedup();
        }
    }
    found
}

/// Returns the corners of a triangle in the world at `t`, computed without proof.
fn corners_at<C: Composite>(side: &Side<'_, C>, leaf: u32, t: f64) -> [DVec3; 3] {
    let pose = side.motion.pose_at(t);
    let [t0, t1] = ends(&side.pieces.piece(leaf));
    [0, 1, 2].map(|k| pose.apply(t0[k] * (1.0 - t) + t1[k] * t))
}

/// Returns the corners of a triangle at both ends of time, in its frame.
fn ends(piece: &AnyPiece<'_>) -> [[DVec3; 3]; 2] {
    match piece {
        AnyPiece::Triangle(triangle) => [*triangle.corners(); 2],
        AnyPiece::Deforming(triangle) => triangle.ends(),
        AnyPiece::Solid(_) | AnyPiece::Local(_) | AnyPiece::Affine(_) => {
            unreachable!("surfaces consist of triangles")
        }
    }
}

fn all_leaves<C: Composite>(pieces: &C) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        match pieces.children(node) {
            Some(children) => open.extend(children),
            None => found.push(node),
        }
    }
    found.sort_unstable();
    found
}

/// The convex hull of a part of a surface, or of all of it.
enum Part<'a> {
    Whole(&'a dyn Convex),
    Points(MovingPoints),
}

impl<'a> Part<'a> {
    /// Returns the hull of these leaves; for an empty list, the hull of the whole surface.
    fn new<C: Composite>(side: &'a Side<'_, C>, leaves: &[u32]) -> Part<'a> {
        match side.pieces.hull() {
            Some(hull) if leaves.is_empty() => Part::Whole(hull),
            _ => Part::Points(MovingPoints::new(&side.pieces, leaves)),
        }
    }
}

impl<'a> Piece for Part<'a> {
    type Solid = dyn Convex + 'a;

    fn solid(&self) -> &(dyn Convex + 'a) {
        match self {
            Part::Whole(hull) => *hull,
            Part::Points(points) => &points.now,
        }
    }

    fn look_at(&mut self, t: f64) -> bool {
        match self {
            Part::Whole(_) => false,
            Part::Points(points) => points.look_at(t),
        }
    }

    fn reach(&self) -> f64 {
        match self {
            Part::Whole(hull) => hull.reach(),
            Part::Points(points) => points.now.reach,
        }
    }

    fn deform_speed_along(&self, n: DVec3, _window: Window) -> f64 {
        match self {
            Part::Whole(_) => 0.0,
            Part::Points(points) => points.speed_along(n),
        }
    }

    fn deform_speed(&self, _window: Window) -> f64 {
        match self {
            Part::Whole(_) => 0.0,
            Part::Points(points) => points.speed,
        }
    }
}

/// The hull of points that move linearly. The rounding is that of
/// [`MovingTriangle`](crate::pair::piece::MovingTriangle).
struct MovingPoints {
    /// The points at both ends of time, unless they stay.
    moving: Option<[Vec<DVec3>; 2]>,
    t: f64,
    speed: f64,
    now: Points,
}

impl MovingPoints {
    fn new<C: Composite>(pieces: &C, leaves: &[u32]) -> MovingPoints {
        let mut frames = [Vec::new(), Vec::new()];
        for &leaf in leaves {
            for (frame, corners) in frames.iter_mut().zip(ends(&pieces.piece(leaf))) {
                frame.extend(corners);
            }
        }
        let [t0, t1] = &frames;
        let lengths = t0.iter().chain(t1).map(|p| p.length_squared());
        // Five roundings in the squared length and one in the root.
        let reach = up(largest_upper(lengths).sqrt() * (1.0 + 8.0 * UNIT)) + TINY_LENGTH;
        if t0 == t1 {
            // Exactly the extreme points.
            let points = match Hull::new(t0) {
                Ok(hull) => hull.vertices().to_vec(),
                Err(_) => t0.clone(),
            };
            return MovingPoints { moving: None, t: 0.0, speed: 0.0, now: Points { points, reach } };
        }
        let fastest = largest_upper(t0.iter().zip(t1).map(|(from, to)| (*to - *from).length()));
        let speed = up(fastest * (1.0 + 8.0 * UNIT)) + TINY_LENGTH;
        let now = Points { points: t0.clone(), reach };
        MovingPoints { moving: Some(frames), t: 0.0, speed, now }
    }

    fn look_at(&mut self, t: f64) -> bool {
        let Some([t0, t1]) = &self.moving else { return false };
        if self.t == t {
            return false;
        }
        for ((now, from), to) in self.now.points.iter_mut().zip(t0).zip(t1) {
            *now = *from * (1.0 - t) + *to * t;
        }
        self.t = t;
        true
    }

    fn speed_along(&self, n: DVec3) -> f64 {
        let Some([t0, t1]) = &self.moving else { return 0.0 };
        let along = |(from, to): (&DVec3, &DVec3)| (*to - *from).dot(n);
        t0.iter().zip(t1).map(along).fold(f64::NEG_INFINITY, upper_max) + 16.0 * UNIT * self.speed
    }
}

/// The convex hull of points.
struct Points {
    points: Vec<DVec3>,
    reach: f64,
}

impl Convex for Points {
    fn support(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, self.points[0]);
        for &point in &self.points {
            let height = point.dot(direction);
            if height > best.0 {
                best = (height, point);
            }
        }
        best.1
    }

    fn extent(&self, direction: DVec3) -> f64 {
        self.points.iter().map(|point| point.dot(direction)).fold(f64::NEG_INFINITY, upper_max)
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        bounds_of(&self.points)
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Vertex(0)
    }
}
