//! Inputs that once broke a guarantee of the ellipsoids, each with its story, and a short run of the generator that
//! looks for more.

use dashu_ratio::Relaxed;
use firsttouch::ellipsoid::{
    CoverOptions, EllipsoidMotion, Overlap, OverlapKind, Posed, Relation, cover_all, enclosing, overlaps,
};
use firsttouch::motion::{Motion, Pose, Rational};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Shape};
use firsttouch::{Answer, Body, Options, Scene};
use glam::{DMat3, DQuat, DVec3, dvec3};

#[path = "attackers/ellipsoids.rs"]
mod attacker;

use attacker::exact_ellipsoid::{Placed, Side, exact, is_apart, normal, vector};

/// Returns the coefficients of `c Π (t − r)`.
fn polynomial(roots: &[f64], c: f64) -> Vec<f64> {
    roots.iter().fold(vec![c], |p, r| {
        let mut next = vec![0.0; p.len() + 1];
        for (i, x) in p.iter().enumerate() {
            next[i] -= r * x;
            next[i + 1] += x;
        }
        next
    })
}

/// Returns the overlaps of two unit balls whose centres are `2 + g(t)` apart.
fn overlaps_at_gap(gap: &[f64]) -> Vec<Overlap> {
    let ball = Ellipsoid::new(DVec3::ONE).unwrap();
    let mut xyz: Vec<[f64; 3]> = gap.iter().map(|&c| [c, 0.0, 0.0]).collect();
    xyz[0][0] += 2.0;
    let moving = Motion::Rational(Rational::from_power_basis(&[], &xyz, &[]).unwrap().into());
    let still = Motion::fixed(Pose::IDENTITY);
    let (a, b) = (EllipsoidMotion::Rigid(&ball, &moving), EllipsoidMotion::Rigid(&ball, &still));
    overlaps(a, b, &Options::default()).unwrap()
}

/// Checks that the certain overlaps are the expected ones, to a part in a million, and that every other reported
/// interval is a short graze near one of the times.
fn check_overlaps(gap: &[f64], expected: &[[f64; 2]], grazes: &[f64]) {
    let found = overlaps_at_gap(gap);
    let certain: Vec<&Overlap> = found.iter().filter(|o| o.kind == OverlapKind::Overlap).collect();
    assert_eq!(certain.len(), expected.len(), "{found:?}");
    for (overlap, [start, end]) in certain.iter().zip(expected) {
        for (bracket, time) in [(overlap.start, start), (overlap.end, end)] {
            assert!(bracket[0] <= time + 1e-9 && bracket[1] >= time - 1e-9, "{found:?}");
            assert!(bracket[1] - bracket[0] < 1e-6, "{found:?}");
        }
    }
    for graze in found.iter().filter(|o| o.kind == OverlapKind::Graze) {
        let is_near = |t: &&f64| (graze.start[0] - **t).abs() < 0.03 && (graze.end[1] - **t).abs() < 0.03;
        assert!(grazes.iter().any(|t| is_near(&t)), "{found:?}");
    }
}

/// At a contact of fourth order, rounding hides the sign for `2e-4`. It used up the whole budget of spans, and the
/// rest of the time was labelled a certain overlap: `[.474, 1]` instead of `[.6, .8]` and `[.9, 1]`. A spent budget
/// is not an answer, and one hard contact must not use up the budget of the others.
#[test]
fn overlaps_after_a_graze_of_high_order() {
    check_overlaps(&polynomial(&[0.5, 0.5, 0.5, 0.5, 0.875], -1.0), &[[0.875, 1.0]], &[0.5]);
    check_overlaps(&polynomial(&[0.875], -1.0), &[[0.875, 1.0]], &[]);
    check_overlaps(&polynomial(&[0.5, 0.5, 0.875], -1.0), &[[0.875, 1.0]], &[0.5]);
    let both = [[0.6, 0.8], [0.9, 1.0]];
    check_overlaps(&polynomial(&[0.3, 0.3, 0.3, 0.3, 0.6, 0.8, 0.9], -16.0), &both, &[0.3]);
    check_overlaps(&polynomial(&[0.6, 0.8, 0.9], -16.0), &both, &[]);
    let sixth = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.6, 0.8, 0.9];
    check_overlaps(&polynomial(&sixth, -16.0), &both, &[0.3]);
}

/// From the inside: two balls overlap, separate to fourth order at one instant, and overlap again. Rounding hides if
/// they separate, so this is not one certain overlap: the end of the first and the start of the second lie between the
/// same two times.
#[test]
fn an_overlap_that_may_be_interrupted_is_not_certain_there() {
    let found = overlaps_at_gap(&polynomial(&[0.5; 4], -1.0));
    assert!(found.iter().all(|o| o.kind == OverlapKind::Overlap), "{found:?}");
    assert!(found[0].start == [0.0, 0.0] && found[found.len() - 1].end == [1.0, 1.0], "{found:?}");
    assert!(found.iter().all(|o| !(o.start[1] < 0.5 - 1e-6 && o.end[0] > 0.5 + 1e-6)), "{found:?}");
    for pair in found.windows(2) {
        assert!(pair[0].end == pair[1].start, "{found:?}");
    }
}

/// Two points, collinear points and a rotated rod had a singular matrix of moments: they were rejected, or the
/// ellipsoid was 1e6 times too large. A set of size 1e-90 got an ellipsoid of size 1e-66.
#[test]
fn an_ellipsoid_around_sets_without_volume() {
    let far = [
        dvec3(-4.60863916802078, 3.6516495512794966, 3.442465687645857),
        dvec3(5.39136083197922, -6.348350448720503, -6.557534312354143),
        dvec3(-2.6086391680207797, 1.6516495512794964, 1.4424656876458573),
    ];
    let octant = |s: f64| vec![DVec3::ZERO, DVec3::X * s, DVec3::Y * s, DVec3::Z * s];
    let sets: Vec<(Vec<DVec3>, f64)> = vec![
        (vec![DVec3::ZERO, DVec3::ONE], 0.9),
        (far.to_vec(), 8.7),
        (octant(1e-90), 1e-90),
        (octant(1e-120), 1e-99),
        (vec![DVec3::ONE], 1e-15),
        (vec![DVec3::X, DVec3::X * (1.0 + 1e-70)], 1e-15),
        (vec![DVec3::splat(1e99), DVec3::splat(-1e99)], 1.8e99),
        (vec![DVec3::new(1e8, 0.0, 0.0), DVec3::new(1e8_f64.next_up(), 1e-8, 1e-9)], 2e-8),
    ];
    for (points, size) in &sets {
        let (shape, pose) = enclosing(points).unwrap_or_else(|e| panic!("{e}: {points:?}"));
        let placed = Placed::at_rest(shape.semi_axes(), &pose);
        assert!(points.iter().all(|&p| placed.level(&vector(p)) <= Relaxed::ONE), "{points:?}");
        assert!(shape.semi_axes().max_element() <= 2.0 * size, "{points:?}: {}", shape.semi_axes());
    }
    // A rod of 1 by 3e-5 by 3e-5: half its sides times the root of three, in any position.
    let rod = Shape::from(Cuboid::new(dvec3(1.0, 3e-5, 3e-5)).unwrap());
    for k in 0..6 {
        let pose = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.3, 0.1 * f64::from(k), 0.5, 0.7)).unwrap();
        let options = CoverOptions { most: 1, ..CoverOptions::default() };
        let axes = cover_all([(&rod, pose)], &options).unwrap()[0].shape.semi_axes();
        assert!(axes.max_element() < 0.88 && axes.min_element() < 2.7e-5, "turn {k}: {axes}");
        assert!(axes.element_product() < 5.9e-10, "turn {k}: {axes}");
    }
}

/// A capsule or cylinder was covered in the frame of its own quaternion, but the pose of the ellipsoid normalised it
/// again and so rotated by a rounding: the rim of a long one stuck out.
#[test]
fn a_cover_contains_the_rim() {
    let mut changed = 0;
    for k in 0..300_u32 {
        let half = 10.0_f64.powi((k % 7) as i32);
        let x = f64::from(k);
        let turn =
            DQuat::from_xyzw((1.7 * x).sin(), (2.3 * x).sin(), (0.9 * x).cos(), 0.1 + (0.7 * x).sin().abs());
        let pose = Pose::new(dvec3((0.3 * x).sin(), (0.4 * x).cos(), 0.5), turn).unwrap();
        changed += u32::from(Pose::new(DVec3::ZERO, pose.rotation()).unwrap().rotation() != pose.rotation());
        let shape: Shape = if k % 2 == 0 {
            Cylinder::new(1.0, 2.0 * half).unwrap().into()
        } else {
            Capsule::new(1.0, 2.0 * half).unwrap().into()
        };
        let options = CoverOptions { most: 1, ..CoverOptions::default() };
        let piece = &cover_all([(&shape, pose)], &options).unwrap()[0];
        let cover = Placed::at_rest(piece.shape.semi_axes(), &piece.pose);
        let frame = Placed::at_rest(DVec3::ONE, &pose);
        for slope in [-1.75, -1.0, -0.25, 0.0, 0.5, 2.0] {
            let a = exact(slope);
            let d = Relaxed::ONE + &a * &a;
            let rim = [(Relaxed::ONE - &a * &a) / &d, (&a + &a) / &d, exact(half)];
            assert!(cover.level(&frame.place(&rim)) <= Relaxed::ONE, "{k}: {slope}");
        }
        // It is not much larger than the closed form.
        assert!(piece.shape.semi_axes().max_element() < 1.8 * (half + 1.0), "{k}");
    }
    assert!(changed > 50, "{changed}");
}

/// At coordinates of 1e6 a rounded point was inside both ellipsoids, while they were 4.3e-11 apart, with a tolerance
/// of 1e-12: a touch with gap zero. Now the pair is evaluated relative to its own position, where the rounding is far
/// below the tolerance.
#[test]
fn the_gap_is_an_upper_bound_far_from_the_origin() {
    let axes = [
        dvec3(0.9599481094215548, 0.9330477050768302, 0.4193831377383462),
        dvec3(1.037364577664509, 0.36808376191106307, 0.4985457963282305),
    ];
    let pose = |x: [f64; 3], q: [f64; 4]| Pose::new(DVec3::from_array(x), DQuat::from_array(q)).unwrap();
    let poses = [
        [
            pose(
                [911064.1544827733, -177342.08286025524, -392371.18374445423],
                [-0.2117639466311617, 0.6265593159306099, -0.0712350750974715, 0.7466625868513959],
            ),
            pose(
                [911065.9385870745, -177338.94787189437, -392372.34349798545],
                [-0.34938000749517933, -0.14875391251285583, -0.6360816219099286, 0.6717187314220294],
            ),
        ],
        [
            pose(
                [911066.2794613265, -177339.48124586846, -392373.19260524475],
                [0.045717560636644165, 0.015381588015879376, 0.8183080446646589, -0.5727523508783244],
            ),
            pose(
                [911063.968864378, -177339.12834177952, -392371.15269613493],
                [-0.2873336866117635, 0.6511119281189457, 0.2556471468817619, -0.6543218977617489],
            ),
        ],
    ];
    let mut scene = Scene::default();
    for (k, [from, to]) in poses.into_iter().enumerate() {
        let shape = Ellipsoid::new(axes[k]).unwrap();
        scene.add(Body::new(format!("{k}"), shape, Motion::rational(from, to))).unwrap();
    }
    let report = scene.check(&Options { tolerance: 1e-12, ..Options::default() }).unwrap();
    let Answer::Touch(found) = &report.answer else { panic!("{:?}", report.answer) };
    assert!(found.gap <= 1e-12 && found.gap > 0.0, "{found:?}");
    let [a, b] = [0, 1].map(|k| Side::between(axes[k], poses[k][0], poses[k][1]).at(found.toi));
    for n in [Some(found.normal), normal(&a, &b)].into_iter().flatten() {
        assert!(!is_apart(&a, &b, n, found.gap), "farther apart than {}", found.gap);
    }
    // The points are on their ellipsoids up to the rounding of coordinates of 1e6.
    for (side, point) in [(&a, found.points[0]), (&b, found.points[1])] {
        let level = attacker::exact_ellipsoid::rounded(&side.level(&vector(point)));
        assert!((level - 1.0).abs() < 1e-8, "{level}");
    }
}

/// Images of the unit ball below 1e-154: squares of lengths underflowed to zero, and two that overlapped by a fifth
/// were called separate.
#[test]
fn tiny_images_of_the_unit_ball() {
    let image = |axes: DVec3, x: f64| Posed::affine(DMat3::from_diagonal(axes), DVec3::X * x).unwrap();
    let ball = |r: f64, x: f64| image(DVec3::splat(r), x);
    assert_eq!(ball(1.4e-162, 0.0).relation(&ball(1.4e-162, 2.3e-162)), Relation::Overlapping);
    assert_eq!(ball(1.4e-162, 0.0).relation(&ball(1.4e-162, 2.9e-162)), Relation::Separate);
    for k in 0..40 {
        let a = 10.0_f64.powf(-310.0 + f64::from(k) * 7.7);
        let needle = |x: f64| image(dvec3(a, a * 1e-8, a * 1e-8), x);
        assert_eq!(needle(0.0).relation(&needle(2.0 * a * (1.0 - 1e-6))), Relation::Overlapping, "{a:e}");
        assert_eq!(needle(0.0).relation(&needle(2.0 * a)), Relation::Touching, "{a:e}");
        assert_eq!(needle(0.0).relation(&needle(2.0 * a * (1.0 + 1e-6))), Relation::Separate, "{a:e}");
        if k % 8 == 0 {
            // Compared with an ordinary ball it is a point.
            assert_eq!(ball(1.0, 0.0).relation(&needle(0.5)), Relation::Overlapping, "{a:e}");
            assert_eq!(needle(1.5).relation(&ball(1.0, 0.0)), Relation::Separate, "{a:e}");
        }
        let contact = needle(0.0).contact(&needle(2.0 * a)).unwrap();
        assert!(
            (contact.ratio - 1.0).abs() < 1e-6 && (contact.point.x / a - 1.0).abs() < 1e-6,
            "{a:e}: {contact:?}"
        );
    }
}

/// At a size of 1e-53 the determinant of an ellipsoid underflows: there was no proof, and the whole time was one graze.
#[test]
fn overlaps_do_not_depend_on_the_unit_of_length() {
    let times = |scale: f64| {
        let shape = Ellipsoid::new(dvec3(1.0, 0.5, 0.75) * scale).unwrap();
        let at = |x: f64, q: DQuat| Pose::new(DVec3::X * (x * scale), q).unwrap();
        let turned = DQuat::from_xyzw(0.3, 0.1, 0.2, 0.9);
        let moving = Motion::rational(at(-4.0, DQuat::IDENTITY), at(4.0, turned));
        let still = Motion::fixed(at(0.0, turned));
        let other = Motion::rational(at(0.0, turned), at(0.5, DQuat::IDENTITY));
        [&still, &other].map(|second| {
            let (a, b) = (EllipsoidMotion::Rigid(&shape, &moving), EllipsoidMotion::Rigid(&shape, second));
            overlaps(a, b, &Options::default()).unwrap()
        })
    };
    let plain = times(1.0);
    assert!(plain.iter().all(|found| found.len() == 1 && found[0].kind == OverlapKind::Overlap), "{plain:?}");
    for k in [-320, -200, -100, -41, 41, 100, 200, 320] {
        for (found, plain) in times(2.0_f64.powi(k)).iter().zip(&plain) {
            assert!(found.len() == 1 && found[0].kind == OverlapKind::Overlap, "2^{k}: {found:?}");
            let is_same =
                |x: [f64; 2], y: [f64; 2]| (x[0] - y[0]).abs() < 1e-12 && (x[1] - y[1]).abs() < 1e-12;
            let (found, plain) = (found[0], plain[0]);
            assert!(is_same(found.start, plain.start) && is_same(found.end, plain.end), "2^{k}: {found:?}");
        }
    }
}

/// A short run of the generator for more of these. Its counts are checked, so no family is empty.
#[test]
fn adversarial_ellipsoids() {
    let counts = attacker::run(1, 150);
    assert!(counts.at_rest.iter().all(|&n| n >= 10), "{counts:?}");
    assert!(counts.moving[0] >= 100 && counts.moving[1] >= 100 && counts.moving[2] >= 5, "{counts:?}");
    assert!(counts.certified.iter().all(|&n| n >= 200), "{counts:?}");
    assert!(counts.intervals[0] >= 200 && counts.intervals[1] >= 20, "{counts:?}");
    assert!(counts.scenes[1] >= 20 && counts.scenes[1] < counts.scenes[0], "{counts:?}");
    assert!(counts.enclosed == [150, 600] && counts.refused <= 75, "{counts:?}");
    assert!(counts.affine[0] >= 40 && counts.affine[1] >= 15, "{counts:?}");
    // No answer is late, and no answer is beyond the tolerance: each is compared with the exact root. A third of the
    // grazes of order 4 and a quarter of those of order 6 are reported more than a millionth of the time before the
    // root, because the bodies are within the tolerance for so long: with a tolerance of 1e-9, a distance of (t - r)^4
    // is there for 5e-3 before r, and one of (t - r)^6 for 0.03.
    let [second, fourth, sixth] = counts.early;
    assert!(second[1] >= 20 && fourth[1] >= 20 && sixth[1] >= 20, "{counts:?}");
    assert!(fourth[0] >= 5 && sixth[0] >= 5, "{counts:?}");
}

/// The contract for two ellipsoids that pass each other in rational motions: the tolerance has no effect, but rounding
/// does.
#[test]
fn a_pass_is_free_down_to_rounding() {
    for (gap, is_free) in [(1e-7, true), (1e-11, true), (1e-14, false)] {
        let egg = Ellipsoid::new(DVec3::new(1.0, 0.5, 0.75)).unwrap();
        // The lowest point of one passes over the highest point of the other.
        let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 1.5 + gap)).unwrap();
        let mut scene = Scene::default();
        scene.add(Body::new("passing", egg, Motion::rational(at(-4.0), at(3.0)))).unwrap();
        scene.add(Body::new("resting", egg, Motion::AT_REST)).unwrap();
        let answer = scene.check(&Options::default()).unwrap().answer;
        assert_eq!(answer == Answer::Free, is_free, "{gap}: {answer:?}");
        assert!(is_free || answer.touch().is_some(), "{gap}: {answer:?}");
    }
}
