//! Moving k-DOPs: volumes that contain a set of linearly moving points, bounded along a few fixed directions.
//!
//! **Problem.** Prove cheaply that two groups of moving features do not meet in a time span, or not before a certain
//! time.
//!
//! 1. A [`Frame`] maps most of the scene to the unit cube, and vertices far from the rest to positions outside of it.
//!    Its directions come in groups of four, one `f32` lane each. Boxes use one group, whose fourth lane can hold a
//!    diagonal at no cost.
//! 2. A [`Volume`] holds the smallest and the largest value along each direction. *Swept* volumes hold them over a time
//!    span: if two swept volumes do not overlap, the groups do not meet in the span.
//! 3. A pair of volumes, at the two ends of the span, is a *moving* volume: a maximum of linear functions is convex, so
//!    in between the points lie within the linear interpolation of the two. [`entry`] returns the time before which two
//!    such pairs do not overlap, or `None` if they never overlap: each direction allows overlap only between an entry
//!    and an exit time.
//!
//! **Guarantee.** `false` from [`Volume::overlaps`] and times from [`entry`] are proofs, all rounding included.
//!
//! Rounding. Mapped coordinates are at most 1 in size and off by 2^-52 (two operations). Values along a direction (sums
//! of up to three) are below 4 and off by less than 2^-50, and so are their interpolations. Rounding to `f32` moves a
//! value below 4 by at most 2^-23. So [`MARGIN`] = 2^-22, subtracted below and added above before rounding, covers all
//! errors. For a vertex that gets farther than 1 from the centre, all of these errors and its margin are larger in
//! proportion to that distance; the margins of other vertices are not affected. Mapped coordinates are at most 2^100,
//! so no operation overflows in `f32`. In [`entry`] a difference in `f32` has the right sign and a relative error of
//! 2^-24, the divisor adds magnitudes of opposite sign (2^-23), and the quotient adds another 2^-24: less than 2^-21 in
//! all, against the factor 1 ± 2^-20.
//!
//! **Departure from the paper.** Entry and exit times instead of "a time outside [0, 1] means free", which holds only
//! for directions along which the volumes are apart at the start.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. IV.

use glam::{DVec3, Vec3A, Vec4};

use crate::numerics::bound::upper_or_zero;
use crate::numerics::portable::{power_of_two, power_of_two_below};

/// The directions that bound a volume: k/2 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dop {
    /// Axis-aligned boxes.
    Six,
    /// Boxes cut along x + y + z. As fast as boxes, which leave a lane unused.
    #[default]
    Eight,
    /// Boxes with their edges cut.
    Eighteen,
    /// Boxes with their edges and three pairs of corners cut. As fast as [`Dop::Eighteen`].
    TwentyFour,
    /// Boxes with their edges and corners cut.
    TwentySix,
}

/// The number of groups of four directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Groups {
    One,
    Three,
    Four,
}

impl Dop {
    pub(crate) fn groups(self) -> Groups {
        match self {
            Dop::Six | Dop::Eight => Groups::One,
            Dop::Eighteen | Dop::TwentyFour => Groups::Three,
            Dop::TwentySix => Groups::Four,
        }
    }
}

/// More than the rounding error of a value along a direction, in the unit cube.
const MARGIN: f64 = 1.0 / 4_194_304.0;

/// The largest mapped coordinate.
const LARGEST_MAPPED: f64 = (1u128 << 100) as f64;

/// The directions in the order of the lanes.
const DIRECTIONS: [[f64; 3]; 16] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, -1.0, -1.0],
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
];

/// The map of a scene to the unit cube, and the directions along which it is bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame<const N: usize> {
    center: DVec3,
    scale: f64,
    /// True if some vertices lie outside the unit cube.
    outliers: bool,
    directions: [[DVec3; 4]; N],
    margin: [[f64; 4]; N],
}

/// The bounds of a scene: the box around all vertices, and the box around most of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    usual_low: DVec3,
    usual_high: DVec3,
}

impl Bounds {
    /// Computes the bounds of vertices at these positions at time 0 and at time 1. There must be at least one.
    pub(crate) fn new(t0: &[DVec3], t1: &[DVec3]) -> Bounds {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for position in t0.iter().chain(t1) {
            low = low.min(*position);
            high = high.max(*position);
        }
        let mut out = Bounds { low, high, usual_low: low, usual_high: high };
        // Seven eighths of a sample along each axis, with a margin of the same width on either side.
        let stride = t0.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<DVec3> =
            t0.iter().step_by(stride).chain(t1.iter().step_by(stride)).copied().collect();
        let (mut least, mut most) = (low, high);
        for k in 0..3 {
            let mut along: Vec<f64> = sample.iter().map(|position| position[k]).collect();
            along.sort_unstable_by(f64::total_cmp);
            (least[k], most[k]) = (along[along.len() / 16], along[along.len() - 1 - along.len() / 16]);
        }
        let width = (most - least).max_element();
        if width > 0.0 && width < (high - low).max_element() / OUTLYING {
            out.usual_low = (least - width).max(low);
            out.usual_high = (most + width).min(high);
        }
        out
    }
}

/// The number of vertices that are sampled to find where most of them are.
const SAMPLE: usize = 512;

/// The factor by which the box around most of the scene must be smaller than the whole, if it is used. Below that,
/// margins matter little.
const OUTLYING: f64 = 64.0;

/// `2^-900`. Scales are within this and its inverse, so that products with them stay normal numbers.
const LEAST_SCALE: f64 = power_of_two(-900);

impl<const N: usize> Frame<N> {
    /// Creates the map for points within the bounds. Volumes are enlarged so that they overlap if the points come
    /// within `separation` of each other.
    pub(crate) fn new(bounds: &Bounds, separation: f64, dop: Dop) -> Frame<N> {
        let Bounds { low, high, usual_low, usual_high } = *bounds;
        let center = usual_low * 0.5 + usual_high * 0.5;
        let half = (usual_high - center).max(center - usual_low).max_element();
        let farthest = (high - center).max(center - low).max_element();
        // The scale is a power of two, so that scaling does not round, and small enough that it does not overflow.
        let mut scale = if half > 0.0 {
            (1.0 / power_of_two_below(half)).clamp(LEAST_SCALE, 1.0 / LEAST_SCALE)
        } else {
            1.0
        };
        while half * scale > 1.0 || farthest * scale > LARGEST_MAPPED {
            scale *= 0.5;
        }
        let used = |lane: usize| match dop {
            Dop::Six => lane < 3,
            Dop::Eight => lane < 4,
            Dop::Eighteen => lane != 3 && lane < 10,
            Dop::TwentyFour => lane < 12,
            Dop::TwentySix => true,
        };
        let mut directions = [[DVec3::ZERO; 4]; N];
        let mut margin = [[0.0; 4]; N];
        for group in 0..N {
            for lane in 0..4 {
                if used(4 * group + lane) {
                    let direction = DVec3::from_array(DIRECTIONS[4 * group + lane]);
                    directions[group][lane] = direction;
                    // Half the separation on either side, rounded up.
                    margin[group][lane] =
                        MARGIN + 0.5 * separation * scale * direction.length() * (1.0 + 1e-12);
                }
            }
        }
        Frame { center, scale, outliers: farthest * scale > 1.0, directions, margin }
    }

    /// Returns the volumes, at time 0 and at time `window`, of a point that moves from `p` at time 0 to `q` at time 1.
    /// Their union contains its path in between.
    #[inline]
    pub(crate) fn pair(&self, p: DVec3, q: DVec3, window: f64) -> [Volume<N>; 2] {
        // The interpolation is done in the unit cube, where rounding is small for any distance of the scene from the
        // origin.
        let (p, q) = ((p - self.center) * self.scale, (q - self.center) * self.scale);
        let extra = if self.outliers {
            // The errors below are proportional to the larger of the two.
            MARGIN * upper_or_zero(p.abs().max(q.abs()).max_element() - 1.0)
        } else {
            0.0
        };
        [self.around(p, extra), self.around(if window == 1.0 { q } else { p + (q - p) * window }, extra)]
    }

    /// Returns the centre and the scale of the map.
    pub(crate) fn map(&self) -> (DVec3, f64) {
        (self.center, self.scale)
    }

    /// Returns the volume of one mapped point, with `extra` added to the margin of the unit cube.
    #[inline]
    fn around(&self, p: DVec3, extra: f64) -> Volume<N> {
        let mut out = Volume::EMPTY;
        for group in 0..N {
            let mut low = [0.0f32; 4];
            let mut high = [0.0f32; 4];
            for lane in 0..4 {
                let value = self.directions[group][lane].dot(p);
                let margin = self.margin[group][lane] + extra;
                low[lane] = (value - margin) as f32;
                high[lane] = (value + margin) as f32;
            }
            out.low[group] = Vec4::from_array(low);
            out.high[group] = Vec4::from_array(high);
        }
        out
    }
}

/// Bounds along 4 N directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Volume<const N: usize> {
    pub(super) low: [Vec4; N],
    pub(super) high: [Vec4; N],
}

impl<const N: usize> Volume<N> {
    /// The empty volume: it never overlaps, and does not change a union.
    pub(crate) const EMPTY: Volume<N> = Volume { low: [Vec4::INFINITY; N], high: [Vec4::NEG_INFINITY; N] };

    /// Returns the lower bounds along the axes.
    #[inline(always)]
    pub(crate) fn low_corner(&self) -> Vec3A {
        Vec3A::from_vec4(self.low[0])
    }

    /// Returns the upper bounds along the axes.
    #[inline(always)]
    pub(crate) fn high_corner(&self) -> Vec3A {
        Vec3A::from_vec4(self.high[0])
    }

    /// Returns true if the two overlap along every direction.
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Volume<N>) -> bool {
        (0..N).all(|g| {
            (self.low[g].cmple(other.high[g]) & other.low[g].cmple(self.high[g])).bitmask() == 0b1111
        })
    }

    /// Returns the smallest volume around both.
    #[inline(always)]
    pub(crate) fn union(&self, other: &Volume<N>) -> Volume<N> {
        let mut out = *self;
        for g in 0..N {
            out.low[g] = out.low[g].min(other.low[g]);
            out.high[g] = out.high[g].max(other.high[g]);
        }
        out
    }

    /// Returns the smallest moving volume around both.
    #[inline(always)]
    pub(crate) fn union_of_pairs(a: &[Volume<N>; 2], b: &[Volume<N>; 2]) -> [Volume<N>; 2] {
        [a[0].union(&b[0]), a[1].union(&b[1])]
    }

    /// Returns the sum of the lengths along the axes, as a measure of size.
    pub(crate) fn size(&self) -> f64 {
        let sides = (self.high[0] - self.low[0]).truncate();
        if sides.min_element() < 0.0 { 0.0 } else { sides.element_sum() as f64 }
    }
}

/// The relative rounding of entry and exit times; see the header.
pub(super) const ENTRY_SLACK: f32 = 1.0 / 1_048_576.0;

/// Returns a lower bound of the time at which two moving volumes overlap, as a fraction of the span at whose ends
/// they are given. Returns `None` if they do not overlap within it.
#[inline]
pub(crate) fn entry<const N: usize>(a: &[Volume<N>; 2], b: &[Volume<N>; 2]) -> Option<f64> {
    let mut enter = Vec4::ZERO;
    let mut exit = Vec4::ONE;
    for g in 0..N {
        for (x0, x1) in [
            (b[0].high[g] - a[0].low[g], b[1].high[g] - a[1].low[g]),
            (a[0].high[g] - b[0].low[g], a[1].high[g] - b[1].low[g]),
        ] {
            let (before, after) = (x0.cmplt(Vec4::ZERO), x1.cmplt(Vec4::ZERO));
            if (before & after).any() {
                return None;
            }
            let crossing = x0 / (x0 - x1);
            enter = enter.max(Vec4::select(before, crossing, Vec4::ZERO));
            exit = exit.min(Vec4::select(after, crossing, Vec4::ONE));
        }
    }
    let (enter, exit) = (enter.max_element(), exit.min_element());
    // An infinite volume makes these NaN: then there is no proof.
    if enter.is_nan() || exit.is_nan() {
        return Some(0.0);
    }
    let (enter, exit) = (enter * (1.0 - ENTRY_SLACK), exit * (1.0 + ENTRY_SLACK) + f32::MIN_POSITIVE);
    (enter <= exit).then_some(enter as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    fn around(half: f64) -> Bounds {
        Bounds::new(&[DVec3::splat(-half)], &[DVec3::splat(half)])
    }

    /// One vertex far away does not coarsen the volumes of the others, and its own volume still contains it.
    #[test]
    fn an_outlier_has_a_margin_of_its_own() {
        for far in [1e3, 1e9, 1e20, 1e60] {
            let mut places: Vec<DVec3> = (0..100).map(|i| dvec3(0.01 * i as f64, 0.0, 0.0)).collect();
            places.push(dvec3(far, -far, far));
            let frame = Frame::<4>::new(&Bounds::new(&places, &places), 0.0, Dop::TwentySix);
            let volume = |from: DVec3, to: DVec3, window: f64| {
                let [start, end] = frame.pair(from, to, window);
                start.union(&end)
            };
            let (a, b) = (places[40], places[41]);
            let apart = !volume(a, a, 1.0).overlaps(&volume(b, b, 1.0));
            assert_eq!(apart, far < 1e30, "{far}");
            // A motion from the outlier towards the origin: its volume overlaps all volumes on its way.
            for window in [0.25, 0.5, 0.999_999_999, 1.0] {
                let there = places[100] * (1.0 - window);
                assert!(volume(places[100], DVec3::ZERO, window).overlaps(&volume(there, there, 1.0)));
            }
        }
    }

    #[test]
    fn entry_times_by_hand() {
        let frame = Frame::<1>::new(&around(8.0), 0.0, Dop::Eight);
        let corner = |x: f64, y: f64, z: f64| frame.pair(dvec3(x, y, z), DVec3::ZERO, 0.5)[0];
        let at = |x: f64, y: f64| corner(x, y, 0.0).union(&corner(x + 1.0, y + 1.0, 1.0));
        let still = [at(0.0, 0.0), at(0.0, 0.0)];
        // The right side of the moving volume goes from x = −3 to x = 5: it reaches 0 at 3/8.
        let t = entry(&[at(-4.0, 0.0), at(4.0, 0.0)], &still).unwrap();
        assert!(t <= 0.375 && t > 0.374, "{t}");
        // It leaves along x (at 1/8) before it arrives along y (at 3/4).
        assert_eq!(entry(&[at(0.0, -4.0), at(8.0, 0.0)], &still), None);
        // Apart along y at both ends.
        assert_eq!(entry(&[at(0.0, -3.0), at(0.0, -2.0)], &still), None);
        assert_eq!(entry(&still, &still), Some(0.0));
    }

    /// A point half way between two others, all three on a plane `x + y + z = s` where a sum that is off by its last
    /// bit is rounded to another `f32`. Without a margin the half-way point would often lie outside the volume of the
    /// other two.
    #[test]
    fn points_beside_a_rounding_of_f32_are_in_their_volumes() {
        let mut state = 11_u64;
        let mut bits = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 12) as i64
        };
        // The unit is 2^-54. All coordinates are less than half, so they are exact, also half way; the sum of two
        // coordinates is not.
        let unit = (-54_f64).exp2();
        let one = 1_i64 << 54;
        let frame = Frame::<4>::new(&around(1.0), 0.0, Dop::TwentySix);
        assert_eq!(frame.map(), (DVec3::ZERO, 1.0));
        let mut straddled = [0; 2];
        for _ in 0..4_000 {
            for (which, sign) in [1_i64, -1].into_iter().enumerate() {
                // Half way between 1 and the next number of `f32`, and half way to the next one of `f64`.
                let sum = one + (one >> 24) + 2;
                let mut point = || {
                    let [x, y] = [(); 2].map(|()| one / 4 + 2 * (bits() % (one / 10)));
                    [x, y, sum - x - y].map(|part| sign * part)
                };
                let (a, b) = (point(), point());
                let half_way = [0, 1, 2].map(|k| (a[k] + b[k]) / 2);
                let [a, b, c] = [a, b, half_way].map(|p| DVec3::from_array(p.map(|part| part as f64 * unit)));
                let value = |p: DVec3| DVec3::ONE.dot(p) as f32;
                let between = value(a).min(value(b))..=value(a).max(value(b));
                straddled[which] += usize::from(!between.contains(&value(c)));
                let [a, b, c] = [a, b, c].map(|p| frame.around(p, 0.0));
                assert!(a.union(&b).overlaps(&c));
            }
        }
        assert!(straddled[0] > 40 && straddled[1] > 40, "{straddled:?}");
    }

    /// Two points overlap if they are closer than the separation, and not if they are much farther apart: along every
    /// direction and in either order.
    #[test]
    fn a_separation_is_kept_on_both_sides() {
        let separation = 0.3;
        let frame = Frame::<4>::new(&around(1.0), separation, Dop::TwentySix);
        for direction in DIRECTIONS.map(DVec3::from_array).into_iter().filter(|n| *n != DVec3::ZERO) {
            let at = |distance: f64| frame.pair(DVec3::ZERO, direction.normalize() * distance, 1.0);
            let [here, near] = at(separation * (1.0 - 1e-9));
            assert!(here.overlaps(&near) && near.overlaps(&here), "{direction}");
            let [here, far] = at(separation * 1.001);
            assert!(!here.overlaps(&far) && !far.overlaps(&here), "{direction}");
        }
    }

    /// Volumes with any bounds: the time of entry is that of exact arithmetic, or a little earlier.
    #[test]
    fn a_time_of_entry_is_not_late() {
        let mut state = 3_u64;
        let mut unit = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        let mut entered = 0;
        for _ in 0..20_000 {
            // The first volume, a point along each direction, passes through the second one, which is at rest.
            let mut of =
                |low: f32, high: f32| Vec4::from_array([(); 4].map(|()| low + (high - low) * (unit() + 0.5)));
            let (from, to) = ([of(-3.0, -0.5)], [of(0.5, 3.0)]);
            let (low, high) = ([of(-0.4, -0.1)], [of(0.1, 0.4)]);
            let moving = [Volume { low: from, high: from }, Volume { low: to, high: to }];
            let still = Volume { low, high };
            let crossing = |wall: f32, k: usize| {
                let (from, to) = (f64::from(from[0][k]), f64::from(to[0][k]));
                (f64::from(wall) - from) / (to - from)
            };
            let enter = (0..4).map(|k| crossing(low[0][k], k)).fold(0.0, f64::max);
            let exit = (0..4).map(|k| crossing(high[0][k], k)).fold(1.0, f64::min);
            match entry(&moving, &[still, still]) {
                Some(t) => assert!(t <= enter && t > enter - 4e-6, "{t} {enter}"),
                None => assert!(exit < enter, "{enter} {exit}"),
            }
            entered += usize::from(enter <= exit);
        }
        assert!(entered > 1_000, "{entered}");
    }

    #[test]
    fn the_order_of_the_real_line_is_kept() {
        let mut state = 5_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for scale in [1e-30, 1.0, 1e50] {
            let frame = Frame::<4>::new(&around(scale), 0.0, Dop::TwentySix);
            for _ in 0..2000 {
                let (a, b, c) = (dvec3(unit(), unit(), unit()), dvec3(unit(), unit(), unit()), unit() + 0.5);
                let inner = (a + (b - a) * c) * scale;
                let moving = frame.pair(a * scale, b * scale, 1.0);
                let still = frame.pair(inner, inner, 0.3);
                assert!(moving[0].union(&moving[1]).overlaps(&still[0]));
                let t = entry(&moving, &still).unwrap();
                assert!(t <= c, "{t} {c}");
            }
        }
    }
}
