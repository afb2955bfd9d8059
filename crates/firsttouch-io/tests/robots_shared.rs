//! Real arms in real scenes, if the folder with them lies beside the checkout: a sample of their segments in both modes
//! is compared with the reference, which was sampled. Never a miss, never late, never a touch where there is none.

use std::path::Path;

use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::{Answer, Mode, Options};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};

/// Judges every `stride`-th segment of a problem, and returns how many touched.
fn judge(data: &Path, robot: &str, problem: &str, stride: usize) -> usize {
    let folder = data.join("robots").join(robot);
    let urdf = folder.join(format!("{robot}.urdf"));
    let (described, _) = read_robot(&urdf, Some(&folder.join(format!("{robot}.srdf")))).unwrap();
    let scene = folder.join(format!("{problem}.toml"));
    let obstacles = build_scene(&read_scene(&scene).unwrap(), &scene).unwrap().bodies().to_vec();
    let waypoints =
        read_waypoints(&folder.join(format!("{problem}.csv")), &read_urdf(&urdf).unwrap()).unwrap();
    let truth = data.join("truth/robots").join(robot).join(format!("{problem}.json"));
    let truth = std::fs::read_to_string(truth).unwrap();
    let records: Vec<&str> = truth.split('{').skip(1).collect();
    let columns: Vec<usize> =
        waypoints.joints.iter().map(|joint| described.variable(joint).unwrap()).collect();
    let configuration = |row: &Vec<f64>| {
        let mut values = described.zero();
        for (&column, &value) in columns.iter().zip(row) {
            values[column] = value;
        }
        values
    };
    let steps = waypoints.paths.iter().flat_map(|path| path.rows.windows(2));
    let steps: Vec<[Vec<f64>; 2]> =
        steps.map(|ends| [configuration(&ends[0]), configuration(&ends[1])]).collect();
    assert_eq!(steps.len(), records.len());
    let checker = Checker::new(described, Pose::IDENTITY, obstacles).unwrap();
    let mut touching = 0;
    for (k, ([from, to], record)) in steps.iter().zip(records).enumerate().step_by(stride) {
        let number = |name: &str| -> Option<f64> {
            let (_, rest) = record.split_once(&format!("\"{name}\": "))?;
            rest.split([',', '}']).next()?.trim().parse().ok()
        };
        let is_hit = record.contains("\"hit\": true");
        for mode in [Mode::First, Mode::Any] {
            let options = Options { mode, ..Options::default() };
            let answer = checker.check_step(from, to, &options).unwrap().answer;
            let what = format!("{robot} {problem} segment {k} {mode:?}: {answer:?}");
            assert!(!matches!(answer, Answer::Undecided { .. }), "{what}");
            match answer.touch() {
                None => assert!(!is_hit, "missed: {what}"),
                Some(touch) => {
                    touching += usize::from(mode == Mode::First);
                    assert!(touch.gap <= options.tolerance, "{what}");
                    if mode == Mode::First && is_hit {
                        assert!(touch.toi <= number("t_hit").unwrap(), "late: {what}");
                    }
                    let distance = number("min_distance_lower").unwrap_or(0.0);
                    assert!(is_hit || distance <= options.tolerance, "false: {what}");
                }
            }
        }
    }
    touching
}

/// Generated arms are judged in the same way by the tests of the core, `articulated` and `robot_adversarial`.
#[test]
fn real_arms_against_their_reference() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.join("robots").is_dir() {
        return skipped("real_arms_against_their_reference");
    }
    let mut touching = 0;
    for k in [1, 5, 9, 13] {
        touching += judge(&data, "panda", &format!("bookshelf_small/{k}"), 1);
        touching += judge(&data, "panda", &format!("table_pick/{k}"), 1);
    }
    touching += judge(&data, "ur5", "table_pick/3", 1);
    touching += judge(&data, "ur5", "table_pick/11", 2);
    assert!(touching > 30, "the sample is too easy: {touching}");
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}
