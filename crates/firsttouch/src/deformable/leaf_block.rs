//! The volumes of the features of one leaf, sixteen side by side.
//!
//! **Problem.** A leaf meets about ten others. Each time, every feature of one leaf is compared with every feature of
//! the other, and few of them overlap.
//!
//! 1. The volumes of the vertices, edges and faces of a leaf are stored bound by bound: sixteen lower bounds along x,
//!    sixteen along y, and so on. Unused places hold NaN, which never overlaps: the empty volume would overlap an
//!    infinite one.
//! 2. One volume is compared with sixteen others by two comparisons of vectors for each direction. The result is a mask
//!    of sixteen bits. Moving volumes are compared at both ends of the window, and then the times at which they
//!    overlap.
//! 3. The features of the first leaf that overlap the second leaf as a whole are compared with all features of the
//!    second.
//! 4. Overlapping pairs that share a vertex are dropped, again sixteen at a time. On request, pairs proven apart are
//!    also dropped (`corner_lanes`).
//!
//! **Guarantee.** The result is the pairs that share no vertex and whose volumes overlap, in the order of their
//! indices, less the pairs proven apart. Unions and comparisons do not round, so all levels of vector instructions
//! (`fearless_simd` chooses at run time) find the same pairs.
//!
//! A fit stores only the volumes of vertices. Those of edges and faces are unions of these: for the whole mesh, they
//! would take half of its memory, and most of the time of a fit. `feature_pairs` keeps the blocks of the last leaves.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f32x16, mask32x16, prelude::*};
use glam::{Mat4, Vec4};

use super::corner_lanes::{CenterLanes, IndexLanes, LANES};
use super::fit::Fit;
use super::hierarchy::{MOST_FEATURES, Tree};
use super::volume::{ENTRY_SLACK, Volume};

/// Sixteen volumes, bound by bound.
#[derive(Debug, Clone, Copy)]
struct Sixteen<const N: usize> {
    low: [[[f32; LANES]; 4]; N],
    high: [[[f32; LANES]; 4]; N],
}

/// The volumes of one leaf.
#[derive(Debug, Clone, Default)]
pub(super) struct LeafBlock<const N: usize> {
    /// Vertices, then edges, then faces; each kind starts a new group of sixteen. These are swept volumes or, if
    /// features move far ([`Fit::sweeps_far`]), the volumes at time 0, followed by those at the end of the window in
    /// the same order.
    volumes: Vec<Sixteen<N>>,
    first_edges: usize,
    first_faces: usize,
    /// The number of groups at one time.
    groups: usize,
    /// The corners of the vertices, edges and faces, also in groups; groups of other leaves may follow them.
    vertices: Vec<IndexLanes<1>>,
    edges: Vec<IndexLanes<2>>,
    faces: Vec<IndexLanes<3>>,
    ends: Vec<CenterLanes<2>>,
    /// The corners of the faces, if requested.
    corners: Vec<CenterLanes<3>>,
    has_corners: bool,
}

/// The volumes of the features of one kind: swept volumes, twice, or those at time 0 and those at the end of the
/// window.
#[derive(Debug, Clone, Copy)]
struct Features<'a, const N: usize, const K: usize> {
    start: &'a [Sixteen<N>],
    end: &'a [Sixteen<N>],
    /// The volumes of the leaf.
    around: [&'a Volume<N>; 2],
    corners: &'a [IndexLanes<K>],
}

/// Pairs of features of two leaves, by their places in the leaves.
#[derive(Debug, Clone, Default)]
pub(super) struct LocalPairs {
    places: Vec<[u8; 2]>,
    /// The number of other pairs that overlap and are proven apart.
    proven: u64,
}

const _: () = assert!(MOST_FEATURES <= u8::MAX as usize);

impl<const N: usize> LeafBlock<N> {
    /// Computes the volumes of a leaf.
    pub(super) fn load(&mut self, tree: &Tree, fit: &Fit<N>, leaf: usize) {
        self.volumes.clear();
        if fit.sweeps_far {
            self.load_at(tree, leaf, |v| &fit.vertex_pairs[v as usize][0]);
            self.groups = self.volumes.len();
            self.load_at(tree, leaf, |v| &fit.vertex_pairs[v as usize][1]);
        } else {
            self.load_at(tree, leaf, |v| &fit.vertices[v as usize]);
            self.groups = self.volumes.len();
        }
        let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
        let vertices = range(&tree.vertex_start);
        let edges = &tree.edges[range(&tree.edge_start)];
        let faces = &tree.faces[range(&tree.face_start)];
        put(&mut self.vertices, vertices.len(), |i| [(vertices.start + i) as u32]);
        put(&mut self.edges, edges.len(), |i| edges[i].vertices);
        put(&mut self.faces, faces.len(), |i| faces[i].vertices);
        put_centers(&mut self.ends, edges.len(), fit, |i| edges[i].vertices);
        self.has_corners = false;
    }

    /// Adds the corners of the faces of a leaf that was loaded.
    pub(super) fn load_corners(&mut self, tree: &Tree, fit: &Fit<N>, leaf: usize) {
        if !self.has_corners {
            let faces = &tree.faces[tree.face_start[leaf] as usize..tree.face_start[leaf + 1] as usize];
            put_centers(&mut self.corners, faces.len(), fit, |i| faces[i].vertices);
            self.has_corners = true;
        }
    }

    #[inline(always)]
    fn load_at<'v>(&mut self, tree: &Tree, leaf: usize, at: impl Fn(u32) -> &'v Volume<N>) {
        let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
        let first = self.volumes.len();
        let vertices = range(&tree.vertex_start);
        self.append(vertices.len(), |i| *at((vertices.start + i) as u32));
        self.first_edges = self.volumes.len() - first;
        let edges = &tree.edges[range(&tree.edge_start)];
        self.append(edges.len(), |i| {
            let [a, b] = edges[i].vertices;
            at(a).union(at(b))
        });
        self.first_faces = self.volumes.len() - first;
        let faces = &tree.faces[range(&tree.face_start)];
        self.append(faces.len(), |i| {
            let [a, b, c] = faces[i].vertices;
            at(a).union(at(b)).union(at(c))
        });
    }

    #[inline(always)]
    fn append(&mut self, count: usize, volume: impl Fn(usize) -> Volume<N>) {
        let unused = Volume { low: [Vec4::NAN; N], high: [Vec4::NAN; N] };
        for first in (0..count).step_by(4) {
            if first % LANES == 0 {
                self.volumes.push(Sixteen::UNUSED);
            }
            let place = |i: usize| if first + i < count { volume(first + i) } else { unused };
            let four = [place(0), place(1), place(2), place(3)];
            if let Some(last) = self.volumes.last_mut() {
                last.put_four(first % LANES, &four);
            }
        }
    }

    #[inline(always)]
    fn vertices<'a>(&'a self, around: [&'a Volume<N>; 2]) -> Features<'a, N, 1> {
        self.features_at(0..self.first_edges, around, &self.vertices)
    }

    #[inline(always)]
    fn edges<'a>(&'a self, around: [&'a Volume<N>; 2]) -> Features<'a, N, 2> {
        self.features_at(self.first_edges..self.first_faces, around, &self.edges)
    }

    #[inline(always)]
    fn faces<'a>(&'a self, around: [&'a Volume<N>; 2]) -> Features<'a, N, 3> {
        self.features_at(self.first_faces..self.groups, around, &self.faces)
    }

    #[inline(always)]
    fn features_at<'a, const K: usize>(
        &'a self,
        range: Range<usize>,
        around: [&'a Volume<N>; 2],
        corners: &'a [IndexLanes<K>],
    ) -> Features<'a, N, K> {
        let start = &self.volumes[range.clone()];
        let end = if self.is_moving() { self.groups } else { 0 };
        Features { start, end: &self.volumes[range.start + end..range.end + end], around, corners }
    }

    fn is_moving(&self) -> bool {
        self.volumes.len() > self.groups
    }

    /// Finds the overlapping pairs of features of two leaves, or of one leaf with itself. They are pairs of edges, of a
    /// vertex of the first and a face of the second, and of a vertex of the second and a face of the first. Pairs that
    /// share a vertex are left out, and with a bound ([`Fit::bound`]) also pairs proven apart. `around` holds the
    /// volumes of the leaves, from [`Fit::around_leaf`].
    pub(super) fn features(
        level: Level,
        blocks: [&LeafBlock<N>; 2],
        around: [[&Volume<N>; 2]; 2],
        (limit, bound): (f32, Option<[f32; 3]>),
        pairs: &mut [LocalPairs; 3],
    ) {
        let within = std::ptr::eq(blocks[0], blocks[1]);
        match (blocks[0].is_moving(), within) {
            (false, false) => {
                dispatch!(level, simd => find_all::<_, N, false, false>(simd, blocks, around, (limit, bound), pairs))
            }
            (false, true) => {
                dispatch!(level, simd => find_all::<_, N, false, true>(simd, blocks, around, (limit, bound), pairs))
            }
            (true, false) => {
                dispatch!(level, simd => find_all::<_, N, true, false>(simd, blocks, around, (limit, bound), pairs))
            }
            (true, true) => {
                dispatch!(level, simd => find_all::<_, N, true, true>(simd, blocks, around, (limit, bound), pairs))
            }
        }
    }

    /// Finds the pairs of an edge of this leaf and a face of another that overlap. Pairs that share a vertex are left
    /// out, and with a bound also pairs proven apart; that needs the corners of the faces
    /// ([`LeafBlock::load_corners`]).
    pub(super) fn edges_and_faces(
        &self,
        level: Level,
        other: &LeafBlock<N>,
        around: [[&Volume<N>; 2]; 2],
        bound: Option<[f32; 3]>,
        pairs: &mut LocalPairs,
    ) {
        let (edges, faces) = (self.edges(around[0]), other.faces(around[1]));
        let proof = bound.map(|bound| EdgeFaceProof { ends: &self.ends, corners: &other.corners, bound });
        let limit = f32::INFINITY;
        if self.is_moving() {
            dispatch!(level, simd => pairs.find::<_, N, 2, 3, _, true, false>(simd, &edges, &faces, limit, proof));
        } else {
            dispatch!(level, simd => pairs.find::<_, N, 2, 3, _, false, false>(simd, &edges, &faces, limit, proof));
        }
    }
}

/// Puts the corners of features into groups of sixteen.
#[inline(always)]
fn put<const K: usize>(groups: &mut Vec<IndexLanes<K>>, count: usize, vertices: impl Fn(usize) -> [u32; K]) {
    groups.resize(groups.len().max(count.div_ceil(LANES)), IndexLanes::UNUSED); // not a bound: a count
    for (group, lanes) in groups.iter_mut().enumerate().take(count.div_ceil(LANES)) {
        for i in 0..LANES.min(count - group * LANES) {
            lanes.put(i, vertices(group * LANES + i));
        }
    }
}

/// Puts the centres of the corners of features into groups of sixteen.
#[inline(always)]
fn put_centers<const N: usize, const K: usize>(
    groups: &mut Vec<CenterLanes<K>>,
    count: usize,
    fit: &Fit<N>,
    vertices: impl Fn(usize) -> [u32; K],
) {
    groups.resize(groups.len().max(count.div_ceil(LANES)), CenterLanes::UNUSED); // not a bound: a count
    let center = |v: u32| {
        let volume = &fit.vertices[v as usize];
        volume.low[0] + volume.high[0]
    };
    for first in (0..count).step_by(4) {
        // Unused places repeat a feature.
        let at = |i: usize| vertices(if first + i < count { first + i } else { first }).map(center);
        groups[first / LANES].put_four(first % LANES, [at(0), at(1), at(2), at(3)]);
    }
}

/// A proof that features of the second leaf are certainly apart from one of the first.
trait Proof {
    /// Returns a bit for each feature of a group that is proven apart; `row` is the group of the other feature and its
    /// place there. Features outside the wanted ones may have no bit.
    fn apart<S: Simd>(&self, simd: S, row: (usize, usize), group: usize, wanted: u32) -> u32;
}

/// The ends of the edges of two leaves, and the bound with which separate edges are dropped ([`Fit::bound`]).
#[derive(Clone, Copy)]
struct EdgeEdgeProof<'a> {
    ends: [&'a [CenterLanes<2>]; 2],
    bound: [f32; 3],
}

impl Proof for EdgeEdgeProof<'_> {
    #[inline(always)]
    fn apart<S: Simd>(&self, simd: S, (row_group, i): (usize, usize), group: usize, _: u32) -> u32 {
        self.ends[1][group].apart(simd, self.ends[0][row_group].at(i), self.bound)
    }
}

/// Like [`EdgeEdgeProof`], for the edges of the first leaf and the faces of the second.
#[derive(Clone, Copy)]
struct EdgeFaceProof<'a> {
    ends: &'a [CenterLanes<2>],
    corners: &'a [CenterLanes<3>],
    bound: [f32; 3],
}

impl Proof for EdgeFaceProof<'_> {
    #[inline(always)]
    fn apart<S: Simd>(&self, simd: S, (row_group, i): (usize, usize), group: usize, wanted: u32) -> u32 {
        self.corners[group].apart(simd, self.ends[row_group].at(i), self.bound, wanted)
    }
}

/// No pair is proven apart.
const UNPROVEN: Option<EdgeEdgeProof<'static>> = None;

/// See [`LeafBlock::features`].
#[inline(always)]
fn find_all<S: Simd, const N: usize, const MOVING: bool, const WITHIN: bool>(
    simd: S,
    [a, b]: [&LeafBlock<N>; 2],
    around: [[&Volume<N>; 2]; 2],
    (limit, bound): (f32, Option<[f32; 3]>),
    [edges, first, second]: &mut [LocalPairs; 3],
) {
    let proof = bound.map(|bound| EdgeEdgeProof { ends: [&a.ends, &b.ends], bound });
    let (a_edges, b_edges) = (a.edges(around[0]), b.edges(around[1]));
    edges.find::<_, N, 2, 2, _, MOVING, WITHIN>(simd, &a_edges, &b_edges, limit, proof);
    let (vertices, faces) = (a.vertices(around[0]), b.faces(around[1]));
    first.find::<_, N, 1, 3, _, MOVING, false>(simd, &vertices, &faces, limit, UNPROVEN);
    if WITHIN {
        second.clear();
    } else {
        let (vertices, faces) = (b.vertices(around[1]), a.faces(around[0]));
        second.find::<_, N, 1, 3, _, MOVING, false>(simd, &vertices, &faces, limit, UNPROVEN);
    }
}

impl LocalPairs {
    /// Returns the pairs, each with the indices of the first features of both leaves added.
    #[inline]
    pub(super) fn iter(&self, start: [u32; 2]) -> impl Iterator<Item = [usize; 2]> + '_ {
        let start = [start[0] as usize, start[1] as usize];
        self.places.iter().map(move |[i, j]| [start[0] + *i as usize, start[1] + *j as usize])
    }

    /// Returns the number of pairs that overlap, share no vertex and were left out because they are proven apart.
    pub(super) fn proven(&self) -> u64 {
        self.proven
    }

    fn clear(&mut self) {
        self.places.clear();
        self.proven = 0;
    }

    /// Steps 2 to 4 of the header. Within one list, each pair is found once.
    #[inline(always)]
    fn find<
        S: Simd,
        const N: usize,
        const K: usize,
        const L: usize,
        P: Proof,
        const MOVING: bool,
        const WITHIN: bool,
    >(
        &mut self,
        simd: S,
        rows: &Features<'_, N, K>,
        columns: &Features<'_, N, L>,
        limit: f32,
        proof: Option<P>,
    ) {
        self.clear();
        // True for each group of columns in which a feature overlaps the leaf of the rows. The second of two groups is
        // often nearly empty.
        let mut met = [true; MOST_FEATURES / LANES];
        if !WITHIN && columns.start.len() > 1 {
            for (group, met) in met.iter_mut().enumerate().take(columns.start.len()) {
                *met = columns.overlapping::<_, MOVING>(simd, group, rows.around_bounds()) != 0;
            }
        }
        for row_group in 0..rows.start.len() {
            let mut kept = rows.overlapping::<_, MOVING>(simd, row_group, columns.around_bounds());
            while kept != 0 {
                let i = kept.trailing_zeros() as usize % LANES;
                kept &= kept - 1;
                let row = row_group * LANES + i;
                let vertices = rows.corners[row_group].at(i);
                let first_group = if WITHIN { row_group } else { 0 };
                for (group, met) in met.iter().enumerate().take(columns.start.len()).skip(first_group) {
                    if !met {
                        continue;
                    }
                    let at = |volumes: &Sixteen<N>, g: usize, k: usize| {
                        (volumes.low[g][k][i], volumes.high[g][k][i])
                    };
                    let (start, end) = (&rows.start[row_group], &rows.end[row_group]);
                    let bounds = |is_end, g, k| at(if is_end { end } else { start }, g, k);
                    let mut mask = columns.overlapping::<_, MOVING>(simd, group, bounds);

                    if mask != 0 {
                        mask &= !(columns.corners[group].sharing(simd, vertices).to_bitmask() as u32);
                    }
                    if WITHIN && group == row_group {
                        // Only later features.
                        mask &= !1 << i;
                    }
                    if MOVING && mask != 0 {
                        mask &= columns.entering(simd, group, bounds, limit);
                    }
                    if let Some(proof) = &proof
                        && mask != 0
                    {
                        let apart = mask & proof.apart(simd, (row_group, i), group, mask);
                        self.proven += u64::from(apart.count_ones());
                        mask &= !apart;
                    }
                    while mask != 0 {
                        let column = group * LANES + mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        self.places.push([row as u8, column as u8]);
                    }
                }
            }
        }
    }
}

impl<const N: usize, const K: usize> Features<'_, N, K> {
    /// Returns the bounds of the leaf, by time, group and direction.
    #[inline(always)]
    fn around_bounds(&self) -> impl Fn(bool, usize, usize) -> (f32, f32) {
        let around = self.around;
        move |is_end, g, k| {
            let volume = around[is_end as usize];
            (volume.low[g][k], volume.high[g][k])
        }
    }

    /// Returns a bit for each volume of a group that overlaps the volume with these bounds, by time, group and
    /// direction. Moving volumes are apart if one is below the other, along one direction, at both times.
    #[inline(always)]
    fn overlapping<S: Simd, const MOVING: bool>(
        &self,
        simd: S,
        group: usize,
        bounds: impl Fn(bool, usize, usize) -> (f32, f32),
    ) -> u32 {
        let mut all = mask32x16::splat(simd, true);
        for g in 0..N {
            for k in 0..4 {
                let [mut below, mut above] = self.start[group].meet(simd, (g, k), bounds(false, g, k));
                if MOVING {
                    let [below_then, above_then] = self.end[group].meet(simd, (g, k), bounds(true, g, k));
                    (below, above) = (below | below_then, above | above_then);
                }
                all = all & below & above;
            }
        }
        all.to_bitmask() as u32
    }

    /// Returns a bit for each moving volume of a group that may overlap the volume with these bounds before the time
    /// `limit`, as a fraction of the window. This is [`entry`](super::volume::entry), sixteen times; bits of unused
    /// places are arbitrary.
    #[inline(always)]
    fn entering<S: Simd>(
        &self,
        simd: S,
        group: usize,
        bounds: impl Fn(bool, usize, usize) -> (f32, f32),
        limit: f32,
    ) -> u32 {
        let splat = |x: f32| f32x16::splat(simd, x);
        let (start, end, zero) = (&self.start[group], &self.end[group], splat(0.0));
        let (mut enter, mut exit) = (zero, splat(1.0));
        for g in 0..N {
            for k in 0..4 {
                let ((low0, high0), (low1, high1)) = (bounds(false, g, k), bounds(true, g, k));
                let at = |bounds: &[f32; LANES]| f32x16::from_slice(simd, bounds);
                let up = (at(&start.high[g][k]) - splat(low0), at(&end.high[g][k]) - splat(low1));
                let down = (splat(high0) - at(&start.low[g][k]), splat(high1) - at(&end.low[g][k]));
                for (x0, x1) in [up, down] {
                    // NaN, the result of infinite bounds, gives no bound: no comparison with it holds.
                    let crossing = x0 / (x0 - x1);
                    enter = (x0.simd_lt(zero) & crossing.simd_gt(enter)).select(crossing, enter);
                    exit = (x1.simd_lt(zero) & crossing.simd_lt(exit)).select(crossing, exit);
                }
            }
        }
        let enter = enter * splat(1.0 - ENTRY_SLACK);
        let exit = exit * splat(1.0 + ENTRY_SLACK) + splat(f32::MIN_POSITIVE);
        (enter.simd_le(exit) & enter.simd_le(splat(limit))).to_bitmask() as u32
    }
}

impl<const N: usize> Sixteen<N> {
    const UNUSED: Sixteen<N> =
        Sixteen { low: [[[f32::NAN; LANES]; 4]; N], high: [[[f32::NAN; LANES]; 4]; N] };

    /// Puts four volumes into the places from `first` on, a multiple of four.
    #[inline(always)]
    fn put_four(&mut self, first: usize, volumes: &[Volume<N>; 4]) {
        let [a, b, c, d] = volumes;
        for g in 0..N {
            let low = Mat4::from_cols(a.low[g], b.low[g], c.low[g], d.low[g]).transpose();
            let high = Mat4::from_cols(a.high[g], b.high[g], c.high[g], d.high[g]).transpose();
            for k in 0..4 {
                self.low[g][k][first..first + 4].copy_from_slice(low.col(k).as_ref());
                self.high[g][k][first..first + 4].copy_from_slice(high.col(k).as_ref());
            }
        }
    }

    /// Returns two masks: the volumes that begin below the upper bound, and the volumes that end above the lower one.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, (g, k): (usize, usize), (low, high): (f32, f32)) -> [mask32x16<S>; 2] {
        [
            f32x16::from_slice(simd, &self.low[g][k]).simd_le(f32x16::splat(simd, high)),
            f32x16::splat(simd, low).simd_le(f32x16::from_slice(simd, &self.high[g][k])),
        ]
    }
}
