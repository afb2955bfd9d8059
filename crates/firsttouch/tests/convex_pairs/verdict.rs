//! Compares the claims of an answer with the referee.

use super::oracle::{Mover, Referee};
use firsttouch::{Answer, Options, Scene, Touch};

/// Counts over many pairs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub free: usize,
    pub touch: usize,
    pub at_start: usize,
    pub undecided: usize,
    pub iterations: u64,
    pub most_iterations: u64,
    /// Samples at which the referee could prove neither that the pair is apart nor that it is not.
    pub unresolved: usize,
    pub samples: usize,
}

impl Tally {
    pub fn total(&self) -> usize {
        self.free + self.touch + self.at_start + self.undecided
    }

    pub fn hit_rate(&self) -> f64 {
        (self.touch + self.at_start) as f64 / self.total() as f64
    }

    pub fn add(&mut self, other: &Tally) {
        self.free += other.free;
        self.touch += other.touch;
        self.at_start += other.at_start;
        self.undecided += other.undecided;
        self.iterations += other.iterations;
        self.most_iterations = self.most_iterations.max(other.most_iterations);
        self.unresolved += other.unresolved;
        self.samples += other.samples;
    }
}

/// Returns the sum of the lengths involved; rounding is measured relative to it.
pub fn scale(pair: &[Mover; 2]) -> f64 {
    pair.iter().map(|m| m.solid.radius() + m.path.at(0.0).at.length() + m.path.at(1.0).at.length()).sum()
}

/// Checks the two bodies as a scene, named `a` and `b`, with the library; also returns the number of steps.
pub fn ask(pair: &[Mover; 2], options: &Options) -> (Answer, u64) {
    let mut scene = Scene::default();
    for (mover, name) in pair.iter().zip(["a", "b"]) {
        scene.add(mover.body(name)).unwrap();
    }
    let report = scene.check(options).unwrap();
    (report.answer, report.stats.iterations)
}

/// Runs the library, and panics if any of its claims is wrong. `samples` is the number of times to test.
pub fn check(pair: &[Mover; 2], options: &Options, samples: usize, tally: &mut Tally) -> Answer {
    let (answer, iterations) = ask(pair, options);
    tally.iterations += iterations;
    tally.most_iterations = tally.most_iterations.max(iterations);
    match &answer {
        Answer::Free => tally.free += 1,
        Answer::Touch(touch) => {
            tally.touch += 1;
            check_touch(pair, touch, options);
        }
        Answer::TouchingAtStart(touch) => {
            tally.at_start += 1;
            assert_eq!(touch.toi, 0.0, "{pair:?}");
            check_touch(pair, touch, options);
        }
        Answer::Undecided { .. } => tally.undecided += 1,
    }
    let end = answer.free_until(options.t_max);
    never_within(pair, end, matches!(answer, Answer::Free), options, samples, tally);
    answer
}

/// Checks that the points of a touch lie on their solids, and are as close to each other as claimed.
fn check_touch(pair: &[Mover; 2], touch: &Touch, options: &Options) {
    let scale = scale(pair);
    let slack = 1e-12 * scale;
    let Touch { toi, gap, points, normal, .. } = *touch;
    assert!(gap <= options.min_separation + options.tolerance, "gap {gap} at {toi}: {pair:?}");
    assert!((normal.length() - 1.0).abs() < 1e-14, "normal {normal}: {pair:?}");
    for (mover, point) in pair.iter().zip(points) {
        let outside = mover.solid.outside(mover.path.at(toi).to_body(point));
        assert!(outside <= slack, "point {point} is {outside:e} outside, at {toi}: {pair:?}");
    }
    let apart = (points[1] - points[0]).length();
    let along = normal.dot(points[1] - points[0]);
    if gap > slack {
        assert!((apart - gap).abs() <= slack, "points {apart:e} apart, gap {gap:e}, at {toi}: {pair:?}");
        // At the start the two may touch exactly, and the search cannot distinguish 0 from the tolerance.
        let aslant = if toi > 0.0 { 0.3 * options.tolerance } else { options.tolerance };
        assert!((apart - along).abs() <= aslant + slack, "{along} of {apart} at {toi}: {pair:?}");
    } else {
        // They overlap: the referee must confirm it.
        let bounds = Referee::new(&pair[0], &pair[1]).distance(toi, slack);
        assert!(bounds.low <= slack, "{bounds:?} at {toi}: {pair:?}");
    }
}

/// Checks that the two are never within `min_separation` before `end`.
fn never_within(
    pair: &[Mover; 2],
    end: f64,
    closed: bool,
    options: &Options,
    samples: usize,
    tally: &mut Tally,
) {
    if end == 0.0 {
        return;
    }
    let scale = scale(pair);
    // The limit of the referee's own rounding: a proof of contact, not a suspicion. Advancement by its first rule
    // lands as close as the library's rounding bounds allow, about 1e-15 of the sizes away.
    let rounding = 4e-16 * scale;
    let limit = if options.min_separation > 0.0 { options.min_separation - rounding } else { rounding };
    let mut referee = Referee::new(&pair[0], &pair[1]);
    let mut nearest = (f64::INFINITY, 0.0);
    let mut look = |t: f64| {
        let bounds = referee.distance(t, limit);
        tally.samples += 1;
        assert!(bounds.high > limit, "within {:e} at {t} before {end}: {options:?} {pair:?}", bounds.high);
        tally.unresolved += usize::from(bounds.low <= limit);
        bounds.low
    };
    for i in 0..samples {
        let t = end * i as f64 / samples as f64;
        let low = look(t);
        if low < nearest.0 {
            nearest = (low, t);
        }
    }
    if closed {
        look(end);
        // Samples are ever denser around the time of the nearest pass.
        for k in 1..=20 {
            let off = 0.5_f64.powi(k) * 2.0 * end / samples as f64;
            for t in [nearest.1 - off, nearest.1 + off] {
                look(t.clamp(0.0, end));
            }
        }
    } else {
        // Just before the touch, down to the last bit.
        for k in 1..=52 {
            let t = end - 0.5_f64.powi(k);
            if t >= 0.0 && t < end {
                look(t);
            }
        }
        look(end.next_down());
    }
}
