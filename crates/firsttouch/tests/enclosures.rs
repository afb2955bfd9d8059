//! Intervals and Taylor models against exact arithmetic: no value may ever leave its enclosure.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_ratio::RBig;
use firsttouch::numerics::{
    Enclosure, EnclosureMat3, EnclosureTransform, EnclosureVec3, Interval, IntervalVec3, TaylorModel, Window,
    sin_cos_enclosed,
};
use glam::{DQuat, DVec3};

/// SplitMix64: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Returns any finite number: ordinary, any bit pattern, subnormal, a small integer, zero, the largest.
    fn number(&mut self) -> f64 {
        let x = match self.below(8) {
            0 | 1 => self.between(-10.0, 10.0),
            2 | 3 => f64::from_bits(self.bits()),
            4 => f64::from_bits(self.bits() & 0x800f_ffff_ffff_ffff),
            5 => self.below(17) as f64 - 8.0,
            6 => self.between(-1.0, 1.0) * 2f64.powi(self.below(1000) as i32 - 500),
            _ => {
                [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324][self.below(8) as usize]
            }
        };
        if x.is_finite() { x } else { 1.0 }
    }

    fn interval(&mut self) -> Interval {
        let a = self.number();
        match self.below(3) {
            0 => Interval::point(a),
            1 => {
                // A few numbers wide.
                let b = f64::from_bits(a.to_bits().wrapping_add(self.below(4)));
                if b.is_finite() { Interval::point(a).hull(Interval::point(b)) } else { Interval::point(a) }
            }
            _ => Interval::point(a).hull(Interval::point(self.number())),
        }
    }

    /// Returns a number inside.
    fn inside(&mut self, x: Interval) -> f64 {
        match self.below(3) {
            0 => x.lo(),
            1 => x.hi(),
            _ => (0.5 * x.lo() + self.unit() * (0.5 * x.hi() - 0.5 * x.lo())).clamp(x.lo(), x.hi()),
        }
    }
}

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn contains(x: Interval, value: &RBig) -> bool {
    (x.lo() == f64::NEG_INFINITY || exact(x.lo()) <= *value)
        && (x.hi() == f64::INFINITY || *value <= exact(x.hi()))
}

#[test]
fn interval_operations_contain_the_exact_result() {
    let mut random = Random(1);
    let (mut infinite, mut points) = (0, 0);
    for _ in 0..25_000 {
        let (a, b) = (random.interval(), random.interval());
        let (x, y) = (random.inside(a), random.inside(b));
        assert!(a.contains(x) && b.contains(y));
        let (p, q) = (exact(x), exact(y));
        let check = |name: &str, result: Interval, value: RBig| {
            assert!(contains(result, &value), "{name} of {a:?} and {b:?} at {x:e}, {y:e}: {result:?}");
        };
        check("+", a + b, &p + &q);
        check("-", a - b, &p - &q);
        check("*", a * b, &p * &q);
        check("neg", -a, -p.clone());
        check("sqr", a.sqr(), &p * &p);
        check("+ f64", a + y, &p + &q);
        check("f64 -", x - b, &p - &q);
        check("* f64", a * y, &p * &q);
        check("hull", a.hull(b), p.clone());
        check("abs", a.abs(), exact(x.abs()));
        check("min", a.min(b), exact(x.min(y)));
        check("max", a.max(b), exact(x.max(y)));
        if y != 0.0 {
            check("/", a / b, &p / &q);
            check("recip", b.recip(), RBig::ONE / &q);
            check("f64 /", x / b, &p / &q);
        }
        // mid, radius and width.
        let (mid, radius) = (exact(a.mid()), a.radius());
        assert!(contains(Interval::symmetric(radius), &(&p - &mid)), "{a:?}");
        assert!(a.width() == f64::INFINITY || exact(a.width()) >= exact(a.hi()) - exact(a.lo()));
        assert!(a.mig() <= x.abs() && x.abs() <= a.mag());
        // The root, checked by squaring: lo^2 <= max(x, 0) <= hi^2.
        let root = a.sqrt();
        let square = |x: f64| exact(x) * exact(x);
        let radicand = exact(x.max(0.0));
        assert!(root.lo() >= 0.0 && square(root.lo()) <= radicand && radicand <= square(root.hi()), "{a:?}");
        // Single ordinary numbers: at most one step on each side of the rounded result.
        infinite += i32::from((a * b).hi() == f64::INFINITY);
        if a.width() == 0.0 && b.width() == 0.0 && (x * y).is_normal() && (x * y).abs() < 1e300 {
            points += 1;
            assert!((a * b).width() <= 4.0 * f64::EPSILON * (x * y).abs());
        }
    }
    assert!(
        infinite > 500 && points > 500,
        "the generator reaches overflow ({infinite}) and points ({points})"
    );
}

/// Returns `pi 2^2500` up to a few hundred units, by Machin's formula.
fn pi_scaled() -> IBig {
    let arctangent = |n: u32| {
        let one = IBig::ONE << 2500;
        let mut power = one / IBig::from(n);
        let mut sum = power.clone();
        for i in 1.. {
            power /= IBig::from(n * n);
            if power == IBig::ZERO {
                break;
            }
            let term = &power / IBig::from(2 * i + 1);
            if i % 2 == 1 { sum -= term } else { sum += term }
        }
        sum
    };
    arctangent(5) * IBig::from(16) - arctangent(239) * IBig::from(4)
}

/// Returns mantissa and exponent with `x = mantissa 2^exponent`.
fn decode(x: f64) -> (IBig, i64) {
    let (r, s) = exact(x).into_parts();
    let exponent = -(s.trailing_zeros().unwrap() as i64);
    (r, exponent)
}

/// Returns sine and cosine in integers, times `2^bits`, off by less than `2^12` units. It is a reduction with `pi` to
/// 1100 more bits, and Taylor series until the terms vanish. Each of their fewer than 500 divisions loses a unit.
fn sin_cos_exact(x: f64, bits: usize, pi: &IBig) -> (IBig, IBig) {
    let scale = bits + 1100;
    let (mantissa, exponent) = decode(x);
    let shift = scale as i64 + exponent;
    let x = if shift >= 0 { mantissa << shift as usize } else { mantissa >> (-shift) as usize };
    let half_pi: IBig = pi.clone() >> (2500 - scale + 1);
    let k: IBig = (IBig::from(2) * &x + &half_pi) / (IBig::from(2) * &half_pi);
    let r: IBig = (x - &k * half_pi) >> 1100;
    let r2: IBig = (&r * &r) >> bits;
    let series = |first: IBig, start: u32| {
        let (mut term, mut sum) = (first.clone(), first);
        for i in (start..).step_by(2) {
            term = -((&term * &r2) >> bits) / IBig::from(i * (i + 1));
            if term == IBig::ZERO || term == -IBig::ONE {
                break;
            }
            sum += &term;
        }
        sum
    };
    let (sin, cos) = (series(r.clone(), 2), series(IBig::ONE << bits, 1));
    let quadrant: i64 = (((k % IBig::from(4)) + IBig::from(4)) % IBig::from(4)).try_into().unwrap();
    match quadrant {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Compares `x` with `value 2^-bits`.
fn compare(x: f64, value: &IBig, bits: usize) -> Ordering {
    let (mantissa, exponent) = decode(x);
    let shift = exponent + bits as i64;
    if shift >= 0 {
        (mantissa << shift as usize).cmp(value)
    } else {
        mantissa.cmp(&(value.clone() << (-shift) as usize))
    }
}

#[test]
fn sine_and_cosine_contain_the_exact_value() {
    let pi = pi_scaled();
    let mut random = Random(2);
    let mut arguments =
        vec![1e22, 1e300, f64::MAX, 6381956970095103.0 * 2f64.powi(797), 0.0, 1.0, 1e-9, 1e-8];
    for i in 0..6000 {
        arguments.push(match i % 6 {
            0 => random.between(-1.0, 1.0),
            1 => random.between(-100.0, 100.0),
            2 => random.between(-1_048_576.0, 1_048_576.0),
            // The numbers next to multiples of pi/2, and of pi/4 where the quadrant changes.
            3 => {
                let near = random.below(667_544) as f64 * std::f64::consts::FRAC_PI_2;
                f64::from_bits(near.to_bits() + random.below(3))
            }
            4 => {
                let near = (random.below(667_544) as f64 + 0.5) * std::f64::consts::FRAC_PI_2;
                f64::from_bits(near.to_bits() + random.below(3))
            }
            _ => random.between(1.0, 2.0) * 2f64.powi(random.below(1003) as i32 + 20),
        });
    }
    let (mut widest, mut widest_at) = (0.0_f64, 0.0);
    let mut check = |x: f64, bits: usize| {
        let (sin, cos) = sin_cos_enclosed(x);
        let (sin_x, cos_x) = sin_cos_exact(x, bits, &pi);
        let slack = IBig::ONE << 12;
        for (name, interval, value) in [("sin", sin, sin_x), ("cos", cos, cos_x)] {
            assert!(compare(interval.lo(), &(&value + &slack), bits).is_le(), "{name} {x:e}: {interval:?}");
            assert!(compare(interval.hi(), &(&value - &slack), bits).is_ge(), "{name} {x:e}: {interval:?}");
            let mag = interval.mag();
            let ulps = interval.width() / (mag.next_up() - mag);
            if ulps > widest {
                (widest, widest_at) = (ulps, x);
            }
        }
    };
    for &x in &arguments {
        check(x, 200);
        check(-x, 200);
    }
    for _ in 0..100 {
        check(f64::from_bits(random.bits() & 0x3dff_ffff_ffff_ffff), 1200);
    }
    println!("the widest of {} enclosures: {widest} ulp, at {widest_at:e}", 2 * arguments.len() + 100);
    assert!(widest <= 5.0, "{widest} ulp at {widest_at:e}");
}

#[test]
fn sine_and_cosine_of_wide_intervals_contain_their_samples() {
    let mut random = Random(3);
    let mut full = 0;
    for i in 0..20_000 {
        let size = [1.0, 10.0, 1e6, 1e9, 1e15][i % 5];
        let lo = random.between(-size, size);
        let x = Interval::new(lo, lo + random.between(0.0, 7.0)).unwrap();
        let (sin, cos) = x.sin_cos();
        full += i32::from(sin == Interval::UNIT && cos == Interval::UNIT);
        let (mut sampled_sin, mut sampled_cos) = (sin_cos_enclosed(x.lo()).0, sin_cos_enclosed(x.lo()).1);
        for j in 0..=50 {
            let t = (x.lo() + f64::from(j) / 50.0 * (x.hi() - x.lo())).clamp(x.lo(), x.hi());
            let (s, c) = sin_cos_enclosed(t);
            assert!(sin.intersect(s).is_some() && cos.intersect(c).is_some(), "{x:?} at {t}");
            (sampled_sin, sampled_cos) = (sampled_sin.hull(s), sampled_cos.hull(c));
        }
        // Tight: between samples 0.14 apart the functions rise by less than 0.14^2/8 above them.
        if size < 1e7 {
            let tight = |a: Interval, b: Interval| b.lo() - a.lo() < 3e-3 && a.hi() - b.hi() < 3e-3;
            assert!(tight(sin, sampled_sin) && tight(cos, sampled_cos), "{x:?}: {sin:?} {cos:?}");
        }
    }
    assert!((1000..10_000).contains(&full), "{full} full ranges");
}

/// A random function of time.
enum Expression {
    Affine(f64, f64),
    Sin(f64, f64),
    Cos(f64, f64),
    Scale(f64, Box<Expression>),
    Neg(Box<Expression>),
    Add(Box<Expression>, Box<Expression>),
    Sub(Box<Expression>, Box<Expression>),
    Mul(Box<Expression>, Box<Expression>),
}

impl Expression {
    fn random(random: &mut Random, depth: u64) -> Expression {
        let inner = |random: &mut Random| Box::new(Expression::random(random, depth - 1));
        let (a, b) = (random.between(-4.0, 4.0), random.between(-4.0, 4.0));
        if depth == 0 {
            return match random.below(4) {
                0 => Expression::Affine(a, b),
                1 => Expression::Affine(a, 0.0),
                2 => Expression::Sin(a, b),
                _ => Expression::Cos(a, b),
            };
        }
        match random.below(6) {
            0 => Expression::Add(inner(random), inner(random)),
            1 => Expression::Sub(inner(random), inner(random)),
            2 => Expression::Scale(a, inner(random)),
            3 => Expression::Neg(inner(random)),
            _ => Expression::Mul(inner(random), inner(random)),
        }
    }

    fn eval<E: Enclosure>(&self, window: &Window) -> E {
        let point = Interval::point;
        match self {
            Expression::Affine(a, b) => E::affine(point(*a), point(*b), window),
            Expression::Sin(phi, w) => E::sin_cos_affine(point(*phi), point(*w), window).0,
            Expression::Cos(phi, w) => E::sin_cos_affine(point(*phi), point(*w), window).1,
            Expression::Scale(factor, a) => a.eval::<E>(window).scale_by(point(*factor)),
            Expression::Neg(a) => -a.eval::<E>(window),
            Expression::Add(a, b) => a.eval::<E>(window) + b.eval::<E>(window),
            Expression::Sub(a, b) => a.eval::<E>(window) - b.eval::<E>(window),
            Expression::Mul(a, b) => a.eval::<E>(window) * b.eval::<E>(window),
        }
    }
}

#[test]
fn a_million_samples_never_leave_their_enclosures() {
    let mut random = Random(4);
    let (mut samples, mut tighter, mut functions) = (0, 0, 0);
    while samples < 1_000_000 {
        let depth = 1 + random.below(4);
        let expression = Expression::random(&mut random, depth);
        let t0 = random.between(-2.0, 2.0);
        let width = [1.0, 0.1, 3.0, 1e-6][random.below(4) as usize] * random.unit();
        let window = Window::new(t0, t0 + width).unwrap();
        let interval: Interval = expression.eval(&window);
        let model: TaylorModel = expression.eval(&window);
        let range = model.range();
        functions += 1;
        tighter += i32::from(range.width() <= interval.width() * (1.0 + 1e-9) + 1e-12);
        for i in 0..200 {
            let t = match i {
                0 => window.t0(),
                1 => window.t1(),
                _ => random.between(window.t0(), window.t1()).clamp(window.t0(), window.t1()),
            };
            // At a single time the interval is a few roundings wide and serves as the truth.
            let value: Interval = expression.eval(&Window::new(t, t).unwrap());
            assert!(value.width() < 1e-9, "{value:?}");
            assert!(interval.intersect(value).is_some(), "interval at {t}");
            assert!(range.intersect(value).is_some(), "range at {t}: {range:?} {value:?}");
            assert!(model.eval(t, &window).intersect(value).is_some(), "model at {t}");
            samples += 1;
        }
    }
    println!("{samples} samples of {functions} functions; Taylor at least as tight in {tighter}");
    assert!(tighter * 10 > functions * 7, "{tighter} of {functions}");
}

#[test]
fn interval_coefficients_are_covered() {
    let mut random = Random(6);
    for _ in 0..5_000 {
        let widths = [0.0, 1e-12, 1e-3, 0.3];
        let mut around = |size: f64| {
            let lo = random.between(-size, size);
            Interval::new(lo, lo + widths[random.below(4) as usize] * random.unit()).unwrap()
        };
        let (phi, w) = (around(4.0), around(20.0));
        let t0 = random.between(-1.0, 1.0);
        let window = Window::new(t0, t0 + random.unit()).unwrap();
        let (sin, cos) = TaylorModel::sin_cos_affine(phi, w, &window);
        let line = TaylorModel::affine(phi, w, &window);
        for _ in 0..20 {
            let (p, v) = (random.inside(phi), random.inside(w));
            let t = random.inside(window.span());
            let angle = Interval::point(p) + Interval::point(v) * t;
            for (model, value) in [(sin, angle.sin()), (cos, angle.cos()), (line, angle)] {
                assert!(model.eval(t, &window).intersect(value).is_some(), "{phi:?} + {w:?} t at {t}");
                assert!(model.range().intersect(value).is_some(), "{phi:?} + {w:?} t at {t}");
            }
        }
    }
}

#[test]
fn the_example_of_the_paper() {
    // cos t + sqrt(3) sin t on [0, pi/2] is in [1, 2]; intervals give [0, 1 + sqrt(3)] (Sec. 5.1).
    fn range<E: Enclosure>() -> Interval {
        let window = Window::new(0.0, std::f64::consts::FRAC_PI_2).unwrap();
        let (sin, cos) = E::sin_cos_affine(Interval::ZERO, Interval::ONE, &window);
        (cos + sin.scale_by(Interval::point(3.0).sqrt())).range()
    }
    let (interval, taylor) = (range::<Interval>(), range::<TaylorModel>());
    println!("intervals {interval:?}, Taylor {taylor:?}");
    assert!(interval.width() > 2.73 && interval.width() < 2.74);
    assert!(taylor.lo() <= 1.0 && taylor.hi() >= 2.0 && taylor.width() < 1.012);
}

/// Returns the box of a point at the end of `depth` links of unit length, each rotating by half a radian.
fn chain<E: Enclosure>(depth: usize, window: &Window) -> EnclosureVec3<E> {
    let mut transform = EnclosureTransform::<E>::identity();
    for link in 0..depth {
        let axis = [DVec3::Z, DVec3::Y, DVec3::new(1.0, 2.0, -1.0)][link % 3];
        let axis = IntervalVec3::unit(axis).unwrap();
        let phi = Interval::point(0.3 * link as f64);
        let joint = EnclosureTransform {
            rotation: EnclosureMat3::<E>::rotation(axis, phi, Interval::point(0.5), window),
            translation: EnclosureVec3::constant(DVec3::X),
        };
        transform = transform.compose(&joint);
    }
    transform.apply(DVec3::X)
}

#[test]
fn boxes_along_a_chain_of_rotations() {
    let window = Window::new(0.0, 1.0).unwrap();
    println!("depth   path    Taylor  intervals");
    for depth in 1..=10 {
        let taylor = chain::<TaylorModel>(depth, &window).range();
        let interval = chain::<Interval>(depth, &window).range();
        // The path itself, sampled.
        let mut path = chain::<Interval>(depth, &Window::new(0.0, 0.0).unwrap()).range();
        for i in 0..=200 {
            let t = f64::from(i) / 200.0;
            let point = chain::<Interval>(depth, &Window::new(t, t).unwrap()).range();
            for axis in 0..3 {
                assert!(point[axis].width() < 1e-12);
                assert!(taylor[axis].intersect(point[axis]).is_some(), "depth {depth}, t {t}");
                assert!(interval[axis].intersect(point[axis]).is_some(), "depth {depth}, t {t}");
                path[axis] = path[axis].hull(point[axis]);
            }
        }
        let widest = |b: &[Interval; 3]| b.iter().fold(0.0_f64, |w, x| w.max(x.width()));
        println!("{depth:5} {:8.4} {:8.4} {:10.4}", widest(&path), widest(&taylor), widest(&interval));
        assert!(widest(&taylor) < widest(&path) * 1.25, "depth {depth}");
        // A single rotation has exact intervals; from the second on they are wider.
        assert!(depth == 1 || widest(&taylor) < widest(&interval), "depth {depth}");
    }
}

#[test]
fn rotations_enclose_the_exact_ones() {
    let mut random = Random(5);
    for _ in 0..2000 {
        let axis = DVec3::new(random.number(), random.number(), random.number());
        let Ok(unit) = IntervalVec3::unit(axis) else {
            assert_eq!(axis, DVec3::ZERO);
            continue;
        };
        // Exactly normalised: n_i^2 |v|^2 = v_i^2, and the sign is that of v.
        let squared = |x: f64| exact(x) * exact(x);
        let length: RBig = axis.to_array().into_iter().map(squared).fold(RBig::ZERO, |a, b| a + b);
        for (n, v) in unit.0.iter().zip(axis.to_array()) {
            assert!(contains(n.sqr(), &(squared(v) / &length)), "{axis:?}: {unit:?}");
            assert!(if v >= 0.0 { n.hi() >= 0.0 } else { n.lo() <= 0.0 });
        }
        // A rotation by phi + w t keeps its axis and is orthogonal.
        let (phi, w) = (random.between(-4.0, 4.0), random.between(-4.0, 4.0));
        let window = Window::new(0.4, 0.4).unwrap();
        let turn =
            EnclosureMat3::<Interval>::rotation(unit, Interval::point(phi), Interval::point(w), &window);
        let moved = turn * unit;
        for i in 0..3 {
            assert!(moved.0[i].intersect(unit.0[i]).is_some() && moved.0[i].width() < 1e-13);
            for j in 0..3 {
                let dot =
                    turn.0[i][0] * turn.0[j][0] + turn.0[i][1] * turn.0[j][1] + turn.0[i][2] * turn.0[j][2];
                assert!(dot.contains(f64::from(i == j)) && dot.width() < 1e-13);
            }
        }
        // The same rotation from a quaternion, up to the rounding of its components.
        let (half_sin, half_cos) = (0.5 * (phi + 0.4 * w)).sin_cos();
        let n = unit.0.map(Interval::mid);
        let q = DQuat::from_xyzw(half_sin * n[0], half_sin * n[1], half_sin * n[2], half_cos);
        let quat = EnclosureMat3::<Interval>::from_quat(q).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                assert!((quat.0[i][j].mid() - turn.0[i][j].mid()).abs() < 1e-14, "{i} {j}");
            }
        }
    }
    assert!(EnclosureMat3::<Interval>::from_quat(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_err());
    assert!(EnclosureMat3::<Interval>::from_quat(DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0)).is_err());
}
