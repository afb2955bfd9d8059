//! Deforming meshes with themselves, in all modes, with contacts at the start reported and left out.

use firsttouch::deformable::{Settings, Start};
use firsttouch::{Mode, Options};

use super::{Pin, compare, hash_of};
use crate::scenes::deforming::{Frames, folded_cloth};
use crate::scenes::exploding::{self, Explosion};
use crate::scenes::{cloth, planning};

#[test]
fn meshes_with_themselves() {
    let mut pins = Vec::new();
    let mut steps: Vec<(String, Frames)> =
        vec![("calm cloth".into(), folded_cloth(40, 0.3)), ("wild cloth".into(), folded_cloth(60, 3.0))];
    let draped = cloth::draped(6_000, 60, 6).unwrap();
    steps.extend(draped.into_iter().enumerate().map(|(k, frames)| (format!("draped cloth {k}"), frames)));
    let explosion = exploding::sequence(Explosion { triangles: 8_000, ..Explosion::default() }, 4).unwrap();
    let organs = planning::organs(0.5, 10, 0.4).unwrap();
    let bar = planning::bar_and_spheres(10, 0.4).unwrap();
    for (name, sequence) in [("explosion", explosion), ("organs", organs), ("bar", bar)] {
        let of_sequence = (0..sequence.steps()).filter_map(|k| sequence.step(k));
        steps.extend(of_sequence.enumerate().map(|(k, frames)| (format!("{name} {k}"), frames)));
    }
    for (name, frames) in steps {
        pin_frames(&name, &frames, &mut pins);
    }
    let touches = pins.iter().filter(|pin| pin.kind.starts_with("touch")).count();
    assert!(touches > 30 && pins.len() - touches > 20, "{touches} of {}", pins.len());
    compare("deforming", &pins);
}

fn pin_frames(name: &str, frames: &Frames, pins: &mut Vec<Pin>) {
    let meshes = [1, 8].map(|threads| frames.build(Settings { threads, ..Settings::default() }).unwrap());
    for (start_name, start) in [("reporting", Start::Report), ("ignoring", Start::Ignore)] {
        for (mode_name, mode) in [("first", Mode::First), ("any", Mode::Any), ("all", Mode::All)] {
            let [report, threaded] = [(1, &meshes[0]), (8, &meshes[1])].map(|(threads, mesh)| {
                mesh.check(&Options { mode, threads, ..Options::default() }, start).unwrap()
            });
            let question = format!("{name} {start_name} {mode_name}");
            assert_eq!(report, threaded, "{question}: 1 and 8 threads differ");
            let (stats, places) = (&report.stats, report.touches.iter().map(|touch| touch.points[0]));
            let counters = format!(
                "{} {} {} {} {} {} {:?} {:016x}",
                stats.vf_candidates,
                stats.ee_candidates,
                stats.vf_tested,
                stats.ee_tested,
                report.vf_touching,
                report.ee_touching,
                report.crossings_at_start,
                hash_of(&places.collect::<Vec<_>>()),
            );
            pins.push(Pin::of_answer(question, &report.answer, &["mesh"], counters));
        }
    }
}
