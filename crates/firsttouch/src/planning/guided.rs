//! The search by guesses, and the proof of its paths.
//!
//! 1. A path is found and made shorter by guesses ([`Guesses`]).
//! 2. Its motions are proven, in the direction of travel and with the caller's options.
//! 3. A motion that is not proven free teaches the guesses where it touches. If the path that was found before it was
//!    made shorter is still guessed to be free, step 1 makes it shorter again; otherwise it searches again.
//! 4. Where guesses find no path, they become looser: the balls of the robot shrink, and the search begins again.
//! 5. After [`ATTEMPTS`] paths, or half as many samples as the caller allows, the caller searches with proven motions,
//!    with all of its samples. So guesses never cost a path.
//!
//! An end that is guessed to touch is checked. If it is proven free, the guesses learn that.
//!
//! Guarantee: every motion of a path that is returned is proven free by [`ProvenEdges`].

use super::edges::ProvenEdges;
use super::guess::Guesses;
use super::guess_trees;
use super::random::Random;
use super::{Method, Outcome, Plan, PlanControl, PlanOptions, PlanStats, Search, Space};
use crate::answer::Answer;
use crate::control::Interrupt;
use crate::error::{Result, positive};
use crate::options::Mode;

/// The number of times that a path is searched for and proven. Most are free at once; where guesses are wrong again and
/// again, proven motions find the way sooner.
const ATTEMPTS: usize = 20;

/// Guesses may spend one sample for this many that the caller allows.
const SHARE: usize = 2;

/// The number of samples after which guesses become looser. It doubles each time.
const PATIENCE: usize = 1500;

/// Plans by guesses. Returns `None` in place of an outcome where proven motions are to be tried, and the work so far.
pub(super) fn plan(
    space: &Space,
    ends: [&[f64]; 2],
    options: &PlanOptions,
    control: &PlanControl<'_>,
    proven: &ProvenEdges<'_>,
) -> Result<(Option<Outcome>, PlanStats)> {
    space.validate(ends)?;
    positive(|| "reach".into(), options.reach)?;
    let mut guesses = Guesses::new(proven.checker(), space, &options.check);
    let max_samples = options.max_samples / SHARE;
    let guided = PlanOptions { max_samples, ..*options };
    let mut proof = Proof { proven, control, known: Vec::new(), are_ends_free: false, ends };
    let mut stats = PlanStats { guesses: 2, ..PlanStats::default() };
    if !ends.iter().all(|end| guesses.is_free(end, end)) {
        if let Some(outcome) = proof.refused_end(&mut stats)? {
            return Ok((Some(outcome), stats));
        }
        ends.iter().for_each(|end| guesses.allow(end));
    }
    let mut random = Random::new(options.seed);
    let mut samples = PATIENCE;
    let mut found: Option<Vec<Vec<f64>>> = None;
    for _ in 0..ATTEMPTS {
        if control.is_stopped() {
            return Ok((Some(Outcome::NotFound { is_interrupted: true, stats }), stats));
        }
        let mut search = Search {
            space,
            ends,
            options: &guided,
            control,
            edges: &mut guesses,
            random,
            stats,
            is_guessing: true,
        };
        let mut is_still_free = found.is_some();
        for motion in found.iter().flat_map(|path| path.windows(2)) {
            is_still_free = is_still_free && search.is_free(&motion[0], &motion[1])?;
        }
        if !is_still_free {
            found = match options.method {
                Method::RrtConnect if search.is_free(ends[0], ends[1])? => {
                    Some(ends.map(<[f64]>::to_vec).to_vec())
                }
                Method::RrtConnect => guess_trees::search(&mut search, samples)?,
                Method::Roadmap => search.find(None)?,
            };
        }
        let mut path = found.clone();
        if let Some(path) = &mut path {
            search.shorten(path)?;
        }
        let is_stopped = search.is_stopped();
        (random, stats) = (search.random, search.stats);
        let (Some(found), Some(waypoints)) = (&found, path) else {
            if is_stopped {
                return Ok((Some(Outcome::NotFound { is_interrupted: true, stats }), stats));
            }
            if stats.samples >= max_samples || options.method == Method::Roadmap {
                return Ok((None, stats));
            }
            guesses.loosen();
            samples *= 2;
            continue;
        };
        let refuted = proof.of_path(&waypoints, &mut stats)?;
        let Some((motion, answer)) = refuted else {
            let (length, found_length) = (space.length(&waypoints), space.length(found));
            return Ok((Some(Outcome::Found(Plan { waypoints, length, found_length, stats })), stats));
        };
        stats.refuted += 1;
        if proof.is_stopped() {
            return Ok((Some(Outcome::NotFound { is_interrupted: true, stats }), stats));
        }
        if let Some(outcome) = proof.refused_end(&mut stats)? {
            return Ok((Some(outcome), stats));
        }
        match answer.touch() {
            Some(touch) => {
                guesses.forbid(&waypoints[motion], &waypoints[motion + 1], touch);
                ends.iter().for_each(|end| guesses.allow(end));
            }
            None => break,
        }
    }
    Ok((None, stats))
}

/// The motions of one query that are proven free.
struct Proof<'a> {
    proven: &'a ProvenEdges<'a>,
    control: &'a PlanControl<'a>,
    /// Motions that are proven free in this direction.
    known: Vec<[Vec<f64>; 2]>,
    are_ends_free: bool,
    ends: [&'a [f64]; 2],
}

impl Proof<'_> {
    /// The outcome if one of the ends is not proven free.
    fn refused_end(&mut self, stats: &mut PlanStats) -> Result<Option<Outcome>> {
        for (end, configuration) in self.ends.into_iter().enumerate() {
            if self.are_ends_free {
                break;
            }
            stats.checks += 1;
            let answer = self.proven.check_with(
                configuration,
                configuration,
                Mode::Any,
                self.control.last_interrupt,
            )?;
            if self.is_stopped() {
                return Ok(Some(Outcome::NotFound { is_interrupted: true, stats: *stats }));
            }
            if answer != Answer::Free {
                return Ok(Some(Outcome::EndNotFree { end, answer }));
            }
        }
        self.are_ends_free = true;
        Ok(None)
    }

    /// The first motion of a path that is not proven free, with its answer.
    fn of_path(&mut self, path: &[Vec<f64>], stats: &mut PlanStats) -> Result<Option<(usize, Answer)>> {
        for k in 0..path.len() - 1 {
            let motion = [&path[k], &path[k + 1]];
            if self.known.iter().any(|known| known.each_ref() == motion) {
                continue;
            }
            stats.checks += 1;
            let answer =
                self.proven.check_with(motion[0], motion[1], Mode::First, self.control.last_interrupt)?;
            if answer != Answer::Free {
                return Ok(Some((k, answer)));
            }
            self.known.push(motion.map(Clone::clone));
        }
        Ok(None)
    }

    fn is_stopped(&self) -> bool {
        self.control.last_interrupt.is_some_and(Interrupt::is_raised)
    }
}
