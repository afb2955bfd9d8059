//! The volumes of the features of one leaf, sixteen side by side.
//!
//! The problem: a leaf meets about ten others. Each time, every feature of one leaf is compared with every feature of the other, and few
//! of them overlap.
//!
//! 1. The volumes of the vertices, edges and faces of a leaf are stored bound by bound: sixteen lower bounds along x, sixteen along y,
//!    and so on. Unused places hold NaN, which overlaps nothing: the empty volume would overlap an infinite one.
//! 2. One volume is compared with sixteen others by two comparisons of vectors for each direction. The result is a mask of sixteen bits.
//!    Moving volumes are compared at both ends of the window, and then the times at which they overlap.
//! 3. The features of the first leaf that overlap the second leaf as a whole are compared with all features of the second.
//!
//! Guarantee: the pairs are those whose volumes overlap, in the order of their indices. Unions and comparisons do not round, so that all levels of vector
//! instructions (`fearless_simd` chooses at run time) find the same ones.
//!
//! A fit stores the volumes of vertices only. Those of edges and faces are unions of these: stored for the whole mesh, they would be half
//! of its memory, and most of the time of a fit. `feature_pairs` keeps the blocks of the leaves that were met last.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f32x16, mask32x16, prelude::*};
use glam::{Mat4, Vec4};

use super::fit::Fit;
use super::hierarchy::{MOST_FEATURES, Tree};
use super::volume::{ENTRY_SLACK, Volume};

/// The number of volumes side by side: one AVX-512 register of `f32`.
const LANES: usize = 16;

/// Sixteen volumes, bound by bound.
#[derive(Debug, Clone, Copy)]
struct Sixteen<const N: usize> {
    low: [[[f32; LANES]; 4]; N],
    high: [[[f32; LANES]; 4]; N],
}

/// The volumes of one leaf.
#[derive(Debug, Clone, Default)]
pub(super) struct LeafBlock<const N: usize> {
    /// Vertices, then edges, then faces; each kind starts a new group of sixteen. These are swept volumes or, where features move far
    /// ([`Fit::sweeps_far`]), the volumes at time 0, and those at the end of the window follow in the same order.
    volumes: Vec<Sixteen<N>>,
    first_edges: usize,
    first_faces: usize,
    /// The number of groups at one time.
    groups: usize,
}

/// The volumes of the features of one kind: swept volumes, twice, or those at time 0 and those at the end of the window.
#[derive(Debug, Clone, Copy)]
struct Features<'a, const N: usize> {
    start: &'a [Sixteen<N>],
    end: &'a [Sixteen<N>],
    /// The volumes of the leaf.
    around: [&'a Volume<N>; 2],
}

/// Pairs of features of two leaves, by their places in the leaves.
#[derive(Debug, Clone, Default)]
pub(super) struct LocalPairs {
    places: Vec<[u8; 2]>,
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

    /// The vertices, the edges and the faces.
    #[inline(always)]
    fn all<'a>(&'a self, around: [&'a Volume<N>; 2]) -> [Features<'a, N>; 3] {
        let LeafBlock { first_edges, first_faces, groups, .. } = *self;
        [
            self.features_at(0..first_edges, around),
            self.features_at(first_edges..first_faces, around),
            self.features_at(first_faces..groups, around),
        ]
    }

    #[inline(always)]
    fn features_at<'a>(&'a self, range: Range<usize>, around: [&'a Volume<N>; 2]) -> Features<'a, N> {
        let start = &self.volumes[range.clone()];
        let end = if self.is_moving() { self.groups } else { 0 };
        Features { start, end: &self.volumes[range.start + end..range.end + end], around }
    }

    fn is_moving(&self) -> bool {
        self.volumes.len() > self.groups
    }

    /// Finds the pairs of edges of two leaves that overlap, those of a vertex of the first and a face of the second, and those of a
    /// vertex of the second and a face of the first. `around` holds the volumes of the leaves, as of [`Fit::around_leaf`].
    pub(super) fn features(
        level: Level,
        [a, b]: [&LeafBlock<N>; 2],
        around: [[&Volume<N>; 2]; 2],
        limit: f32,
        [edges, first, second]: &mut [LocalPairs; 3],
    ) {
        let [a_all, b_all] = [a.all(around[0]), b.all(around[1])];
        if a.is_moving() {
            dispatch!(level, simd => {
                edges.find::<_, N, true, false>(simd, &a_all[1], &b_all[1], limit);
                first.find::<_, N, true, false>(simd, &a_all[0], &b_all[2], limit);
                second.find::<_, N, true, false>(simd, &b_all[0], &a_all[2], limit);
            });
        } else {
            dispatch!(level, simd => {
                edges.find::<_, N, false, false>(simd, &a_all[1], &b_all[1], limit);
                first.find::<_, N, false, false>(simd, &a_all[0], &b_all[2], limit);
                second.find::<_, N, false, false>(simd, &b_all[0], &a_all[2], limit);
            });
        }
    }

    /// Finds the pairs of edges within this leaf that overlap, and those of a vertex and a face.
    pub(super) fn features_within(
        &self,
        level: Level,
        around: [&Volume<N>; 2],
        limit: f32,
        [edges, first, second]: &mut [LocalPairs; 3],
    ) {
        second.places.clear();
        let [v, e, f] = self.all(around);
        if self.is_moving() {
            dispatch!(level, simd => {
                edges.find::<_, N, true, true>(simd, &e, &e, limit);
                first.find::<_, N, true, false>(simd, &v, &f, limit);
            });
        } else {
            dispatch!(level, simd => {
                edges.find::<_, N, false, true>(simd, &e, &e, limit);
                first.find::<_, N, false, false>(simd, &v, &f, limit);
            });
        }
    }

    /// Finds the pairs of an edge of this leaf and a face of another that overlap.
    pub(super) fn edges_and_faces(
        &self,
        level: Level,
        other: &LeafBlock<N>,
        around: [[&Volume<N>; 2]; 2],
        pairs: &mut LocalPairs,
    ) {
        let ([_, edges, _], [_, _, faces]) = (self.all(around[0]), other.all(around[1]));
        if self.is_moving() {
            dispatch!(level, simd => pairs.find::<_, N, true, false>(simd, &edges, &faces, f32::INFINITY));
        } else {
            dispatch!(level, simd => pairs.find::<_, N, false, false>(simd, &edges, &faces, f32::INFINITY));
        }
    }
}

impl LocalPairs {
    /// Returns the pairs, each with the indices of the first features of both leaves added.
    #[inline]
    pub(super) fn iter(&self, start: [u32; 2]) -> impl Iterator<Item = [usize; 2]> + '_ {
        let start = [start[0] as usize, start[1] as usize];
        self.places.iter().map(move |[i, j]| [start[0] + *i as usize, start[1] + *j as usize])
    }

    /// Steps 2 and 3 of the header. Within one list, each pair is found once.
    #[inline(always)]
    fn find<S: Simd, const N: usize, const MOVING: bool, const WITHIN: bool>(
        &mut self,
        simd: S,
        rows: &Features<'_, N>,
        columns: &Features<'_, N>,
        limit: f32,
    ) {
        self.places.clear();
        // Whether anything in a group of columns overlaps the leaf of the rows. Of two groups, the second is often nearly empty.
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
                    if WITHIN && group == row_group {
                        // Only later ones.
                        mask &= !1 << i;
                    }
                    if MOVING && mask != 0 {
                        mask &= columns.entering(simd, group, bounds, limit);
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

impl<const N: usize> Features<'_, N> {
    /// The bounds of the leaf, by time, group and direction.
    #[inline(always)]
    fn around_bounds(&self) -> impl Fn(bool, usize, usize) -> (f32, f32) {
        let around = self.around;
        move |is_end, g, k| {
            let volume = around[is_end as usize];
            (volume.low[g][k], volume.high[g][k])
        }
    }

    /// Returns a bit for each of the volumes of a group that overlaps the one with these bounds, by time, group and direction. Moving volumes
    /// are apart if one is below the other, along one direction, at both times.
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

    /// Returns a bit for each of the moving volumes of a group that may overlap the one with these bounds before the time `limit`, as a
    /// fraction of the window. This is [`entry`](super::volume::entry), sixteen times; bits of unused places mean nothing.
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
                    // NaN, the result of infinite bounds, bounds nothing: no comparison with it holds.
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

    /// Returns for each of the volumes whether it begins below the upper bound, and whether it ends above the lower one.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, (g, k): (usize, usize), (low, high): (f32, f32)) -> [mask32x16<S>; 2] {
        [
            f32x16::from_slice(simd, &self.low[g][k]).simd_le(f32x16::splat(simd, high)),
            f32x16::splat(simd, low).simd_le(f32x16::from_slice(simd, &self.high[g][k])),
        ]
    }
}
