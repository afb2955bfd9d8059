//! The wooden man: a jointed figure of 29 turned pieces of wood, like a painter's model; and two of them on a spring.
//!
//! Every shoulder, elbow, wrist, hip, knee and ankle is a ball with an axis on either side, at right angles to each
//! other; so are waist and neck. The ball and its neighbours run into each other, as joined links may; the pieces on
//! either side of a ball do not touch.

use std::f64::consts::PI;

use firsttouch::Result;
use firsttouch::articulated::JointKind;
use firsttouch::shape::Mesh;
use glam::{DQuat, DVec3, dvec3};

use super::{AdaptiveScene, Assembly, WOOD, not_free};
use crate::dynamics::linkage::{JointLaw, Linkage};
use crate::dynamics::{Setup, Spring};
use crate::random::Random;
use crate::turned::turned;

/// The pieces of a man.
pub(super) const PIECES: usize = 29;

/// Two men with `triangles` triangles each, in random postures and orientations. A spring between their chests pulls
/// them together. There is no gravity.
///
/// ```
/// let scene = firsttouch_scenes::adaptive::wooden_men(16_000)?;
/// assert_eq!((scene.bodies(), scene.triangles()), (2 * 29, 2 * 15_776));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn wooden_men(triangles: usize) -> Result<AdaptiveScene> {
    let mut men = Assembly::new();
    for man in ["red", "blue"] {
        wooden_man(&mut men, man, triangles)?;
    }
    let linkage = articulated(men, "wooden men")?;
    let links = ["red chest", "blue chest"].map(|name| linkage.robot().link(name).unwrap_or(0));
    let spring = Spring { links, points: [DVec3::ZERO; 2], stiffness: 60.0, length: 0.2, damping: 1.0 };
    let setup = Setup { gravity: DVec3::ZERO, ..Setup::default() };
    let mut scene = AdaptiveScene {
        name: "wooden men",
        start: linkage.robot().zero(),
        linkage,
        springs: vec![spring],
        setup,
        obstacles: vec![],
    };
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut start = posture(&scene.linkage, &mut random, 0.5);
        for (man, x) in [("red", -1.3), ("blue", 1.3)] {
            let at = dvec3(x, 0.0, 0.0) + random.vector(0.15);
            let turn = DQuat::from_scaled_axis(random.vector(0.8));
            place(&scene.linkage, man, at, turn, &mut start);
        }
        if scene.is_free(&start, 0.01)? {
            scene.linkage.rest_at(&start)?;
            scene.start = start;
            return Ok(scene);
        }
    }
    Err(not_free("wooden men"))
}

/// Sets the dynamics of wooden figures: joints with friction that slowly return to their rest positions.
pub(super) fn articulated(men: Assembly, name: &str) -> Result<Linkage> {
    let mut linkage = men.build(name, WOOD)?;
    linkage.set_law(JointLaw { damping: 0.1, stiffness: 0.5, rest: 0.0 })?;
    Ok(linkage)
}

/// Returns a configuration with random angles of at most `most` at all revolute joints.
pub(super) fn posture(linkage: &Linkage, random: &mut Random, most: f64) -> Vec<f64> {
    let variables = linkage.robot().variables().iter();
    variables
        .map(|variable| if variable.name.contains('/') { variable.zero } else { random.between(-most, most) })
        .collect()
}

/// Puts a man's pelvis at a place.
pub(super) fn place(linkage: &Linkage, man: &str, at: DVec3, turn: DQuat, configuration: &mut [f64]) {
    if let Some(first) = linkage.robot().variable(&format!("{man} pelvis joint/trans_x")) {
        configuration[first..first + 3].copy_from_slice(&at.to_array());
        configuration[first + 3..first + 7].copy_from_slice(&turn.to_array());
    }
}

/// Adds a man 1.9 m high who stands upright, looks along x and has his arms down; his pelvis floats in the world.
pub(super) fn wooden_man(to: &mut Assembly, man: &str, triangles: usize) -> Result<()> {
    // A piece fills an ellipsoid with these semi-axes; its outline is fuller, like a thing turned on a lathe.
    let piece = |center: DVec3, half: DVec3| -> Result<Mesh> {
        let outline = |v: f64| ((PI * v).sin().max(0.0).powf(0.7), -(PI * v).cos());
        let mesh = turned(triangles / PIECES, 1.0, outline)?;
        let vertices = mesh.vertices().iter().map(|&v| center + v * half).collect();
        Mesh::new(vertices, mesh.triangles().to_vec())
    };
    // A foot lies: it is turned about x.
    let foot = |center: DVec3, half: DVec3| -> Result<Mesh> {
        let mesh = turned(triangles / PIECES, 1.0, |v| ((PI * v).sin().max(0.0).powf(0.7), -(PI * v).cos()))?;
        let vertices = mesh.vertices().iter().map(|&v| center + dvec3(v.z, v.x, v.y) * half).collect();
        Mesh::new(vertices, mesh.triangles().to_vec())
    };
    let ball = |radius: f64| -> Result<Mesh> {
        turned(triangles / PIECES, 1.0, |v| (radius * (PI * v).sin(), -radius * (PI * v).cos()))
    };
    let down = |from: f64, to: f64, radius: f64| {
        piece(dvec3(0.0, 0.0, -0.5 * (from + to)), dvec3(radius, radius, 0.5 * (to - from)))
    };
    let (across, ahead) = (JointKind::Revolute { axis: DVec3::Y }, JointKind::Revolute { axis: DVec3::X });
    let name = |piece: &str| format!("{man} {piece}");
    let mut add = |piece: &str, on: &str, at: DVec3, kind: JointKind, mesh: Mesh| {
        let on = if on == "world" { on.to_string() } else { name(on) };
        to.add(&name(piece), &on, at, kind, mesh)
    };
    let up = |z: f64| DVec3::Z * z;
    let pelvis = piece(DVec3::ZERO, dvec3(0.1, 0.15, 0.09))?;
    add("pelvis", "world", DVec3::ZERO, JointKind::Floating, pelvis)?;
    add("waist", "pelvis", up(0.15), across, ball(0.08)?)?;
    add("chest", "waist", DVec3::ZERO, ahead, piece(up(0.22), dvec3(0.11, 0.155, 0.16))?)?;
    add("neck", "chest", up(0.41), across, ball(0.05)?)?;
    add("head", "neck", DVec3::ZERO, ahead, piece(up(0.16), dvec3(0.1, 0.085, 0.12))?)?;
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let of = |piece: &str| format!("{side} {piece}");
        let [shoulder, arm, elbow, forearm, wrist, hand] =
            ["shoulder", "arm", "elbow", "forearm", "wrist", "hand"].map(of);
        add(&shoulder, "chest", dvec3(0.0, 0.24 * sign, 0.32), across, ball(0.055)?)?;
        add(&arm, &shoulder, DVec3::ZERO, ahead, down(0.045, 0.295, 0.05)?)?;
        add(&elbow, &arm, up(-0.33), across, ball(0.042)?)?;
        add(&forearm, &elbow, DVec3::ZERO, ahead, down(0.035, 0.255, 0.042)?)?;
        add(&wrist, &forearm, up(-0.285), across, ball(0.032)?)?;
        add(&hand, &wrist, DVec3::ZERO, ahead, piece(up(-0.105), dvec3(0.045, 0.022, 0.08))?)?;
        let [hip, thigh, knee, shin, ankle, sole] = ["hip", "thigh", "knee", "shin", "ankle", "foot"].map(of);
        add(&hip, "pelvis", dvec3(0.0, 0.1 * sign, -0.1), across, ball(0.06)?)?;
        add(&thigh, &hip, DVec3::ZERO, ahead, down(0.05, 0.4, 0.07)?)?;
        add(&knee, &thigh, up(-0.44), across, ball(0.05)?)?;
        add(&shin, &knee, DVec3::ZERO, ahead, down(0.045, 0.37, 0.055)?)?;
        add(&ankle, &shin, up(-0.405), across, ball(0.04)?)?;
        add(&sole, &ankle, DVec3::ZERO, ahead, foot(dvec3(0.05, 0.0, -0.06), dvec3(0.12, 0.045, 0.03))?)?;
    }
    Ok(())
}
