//! Pieces of time, and the proofs in each.

use super::*;

/// Returns the pieces that an engine receives, and the verdict, for an engine that returns the given verdict in each
/// piece.
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

/// A piece without a verdict ends the search: later pieces prove nothing about it.
#[test]
fn a_piece_that_is_undecided_is_not_free() {
    let second = |t: f64, _: f64| {
        if t == 0.0 { Verdict::Free } else { Verdict::Undecided { free_until: t } }
    };
    let (seen, found) = pieces(&[0.5, 0.75], (0.0, 1.0), second);
    assert_eq!(found, Verdict::Undecided { free_until: 0.5 });
    assert_eq!(seen, [(0.0, 0.5), (0.5, 0.75)]);
}

/// Balls of radius 1 that move on lines, as affine motions. At a distance of 6 they close in at the speed 8: contact at
/// 1/2. A pass at a distance of 2.5 between the centres leaves a gap of 1/2.
#[test]
fn affine_ellipsoids_are_never_late_and_keep_their_separation() {
    use crate::AffineEllipsoid;
    use crate::motion::Affine;
    use glam::DVec3;
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let ball = |start: [f64; 3], velocity: [f64; 3]| {
        AffineEllipsoid::new(Affine::from_power_basis(DVec3::ONE, &[unit], &[start, velocity], &[]).unwrap())
    };
    let still = ball([0.0; 3], [0.0; 3]);
    let hitting = ball([6.0, 0.0, 0.0], [-8.0, 0.0, 0.0]);
    let passing = ball([-4.0, 2.5, 0.0], [8.0, 0.0, 0.0]);
    let run = |other: &AffineEllipsoid, min_separation: f64| {
        let limits = Limits { min_separation, ..Limits::DEFAULT };
        let pair = [Subject::Affine(&still), Subject::Affine(other)];
        first_touch(&[pair], &limits, false, &mut TreeStats::default()).verdict
    };
    let found = run(&hitting, 0.0);
    let Verdict::Touch(touch) = &found else { panic!("{found:?}") };
    assert!(touch.toi <= 0.5 && touch.toi > 0.499, "{}", touch.toi);
    assert!(run(&passing, 0.0).is_free() && run(&passing, 0.25).is_free());
    // Within 3/4 when the centres are 2.75 apart: 8 t − 4 = −sqrt(2.75² − 2.5²).
    let found = run(&passing, 0.75);
    let contact = (4.0 - (2.75_f64.powi(2) - 2.5_f64.powi(2)).sqrt()) / 8.0;
    let Verdict::Touch(touch) = &found else { panic!("{found:?}") };
    assert!(touch.toi <= contact && touch.toi > contact - 1e-3, "{} {contact}", touch.toi);
}

/// Two triangles of one mesh that approach each other, with a separation and a budget of one step: the answer is
/// undecided.
#[test]
fn a_mesh_with_itself_that_is_undecided_is_not_free() {
    use crate::deformable::Deformable;
    use glam::{DVec3, dvec3};
    let corners = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.1, 0.0), dvec3(0.2, 1.0, 0.1)];
    let at = |z: f64| -> Vec<DVec3> {
        let above = corners.map(|c| dvec3(0.8 * c.x + 0.1, 0.7 * c.y + 0.2 * z, 0.3 * c.x + z));
        corners.into_iter().chain(above).collect()
    };
    let mesh = Deformable::new(at(2.0), at(0.1), vec![[0, 1, 2], [3, 4, 5]], vec![], vec![]).unwrap();
    let tree = MovingTree::new(std::sync::Arc::new(mesh));
    let options = Options { min_separation: 0.4, tolerance: 1e-12, max_iterations: 1, ..Options::default() };
    let found = with_itself(&tree, &options, Watch::NONE, &mut TreeStats::default());
    assert!(matches!(found.verdict, Verdict::Undecided { free_until } if free_until < 1.0), "{found:?}");
}
