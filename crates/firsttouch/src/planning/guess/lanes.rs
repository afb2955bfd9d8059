//! Eight numbers at once, one for each configuration of a rake.
//!
//! Only sums, differences, products, quotients, roots and comparisons are used, and nothing is fused: the bits are the
//! same on every machine.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x8};

/// The number of configurations of a rake.
pub(super) const LANES: usize = 8;

/// The number of each configuration of a rake.
pub(super) const LANE_NUMBERS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// A number for each configuration.
pub(super) type Lanes<S> = f32x8<S>;

/// A vector for each configuration.
pub(super) type Point<S> = [Lanes<S>; 3];

/// A pose for each configuration: the columns of the rotation, then the translation.
#[derive(Clone, Copy)]
pub(super) struct PoseLanes<S: Simd>(pub(super) [Point<S>; 4]);

/// A pose that is the same for all configurations.
pub(super) type Fixed = [[f32; 3]; 4];

/// Returns sine and cosine, with an error of a few units of the last place of 1.
#[inline(always)]
pub(super) fn sin_cos<S: Simd>(simd: S, x: Lanes<S>) -> (Lanes<S>, Lanes<S>) {
    // Half the angle, less multiples of π, lies between -π/2 and π/2.
    let turns = (x * splat(simd, std::f32::consts::FRAC_1_PI * 0.5)).round_ties_even();
    let half = (x * splat(simd, 0.5) - turns * splat(simd, 3.140_625)) - turns * splat(simd, 9.676_536e-4);
    let square = half * half;
    // Taylor polynomials: the first terms left out are below 6e-8 and 5e-7 at π/2.
    let mut sine = square * splat(simd, -1.0 / 39_916_800.0) + splat(simd, 1.0 / 362_880.0);
    sine = sine * square + splat(simd, -1.0 / 5040.0);
    sine = sine * square + splat(simd, 1.0 / 120.0);
    sine = sine * square + splat(simd, -1.0 / 6.0);
    sine = (sine * square + splat(simd, 1.0)) * half;
    let mut cosine = square * splat(simd, -1.0 / 3_628_800.0) + splat(simd, 1.0 / 40_320.0);
    cosine = cosine * square + splat(simd, -1.0 / 720.0);
    cosine = cosine * square + splat(simd, 1.0 / 24.0);
    cosine = cosine * square + splat(simd, -0.5);
    cosine = cosine * square + splat(simd, 1.0);
    let two_sine = sine + sine;
    (two_sine * cosine, splat(simd, 1.0) - two_sine * sine)
}

// Closures and `map` over arrays are not always inlined, and a function that is not inlined is compiled without the
// vector instructions of the level. So the functions below spell their three coordinates out.

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, value: f32) -> Lanes<S> {
    Lanes::splat(simd, value)
}

/// Returns a vector that is the same for all configurations.
#[inline(always)]
pub(super) fn splat_all<S: Simd>(simd: S, [x, y, z]: [f32; 3]) -> Point<S> {
    [splat(simd, x), splat(simd, y), splat(simd, z)]
}

#[inline(always)]
pub(super) fn minus<S: Simd>([a, b, c]: &Point<S>, [x, y, z]: &Point<S>) -> Point<S> {
    [*a - *x, *b - *y, *c - *z]
}

#[inline(always)]
pub(super) fn dot<S: Simd>([a, b, c]: &Point<S>, [x, y, z]: &Point<S>) -> Lanes<S> {
    *a * *x + *b * *y + *c * *z
}

/// `a x + b y + c z`.
#[inline(always)]
fn combined<S: Simd>([a, b, c]: [&Point<S>; 3], [x, y, z]: &Point<S>) -> Point<S> {
    [a[0] * *x + b[0] * *y + c[0] * *z, a[1] * *x + b[1] * *y + c[1] * *z, a[2] * *x + b[2] * *y + c[2] * *z]
}

impl<S: Simd> PoseLanes<S> {
    #[inline(always)]
    pub(super) fn fixed(simd: S, [a, b, c, d]: &Fixed) -> PoseLanes<S> {
        PoseLanes([splat_all(simd, *a), splat_all(simd, *b), splat_all(simd, *c), splat_all(simd, *d)])
    }

    /// Returns the pose followed by one that is the same for all configurations.
    #[inline(always)]
    pub(super) fn then_fixed(&self, simd: S, pose: &Fixed) -> PoseLanes<S> {
        let [a, b, c, _] = &self.0;
        let x = combined([a, b, c], &splat_all(simd, pose[0]));
        let y = combined([a, b, c], &splat_all(simd, pose[1]));
        let z = combined([a, b, c], &splat_all(simd, pose[2]));
        PoseLanes([x, y, z, self.placed(simd, pose[3])])
    }

    /// Returns a point that is the same for all configurations.
    #[inline(always)]
    pub(super) fn placed(&self, simd: S, point: [f32; 3]) -> Point<S> {
        let [a, b, c, at] = &self.0;
        let [x, y, z] = combined([a, b, c], &splat_all(simd, point));
        [x + at[0], y + at[1], z + at[2]]
    }

    /// Turns about the own z axis.
    #[inline(always)]
    pub(super) fn turn_z(&mut self, sine: Lanes<S>, cosine: Lanes<S>) {
        let [x, y, ..] = self.0;
        self.0[0] = [x[0] * cosine + y[0] * sine, x[1] * cosine + y[1] * sine, x[2] * cosine + y[2] * sine];
        self.0[1] = [y[0] * cosine - x[0] * sine, y[1] * cosine - x[1] * sine, y[2] * cosine - x[2] * sine];
    }

    /// Slides along the own axes.
    #[inline(always)]
    pub(super) fn slide(&mut self, axis: usize, distance: Lanes<S>) {
        let [x, y, z] = self.0[axis];
        let [a, b, c] = self.0[3];
        self.0[3] = [a + x * distance, b + y * distance, c + z * distance];
    }

    /// Turns by a quaternion `x, y, z, w` of any length but zero.
    #[inline(always)]
    pub(super) fn turn(&mut self, simd: S, x: Lanes<S>, y: Lanes<S>, z: Lanes<S>, w: Lanes<S>) {
        let scale = splat(simd, 2.0) / (x * x + y * y + z * z + w * w);
        let (xs, ys, zs) = (x * scale, y * scale, z * scale);
        let one = splat(simd, 1.0);
        let [a, b, c, at] = self.0;
        self.0 = [
            combined([&a, &b, &c], &[one - (y * ys + z * zs), x * ys + w * zs, x * zs - w * ys]),
            combined([&a, &b, &c], &[x * ys - w * zs, one - (x * xs + z * zs), y * zs + w * xs]),
            combined([&a, &b, &c], &[x * zs + w * ys, y * zs - w * xs, one - (x * xs + y * ys)]),
            at,
        ];
    }

    /// Returns the pose of one configuration.
    pub(super) fn lane(&self, k: usize) -> Fixed {
        self.0.map(|column| column.map(|lanes| lanes.as_slice()[k]))
    }
}
