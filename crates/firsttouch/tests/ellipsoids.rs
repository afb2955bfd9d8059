//! Ellipsoids by algebra, against exact arithmetic, closed forms and dense sampling.

use firsttouch::advancement::{Limits, Outcome};
use firsttouch::ellipsoid::{self, MovingEllipsoid, Overlap, OverlapKind, Posed, Relation};
use firsttouch::motion::Pose;
use firsttouch::shape::Ellipsoid;
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

    /// Semi-axes between 0.2 and 2, or over `10^±spread`.
    fn ellipsoid(&mut self, spread: f64) -> Ellipsoid {
        let axis = |r: &mut Random| {
            if spread > 0.0 { 10.0_f64.powf(r.between(-spread, spread)) } else { r.between(0.2, 2.0) }
        };
        Ellipsoid::new(DVec3::new(axis(self), axis(self), axis(self))).unwrap()
    }
}

/// `(x − c)^T S⁻¹ (x − c)`, from the semi-axes and the pose.
fn level(shape: &Ellipsoid, pose: &Pose, x: DVec3) -> f64 {
    let body = pose.at().to_body(x) / shape.semi_axes();
    body.length_squared()
}

/// How far apart the two are along a direction.
fn gap_along(a: (&Ellipsoid, &Pose), b: (&Ellipsoid, &Pose), n: DVec3) -> f64 {
    let extent = |(shape, pose): (&Ellipsoid, &Pose)| {
        (shape.semi_axes() * pose.at().direction_to_body(n)).length()
    };
    n.dot(b.1.translation() - a.1.translation()) - extent(a) - extent(b)
}

/// A million pairs, most of them close to a contact. A point inside both proves overlap and a plane between them
/// separation, neither of which uses the quartic.
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
    // Both kinds are there, and nearly all are cross-checked.
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
            Ellipsoid::new(DVec3::new(quarter(&mut random), quarter(&mut random), quarter(&mut random))).unwrap(),
            Ellipsoid::new(DVec3::new(quarter(&mut random), quarter(&mut random), quarter(&mut random))).unwrap(),
        );
        let distance = a.semi_axes().y + b.semi_axes().y;
        let posed = |shape: &Ellipsoid, y: f64| Posed::new(shape, &Pose::from_translation(DVec3::Y * y).unwrap());
        let at_origin = posed(&a, 0.0);
        assert_eq!(at_origin.relation(&posed(&b, distance)), Relation::Touching);
        assert_eq!(at_origin.relation(&posed(&b, distance.next_up())), Relation::Separate);
        assert_eq!(at_origin.relation(&posed(&b, -distance.next_down())), Relation::Overlapping);
        let contact = at_origin.contact(&posed(&b, distance)).unwrap();
        assert!((contact.point - DVec3::Y * a.semi_axes().y).length() < 1e-6, "{contact:?}");
        assert!((contact.normal - DVec3::Y).length() < 1e-6);
        // The same through the affine entrance, with a turned second ellipsoid.
        let affine = Posed::affine(DMat3::from_diagonal(a.semi_axes()), DVec3::ZERO).unwrap();
        let half_turn = Pose::new(DVec3::Y * distance, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)).unwrap();
        assert_eq!(affine.relation(&Posed::new(&b, &half_turn)), Relation::Touching);
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
    let [a, b] = firsttouch_models::ellipsoids::example_1().unwrap();
    let (a, b) = (
        MovingEllipsoid { shape: &a.0, motion: &a.1 },
        MovingEllipsoid { shape: &b.0, motion: &b.1 },
    );
    let limits = limits(1e-6);
    let Outcome::Touch { t, separation } = ellipsoid::first_touch(a, b, &limits, &mut 0) else { panic!() };
    assert!(t <= 0.5 + 1e-12 && t > 0.5 - 1e-9, "{t}");
    assert!(separation.upper < 1e-6);
    let overlaps = ellipsoid::overlap_intervals(a, b).unwrap();
    assert_eq!(overlaps.len(), 1, "{overlaps:?}");
    let Overlap { start, end, kind } = overlaps[0];
    assert_eq!(kind, OverlapKind::Overlap);
    assert!((start[0] - 0.5).abs() < 1e-9 && (start[1] - 0.5).abs() < 1e-8, "{start:?}");
    assert!(end[0] > 0.90080 && end[1] < 0.90085 && end[1] - end[0] < 1e-8, "{end:?}");
}

fn limits(tolerance: f64) -> Limits {
    Limits { t_start: 0.0, t_end: 1.0, min_separation: 0.0, tolerance, max_iterations: 10_000 }
}
