//! The scenes of the 2009 paper on ellipsoids: two boxers, a robot arm against an I-shaped obstacle, and the two
//! examples of Section 4.3.
//!
//! The paper's boxers follow motion capture and its arm is a particular robot; neither is published. Ours are
//! generated: the same numbers of ellipsoids, degrees and frames, and a similar share of close pairs. Example 1 is the
//! paper's, exactly. Two families of random pairs measure cases that the paper's scenes leave out: pairs at rest that
//! no quick test can decide, and motions of such a high degree that the equation has the paper's degree 96.

use firsttouch::Result;
use firsttouch::motion::{Affine, Motion, Pose, Rational};
use firsttouch::shape::Ellipsoid;
use glam::{DQuat, DVec3};

use crate::random::Random;

/// An ellipsoid in motion.
pub type MovingEllipsoid = (Ellipsoid, Motion);

/// Returns example 1: degree 2 rotations, degree 3 translations. The first contact is at `t = 1/2`; they are separate
/// again from 0.9008.
///
/// ```
/// let [a, _] = firsttouch_scenes::ellipsoids::example_1()?;
/// assert_eq!(a.0.semi_axes().y, 4.0);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn example_1() -> Result<[MovingEllipsoid; 2]> {
    // The quaternions behind the matrices: 4 w x = r32 − r23 and so on, with |q|² the common denominator.
    let r = 2.0_f64.sqrt();
    let (k, m) = ((2.0 - r).sqrt(), (2.0 + r).sqrt());
    let a = Rational::from_power_basis(
        &[[1.0, 0.0, -1.0, -1.0], [0.0, 0.0, 2.0, 2.0]],
        &[[-2.0, -6.0, -2.0], [-6.0, 6.0, -12.0], [24.0, 24.0, 48.0], [-8.0, -24.0, -32.0]],
        &[],
    )?;
    let b = Rational::from_power_basis(
        &[[-k, k, m, -m], [2.0 * k, r * k, -2.0 * m, r * m]],
        &[
            [-27.0 + 24.0 * r, -6.0, -26.0 + 24.0 * r],
            [114.0 - 72.0 * r, 12.0, 114.0 - 72.0 * r],
            [-156.0 + 72.0 * r, 0.0, -168.0 + 72.0 * r],
            [72.0 - 24.0 * r, 0.0, 88.0 - 24.0 * r],
        ],
        &[],
    )?;
    Ok([
        (Ellipsoid::new(DVec3::new(2.0, 4.0, 2.0))?, a.into()),
        (Ellipsoid::new(DVec3::new(1.0, 3.0, 4.0))?, b.into()),
    ])
}

/// Returns example 2: two ellipsoids in affine motions of degree 4 with large deformations and four overlapping
/// intervals. The paper gives no numbers. Here the second goes through the first four times, by the Chebyshev
/// polynomial of degree 4, while both pulsate.
///
/// ```
/// assert_eq!(firsttouch_scenes::ellipsoids::example_2()?.len(), 2);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn example_2() -> Result<[Affine; 2]> {
    // 8 t (1 − t) (1 − 2t)² has maxima of 1/2 at two times, with a zero between.
    let double = [0.0, 8.0, -40.0, 64.0, -32.0];
    // T_4(2t − 1): 1 at both ends, and four zeros between.
    let to_and_fro = [1.0, -32.0, 160.0, -256.0, 128.0];
    let matrix = |k: usize, swell: DVec3, shear: f64| {
        let unit = if k == 0 { 1.0 } else { 0.0 };
        let s = double[k];
        [
            unit + swell.x * s,
            shear * s,
            0.0, //
            0.0,
            unit + swell.y * s,
            shear * s, //
            -shear * s,
            0.0,
            unit + swell.z * s,
        ]
    };
    let linear = |swell: DVec3, shear: f64| [0, 1, 2, 3, 4].map(|k| matrix(k, swell, shear));
    let a = Affine::from_power_basis(
        DVec3::new(1.0, 0.6, 0.5),
        &linear(DVec3::new(-0.6, 1.2, 0.9), 0.5),
        &[[0.0; 3]],
        &[],
    )?;
    let b = Affine::from_power_basis(
        DVec3::new(0.5, 0.9, 0.7),
        &linear(DVec3::new(0.8, 1.5, -0.7), -0.4),
        &to_and_fro.map(|x| [3.0 * x, if x == 1.0 { -0.2 } else { 0.0 }, 0.0]),
        &[],
    )?;
    Ok([a, b])
}

/// The last frame of the boxers' motion, which starts at frame 0.
pub const BOXING_FRAMES: usize = 1000;

/// Returns the 20 ellipsoids of each of the two boxers, placed at a frame between 0 and [`BOXING_FRAMES`].
///
/// ```
/// let [red, blue] = firsttouch_scenes::ellipsoids::boxers(0)?;
/// assert_eq!((red.len(), blue.len()), (20, 20));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn boxers(frame: usize) -> Result<[Vec<(Ellipsoid, Pose)>; 2]> {
    boxers_apart(frame, CLOSE_COMBAT)
}

/// The distance of each of the two boxers from the middle in [`boxers`], in metres.
pub const CLOSE_COMBAT: f64 = 0.42;

/// Returns the boxers, each of which stands `distance` metres from the middle.
///
/// ```
/// use firsttouch_scenes::ellipsoids::{CLOSE_COMBAT, boxers, boxers_apart};
/// let pelvis = |distance: f64| boxers_apart(0, distance).map(|[red, _]| red[0].1.translation().x);
/// assert!((pelvis(0.5)? - pelvis(0.6)? - 0.1).abs() < 1e-12);
/// assert_eq!(boxers(7)?, boxers_apart(7, CLOSE_COMBAT)?);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn boxers_apart(frame: usize, distance: f64) -> Result<[Vec<(Ellipsoid, Pose)>; 2]> {
    // Thirty frames a second.
    let time = frame as f64 / 30.0;
    Ok([boxer(time, 0.0, 0.0, distance)?, boxer(time, std::f64::consts::PI, 1.7, distance)?])
}

/// Returns a boxer in metres: the pelvis at the origin of the hierarchy, `facing` about the vertical, `phase` in the
/// rhythm, `distance` from the middle.
fn boxer(time: f64, facing: f64, phase: f64, distance: f64) -> Result<Vec<(Ellipsoid, Pose)>> {
    let wave = |rate: f64, shift: f64| (rate * time + shift + phase).sin();
    // Punches are short: a high power of a slow wave.
    let punch = |shift: f64| (0.5 + 0.5 * wave(4.3, shift)).powi(6);
    let about = |axis: DVec3, angle: f64| DQuat::from_axis_angle(axis, angle);
    let turn = about(DVec3::Z, facing);
    let root = Frame {
        origin: turn * DVec3::new(-distance + 0.06 * wave(1.1, 0.0), 0.08 * wave(0.7, 1.0), 0.95),
        rotation: turn * about(DVec3::Z, 0.25 * wave(0.9, 2.0)),
    };
    let waist = root.child(DVec3::new(0.0, 0.0, 0.12), about(DVec3::Y, 0.15 + 0.12 * wave(1.3, 0.3)));
    let chest = waist.child(DVec3::new(0.0, 0.0, 0.22), about(DVec3::Z, 0.35 * wave(2.1, 0.9)));
    let neck = chest.child(DVec3::new(0.0, 0.0, 0.24), about(DVec3::Y, 0.2 * wave(1.7, 0.1)));
    let mut parts = vec![
        root.part([0.15, 0.18, 0.12], DVec3::ZERO)?,
        waist.part([0.12, 0.16, 0.14], DVec3::Z * 0.08)?,
        chest.part([0.14, 0.20, 0.16], DVec3::Z * 0.05)?,
        chest.part([0.11, 0.17, 0.09], DVec3::Z * 0.16)?,
        neck.part([0.06, 0.06, 0.07], DVec3::Z * 0.03)?,
        neck.part([0.11, 0.08, 0.13], DVec3::Z * 0.17)?,
    ];
    for side in [1.0, -1.0] {
        let reach = punch(if side > 0.0 { 0.0 } else { 2.6 });
        let shoulder = chest.child(DVec3::new(0.02, 0.20 * side, 0.17), about(DVec3::Y, 0.9 - 0.9 * reach));
        let elbow = shoulder.child(DVec3::X * 0.28, about(DVec3::Y, -1.9 + 1.9 * reach));
        let hand = elbow.child(DVec3::X * 0.26, DQuat::IDENTITY);
        parts.push(chest.part([0.08, 0.08, 0.08], DVec3::new(0.0, 0.20 * side, 0.16))?);
        parts.push(shoulder.part([0.17, 0.06, 0.06], DVec3::X * 0.13)?);
        parts.push(elbow.part([0.15, 0.05, 0.05], DVec3::X * 0.12)?);
        parts.push(hand.part([0.09, 0.07, 0.07], DVec3::X * 0.05)?);
        let stride = 0.25 * side + 0.15 * wave(2.2, side);
        let hip = root.child(DVec3::new(0.0, 0.10 * side, -0.05), about(DVec3::Y, stride));
        let knee = hip.child(DVec3::Z * -0.42, about(DVec3::Y, 0.3 + 0.15 * wave(2.2, 1.0)));
        let ankle = knee.child(DVec3::Z * -0.42, DQuat::IDENTITY);
        parts.push(hip.part([0.09, 0.09, 0.24], DVec3::Z * -0.2)?);
        parts.push(knee.part([0.06, 0.06, 0.23], DVec3::Z * -0.2)?);
        parts.push(ankle.part([0.13, 0.05, 0.04], DVec3::new(0.06, 0.0, -0.03))?);
    }
    Ok(parts)
}

struct Frame {
    origin: DVec3,
    rotation: DQuat,
}

impl Frame {
    fn child(&self, offset: DVec3, rotation: DQuat) -> Frame {
        Frame { origin: self.origin + self.rotation * offset, rotation: self.rotation * rotation }
    }

    fn part(&self, semi_axes: [f64; 3], offset: DVec3) -> Result<(Ellipsoid, Pose)> {
        let pose = Pose::new(self.origin + self.rotation * offset, self.rotation)?;
        Ok((Ellipsoid::new(DVec3::from_array(semi_axes))?, pose))
    }
}

/// An arm of ten ellipsoids, 0 to 9, and an I-shaped obstacle of three, U, V and W.
#[derive(Debug, Clone)]
pub struct Arm {
    /// One on the base, three behind the first joint, two behind the second, four behind the third.
    pub links: Vec<MovingEllipsoid>,
    /// The upper bar, the web and the lower bar.
    pub obstacle: Vec<MovingEllipsoid>,
}

/// Returns the arm of Section 4.2: three joints, each a rational motion of degree 2, so that the links move with
/// degrees 0, 2, 4 and 6. The obstacle lies on its side. As in the paper, one pair has two overlapping intervals.
///
/// ```
/// let arm = firsttouch_scenes::ellipsoids::arm()?;
/// assert_eq!((arm.links.len(), arm.obstacle.len()), (10, 3));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn arm() -> Result<Arm> {
    // The forearm swings down through the bar W, on, and up through it again.
    let joint_1 = Rational::revolute(DVec3::ZERO, DVec3::Z, -0.08, 0.08)?;
    let joint_2 = joint_1.after(&Rational::revolute(DVec3::new(0.1, 0.0, 0.35), DVec3::Y, -0.06, 0.06)?)?;
    let joint_3 = joint_2.after(&Rational::revolute(DVec3::new(0.45, 0.0, 0.35), DVec3::Y, -0.3, 3.4)?)?;
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let fixed = |pose: Pose| Rational::between(pose, pose);
    let on = |joint: &Rational, axes: [f64; 3], pose: Pose| -> Result<MovingEllipsoid> {
        Ok((Ellipsoid::new(DVec3::from_array(axes))?, joint.after(&fixed(pose))?.into()))
    };
    let rest = |axes: [f64; 3], pose: Pose| -> Result<MovingEllipsoid> {
        Ok((Ellipsoid::new(DVec3::from_array(axes))?, Motion::fixed(pose)))
    };
    Ok(Arm {
        links: vec![
            rest([0.16, 0.16, 0.12], at(0.0, 0.0, 0.05)?)?,
            on(&joint_1, [0.11, 0.11, 0.16], at(0.0, 0.0, 0.2)?)?,
            on(&joint_1, [0.10, 0.12, 0.10], at(0.06, 0.0, 0.33)?)?,
            on(&joint_1, [0.08, 0.14, 0.08], at(0.1, 0.0, 0.35)?)?,
            on(&joint_2, [0.16, 0.07, 0.07], at(0.22, 0.0, 0.35)?)?,
            on(&joint_2, [0.12, 0.06, 0.06], at(0.38, 0.0, 0.35)?)?,
            on(&joint_3, [0.13, 0.05, 0.05], at(0.55, 0.0, 0.35)?)?,
            on(&joint_3, [0.07, 0.05, 0.04], at(0.68, 0.0, 0.35)?)?,
            on(&joint_3, [0.06, 0.015, 0.02], at(0.77, 0.03, 0.35)?)?,
            on(&joint_3, [0.06, 0.015, 0.02], at(0.77, -0.03, 0.35)?)?,
        ],
        obstacle: vec![
            rest([0.32, 0.05, 0.05], at(0.47, 0.53, 0.2)?)?,
            rest([0.05, 0.25, 0.05], at(0.47, 0.28, 0.15)?)?,
            rest([0.32, 0.05, 0.05], at(0.47, 0.03, 0.2)?)?,
        ],
    })
}

/// Returns pairs at rest that are so close to contact that neither the inner nor the outer balls decide.
///
/// ```
/// let pairs = firsttouch_scenes::ellipsoids::close_pairs(2)?;
/// assert!(pairs[1][1].1.translation().x > 0.4); // at least twice the least semi-axis
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn close_pairs(count: usize) -> Result<Vec<[(Ellipsoid, Pose); 2]>> {
    let mut random = Random::new(1);
    let mut pair = || {
        let mut shape = || Ellipsoid::new(DVec3::splat(0.7) + random.vector(0.5));
        let (a, b) = (shape()?, shape()?);
        // The sum of the mean semi-axes: at this distance they touch on average.
        let distance = (a.semi_axes() + b.semi_axes()).element_sum() / 3.0;
        let pose_a = Pose::new(DVec3::ZERO, random.orientation())?;
        let pose_b = Pose::new(DVec3::X * distance, random.orientation())?;
        Ok([(a, pose_a), (b, pose_b)])
    };
    (0..count).map(|_| pair()).collect()
}
