//! An oriented box around points.
//!
//! 1. Its axes are those of the covariance of the points, by Jacobi's method, thinnest last. (Areas are not used as
//!    weights: in a soup of slivers, the corners must be covered.)
//! 2. Its sides cover the extent of the points along these axes.
//!
//! **Guarantee.** For every direction `n` and every point `v`, `n · v` is at most [`Obb::extent`]`(n)`, up to the error
//! stated there. The half sides are enlarged by the rounding of their computation and by the deviation of the axes from
//! orthonormality. The bits depend only on the points and their order.

use fearless_simd::{Level, Simd, dispatch};
use glam::{DMat3, DVec3};

use crate::numerics::rounding::{TINY_LENGTH, UNIT};

/// An oriented box in the frame of its mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obb {
    /// The centre.
    pub center: DVec3,
    /// Unit vectors, up to rounding; the box is longest along the first and thinnest along the last.
    pub axes: DMat3,
    /// Half the side lengths.
    pub half: DVec3,
    /// An upper bound of the distance from the frame's origin to any point around which the box was fitted.
    pub reach: f64,
}

impl Obb {
    /// Returns the largest `direction · x` over the box, for a direction of any length, within
    /// `16 UNIT · |direction| · reach` of the exact value for the box.
    #[inline]
    pub fn extent(&self, direction: DVec3) -> f64 {
        let along = DVec3::new(
            self.axes.x_axis.dot(direction),
            self.axes.y_axis.dot(direction),
            self.axes.z_axis.dot(direction),
        );
        self.center.dot(direction) + self.half.dot(along.abs())
    }

    /// Returns the vector from the closest point of the box to `point`; zero if it is inside.
    #[inline]
    pub fn way_out(&self, point: DVec3) -> DVec3 {
        let from = point - self.center;
        let along =
            DVec3::new(self.axes.x_axis.dot(from), self.axes.y_axis.dot(from), self.axes.z_axis.dot(from));
        self.axes * (along - along.clamp(-self.half, self.half))
    }

    /// Returns a box around points. The enlargement depends on these points alone: an outlier elsewhere in the mesh
    /// makes no other box larger.
    pub fn around(points: &[DVec3]) -> Obb {
        let mut corners = Corners::default();
        points.iter().for_each(|point| corners.push(*point));
        Obb::around_corners(&corners.split_at(points.len())[0])
    }

    /// Like [`Obb::around`], for points by coordinate.
    pub(super) fn around_corners(points: &CornersSlice<'_>) -> Obb {
        let [axes] = eigenvectors(covariances([points]));
        Obb::along(axes, points)
    }

    /// Like [`Obb::around_corners`], for two sets of points. `obb_lanes` does eight, with the same bits.
    pub(super) fn around_both(points: &[CornersSlice<'_>; 2]) -> [Obb; 2] {
        let [a, b] = eigenvectors(covariances([&points[0], &points[1]]));
        [Obb::along(a, &points[0]), Obb::along(b, &points[1])]
    }

    /// Returns a box around points along these axes.
    fn along(axes: DMat3, points: &CornersSlice<'_>) -> Obb {
        let extents = if points.x.len() <= 4 {
            Extents::new(points, &axes)
        } else {
            dispatch!(Level::new(), simd => Extents::in_lanes(simd, points, &axes))
        };
        Obb::with_extents(axes, &extents)
    }

    /// Returns the box along these axes of points with these extents.
    pub(super) fn with_extents(axes: DMat3, &Extents { low, high, squared }: &Extents) -> Obb {
        let reach = squared.sqrt() * (1.0 + 8.0 * UNIT) + TINY_LENGTH;
        let center = axes * (0.5 * (low + high));
        // Projections are off by 6 roundings of at most the reach, and so is the centre. Axes that are orthonormal up
        // to 8 roundings per entry leave a point short by `24u |v - c|` in each direction. The sum is below `64u` of
        // the reach.
        let half = 0.5 * (high - low) + DVec3::splat(64.0 * UNIT * reach);
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| half[j].total_cmp(&half[i]));
        Obb {
            center,
            axes: DMat3::from_cols(axes.col(order[0]), axes.col(order[1]), axes.col(order[2])),
            half: DVec3::new(half[order[0]], half[order[1]], half[order[2]]),
            reach,
        }
    }
}

/// Points by coordinate.
#[derive(Debug, Default)]
pub(super) struct Corners {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

/// A range of the points.
pub(super) struct CornersSlice<'a> {
    x: &'a [f64],
    y: &'a [f64],
    z: &'a [f64],
}

impl Corners {
    #[inline]
    fn push(&mut self, point: DVec3) {
        self.x.push(point.x);
        self.y.push(point.y);
        self.z.push(point.z);
    }

    /// Replaces the points by the corners of these triangles.
    #[inline]
    pub(super) fn gather(&mut self, triangles: impl ExactSizeIterator<Item = [DVec3; 3]>) {
        let count = 3 * triangles.len();
        for list in [&mut self.x, &mut self.y, &mut self.z] {
            list.resize(count, 0.0);
        }
        let (x, _) = self.x.as_chunks_mut::<3>();
        let (y, _) = self.y.as_chunks_mut::<3>();
        let (z, _) = self.z.as_chunks_mut::<3>();
        for (((x, y), z), [a, b, c]) in x.iter_mut().zip(y).zip(z).zip(triangles) {
            *x = [a.x, b.x, c.x];
            *y = [a.y, b.y, c.y];
            *z = [a.z, b.z, c.z];
        }
    }

    pub(super) fn split_at(&self, middle: usize) -> [CornersSlice<'_>; 2] {
        let [x, y, z] = [&self.x, &self.y, &self.z].map(|list| list.split_at(middle));
        [CornersSlice { x: x.0, y: y.0, z: z.0 }, CornersSlice { x: x.1, y: y.1, z: z.1 }]
    }
}

/// The extents of finite points along three axes, and the largest square of their lengths.
#[derive(Clone, Copy)]
pub(super) struct Extents {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
    pub(super) squared: f64,
}

impl Extents {
    /// Takes four points at a time, each in the same steps as alone.
    #[inline(always)]
    fn new(points: &CornersSlice<'_>, axes: &DMat3) -> Extents {
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis];
        let mut lanes = ExtentLanes {
            low: [[f64::INFINITY; 4]; 3],
            high: [[f64::NEG_INFINITY; 4]; 3],
            squared: [0.0; 4],
        };
        let (x_fours, x_rest) = points.x.as_chunks::<4>();
        let (y_fours, y_rest) = points.y.as_chunks::<4>();
        let (z_fours, z_rest) = points.z.as_chunks::<4>();
        for ((x, y), z) in x_fours.iter().zip(y_fours).zip(z_fours) {
            lanes.take(&axes, x, y, z);
        }
        if !x_rest.is_empty() {
            // Missing points repeat the last one.
            let four = |rest: &[f64]| -> [f64; 4] { std::array::from_fn(|i| rest[i.min(rest.len() - 1)]) };
            lanes.take(&axes, &four(x_rest), &four(y_rest), &four(z_rest));
        }
        let least = |of: [f64; 4]| less(less(of[0], of[1]), less(of[2], of[3]));
        let most = |of: [f64; 4]| more(more(of[0], of[1]), more(of[2], of[3]));
        Extents {
            low: DVec3::from_array(lanes.low.map(least)),
            high: DVec3::from_array(lanes.high.map(most)),
            squared: most(lanes.squared),
        }
    }

    /// Runs [`Extents::new`], compiled for every level of vector instructions. All levels compute the same bits: no
    /// operation is reordered or fused.
    #[inline(always)]
    fn in_lanes<S: Simd>(_: S, points: &CornersSlice<'_>, axes: &DMat3) -> Extents {
        Extents::new(points, axes)
    }
}

/// [`Extents`] of the points so far, in four lanes.
struct ExtentLanes {
    low: [[f64; 4]; 3],
    high: [[f64; 4]; 3],
    squared: [f64; 4],
}

impl ExtentLanes {
    /// Must be inlined: only then are its instructions those of the level that the caller was compiled for.
    #[inline(always)]
    fn take(&mut self, axes: &[DVec3; 3], x: &[f64; 4], y: &[f64; 4], z: &[f64; 4]) {
        for (k, axis) in axes.iter().enumerate() {
            for i in 0..4 {
                let along = axis.x * x[i] + axis.y * y[i] + axis.z * z[i];
                self.low[k][i] = less(along, self.low[k][i]);
                self.high[k][i] = more(along, self.high[k][i]);
            }
        }
        for i in 0..4 {
            self.squared[i] = more(x[i] * x[i] + y[i] * y[i] + z[i] * z[i], self.squared[i]);
        }
    }
}

// `if` instead of `f64::min` compiles to one instruction. Coordinates are finite, so no value is NaN.
#[inline(always)]
fn less(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn more(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Returns the sums of the products of coordinates, from the mean on: xx, xy, xz, yy, yz, zz. Each sum has the order of
/// its points.
///
/// The sets are summed side by side, each in the same steps as alone: a sum waits for the one before it.
fn covariances<const N: usize>(sets: [&CornersSlice<'_>; N]) -> [[f64; 6]; N] {
    let mut means = [DVec3::ZERO; N];
    side_by_side(sets, |set, point| means[set] += point);
    for (mean, points) in means.iter_mut().zip(sets) {
        *mean /= points.x.len() as f64;
    }
    let mut sums = [[0.0_f64; 6]; N];
    side_by_side(sets, |set, point| {
        let d = point - means[set];
        let products = [d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
        sums[set] = std::array::from_fn(|i| sums[set][i] + products[i]);
    });
    sums
}

/// Calls `take` for every point, in the order of each set.
#[inline(always)]
fn side_by_side<const N: usize>(sets: [&CornersSlice<'_>; N], mut take: impl FnMut(usize, DVec3)) {
    let shortest = sets.iter().map(|set| set.x.len()).min().unwrap_or(0);
    let heads = sets.map(|set| [&set.x[..shortest], &set.y[..shortest], &set.z[..shortest]]);
    for i in 0..shortest {
        for (k, [x, y, z]) in heads.iter().enumerate() {
            take(k, DVec3::new(x[i], y[i], z[i]));
        }
    }
    for (k, set) in sets.iter().enumerate() {
        let rest = set.x.iter().zip(set.y).zip(set.z).skip(shortest);
        rest.for_each(|((x, y), z)| take(k, DVec3::new(*x, *y, *z)));
    }
}

/// Returns the eigenvectors of symmetric matrices, each as columns of a rotation, by Jacobi's method. The matrices are
/// processed side by side, each in the same steps as alone: quotients and square roots take the most time, and vector
/// instructions do two of them at once. `jacobi_lanes` does eight, with the same bits.
fn eigenvectors<const N: usize>(matrices: [[f64; 6]; N]) -> [DMat3; N] {
    let lanes = |of: fn(&[f64; 6]) -> f64| -> [f64; N] { std::array::from_fn(|i| of(&matrices[i])) };
    let none = [0.0; N];
    // The upper half of each matrix.
    let mut m = [
        [lanes(|m| m[0]), lanes(|m| m[1]), lanes(|m| m[2])],
        [none, lanes(|m| m[3]), lanes(|m| m[4])],
        [none, none, lanes(|m| m[5])],
    ];
    // By coordinate, axis and matrix.
    let mut axes = [[none; 3]; 3];
    for (i, of_axes) in axes.iter_mut().enumerate() {
        of_axes[i] = [1.0; N];
    }
    let mut is_open = [true; N];
    for _ in 0..12 {
        for i in 0..N {
            let off = m[0][1][i].abs() + m[0][2][i].abs() + m[1][2][i].abs();
            let is_diagonal = off <= 1e-14 * (m[0][0][i] + m[1][1][i] + m[2][2][i]);
            is_open[i] &= !is_diagonal;
        }
        if is_open == [false; N] {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let r = 3 - p - q;
            let at = |i: usize, j: usize| (i.min(j), i.max(j));
            let (rp, rq) = (at(r, p), at(r, q));
            let (mpp, mqq, mpq) = (m[p][p], m[q][q], m[p][q]);
            let (mrp, mrq) = (m[rp.0][rp.1], m[rq.0][rq.1]);
            let (mut c, mut s, mut t) = (none, none, none);
            for i in 0..N {
                let theta = (mqq[i] - mpp[i]) / (2.0 * mpq[i]);
                t[i] = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
                c[i] = 1.0 / (t[i] * t[i] + 1.0).sqrt();
                s[i] = t[i] * c[i];
            }
            let turns: [bool; N] = std::array::from_fn(|i| is_open[i] && mpq[i] != 0.0);
            let chosen = |new: f64, old: f64, i: usize| if turns[i] { new } else { old };
            for i in 0..N {
                m[p][p][i] = chosen(mpp[i] - t[i] * mpq[i], mpp[i], i);
                m[q][q][i] = chosen(mqq[i] + t[i] * mpq[i], mqq[i], i);
                m[p][q][i] = chosen(0.0, mpq[i], i);
                m[rp.0][rp.1][i] = chosen(c[i] * mrp[i] - s[i] * mrq[i], mrp[i], i);
                m[rq.0][rq.1][i] = chosen(s[i] * mrp[i] + c[i] * mrq[i], mrq[i], i);
            }
            for of_axes in &mut axes {
                let (ap, aq) = (of_axes[p], of_axes[q]);
                for i in 0..N {
                    of_axes[p][i] = chosen(ap[i] * c[i] - aq[i] * s[i], ap[i], i);
                    of_axes[q][i] = chosen(ap[i] * s[i] + aq[i] * c[i], aq[i], i);
                }
            }
        }
    }
    std::array::from_fn(|i| {
        orthonormal([0, 1].map(|axis| DVec3::new(axes[0][axis][i], axes[1][axis][i], axes[2][axis][i])))
    })
}

/// Returns axes that are orthonormal to the last bits, for any result of the iteration; the axes of the frame if the
/// iteration failed.
pub(super) fn orthonormal([first, second]: [DVec3; 2]) -> DMat3 {
    let x = first.normalize_or(DVec3::X);
    let y = (second - x * x.dot(second)).normalize_or(x.any_orthonormal_vector());
    let z = x.cross(y);
    if x.is_finite() && y.is_finite() { DMat3::from_cols(x, y, z) } else { DMat3::IDENTITY }
}
