use super::*;
use crate::adaptive::sweeps::Sweep;
use crate::distance::rounded_hull::Ball;
use crate::motion::Pose;
use crate::numerics::Window;
use crate::robot::{Joint, JointKind, JointMotion, Robot};

/// A chain of three joints that turn and slide, in a step, and a solid on its last link.
struct Side {
    chord: Chord,
    joints: Vec<JointMotion>,
    balls: Vec<Ball>,
    hull: RoundedHull,
}

impl Side {
    /// The pose of the last link at a time.
    fn at(&self, t: f64) -> PoseAt {
        let here = Placed::identity();
        let at = |moves: &JointMotion| {
            let (pose, error) = moves.placed_at(t);
            Placed { pose, error }
        };
        self.joints.iter().fold(here, |outer, moves| outer.compose(&at(moves))).pose
    }
}

fn side(unit: &mut impl FnMut() -> f64, turn: f64, offset: f64) -> Side {
    let vector = |unit: &mut dyn FnMut() -> f64| DVec3::new(unit(), unit(), unit());
    let joints: Vec<Joint> = (1..4)
        .map(|i| {
            let axis = vector(unit) + DVec3::splat(0.01);
            let shift = if i == 1 { DVec3::X * offset } else { DVec3::ZERO };
            Joint {
                name: format!("joint{i}"),
                parent: format!("link{}", i - 1),
                child: format!("link{i}"),
                origin: Pose::from_translation(shift + 0.5 * vector(unit)).unwrap(),
                kind: if i == 2 { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } },
                limits: None,
                mimic: None,
            }
        })
        .collect();
    let links = (0..4).map(|i| (format!("link{i}"), vec![])).collect();
    let robot = Robot::new("chain", links, joints).unwrap();
    let from: Vec<f64> = (0..3).map(|_| unit()).collect();
    let to: Vec<f64> = from.iter().map(|value| value + turn * unit()).collect();
    let joints = robot.links().iter().filter_map(|link| link.joint());
    let joints: Vec<JointMotion> = joints.map(|joint| JointMotion::of(joint, &from, &to).unwrap()).collect();
    let window = Window::between(0.0, 1.0);
    let chord =
        joints.iter().fold(Chord::identity(), |outer, moves| outer.compose(&Chord::of(moves, window)));
    let balls: Vec<Ball> = (0..12).map(|_| Ball { center: 0.4 * vector(unit), radius: 0.05 }).collect();
    let hull = RoundedHull::new(&balls, 32, 1e-3);
    Side { chord, joints, balls, hull }
}

/// A separation that is proven for two solids holds at all times, in steps from tiny to wild. In short steps nearly all
/// of the separation is proven. A body travels no farther than its way.
#[test]
fn chords_against_all_times() {
    let state = &mut 11_u64;
    let mut unit = move || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let (mut tight, mut attained) = (0, 0);
    for round in 0..600 {
        let turn = [1e-3, 0.05, 0.4, 2.0][round % 4];
        let sides = [side(&mut unit, turn, 0.0), side(&mut unit, turn, 1.5)];
        let [a, b] = sides.each_ref().map(|side| AtEnds::new(&side.hull, &side.chord));
        let n =
            if round % 3 == 0 { DVec3::new(unit(), unit(), unit()).normalize() } else { a.direction_to(&b) };
        let separation = a.separation(&b, n);
        let times = (0..=200).map(|k| f64::from(k) / 200.0);
        let heights = |side: &Side, t: f64, sign: f64| {
            let pose = side.at(t);
            let heights = side.balls.iter().map(|ball| sign * n.dot(pose.apply(ball.center)) + ball.radius);
            heights.fold(f64::NEG_INFINITY, f64::max)
        };
        let true_gap = |t: f64| -heights(&sides[0], t, 1.0) - heights(&sides[1], t, -1.0);
        let least = times.clone().map(true_gap).fold(f64::INFINITY, f64::min);
        assert!(!a.stay_apart(&b, separation, least + 1e-12), "{round}: {separation:?}, {least}");
        // The solids have a margin, which the balls do not.
        let margins = 2e-3 + a.hull.margin() + b.hull.margin() - 0.1;
        tight += usize::from(turn < 0.1 && a.stay_apart(&b, separation, least - margins - 0.02 * turn));
        for (side, ends) in sides.iter().zip([&a, &b]) {
            let [way, bulge] = ends.way();
            let from = side.at(0.0);
            let mut most = 0.0_f64;
            for t in times.clone() {
                let pose = side.at(t);
                let shifts = side.balls.iter().map(|ball| {
                    let turned = pose.rotation - from.rotation;
                    let shift = (pose.apply(ball.center) - from.apply(ball.center)).length();
                    // Any point of the ball.
                    let columns = [turned.x_axis, turned.y_axis, turned.z_axis].map(|column| column.length());
                    shift.max(shift - ball.radius * columns.into_iter().fold(0.0, f64::max))
                });
                let shift = shifts.fold(0.0, f64::max);
                assert!(shift <= t * way + bulge, "{round} at {t}: {shift}, {way}, {bulge}");
                most = most.max(shift);
            }
            attained += usize::from(most > 0.6 * way);
        }
    }
    assert!(tight > 250, "{tight}");
    assert!(attained > 600, "{attained}");
}

/// A motion of which nothing is known proves nothing, nor does a direction that is NaN.
#[test]
fn nan_proves_nothing() {
    let mut unit = || 0.3;
    let side = side(&mut unit, 0.1, 0.0);
    let (near, far) = (AtEnds::new(&side.hull, &side.chord), AtEnds::at_rest(&side.hull));
    for n in [DVec3::NAN, DVec3::new(1.0, f64::NAN, 0.0)] {
        let separation = near.separation(&far, n);
        assert!(!near.stay_apart(&far, separation, -1e300), "{separation:?}");
    }
    for separation in [[f64::NAN, 5.0], [5.0, f64::NAN]] {
        assert!(!near.stay_apart(&far, separation, -1e300));
    }
}

/// Poses that use up every error that they admit, with large errors: each solid is turned and shifted towards the other
/// one. An engine that forgets an error claims a separation that the exact solids do not have.
#[test]
fn the_errors_of_poses_are_used_up() {
    let state = &mut 17_u64;
    let mut unit = move || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut lost = 0;
    for round in 0..400 {
        let [rotation, translation] = [[0.02, 0.0], [0.0, 0.02], [0.02, 0.01]][round % 3];
        let error = crate::motion::PoseError { rotation, translation };
        let mut vector = || DVec3::new(unit(), unit(), unit());
        let balls = [0, 1].map(|_| [0; 6].map(|_| Ball { center: vector(), radius: 0.05 }));
        let hulls = [0, 1].map(|k| RoundedHull::new(&balls[k], 32, 0.0));
        let at = [vector(), vector() + DVec3::X * 3.0];
        let computed = at.map(|at| PoseAt { rotation: glam::DMat3::IDENTITY, translation: at });
        let [a, b] = [0, 1].map(|k| AtEnds::placed(&hulls[k], [Placed { pose: computed[k], error }; 2], 0.0));
        let n = a.direction_to(&b);
        let claimed = a.separation(&b, n);
        // The error of a rotation bounds the norm of its matrix. A turn by this angle has that norm.
        let angle = 2.0 * (0.5 * rotation).asin();
        let height = |k: usize, n: DVec3| {
            let ball = |ball: &Ball| {
                let towards = ball.center.cross(n).normalize_or_zero();
                let turn = glam::DMat3::from_axis_angle(towards, angle);
                n.dot(turn * ball.center + at[k]) + translation + ball.radius
            };
            balls[k].iter().map(ball).fold(f64::NEG_INFINITY, f64::max)
        };
        let exact = -height(0, n) - height(1, -n);
        for claimed in claimed {
            assert!(claimed <= exact + 1e-13, "{round}: {claimed}, {exact}");
        }
        // The same without errors claims more than the exact solids have.
        let [a, b] = [0, 1].map(|k| {
            let error = crate::motion::PoseError { rotation: 0.0, translation: 0.0 };
            AtEnds::placed(&hulls[k], [Placed { pose: computed[k], error }; 2], 0.0)
        });
        lost += usize::from(a.separation(&b, n)[0] > exact + 1e-3);
    }
    assert!(lost > 300, "{lost}");
}
