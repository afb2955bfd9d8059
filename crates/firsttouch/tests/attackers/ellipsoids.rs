//! Adversarial ellipsoids: extreme scales and offsets, needles and plates, tiny tolerances and budgets, grazes of high
//! order, weights close to zero. Every answer is checked against exact arithmetic at sampled times.
//!
//! [`run`] panics at the first broken guarantee and counts the outcomes, so that a caller can check that no family is
//! empty.

use dashu_ratio::Relaxed;
use firsttouch::advancement::{Limits, PieceTouch, Verdict};
use firsttouch::ellipsoid::{
    self, CoverOptions, EllipsoidMotion, LOOP_RESOLUTION, MovingEllipsoid, Overlap, OverlapKind, Posed,
    Relation,
};
use firsttouch::motion::{Affine, Motion, Pose, Rational};
use firsttouch::shape::{Capsule, Cylinder, Ellipsoid, Shape};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DMat3, DQuat, DVec3};

#[path = "exact_ellipsoid.rs"]
pub(crate) mod exact_ellipsoid;

use exact_ellipsoid::{Placed, Side, exact, is_apart, normal, touch, vector};

/// Counts of the outcomes of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Pairs at rest: separate, touching, overlapping.
    pub(crate) at_rest: [u64; 3],
    /// Moving pairs: free, touching, undecided.
    pub(crate) moving: [u64; 3],
    /// Instants with a certificate: apart, in touch.
    pub(crate) certified: [u64; 2],
    /// Intervals of overlap, and the number of them that are grazes.
    pub(crate) intervals: [u64; 2],
    /// Scenes, and those with a touch.
    pub(crate) scenes: [u64; 2],
    /// Sets of points enclosed, and rims of cylinders and capsules covered.
    pub(crate) enclosed: [u64; 2],
    /// Motions that a constructor rejected.
    pub(crate) refused: u64,
    /// Ellipsoids that change their shape: free, touching, undecided.
    pub(crate) affine: [u64; 3],
    /// Grazes of order 2, 4 and 6 whose exact first contact is known: the number reported more than a millionth before
    /// it, and the number of all.
    pub(crate) early: [[u64; 2]; 3],
}

/// Runs this number of rounds of each kind.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds as u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (round << 20));
        let name = format!("seed {seed}, round {round}");
        at_rest(&mut random, &mut counts, &name);
        moving(&mut random, &mut counts, &name);
        grazing(&mut random, &mut counts, &name);
        nearly_singular(&mut random, &mut counts, &name);
        changing(&mut random, &mut counts, &name);
        modes(&mut random, &mut counts, &name);
        enclosed(&mut random, &mut counts, &name);
    }
    counts
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    fn rotation(&mut self) -> DQuat {
        let v = self.vector(1.0);
        DQuat::from_xyzw(v.x, v.y, v.z, self.between(0.05, 1.0))
    }

    /// Returns the semi-axes of a potato, a needle or a plate.
    fn axes(&mut self) -> DVec3 {
        let thin = 10.0_f64.powf(self.between(-8.0, -0.5));
        match self.below(4) {
            0 => DVec3::new(1.0, thin, thin * self.between(0.5, 1.0)),
            1 => DVec3::new(1.0, self.between(0.3, 1.0), thin),
            _ => DVec3::new(self.between(0.3, 1.0), self.between(0.3, 1.0), self.between(0.3, 1.0)),
        }
    }

    /// Returns a power of two from `2^-low` to `2^high`, or 1 half of the time.
    fn scale(&mut self, low: i32, high: i32) -> f64 {
        if self.below(2) == 0 {
            1.0
        } else {
            2.0_f64.powi(self.between(f64::from(low), f64::from(high)) as i32)
        }
    }

    /// Returns zero or a far offset.
    fn offset(&mut self) -> DVec3 {
        let size = if self.below(2) == 0 { 0.0 } else { 10.0_f64.powf(self.between(0.0, 8.0)) };
        self.vector(size)
    }
}

/// Two ellipsoids at rest: certified relations hold, and a power of two changes nothing.
fn at_rest(random: &mut Random, counts: &mut Counts, name: &str) {
    let axes = [random.axes(), random.axes()];
    let turns = [random.rotation(), random.rotation()];
    let direction = random.vector(1.0);
    let distance = random.between(0.2, 2.0);
    // A quarter of them are on a common axis, where they touch to the last bit.
    let is_aligned = random.below(4) == 0;
    let d = if is_aligned { DVec3::X * (axes[0].x + axes[1].x) } else { direction.normalize() * distance };
    let turns = if is_aligned { [DQuat::IDENTITY; 2] } else { turns };
    let at = |scale: f64| {
        let shapes = axes.map(|axes| Ellipsoid::new(axes * scale).expect("a size that is accepted"));
        let poses = [DVec3::ZERO, d * scale].into_iter().zip(turns);
        let poses: Vec<Pose> =
            poses.map(|(p, q)| Pose::new(p, q).expect("a place that is accepted")).collect();
        let relation = Posed::new(&shapes[0], &poses[0]).relation(&Posed::new(&shapes[1], &poses[1]));
        (relation, [0, 1].map(|k| Placed::at_rest(shapes[k].semi_axes(), &poses[k])))
    };
    let (relation, placed) = at(1.0);
    counts.at_rest[relation as usize] += 1;
    match touch(&placed[0], &placed[1]) {
        Some(true) => assert_ne!(relation, Relation::Separate, "{name}"),
        Some(false) => assert_eq!(relation, Relation::Separate, "{name}"),
        None => {}
    }
    // The least semi-axis is 1e-8, and 2^-300 of that is accepted.
    let scale = 2.0_f64.powi(random.between(-300.0, 330.0) as i32);
    assert_eq!(at(scale).0, relation, "{name}: scaled by {scale:e}");
    // Images of the unit ball may be smaller still.
    let tiny = 2.0_f64.powi(random.between(-900.0, -300.0) as i32);
    let affine = |k: usize, scale: f64| {
        let columns = DMat3::from_quat(turns[k].normalize()) * DMat3::from_diagonal(axes[k]);
        let columns =
            DMat3::from_cols(columns.x_axis * scale, columns.y_axis * scale, columns.z_axis * scale);
        Posed::affine(columns, if k == 0 { DVec3::ZERO } else { d * scale }).expect("a regular matrix")
    };
    let plain = affine(0, 1.0).relation(&affine(1, 1.0));
    assert_eq!(affine(0, tiny).relation(&affine(1, tiny)), plain, "{name}: images scaled by {tiny:e}");
}

fn limits(tolerance: f64, max_iterations: usize) -> Limits {
    let options = Options { tolerance, max_iterations, ..Options::default() };
    Limits::new(&options).expect("valid options")
}

/// Checks that there is no contact before the time up to which a pair is free, and that at a touch the distance is at
/// most the gap.
fn check_outcome(
    random: &mut Random,
    counts: &mut Counts,
    name: &str,
    sides: &[Side; 2],
    outcome: &Verdict<PieceTouch>,
    tolerance: f64,
) {
    let at = |t: f64| [sides[0].at(t), sides[1].at(t)];
    let until = match *outcome {
        Verdict::Free => {
            counts.moving[0] += 1;
            1.0
        }
        Verdict::Touch(PieceTouch { t, separation }) => {
            counts.moving[1] += 1;
            assert!(separation.upper <= tolerance && separation.upper >= 0.0, "{name}: {separation:?}");
            let [a, b] = at(t);
            for n in [Some(separation.normal), normal(&a, &b)].into_iter().flatten() {
                assert!(
                    !is_apart(&a, &b, n, separation.upper),
                    "{name}: farther apart than {separation:?} at {t}"
                );
            }
            t
        }
        Verdict::Undecided { free_until } => {
            counts.moving[2] += 1;
            free_until
        }
    };
    for k in 0..4 {
        let t = until * if k == 0 { 1.0 - 1e-9 } else { random.unit() };
        if t < until {
            let [a, b] = at(t);
            let found = touch(&a, &b);
            assert_ne!(found, Some(true), "{name}: in touch at {t}, free until {until}");
            counts.certified[0] += u64::from(found == Some(false));
        }
    }
}

/// Checks the intervals against sampled times.
fn check_overlaps(
    random: &mut Random,
    counts: &mut Counts,
    name: &str,
    sides: &[Side; 2],
    overlaps: &[Overlap],
) {
    counts.intervals[0] += overlaps.len() as u64;
    counts.intervals[1] += overlaps.iter().filter(|o| o.kind == OverlapKind::Graze).count() as u64;
    let state = |t: f64| touch(&sides[0].at(t), &sides[1].at(t));
    let mut times: Vec<f64> = (0..6).map(|_| random.unit()).collect();
    for overlap in overlaps.iter().take(4) {
        times.extend([
            0.5 * (overlap.start[1] + overlap.end[0]),
            overlap.start[0] - 1e-7,
            overlap.end[1] + 1e-7,
        ]);
    }
    for t in times.into_iter().filter(|t| (0.0..=1.0).contains(t)) {
        let found = state(t);
        let is_certain = |o: &Overlap| o.kind == OverlapKind::Overlap && o.start[1] <= t && t <= o.end[0];
        let is_possible = |o: &Overlap| o.start[0] <= t && t <= o.end[1];
        if !overlaps.iter().any(is_possible) {
            assert_ne!(found, Some(true), "{name}: in touch at {t}, outside of {overlaps:?}");
            counts.certified[0] += u64::from(found == Some(false));
        }
        if overlaps.iter().any(is_certain) && found == Some(false) {
            // Only a separation that is too short to be reported is allowed here.
            let around = [t - LOOP_RESOLUTION, t + LOOP_RESOLUTION].map(|t| state(t.clamp(0.0, 1.0)));
            assert_ne!(around, [Some(false); 2], "{name}: apart at {t}, inside of {overlaps:?}");
        }
        counts.certified[1] += u64::from(found == Some(true));
    }
}

/// Moving pairs at all scales, offsets, tolerances and budgets.
fn moving(random: &mut Random, counts: &mut Counts, name: &str) {
    let scale = random.scale(-300, 290);
    let offset = random.offset();
    let shapes = [0, 1].map(|_| Ellipsoid::new(random.axes() * scale).expect("a size that is accepted"));
    let mut pose = || Pose::new((offset + random.vector(2.5)) * scale, random.rotation()).expect("a place");
    let poses = [[pose(), pose()], [pose(), pose()]];
    let sides = [0, 1].map(|k| Side::between(shapes[k].semi_axes(), poses[k][0], poses[k][1]));
    let motions = poses.map(|[from, to]| Motion::rational(from, to));
    // Options reject a tolerance below 1e-100.
    let tolerance = (scale * 10.0_f64.powf(random.between(-18.0, -3.0))).max(1e-100);
    let budget = if random.below(3) == 0 { 10_000 } else { 1 + random.below(4) };
    let [a, b] = [0, 1].map(|k| MovingEllipsoid { shape: &shapes[k], motion: &motions[k] });
    let outcome = ellipsoid::first_touch(a, b, &limits(tolerance, budget), &mut 0);
    check_outcome(random, counts, name, &sides, &outcome, tolerance);
    let overlaps = ellipsoid::overlap_intervals(a, b).expect("rational motions");
    check_overlaps(random, counts, name, &sides, &overlaps);
}

/// `x(t) = 2 + c Π (t − r)^m` for the distance of two ellipsoids of half width one along x: contacts of any order, at
/// known times.
fn grazing(random: &mut Random, counts: &mut Counts, name: &str) {
    let mut powers = vec![-[1.0, 4.0, 16.0][random.below(3)]];
    let root = |powers: &mut Vec<f64>, r: f64, order: usize| {
        for _ in 0..order {
            let mut next = vec![0.0; powers.len() + 1];
            for (i, c) in powers.iter().enumerate() {
                next[i] -= r * c;
                next[i + 1] += c;
            }
            *powers = next;
        }
    };
    let order = [2, 4, 6][random.below(3)];
    root(&mut powers, random.between(0.1, 0.5), order);
    for _ in 0..1 + random.below(3) {
        root(&mut powers, random.between(0.3, 1.2), 1);
    }
    let axes = [0, 1].map(|_| DVec3::new(1.0, random.between(0.1, 2.0), random.between(0.1, 2.0)));
    let axes = if random.below(2) == 0 { [DVec3::ONE; 2] } else { axes };
    let scale = random.scale(-320, 320);
    let mut xyz: Vec<[f64; 3]> = powers.iter().map(|c| [-c * scale, 0.0, 0.0]).collect();
    xyz[0][0] += 2.0 * scale;
    let shapes = axes.map(|axes| Ellipsoid::new(axes * scale).expect("a size that is accepted"));
    let motion =
        Motion::Rational(Rational::from_power_basis(&[], &xyz, &[]).expect("no denominators").into());
    let still = Motion::fixed(Pose::IDENTITY);
    let sides = [
        Side::translated(shapes[0].semi_axes(), &xyz, &[]),
        Side::translated(shapes[1].semi_axes(), &[[0.0; 3]], &[]),
    ];
    let (a, b) = (
        MovingEllipsoid { shape: &shapes[0], motion: &motion },
        MovingEllipsoid { shape: &shapes[1], motion: &still },
    );
    let overlaps = ellipsoid::overlaps(
        EllipsoidMotion::Rigid(&shapes[0], &motion),
        EllipsoidMotion::Rigid(&shapes[1], &still),
        &Options::default(),
    )
    .expect("rational motions");
    check_overlaps(random, counts, name, &sides, &overlaps);
    let tolerance = (scale * 1e-9).max(1e-100);
    let outcome = ellipsoid::first_touch(a, b, &limits(tolerance, 1000), &mut 0);
    check_outcome(random, counts, name, &sides, &outcome, tolerance);
    // The exact first contact of the given motion: both are of half width one along x, and the other axes have no
    // effect. A touch is never later, and before it the bodies are within the tolerance; if the distance has a root of
    // order 6, that is a long time. The approach is from either side.
    let side = if xyz[0][0] < 0.0 { -1.0 } else { 1.0 };
    let distance: Vec<Relaxed> = xyz
        .iter()
        .enumerate()
        .map(|(k, row)| exact(side * row[0]) - if k == 0 { exact(2.0 * scale) } else { Relaxed::ZERO })
        .collect();
    let has_met = |t: f64| distance[0] <= Relaxed::ZERO || has_root_up_to(&distance, &exact(t));
    // The last instant that is proven free, if there is one.
    let proven = match &outcome {
        Verdict::Free => Some(1.0),
        Verdict::Touch(PieceTouch { t: until, .. }) | Verdict::Undecided { free_until: until } => {
            (*until > 0.0).then(|| until.next_down())
        }
    };
    assert!(!proven.is_some_and(has_met), "{name}: late, {outcome:?} of {xyz:?}");
    if let Verdict::Touch(found) = &outcome {
        let here = distance.iter().rev().fold(Relaxed::ZERO, |sum, c| sum * exact(found.t) + c);
        assert!(here <= exact(tolerance), "{name}: beyond the tolerance, {outcome:?} of {xyz:?}");
        let of_order = &mut counts.early[order / 2 - 1];
        of_order[0] += u64::from(!has_met((found.t + 1e-6).min(1.0)));
        of_order[1] += 1;
    }
    if let Verdict::Free = outcome {
        assert!(overlaps.iter().all(|o| o.kind == OverlapKind::Graze), "{name}: free, but {overlaps:?}");
    }
}

/// Returns true if a polynomial, given by its powers, has a root in `[0, t]`, by Sturm's theorem in exact arithmetic.
fn has_root_up_to(powers: &[Relaxed], t: &Relaxed) -> bool {
    let at = |p: &[Relaxed], t: &Relaxed| p.iter().rev().fold(Relaxed::ZERO, |sum, c| sum * t + c);
    if at(powers, &Relaxed::ZERO) == Relaxed::ZERO || at(powers, t) == Relaxed::ZERO {
        return true;
    }
    let trimmed = |mut p: Vec<Relaxed>| {
        while p.last().is_some_and(|c| *c == Relaxed::ZERO) {
            p.pop();
        }
        p
    };
    let first = trimmed(powers.to_vec());
    let derivative: Vec<Relaxed> =
        first.iter().enumerate().skip(1).map(|(k, c)| c * Relaxed::from(k as u64)).collect();
    let mut chain = vec![first, trimmed(derivative)];
    while let [.., a, b] = &chain[..]
        && b.len() > 1
    {
        // The remainder of the division, with the sign reversed. Its leading coefficient is made one, or minus one.
        let mut rest = a.clone();
        while rest.len() >= b.len() {
            let factor = rest[rest.len() - 1].clone() / &b[b.len() - 1];
            let shift = rest.len() - b.len();
            for (k, c) in b.iter().enumerate() {
                rest[k + shift] = rest[k + shift].clone() - &factor * c;
            }
            rest.pop();
        }
        let rest = trimmed(rest);
        let Some(last) = rest.last() else { break };
        let size = if *last < Relaxed::ZERO { -last.clone() } else { last.clone() };
        let next = rest.iter().map(|c| (-c.clone() / &size).canonicalize().relax()).collect();
        chain.push(next);
    }
    let changes = |t: &Relaxed| {
        let signs: Vec<bool> = chain
            .iter()
            .map(|p| at(p, t))
            .filter(|x| *x != Relaxed::ZERO)
            .map(|x| x > Relaxed::ZERO)
            .collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    changes(&Relaxed::ZERO) > changes(t)
}

/// Ellipsoids that change their shape as they move, in a scene, against others that do or do not.
fn changing(random: &mut Random, counts: &mut Counts, name: &str) {
    let scale = random.scale(-200, 200);
    let mut scene = Scene::default();
    let mut sides = Vec::new();
    for (k, body) in ["a", "b"].into_iter().enumerate() {
        let axes = random.axes() * scale;
        let degree = if k == 1 && random.below(3) == 0 { 0 } else { 1 + random.below(2) };
        let turn = DMat3::from_quat(random.rotation().normalize()).transpose().to_cols_array();
        let mut linear = vec![turn];
        let mut xyz = vec![(random.vector(1.8) * scale).to_array()];
        for _ in 0..degree {
            linear.push(std::array::from_fn(|_| random.between(-0.3, 0.3)));
            xyz.push((random.vector(2.5) * scale).to_array());
        }
        let weight = if random.below(2) == 0 { vec![] } else { vec![1.0, random.between(-0.5, 0.5)] };
        let Ok(motion) = Affine::from_power_basis(axes, &linear, &xyz, &weight) else {
            counts.refused += 1;
            return;
        };
        sides.push(Side::affine(axes, &linear, &xyz, &weight));
        scene.add(Body::affine(body, motion)).expect("a body");
    }
    let options = Options {
        tolerance: (scale * 10.0_f64.powf(random.between(-12.0, -3.0))).max(1e-100),
        max_iterations: if random.below(3) == 0 { 1 + random.below(4) } else { 10_000 },
        mode: if random.below(2) == 0 { Mode::First } else { Mode::Any },
        ..Options::default()
    };
    let answer = scene.check(&options).expect("valid options").answer;
    let at = |t: f64| [sides[0].at(t), sides[1].at(t)];
    let kind = match &answer {
        Answer::Free => 0,
        Answer::Touch(_) | Answer::TouchingAtStart(_) => 1,
        Answer::Undecided { .. } => 2,
    };
    counts.affine[kind] += 1;
    if let Some(found) = answer.touch() {
        assert!(found.gap <= options.tolerance, "{name}: {found:?} {options:?}");
        let [a, b] = at(found.toi);
        for n in [Some(found.normal), normal(&a, &b)].into_iter().flatten() {
            assert!(!is_apart(&a, &b, n, found.gap), "{name}: farther apart than {found:?}");
        }
    }
    let until = answer.free_until(1.0);
    for k in 0..6 {
        let t = until * if k == 0 { 1.0 - 1e-9 } else { random.unit() };
        if t < until || answer == Answer::Free {
            let [a, b] = at(t);
            let found = touch(&a, &b);
            assert_ne!(found, Some(true), "{name}: in touch at {t}, {answer:?} {options:?}");
            counts.certified[0] += u64::from(found == Some(false));
        }
    }
}

/// A weight comes close to zero: the ellipsoid rushes away and back.
fn nearly_singular(random: &mut Random, counts: &mut Counts, name: &str) {
    let (r, least) = (random.between(0.2, 0.8), 10.0_f64.powf(random.between(-9.0, -1.0)));
    let size = [1.0, 1e-60, 1e-90, 1e60][random.below(4)];
    let weight = [(r * r + least) * size, -2.0 * r * size, size];
    let xyz: Vec<[f64; 3]> = (0..3).map(|_| (random.vector(2.0) * size).to_array()).collect();
    let Ok(motion) = Rational::from_power_basis(&[], &xyz, &weight) else {
        counts.refused += 1;
        return;
    };
    let motion = Motion::Rational(motion.into());
    let still = Motion::fixed(Pose::IDENTITY);
    let shapes = [0, 1].map(|_| Ellipsoid::new(random.axes()).expect("ordinary sizes"));
    let sides = [
        Side::translated(shapes[0].semi_axes(), &xyz, &weight),
        Side::translated(shapes[1].semi_axes(), &[[0.0; 3]], &[]),
    ];
    let (a, b) = (
        MovingEllipsoid { shape: &shapes[0], motion: &motion },
        MovingEllipsoid { shape: &shapes[1], motion: &still },
    );
    let outcome = ellipsoid::first_touch(a, b, &limits(1e-6, 1 + random.below(200)), &mut 0);
    check_outcome(random, counts, name, &sides, &outcome, 1e-6);
    let overlaps = ellipsoid::overlap_intervals(a, b).expect("rational motions");
    check_overlaps(random, counts, name, &sides, &overlaps);
}

/// `any` finds a touch exactly if `first` does, and so does `all`.
fn modes(random: &mut Random, counts: &mut Counts, name: &str) {
    let mut scene = Scene::default();
    for k in 0..3 {
        let shape = Ellipsoid::new(random.axes()).expect("ordinary sizes");
        let mut pose = || Pose::new(random.vector(3.0), random.rotation()).expect("ordinary places");
        let motion = Motion::rational(pose(), pose());
        scene.add(Body::new(format!("body {k}"), shape, motion)).expect("a body");
    }
    let answer =
        |mode: Mode| scene.check(&Options { mode, ..Options::default() }).expect("valid options").answer;
    let has_touch = |answer: &Answer| match answer {
        Answer::Free => Some(false),
        other => other.touch().map(|_| true),
    };
    let found = [Mode::First, Mode::Any, Mode::All].map(|mode| has_touch(&answer(mode)));
    let decided: Vec<bool> = found.into_iter().flatten().collect();
    assert!(decided.windows(2).all(|pair| pair[0] == pair[1]), "{name}: {found:?}");
    counts.scenes[0] += 1;
    counts.scenes[1] += u64::from(decided.contains(&true));
}

/// Sets without volume, at all scales, and the rims of turned cylinders and capsules.
fn enclosed(random: &mut Random, counts: &mut Counts, name: &str) {
    let (scale, offset) = (random.scale(-400, 320), random.offset());
    // Coordinates beyond 1e100 are refused.
    let scale = if scale * (offset.abs().max_element() + 1.0) < 1e99 { scale } else { 1.0 };
    let (turn, thin) = (DMat3::from_quat(random.rotation().normalize()), random.axes());
    let stretch = match random.below(4) {
        0 => DVec3::X,
        1 => DVec3::new(1.0, random.unit(), 0.0),
        _ => thin,
    };
    let count = 1 + random.below(12);
    let points: Vec<DVec3> =
        (0..count).map(|_| (offset + turn * (random.vector(1.0) * stretch)) * scale).collect();
    let (shape, pose) =
        ellipsoid::enclosing(&points).unwrap_or_else(|e| panic!("{name}: {e} for {points:?}"));
    let placed = Placed::at_rest(shape.semi_axes(), &pose);
    for &point in &points {
        assert!(placed.level(&vector(point)) <= Relaxed::ONE, "{name}: {point} is outside");
    }
    let reach = points.iter().map(|p| ((*p - points[0]) / scale).length()).fold(0.0, f64::max) * scale;
    // The smallest ellipsoid extends at most three times as far as the points, and rounding makes it twice as large;
    // nothing is claimed below one rounding of the coordinates or below the smallest size.
    let least = 1e-99 + 1e-15 * offset.abs().max_element() * scale;
    let axes = shape.semi_axes();
    assert!(axes.max_element() <= 6.0 * reach + least, "{name}: {axes} around {reach:e}");
    if stretch == DVec3::X {
        let middle = axes.x.min(axes.y).max(axes.x.max(axes.y).min(axes.z));
        assert!(middle <= 1e-4 * reach + 4.0 * least, "{name}: {axes} around a line of {reach:e}");
    }
    counts.enclosed[0] += 1;

    let half = 10.0_f64.powf(random.between(-3.0, 6.0));
    let pose = Pose::new(random.vector(1.0), random.rotation()).expect("an ordinary place");
    let is_capsule = random.below(2) == 0;
    let shape = if is_capsule {
        Shape::from(Capsule::new(1.0, 2.0 * half).expect("ordinary sizes"))
    } else {
        Shape::from(Cylinder::new(1.0, 2.0 * half).expect("ordinary sizes"))
    };
    let options = CoverOptions { most: 1, ..CoverOptions::default() };
    let piece = &ellipsoid::cover_all([(&shape, pose)], &options).expect("a cover")[0];
    let cover = Placed::at_rest(piece.shape.semi_axes(), &piece.pose);
    let frame = Placed::at_rest(DVec3::ONE, &pose);
    for _ in 0..4 {
        // A rational point of the circle.
        let a = exact(random.between(-2.0, 2.0));
        let d = Relaxed::ONE + &a * &a;
        let rim = [(Relaxed::ONE - &a * &a) / &d, (&a + &a) / &d, exact(half)];
        assert!(cover.level(&frame.place(&rim)) <= Relaxed::ONE, "{name}: the rim of {shape:?} is outside");
        counts.enclosed[1] += 1;
    }
}
