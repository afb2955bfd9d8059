//! The order of work, the kept events and the times proven free.

use super::*;
use smallvec::smallvec;

const NAN: f64 = f64::NAN;

/// Returns the first event of candidates given as bound and event, by the queue and by the queue in rounds.
fn first(candidates: &[(f64, Option<f64>)], t_max: f64) -> First<()> {
    let queue = || {
        let mut queue = Queue::default();
        for &(lower, event) in candidates {
            queue.push(lower, event);
        }
        queue
    };
    let step = |event: Option<f64>| match event {
        Some(t) => Step::Event { t, what: () },
        None => Step::Free,
    };
    let one = queue().first(t_max, |_| false, |event, _| step(event));
    let rounds =
        queue().first_in_rounds(t_max, |_| false, |batch, _, _| batch.into_iter().map(step).collect());
    assert_eq!((one.event, one.free_until), (rounds.event, rounds.free_until));
    one
}

#[test]
fn the_earliest_event_wins_whatever_the_order() {
    let events = [(0.1, Some(0.5)), (0.2, Some(0.3)), (0.25, Some(0.4)), (0.28, Some(0.29)), (0.0, None)];
    for k in 0..events.len() {
        let mut rotated = events;
        rotated.rotate_left(k);
        let found = first(&rotated, 1.0);
        assert_eq!((found.event, found.free_until), (Some((0.29, ())), 0.29));
        let mut sorted = rotated;
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let round = |part: &[(f64, Option<f64>)], _| part.iter().map(|c| c.1.map(|t| (t, ()))).collect();
        let found = first_of_sorted(&sorted, |c| c.0, 1.0, |_| false, round);
        assert_eq!((found.event, found.free_until), (Some((0.29, ())), 0.29));
    }
}

#[test]
fn a_bound_at_the_end_of_the_time_is_within_it() {
    assert_eq!(first(&[(1.0, Some(1.0))], 1.0).event, Some((1.0, ())));
    let round = |_: &[f64], _| vec![Some((1.0, ()))];
    assert_eq!(first_of_sorted(&[1.0], |c| *c, 1.0, |_| false, round).event, Some((1.0, ())));
    assert_eq!(first(&[(1.5, Some(1.5))], 1.0).event, None);
}

#[test]
fn bounds_and_times_that_are_nan_exclude_nothing() {
    // A bound that is NaN is earlier than all.
    assert_eq!(first(&[(NAN, Some(0.25)), (0.5, Some(0.75))], 1.0).event, Some((0.25, ())));
    // An event at a NaN time does not end the search and is not kept.
    assert_eq!(first(&[(0.0, Some(NAN)), (0.5, Some(0.75))], 1.0).event, Some((0.75, ())));
}

#[test]
fn a_search_that_stops_early_says_what_it_has_proven() {
    let mut queue = Queue::default();
    for event in [(0.1, 0.9), (0.2, 0.3)] {
        queue.push(event.0, event);
    }
    let found = queue.first(1.0, |_| true, |event: (f64, f64), _| Step::Event { t: event.1, what: () });
    assert_eq!((found.event, found.free_until), (Some((0.9, ())), 0.2));
    let round = |part: &[(f64, f64)], _| part.iter().map(|c| Some((c.1, ()))).collect();
    let found = first_of_sorted(&[(0.1, 0.9), (0.2, 0.3)], |c| c.0, 1.0, |_| true, round);
    assert_eq!((found.event, found.free_until), (Some((0.9, ())), 0.2));
}

/// Candidates are replaced by later ones until their event: the one that is opened is always the earliest.
#[test]
fn the_earliest_candidate_is_opened_next() {
    let mut queue = Queue::default();
    for (k, end) in [0.9, 0.35, 0.6].into_iter().enumerate() {
        queue.push(0.01 * k as f64, (0.01 * k as f64, end));
    }
    let mut last = 0.0;
    let found = queue.first(
        1.0,
        |_| false,
        |(now, end): (f64, f64), _| {
            assert!(now >= last, "{now} after {last}");
            last = now;
            if now >= end {
                Step::Event { t: end, what: () }
            } else {
                Step::Push(smallvec![(now + 0.1, (now + 0.1, end))])
            }
        },
    );
    assert_eq!(found.event, Some((0.35, ())));
    assert!(found.opened <= 14, "{}", found.opened);
}

/// Keys have the order of the bounds, or for equal bounds the order of insertion, and return the bound bit by bit.
#[test]
fn keys_are_in_the_order_of_the_bounds() {
    let bounds =
        [f64::NEG_INFINITY, -2.0, -1.5, -f64::MIN_POSITIVE, -0.0, 0.0, 5e-324, 0.25, 0.5, 1.0, f64::INFINITY];
    for (i, &lower) in bounds.iter().enumerate() {
        let entry = |lower: f64, order: u64| Entry { key: key(lower, order), candidate: () };
        assert_eq!(entry(lower, 7).lower().to_bits(), lower.to_bits());
        assert!(entry(lower, 8) > entry(lower, 7), "the last of equal bounds comes first");
        for &later in &bounds[i + 1..] {
            assert!(entry(lower, 0) > entry(later, u64::MAX), "{lower} {later}");
        }
    }
}
