//! Certificates of the demo scenes, or of a robot's motions: sizes and times.
//!
//! `certify_all [SCENE..]`, or `certify_all --robot ROBOT.urdf ROBOT.srdf SCENE.toml WAYPOINTS.csv`. Where `OUT` is
//! set, the files are kept in that folder.

use std::path::Path;
use std::time::Instant;

use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::{Answer, Certificate, Options};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};
use firsttouch_verify::verify;

/// The file, and how long it took to make it, to write it and to verify it.
fn measured(
    make: impl Fn() -> firsttouch::Result<Certificate>,
) -> Result<(Certificate, String, [f64; 3]), String> {
    let timed = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let certificate = make().map_err(|error| error.to_string())?;
    let made = timed(start);
    let start = Instant::now();
    let mut file = String::new();
    certificate.write(&[], &mut file).map_err(|error| error.to_string())?;
    let written = timed(start);
    let start = Instant::now();
    verify(file.as_bytes()).map_err(|refusal| format!("{refusal:?}"))?;
    Ok((certificate, file, [made, written, timed(start)]))
}

fn keep(name: &str, file: &str) {
    if let Ok(folder) = std::env::var("OUT") {
        std::fs::write(format!("{folder}/{name}.ftc"), file).unwrap();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, urdf, srdf, scene, waypoints] = &arguments[..]
        && first == "--robot"
    {
        return robot([urdf, srdf, scene, waypoints].map(Path::new));
    }
    for model in firsttouch_scenes::all() {
        if !arguments.is_empty() && !arguments.iter().any(|name| name == model.name) {
            continue;
        }
        let scene = model.build().unwrap();
        let options = Options::default();
        let start = Instant::now();
        let until = scene.check(&options).unwrap().answer.free_until(1.0);
        let check = start.elapsed().as_secs_f64() * 1e3;
        match measured(|| scene.certify_until(until, &options)) {
            Err(why) => println!("{:15} check {check:.2} ms: {why}", model.name),
            Ok((certificate, file, [made, written, verified])) => {
                keep(model.name, &file);
                println!(
                    "{:15} until {:.6} of {until:.6}, check {check:.2} ms, made {made:.2}, written {written:.2}, verified {verified:.2}; {} nodes, {} kB",
                    model.name,
                    certificate.free_until(),
                    certificate.nodes(),
                    file.len() / 1000
                );
            }
        }
    }
}

fn robot([urdf, srdf, scene, waypoints]: [&Path; 4]) {
    let (robot, _) = read_robot(urdf, Some(srdf)).unwrap();
    let obstacles = build_scene(&read_scene(scene).unwrap(), scene).unwrap().bodies().to_vec();
    let waypoints = read_waypoints(waypoints, &read_urdf(urdf).unwrap()).unwrap();
    let columns: Vec<usize> = waypoints.joints.iter().map(|joint| robot.variable(joint).unwrap()).collect();
    let zero = robot.zero();
    let checker = Checker::new(robot, Pose::IDENTITY, obstacles).unwrap();
    let options = Options::default();
    let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
    for (k, ends) in waypoints.paths.iter().flat_map(|path| path.rows.windows(2)).enumerate() {
        let [from, to] = [&ends[0], &ends[1]].map(|row| {
            let mut values = zero.clone();
            columns.iter().zip(row).for_each(|(&column, &value)| values[column] = value);
            values
        });
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let start = Instant::now();
                checker.check_step(&from, &to, &options).unwrap();
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let answer = checker.check_step(&from, &to, &options).unwrap().answer;
        if let Answer::TouchingAtStart(_) = answer {
            continue;
        }
        // The second run: what meshes keep is made by the first.
        let _ = checker.certify_step(&from, &to, &options);
        match measured(|| checker.certify_step(&from, &to, &options)) {
            Err(why) => println!("{k:3}: {why}"),
            Ok((certificate, file, [made, written, verified])) => {
                keep(&format!("robot{k}"), &file);
                let check = times[4];
                let proof: usize =
                    file.lines().filter(|line| line.starts_with("{\"proof")).map(str::len).sum();
                println!(
                    "{k:3}: until {:.4}, check {check:.3} ms, made {made:.3} ({:.0}x), written {written:.3}, verified {verified:.3} ({:.0}x); {} nodes, {} kB, {} kB of them proof",
                    certificate.free_until(),
                    made / check,
                    verified / check,
                    certificate.nodes(),
                    file.len() / 1000,
                    proof / 1000
                );
                for (list, x) in
                    ratios.iter_mut().zip([made / check, (made + written) / check, verified / check])
                {
                    list.push(x);
                }
            }
        }
    }
    for (what, list) in ["made", "made and written", "verified"].into_iter().zip(&mut ratios) {
        list.sort_by(f64::total_cmp);
        println!(
            "{what}: median {:.1} times the check, largest {:.1}",
            list[list.len() / 2],
            list[list.len() - 1]
        );
    }
}
