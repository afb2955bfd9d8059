//! Motions against an independent evaluation: poses, speeds, accelerations and swept boxes.

use super::draw::Draw;
use super::generate;
use super::oracle::Mover;
use super::path::{Path, Place};
use firsttouch::motion::RigidMotion;
use firsttouch::numerics::Window;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Returns a path with one of the angles and offsets at which formulas break.
fn awkward_path(draw: &mut Draw) -> Path {
    let offset = [0.0, 1.0, 1.0, 1e3, 1e6][draw.below(5)];
    let length = [0.0, 1e-9, 1.0, 1.0, 1e6][draw.below(5)];
    let angle = match draw.below(9) {
        0 => 0.0,
        1 => 1e-9,
        2 => draw.magnitude(1e-16, 1e-3),
        3 => PI - 1e-9,
        4 => PI,
        5 => PI + 1e-9,
        6 => PI - draw.magnitude(1e-16, 1e-3),
        _ => draw.range(0.0, PI),
    };
    let from = Place { at: draw.direction() * offset, turn: draw.rotation() };
    let to = Place {
        at: from.at + draw.direction() * length,
        turn: DQuat::from_axis_angle(draw.direction(), angle) * from.turn,
    };
    match draw.below(5) {
        0 => Path::Fixed(from),
        1 | 2 => Path::Linear(from, to),
        _ => Path::Screw(from, to),
    }
}

#[test]
fn poses_agree_with_another_formula() {
    let mut draw = Draw::new(1);
    for _ in 0..50_000 {
        let path = awkward_path(&mut draw);
        let (motion, sampler) = (path.motion(), path.sampler());
        let size = path.at(0.0).at.length() + path.at(1.0).at.length();
        let error = motion.pose_error();
        for t in [0.0, draw.unit(), draw.magnitude(1e-12, 1.0), 1.0] {
            let (theirs, ours) = (motion.pose_at(t), sampler.at(t));
            // The referee's own rounding: about ten operations.
            let off = (theirs.translation - ours.at).length();
            assert!(off <= error.translation + 4e-15 * size, "{off:e} at {t}: {path:?}");
            let arm = draw.direction();
            let off = (theirs.rotation * arm - (ours.apply(arm) - ours.at)).length();
            // `ours` loses the digits of the translation.
            assert!(off <= error.rotation + 4e-15 + 2e-16 * ours.at.length(), "{off:e} at {t}: {path:?}");
        }
        assert!(error.rotation < 1e-12 && error.translation < 1e-11 * size.max(1e-3), "{error:?} {path:?}");
    }
}

#[test]
fn speeds_and_accelerations_stay_within_their_bounds() {
    let mut draw = Draw::new(2);
    let mut tightest = 0.0_f64;
    for _ in 0..50_000 {
        let path = awkward_path(&mut draw);
        let (motion, sampler) = (path.motion(), path.sampler());
        let reach = draw.magnitude(1e-3, 1e3);
        let (t0, t1) = (draw.unit(), draw.unit());
        let window = Window::new(t0.min(t1), t0.max(t1)).unwrap();
        let (velocities, acceleration) = (motion.velocity_bounds(window), motion.acceleration(reach, window));
        for _ in 0..5 {
            let t = window.t0() + (window.t1() - window.t0()) * draw.unit();
            let place = sampler.at(t);
            let point = place.at + draw.direction() * reach;
            let (v, w) = (sampler.velocity(point, t), sampler.angular_velocity());
            let speed = sampler.velocity(place.at, t).length() + w.length() * reach;
            // The referee loses the digits of the position at which it computes the velocity.
            let slack = 4e-15 * (speed + w.length() * place.at.length());
            let origin = sampler.velocity(place.at, t);
            assert!(
                (origin - velocities.center.origin).length() <= velocities.origin_radius + slack,
                "{path:?}"
            );
            assert!(
                (w - velocities.center.angular).length() <= velocities.angular_radius + 4e-15,
                "{path:?}"
            );
            for n in [
                draw.direction(),
                v.normalize_or(DVec3::X),
                (w.cross(point - place.at)).normalize_or(DVec3::X),
            ] {
                let bound = motion.speed_along(n, reach, window);
                assert!(v.dot(n) <= bound + slack, "{} > {bound}: {path:?}", v.dot(n));
                if speed > 0.0 {
                    tightest = tightest.max(v.dot(n) / bound.max(1e-300));
                }
            }
            let a = sampler.acceleration(point, t).length();
            assert!(a <= acceleration + slack * w.length(), "{a} > {acceleration}: {path:?}");
        }
    }
    // The bounds are tight.
    assert!(tightest > 0.999, "{tightest}");
}

#[test]
fn nothing_leaves_its_swept_box() {
    let mut draw = Draw::new(3);
    for i in 0..12_000 {
        let solid = generate::solid(i % 6, &mut draw);
        let path = awkward_path(&mut draw);
        let mover = Mover { solid, path };
        let (t0, t1) = (draw.unit(), draw.unit());
        let window = Window::new(t0.min(t1), t0.max(t1)).unwrap();
        let swept = mover.body("a").swept_box(window).unwrap();
        let sampler = mover.path.sampler();
        for _ in 0..20 {
            let t = window.t0() + (window.t1() - window.t0()) * draw.unit();
            let place = sampler.at(t);
            let point = place.apply(mover.solid.nearest(draw.direction() * 10.0));
            let slack = 4e-15 * (point.length() + place.at.length());
            let inside = (point + slack).cmpge(swept.low).all() && (point - slack).cmple(swept.high).all();
            assert!(inside, "{point} at {t} of {window:?} is outside {swept:?}: {mover:?}");
        }
    }
}
