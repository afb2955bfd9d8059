//! The temporal-culling queue: it finds the earliest event among many candidates and examines few of them closely.
//!
//! Every candidate (a pair of bodies, of links, of tree nodes, of triangles) carries a proven lower bound of the time
//! of its first contact.
//! 1. The candidate with the earliest bound is taken out and processed, in the window up to `t_min`, the earliest
//!    known event.
//! 2. The result is one of three. The candidate is free. Or it yields an event, which may lower `t_min`. Or it is
//!    replaced by others with later bounds: itself after a step of advancement, or the children of its nodes.
//! 3. Once the earliest bound is not before `t_min`, every remaining candidate is later and is dropped.
//!
//! **Guarantee.** The returned event is the earliest, provided that every bound is valid. A bound that is NaN counts as
//! `-inf`. The order of work depends only on the bounds and on the order of insertion, so the answer is deterministic.
//! [`Queue::first_in_rounds`] hands out several candidates at a time, in rounds of fixed sizes, so that threads can
//! share the work without changing the answer.
//!
//! **Departures.** The paper sorts once and then finishes each pair before the next. Here a queue keeps the candidates
//! sorted, and the same rule also opens trees.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 7.1 and Algorithm 1.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use crate::numerics::bound::{lower_min, lower_or_zero};

/// The most candidates that are processed at once.
const LARGEST_ROUND: usize = 64;

/// The outcome of processing a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<C, T> {
    /// The candidate has no event within the window.
    Free,
    /// The candidate's first event.
    Event {
        /// The time of the event.
        t: f64,
        /// The event.
        what: T,
    },
    /// The candidate is replaced by these, each with its lower bound.
    Push(Replacements<C>),
}

/// Candidates with their lower bounds. Most are replaced by two.
pub type Replacements<C> = SmallVec<[(f64, C); 2]>;

/// The earliest event, and counts of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct First<T> {
    /// The earliest event; `None` if all candidates are free.
    pub event: Option<(f64, T)>,
    /// The number of candidates processed.
    pub opened: u64,
    /// The number of candidates dropped because their bounds are later than the event.
    pub dropped: u64,
    /// No candidate has an event before this time. It is the time of the earliest event, or `t_max` if there is none.
    /// It is earlier if the search stopped at an event that was `enough`.
    pub free_until: f64,
}

/// Candidates ordered by their lower bounds.
#[derive(Debug, Clone)]
pub struct Queue<C> {
    heap: BinaryHeap<Entry<C>>,
    pushed: u64,
}

impl<C> Default for Queue<C> {
    fn default() -> Self {
        Queue { heap: BinaryHeap::new(), pushed: 0 }
    }
}

impl<C> Queue<C> {
    /// Adds a candidate that has no event before `lower`. Of candidates with equal bounds, the one added last is
    /// processed first: trees that overlap at the start are then opened depth first, and a touch is found soon.
    pub fn push(&mut self, lower: f64, candidate: C) {
        let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
        self.heap.push(Entry { key: key(lower, self.pushed), candidate });
        self.pushed += 1;
    }

    /// Returns the number of candidates.
    #[cfg(feature = "internals")]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Returns true if there are no candidates.
    #[cfg(feature = "internals")]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Returns the earliest event in `[0, t_max]`, or the first one found that is `enough`. `step` receives a
    /// candidate and the end of the window.
    ///
    /// ```
    /// use firsttouch::advancement::{Queue, Step};
    /// let mut queue = Queue::default();
    /// for (lower, event) in [(0.1, 0.5), (0.2, 0.3), (0.4, 0.45)] {
    ///     queue.push(lower, event);
    /// }
    /// let first = queue.first(1.0, |_| false, |event, _t_min| Step::Event { t: event, what: () });
    /// assert_eq!(first.event, Some((0.3, ())));
    /// assert_eq!((first.opened, first.dropped), (2, 1)); // the third cannot be earlier than 0.4
    /// ```
    pub fn first<T>(
        mut self,
        t_max: f64,
        enough: impl Fn(&T) -> bool,
        step: impl FnMut(C, f64) -> Step<C, T>,
    ) -> First<T> {
        self.first_leaving(t_max, enough, step)
    }

    /// Like [`Queue::first`]. Unprocessed candidates stay in the queue.
    pub(crate) fn first_leaving<T>(
        &mut self,
        t_max: f64,
        enough: impl Fn(&T) -> bool,
        mut step: impl FnMut(C, f64) -> Step<C, T>,
    ) -> First<T> {
        let mut first = First { event: None, opened: 0, dropped: 0, free_until: t_max };
        while let Some((_, candidate)) = self.pop_before(t_max, &first.event) {
            first.opened += 1;
            let t_min = first.event.as_ref().map_or(t_max, |(t, _)| *t);
            self.take(step(candidate, t_min), &mut first.event);
            if first.event.as_ref().is_some_and(|(_, what)| enough(what)) {
                break;
            }
        }
        self.finished(first, t_max)
    }

    /// Returns the candidates, in no particular order.
    pub(crate) fn into_candidates(self) -> impl Iterator<Item = C> {
        self.heap.into_vec().into_iter().map(|entry| entry.candidate)
    }

    /// Like [`Queue::first`], for a `round` that processes several candidates at once, in any order or in parallel, and
    /// returns a step for each in the given order. It receives the candidates, the end of the window, and the lower
    /// bounds of the candidates in ascending order; no candidate left in the queue has a smaller bound. Rounds grow
    /// from one candidate to 64, for any number of threads.
    pub fn first_in_rounds<T>(
        mut self,
        t_max: f64,
        enough: impl Fn(&T) -> bool,
        mut round: impl FnMut(Vec<C>, f64, &[f64]) -> Vec<Step<C, T>>,
    ) -> First<T> {
        let mut first = First { event: None, opened: 0, dropped: 0, free_until: t_max };
        let mut size = 1;
        loop {
            let (mut batch, mut bounds) = (Vec::with_capacity(size), Vec::with_capacity(size));
            while batch.len() < size
                && let Some((lower, candidate)) = self.pop_before(t_max, &first.event)
            {
                batch.push(candidate);
                bounds.push(lower);
            }
            if batch.is_empty() {
                break;
            }
            first.opened += batch.len() as u64;
            let t_min = first.event.as_ref().map_or(t_max, |(t, _)| *t);
            for step in round(batch, t_min, &bounds) {
                self.take(step, &mut first.event);
            }
            if first.event.as_ref().is_some_and(|(_, what)| enough(what)) {
                break;
            }
            size = (2 * size).min(LARGEST_ROUND); // not a bound: a count
        }
        self.finished(first, t_max)
    }

    /// Completes the result with the bounds of the unprocessed candidates.
    fn finished<T>(&self, mut first: First<T>, t_max: f64) -> First<T> {
        first.dropped = self.heap.len() as u64;
        let event = first.event.as_ref().map_or(t_max, |(t, _)| *t);
        let left = self.heap.peek().map_or(event, |earliest| lower_min(earliest.lower(), event));
        first.free_until = lower_or_zero(left);
        first
    }

    /// Removes and returns the earliest candidate, unless all are later than the known event.
    fn pop_before<T>(&mut self, t_max: f64, event: &Option<(f64, T)>) -> Option<(f64, C)> {
        let earliest = self.heap.peek()?.lower();
        let needed = match event {
            // `push` ensures that no bound is NaN. An event at a NaN time excludes nothing.
            Some((t, _)) => earliest < *t || t.is_nan(),
            None => earliest <= t_max,
        };
        if needed { self.heap.pop().map(|entry| (earliest, entry.candidate)) } else { None }
    }

    fn take<T>(&mut self, step: Step<C, T>, event: &mut Option<(f64, T)>) {
        match step {
            Step::Free => {}
            Step::Event { t, what } => {
                if event.as_ref().is_none_or(|(known, _)| t < *known || known.is_nan()) {
                    *event = Some((t, what));
                }
            }
            Step::Push(candidates) => {
                for (lower, candidate) in candidates {
                    self.push(lower, candidate);
                }
            }
        }
    }
}

/// Like [`Queue::first_in_rounds`], for candidates that are already sorted by their lower bounds and are never
/// replaced by others: the list is processed in order and needs no heap. `round` returns the event of each candidate,
/// if it has one.
///
/// ```
/// use firsttouch::advancement::first_of_sorted;
/// // Each with its bound and its event. The first is a round of its own, the next two form another.
/// let sorted = [(0.1, 0.5), (0.2, 0.3), (0.25, 0.45), (0.4, 0.45)];
/// let events = |round: &[(f64, f64)], _t_min: f64| round.iter().map(|&(_, t)| Some((t, ()))).collect();
/// let first = first_of_sorted(&sorted, |candidate| candidate.0, 1.0, |_| false, events);
/// assert_eq!((first.event, first.dropped), (Some((0.3, ())), 1)); // the last cannot be earlier than 0.4
/// assert_eq!(first.free_until, 0.3);
/// ```
pub fn first_of_sorted<C, T>(
    candidates: &[C],
    lower: impl Fn(&C) -> f64,
    t_max: f64,
    enough: impl Fn(&T) -> bool,
    mut round: impl FnMut(&[C], f64) -> Vec<Option<(f64, T)>>,
) -> First<T> {
    debug_assert!(candidates.iter().all(|candidate| !lower(candidate).is_nan()), "NaN cannot be sorted");
    let mut first = First { event: None, opened: 0, dropped: 0, free_until: t_max };
    let (mut place, mut size) = (0, 1);
    loop {
        let left = &candidates[place..];
        let t_min = first.event.as_ref().map_or(t_max, |(t, _)| *t);
        // A bound that is NaN proves nothing: the candidate is processed.
        let is_later = |bound: f64| if first.event.is_some() { bound >= t_min } else { bound > t_max };
        let count = left.iter().take(size).take_while(|candidate| !is_later(lower(candidate))).count();
        if count == 0 {
            break;
        }
        place += count;
        for (t, what) in round(&left[..count], t_min).into_iter().flatten() {
            if first.event.as_ref().is_none_or(|(known, _)| t < *known) {
                first.event = Some((t, what));
            }
        }
        if first.event.as_ref().is_some_and(|(_, what)| enough(what)) {
            break;
        }
        size = (2 * size).min(LARGEST_ROUND); // not a bound: a count
    }
    first.opened = place as u64;
    first.dropped = (candidates.len() - place) as u64;
    let event = first.event.as_ref().map_or(t_max, |(t, _)| *t);
    let left = candidates.get(place).map_or(event, |candidate| lower_min(lower(candidate), event));
    first.free_until = lower_or_zero(left);
    first
}

#[derive(Debug, Clone)]
struct Entry<C> {
    key: u128,
    candidate: C,
}

/// Returns one number to order by. The heap is a max-heap, so the earliest bound must have the largest number, and of
/// equal bounds the last one pushed. The upper half is the bound, the lower half the order.
#[inline]
fn key(lower: f64, order: u64) -> u128 {
    (u128::from(!ascending(lower.to_bits())) << 64) | u128::from(order)
}

/// Maps the bits of floating-point numbers to integers in the order of `f64::total_cmp`: negative numbers, whose order
/// is reversed, come first.
#[inline]
fn ascending(bits: u64) -> u64 {
    if bits >> 63 == 1 { !bits } else { bits ^ (1 << 63) }
}

impl<C> Entry<C> {
    /// Returns the bound in the key.
    #[inline]
    fn lower(&self) -> f64 {
        let ascending = !((self.key >> 64) as u64);
        let is_positive = ascending >> 63 == 1;
        f64::from_bits(if is_positive { ascending ^ (1 << 63) } else { !ascending })
    }
}

impl<C> Ord for Entry<C> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl<C> PartialOrd for Entry<C> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> PartialEq for Entry<C> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<C> Eq for Entry<C> {}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
