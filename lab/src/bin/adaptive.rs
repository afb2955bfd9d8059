//! Where the time of an adaptive simulation's steps goes: the work of [`Simulated`] and of the stateless checker on the same steps.
//!
//! `cargo run --release -p firsttouch-lab --bin adaptive [STEPS] [M..]`

use std::time::Instant;

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::tree::TreeStats;
use firsttouch_lab::scenes::adaptive::all;

/// Adds the work of a step to a line.
fn add(line: &mut [f64; 9], work: &TreeStats, close: u64, touches: bool) {
    line[0] += close as f64;
    line[1] += work.opened as f64;
    line[2] += work.volume_pairs as f64;
    line[3] += work.piece_pairs as f64;
    line[4] += work.iterations as f64;
    line[5] += f64::from(u8::from(touches));
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let (steps, active) = match &numbers[..] {
        [steps, active @ ..] if !active.is_empty() => (*steps, active.to_vec()),
        [steps] => (*steps, vec![1, 29]),
        _ => (120, vec![1, 29]),
    };
    for scene in all()? {
        for &m in &active {
            let records = scene.record(m, 4 * steps)?;
            let first = records.iter().position(|record| record.until < 1.0).unwrap_or(records.len());
            let first = first.saturating_sub(3).min(records.len().saturating_sub(steps));
            let records = &records[first..(first + steps).min(records.len())];
            let robot = scene.linkage.robot();
            let checker = Checker::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone())?;
            // In microseconds: simulated, by its tree alone, stateless, and what the tree does before its exact stage.
            let mut least = vec![[f64::INFINITY; 4]; records.len()];
            let mut lines = [[0.0; 9]; 3];
            for pass in 0..5 {
                let start = records[0].from.clone();
                let fresh = Simulated::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone(), start)?;
                let mut engines = [fresh.clone(), fresh.by_tree_alone()];
                for (least, record) in least.iter_mut().zip(records) {
                    let options = record.options();
                    let mut again = engines[1].clone();
                    for (k, simulated) in engines.iter_mut().enumerate() {
                        let state = simulated.configuration();
                        let moved: Vec<Moved> = (0..state.len())
                            .filter(|&i| record.from[i] != record.to[i] || record.from[i] != state[i])
                            .map(|i| Moved { variable: i, from: record.from[i], to: record.to[i] })
                            .collect();
                        let begin = Instant::now();
                        let report = simulated.step(&moved, &options)?;
                        least[k] = least[k].min(begin.elapsed().as_secs_f64() * 1e6);
                        simulated.accept(record.until)?;
                        if k == 1 {
                            let begin = Instant::now();
                            again.close_pairs(&moved, &options)?;
                            least[3] = least[3].min(begin.elapsed().as_secs_f64() * 1e6);
                        }
                        if pass == 0 {
                            let touches = report.answer.touch().is_some();
                            add(&mut lines[k], &report.work, report.close_pairs, touches);
                            lines[k][6] += report.joints as f64;
                            lines[k][7] += report.culling.volumes as f64;
                            lines[k][8] += f64::from(u8::from(report.is_by_checker));
                        }
                    }
                    let begin = Instant::now();
                    let report = checker.check_step(&record.from, &record.to, &options)?;
                    least[2] = least[2].min(begin.elapsed().as_secs_f64() * 1e6);
                    if pass == 0 {
                        let touches = report.answer.touch().is_some();
                        add(&mut lines[2], &report.work, report.close_pairs, touches);
                    }
                }
            }
            let mean = |k: usize, touching: Option<bool>| {
                let chosen: Vec<f64> = least
                    .iter()
                    .zip(records)
                    .filter(|(_, record)| touching.is_none_or(|touching| touching == (record.until < 1.0)))
                    .map(|(least, _)| least[k])
                    .collect();
                chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
            };
            for (k, name) in ["simulated", "tree alone", "stateless"].into_iter().enumerate() {
                let [close, opened, volumes, pieces, iterations, touches, joints, balls, by_checker] =
                    lines[k].map(|sum| sum / records.len() as f64);
                println!(
                    "{:12} m {m:2} {name}: {:7.1} us (touching {:7.1}, free {:7.1}), before exact {:5.1}; close {close:.1} opened {opened:.1} nodes {volumes:.0} \
                     pieces {pieces:.1} iterations {iterations:.0} touches {touches:.2} joints {joints:.1} volumes {balls:.0} by checker {by_checker:.2}",
                    scene.name,
                    mean(k, None),
                    mean(k, Some(true)),
                    mean(k, Some(false)),
                    mean(3, None),
                );
            }
        }
    }
    Ok(())
}
