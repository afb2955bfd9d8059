//! The scenes run: nothing penetrates, the energy falls, and every run is the same.

use super::*;

/// Returns the scenes at a tenth of their size.
fn small() -> Vec<AdaptiveScene> {
    vec![wooden_men(1_600).unwrap(), pendulum(1_600).unwrap(), falling_man(1_600, 4_400).unwrap()]
}

/// In every frame the given number of joints moves, the energy never grows, no time is skipped, and the configuration
/// is free with the separation of the check.
#[test]
fn scenes_behave() {
    for scene in small() {
        let robot = scene.linkage.robot().clone();
        let checker = Checker::new(robot, Pose::IDENTITY, scene.obstacles.clone()).unwrap();
        for active in [6, usize::MAX] {
            let mut simulation = scene.simulation(active).unwrap();
            let joints = simulation.linkage().joints();
            let mut first_touch = |step: &StepRecord, options: &Options| {
                Ok(checker.check_step(&step.from, &step.to, options)?.answer)
            };
            let (mut touches, mut energy) = (0, simulation.energy());
            let first = energy;
            for _ in 0..45 {
                let report = simulation.step(&mut first_touch).unwrap();
                touches += report.touches;
                assert!(simulation.energy() <= energy + 1e-11 * first.abs(), "{}", scene.name);
                energy = simulation.energy();
                assert_eq!(report.skipped, 0.0, "{}", scene.name);
                assert_eq!(
                    joints.iter().filter(|&&i| simulation.active()[i]).count(),
                    active.min(joints.len())
                );
                let kept = report.records.iter().map(|record| record.min_separation).fold(f64::MAX, f64::min);
                let options =
                    Options { min_separation: 0.5 * kept, tolerance: 0.2 * kept, ..Options::default() };
                let here = simulation.configuration();
                let answer = checker.check_step(here, here, &options).unwrap().answer;
                assert_eq!(answer, Answer::Free, "{}", scene.name);
            }
            assert!(touches > 4 && energy < first, "{}: {touches} touches", scene.name);
            assert!(!simulation.is_asleep());
        }
    }
}

/// A record begins where the one before ended, and `moved` is enough to follow the simulation.
#[test]
fn records_follow_each_other_and_are_the_same_every_time() {
    for scene in small() {
        let records = scene.record(8, 60).unwrap();
        assert_eq!(records.len(), 60);
        assert_eq!(records, scene.record(8, 60).unwrap());
        let mut place = scene.start.clone();
        for record in &records {
            assert_eq!(record.from, place);
            assert_ne!(record.from, record.to);
            for &(variable, from, to) in &record.moved {
                assert_eq!(place[variable], from);
                place[variable] = to;
            }
            assert_eq!(record.to, place);
            place = scene.linkage.between(&record.from, &record.to, record.until);
        }
        assert!(records.iter().any(|record| record.until < 1.0), "{}", scene.name);
    }
}

/// If all joints are rigid, a man is one body.
#[test]
fn a_rigid_man_is_one_body() {
    let scene = falling_man(800, 1_000).unwrap();
    let records = scene.record(0, 30).unwrap();
    assert!(records.iter().all(|record| record.moved.len() == 7));
}

#[test]
fn frames_have_everything() {
    let scene = falling_man(800, 1_000).unwrap();
    let frames = scene.frames(5, 3).unwrap();
    assert_eq!(frames.len(), 3);
    assert!(frames.iter().all(|frame| frame.triangles.len() == scene.triangles() + scene.static_triangles()));
    assert_ne!(frames[0].positions, frames[2].positions);
}
