//! Attacks on scenes of bodies of all kinds: solids, ellipsoids, affine ellipsoids, meshes, robots, held bodies,
//! deforming meshes.
//!
//! [`run`] makes `rounds` scenes from a seed and panics with the story at the first broken promise:
//! - the modes judge each other: `all` has the answer of `first` and lists every pair that is not free, `any` claims no
//!   more than `first`, and if one mode says "within `gap` at `toi`", no other may call that separation kept for longer
//!   than `toi`;
//! - orders of bodies and numbers of threads change no bit;
//! - free answers are sampled, pair by pair.
//!
//! Tolerances go down to 1e-18, budgets to one step, scenes are up to 1e8 away from the origin, and pairs have their
//! own separations.

use firsttouch::{Answer, Mode, Options, Report, Scene, Touch};
use glam::DVec3;

use crate::random::Random;

use super::mixed_bodies::{self, KINDS, Kind};

/// Counts of the scenes by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) scenes: usize,
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    /// Pairs in the lists of `all`.
    pub(crate) pairs: usize,
    /// Touches that were compared with another mode.
    pub(crate) judged: usize,
    /// Touches of `any` that are not the first.
    pub(crate) later: usize,
    /// Undecided answers of `any`.
    pub(crate) undecided_any: usize,
    /// Distances that were sampled.
    pub(crate) sampled: usize,
}

/// Attacks `rounds` times.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(0x9fb2_1c65_1e98_df25).wrapping_add(round as u64));
        scene(&mut random, &mut counts, &format!("seed {seed}, round {round}"));
    }
    counts
}

fn below(random: &mut Random, n: usize) -> usize {
    (random.next() % n as u64) as usize
}

fn pick(random: &mut Random, values: &[f64]) -> f64 {
    values[below(random, values.len())]
}

/// One body of a scene.
struct Planned {
    name: String,
    kind: Kind,
    seed: u64,
    from: DVec3,
    to: DVec3,
}

/// Returns the scene with its bodies in an order.
fn build(planned: &[Planned], order: &[usize], apart: Option<([usize; 2], f64)>) -> Scene {
    let mut scene = Scene::default();
    for &i in order {
        let Planned { name, kind, seed, from, to } = &planned[i];
        mixed_bodies::add(&mut scene, &mut Random(*seed), name, *kind, *from, *to);
    }
    if let Some((pair, separation)) = apart {
        let [a, b] = pair.map(|i| &planned[i].name);
        scene.keep_apart(a, b, separation).expect("both are there");
    }
    scene
}

/// Returns the two bodies of a touch by name, and the touch with the lesser name first.
fn named(scene: &Scene, touch: &Touch) -> ([String; 2], Touch) {
    let names = touch.bodies.map(|i| scene.bodies()[i].name().to_string());
    let mut touch = touch.clone();
    let mut names = names;
    if names[0] > names[1] {
        names.swap(0, 1);
        touch = touch.swapped();
    }
    touch.bodies = [0, 1];
    (names, touch)
}

fn same_bits(one: (&Scene, &Answer), other: (&Scene, &Answer), story: &dyn Fn() -> String) {
    assert_eq!(std::mem::discriminant(one.1), std::mem::discriminant(other.1), "{}", story());
    assert_eq!(one.1.free_until(1.0).to_bits(), other.1.free_until(1.0).to_bits(), "{}", story());
    if let (Some(p), Some(q)) = (one.1.touch(), other.1.touch()) {
        assert_eq!(named(one.0, p), named(other.0, q), "{}", story());
    }
}

fn scene(random: &mut Random, counts: &mut Counts, name: &str) {
    let bodies = 2 + below(random, 4);
    let far = pick(random, &[0.0, 0.0, 1.0, 1e3, 1e8]);
    let away = random.vector(far);
    let spread = pick(random, &[1.5, 2.5, 4.0]);
    let planned: Vec<Planned> = (0..bodies)
        .map(|k| Planned {
            // The names are in another order than the bodies.
            name: format!("{}{k}", ["m", "a", "z", "f", "q"][k % 5]),
            kind: KINDS[below(random, KINDS.len())],
            seed: random.next(),
            from: away + random.vector(spread),
            to: away + random.vector(spread),
        })
        .collect();
    let apart = (below(random, 3) == 0).then(|| ([0, 1], random.range(0.01, 0.3)));
    let options = Options {
        tolerance: pick(random, &[1e-3, 1e-6, 1e-6, 1e-9, 1e-18]),
        min_separation: pick(random, &[0.0, 0.0, 0.02]),
        max_iterations: [1, 2, 3, 4, 10_000, 10_000, 10_000, 10_000][below(random, 8)],
        t_max: pick(random, &[1.0, 1.0, 0.7]),
        ..Options::default()
    };
    let order: Vec<usize> = (0..bodies).collect();
    let built = build(&planned, &order, apart);
    let ask = |mode: Mode| built.check(&Options { mode, ..options }).expect("valid options");
    let [first, any, all] = [Mode::First, Mode::Any, Mode::All].map(ask);
    let kinds: Vec<Kind> = planned.iter().map(|body| body.kind).collect();
    let story = || {
        format!(
            "{name} {kinds:?} {options:?} {apart:?}: first {:?}, any {:?}, all {:?}",
            first.answer, any.answer, all.answer
        )
    };
    counts.scenes += 1;
    match &first.answer {
        Answer::Free => counts.free += 1,
        Answer::Touch(_) => counts.touch += 1,
        Answer::TouchingAtStart(_) => counts.at_start += 1,
        Answer::Undecided { .. } => counts.undecided += 1,
    }
    counts.pairs += all.pairs.len();
    modes(counts, [&first, &any, &all], &options, &story);

    let needed = |pair: [usize; 2]| {
        let is_named = |k: usize, i: usize| built.bodies()[pair[k]].name() == planned[i].name;
        let own = apart.filter(|([a, b], _)| {
            (is_named(0, *a) && is_named(1, *b)) || (is_named(0, *b) && is_named(1, *a))
        });
        own.map_or(options.min_separation, |(_, separation)| separation)
    };
    let pairs = all.pairs.iter().filter_map(|pair| pair.answer.touch());
    let touches: Vec<&Touch> =
        [&first, &any].into_iter().filter_map(|report| report.answer.touch()).chain(pairs).collect();
    for touch in &touches {
        // The exact time of vertices on lines is known, and rounded: the gap comes from the rounding.
        let rounding = 1e-14 * (8.0 + away.length());
        let is_exact = touch.bodies.iter().all(|&i| built.bodies()[i].kind_name() == "deformable");
        let near = needed(touch.bodies) + options.tolerance + if is_exact { rounding } else { 0.0 };
        assert!(touch.gap <= near && touch.gap >= 0.0, "too early {touch:?}: {}", story());
        assert!(touch.points.iter().all(|p| p.is_finite()), "{touch:?}: {}", story());
    }
    if !touches.is_empty() {
        let touch = touches[below(random, touches.len())];
        let mut judge = build(&planned, &order, None);
        let [a, b] = touch.bodies.map(|i| built.bodies()[i].name());
        let gap = touch.gap.max(needed(touch.bodies)) * (1.0 + 1e-12);
        if a == b {
            counts.judged += 1;
        } else {
            judge.keep_apart(a, b, gap).expect("both are there");
            let mode = [Mode::First, Mode::Any, Mode::All][below(random, 3)];
            let answer = judge.check(&Options { mode, ..options }).expect("valid options").answer;
            counts.judged += 1;
            assert!(
                answer.free_until(options.t_max) <= touch.toi,
                "{touch:?}, but {mode:?} with a separation of {gap:e} says {answer:?}: {}",
                story()
            );
        }
    }
    // Compares other orders, and other numbers of threads.
    let mut shuffled = order.clone();
    for i in (1..bodies).rev() {
        shuffled.swap(i, below(random, i + 1));
    }
    let other = build(&planned, &shuffled, apart);
    let (mode, same) = [(Mode::First, &first), (Mode::Any, &any), (Mode::All, &all)][below(random, 3)];
    let threads = 1 + below(random, 3);
    let options = Options { mode, threads, ..options };
    let answer = other.check(&options).expect("valid options").answer;
    same_bits((&built, &same.answer), (&other, &answer), &|| {
        format!("{shuffled:?}, {threads} threads, {mode:?} {answer:?}: {}", story())
    });
    sample(random, counts, &built, [&first, &any, &all], &options, away, &story);
}

/// Compares the three modes with each other.
fn modes(
    counts: &mut Counts,
    [first, any, all]: [&Report; 3],
    &Options { t_max, tolerance, .. }: &Options,
    story: &dyn Fn() -> String,
) {
    counts.undecided_any += usize::from(matches!(any.answer, Answer::Undecided { .. }));
    // At the end of its steps, either may have proven more than the other.
    let until = |report: &Report| report.answer.free_until(t_max);
    if [first, any].iter().all(|report| !matches!(report.answer, Answer::Undecided { .. })) {
        assert!(until(any) <= until(first), "any claims more than first: {}", story());
    }
    match (&first.answer, &any.answer) {
        (Answer::Free, other) => assert_eq!(*other, Answer::Free, "{}", story()),
        (Answer::Touch(first), Answer::Touch(any)) => {
            // With a coarse tolerance `any` may end where the gap is within it while `first` continues. Without a gap,
            // `first` has ended.
            let goes_on = tolerance > 1e-6 && any.gap > 0.0;
            assert!(any.toi >= first.toi || goes_on, "{}", story());
            counts.later += usize::from(any.toi > first.toi);
        }
        (Answer::Touch(_) | Answer::TouchingAtStart(_), Answer::Free) => panic!("any is free: {}", story()),
        _ => {}
    }
    // Of the pairs in the list of `all`, none is before the answer, and one of them is the answer.
    let least = all.pairs.iter().map(|pair| pair.answer.free_until(t_max)).fold(t_max, f64::min);
    assert_eq!(least.to_bits(), until(all).to_bits(), "the list of all: {}", story());
    assert_eq!(all.pairs.is_empty(), all.answer == Answer::Free, "{}", story());
    // Steps that end early end at other times: `first` examines a pair only up to the earliest known touch.
    let is_decided = |report: &Report| !matches!(report.answer, Answer::Undecided { .. });
    if is_decided(first) && is_decided(all) {
        let kinds = [all, first].map(|report| std::mem::discriminant(&report.answer));
        assert_eq!(kinds[0], kinds[1], "all and first: {}", story());
        // Both name a time at which the gap is within the tolerance. If the tolerance is coarse, bodies that approach
        // slowly are that close for long. But if the earlier one finds no gap at all, the later one is late.
        let earlier = if until(all) < until(first) { all } else { first };
        let has_gap = earlier.answer.touch().is_some_and(|touch| touch.gap > 0.0);
        let is_close = (until(all) - until(first)).abs() <= 1e-3;
        assert!(is_close || (tolerance > 1e-6 && has_gap), "all and first: {}", story());
    }
}

/// Checks that no pair overlaps before the time up to which it is free.
fn sample(
    random: &mut Random,
    counts: &mut Counts,
    scene: &Scene,
    reports: [&Report; 3],
    options: &Options,
    away: DVec3,
    story: &dyn Fn() -> String,
) {
    let bodies = scene.bodies().len();
    let until = reports.map(|report| report.answer.free_until(options.t_max)).into_iter().fold(0.0, f64::max);
    let rounding = 1e-9 + 1e-12 * away.length();
    for k in 0..2 {
        let t = if k == 0 { until * (1.0 - 1e-9) } else { random.range(0.0, options.t_max) };
        let (i, j) = (below(random, bodies), below(random, bodies));
        if i >= j {
            continue;
        }
        // The link that holds a body has no shapes itself.
        let (a, b) = (mixed_bodies::cells(scene, i, t), mixed_bodies::cells(scene, j, t));
        let distance = mixed_bodies::distance(&a, &b);
        counts.sampled += 1;
        if distance < -rounding {
            let all = &reports[2].pairs;
            let listed = all.iter().find(|pair| pair.bodies == [i, j]).map(|pair| &pair.answer);
            assert!(t >= until, "{i} and {j} overlap by {distance:e} at {t}: {}", story());
            let of_pair = listed.map(|answer| answer.free_until(options.t_max));
            assert!(of_pair.is_some_and(|until| until <= t), "{listed:?} at {t}, {distance:e}: {}", story());
        }
    }
}
