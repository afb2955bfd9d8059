//! A shape that the library does not know enters a scene from outside: a solid torus.
//!
//! A torus is a circle swept by a ball. It is not convex, so it is a compound of convex pieces. The circle is cut into
//! short arcs, and the piece of an arc is its chord swept by a ball that is larger by the sagitta `R (1 − cos(α/2))`,
//! so that the arc is in the piece. The sagitta is below a tenth of the tolerance here. Everything else (hierarchy,
//! advancement, queue) is the library's.

use crate::random;

use std::f64::consts::TAU;
use std::sync::Arc;

use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{Convex, Shape, Sphere};
use firsttouch::testing::check_convex;
use firsttouch::{Answer, Body, Feature, Options, Part, Scene};
use glam::{DQuat, DVec3};
use random::Random;

/// A segment swept by a ball.
#[derive(Debug, Clone, Copy)]
struct Rounded {
    ends: [DVec3; 2],
    radius: f64,
    arc: u32,
}

impl Convex for Rounded {
    fn support(&self, direction: DVec3) -> DVec3 {
        let [a, b] = self.ends;
        if a.dot(direction) >= b.dot(direction) { a } else { b }
    }
    fn extent(&self, direction: DVec3) -> f64 {
        let [a, b] = self.ends.map(|end| end.dot(direction));
        a.max(b) + self.radius
    }
    fn margin(&self) -> f64 {
        self.radius
    }
    fn reach(&self) -> f64 {
        (self.core_reach() + self.radius) * (1.0 + 1e-14)
    }
    fn core_reach(&self) -> f64 {
        self.ends[0].length().max(self.ends[1].length()) * (1.0 + 1e-14)
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        let [a, b] = self.ends;
        (0.5 * (a + b), (0.5 * (b - a).abs() + self.radius) * (1.0 + 1e-14))
    }
    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(self.arc)
    }
}

/// A solid torus about z.
struct Torus {
    major: f64,
    minor: f64,
    pieces: Vec<Rounded>,
}

impl Torus {
    fn new(major: f64, minor: f64, arcs: u32) -> Torus {
        let step = TAU / f64::from(arcs);
        let at = |i: u32| major * DVec3::new((f64::from(i) * step).cos(), (f64::from(i) * step).sin(), 0.0);
        let radius = (minor + major * (1.0 - (0.5 * step).cos())) * (1.0 + 1e-14);
        let pieces = (0..arcs).map(|i| Rounded { ends: [at(i), at(i + 1)], radius, arc: i }).collect();
        Torus { major, minor, pieces }
    }

    fn shape(&self) -> Shape {
        let arc = |&piece: &Rounded| Arc::new(piece) as Arc<dyn Convex + Send + Sync>;
        Shape::compound(self.pieces.iter().map(arc).collect()).unwrap()
    }

    /// The difference between the radius of the pieces and that of the torus.
    fn excess(&self) -> f64 {
        self.pieces[0].radius - self.minor
    }

    /// Returns the distance of a point from the solid torus, negative inside, by a formula that the library does not
    /// use.
    fn distance(&self, point: DVec3) -> f64 {
        let ring = point.truncate().length() - self.major;
        (ring * ring + point.z * point.z).sqrt() - self.minor
    }
}

#[test]
fn the_pieces_keep_what_a_convex_shape_must_keep() {
    let torus = Torus::new(2.0, 0.5, 1 << 6);
    for (seed, piece) in torus.pieces.iter().enumerate() {
        check_convex(piece, seed as u64).unwrap_or_else(|violation| panic!("{violation}"));
    }
}

#[test]
fn balls_fly_at_and_through_a_torus() {
    let torus = Torus::new(2.0, 0.5, 1 << 14);
    let shape = torus.shape();
    let tolerance = 1e-5;
    assert!(torus.excess() < 0.1 * tolerance);
    let mut random = Random(1999);
    let (mut hits, mut through) = (0, 0);
    for n in 0..400 {
        let radius = random.range(0.1, 1.2);
        // Half of them are aimed at the hole.
        let aim = if n % 2 == 0 { random.vector(3.0) } else { random.vector(0.4) };
        let from = aim + DVec3::new(0.0, 0.0, 4.0) + random.vector(1.0);
        let flying = Motion::linear(
            Pose::from_translation(from).unwrap(),
            Pose::from_translation(2.0 * aim - from).unwrap(),
        );
        let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
        let spin = DQuat::from_xyzw(x, y, z, w).normalize();
        let turning = Motion::linear(Pose::IDENTITY, Pose::new(DVec3::ZERO, spin).unwrap());
        let mut scene = Scene::default();
        scene.add(Body::new("torus", shape.clone(), turning.clone())).unwrap();
        scene.add(Body::new("ball", Sphere::new(radius).unwrap(), flying.clone())).unwrap();
        let answer = scene.check(&Options { tolerance, ..Options::default() }).unwrap().answer;
        let gap = |t: f64| {
            let pose = turning.pose_at(t);
            torus.distance(pose.to_body(flying.pose_at(t).translation)) - radius
        };
        let free_until = match &answer {
            Answer::Free => 1.0,
            Answer::Touch(touch) => {
                hits += 1;
                assert!(
                    gap(touch.toi) <= tolerance + torus.excess(),
                    "{n}: {} at {}",
                    gap(touch.toi),
                    touch.toi
                );
                // The piece that is named is the one at the point of contact.
                let Part::Piece(piece) = touch.parts[0] else { panic!("{n}: {:?}", touch.parts) };
                let [a, b] = torus.pieces[piece as usize].ends;
                let at = turning.pose_at(touch.toi).to_body(touch.points[0]);
                assert!(
                    (at - 0.5 * (a + b)).length() < torus.minor + 1e-3,
                    "{n}: {at} is not at arc {piece}"
                );
                assert_eq!(touch.features[0], Feature::Face(piece));
                touch.toi
            }
            Answer::TouchingAtStart(_) => {
                hits += 1;
                assert!(gap(0.0) <= tolerance + torus.excess(), "{n}: {} at the start", gap(0.0));
                0.0
            }
            Answer::Undecided { .. } => panic!("{n}: {answer:?}"),
        };
        for i in 0..2000 {
            let t = f64::from(i) / 2000.0;
            assert!(t >= free_until || gap(t) > 0.0, "{n}: {} at {t}, free until {free_until}", gap(t));
        }
        // From above the plane to below it, and inside the ring when it crosses.
        let pose = turning.pose_at(0.5);
        if answer == Answer::Free && pose.to_body(aim).truncate().length() < torus.major - torus.minor {
            through += 1;
        }
    }
    assert!((100..300).contains(&hits) && through > 20, "{hits} hits, {through} through the hole");
}
