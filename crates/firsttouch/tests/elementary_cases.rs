//! Vertex/face and edge/edge against cases with known answers: by hand, by symmetry, and from the public query sets.

use std::path::{Path, PathBuf};

use firsttouch::Options;
use firsttouch::elementary::*;
use glam::{DVec3, dvec3};

/// Cases computed by hand. `Some(t)`: first contact at exactly t; `None`: never.
struct Case {
    name: &'static str,
    t0: [[f64; 3]; 4],
    t1: [[f64; 3]; 4],
    first: Option<f64>,
}

fn points(p: [[f64; 3]; 4]) -> [DVec3; 4] {
    p.map(DVec3::from_array)
}

fn check(case: &Case, outcome: Verdict<Contact>) {
    match (case.first, outcome) {
        (None, Verdict::Free) => {}
        (Some(t), Verdict::Touch(c)) => {
            assert!(c.toi <= t && t <= c.toi_upper, "{}: {t} not in [{}, {}]", case.name, c.toi, c.toi_upper);
            assert!(c.toi_upper - c.toi <= 1e-15, "{}: {c:?}", case.name);
            assert!(t > 0.0 || c.toi_upper == 0.0, "{}: {c:?}", case.name);
            assert!((c.normal.length() - 1.0).abs() < 1e-12, "{}: {c:?}", case.name);
            assert!(c.parameters.iter().all(|x| (0.0..=1.0).contains(x)), "{}: {c:?}", case.name);
            assert!(c.point.is_finite());
        }
        (expected, got) => panic!("{}: expected {expected:?}, got {got:?}", case.name),
    }
}

const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

fn over_triangle(name: &'static str, v0: [f64; 3], v1: [f64; 3], first: Option<f64>) -> Case {
    let [a, b, c] = TRIANGLE;
    Case { name, t0: [v0, a, b, c], t1: [v1, a, b, c], first }
}

/// The plane of the triangle rotates about the y axis while the vertex crosses it along x at the height z: the plane
/// passes above the vertex at a height of exactly (2t − 1)² − z.
fn grazing(name: &'static str, z: f64, first: Option<f64>) -> Case {
    Case {
        name,
        t0: [[-1.0, 0.0, z], [-4.0, -4.0, 4.0], [-4.0, 4.0, 4.0], [4.0, 0.0, -4.0]],
        t1: [[1.0, 0.0, z], [-4.0, -4.0, -4.0], [-4.0, 4.0, -4.0], [4.0, 0.0, 4.0]],
        first,
    }
}

#[test]
fn vertex_face_cases() {
    let up = f64::EPSILON;
    let cases = [
        over_triangle("through the middle", [1.0, 1.0, 1.0], [1.0, 1.0, -3.0], Some(0.25)),
        over_triangle("through a corner", [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], Some(0.5)),
        over_triangle("through an edge", [2.0, 2.0, 1.0], [2.0, 2.0, -1.0], Some(0.5)),
        over_triangle(
            "an ulp beside the edge",
            [2.0, 2.0 + 2.0 * up, 1.0],
            [2.0, 2.0 + 2.0 * up, -1.0],
            None,
        ),
        over_triangle("an ulp inside the edge", [2.0, 2.0 - up, 1.0], [2.0, 2.0 - up, -1.0], Some(0.5)),
        over_triangle("ends in the plane", [1.0, 1.0, 1.0], [1.0, 1.0, 0.0], Some(1.0)),
        over_triangle("ends an ulp above", [1.0, 1.0, 1.0], [1.0, 1.0, 5e-324], None),
        over_triangle("starts in the plane", [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], Some(0.0)),
        over_triangle("rests on it", [1.0, 1.0, 0.0], [1.0, 1.0, 0.0], Some(0.0)),
        over_triangle("rests above it", [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], None),
        over_triangle("slides in the plane, enters", [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], Some(0.5)),
        over_triangle("slides in the plane, hits a corner", [-1.0, 1.0, 0.0], [1.0, -1.0, 0.0], Some(0.5)),
        over_triangle("slides in the plane, misses", [-1.0, 1.0, 0.0], [1.0, -1.5, 0.0], None),
        over_triangle("slides along an edge line", [-4.0, 0.0, 0.0], [4.0, 0.0, 0.0], Some(0.5)),
        grazing("grazes at a double root", 0.0, Some(0.5)),
        grazing("grazes short by the smallest number there is", -5e-324, None),
        grazing("two roots at 1/2 ∓ 2^-31", 2f64.powi(-60), Some(0.5 - 2f64.powi(-31))),
        // The exact contact, 1/2 − 2^-61, is not an f64; its neighbours are.
        grazing("two roots closer together than two f64", 2f64.powi(-120), Some(0.5)),
        Case {
            name: "triangle shrinks to a point on the vertex: triple root",
            t0: [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [2.0, 1.0, 1.0], [1.0, 1.0, 3.0]],
            t1: [[0.0, 0.0, 0.0], [-1.0, 0.0, -1.0], [-2.0, -1.0, -1.0], [-1.0, -1.0, -3.0]],
            first: Some(0.5),
        },
        Case {
            name: "triangle without area, vertex hits the segment it is",
            t0: [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
            t1: [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
            first: Some(0.5),
        },
        Case {
            name: "triangle without area, vertex passes its end on the line",
            t0: [[2.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
            t1: [[2.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
            first: None,
        },
        Case {
            name: "triangle is one point, head-on",
            t0: [[1.0, 1.0, 1.0], [0.0; 3], [0.0; 3], [0.0; 3]],
            t1: [[-1.0, -1.0, -1.0], [0.0; 3], [0.0; 3], [0.0; 3]],
            first: Some(0.5),
        },
        Case {
            name: "all on one line, vertex overtakes",
            t0: [[-3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
            t1: [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
            first: Some(0.75),
        },
        Case {
            name: "all on one line, never",
            t0: [[-3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
            t1: [[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
            first: None,
        },
        Case {
            name: "the common plane turns; in it the vertex reaches the edge",
            // Everything lies in a plane that contains the x axis and turns from z = 0 (t = 0) to y = 0 (t = 1). In
            // plane coordinates the triangle is (0,0), (1,0), (0,1), and the vertex moves from x = −1 to x = 1.
            t0: [[-1.0, 0.5, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            t1: [[1.0, 0.0, 0.5], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            first: Some(0.5),
        },
        Case {
            name: "far offset, gap of 1e-9 closed exactly",
            t0: [
                [1e6 + 1.0, 1.0, 9.5367431640625e-7],
                [1e6, 0.0, 0.0],
                [1e6 + 4.0, 0.0, 0.0],
                [1e6, 4.0, 0.0],
            ],
            t1: [
                [1e6 + 1.0, 1.0, -9.5367431640625e-7],
                [1e6, 0.0, 0.0],
                [1e6 + 4.0, 0.0, 0.0],
                [1e6, 4.0, 0.0],
            ],
            first: Some(0.5),
        },
        Case {
            name: "far offset, an ulp short",
            t0: [[1e6 + 1.0, 1.0, 1e-9], [1e6, 0.0, 0.0], [1e6 + 4.0, 0.0, 0.0], [1e6, 4.0, 0.0]],
            t1: [[1e6 + 1.0, 1.0, 1e-25], [1e6, 0.0, 0.0], [1e6 + 4.0, 0.0, 0.0], [1e6, 4.0, 0.0]],
            first: None,
        },
        Case {
            name: "subnormal scene",
            t0: [[5e-324, 5e-324, 1e-323], [0.0; 3], [2e-323, 0.0, 0.0], [0.0, 2e-323, 0.0]],
            t1: [[5e-324, 5e-324, -1e-323], [0.0; 3], [2e-323, 0.0, 0.0], [0.0, 2e-323, 0.0]],
            first: Some(0.5),
        },
        Case {
            name: "huge and tiny together",
            t0: [[1e-300, 1e-300, 1e60], [0.0; 3], [1e60, 0.0, 0.0], [0.0, 1e60, 0.0]],
            t1: [[1e-300, 1e-300, -1e60], [0.0; 3], [1e60, 0.0, 0.0], [0.0, 1e60, 0.0]],
            first: Some(0.5),
        },
        Case {
            name: "huge and tiny together, outside by 1e-300",
            t0: [[-1e-300, 1e-300, 1e60], [0.0; 3], [1e60, 0.0, 0.0], [0.0, 1e60, 0.0]],
            t1: [[-1e-300, 1e-300, -1e60], [0.0; 3], [1e60, 0.0, 0.0], [0.0, 1e60, 0.0]],
            first: None,
        },
    ];
    for case in &cases {
        let q = VertexFace::new(points(case.t0), points(case.t1)).unwrap();
        check(case, vertex_face(&q, &Limits::default()).outcome);
    }
}

#[test]
fn edge_edge_cases() {
    let fixed = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let over = |name, a0: [[f64; 3]; 2], a1: [[f64; 3]; 2], first| Case {
        name,
        t0: [a0[0], a0[1], fixed[0], fixed[1]],
        t1: [a1[0], a1[1], fixed[0], fixed[1]],
        first,
    };
    let ulp = 1.0 + f64::EPSILON;
    let cases = [
        over(
            "crossing",
            [[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]],
            [[-1.0, 0.0, -3.0], [1.0, 0.0, -3.0]],
            Some(0.25),
        ),
        over(
            "end to end",
            [[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
            [[0.0, 1.0, -1.0], [1.0, 1.0, -1.0]],
            Some(0.5),
        ),
        over(
            "an ulp past the end",
            [[0.0, ulp, 1.0], [1.0, ulp, 1.0]],
            [[0.0, ulp, -1.0], [1.0, ulp, -1.0]],
            None,
        ),
        over(
            "parallel, falls onto",
            [[0.0, 0.0, 1.0], [0.0, 3.0, 1.0]],
            [[0.0, 0.0, -1.0], [0.0, 3.0, -1.0]],
            Some(0.5),
        ),
        over(
            "parallel, beside",
            [[0.0, 2.0, 1.0], [0.0, 3.0, 1.0]],
            [[0.0, 2.0, -1.0], [0.0, 3.0, -1.0]],
            None,
        ),
        over(
            "collinear, runs into",
            [[0.0, 4.0, 0.0], [0.0, 6.0, 0.0]],
            [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            Some(0.75),
        ),
        over(
            "collinear, stays behind",
            [[0.0, 4.0, 0.0], [0.0, 6.0, 0.0]],
            [[0.0, 2.0, 0.0], [0.0, 4.0, 0.0]],
            None,
        ),
        over("same segment", fixed, fixed, Some(0.0)),
        over(
            "touching at the start only",
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
            [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0]],
            Some(0.0),
        ),
        over(
            "touching at the end only",
            [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0]],
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
            Some(1.0),
        ),
        over("at rest, apart", [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0]], [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0]], None),
        over(
            "a point hits an edge",
            [[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]],
            [[0.0, 0.5, -1.0], [0.0, 0.5, -1.0]],
            Some(0.5),
        ),
        over(
            "a point misses an edge",
            [[0.0, 1.5, 1.0], [0.0, 1.5, 1.0]],
            [[0.0, 1.5, -1.0], [0.0, 1.5, -1.0]],
            None,
        ),
        over(
            "slides in the plane",
            [[-3.0, 0.5, 0.0], [-1.0, 0.5, 0.0]],
            [[-1.0, 0.5, 0.0], [1.0, 0.5, 0.0]],
            Some(0.5),
        ),
        over(
            "slides past in the plane",
            [[-3.0, 1.5, 0.0], [-1.0, 1.5, 0.0]],
            [[-1.0, 1.5, 0.0], [1.0, 1.5, 0.0]],
            None,
        ),
        Case {
            name: "point meets point",
            t0: [[0.0; 3], [0.0; 3], [4.0, 4.0, 4.0], [4.0, 4.0, 4.0]],
            t1: [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0], [0.0; 3], [0.0; 3]],
            first: Some(0.5),
        },
        Case {
            name: "point misses point",
            t0: [[0.0; 3], [0.0; 3], [4.0, 4.0, 4.0], [4.0, 4.0, 4.0]],
            t1: [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0], [0.0, 0.0, 5e-324], [0.0, 0.0, 5e-324]],
            first: None,
        },
        Case {
            name: "turns through the other edge while coplanar",
            // In the plane z = 0: a0 fixed at the origin, a1 from (2, −1) to (2, 1); b from (1, 0) to (3, 0). At t =
            // 1/2 a lies on b; before, the line of a is below.
            t0: [[0.0; 3], [2.0, -1.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
            t1: [[0.0; 3], [2.0, 1.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
            first: Some(0.5),
        },
        Case {
            name: "scissors: parallel throughout, meeting in between",
            t0: [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [1.5, 1.0, 0.0]],
            t1: [[0.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.5, 1.0, 0.0], [1.5, 1.0, 0.0]],
            first: Some(0.5),
        },
    ];
    for case in &cases {
        let q = EdgeEdge::new(points(case.t0), points(case.t1)).unwrap();
        check(case, edge_edge(&q, &Limits::default()).outcome);
    }
}

/// Checks seeded queries of several degenerate kinds.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn coordinate(&mut self, kind: u64) -> f64 {
        let unit = self.next() as f64 / 2f64.powi(31);
        match kind % 4 {
            0 => (self.next() % 3) as f64,
            1 => (self.next() % 5) as f64 - 2.0,
            2 => [0.0, 0.1, 0.3, 0.7, 1.0, 0.5][self.next() as usize % 6],
            _ => unit * 2.0 - 1.0,
        }
    }

    fn query(&mut self, kind: u64) -> ([DVec3; 4], [DVec3; 4]) {
        let mut p = [[0; 4]; 2].map(|p| {
            p.map(|_: u64| dvec3(self.coordinate(kind), self.coordinate(kind), self.coordinate(kind)))
        });
        // Sometimes flat, at rest or repeated points.
        match self.next() % 8 {
            0 => p.iter_mut().flatten().for_each(|v| v.z = 0.0),
            1 => p[1] = [p[1][0], p[0][1], p[0][2], p[0][3]],
            2 => (p[0][3], p[1][3]) = (p[0][2], p[1][2]),
            _ => {}
        }
        (p[0], p[1])
    }
}

fn span(outcome: Verdict<Contact>) -> Option<(f64, f64)> {
    match outcome {
        Verdict::Touch(c) => Some((c.toi, c.toi_upper)),
        Verdict::Free => None,
        Verdict::Undecided { .. } => panic!("undecided without a separation"),
    }
}

/// Asserts the same yes or no, and times that enclose the same instant.
fn assert_same(a: Option<(f64, f64)>, b: Option<(f64, f64)>, what: &str) {
    match (a, b) {
        (None, None) => {}
        (Some(a), Some(b)) => assert!(a.0 <= b.1 && b.0 <= a.1, "{what}: {a:?} {b:?}"),
        _ => panic!("{what}: {a:?} {b:?}"),
    }
}

fn up_to(t_max: f64) -> Limits {
    Limits::default().within(0.0, t_max).unwrap()
}

fn vf(t0: [DVec3; 4], t1: [DVec3; 4], t_max: f64) -> Option<(f64, f64)> {
    span(vertex_face(&VertexFace::new(t0, t1).unwrap(), &up_to(t_max)).outcome)
}

fn ee(t0: [DVec3; 4], t1: [DVec3; 4], t_max: f64) -> Option<(f64, f64)> {
    span(edge_edge(&EdgeEdge::new(t0, t1).unwrap(), &up_to(t_max)).outcome)
}

type Decide = fn([DVec3; 4], [DVec3; 4], f64) -> Option<(f64, f64)>;

#[test]
fn symmetries_do_not_change_the_answer() {
    let mut random = Random(1);
    let mut hits = [0; 2];
    for round in 0..20_000 {
        let (t0, t1) = random.query(round);
        let same: [(Decide, &[[usize; 4]]); 2] = [
            (vf, &[[0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3], [0, 3, 2, 1]]),
            (ee, &[[1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]),
        ];
        for (kind, (decide, permutations)) in same.into_iter().enumerate() {
            let answer = decide(t0, t1, 1.0);
            hits[kind] += answer.is_some() as usize;
            for order in permutations {
                assert_same(answer, decide(order.map(|i| t0[i]), order.map(|i| t1[i]), 1.0), "permuted");
            }
            let map = |f: &dyn Fn(DVec3) -> DVec3| decide(t0.map(f), t1.map(f), 1.0);
            for k in [-40, 3, 40] {
                assert_same(answer, map(&|p| p * 2f64.powi(k)), "scaled");
            }
            assert_same(answer, map(&|p| -p), "mirrored");
            assert_same(answer, map(&|p| dvec3(p.y, p.z, p.x)), "axes turned");
            if round % 4 < 2 {
                // Small integers: the offset is added without rounding.
                assert_same(answer, map(&|p| p + dvec3(1e6, -3e8, 7.0)), "translated");
            }
            // In reversed time the yes or no stays the same.
            assert_eq!(answer.is_some(), decide(t1, t0, 1.0).is_some(), "{t0:?} {t1:?}");
            // A step that ends at the contact still finds it; one that ends before does not.
            if let Some((lo, hi)) = answer {
                assert_same(answer, decide(t0, t1, hi), "cut at the contact");
                if lo > 0.0 {
                    assert_eq!(decide(t0, t1, lo.next_down()), None, "cut before the contact {t0:?} {t1:?}");
                }
            }
        }
    }
    assert!(hits.iter().all(|&n| n > 4000 && n < 16_000), "{hits:?}");
}

/// The predicates at rest, at times k/12 of motions between small integers: scaled by 12 the positions are integers.
#[test]
fn snapshots_agree() {
    use firsttouch::numerics::predicates::{point_in_triangle, segments_touch};
    let mut random = Random(2);
    let mut seen = 0;
    for round in 0..10_000 {
        let (t0, t1) = random.query(round % 2);
        for faces in [true, false] {
            let answer = if faces { vf(t0, t1, 1.0) } else { ee(t0, t1, 1.0) };
            for k in 0..=12 {
                let p = [0, 1, 2, 3].map(|i| t0[i] * (12.0 - k as f64) + t1[i] * k as f64);
                let touching = if faces {
                    point_in_triangle(p[0], [p[1], p[2], p[3]])
                } else {
                    segments_touch([p[0], p[1]], [p[2], p[3]])
                };
                let t = k as f64 / 12.0;
                if touching {
                    seen += 1;
                    // k/12 is rounded: allow for half an ulp.
                    assert!(answer.is_some_and(|(lo, _)| lo <= t.next_up()), "{t0:?} {t1:?} {k}: {answer:?}");
                } else if let Some((lo, hi)) = answer {
                    assert!(lo != hi || lo != t || k % 3 != 0, "{t0:?} {t1:?} {k}: {answer:?}");
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

#[test]
fn batches_answer_as_single_queries_do() {
    let mut random = Random(3);
    for t_max in [1.0, 0.37] {
        let params = up_to(t_max);
        let (mut faces, mut edges) = (Vec::new(), Vec::new());
        for round in 0..5003 {
            let (t0, t1) = random.query(round);
            let offset = if round % 3 == 0 { dvec3(2.5, 0.0, 0.0) } else { DVec3::ZERO };
            let shift = |p: [DVec3; 4]| [p[0], p[1] + offset, p[2] + offset, p[3] + offset];
            faces.push(VertexFace::new(shift(t0), shift(t1)).unwrap());
            edges.push(EdgeEdge::new(t0, t1).unwrap());
        }
        let mut out = vec![];
        for n in [0, 1, 5, faces.len()] {
            vertex_face_batch(&faces[..n], &params, &mut out);
            let single: Vec<Decision> = faces[..n].iter().map(|q| vertex_face(q, &params)).collect();
            assert_eq!(out, single);
            edge_edge_batch(&edges[..n], &params, &mut out);
            let single: Vec<Decision> = edges[..n].iter().map(|q| edge_edge(q, &params)).collect();
            assert_eq!(out, single);
        }
        let axes = out.iter().filter(|d| d.stage == Stage::Axes).count();
        assert!(axes > 300 && axes < 4700, "{axes}");
    }
}

/// With a separation the reported time is not after the first sampled time at which the distance is below it.
#[test]
fn separations_are_never_late() {
    use firsttouch::elementary::closest::{segment_segment, vertex_triangle};
    let mut random = Random(4);
    let mut touches = 0;
    for _ in 0..3000 {
        let (t0, t1) = random.query(3);
        let params =
            Limits::new(&Options { min_separation: 0.1, tolerance: 1e-4, ..Options::default() }).unwrap();
        for faces in [true, false] {
            let decision = if faces {
                vertex_face(&VertexFace::new(t0, t1).unwrap(), &params)
            } else {
                edge_edge(&EdgeEdge::new(t0, t1).unwrap(), &params)
            };
            assert_eq!(decision.stage, Stage::Advancement);
            let gap = |t: f64| {
                let p = [0, 1, 2, 3].map(|i| t0[i].lerp(t1[i], t));
                let c = if faces {
                    vertex_triangle(p[0], [p[1], p[2], p[3]])
                } else {
                    segment_segment([p[0], p[1]], [p[2], p[3]])
                };
                c.a.distance(c.b)
            };
            let first = (0..=200).map(|k| k as f64 / 200.0).find(|&t| gap(t) < 0.1 - 1e-12);
            match decision.outcome {
                Verdict::Free => assert_eq!(first, None),
                Verdict::Touch(c) => {
                    touches += 1;
                    assert!(first.is_none_or(|t| c.toi <= t) && gap(c.toi) <= 0.1 + 1e-4 + 1e-12);
                }
                Verdict::Undecided { free_until } => assert!(first.is_none_or(|t| free_until <= t)),
            }
        }
    }
    assert!(touches > 300, "{touches}");
}

/// The public query sets, if they are present: exact ground truth, and exact first contacts in the `.toi` files. On
/// generated queries, `elementary_exact` asserts the same with an oracle.
#[test]
fn public_query_sets_agree_with_their_ground_truth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/queries");
    let mut files = Vec::new();
    collect(&root, &mut files);
    if files.is_empty() {
        return skipped("public_query_sets_agree_with_their_ground_truth");
    }
    files.sort();
    let (mut queries, mut max_early) = (0, 0.0f64);
    for file in files {
        let edges = file.to_string_lossy().contains("edge-edge");
        let tois = std::fs::read_to_string(file.with_extension("toi")).ok();
        let tois: Option<Vec<Option<f64>>> =
            tois.map(|text| text.lines().map(|line| line.trim().parse().ok()).collect());
        for (i, (t0, t1, truth)) in read(&file).into_iter().enumerate() {
            queries += 1;
            let params = Limits::default();
            let outcome = if edges {
                edge_edge(&EdgeEdge::new(t0, t1).unwrap(), &params).outcome
            } else {
                vertex_face(&VertexFace::new(t0, t1).unwrap(), &params).outcome
            };
            let contact = match outcome {
                Verdict::Touch(contact) => Some(contact),
                Verdict::Free => None,
                Verdict::Undecided { .. } => panic!("{} query {i} undecided", file.display()),
            };
            assert_eq!(contact.is_some(), truth, "{} query {i}", file.display());
            if let Some(contact) = contact {
                assert!(contact.toi <= contact.toi_upper && contact.toi_upper - contact.toi <= 1e-15);
                assert!((contact.normal.length() - 1.0).abs() < 1e-12);
                if let Some(exact) = tois.as_ref().and_then(|t| t.get(i).copied().flatten()) {
                    assert!(
                        contact.toi <= exact,
                        "{} query {i} late: {} {exact}",
                        file.display(),
                        contact.toi
                    );
                    max_early = max_early.max(exact - contact.toi);
                }
            }
        }
    }
    assert!(max_early <= 1e-15, "{max_early}");
    println!("{queries} queries, at most {max_early:e} early");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "csv") {
            files.push(path);
        }
    }
}

type Query = ([DVec3; 4], [DVec3; 4], bool);

/// Eight rows of `xn,xd,yn,yd,zn,zd,truth` per query.
fn read(file: &Path) -> Vec<Query> {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<(DVec3, bool)> = text
        .lines()
        .map(|line| {
            // Numerators and power-of-two denominators are each exact as f64, and so is the quotient.
            let n: Vec<f64> = line.split(',').map(|field| field.trim().parse().unwrap()).collect();
            (dvec3(n[0] / n[1], n[2] / n[3], n[4] / n[5]), n[6] == 1.0)
        })
        .collect();
    rows.chunks_exact(8)
        .map(|r| {
            let p = |i: usize| r[i].0;
            ([p(0), p(1), p(2), p(3)], [p(4), p(5), p(6), p(7)], r[0].1)
        })
        .collect()
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}
