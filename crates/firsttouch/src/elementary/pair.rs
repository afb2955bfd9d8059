//! The common structure of vertex/face and edge/edge: four moving points, their differences, and products of two
//! differences.
//!
//! Both tests perform the same three steps on different tables. The four points are coplanar when a cubic
//! `D_k·(D_i × D_j)` vanishes. Then the *faces*, cross products of two differences whose components are quadratics in
//! time, all point to one side iff the features meet (see [`crate::numerics::coplanar`]). If the faces vanish, dot
//! products of two differences decide. A [`Pair`] consists of these tables, so every stage is written once.

use glam::DVec3;

use super::{EdgeEdge, VertexFace};
use crate::numerics::predicates::{point_in_triangle, segments_touch};

/// A pair of features as tables of indices.
pub(crate) trait Pair: Sized {
    /// The number of faces; the features meet in a plane if all have one sign.
    const FACES: usize;
    /// Differences `points[i] − points[j]`; the first five suffice for the cubic and the faces.
    const DIFFERENCES: [(usize, usize); 6];
    /// The faces as cross products of two differences (entries `FACES..` are unused, except that entry 4 of edge/edge
    /// is N).
    const CROSS: [(usize, usize); 5];
    /// Dot products of two differences, each with a flag for a flipped sign.
    const DOT: [(usize, usize, bool); 4];
    /// The cubic: `THIRD · (NORMAL.0 × NORMAL.1)`, by differences.
    const NORMAL: (usize, usize);
    /// See [`Pair::NORMAL`].
    const THIRD: usize;
    /// The points of the first feature are `0..SPLIT`, of the second `SPLIT..4`.
    const SPLIT: usize;
    /// The names of the points in error messages.
    const NAMES: [&'static str; 4];

    fn new(t0: [DVec3; 4], t1: [DVec3; 4]) -> Self;
    fn t0(&self) -> &[DVec3; 4];
    fn t1(&self) -> &[DVec3; 4];
    /// Returns true if the features meet at rest in these points, decided exactly.
    fn meet_at_rest(points: &[DVec3; 4]) -> bool;
}

/// Defines the methods that only return the two frames of four points.
macro_rules! two_frames {
    ($pair:ident) => {
        #[inline]
        fn new(t0: [DVec3; 4], t1: [DVec3; 4]) -> $pair {
            $pair { t0, t1 }
        }

        #[inline]
        fn t0(&self) -> &[DVec3; 4] {
            &self.t0
        }

        #[inline]
        fn t1(&self) -> &[DVec3; 4] {
            &self.t1
        }
    };
}

/// A = f0 − v, B = f1 − v, C = f2 − v; faces A×B, B×C, C×A; cubic C·(A×B).
impl Pair for VertexFace {
    const FACES: usize = 3;
    const DIFFERENCES: [(usize, usize); 6] = [(1, 0), (2, 0), (3, 0), (1, 0), (1, 0), (1, 0)];
    const CROSS: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 0), (0, 0), (0, 0)];
    const DOT: [(usize, usize, bool); 4] = [(0, 1, false), (1, 2, false), (2, 0, false), (0, 0, false)];
    const NORMAL: (usize, usize) = (0, 1);
    const THIRD: usize = 2;
    const SPLIT: usize = 1;
    const NAMES: [&'static str; 4] =
        ["vertex", "triangle corner 0", "triangle corner 1", "triangle corner 2"];

    two_frames!(VertexFace);

    fn meet_at_rest(&[v, a, b, c]: &[DVec3; 4]) -> bool {
        point_in_triangle(v, [a, b, c])
    }
}

/// da = a1 − a0, db = b1 − b0, w = b0 − a0, e = a1 − b0, g = b1 − a0, h = b1 − a1. Faces O1 = w×db, O2 = e×db, O3 =
/// w×da, O4 = da×g, and N = da×db; cubic w·N. Dot products: a0 between b0, b1: w·g; a1: −e·h; b0 between a0, a1: −w·e;
/// b1: g·h.
impl Pair for EdgeEdge {
    const FACES: usize = 4;
    const DIFFERENCES: [(usize, usize); 6] = [(1, 0), (3, 2), (2, 0), (1, 2), (3, 0), (3, 1)];
    const CROSS: [(usize, usize); 5] = [(2, 1), (3, 1), (2, 0), (0, 4), (0, 1)];
    const DOT: [(usize, usize, bool); 4] = [(2, 4, false), (3, 5, true), (2, 3, true), (4, 5, false)];
    const NORMAL: (usize, usize) = (0, 1);
    const THIRD: usize = 2;
    const SPLIT: usize = 2;
    const NAMES: [&'static str; 4] = ["edge a end 0", "edge a end 1", "edge b end 0", "edge b end 1"];

    two_frames!(EdgeEdge);

    fn meet_at_rest(&[a0, a1, b0, b1]: &[DVec3; 4]) -> bool {
        segments_touch([a0, a1], [b0, b1])
    }
}
