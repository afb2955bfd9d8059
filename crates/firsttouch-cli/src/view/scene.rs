//! A scene as a document: the answer of `firsttouch check` as a page.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use firsttouch::{Mode, Options, Scene};
use firsttouch_io::page::{ClearanceCurve, ScenePage, Told, ToldPair, scene_stats};
use firsttouch_io::{BodyKind as FileKind, Files, RobotVisuals, SceneFile, ShapeFile};

use super::{Heading, Made, robot_files};
use crate::args::QuestionArgs;
use crate::output::{Failure, complain};

/// Returns the document of a scene file, with the files that it is made of.
pub(super) fn of_file(
    files: &Files,
    file: &SceneFile,
    path: &Path,
    options: &Options,
    questions: QuestionArgs,
    heading: &Heading,
) -> Result<Made, Failure> {
    let (mut scene, warnings) = files.build_scene(file, path)?;
    firsttouch_io::leave_out_resting(&mut scene);
    for warning in warnings {
        complain(&format!("warning: {warning}"));
    }
    let mut watched = vec![path.to_path_buf()];
    let mut visuals: HashMap<&str, RobotVisuals> = HashMap::new();
    for body in &file.bodies {
        match &body.kind {
            FileKind::Rigid { shape, .. } | FileKind::Attached { shape, .. } => {
                watched.extend(files_of(shape));
            }
            FileKind::Deformable { from, to } => watched.extend([from.clone(), to.clone()]),
            FileKind::Robot { urdf, srdf, path, .. } => {
                watched.extend(srdf.clone());
                watched.extend(path.as_ref().map(|path| path.file.clone()));
                visuals.insert(&body.name, robot_files(files, urdf, &mut watched)?);
            }
        }
    }
    let shown = Asked { duration: file.duration.unwrap_or(1.0), questions };
    let mut made = of_scene(&scene, visuals, options, &shown, heading)?;
    made.watched = watched;
    Ok(made)
}

/// Returns the files of a shape.
fn files_of(shape: &ShapeFile) -> Vec<PathBuf> {
    match shape {
        ShapeFile::Mesh { path, .. }
        | ShapeFile::Hull { path, .. }
        | ShapeFile::SolidMesh { path, .. }
        | ShapeFile::Points { path, .. }
        | ShapeFile::Octree { path }
        | ShapeFile::HeightField { path, .. } => vec![path.clone()],
        ShapeFile::Compound { pieces } => pieces.iter().flat_map(|(shape, _)| files_of(shape)).collect(),
        ShapeFile::Cover { shape, .. } => files_of(shape),
        _ => Vec::new(),
    }
}

/// The additions to the answer, and the clock.
pub(super) struct Asked {
    /// The duration of the time from 0 to 1.
    pub(super) duration: f64,
    pub(super) questions: QuestionArgs,
}

/// Returns the document of a scene.
pub(super) fn of_scene(
    scene: &Scene,
    visuals: HashMap<&str, RobotVisuals>,
    options: &Options,
    asked: &Asked,
    heading: &Heading,
) -> Result<Made, Failure> {
    let report = scene.check(options)?;
    let pairs = (options.mode == Mode::All).then(|| ToldPair::of_report(scene, &report, options));
    let clearance = asked.questions.clearance.then(|| ClearanceCurve::of_scene(scene, options));
    let touch = report.answer.touch().filter(|_| asked.questions.contacts);
    let contacts = touch.map(|touch| scene.contacts(touch.toi, options));
    let page = ScenePage {
        t_max: options.t_max,
        duration: asked.duration,
        visuals,
        pairs: pairs.transpose()?,
        clearance: clearance.transpose()?.flatten(),
        contacts: contacts.transpose()?,
        stats: scene_stats(report.stats),
        ..ScenePage::new(scene, Told::new(&report.answer, scene))
    };
    let document = page.document(&heading.caption(options));
    Ok(Made { document, watched: Vec::new(), answers: vec![report.answer.over(asked.duration)] })
}

/// Returns the file from which a scene is read, and its name on the page.
pub(crate) fn name_of(path: &Path) -> String {
    let name: PathBuf = path.file_name().map(PathBuf::from).unwrap_or_else(|| path.to_path_buf());
    name.display().to_string()
}
