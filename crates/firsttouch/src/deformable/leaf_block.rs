//! The volumes of the features of one leaf, sixteen side by side.
//!
//! The problem: a leaf meets about ten others. Each time, every feature of one leaf is compared with every feature of the other, and few
//! of them overlap.
//!
//! 1. The volumes of the vertices, edges and faces of a leaf are stored bound by bound: sixteen lower bounds along x, sixteen along y,
//!    and so on. Unused places hold NaN, which overlaps nothing: the empty volume would overlap an infinite one.
//! 2. One volume is compared with sixteen others by two comparisons of vectors for each direction. The result is a mask of sixteen bits.
//! 3. The features of the first leaf that overlap the second leaf as a whole are compared with all features of the second.
//!
//! Guarantee: the pairs are those whose volumes overlap, in the order of their indices. Unions and comparisons do not round, so that all levels of vector
//! instructions (`fearless_simd` chooses at run time) find the same ones.
//!
//! A fit stores the volumes of vertices only. Those of edges and faces are unions of these: stored for the whole mesh, they would be half
//! of its memory, and most of the time of a fit. `feature_pairs` keeps the blocks of the leaves that were met last.

use fearless_simd::{Level, Simd, dispatch, f32x16, mask32x16, prelude::*};
use glam::{Mat4, Vec4};

use super::fit::Fit;
use super::hierarchy::{MOST_FEATURES, Tree};
use super::volume::Volume;

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
    /// Vertices, then edges, then faces; each kind starts a new group of sixteen.
    volumes: Vec<Sixteen<N>>,
    first_edges: usize,
    first_faces: usize,
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
        let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
        let at = |v: u32| &fit.vertices[v as usize];
        self.volumes.clear();
        let vertices = &fit.vertices[range(&tree.vertex_start)];
        self.append(vertices.len(), |i| vertices[i]);
        self.first_edges = self.volumes.len();
        let edges = &tree.edges[range(&tree.edge_start)];
        self.append(edges.len(), |i| {
            let [a, b] = edges[i].vertices;
            at(a).union(at(b))
        });
        self.first_faces = self.volumes.len();
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

    fn vertices(&self) -> &[Sixteen<N>] {
        &self.volumes[..self.first_edges]
    }

    fn edges(&self) -> &[Sixteen<N>] {
        &self.volumes[self.first_edges..self.first_faces]
    }

    fn faces(&self) -> &[Sixteen<N>] {
        &self.volumes[self.first_faces..]
    }

    /// Finds the pairs of edges of two leaves that overlap, those of a vertex of the first and a face of the second, and those of a
    /// vertex of the second and a face of the first. `around` holds the volumes of the leaves.
    pub(super) fn features(
        level: Level,
        [a, b]: [&LeafBlock<N>; 2],
        around: [&Volume<N>; 2],
        [edges, first, second]: &mut [LocalPairs; 3],
    ) {
        dispatch!(level, simd => {
            edges.find::<_, N, false>(simd, a.edges(), b.edges(), around[1]);
            first.find::<_, N, false>(simd, a.vertices(), b.faces(), around[1]);
            second.find::<_, N, false>(simd, b.vertices(), a.faces(), around[0]);
        });
    }

    /// Finds the pairs of edges within this leaf that overlap, and those of a vertex and a face.
    pub(super) fn features_within(
        &self,
        level: Level,
        around: &Volume<N>,
        [edges, first, second]: &mut [LocalPairs; 3],
    ) {
        second.places.clear();
        dispatch!(level, simd => {
            edges.find::<_, N, true>(simd, self.edges(), self.edges(), around);
            first.find::<_, N, false>(simd, self.vertices(), self.faces(), around);
        });
    }

    /// Finds the pairs of an edge of this leaf and a face of another that overlap.
    pub(super) fn edges_and_faces(
        &self,
        level: Level,
        other: &LeafBlock<N>,
        around_other: &Volume<N>,
        pairs: &mut LocalPairs,
    ) {
        dispatch!(level, simd => pairs.find::<_, N, false>(simd, self.edges(), other.faces(), around_other));
    }
}

impl LocalPairs {
    /// Returns the pairs, each with the indices of the first features of both leaves added.
    #[inline]
    pub(super) fn iter(&self, start: [u32; 2]) -> impl Iterator<Item = [usize; 2]> + '_ {
        let start = [start[0] as usize, start[1] as usize];
        self.places.iter().map(move |[i, j]| [start[0] + *i as usize, start[1] + *j as usize])
    }

    /// Steps 2 and 3 of the header. Within one list, each pair is found once. `near` contains all of the columns.
    #[inline(always)]
    fn find<S: Simd, const N: usize, const WITHIN: bool>(
        &mut self,
        simd: S,
        rows: &[Sixteen<N>],
        columns: &[Sixteen<N>],
        near: &Volume<N>,
    ) {
        self.places.clear();
        for (row_group, row_volumes) in rows.iter().enumerate() {
            let mut kept = row_volumes.overlapping(simd, |g, k| (near.low[g][k], near.high[g][k]));
            while kept != 0 {
                let i = kept.trailing_zeros() as usize % LANES;
                kept &= kept - 1;
                let row = row_group * LANES + i;
                let first_group = if WITHIN { row_group } else { 0 };
                for (group, volumes) in columns.iter().enumerate().skip(first_group) {
                    let mut mask = volumes
                        .overlapping(simd, |g, k| (row_volumes.low[g][k][i], row_volumes.high[g][k][i]));
                    if WITHIN && group == row_group {
                        // Only later ones.
                        mask &= !1 << i;
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

    /// Returns a bit for each of the volumes that overlaps the one with these bounds, by group and direction.
    #[inline(always)]
    fn overlapping<S: Simd>(&self, simd: S, bounds: impl Fn(usize, usize) -> (f32, f32)) -> u32 {
        let mut all = mask32x16::splat(simd, true);
        for g in 0..N {
            for k in 0..4 {
                let (low, high) = bounds(g, k);
                let below = f32x16::from_slice(simd, &self.low[g][k]).simd_le(f32x16::splat(simd, high));
                let above = f32x16::splat(simd, low).simd_le(f32x16::from_slice(simd, &self.high[g][k]));
                all = all & below & above;
            }
        }
        all.to_bitmask() as u32
    }
}
