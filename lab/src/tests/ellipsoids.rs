//! Ellipsoids by algebra, against exact arithmetic, closed forms and dense sampling.

use crate::scenes::ellipsoids::boxers;
use firsttouch::advancement::{Approach, Limits, PieceTouch, Verdict, advance};
use firsttouch::convex::ConvexPair;
use firsttouch::ellipsoid::{
    self, Directions, Equation, FirstContact, Group, GroupStats, MemberTouch, MovingEllipsoid, Overlap,
    OverlapKind, Posed, Relation, Track,
};
use firsttouch::motion::{Affine, AffineInterpolant, Motion, Pose, Rational, RigidMotion};
use firsttouch::numerics::Window;
use firsttouch::shape::{Cuboid, Ellipsoid, Shape, Sphere};
use firsttouch::{Answer, Body, Options, Scene};
use glam::{DMat3, DQuat, DVec3};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        (x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    fn rotation(&mut self) -> DQuat {
        DQuat::from_xyzw(
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
        )
        .normalize()
    }

    /// Returns an ellipsoid with semi-axes between 0.2 and 2, or over `10^±spread`.
    fn ellipsoid(&mut self, spread: f64) -> Ellipsoid {
        let axis = |r: &mut Random| {
            if spread > 0.0 { 10.0_f64.powf(r.between(-spread, spread)) } else { r.between(0.2, 2.0) }
        };
        Ellipsoid::new(DVec3::new(axis(self), axis(self), axis(self))).unwrap()
    }
}

/// Returns `(x − c)^T S⁻¹ (x − c)`, from the semi-axes and the pose.
fn level(shape: &Ellipsoid, pose: &Pose, x: DVec3) -> f64 {
    let body = pose.at().to_body(x) / shape.semi_axes();
    body.length_squared()
}

/// Returns the gap between the two along a direction.
fn gap_along(a: (&Ellipsoid, &Pose), b: (&Ellipsoid, &Pose), n: DVec3) -> f64 {
    let extent =
        |(shape, pose): (&Ellipsoid, &Pose)| (shape.semi_axes() * pose.at().direction_to_body(n)).length();
    n.dot(b.1.translation() - a.1.translation()) - extent(a) - extent(b)
}

/// A million pairs, most of them close to a contact. A point inside both proves overlap, and a plane between them
/// separation; neither uses the quartic.
#[test]
fn a_million_pairs_at_rest() {
    let mut random = Random(1);
    let mut counts = [0; 3];
    let mut undecided = 0;
    for i in 0..1_000_000 {
        let spread = if i % 4 == 3 { 2.0 } else { 0.0 };
        let (a, b) = (random.ellipsoid(spread), random.ellipsoid(spread));
        let pose_a = Pose::new(random.vector(1.0), random.rotation()).unwrap();
        let turn = random.rotation();
        let direction = random.vector(1.0).normalize();
        // Along the direction, between a deep overlap and well separate.
        let reach = a.semi_axes().max_element() + b.semi_axes().max_element();
        let distance = reach * random.between(0.1, 1.0);
        let pose_b = Pose::new(pose_a.translation() + direction * distance, turn).unwrap();
        let (posed_a, posed_b) = (Posed::new(&a, &pose_a), Posed::new(&b, &pose_b));
        let relation = posed_a.relation(&posed_b);
        counts[relation as usize] += 1;
        if i % 64 == 0 {
            assert_eq!(posed_b.relation(&posed_a), relation);
        }
        let contact = posed_a.contact(&posed_b).unwrap();
        let inside = level(&a, &pose_a, contact.point).max(level(&b, &pose_b, contact.point)) < 1.0 - 1e-9;
        let between = gap_along((&a, &pose_a), (&b, &pose_b), contact.normal) > 1e-9 * reach;
        match (inside, between) {
            (true, false) => assert_eq!(relation, Relation::Overlapping, "{i}"),
            (false, true) => assert_eq!(relation, Relation::Separate, "{i}"),
            (true, true) => panic!("pair {i}: a common point and a plane between"),
            (false, false) => undecided += 1,
        }
        if between {
            let plane = posed_a.separating_plane(&posed_b).unwrap();
            assert!((plane.normal.length() - 1.0).abs() < 1e-14);
        }
    }
    // Both kinds occur, and nearly all are cross-checked.
    assert!(counts[0] > 300_000 && counts[2] > 100_000 && undecided < 2_000, "{counts:?} {undecided}");
}

/// Pairs that touch exactly, and their neighbours: only exact arithmetic tells them apart.
#[test]
fn touching_to_the_last_bit() {
    let mut random = Random(2);
    for _ in 0..200 {
        // Along a common axis the sum of two semi-axes is the distance; quarters add up without rounding.
        let quarter = |r: &mut Random| (1.0 + (r.unit() * 16.0).floor()) / 4.0;
        let (a, b) = (
            Ellipsoid::new(DVec3::new(quarter(&mut random), quarter(&mut random), quarter(&mut random)))
                .unwrap(),
            Ellipsoid::new(DVec3::new(quarter(&mut random), quarter(&mut random), quarter(&mut random)))
                .unwrap(),
        );
        let distance = a.semi_axes().y + b.semi_axes().y;
        let posed =
            |shape: &Ellipsoid, y: f64| Posed::new(shape, &Pose::from_translation(DVec3::Y * y).unwrap());
        let at_origin = posed(&a, 0.0);
        assert_eq!(at_origin.relation(&posed(&b, distance)), Relation::Touching);
        assert_eq!(at_origin.relation(&posed(&b, distance.next_up())), Relation::Separate);
        assert_eq!(at_origin.relation(&posed(&b, -distance.next_down())), Relation::Overlapping);
        let contact = at_origin.contact(&posed(&b, distance)).unwrap();
        assert!((contact.point - DVec3::Y * a.semi_axes().y).length() < 1e-6, "{contact:?}");
        assert!((contact.normal - DVec3::Y).length() < 1e-6);
        // The same through the affine constructor, with a turned second ellipsoid.
        let affine = Posed::affine(DMat3::from_diagonal(a.semi_axes()), DVec3::ZERO).unwrap();
        let half_turn = Pose::new(DVec3::Y * distance, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)).unwrap();
        assert_eq!(affine.relation(&Posed::new(&b, &half_turn)), Relation::Touching);
    }
}

/// Sizes at the ends of the accepted range, where squares under- and overflow: still the right answer, by exact
/// arithmetic.
#[test]
fn tiny_and_huge_at_rest() {
    let ball = |radius: f64, x: f64| {
        let shape = Ellipsoid::new(DVec3::new(radius, 0.5 * radius, 0.75 * radius)).unwrap();
        Posed::new(&shape, &Pose::from_translation(DVec3::X * x).unwrap())
    };
    for (small, large) in [(2e-100, 2e-100), (1e-80, 1e80), (1e-52, 1e-52), (1e-60, 1.0), (1e90, 1e90)] {
        let fixed = ball(large, 0.0);
        assert_eq!(fixed.relation(&ball(small, 2.5 * large)), Relation::Separate);
        assert_eq!(fixed.relation(&ball(small, 0.9 * large)), Relation::Overlapping);
        assert_eq!(fixed.relation(&ball(large, 2.0 * large)), Relation::Touching);
    }
}

/// Axes with a ratio of 10^6 and centres far from the origin: the answer is still the right one.
#[test]
fn needles_and_plates_at_rest() {
    let mut random = Random(3);
    let mut counts = [0; 3];
    for _ in 0..2_000 {
        let (a, b) = (random.ellipsoid(3.0), random.ellipsoid(3.0));
        let far = random.vector(1e4);
        let pose_a = Pose::new(far, random.rotation()).unwrap();
        let reach = a.semi_axes().max_element() + b.semi_axes().max_element();
        let offset = random.vector(1.0).normalize() * reach * random.between(0.0, 1.0).powi(3);
        let pose_b = Pose::new(far + offset, random.rotation()).unwrap();
        let (posed_a, posed_b) = (Posed::new(&a, &pose_a), Posed::new(&b, &pose_b));
        let relation = posed_a.relation(&posed_b);
        counts[relation as usize] += 1;
        assert_eq!(relation, posed_b.relation(&posed_a));
        let normal = posed_a.contact(&posed_b).unwrap().normal;
        if gap_along((&a, &pose_a), (&b, &pose_b), normal) > 1e-6 * reach {
            assert_eq!(relation, Relation::Separate);
        }
    }
    assert!(counts[0] > 500 && counts[2] > 100, "{counts:?}");
    assert!(Posed::affine(DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::X + DVec3::Y), DVec3::ZERO).is_err());
}

/// Example 1 of the paper: first contact at 1/2, separate again between 0.90080 and 0.90085.
#[test]
fn example_1_of_the_paper() {
    let [a, b] = crate::scenes::ellipsoids::example_1().unwrap();
    let (a, b) =
        (MovingEllipsoid { shape: &a.0, motion: &a.1 }, MovingEllipsoid { shape: &b.0, motion: &b.1 });
    let limits = limits(1e-6);
    let Verdict::Touch(PieceTouch { t, separation }) = ellipsoid::first_touch(a, b, &limits, &mut 0) else {
        panic!()
    };
    assert!(t <= 0.5 + 1e-12 && t > 0.5 - 1e-9, "{t}");
    assert!(separation.upper < 1e-6);
    let overlaps = ellipsoid::overlap_intervals(a, b).unwrap();
    assert_eq!(overlaps.len(), 1, "{overlaps:?}");
    let Overlap { start, end, kind, .. } = overlaps[0];
    assert_eq!(kind, OverlapKind::Overlap);
    assert!((start[0] - 0.5).abs() < 1e-9 && (start[1] - 0.5).abs() < 1e-8, "{start:?}");
    assert!(end[0] > 0.90080 && end[1] < 0.90085 && end[1] - end[0] < 1e-8, "{end:?}");
}

fn limits(tolerance: f64) -> Limits {
    Limits::new(&Options { tolerance, ..Options::default() }).unwrap()
}

/// Returns the factor of scaling at which the two touch at `t`, from the poses alone.
fn ratio_at(a: &MovingEllipsoid<'_>, b: &MovingEllipsoid<'_>, t: f64) -> f64 {
    let posed = |side: &MovingEllipsoid<'_>| {
        let pose = side.motion.pose_at(t);
        let axes = side.shape.semi_axes();
        let columns = DMat3::from_cols(
            pose.rotation.x_axis * axes.x,
            pose.rotation.y_axis * axes.y,
            pose.rotation.z_axis * axes.z,
        );
        Posed::affine(columns, pose.translation).unwrap()
    };
    posed(a).contact(&posed(b)).map_or(0.0, |contact| contact.ratio)
}

fn sides<'a>(pair: &'a [(Ellipsoid, Motion); 2]) -> (MovingEllipsoid<'a>, MovingEllipsoid<'a>) {
    let side = |(shape, motion): &'a (Ellipsoid, Motion)| MovingEllipsoid { shape, motion };
    (side(&pair[0]), side(&pair[1]))
}

/// Returns two ellipsoids whose paths cross somewhere in a box of the given size.
fn crossing(random: &mut Random, spread: f64, size: f64) -> [(Ellipsoid, Motion); 2] {
    let far = random.vector(2.0);
    [0, 1].map(|_| {
        let shape = random.ellipsoid(spread);
        let from = Pose::new(far + random.vector(size), random.rotation()).unwrap();
        let to = Pose::new(far + random.vector(size), random.rotation()).unwrap();
        (shape, Motion::rational(from, to))
    })
}

/// A hundred thousand moving pairs: no overlap before the time reported or in a free pair, and a contact right there.
#[test]
fn a_hundred_thousand_moving_pairs() {
    let mut random = Random(4);
    let (mut free, mut touch, mut start, mut tight) = (0, 0, 0, 0);
    for i in 0..100_000 {
        let pair = crossing(&mut random, 0.0, 4.0);
        let (a, b) = sides(&pair);
        let outcome = ellipsoid::first_touch(a, b, &limits(1e-6), &mut 0);
        let until = match outcome {
            Verdict::Free => {
                free += 1;
                1.0
            }
            Verdict::Touch(PieceTouch { t, separation }) => {
                assert!(separation.upper <= 1e-6, "{i}");
                if t == 0.0 {
                    start += 1;
                    assert!(ratio_at(&a, &b, 0.0) < 1.0 + 1e-6);
                } else {
                    touch += 1;
                    // The gap between the two points is nearly zero, and each point is on its ellipsoid.
                    assert!((ratio_at(&a, &b, t) - 1.0).abs() < 1e-5, "{i} at {t}");
                    tight += u32::from(ratio_at(&a, &b, t + 1e-9) < 1.0);
                }
                t
            }
            Verdict::Undecided { .. } => panic!("pair {i} is undecided"),
        };
        for k in 0..24 {
            let t = until * (k as f64 + 0.5) / 24.0;
            assert!(
                until == 0.0 || ratio_at(&a, &b, t) > 1.0 - 1e-12,
                "pair {i} overlaps at {t}: {outcome:?}"
            );
        }
    }
    assert!(free > 20_000 && touch > 20_000 && start > 5_000, "{free} {touch} {start}");
    assert!(tight as f64 > 0.999 * touch as f64, "{tight} of {touch}");
}

/// The other engine for the same pairs: neither is later than the other's free time.
#[test]
fn the_same_as_advancement() {
    let mut random = Random(5);
    let mut touches = 0;
    for i in 0..3_000 {
        let pair = crossing(&mut random, 0.0, 4.0);
        let (a, b) = sides(&pair);
        let algebra = ellipsoid::first_touch(a, b, &limits(1e-6), &mut 0);
        let advanced = advance(&mut ConvexPair::new(a, b, 0.0, 1e-6), &limits(1e-6), &mut 0);
        match (algebra, advanced) {
            (Verdict::Free, Verdict::Free) => {}
            (
                Verdict::Touch(PieceTouch { t, separation }),
                Verdict::Touch(PieceTouch { t: t_advanced, .. }),
            ) => {
                touches += 1;
                assert!(t >= t_advanced - 1e-9 || t == 0.0, "{i}: {t} {t_advanced}");
                let gap = ConvexPair::new(a, b, 0.0, 1e-6).separation(t);
                assert!(gap.lower <= 1e-6, "{i}: {gap:?}");
                let both = ellipsoid::first_touch(b, a, &limits(1e-6), &mut 0);
                let Verdict::Touch(PieceTouch { t: t_swapped, separation: swapped }) = both else { panic!() };
                assert!(t_swapped == t && swapped.normal == -separation.normal);
            }
            // Advancement calls everything within the tolerance a touch; algebra does not.
            (Verdict::Free, Verdict::Touch(PieceTouch { separation, .. })) => {
                assert!(separation.upper <= 1e-6)
            }
            (algebra, advanced) => panic!("pair {i}: {algebra:?} but {advanced:?}"),
        }
    }
    assert!(touches > 500, "{touches}");
}

/// Balls as ellipsoids: the first root of `|d + v t| = r + s`.
#[test]
fn balls_against_the_closed_form() {
    let mut random = Random(6);
    let mut touches = 0;
    for i in 0..20_000 {
        let (r, s) = (random.between(0.2, 2.0), random.between(0.2, 2.0));
        let (d0, d1) = (random.vector(5.0), random.vector(5.0));
        let ball = |radius: f64| Ellipsoid::new(DVec3::splat(radius)).unwrap();
        let turn = if i % 2 == 0 { DQuat::IDENTITY } else { random.rotation() };
        let pose = |p: DVec3, q: DQuat| Pose::new(p, q).unwrap();
        let pair = [
            (ball(r), Motion::fixed(Pose::IDENTITY)),
            (ball(s), Motion::rational(pose(d0, DQuat::IDENTITY), pose(d1, turn))),
        ];
        let (a, b) = sides(&pair);
        let outcome = ellipsoid::first_touch(a, b, &limits(1e-6), &mut 0);
        let v = d1 - d0;
        let (qa, qb, qc) = (v.length_squared(), d0.dot(v), d0.length_squared() - (r + s) * (r + s));
        let discriminant = qb * qb - qa * qc;
        // Away from grazing and from the start, where the closed form itself loses digits.
        if discriminant.abs() < 1e-3 * qb * qb || qc.abs() < 1e-3 {
            continue;
        }
        let root = qc / (-qb + discriminant.max(0.0).sqrt());
        if qc < 0.0 {
            assert!(matches!(outcome, Verdict::Touch(PieceTouch { t: 0.0, .. })), "{i}");
        } else if discriminant < 0.0 || qb > 0.0 || root > 1.0 {
            assert_eq!(outcome, Verdict::Free, "{i}");
        } else {
            let Verdict::Touch(PieceTouch { t, separation }) = outcome else { panic!("{i}: {outcome:?}") };
            touches += 1;
            assert!((t - root).abs() < 1e-12 && t <= root + 1e-15, "{i}: {t} {root}");
            let normal = (d0 + v * root).normalize();
            assert!((separation.normal - normal).length() < 1e-9);
            assert!((separation.points[0] - normal * r).length() < 1e-10);
            assert!(separation.upper < 1e-10, "{i}: {separation:?}");
        }
    }
    assert!(touches > 3_000, "{touches}");
}

/// Ellipsoids pass by at a distance from 1e-3 down to 1e-14, and at the same depths: no contact is missed, and a
/// certain miss is not called a contact.
#[test]
fn near_tangent_paths() {
    let flat = Ellipsoid::new(DVec3::new(2.0, 1.0, 0.5)).unwrap();
    let ball = Ellipsoid::new(DVec3::ONE).unwrap();
    for exponent in 3..15 {
        let off = 10.0_f64.powi(-exponent);
        for (sign, must_touch) in [(1.0, false), (-1.0, true)] {
            let at = |x: f64| Pose::from_translation(DVec3::new(x, 2.0 + sign * off, 0.0)).unwrap();
            let pair = [(flat, Motion::fixed(Pose::IDENTITY)), (ball, Motion::rational(at(-5.0), at(6.0)))];
            let (a, b) = sides(&pair);
            let outcome = ellipsoid::first_touch(a, b, &limits(1e-6), &mut 0);
            match outcome {
                Verdict::Touch(PieceTouch { t, separation }) => {
                    // Deepest at x = 0; only within the tolerance may a pass count as a touch.
                    assert!(t <= 5.0 / 11.0 + 1e-15 && t > 0.3 && separation.upper <= 1e-6);
                    assert!(must_touch || off < 1e-6);
                }
                Verdict::Free => assert!(!must_touch, "missed at {off:e}"),
                Verdict::Undecided { free_until } => panic!("{off:e}: {free_until}"),
            }
            if !must_touch && off > 1e-12 {
                assert_eq!(outcome, Verdict::Free, "{off:e}");
            }
            let overlaps = ellipsoid::overlap_intervals(a, b).unwrap();
            assert!(overlaps.len() == usize::from(must_touch) || off < 2e-10, "{off:e} {overlaps:?}");
            if must_touch {
                let [first, last] = [overlaps[0].start[0], overlaps[overlaps.len() - 1].end[1]];
                assert!(first <= 5.0 / 11.0 && 5.0 / 11.0 <= last);
            }
        }
    }
}

/// Axes with a ratio of 10^6 and far centres: sound for every answer.
#[test]
fn needles_and_plates_in_motion() {
    let mut random = Random(7);
    let mut counts = [0; 3];
    for i in 0..300 {
        let mut pair = crossing(&mut random, 3.0, 200.0);
        if i % 3 == 0 {
            // Far from the world's origin.
            let shift = random.vector(1e6);
            let moved = |motion: &Motion| {
                let at = |t: f64| {
                    let pose = motion.pose_at(t);
                    Pose::new(pose.translation + shift, DQuat::from_mat3(&pose.rotation)).unwrap()
                };
                Motion::rational(at(0.0), at(1.0))
            };
            pair = pair.map(|(shape, motion)| (shape, moved(&motion)));
        }
        let (a, b) = sides(&pair);
        let options = Options { tolerance: 1e-3, max_iterations: 300, ..Options::default() };
        let limits = Limits::new(&options).unwrap();
        let until = match ellipsoid::first_touch(a, b, &limits, &mut 0) {
            Verdict::Free => {
                counts[0] += 1;
                1.0
            }
            Verdict::Touch(PieceTouch { t, separation }) => {
                counts[1] += 1;
                assert!(separation.upper <= 1e-3);
                t
            }
            Verdict::Undecided { free_until } => {
                counts[2] += 1;
                free_until
            }
        };
        for k in 0..100 {
            let t = until * (k as f64 + 0.5) / 100.0;
            let posed = |side: &MovingEllipsoid<'_>| {
                let pose = side.motion.pose_at(t);
                // A little smaller, so that the rounding of the pose does not decide.
                let smaller = Ellipsoid::new(side.shape.semi_axes() * (1.0 - 1e-9)).unwrap();
                Posed::new(&smaller, &Pose::new(pose.translation, DQuat::from_mat3(&pose.rotation)).unwrap())
            };
            let is_free = until == 0.0 || posed(&a).relation(&posed(&b)) == Relation::Separate;
            assert!(is_free, "pair {i} overlaps at {t} before {until}");
        }
    }
    assert!(counts[0] > 50 && counts[1] > 50 && counts[2] < 30, "{counts:?}");
}

/// Motions of higher degree with weights: everything outside of the intervals is separate, and the inside is not.
#[test]
fn all_intervals_against_sampling() {
    let mut random = Random(8);
    let (mut intervals, mut highest) = (0, 0);
    for i in 0..400 {
        let degree = if i % 40 == 39 { 10 } else { 1 + i % 4 };
        let mut motion = || loop {
            let quat: Vec<[f64; 4]> =
                (0..=degree).map(|_| [0; 4].map(|_| random.between(-1.0, 1.0))).collect();
            let xyz: Vec<[f64; 3]> = (0..=degree).map(|_| random.vector(3.0).to_array()).collect();
            let weight = [1.0, random.between(-0.5, 1.0)];
            if let Ok(motion) = Rational::from_power_basis(&quat, &xyz, &weight) {
                break Motion::from(motion);
            }
        };
        let motions = [motion(), motion()];
        let pair = motions.map(|motion| (random.ellipsoid(0.0), motion));
        let (a, b) = sides(&pair);
        let equation =
            Equation::new(&Track::new(a.shape, a.motion).unwrap(), &Track::new(b.shape, b.motion).unwrap());
        highest = highest.max(equation.degree());
        let overlaps = ellipsoid::overlap_intervals(a, b).unwrap();
        intervals += overlaps.len();
        for pair in overlaps.windows(2) {
            assert!(pair[0].end[1] < pair[1].start[0]);
        }
        for k in 0..=200 {
            let t = k as f64 / 200.0;
            let ratio = ratio_at(&a, &b, t);
            let inside = overlaps.iter().find(|o| o.start[0] <= t && t <= o.end[1]);
            match inside {
                None => assert!(ratio > 1.0 - 1e-9, "{i}: overlap at {t} is missing"),
                Some(o) if o.kind == OverlapKind::Overlap => assert!(ratio < 1.0 + 1e-6, "{i} at {t}: {o:?}"),
                Some(_) => assert!((ratio - 1.0).abs() < 1e-3),
            }
        }
        // The first of them is the first contact.
        let first = ellipsoid::first_touch(a, b, &limits(1e-6), &mut 0);
        match (overlaps.first(), first) {
            (None, Verdict::Free) => {}
            (Some(o), Verdict::Touch(PieceTouch { t, .. })) => {
                assert!((o.start[0] - t).abs() < 1e-6, "{i} {o:?} {t}")
            }
            other => panic!("{i}: {other:?}"),
        }
    }
    assert!(intervals > 60 && highest >= 96, "{intervals} {highest}");
}

/// The arm of the paper: the degrees, and every pair against sampling.
#[test]
fn the_arm_and_its_obstacle() {
    let arm = crate::scenes::ellipsoids::arm().unwrap();
    let (mut touching, mut twice) = (0, 0);
    for fixed in &arm.obstacle {
        for (i, link) in arm.links.iter().enumerate() {
            let pair = [link.clone(), fixed.clone()];
            let (a, b) = sides(&pair);
            let tracks = [a, b].map(|side| Track::new(side.shape, side.motion).unwrap());
            let degree = Equation::new(&tracks[0], &tracks[1]).degree();
            assert_eq!(degree, [0, 8, 8, 8, 16, 16, 24, 24, 24, 24][i]);
            let overlaps = ellipsoid::overlap_intervals(a, b).unwrap();
            touching += overlaps.len();
            twice += usize::from(overlaps.len() == 2);
            for k in 0..=500 {
                let t = k as f64 / 500.0;
                let inside = overlaps.iter().any(|o| o.start[0] <= t && t <= o.end[1]);
                assert_eq!(inside, ratio_at(&a, &b, t) < 1.0, "link {i} at {t}");
            }
        }
    }
    // As in Table 2 of the paper, one pair comes together twice.
    assert!(touching >= 4 && twice >= 1, "{touching} {twice}");
}

/// A frame of the boxers at a time: the first touch between the groups is the earliest of all pairs.
#[test]
fn boxers_against_all_pairs() {
    let (mut directions, mut stats) = (Directions::default(), GroupStats::default());
    let mut touching = 0;
    for frame in (0..1000).step_by(5) {
        let (now, next) = (boxers(frame).unwrap(), boxers(frame + 1).unwrap());
        let members = |side: usize| {
            let both = now[side].iter().zip(&next[side]);
            both.map(|(from, to)| (from.0, Motion::rational(from.1, to.1))).collect::<Vec<_>>()
        };
        let (red, blue) = (members(0), members(1));
        let mut earliest = f64::INFINITY;
        for a in &red {
            for b in &blue {
                let (a, b) = (
                    MovingEllipsoid { shape: &a.0, motion: &a.1 },
                    MovingEllipsoid { shape: &b.0, motion: &b.1 },
                );
                if let Verdict::Touch(PieceTouch { t, .. }) =
                    ellipsoid::first_touch(a, b, &limits(1e-6), &mut 0)
                {
                    earliest = earliest.min(t);
                }
            }
        }
        let group = Group::new(red);
        match group.first_touch(&Group::new(blue), &limits(1e-6), &mut directions, &mut stats) {
            Verdict::Free => assert_eq!(earliest, f64::INFINITY, "{frame}"),
            Verdict::Touch(MemberTouch { t, .. }) => {
                touching += 1;
                assert!((t - earliest).abs() < 1e-9, "{frame}: {t} {earliest}");
            }
            Verdict::Undecided { .. } => panic!("{frame}"),
        }
    }
    assert!(touching > 20 && stats.equations > 5 && stats.directions > 100, "{touching} {stats:?}");
}

/// The affine interpolant of Appendix D and affine motions against sampling of their matrices.
#[test]
fn affine_motions_against_sampling() {
    let mut random = Random(9);
    let mut touches = 0;
    for i in 0..2_000 {
        let (shape, rest) = (random.ellipsoid(0.0), random.ellipsoid(0.0));
        let pose = |r: &mut Random| Pose::new(r.vector(4.0), r.rotation()).unwrap();
        let (from, to) = (pose(&mut random), pose(&mut random));
        let moving = AffineInterpolant::between(&shape, from, to).unwrap();
        let track = Track::new(&rest, &Motion::fixed(Pose::IDENTITY)).unwrap();
        let equation = Equation::new(&track, &Track::interpolant(&moving));
        assert_eq!(equation.degree(), 5);
        let until = match equation.first_contact(1.0) {
            FirstContact::None => 1.0,
            FirstContact::At { t, .. } => {
                touches += u32::from(t > 0.0);
                t
            }
        };
        // The matrix halfway in time is the mean; its inverse is the shape.
        let resting = Posed::new(&rest, &Pose::IDENTITY);
        for k in 0..16 {
            let t = until * (k as f64 + 0.5) / 16.0;
            let blend = |x: [f64; 6], y: [f64; 6]| [0, 1, 2, 3, 4, 5].map(|k| (1.0 - t) * x[k] + t * y[k]);
            let [b0, b1] = *moving.matrices();
            let [xx, yy, zz, yz, xz, xy] = blend(b0, b1);
            let b = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
            // x with (x − c)^T B (x − c) <= 1 is c + L y with B = L^-T L^-1: a Cholesky factor of the inverse.
            let root = cholesky(b.inverse());
            let center = from.translation().lerp(to.translation(), t);
            let posed = Posed::affine(root, center).unwrap();
            assert!(until == 0.0 || resting.contact(&posed).unwrap().ratio > 1.0 - 1e-9, "{i} at {t}");
        }
    }
    assert!(touches > 300, "{touches}");

    let [a, b] = crate::scenes::ellipsoids::example_2().unwrap();
    let equation = Equation::new(&Track::affine(&a), &Track::affine(&b));
    assert_eq!(equation.degree(), 24);
    let overlaps = equation.overlap_intervals();
    assert_eq!(overlaps.len(), 4, "{overlaps:?}");
    for k in 0..=2_000 {
        let t = k as f64 / 2_000.0;
        let posed = |motion: &Affine| {
            let (linear, center) = motion.at(t);
            Posed::affine(linear, center).unwrap()
        };
        let inside = overlaps.iter().any(|o| o.start[0] <= t && t <= o.end[1]);
        assert_eq!(inside, posed(&a).relation(&posed(&b)) != Relation::Separate, "{t}");
    }
}

fn cholesky(m: DMat3) -> DMat3 {
    let a = m.x_axis.x.sqrt();
    let (b, c) = (m.x_axis.y / a, m.x_axis.z / a);
    let d = (m.y_axis.y - b * b).sqrt();
    let e = (m.y_axis.z - b * c) / d;
    let f = (m.z_axis.z - c * c - e * e).sqrt();
    DMat3::from_cols(DVec3::new(a, b, c), DVec3::new(0.0, d, e), DVec3::new(0.0, 0.0, f))
}

/// The velocity, the acceleration and the enclosure that a rational motion reports hold at sampled times.
#[test]
fn bounds_of_rational_motions() {
    let mut random = Random(10);
    for i in 0..300 {
        let degree = i % 4;
        let motion = if degree == 0 {
            let pose = |r: &mut Random| Pose::new(r.vector(2.0), r.rotation()).unwrap();
            Rational::between(pose(&mut random), pose(&mut random))
        } else if degree == 3 {
            let joint = |r: &mut Random| {
                let (from, to) = (r.between(-2.0, 2.0), r.between(-2.0, 2.0));
                Rational::revolute(r.vector(1.0), r.vector(1.0), from, to).unwrap()
            };
            let (outer, inner) = (joint(&mut random), joint(&mut random));
            let chain = outer.after(&inner).unwrap();
            let (x, y) = (outer.pose_at(0.3), inner.pose_at(0.3));
            let p = random.vector(1.0);
            assert!((chain.pose_at(0.3).apply(p) - x.apply(y.apply(p))).length() < 1e-12);
            let back = chain.inverse().unwrap().after(&chain).unwrap().pose_at(0.7);
            assert!((back.apply(p) - p).length() < 1e-11);
            chain
        } else {
            let quat: Vec<[f64; 4]> =
                (0..=degree).map(|_| [0; 4].map(|_| random.between(-1.0, 1.0))).collect();
            let xyz: Vec<[f64; 3]> = (0..=degree).map(|_| random.vector(3.0).to_array()).collect();
            match Rational::from_power_basis(&quat, &xyz, &[1.0, random.between(-0.5, 1.0)]) {
                Ok(motion) => motion,
                Err(_) => continue,
            }
        };
        let (t0, t1) = (random.unit(), random.unit());
        let window = Window::new(t0.min(t1), t0.max(t1)).unwrap();
        let point = random.vector(1.0);
        let reach = point.length();
        let bounds = motion.velocity_bounds(window);
        let enclosed = motion.enclosure(window).apply(point).range();
        let acceleration = motion.acceleration(reach, window);
        let h = 1e-4;
        for k in 0..=20 {
            let t = window.t0() + (window.t1() - window.t0()) * k as f64 / 20.0;
            let at = |t: f64| motion.pose_at(t).apply(point);
            let velocity = motion.velocity_at(t);
            assert!(
                (velocity.origin - bounds.center.origin).length()
                    <= bounds.origin_radius * (1.0 + 1e-9) + 1e-12
            );
            assert!(
                (velocity.angular - bounds.center.angular).length()
                    <= bounds.angular_radius * (1.0 + 1e-9) + 1e-12
            );
            let x = at(t);
            for axis in 0..3 {
                assert!(
                    enclosed[axis].lo() <= x[axis] + 1e-12 && x[axis] - 1e-12 <= enclosed[axis].hi(),
                    "{i}"
                );
            }
            if t > h && t < 1.0 - h && t > window.t0() + h && t < window.t1() - h {
                let pose = motion.pose_at(t);
                let numeric = (at(t + h) - at(t - h)) / (2.0 * h);
                let exact = velocity.of(x - pose.translation);
                assert!(
                    (numeric - exact).length() < 1e-3 * (1.0 + exact.length() + acceleration),
                    "{i} {numeric} {exact}"
                );
                let second = ((at(t + h) + at(t - h)) - 2.0 * x).length() / (h * h);
                assert!(second <= acceleration * (1.0 + 1e-6) + 1e-4, "{i}: {second} {acceleration}");
            }
        }
    }
}

/// A rational translation is a linear one, for every shape; and degenerate input is refused.
#[test]
fn other_shapes_and_bad_input() {
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    for shape in [
        Shape::from(Sphere::new(1.0).unwrap()),
        Shape::from(Cuboid::new(DVec3::splat(2.0)).unwrap()),
        Shape::from(Ellipsoid::new(DVec3::ONE).unwrap()),
    ] {
        let mut scene = Scene::default();
        scene.add(Body::new("moving", shape.clone(), Motion::rational(at(-9.0), at(11.0)))).unwrap();
        scene
            .add(Body::new(
                "resting",
                Ellipsoid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap(),
                Motion::fixed(at(0.0)),
            ))
            .unwrap();
        let report = scene.check(&Options::default()).unwrap();
        let Answer::Touch(touch) = &report.answer else { panic!("{:?}", report.answer) };
        assert!(touch.toi <= 0.35 && touch.toi > 0.35 - 1e-7, "{}", touch.toi);
        assert!((touch.normal - DVec3::X).length() < 1e-3);
    }
    // A quaternion through zero, a weight with a root, and numbers that are not finite.
    assert!(Rational::from_power_basis(&[[1.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]], &[], &[]).is_err());
    assert!(Rational::from_power_basis(&[[0.0; 4]], &[], &[]).is_err());
    assert!(Rational::from_power_basis(&[], &[], &[0.0]).is_err());
    assert!(Rational::from_power_basis(&[], &[], &[1.0, -1.0]).is_err());
    assert!(Rational::from_power_basis(&[], &[[f64::NAN, 0.0, 0.0]], &[]).is_err());
    assert!(Rational::from_power_basis(&[], &[[1e200, 0.0, 0.0]], &[]).is_err());
    assert!(Ellipsoid::new(DVec3::new(1.0, 0.0, 1.0)).is_err());
    // A weight that is negative all the time is as good as its opposite.
    let flipped = Rational::from_power_basis(&[], &[[2.0, 0.0, 0.0]], &[-2.0]).unwrap();
    assert_eq!(flipped.pose_at(0.5).translation, -DVec3::X);
}

/// Random clouds, flat and thin ones: all points are inside, and the ellipsoid is not much too large.
#[test]
fn enclosing_ellipsoids() {
    let mut random = Random(11);
    for i in 0..200 {
        let stretch = DVec3::new(1.0, random.unit(), if i % 5 == 0 { 0.0 } else { random.unit() });
        let turn = random.rotation();
        let shift = random.vector(100.0);
        let points: Vec<DVec3> = (0..4 + i).map(|_| shift + turn * (random.vector(1.0) * stretch)).collect();
        let (shape, pose) = ellipsoid::enclosing(&points).unwrap();
        let highest = points.iter().map(|&p| level(&shape, &pose, p)).fold(0.0, f64::max);
        assert!(highest <= 1.0 + 1e-12 && highest > 0.99, "{i}: {highest}");
        // The box has a circumscribed ellipsoid of sqrt(3) times its half sides.
        let volume: f64 = shape.semi_axes().element_product();
        let bound = (stretch * 3.0_f64.sqrt()).max(DVec3::splat(3e-6)).element_product();
        let slack = if stretch.z == 0.0 { 4.0 } else { 1.01 };
        assert!(volume <= bound * slack, "{i}: {volume} {bound}");
    }
    assert!(ellipsoid::enclosing(&[]).is_err());
    assert!(ellipsoid::enclosing(&[DVec3::ONE]).is_ok());
}
