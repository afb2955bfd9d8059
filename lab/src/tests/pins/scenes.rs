//! Every scene of the catalogue in three modes, on 1 and on 8 threads, with its other queries.

use firsttouch::{Mode, Options, Scene};

use super::{Pin, compare, hash_of};
use crate::scenes;

#[test]
fn scenes_of_the_catalogue() {
    let mut pins = Vec::new();
    for model in scenes::all() {
        pin_scene(model.name, &model.build().unwrap(), &mut pins);
    }
    compare("scenes", &pins);
}

/// Pins the answers of a scene in all modes, the same on 1 and on 8 threads.
pub(super) fn pin_scene(name: &str, scene: &Scene, pins: &mut Vec<Pin>) {
    let names: Vec<&str> = scene.bodies().iter().map(|body| body.name()).collect();
    for (mode_name, mode) in [("first", Mode::First), ("any", Mode::Any), ("all", Mode::All)] {
        let options = Options { mode, threads: 1, ..Options::default() };
        let report = scene.check(&options).unwrap();
        let threaded = scene.check(&Options { threads: 8, ..options }).unwrap();
        assert_eq!(report, threaded, "{name}, {mode_name}: 1 and 8 threads differ");
        let stats = &report.stats;
        let counters = format!(
            "{} {} {} {} {} {} {} {} {}",
            stats.pairs,
            stats.boxes_apart,
            stats.advanced,
            stats.later,
            stats.part_pairs,
            stats.volume_pairs,
            stats.piece_pairs,
            stats.iterations,
            stats.not_followed,
        );
        let question = format!("{name} {mode_name}");
        pins.push(Pin::of_answer(question.clone(), &report.answer, &names, counters));
        for pair in report.pairs.iter().take(40) {
            let [a, b] = pair.bodies.map(|i| names[i]);
            pins.push(Pin::of_answer(format!("{question} {a} {b}"), &pair.answer, &names, String::new()));
        }
    }
    pin_distances(name, scene, &names, pins);
}

/// Pins the least distance over time and in the middle, and the contacts at the first touch.
fn pin_distances(name: &str, scene: &Scene, names: &[&str], pins: &mut Vec<Pin>) {
    // Scenes with very many parts are measured elsewhere: a query takes seconds.
    if scene.bodies().len() > 100 || name == "scan" {
        return;
    }
    let options = Options { tolerance: 1e-3, ..Options::default() };
    let distances = [
        ("clearance", scene.clearance(&options).unwrap()),
        ("distance", scene.distance_at(0.5, &options).unwrap()),
    ];
    for (question, found) in distances {
        let Some(found) = found else { continue };
        let [a, b] = found.bodies.map(|i| names[i]);
        let hash = hash_of(&[found.points[0], found.points[1], found.normal]);
        pins.push(Pin {
            name: format!("{name} {question}"),
            kind: format!("{a}, {b}; tight: {}", found.is_tight),
            bits: format!("{:?} {:?} {:?} {hash:016x}", found.lower, found.upper, found.t),
            counters: String::new(),
        });
    }
    let Some(toi) = scene.check(&Options::default()).unwrap().answer.touch().map(|touch| touch.toi) else {
        return;
    };
    let contacts = scene.contacts(toi, &Options::default()).unwrap();
    let places: Vec<_> = contacts.iter().flat_map(|c| [c.points[0], c.points[1], c.normal]).collect();
    pins.push(Pin {
        name: format!("{name} contacts"),
        kind: format!("{}", contacts.len()),
        bits: format!("{:016x}", hash_of(&places)),
        counters: String::new(),
    });
}
