//! `firsttouch statement` and `--certificate`: the statement, and the file that proves it.

use std::fmt::Write as _;
use std::path::Path;

use firsttouch::{Ask, Certificate, Control, Options, Source, Statement};
use firsttouch_io::Files;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::args::{Shared, StatementArgs};
use crate::input::{read_robot_file, read_scene, read_waypoints};
use crate::output::{Failure, Status, complain, print, print_json};
use crate::path::{configurations, trajectories};
use crate::stop;
use crate::surroundings::Surroundings;

/// What `--json` says of a certificate that was written.
#[derive(Serialize)]
pub(crate) struct CertificateJson {
    file: String,
    /// The part of the time, from 0 to 1, for which it is.
    free_until: f64,
    nodes: usize,
    bytes: usize,
}

impl CertificateJson {
    /// Returns one line about it.
    pub(crate) fn text(&self) -> String {
        let CertificateJson { file, free_until, nodes, bytes } = self;
        let file = firsttouch_io::printable(file);
        format!("certificate: {file}, {bytes} bytes, {nodes} nodes, free for {free_until} of the time\n")
    }
}

/// Makes a certificate and writes it. A file of that name from before is removed first: if there is no certificate,
/// there is no file.
pub(crate) fn written(
    file: &Path,
    files: &Files,
    options: &Options,
    make: impl FnOnce(Ask<'_>) -> firsttouch::Result<Certificate>,
) -> Result<CertificateJson, Failure> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::Other(format!("{}: {error}", file.display())));
        }
        _ => {}
    }
    let interrupt = stop::interrupt();
    let control = Control { interrupt: Some(&interrupt), progress: None };
    let certificate = make(Ask::from(options).control(&control))?;
    let mut text = String::new();
    let sources = sources(files)?;
    certificate.write(&sources, &mut text).map_err(|error| Failure::Internal(error.to_string()))?;
    firsttouch_io::save(file, |out| std::io::Write::write_all(out, text.as_bytes()))?;
    Ok(CertificateJson {
        file: file.display().to_string(),
        free_until: certificate.free_until(),
        nodes: certificate.nodes(),
        bytes: text.len(),
    })
}

/// Returns the files that were read, with their hashes.
fn sources(files: &Files) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    for path in files.paths_read() {
        let bytes = files.read_bytes(&path)?;
        let mut sha256 = String::new();
        for byte in Sha256::digest(&bytes) {
            let _ = write!(sha256, "{byte:02x}");
        }
        sources.push(Source { file: path.display().to_string(), sha256 });
    }
    Ok(sources)
}

#[derive(Serialize)]
struct StatementJson {
    statement: Vec<serde_json::Value>,
}

pub(crate) fn run(args: &StatementArgs, shared: &Shared) -> Result<Status, Failure> {
    let files = args.bounds.files()?;
    let statement = match &args.inputs[..] {
        [scene] => of_scene(args, shared, &files, scene)?,
        [robot, waypoints] => of_path(args, shared, &files, [robot, waypoints])?,
        _ => return Err(Failure::Other("a scene, or a robot and its waypoints".into())),
    };
    let text = statement.to_string();
    if shared.json {
        let values: Result<_, _> = text.lines().map(serde_json::from_str).collect();
        let statement = values.map_err(|error: serde_json::Error| Failure::Internal(error.to_string()))?;
        print_json(&StatementJson { statement })?;
    } else {
        print(&text)?;
    }
    Ok(Status::Free)
}

fn of_scene(
    args: &StatementArgs,
    shared: &Shared,
    files: &Files,
    scene: &Path,
) -> Result<Statement, Failure> {
    let (file, path) = read_scene(files, scene)?;
    let (mut scene, warnings) = files.build_scene(&file, path)?;
    if !args.resting {
        firsttouch_io::leave_out_resting(&mut scene);
    }
    warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    Ok(scene.statement(&shared.over(file.options()))?)
}

fn of_path(
    args: &StatementArgs,
    shared: &Shared,
    files: &Files,
    [robot, waypoints]: [&Path; 2],
) -> Result<Statement, Failure> {
    let file = read_robot_file(files, robot)?;
    let (waypoints, waypoint_file) = read_waypoints(files, waypoints, &file)?;
    let (robot, scenery, warnings) = files.robot_and_scenery(&file, args.srdf.as_deref())?;
    warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let surroundings =
        Surroundings::read(files, &file, (robot, &scenery), args.scene.as_deref(), &args.course.stance)?;
    if !surroundings.grasps.is_empty() {
        return Err(Failure::Other("there is no certificate of bodies that are taken up on the way".into()));
    }
    let options = Options { t_max: 1.0, ..shared.over(surroundings.options) };
    let along = trajectories(args.course.interpolation.into(), &surroundings, &waypoints, &waypoint_file)?;
    let checker = &surroundings.checker;
    let paths = configurations(checker.robot(), &waypoints, &waypoint_file)?;
    let [path] = &paths[..] else { return Err(several(paths.len())) };
    Ok(match along.as_deref() {
        Some([trajectory, ..]) => checker.statement_along(trajectory, &options)?,
        _ => checker.statement_of_path(path, &options)?,
    })
}

/// Returns the error for a file of several paths.
pub(crate) fn several(count: usize) -> Failure {
    Failure::Other(format!("a certificate is about one path, and the file has {count}"))
}
