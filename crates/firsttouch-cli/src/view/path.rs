//! The paths of a robot as a document: what `firsttouch path` answers, shown.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use firsttouch::articulated::Phase;
use firsttouch::{Answer, Options};
use firsttouch_io::Files;
use firsttouch_io::page::{ClearanceCurve, PathPage, PathRun, Told};

use super::{Heading, Made, robot_files};
use crate::args::ViewArgs;
use crate::input::{is_standard_input, read_robot_file, read_waypoints};
use crate::leg::{Leg, least, leg_of};
use crate::output::{Failure, complain};
use crate::path::{configurations, refuse_with_grasps, trajectories};
use crate::plan::shown_waypoints;
use crate::surroundings::Surroundings;

/// Returns the document of a robot file and its waypoints; without waypoints, of the path that is planned from `--from`
/// to `--to`.
pub(super) fn of_files(
    files: &Files,
    robot: &FilePath,
    waypoints: Option<&FilePath>,
    args: &ViewArgs,
    over: &dyn Fn(Options) -> Options,
    heading: &Heading,
) -> Result<Made, Failure> {
    let file = read_robot_file(files, robot)?;
    let rows = waypoints.map(|waypoints| read_waypoints(files, waypoints, &file)).transpose()?;
    let mut watched = vec![robot.to_path_buf()];
    watched.extend(waypoints.map(FilePath::to_path_buf));
    watched.extend(args.srdf.iter().chain(&args.scene).cloned());
    let visuals =
        if is_standard_input(robot) { Default::default() } else { robot_files(files, robot, &mut watched)? };
    let (built, scenery, warnings) = files.robot_and_scenery(&file, args.srdf.as_deref())?;
    for warning in warnings.iter().chain(rows.iter().flat_map(|(rows, _)| &rows.warnings)) {
        complain(&format!("warning: {warning}"));
    }
    let surroundings =
        Surroundings::read(files, &file, (built, &scenery), args.scene.as_deref(), &args.course.stance)?;
    // A path goes to its end. A time limit in the scene does not apply to it.
    let options = Options { t_max: 1.0, ..over(surroundings.options) };
    options.validate()?;
    if let Some((rows, file)) = &rows
        && let Some(warning) = rows.unused_velocities(args.course.interpolation.into(), file)
    {
        complain(&format!("warning: {warning}"));
    }
    let (paths, trajectories) = match rows {
        Some((rows, file)) => (
            configurations(surroundings.checker.robot(), &rows, &file)?,
            trajectories(args.course.interpolation.into(), &surroundings, &rows, &file)?,
        ),
        None => {
            let ends = [&args.from, &args.to].map(|end| end.as_deref().unwrap_or_default());
            (vec![shown_waypoints(&surroundings.checker, ends, args.seed, options)?], None)
        }
    };
    let Surroundings { checker, grasps, .. } = surroundings;
    if !grasps.is_empty() {
        refuse_with_grasps(&[("--gradient", args.questions.gradient)])?;
    }
    let phases = paths.iter().map(|path| checker.phases(path, &grasps));
    let phases = phases.collect::<firsttouch::Result<Vec<Vec<Phase>>>>()?;
    let (mut runs, mut answers) = (Vec::new(), Vec::new());
    for (index, (path, phases)) in paths.iter().zip(&phases).enumerate() {
        let trajectory = trajectories.as_ref().map(|all| &all[index]);
        let legs = Leg::of_path(path, trajectory, phases)?;
        let Found { answer, segment, checked } = first_of(&legs, &options)?;
        let there = segment.and_then(|k| leg_of(&legs, k));
        let clearance =
            args.questions.clearance.then(|| clearance_curve(&legs, path.len() - 1, &options)).transpose()?;
        let touch = there.zip(segment).zip(answer.touch()).filter(|_| args.questions.contacts);
        let contacts = touch.map(|((leg, k), touch)| leg.contacts(k, touch.toi, (&options).into()));
        let count = path.len().saturating_sub(1) as u64;
        runs.push(PathRun {
            trajectory,
            phases,
            clearance: clearance.flatten(),
            contacts: contacts.transpose()?,
            stats: BTreeMap::from([("segments".into(), count), ("segments_checked".into(), checked as u64)]),
            ..PathRun::new(path, Told::new(&answer, there.map_or(&checker, |leg| leg.checker)), segment)
        });
        answers.push(answer);
    }
    let page = PathPage { checker: &checker, visuals: &visuals, runs };
    Ok(Made { document: page.document(&heading.caption(&options))?, watched, answers })
}

/// The answer of a path: that of its first segment that is not free.
struct Found {
    answer: Answer,
    segment: Option<usize>,
    checked: usize,
}

/// Checks one leg after the other, up to the first that is not free.
fn first_of(legs: &[Leg<'_>], options: &Options) -> Result<Found, Failure> {
    let mut checked = 0;
    for leg in legs {
        let report = leg.check(options.into(), |_, _| ())?;
        checked += report.checked;
        if report.segment.is_some() {
            return Ok(Found { answer: report.answer, segment: report.segment, checked });
        }
    }
    Ok(Found { answer: Answer::Free, segment: None, checked })
}

/// Returns the least distance over time.
fn clearance_curve(
    legs: &[Leg<'_>],
    segments: usize,
    options: &Options,
) -> Result<Option<ClearanceCurve>, Failure> {
    let Some((_, found)) = least(legs, options)? else { return Ok(None) };
    let distance = |segment: usize, t: f64| match leg_of(legs, segment) {
        Some(leg) => leg.distance_at(segment, t, options.into()),
        None => Ok(None),
    };
    Ok(Some(ClearanceCurve::of_path(found, segments, options.t_max, distance)?))
}

/// Returns the numbers of free, touching and undecided answers as a line of text.
pub(crate) fn summary(answers: &[Answer]) -> String {
    let free = answers.iter().filter(|answer| **answer == Answer::Free).count();
    let touching = answers.iter().filter(|answer| answer.touch().is_some()).count();
    format!("{free} free, {touching} touching, {} undecided", answers.len() - free - touching)
}
