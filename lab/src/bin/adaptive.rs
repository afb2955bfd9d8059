//! Where the time of an adaptive simulation's steps goes: the work of [`Simulated`] and of the stateless checker on the same steps.
//!
//! `cargo run --release -p firsttouch-lab --bin adaptive [STEPS] [M..]`

use std::time::Instant;

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch_lab::scenes::adaptive::all;

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
            let mut least = vec![[f64::INFINITY; 3]; records.len()];
            let mut lines = [[0.0; 8]; 2];
            for pass in 0..5 {
                let start = records[0].from.clone();
                let mut simulated =
                    Simulated::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone(), start)?;
                for (least, record) in least.iter_mut().zip(records) {
                    let options = record.options();
                    let state = simulated.configuration();
                    let moved: Vec<Moved> = (0..state.len())
                        .filter(|&i| record.from[i] != record.to[i] || record.from[i] != state[i])
                        .map(|i| Moved { variable: i, from: record.from[i], to: record.to[i] })
                        .collect();
                    let begin = Instant::now();
                    let report = simulated.step(&moved, &options)?;
                    least[0] = least[0].min(begin.elapsed().as_secs_f64() * 1e6);
                    let begin = Instant::now();
                    let stateless = checker.check_step(&record.from, &record.to, &options)?;
                    least[1] = least[1].min(begin.elapsed().as_secs_f64() * 1e6);
                    let begin = Instant::now();
                    simulated.close_pairs(&moved, &options)?;
                    least[2] = least[2].min(begin.elapsed().as_secs_f64() * 1e6);
                    simulated.step(&moved, &options)?;
                    simulated.accept(record.until)?;
                    if pass == 0 {
                        for (line, (work, close, touch)) in lines.iter_mut().zip([
                            (report.work, report.close_pairs, report.answer.touch().is_some()),
                            (stateless.work, stateless.close_pairs, stateless.answer.touch().is_some()),
                        ]) {
                            line[0] += close as f64;
                            line[1] += work.opened as f64;
                            line[2] += work.volume_pairs as f64;
                            line[3] += work.piece_pairs as f64;
                            line[4] += work.iterations as f64;
                            line[5] += f64::from(u8::from(touch));
                        }
                        lines[0][6] += report.joints as f64;
                        lines[0][7] += report.culling.volumes as f64;
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
            for (k, name) in ["simulated", "stateless"].into_iter().enumerate() {
                let [close, opened, volumes, pieces, iterations, touches, joints, balls] =
                    lines[k].map(|sum| sum / records.len() as f64);
                println!(
                    "{:12} m {m:2} {name}: {:7.1} us (touching {:7.1}, free {:7.1}), before exact {:5.1}; close {close:.1} opened {opened:.1} nodes {volumes:.0} \
                     pieces {pieces:.1} iterations {iterations:.0} touches {touches:.2} joints {joints:.1} volumes {balls:.0}",
                    scene.name,
                    mean(k, None),
                    mean(k, Some(true)),
                    mean(k, Some(false)),
                    mean(2, None),
                );
            }
        }
    }
    Ok(())
}
