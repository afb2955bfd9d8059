//! The exact oracle against hand-computed cases, against a version that tries every polynomial, and against sampling.

use crate::generator;
use crate::oracle;

use std::cmp::Ordering;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use glam::{DVec3, dvec3};

use generator::Random;
use oracle::polynomial::{Dyadic, Poly};
use oracle::root::{Root, roots_in_unit_interval};
use oracle::separation::Separation;
use oracle::{Formula, Kind, Query, first_contact, on_edge};

const ORIGIN: DVec3 = DVec3::ZERO;

fn vertex_face(v0: DVec3, v1: DVec3) -> Query {
    let face = [dvec3(0.0, 0.0, 0.0), dvec3(4.0, 0.0, 0.0), dvec3(0.0, 4.0, 0.0)];
    let [a, b, c] = face;
    Query { kind: Kind::VertexFace, t0: [v0, a, b, c], t1: [v1, a, b, c] }
}

fn edge_edge(a: [DVec3; 2], b0: [DVec3; 2], b1: [DVec3; 2]) -> Query {
    Query { kind: Kind::EdgeEdge, t0: [a[0], a[1], b0[0], b0[1]], t1: [a[0], a[1], b1[0], b1[1]] }
}

/// Asserts that the first contact is at numerator / denominator: between the two neighbours on a fine grid.
fn assert_first(query: &Query, expected: Option<(i64, i64)>, simple: bool) {
    let found = first_contact(query);
    match (found, expected) {
        (None, None) => {}
        (Some(mut contact), Some((n, d))) => {
            contact.time.narrow(220);
            let (lo, hi) = contact.time.interval();
            assert!(
                ratio(&lo) <= rational(n, d) && rational(n, d) <= ratio(&hi),
                "{query}: {:?}",
                contact.time
            );
            assert!(ratio(&hi) - ratio(&lo) <= rational(1, 1 << 50).pow(4), "{query} not narrowed");
            assert_eq!(contact.simple, simple, "{query}");
        }
        (found, expected) => panic!("{query}: {expected:?} expected, {found:?} found"),
    }
}

fn rational(n: i64, d: i64) -> RBig {
    RBig::from_parts(IBig::from(n), UBig::from(d as u64))
}

fn ratio(d: &Dyadic) -> RBig {
    RBig::from_parts(d.numerator.clone(), UBig::ONE << d.exponent)
}

#[test]
fn vertex_through_the_face_by_hand() {
    // Height 2 - 3t over the inside, the long edge, a corner; beside the face; ending or starting on it.
    assert_first(&vertex_face(dvec3(1.0, 1.0, 2.0), dvec3(1.0, 1.0, -1.0)), Some((2, 3)), true);
    assert_first(&vertex_face(dvec3(2.0, 2.0, 2.0), dvec3(2.0, 2.0, -1.0)), Some((2, 3)), true);
    assert_first(&vertex_face(dvec3(4.0, 0.0, 2.0), dvec3(4.0, 0.0, -1.0)), Some((2, 3)), true);
    let past = 2.0f64.next_up();
    assert_first(&vertex_face(dvec3(2.0, past, 2.0), dvec3(2.0, past, -1.0)), None, true);
    assert_first(&vertex_face(dvec3(1.0, 1.0, 1.0), dvec3(1.0, 1.0, 0.0)), Some((1, 1)), true);
    assert_first(&vertex_face(dvec3(1.0, 1.0, 0.0), dvec3(1.0, 1.0, 1.0)), Some((0, 1)), true);
    assert_first(&vertex_face(dvec3(1.0, 1.0, 1.0), dvec3(1.0, 1.0, 5e-324)), None, true);
}

#[test]
fn coplanar_and_degenerate_by_hand() {
    // Sliding in the plane of the face from x = -1 to x = 2, in at x = 0; resting; passing a corner.
    assert_first(&vertex_face(dvec3(-1.0, 1.0, 0.0), dvec3(2.0, 1.0, 0.0)), Some((1, 3)), false);
    assert_first(&vertex_face(dvec3(1.0, 1.0, 0.0), dvec3(1.0, 1.0, 0.0)), Some((0, 1)), false);
    assert_first(&vertex_face(dvec3(5.0, -1.0, 0.0), dvec3(3.0, 1.0, 0.0)), Some((1, 2)), false);
    assert_first(&vertex_face(dvec3(5.0, -1.0, 0.0), dvec3(3.0, 1.001, 0.0)), None, false);
    // A face that is a point, met at t = 1/5, and one that is a segment.
    let point = Query {
        kind: Kind::VertexFace,
        t0: [dvec3(-1.0, 0.0, 0.0), ORIGIN, ORIGIN, ORIGIN],
        t1: [dvec3(4.0, 0.0, 0.0), ORIGIN, ORIGIN, ORIGIN],
    };
    assert_first(&point, Some((1, 5)), false);
    let x = dvec3(1.0, 0.0, 0.0);
    let segment = Query {
        kind: Kind::VertexFace,
        t0: [dvec3(-2.0, -2.0, 0.0), -x, x, x],
        t1: [dvec3(1.0, 1.0, 0.0), -x, x, x],
    };
    assert_first(&segment, Some((2, 3)), false);
}

#[test]
fn edges_by_hand() {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    assert_first(&edge_edge([-x, x], [z - y, z + y], [-z - y, -z + y]), Some((1, 2)), true);
    // Touching at an end only, and just beyond it.
    assert_first(&edge_edge([-x, x], [x + z, x + z + y], [x - z, x - z + y]), Some((1, 2)), true);
    let out = dvec3(1.0f64.next_up(), 0.0, 0.0);
    assert_first(&edge_edge([-x, x], [out + z, out + z + y], [out - z, out - z + y]), None, true);
    // Collinear: from [4, 5] by 4 to the left: reaches x = 1 at t = 3/4. Parallel: never.
    assert_first(&edge_edge([-x, x], [4.0 * x, 5.0 * x], [ORIGIN, x]), Some((3, 4)), false);
    assert_first(&edge_edge([-x, x], [y - x, y + x], [0.5 * y - x, 0.5 * y + x]), None, false);
    // Two points that meet at t = 1/3, and two that pass each other.
    assert_first(&edge_edge([ORIGIN, ORIGIN], [-x, -x], [2.0 * x, 2.0 * x]), Some((1, 3)), false);
    assert_first(&edge_edge([ORIGIN, ORIGIN], [y - x, y - x], [y + x, y + x]), None, false);
}

/// A grazing vertex: the plane z = (2t - 1) x, the vertex at x = 2t - 1, z = 0: D is -(2t - 1)² times the area.
#[test]
fn double_root_by_hand() {
    let at = |s: f64| {
        let tilted = |x: f64, y: f64| dvec3(x, y, s * x);
        [dvec3(s, 0.0, 0.0), tilted(-4.0, -4.0), tilted(4.0, -4.0), tilted(0.0, 4.0)]
    };
    let grazing = Query { kind: Kind::VertexFace, t0: at(-1.0), t1: at(1.0) };
    assert_first(&grazing, Some((1, 2)), false);
    let mut miss = grazing;
    for points in [&mut miss.t0, &mut miss.t1] {
        points[0].z = -5e-324;
    }
    assert_first(&miss, None, false);
    // Above instead of below, the vertex crosses twice.
    for points in [&mut miss.t0, &mut miss.t1] {
        points[0].z = 2f64.powi(-20);
    }
    // s² = 2^-20 first at s = -2^-10.
    assert_first(&miss, Some(((1 << 10) - 1, 1 << 11)), true);
}

#[test]
fn roots_and_their_order() {
    let poly = |c: &[i64]| Poly::new(c.iter().map(|&c| IBig::from(c)).collect());
    // (2t - 1)² (3t - 1) and (t² - 2)(3t - 1): 1/3 simple, 1/2 double; sqrt 2 outside.
    let a = roots_in_unit_interval(&poly(&[-1, 7, -16, 12]));
    assert_eq!(a.iter().map(|r| r.simple).collect::<Vec<_>>(), [true, false]);
    let b = roots_in_unit_interval(&poly(&[2, -6, -1, 3]));
    assert_eq!(b.len(), 1);
    let (mut third, mut half, mut other) = (a[0].root.clone(), a[1].root.clone(), b[0].root.clone());
    assert_eq!(third.compare_root(&mut other), Ordering::Equal);
    assert_eq!(half.compare_root(&mut other), Ordering::Greater);
    assert_eq!(other.compare(&Dyadic::from_f64(1.0 / 3.0)), Ordering::Greater);
    assert_eq!(half.compare(&Dyadic::from_f64(0.5)), Ordering::Equal);
    // 2 t² - 1 at the root of 3t - 1 is negative, and 9 t² - 1 is zero.
    assert_eq!(third.sign(&poly(&[-1, 0, 2])), -1);
    assert_eq!(third.sign(&poly(&[-1, 0, 9])), 0);
    // The ends count, and t = 0 and t = 1 are distinguished from roots next to them: t (t - 1) (1024 t - 1).
    assert_eq!(roots_in_unit_interval(&poly(&[0, 1, -1025, 1024])).len(), 3);
}

#[test]
fn separation_by_hand() {
    let check = |query: &Query, d: f64, expected: Option<(i64, i64)>| {
        let mut found = Separation::new(query, d).first();
        match (&mut found, expected) {
            (None, None) => {}
            (Some(root), Some((n, d))) => {
                root.narrow(100);
                let (lo, hi) = root.interval();
                assert!(ratio(&lo) <= rational(n, d) && rational(n, d) <= ratio(&hi), "{query}: {root:?}");
            }
            _ => panic!("{query}: {expected:?} expected, {found:?} found"),
        }
    };
    // Down over the face from 2 to -1: at 1/2 after half the step. Over the edge x = 0 at x = -0.3: 0.5² = 0.3²
    // + 0.4², so at height 0.4 (binary: a 3, 4, 5 triangle of eighths). The same over the corner.
    check(&vertex_face(dvec3(1.0, 1.0, 2.0), dvec3(1.0, 1.0, -1.0)), 0.5, Some((1, 2)));
    check(&vertex_face(dvec3(-0.375, 1.0, 2.0), dvec3(-0.375, 1.0, -1.0)), 0.625, Some((1, 2)));
    check(&vertex_face(dvec3(-0.375, -0.5, 2.0), dvec3(-0.375, -0.5, -1.0)), 0.625, Some((2, 3)));
    check(&vertex_face(dvec3(-0.375, -0.5, 2.0), dvec3(-0.375, -0.5, -1.0)), 0.6, None);
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    check(&edge_edge([-x, x], [z - y, z + y], [-z - y, -z + y]), 0.5, Some((1, 4)));
    // Parallel and collinear.
    check(&edge_edge([-x, x], [z - x, z + x], [-x, x]), 0.25, Some((3, 4)));
    check(&edge_edge([-x, x], [4.0 * x, 5.0 * x], [2.0 * x, 3.0 * x]), 1.5, Some((3, 4)));
}

/// Decides contact at a rational time by solving for the parameters in rational arithmetic.
fn touches_at(query: &Query, t: &RBig) -> bool {
    let position = |i: usize| -> [RBig; 3] {
        let at = |x0: f64, x1: f64| {
            let (x0, x1) = (ratio(&Dyadic::from_f64(x0)), ratio(&Dyadic::from_f64(x1)));
            &x0 + t * (&x1 - &x0)
        };
        std::array::from_fn(|axis| at(query.t0[i][axis], query.t1[i][axis]))
    };
    let p: [[RBig; 3]; 4] = std::array::from_fn(position);
    let minus = |a: &[RBig; 3], b: &[RBig; 3]| -> [RBig; 3] { std::array::from_fn(|i| &a[i] - &b[i]) };
    // Both are target = s u + r w, for s, r >= 0 and s + r <= 1, or for s, r in [0, 1].
    let (target, u, w) = match query.kind {
        Kind::VertexFace => (minus(&p[0], &p[1]), minus(&p[2], &p[1]), minus(&p[3], &p[1])),
        Kind::EdgeEdge => (minus(&p[2], &p[0]), minus(&p[1], &p[0]), minus(&p[2], &p[3])),
    };
    // Clip the set of (s, r) that solve the three equations against the polygon of parameters.
    let (zero, one) = (RBig::ZERO, RBig::ONE);
    let mut polygon = match query.kind {
        Kind::VertexFace => {
            vec![(zero.clone(), zero.clone()), (one.clone(), zero.clone()), (zero.clone(), one.clone())]
        }
        Kind::EdgeEdge => vec![
            (zero.clone(), zero.clone()),
            (one.clone(), zero.clone()),
            (one.clone(), one.clone()),
            (zero.clone(), one.clone()),
        ],
    };
    for axis in 0..3 {
        for flip in [1, -1] {
            let value =
                |(s, r): &(RBig, RBig)| (s * &u[axis] + r * &w[axis] - &target[axis]) * RBig::from(flip);
            let mut clipped = Vec::new();
            for i in 0..polygon.len() {
                let (a, b) = (&polygon[i], &polygon[(i + 1) % polygon.len()]);
                let (va, vb) = (value(a), value(b));
                if va >= zero {
                    clipped.push(a.clone());
                }
                if (va > zero && vb < zero) || (va < zero && vb > zero) {
                    let k = &va / (&va - &vb);
                    clipped.push((&a.0 + &k * (&b.0 - &a.0), &a.1 + &k * (&b.1 - &a.1)));
                }
            }
            polygon = clipped;
        }
    }
    !polygon.is_empty()
}

/// Returns the earliest contact among the roots of every polynomial in the formula, and t = 0, without any shortcut.
fn first_by_trying_everything(query: &Query) -> Option<Root> {
    let formula = Formula::of(query);
    let sides = formula.sides();
    let mut polynomials = vec![formula.determinant.clone()];
    polynomials.extend(sides.iter().cloned());
    for [a, b] in &formula.edges {
        polynomials.push(a.dot(b));
        polynomials.extend(a.cross(b).0);
    }
    let mut first: Option<Root> = None;
    let start = Root::at(Dyadic::zero());
    let roots = polynomials.iter().filter(|p| !p.is_zero()).flat_map(roots_in_unit_interval).map(|r| r.root);
    for mut time in std::iter::once(start).chain(roots) {
        let proper = time.sign(&formula.determinant) == 0 && sides.iter().all(|side| time.sign(side) > 0);
        if (proper || formula.edges.iter().any(|edge| on_edge(edge, &mut time)))
            && first.as_mut().is_none_or(|f| time.compare_root(f).is_lt())
        {
            first = Some(time);
        }
    }
    first
}

#[test]
fn against_every_polynomial_and_against_sampling() {
    let samples: Vec<RBig> = [16, 7, 15].iter().flat_map(|&n| (0..=n).map(move |k| rational(k, n))).collect();
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let (mut hits, mut exact_times, mut sampled_hits, mut total) = (0, 0, 0, 0);
        for family in generator::FAMILIES.iter().filter(|f| !f.slow()) {
            let mut random = Random::new(7);
            for i in 0..200 {
                let query = family.draw(kind, &mut random);
                let mut found = first_contact(&query).map(|c| c.time);
                let mut everything = first_by_trying_everything(&query);
                let same = match (&mut found, &mut everything) {
                    (None, None) => true,
                    (Some(a), Some(b)) => a.compare_root(b).is_eq(),
                    _ => false,
                };
                assert!(same, "{query}: {found:?} and {everything:?}");
                total += 1;
                hits += usize::from(found.is_some());
                if let Some(root) = &mut found {
                    root.narrow(60);
                    let (lo, hi) = root.interval();
                    if lo.compare(&hi).is_eq() {
                        exact_times += 1;
                        assert!(touches_at(&query, &ratio(&lo)), "{query} does not touch at {lo:?}");
                    }
                }
                if i % 8 != 0 {
                    continue;
                }
                if let Some(t) = samples.iter().filter(|t| touches_at(&query, t)).min() {
                    sampled_hits += 1;
                    let mut root = found.unwrap_or_else(|| panic!("{query} touches at {t}"));
                    root.narrow(200);
                    assert!(ratio(&root.interval().0) <= *t, "{query} touches at {t} already");
                }
            }
        }
        println!(
            "{kind:?}: {hits} of {total} touch, {exact_times} at a dyadic time, {sampled_hits} seen by sampling"
        );
        assert!(hits * 5 > total && hits * 5 < total * 4 && exact_times > 200 && sampled_hits > 20);
    }
}

/// Returns the smallest distance over a grid of n by n parameters. It is at least the distance, and exceeds it by less
/// than the largest step from one grid point to the next.
fn grid_distance(query: &Query, t: f64, n: usize) -> (f64, f64) {
    let p: [DVec3; 4] = std::array::from_fn(|i| query.t0[i] + (query.t1[i] - query.t0[i]) * t);
    let mut smallest = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n {
            let (s, r) = (i as f64 / n as f64, j as f64 / n as f64);
            let gap = match query.kind {
                Kind::VertexFace if i + j > n => continue,
                Kind::VertexFace => p[1] + (p[2] - p[1]) * s + (p[3] - p[1]) * r - p[0],
                Kind::EdgeEdge => p[0] + (p[1] - p[0]) * s - p[2] - (p[3] - p[2]) * r,
            };
            smallest = smallest.min(gap.length());
        }
    }
    let step = match query.kind {
        Kind::VertexFace => (p[2] - p[1]).length() + (p[3] - p[1]).length(),
        Kind::EdgeEdge => (p[1] - p[0]).length() + (p[3] - p[2]).length(),
    };
    (smallest, step / n as f64)
}

#[test]
fn separation_against_a_grid() {
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let mut random = Random::new(3);
        let (mut hits, mut total) = (0, 0);
        for family in generator::FAMILIES.iter().filter(|f| f.of_moderate_scale()) {
            for _ in 0..30 {
                let query = family.draw(kind, &mut random);
                let d = random.pick(&[0.05, 0.5, 1.0]);
                let separation = Separation::new(&query, d);
                let first = separation.first();
                for k in 0..=8 {
                    let t = f64::from(k) / 8.0;
                    let within = separation.within(&Dyadic::from_f64(t));
                    let (distance, step) = grid_distance(&query, t, 24);
                    assert!(within || distance > d - 1e-9, "{query} is within {d} at {t}: {distance}");
                    assert!(!within || distance < d + step + 1e-9, "{query} is beyond {d} at {t}");
                    let found_by_then =
                        first.as_ref().is_some_and(|root| root.compare(&Dyadic::from_f64(t)).is_le());
                    assert!(!within || found_by_then, "{query} is within {d} at {t} already");
                }
                // At the first time the distance is d, unless it is less from the start.
                if let Some(mut root) = first.clone().filter(|r| r.compare(&Dyadic::zero()).is_gt()) {
                    root.narrow(60);
                    let t = ratio(&root.interval().1).to_f64().value();
                    let (distance, step) = grid_distance(&query, t, 24);
                    assert!(distance > d - 1e-9 && distance < d + step + 1e-9, "{query}: {distance} at {t}");
                }
                total += 1;
                hits += usize::from(first.is_some());
            }
        }
        println!("{kind:?}: {hits} of {total} within the distance");
        assert!(hits * 5 > total && hits < total);
    }
}

/// The public query sets, if they are present: their truth, and their times where given. The tests above compare the
/// oracle with sampling, on generated queries.
#[test]
fn public_query_sets() {
    let sets = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/queries"));
    let Ok(entries) = std::fs::read_dir(sets) else { return skipped("public_query_sets") };
    let (mut queries, mut hits, mut times) = (0, 0, 0);
    for folder in entries.map(|entry| entry.expect("a readable folder").path()) {
        for (kind, name) in [(Kind::VertexFace, "vertex-face"), (Kind::EdgeEdge, "edge-edge")] {
            let Ok(files) = std::fs::read_dir(folder.join(name)) else { continue };
            for path in files.map(|file| file.expect("a readable file").path()) {
                if path.extension().is_none_or(|e| e != "csv") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("text");
                let toi = std::fs::read_to_string(path.with_extension("toi")).ok();
                let toi: Option<Vec<_>> = toi.as_ref().map(|t| t.lines().collect());
                let rows: Vec<(DVec3, bool)> = text.lines().map(row).collect();
                for (i, rows) in rows.chunks_exact(8).enumerate() {
                    let point = |k: usize| rows[k].0;
                    let query = Query {
                        kind,
                        t0: std::array::from_fn(point),
                        t1: std::array::from_fn(|k| point(k + 4)),
                    };
                    let found = first_contact(&query);
                    assert_eq!(found.is_some(), rows[0].1, "{} {i}: {query}", path.display());
                    queries += 1;
                    hits += usize::from(found.is_some());
                    let given = toi.as_ref().and_then(|t| t.get(i)?.trim().parse::<f64>().ok());
                    if let (Some(contact), Some(given)) = (found, given) {
                        times += 1;
                        // Given as an f64, so accurate to half a unit in its last place.
                        let low = Dyadic::from_f64(given.next_down());
                        let high = Dyadic::from_f64(given.next_up());
                        let near = contact.time.compare(&low).is_ge() && contact.time.compare(&high).is_le();
                        assert!(near, "{} {i}: {given} is not the time of {query}", path.display());
                    }
                }
            }
        }
    }
    println!("{queries} queries, {hits} touch, {times} with a time: all agree");
    assert!(queries == 0 || hits > 0);
}

fn row(line: &str) -> (DVec3, bool) {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let number = |i: usize| {
        let integer = |k: usize| fields[k].parse::<IBig>().expect("an integer");
        let value = RBig::from_parts(integer(i), UBig::try_from(integer(i + 1)).expect("positive"));
        let (n, d) = (value.numerator().to_f64(), value.denominator().to_f64());
        n.value() / d.value()
    };
    (dvec3(number(0), number(2), number(4)), fields[6] == "1")
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}
