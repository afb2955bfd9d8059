//! Random pairs that touch about half of the time.

use super::draw::Draw;
use super::oracle::Mover;
use super::path::{Path, Place};
use super::solid::{Polytope, Solid};
use glam::{DQuat, DVec3};

pub const SOLIDS: [&str; 6] = ["box", "sphere", "capsule", "cylinder", "ellipsoid", "hull"];
pub const MOTIONS: [&str; 3] = ["fixed", "linear", "screw"];

/// Returns a solid of a kind, with sizes from 0.1 to 1.
pub fn solid(kind: usize, draw: &mut Draw) -> Solid {
    let mut size = || draw.magnitude(0.1, 1.0);
    match kind {
        0 => Solid::Box(DVec3::new(size(), size(), size())),
        1 => Solid::Sphere(size()),
        2 => Solid::Capsule(size(), size()),
        3 => Solid::Cylinder(size(), size()),
        4 => Solid::Ellipsoid(DVec3::new(size(), size(), size())),
        _ => {
            let stretch = DVec3::new(size(), size(), size());
            let count = 4 + draw.below(7);
            Solid::Hull(Polytope::new((0..count).map(|_| draw.direction() * stretch).collect()))
        }
    }
}

/// Returns a path of a kind whose origin travels about `length`.
pub fn path(kind: usize, length: f64, draw: &mut Draw) -> Path {
    let place =
        |draw: &mut Draw| Place { at: draw.direction() * draw.range(0.0, 0.5), turn: draw.rotation() };
    let from = place(draw);
    if kind == 0 {
        return Path::Fixed(from);
    }
    let angle = match draw.below(8) {
        0 => 0.0,
        1 => draw.magnitude(1e-12, 1e-3),
        _ => draw.range(0.0, std::f64::consts::PI),
    };
    let turn = DQuat::from_axis_angle(draw.direction(), angle) * from.turn;
    let to = Place { at: from.at + draw.direction() * length, turn };
    if kind == 1 { Path::Linear(from, to) } else { Path::Screw(from, to) }
}

/// Returns two solids on two paths: at some time their centres pass each other within reach, or slightly outside.
pub fn pair(kinds: [usize; 2], motions: [usize; 2], draw: &mut Draw) -> [Mover; 2] {
    let [a, b] = kinds.map(|kind| solid(kind, draw));
    let lengths = [draw.range(0.0, 5.0), draw.range(0.0, 5.0)];
    let [on_a, on_b] = [path(motions[0], lengths[0], draw), path(motions[1], lengths[1], draw)];
    let t = draw.unit();
    let apart = draw.direction() * (a.radius() + b.radius()) * draw.range(0.0, 1.7);
    let on_b = on_b.shifted(on_a.at(t).at + apart - on_b.at(t).at);
    [Mover { solid: a, path: on_a }, Mover { solid: b, path: on_b }]
}
