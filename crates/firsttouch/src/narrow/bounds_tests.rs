//! Time in pieces, and what is proven in each.

use super::*;

/// The pieces that an engine is given, and the verdict, for an engine with a verdict of its own in each.
fn pieces(
    kinks: &[f64],
    (t_start, t_end): (f64, f64),
    verdict: impl Fn(f64, f64) -> Verdict<PairTouch>,
) -> (Vec<(f64, f64)>, Verdict<PairTouch>) {
    let mut seen = Vec::new();
    let limits = Limits { t_start, t_end, ..Limits::DEFAULT };
    let found = in_pieces(kinks.iter().copied(), &limits, |limits| {
        seen.push((limits.t_start, limits.t_end));
        verdict(limits.t_start, limits.t_end)
    });
    (seen, found)
}

#[test]
fn pieces_cover_all_of_the_time() {
    let free = |_: f64, _: f64| Verdict::Free;
    let all = |kinks: &[f64], span| pieces(kinks, span, free).0;
    assert_eq!(all(&[], (0.0, 1.0)), [(0.0, 1.0)]);
    assert_eq!(all(&[0.5], (0.0, 1.0)), [(0.0, 0.5), (0.5, 1.0)]);
    assert_eq!(all(&[0.5, 0.25, 0.5], (0.0, 1.0)), [(0.0, 0.25), (0.25, 0.5), (0.5, 1.0)]);
    assert_eq!(all(&[0.5, 0.25], (0.3, 0.4)), [(0.3, 0.4)]);
    assert_eq!(all(&[0.5], (0.5, 0.75)), [(0.5, 0.75)]);
    assert_eq!(all(&[0.75], (0.5, 0.75)), [(0.5, 0.75)]);
    assert!(pieces(&[0.5], (0.0, 1.0), free).1.is_free());
}

/// A piece without a verdict ends the search: what comes after it proves nothing about it.
#[test]
fn a_piece_that_is_undecided_is_not_free() {
    let second = |t: f64, _: f64| {
        if t == 0.0 { Verdict::Free } else { Verdict::Undecided { free_until: t } }
    };
    let (seen, found) = pieces(&[0.5, 0.75], (0.0, 1.0), second);
    assert_eq!(found, Verdict::Undecided { free_until: 0.5 });
    assert_eq!(seen, [(0.0, 0.5), (0.5, 0.75)]);
}
