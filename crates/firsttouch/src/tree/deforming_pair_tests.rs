//! Two moving triangles whose first touch can be computed by hand.

use glam::dvec3;

use super::*;

fn triangle(t0: [DVec3; 3], t1: [DVec3; 3], first: u32) -> MovingTriangle {
    MovingTriangle::new(t0, t1, [first, first + 1, first + 2], first / 3)
}

/// Returns a large triangle at rest in z = 0.
fn floor() -> MovingTriangle {
    let corners = [dvec3(-10.0, -10.0, 0.0), dvec3(10.0, -10.0, 0.0), dvec3(0.0, 10.0, 0.0)];
    triangle(corners, corners, 0)
}

/// Returns a triangle whose corners fall by 2, each from its own height.
fn falling(heights: [f64; 3]) -> MovingTriangle {
    let feet = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
    let at = |down: f64| [0, 1, 2].map(|k| feet[k] + (heights[k] - down) * DVec3::Z);
    triangle(at(0.0), at(2.0), 3)
}

/// The touch of a feature that is tested later counts, even if it is only slightly earlier.
#[test]
fn a_slightly_earlier_touch_of_a_later_feature() {
    for early in [1e-3, 1e-6, 1e-9, 1e-12] {
        for late in [[1.0, 1.0 - early, 2.0], [1.0, 2.0, 1.0 - early]] {
            for swapped in [false, true] {
                let (a, b) = (falling(late), floor());
                let found = if swapped {
                    first_touch(&b, &a, &Limits::default())
                } else {
                    first_touch(&a, &b, &Limits::default())
                };
                let Verdict::Touch((touch, _)) = found else { panic!("{found:?}") };
                let exact = 0.5 * (1.0 - early);
                assert!(touch.t <= exact && touch.t > exact - 1e-14, "{early}: {touch:?}");
            }
        }
    }
}

/// A budget that ends before a decision is no proof. Only a touch at the start remains valid.
#[test]
fn a_budget_that_ends_is_undecided() {
    let limits = Limits { min_separation: 0.25, max_iterations: 1, ..Limits::default() };
    let found = first_touch(&falling([1.0, 1.1, 1.2]), &floor(), &limits);
    let Verdict::Undecided { free_until } = found else { panic!("{found:?}") };
    // 1 - 2 t reaches 0.25 at 0.375.
    assert!(free_until <= 0.375 && free_until > 0.374, "{free_until}");
    let found = first_touch(&falling([0.1, 1.1, 1.2]), &floor(), &limits);
    assert!(matches!(found, Verdict::Touch((touch, _)) if touch.t == 0.0), "{found:?}");
}

/// Triangles that intersect at the start and do not move: no vertex meets a face, and no edge an edge.
#[test]
fn what_intersects_at_the_start_touches_at_0() {
    let corners = [dvec3(0.0, 0.0, -1.0), dvec3(1.0, 0.0, 1.0), dvec3(-1.0, 0.0, 1.0)];
    let piercing = triangle(corners, corners, 3);
    for (a, b) in [(&piercing, &floor()), (&floor(), &piercing)] {
        let found = first_touch(a, b, &Limits::default());
        let Verdict::Touch((touch, _)) = found else { panic!("{found:?}") };
        assert_eq!((touch.t, touch.separation.upper), (0.0, 0.0));
    }
}
