//! Every operation against exact rationals, and first roots against known roots.

use super::*;
use dashu_ratio::RBig;

/// A small generator, so that every run draws the same polynomials.
pub(in crate::numerics) struct Random(pub(in crate::numerics) u64);

impl Random {
    pub(in crate::numerics) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(in crate::numerics) fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Returns a number in [0, 1).
    pub(in crate::numerics) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number of either sign and of sizes over ten orders of magnitude; sometimes zero.
    pub(in crate::numerics) fn number(&mut self) -> f64 {
        match self.below(8) {
            0 => 0.0,
            _ => (2.0 * self.unit() - 1.0) * 10f64.powi(self.below(10) as i32 - 5),
        }
    }

    pub(in crate::numerics) fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

pub(in crate::numerics) fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

/// The exact counterpart of [`Bernstein`].
#[derive(Clone)]
pub(in crate::numerics) struct Exact(pub(in crate::numerics) Vec<RBig>);

impl Exact {
    pub(in crate::numerics) fn new(coefficients: &[f64]) -> Exact {
        Exact(coefficients.iter().map(|&c| rational(c)).collect())
    }

    pub(in crate::numerics) fn binomial(n: usize, k: usize) -> RBig {
        (0..k).fold(RBig::ONE, |c, i| c * RBig::from(n - i) / RBig::from(i + 1))
    }

    pub(in crate::numerics) fn product(&self, other: &Exact) -> Exact {
        let (m, n) = (self.0.len() - 1, other.0.len() - 1);
        let scaled = |exact: &Exact, degree: usize| -> Vec<RBig> {
            exact.0.iter().enumerate().map(|(i, c)| c * Exact::binomial(degree, i)).collect()
        };
        let (left, right) = (scaled(self, m), scaled(other, n));
        let mut sums = vec![RBig::ZERO; m + n + 1];
        for i in 0..=m {
            for j in 0..=n {
                sums[i + j] += &left[i] * &right[j];
            }
        }
        Exact(sums.into_iter().enumerate().map(|(k, sum)| sum / Exact::binomial(m + n, k)).collect())
    }

    /// Returns the blossom: one step of de Casteljau's algorithm for each argument.
    fn blossom(&self, arguments: impl Iterator<Item = RBig>) -> RBig {
        let mut points = self.0.clone();
        for t in arguments {
            points = points.windows(2).map(|p| (RBig::ONE - &t) * &p[0] + &t * &p[1]).collect();
        }
        points[0].clone()
    }

    pub(in crate::numerics) fn eval(&self, t: f64) -> RBig {
        self.blossom(std::iter::repeat_n(rational(t), self.0.len() - 1))
    }

    fn restrict(&self, a: f64, b: f64) -> Exact {
        let n = self.0.len() - 1;
        let at = |k: usize| (0..n).map(move |i| rational(if i < k { b } else { a }));
        Exact((0..=n).map(|k| self.blossom(at(k))).collect())
    }

    pub(in crate::numerics) fn assert_within(&self, coefficients: &[f64], errors: &[f64]) {
        assert_eq!(self.0.len(), coefficients.len());
        assert_eq!(self.0.len(), errors.len());
        for (i, exact) in self.0.iter().enumerate() {
            let (value, error) = (rational(coefficients[i]), rational(errors[i]));
            let (low, high) = (&value - &error, &value + &error);
            assert!(low <= *exact && *exact <= high, "coefficient {i}: {} {}", coefficients[i], errors[i]);
        }
    }

    fn assert_encloses(&self, p: &Bernstein) {
        self.assert_within(p.coefficients(), p.errors());
    }
}

fn random_pair(random: &mut Random, degree: usize) -> (Bernstein, Exact) {
    let numbers = random.numbers(degree + 1);
    (Bernstein::from_coefficients(&numbers).unwrap(), Exact::new(&numbers))
}

#[test]
fn operations_enclose_the_exact_result() {
    let mut random = Random(1);
    let degrees = (0..91).map(|i| (i % 13, i % 7)).chain([(30, 30), (48, 48), (61, 60)]);
    for (m, n) in degrees {
        let ((p, exact_p), (q, exact_q)) = (random_pair(&mut random, m), random_pair(&mut random, n));
        let product = p.product(&q);
        let exact_product = exact_p.product(&exact_q);
        exact_product.assert_encloses(&product);
        let sizes = (p.range(), q.range());
        let size = |(low, high): (f64, f64)| high.max(-low);
        let allowed = 1e-15 * (5 + m + n) as f64 * size(sizes.0) * size(sizes.1) + 1e-270;
        assert!(product.errors().iter().all(|&error| error <= allowed), "not tight at {m}, {n}");

        let ones = |k: usize| Exact(vec![RBig::ONE; k + 1]);
        let top = m.max(n);
        let (raised_p, raised_q) = (exact_p.product(&ones(top - m)), exact_q.product(&ones(top - n)));
        raised_p.assert_encloses(&p.elevated(top));
        let zip = |f: fn(&RBig, &RBig) -> RBig| {
            Exact(raised_p.0.iter().zip(&raised_q.0).map(|(a, b)| f(a, b)).collect())
        };
        zip(|a, b| a + b).assert_encloses(&p.sum(&q));
        zip(|a, b| a - b).assert_encloses(&p.difference(&q));
        Exact(exact_p.0.iter().map(|a| a * rational(0.1)).collect()).assert_encloses(&p.scaled(0.1));

        let places: &[f64] = if m <= 12 { &[0.0, 0.25, 0.5, 0.8125, 1.0] } else { &[0.75] };
        for &t in places {
            let (value, error) = product.eval(t);
            Exact(vec![exact_product.eval(t)]).assert_within(&[value], &[error]);
        }
        if m <= 12 {
            // On operands that already have an error.
            let (a, b) = (random.unit(), random.unit());
            let (a, b) = (a.min(b), a.max(b));
            let (before, after) = product.subdivide(a);
            exact_product.restrict(0.0, a).assert_encloses(&before);
            exact_product.restrict(a, 1.0).assert_encloses(&after);
            let (before, after) = product.subdivide(0.5);
            exact_product.restrict(0.0, 0.5).assert_encloses(&before);
            exact_product.restrict(0.5, 1.0).assert_encloses(&after);
            for (a, b) in [(a, b), (0.0, b), (a, 1.0), (a, a), (1.0, 1.0), (a, a.next_up())] {
                exact_product.restrict(a, b).assert_encloses(&product.restrict(a, b));
            }
            for t in [a, b, 1e-300, 1.0f64.next_down()] {
                let (value, error) = product.eval(t);
                Exact(vec![exact_product.eval(t)]).assert_within(&[value], &[error]);
            }
            if m + n > 0 {
                let degree = RBig::from(m + n);
                let slopes = exact_product.0.windows(2).map(|c| &degree * (&c[1] - &c[0])).collect();
                Exact(slopes).assert_encloses(&product.derivative());
            }
        }
    }
}

#[test]
fn products_beyond_the_table_of_binomials() {
    let ones = Bernstein::from_coefficients(&[1.0; 150]).unwrap();
    let product = ones.product(&ones);
    assert!(
        product.coefficients().iter().zip(product.errors()).all(|(c, e)| (c - 1.0).abs() <= *e && *e < 1e-12)
    );
    // Beyond the range of f64 the operations claim nothing, and do not panic.
    let huge = Bernstein::from_coefficients(&[1.0; 900]).unwrap();
    let product = huge.product(&huge);
    assert_eq!(product.sign(), None);
    assert!(matches!(product.first_root(1e-6), FirstRoot::Suspect { .. } | FirstRoot::Isolated { .. }));
    let large = Bernstein::from_coefficients(&[1e300, 1e300]).unwrap();
    assert_eq!(large.product(&large).sign(), None);
    assert_eq!(large.product(&large).range(), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn underflow_is_accounted_for() {
    let mut random = Random(2);
    for _ in 0..300 {
        let scale = |random: &mut Random| 10f64.powi(-(random.below(200) as i32) - 124);
        let mut tiny =
            |n: usize| -> Vec<f64> { (0..n).map(|_| random.number() * scale(&mut random)).collect() };
        let (a, b) = (tiny(5), tiny(4));
        let (p, q) = (Bernstein::from_coefficients(&a).unwrap(), Bernstein::from_coefficients(&b).unwrap());
        Exact::new(&a).product(&Exact::new(&b)).assert_encloses(&p.product(&q));
        let large: Vec<f64> = b.iter().map(|x| x.signum() * 1e200).collect();
        let l = Bernstein::from_coefficients(&large).unwrap();
        Exact::new(&large).product(&Exact::new(&a)).assert_encloses(&l.product(&p));
        Exact::new(&a).product(&Exact::new(&large)).assert_encloses(&p.product(&l));
        Exact::new(&a).restrict(0.0, 0.3).assert_encloses(&p.subdivide(0.3).0);
        Exact::new(&a).restrict(0.5, 1.0).assert_encloses(&p.subdivide(0.5).1);
        Exact(vec![Exact::new(&a).eval(0.7)]).assert_within(&[p.eval(0.7).0], &[p.eval(0.7).1]);
    }
}

#[test]
fn power_basis() {
    let mut random = Random(3);
    for degree in [0, 1, 2, 3, 8, 20] {
        let powers = random.numbers(degree + 1);
        let p = Bernstein::from_power_basis(&powers).unwrap();
        let bernstein = |i: usize| {
            (0..=i).fold(RBig::ZERO, |sum, k| {
                sum + Exact::binomial(i, k) / Exact::binomial(degree, k) * rational(powers[k])
            })
        };
        Exact((0..=degree).map(bernstein).collect()).assert_encloses(&p);
    }
}

#[test]
fn sign_changes_are_certain_or_nothing() {
    let changes = |values: &[f64]| {
        let errors: Vec<f64> =
            values.iter().map(|v| if v.abs() < 0.5 && *v != 0.0 { 1.0 } else { 0.0 }).collect();
        Bernstein::with_errors(values, &errors).unwrap().sign_changes()
    };
    assert_eq!(changes(&[1.0, 2.0, 3.0]), Some(0));
    assert_eq!(changes(&[1.0, 0.0, -3.0, 0.0, 2.0]), Some(2));
    assert_eq!(changes(&[0.0, 0.0]), Some(0));
    assert_eq!(changes(&[1.0, 0.1, -1.0]), Some(1));
    assert_eq!(changes(&[1.0, 0.1, 0.1, -1.0]), None);
    assert_eq!(changes(&[1.0, 0.1, 1.0]), None);
    assert_eq!(changes(&[0.1, 1.0]), None);
    assert_eq!(changes(&[1.0, 0.1]), None);
}

#[test]
fn bad_input_is_rejected() {
    assert!(matches!(Bernstein::from_coefficients(&[]), Err(Error::Empty { .. })));
    let message = Bernstein::from_coefficients(&[1.0, f64::NAN]).unwrap_err().to_string();
    assert_eq!(message, "Bernstein coefficient 1 is not finite: NaN");
    assert!(Bernstein::with_errors(&[1.0], &[-1.0]).is_err());
    assert!(Bernstein::with_errors(&[1.0], &[f64::INFINITY]).is_err());
    assert!(Bernstein::with_errors(&[1.0], &[]).is_err());
    let p = Bernstein::from_coefficients(&[1.0, 2.0]).unwrap();
    assert_eq!(p.restrict(f64::NAN, 0.5).sign(), None);
    assert_eq!(p.restrict(-1.0, 7.0).coefficients(), [1.0, 2.0]);
}

/// A polynomial with the given roots `p / q`, by products of `q t - p`, and those roots.
struct Known {
    polynomial: Bernstein,
    roots: Vec<(i64, i64)>,
}

impl Known {
    fn new(roots: Vec<(i64, i64)>, factors_without_roots: usize, random: &mut Random) -> Known {
        let mut polynomial =
            Bernstein::from_coefficients(&[if random.below(2) == 0 { 1.0 } else { -1.0 }]).unwrap();
        for &(p, q) in &roots {
            polynomial =
                polynomial.product(&Bernstein::from_coefficients(&[-p as f64, (q - p) as f64]).unwrap());
        }
        for _ in 0..factors_without_roots {
            // (t - x)^2 + y, positive though its middle coefficient may be negative.
            let (x, y) = (random.below(64) as f64 / 64.0, (1 + random.below(64)) as f64 / 1024.0);
            let coefficients = [x * x + y, y - x * (1.0 - x), (1.0 - x) * (1.0 - x) + y];
            polynomial = polynomial.product(&Bernstein::from_coefficients(&coefficients).unwrap());
        }
        Known { polynomial, roots }
    }

    fn draw(random: &mut Random) -> Known {
        let wanted = 1 + random.below(7) as usize;
        let mut roots = Vec::new();
        while roots.len() < wanted {
            let q = 1 + random.below(200) as i64;
            // From -1/4 to 5/4; often the ends of the interval.
            let p = match random.below(12) {
                0 => 0,
                1 => q,
                _ => random.below(3 * q as u64 / 2 + 1) as i64 - q / 4,
            };
            // Simple, double or triple; or a cluster.
            match random.below(8) {
                0 => roots.extend([(p, q); 2]),
                1 => roots.extend([(p, q); 3]),
                2 => roots.extend([(p, q), (1000 * p + 1, 1000 * q), (1000 * p - 1, 1000 * q)]),
                _ => roots.push((p, q)),
            }
        }
        let factors = random.below(3) as usize;
        Known::new(roots, factors, random)
    }

    /// Returns the smallest root in [0, 1] as a fraction, and its multiplicity.
    fn first(&self) -> Option<((i64, i64), usize)> {
        let inside = || self.roots.iter().filter(|&&(p, q)| 0 <= p && p <= q);
        let order = |&(p, q): &(i64, i64), &(r, s): &(i64, i64)| (p * s).cmp(&(r * q));
        let first = *inside().min_by(|a, b| order(a, b))?;
        let equal = |other: &&(i64, i64)| order(other, &first).is_eq();
        Some((first, inside().filter(equal).count()))
    }
}

fn fraction((p, q): (i64, i64)) -> RBig {
    RBig::from(p) / RBig::from(q)
}

/// Checks the conditions that every answer must fulfil, and returns the answer.
fn check_first_root(known: &Known, tolerance: f64) -> FirstRoot {
    let answer = known.polynomial.first_root(tolerance);
    let first = known.first();
    match (answer, first) {
        (FirstRoot::None, None) => {}
        (FirstRoot::None, Some((root, _))) => panic!("missed {root:?} of {:?}", known.roots),
        (FirstRoot::Isolated { lo, hi }, None) => panic!("no root in {lo}, {hi}: {:?}", known.roots),
        (FirstRoot::Suspect { lo, hi }, None) => assert!(0.0 <= lo && lo <= hi && hi <= 1.0),
        (FirstRoot::Isolated { lo, hi }, Some((root, _))) => {
            assert!(0.0 <= lo && lo <= hi && hi <= 1.0);
            assert!(rational(lo) <= fraction(root), "past {root:?}: {lo}, {hi}");
            assert!(rational(hi) >= fraction(root), "before {root:?}: {lo}, {hi}");
        }
        (FirstRoot::Suspect { lo, hi }, Some((root, _))) => {
            assert!(0.0 <= lo && lo <= hi && hi <= 1.0 && hi - lo <= tolerance);
            assert!(rational(lo) <= fraction(root), "past {root:?}: {lo}, {hi}");
        }
    }
    answer
}

#[test]
fn first_root_is_never_late() {
    let mut random = Random(4);
    let (mut none, mut isolated, mut suspect, mut simple, mut loose) = (0, 0, 0, 0, 0);
    for _ in 0..120_000 {
        let known = Known::draw(&mut random);
        let answer = check_first_root(&known, 1e-9);
        match answer {
            FirstRoot::None => none += 1,
            FirstRoot::Isolated { .. } => isolated += 1,
            FirstRoot::Suspect { .. } => suspect += 1,
        }
        // A simple root that is well separated from the others is isolated closely.
        if let Some((root, 1)) = known.first() {
            let x = root.0 as f64 / root.1 as f64;
            let near = known.roots.iter().filter(|r| (r.0 as f64 / r.1 as f64 - x).abs() < 0.02).count();
            if near == 1 && root.0 != 0 && root.0 != root.1 {
                simple += 1;
                let FirstRoot::Isolated { lo, hi } = answer else { panic!("{:?} {answer:?}", known.roots) };
                loose += usize::from(hi - lo > 1e-8);
            }
        }
    }
    // There are enough of each kind, so that a generator that never hits cannot pass.
    assert!(none > 5_000 && isolated > 40_000 && suspect > 5_000, "{none} {isolated} {suspect}");
    assert!(simple > 20_000 && loose * 200 < simple, "{simple} {loose}");
}

#[test]
fn first_root_at_high_degree() {
    let mut random = Random(5);
    let mut isolated = 0;
    for (count, factors) in [(1, 10), (3, 12), (2, 14), (1, 47), (2, 47), (30, 0), (6, 45)].repeat(20) {
        let mut root = || {
            let q = 2 + random.below(100) as i64;
            (random.below(q as u64 + 1) as i64, q)
        };
        let roots: Vec<_> = (0..count).map(|_| root()).collect();
        let known = Known::new(roots, factors, &mut random);
        isolated += usize::from(matches!(check_first_root(&known, 1e-6), FirstRoot::Isolated { .. }));
    }
    assert!(isolated > 70, "{isolated}");
}

#[test]
fn first_root_backwards_is_last_root() {
    let mut random = Random(6);
    for _ in 0..3000 {
        let known = Known::draw(&mut random);
        let mirrored: Vec<_> = known.roots.iter().map(|&(p, q)| (q - p, q)).collect();
        check_first_root(&Known { polynomial: known.polynomial.reversed(), roots: mirrored }, 1e-7);
        let negative = Known { polynomial: known.polynomial.negated(), roots: known.roots.clone() };
        assert_eq!(negative.polynomial.first_root(1e-7), known.polynomial.first_root(1e-7));
    }
}

#[test]
fn first_root_special_cases() {
    let root = |coefficients: &[f64]| Bernstein::from_coefficients(coefficients).unwrap().first_root(1e-6);
    assert_eq!(root(&[0.0]), FirstRoot::Isolated { lo: 0.0, hi: 0.0 });
    assert_eq!(root(&[0.0, 1.0, -1.0]), FirstRoot::Isolated { lo: 0.0, hi: 0.0 });
    assert_eq!(root(&[3.0]), FirstRoot::None);
    assert_eq!(root(&[-3.0, -1.0, 0.0]), FirstRoot::Isolated { lo: 1.0, hi: 1.0 });
    assert_eq!(root(&[1.0, 0.0, 0.0]), FirstRoot::Isolated { lo: 1.0, hi: 1.0 });
    let uncertain = Bernstein::with_errors(&[1e-9, 1.0], &[1e-8, 0.0]).unwrap();
    assert_eq!(uncertain.first_root(1e-6), FirstRoot::Suspect { lo: 0.0, hi: 1e-6 });
    // A tiny root, found with a small relative error.
    let FirstRoot::Isolated { lo, hi } = root(&[-1e-200, 1.0]) else { panic!() };
    assert!(lo <= 1e-200 && 1e-200 <= hi && hi - lo < 1e-214, "{lo:e} {hi:e}");
    // Invalid tolerances.
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let p = Bernstein::from_coefficients(&[1.0, -1.0, 1.0]).unwrap();
        let FirstRoot::Suspect { lo, .. } = p.first_root(tolerance) else { panic!() };
        assert!(lo <= 0.5);
    }
}

#[test]
fn errors_of_the_input_are_respected() {
    // For every true polynomial within the errors, the answer must hold.
    let mut random = Random(7);
    let mut proven = 0;
    for _ in 0..3000 {
        let values: Vec<f64> = (0..4).map(|_| 2.0 * random.unit() - 1.0).collect();
        let errors: Vec<f64> = (0..4).map(|_| random.unit() * 0.02).collect();
        let answer = Bernstein::with_errors(&values, &errors).unwrap().first_root(1e-9);
        for _ in 0..4 {
            let mut shift = || 2.0 * random.unit() - 1.0;
            let member: Vec<f64> = values.iter().zip(&errors).map(|(v, e)| v + 0.999 * e * shift()).collect();
            let one = Bernstein::from_coefficients(&member).unwrap().first_root(1e-9);
            match (answer, one) {
                (FirstRoot::None, _) => assert_eq!(one, FirstRoot::None),
                (FirstRoot::Isolated { lo, hi }, FirstRoot::Isolated { lo: a, hi: b }) => {
                    assert!(lo <= b && a <= hi);
                    proven += 1;
                }
                (FirstRoot::Isolated { .. }, FirstRoot::None) => panic!("a root that is not there"),
                (FirstRoot::Suspect { lo, .. }, FirstRoot::Isolated { hi, .. }) => assert!(lo <= hi),
                _ => {}
            }
        }
    }
    assert!(proven > 1000, "{proven}");
}

/// `0.1 - 1.1 t³`, each coefficient known to 0.098 only. At the distance from its root at which a straight line of the
/// same slope would exceed the error, the cubic does not: it flattens. `0.002 - 1.1 t³` is one of the polynomials
/// meant, and its root is earlier.
#[test]
fn a_flat_polynomial_has_an_early_root() {
    let p = Bernstein::with_errors(&[0.1, 0.1, 0.1, -1.0], &[0.098; 4]).unwrap();
    let FirstRoot::Isolated { lo, hi } = p.first_root(1e-9) else { panic!() };
    let (first, last) = ((0.002_f64 / 1.1).cbrt(), (0.198_f64 / 1.1).cbrt());
    assert!(lo <= first && last <= hi, "{lo} {hi}, {first} {last}");
}
