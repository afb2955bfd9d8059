//! `gap` is at least the exact distance at `toi`, and the points lie on their features: the engines against rational
//! arithmetic.
//!
//! Bodies fly without a rotation, so all positions at `toi` are rational numbers that can be computed. The distance
//! of two triangles is the smallest of the distances between their corners and sides; it is compared as a square,
//! which is rational too.

use crate::random;

use dashu_ratio::RBig;
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape};
use firsttouch::{Answer, Body, Options, Scene, Touch};
use glam::DVec3;
use random::Random;

type Point = [RBig; 3];

fn exact(v: DVec3) -> Point {
    v.to_array().map(|x| RBig::try_from(x).unwrap())
}

fn minus(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn dot(a: &Point, b: &Point) -> RBig {
    (0..3).fold(RBig::ZERO, |sum, k| sum + &a[k] * &b[k])
}

fn plus(a: &Point, s: &RBig, d: &Point) -> Point {
    [0, 1, 2].map(|k| &a[k] + s * &d[k])
}

fn squared(a: &Point, b: &Point) -> RBig {
    let d = minus(a, b);
    dot(&d, &d)
}

fn clamped(x: RBig) -> RBig {
    if x < RBig::ZERO {
        RBig::ZERO
    } else if x > RBig::ONE {
        RBig::ONE
    } else {
        x
    }
}

fn point_segment(p: &Point, [a, b]: [&Point; 2]) -> RBig {
    let d = minus(b, a);
    let length = dot(&d, &d);
    if length == RBig::ZERO {
        return squared(p, a);
    }
    squared(p, &plus(a, &clamped(dot(&minus(p, a), &d) / length), &d))
}

fn point_triangle(p: &Point, [a, b, c]: &[Point; 3]) -> RBig {
    let (u, v, w) = (minus(b, a), minus(c, a), minus(p, a));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    let area = &uu * &vv - &uv * &uv;
    if area != RBig::ZERO {
        let (s, t) = ((&wu * &vv - &wv * &uv) / &area, (&wv * &uu - &wu * &uv) / &area);
        if s >= RBig::ZERO && t >= RBig::ZERO && &s + &t <= RBig::ONE {
            return squared(p, &plus(&plus(a, &s, &u), &t, &v));
        }
    }
    let sides = [[a, b], [b, c], [c, a]].map(|side| point_segment(p, side));
    sides.into_iter().min().unwrap()
}

fn segment_segment(p: [&Point; 2], q: [&Point; 2]) -> RBig {
    let mut least =
        [point_segment(p[0], q), point_segment(p[1], q), point_segment(q[0], p), point_segment(q[1], p)]
            .into_iter()
            .min()
            .unwrap();
    let (u, v, w) = (minus(p[1], p[0]), minus(q[1], q[0]), minus(p[0], q[0]));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    let across = &uu * &vv - &uv * &uv;
    if across != RBig::ZERO {
        let (s, t) = ((&uv * &wv - &vv * &wu) / &across, (&uu * &wv - &uv * &wu) / &across);
        let inside = |x: &RBig| *x >= RBig::ZERO && *x <= RBig::ONE;
        if inside(&s) && inside(&t) {
            least = least.min(squared(&plus(p[0], &s, &u), &plus(q[0], &t, &v)));
        }
    }
    least
}

/// Returns the squared distance of two triangles that do not cross.
fn triangle_triangle(a: &[Point; 3], b: &[Point; 3]) -> RBig {
    let sides = |t: &[Point; 3]| {
        [[t[0].clone(), t[1].clone()], [t[1].clone(), t[2].clone()], [t[2].clone(), t[0].clone()]]
    };
    let corners = a.iter().map(|p| point_triangle(p, b)).chain(b.iter().map(|p| point_triangle(p, a)));
    let edges =
        sides(a).into_iter().flat_map(|p| sides(b).map(|q| segment_segment([&p[0], &p[1]], [&q[0], &q[1]])));
    corners.chain(edges).min().unwrap()
}

/// Returns the exact points of a flying body at a time.
fn flown(points: [DVec3; 3], from: DVec3, to: DVec3, t: f64) -> [Point; 3] {
    let t = RBig::try_from(t).unwrap();
    let start = exact(from);
    let step = minus(&exact(to), &start);
    points.map(|p| plus(&plus(&exact(p), &RBig::ONE, &start), &t, &step))
}

fn touch_of(shapes: [Shape; 2], motion: Motion, tolerance: f64) -> Option<Touch> {
    let [a, b] = shapes;
    let mut scene = Scene::default();
    scene.add(Body::new("a", a, motion)).unwrap();
    scene.add(Body::new("b", b, Motion::fixed(Pose::IDENTITY))).unwrap();
    match scene.check(&Options { tolerance, ..Options::default() }).unwrap().answer {
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Some(touch),
        Answer::Free | Answer::Undecided { .. } => None,
    }
}

fn motion_of(kind: u64, from: DVec3, to: DVec3) -> Motion {
    let pose = |v: DVec3| Pose::from_translation(v).unwrap();
    match kind % 4 {
        0 => Motion::linear(pose(from), pose(to)),
        1 => Motion::screw(pose(from), pose(to)),
        2 => Motion::contact_screw(pose(from), pose(to)),
        _ => Motion::rational(pose(from), pose(to)),
    }
}

/// Two triangles, through the tree engine and the contact-screw engine, near the origin and far from it, including
/// thin ones.
#[test]
fn triangles() {
    let mut random = Random(5);
    let (mut touches, mut apart) = (0, 0);
    for case in 0..240_u64 {
        let offset = random.vector(1.0) * [0.0, 1.0, 1e4, 1e8][(case / 4 % 4) as usize];
        let size = [1.0, 1e-3, 1e3][(case / 16 % 3) as usize];
        let mut corners = |thin: f64| {
            let (at, along) = (random.vector(0.2), random.vector(1.0));
            [at - along, at + along, at + 0.4 * along + random.vector(thin)].map(|v| v * size)
        };
        let (a, b) = (corners([1.0, 1e-9, 0.0][(case % 3) as usize]), corners(1.0).map(|v| v + offset));
        let side = random.vector(3.0);
        let (from, to) = (side * size + offset, (random.vector(0.2) - 0.5 * side) * size + offset);
        let tolerance = [1e-2, 1e-6, 1e-9][(case / 48 % 3) as usize] * size + 1e-13 * offset.length();
        let mesh = |corners: [DVec3; 3]| Shape::from(Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap());
        let Some(touch) = touch_of([mesh(a), mesh(b)], motion_of(case, from, to), tolerance) else {
            continue;
        };
        if touch.toi == 0.0 {
            continue; // they may cross, which this distance does not cover
        }
        touches += 1;
        let (there, resting) = (flown(a, from, to, touch.toi), b.map(exact));
        let (distance, gap) = (triangle_triangle(&there, &resting), RBig::try_from(touch.gap).unwrap());
        assert!(distance <= &gap * &gap, "{case}: {} at {}", touch.gap, touch.toi);
        assert!(touch.gap <= tolerance);
        apart += usize::from(distance > RBig::ZERO);
        // The points are on the triangles, up to rounding.
        let off = 1e-13 * (size + offset.length());
        let off = RBig::try_from(off * off).unwrap();
        for (point, triangle) in touch.points.into_iter().zip([&there, &resting]) {
            let miss = point_triangle(&exact(point), triangle);
            assert!(miss <= off, "{case}: {:e}", miss.to_f64().value().sqrt());
        }
    }
    assert!(touches > 60 && apart > 40, "{touches} touches, {apart} of them apart");
}

/// Two axis-aligned boxes: their squared distance is a sum over the axes.
#[test]
fn boxes() {
    let mut random = Random(6);
    let mut touches = 0;
    for case in 0..240_u64 {
        let size = [1.0, 1e-3, 1e6][(case / 4 % 3) as usize];
        let mut half = || (random.vector(0.4).abs() + 0.1) * size;
        let (a, b) = (half(), half());
        let (from, to) = (random.vector(3.0) * size, random.vector(0.5) * size);
        let tolerance = [1e-2, 1e-6, 1e-10][(case / 12 % 3) as usize] * size;
        let shapes = [a, b].map(|half| Shape::from(Cuboid::new(2.0 * half).unwrap()));
        let Some(touch) = touch_of(shapes, motion_of(case, from, to), tolerance) else { continue };
        touches += 1;
        let [center, ..] = flown([DVec3::ZERO; 3], from, to, touch.toi);
        let (half_a, half_b) = (exact(a), exact(b));
        let positive = |x: RBig| if x > RBig::ZERO { x } else { RBig::ZERO };
        let size_of = |x: &RBig| if *x < RBig::ZERO { -x.clone() } else { x.clone() };
        let gaps = [0, 1, 2].map(|k| positive(size_of(&center[k]) - (&half_a[k] + &half_b[k])));
        let gap = RBig::try_from(touch.gap).unwrap();
        assert!(dot(&gaps, &gaps) <= &gap * &gap, "{case}: {} at {}", touch.gap, touch.toi);
        assert!(touch.gap <= tolerance);
        for (point, (middle, half)) in
            touch.points.into_iter().zip([(center, &half_a), (exact(DVec3::ZERO), &half_b)])
        {
            let out = minus(&exact(point), &middle);
            let off = RBig::try_from(1e-14 * size * 8.0).unwrap();
            assert!((0..3).all(|k| size_of(&out[k]) <= &half[k] + &off), "{case}: {point}");
        }
    }
    assert!(touches > 60, "{touches}");
}
