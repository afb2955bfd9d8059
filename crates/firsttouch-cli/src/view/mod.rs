//! `firsttouch view`: an input with its answer as one page.
//!
//! The page is that of [`firsttouch_io::page`].
//! - `scene`, `path`, `deform`: for each kind of input, its reader and its query.
//! - `serve`: the page on this machine, made again when a file changes.
//! - `picture`: the page as a PNG file, by a Chromium that is installed.

mod deform;
mod path;
mod picture;
mod scene;
mod serve;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use firsttouch::{Answer, Options};
use firsttouch_io::page::{Caption, Document};
use firsttouch_io::{Files, RobotVisuals, ShapeFile};
use serde::Serialize;

use crate::answer::word;
use crate::args::{ModeArg, Shared, StartArg, ViewArgs};
use crate::input::{is_standard_input, read_scene};
use crate::output::{Failure, Status, clock, complain, print, print_json};
use crate::stop;
use scene::{Asked, name_of};

/// A document, and the files from which it is made.
struct Made {
    document: Document,
    /// The page is made again when one of these changes.
    watched: Vec<PathBuf>,
    /// The answers, one per run.
    answers: Vec<Answer>,
}

/// The input to show.
enum Input<'a> {
    Scene(&'a Path),
    Path([&'a Path; 2]),
    /// The path from `--from` to `--to`.
    Plan(&'a Path),
    Deform([&'a Path; 2]),
    Demo(&'static firsttouch_scenes::Model),
}

/// The JSON output for the written files.
#[derive(Serialize)]
struct WrittenJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    bytes: usize,
    answers: Vec<&'static str>,
}

pub(crate) fn run(args: &ViewArgs, shared: &Shared) -> Result<Status, Failure> {
    // A page proves nothing.
    stop::when_stopped(|_| Ok(Status::Free));
    let input = input(args)?;
    if args.out.is_none() && args.png.is_none() {
        return serve::run(args, shared, &input);
    }
    // This check comes before the work rather than after it.
    let browser = args.png.as_ref().map(|_| picture::browser()).transpose()?;
    let progress = clock("making the page".into());
    let made = make(&input, args, shared)?;
    let page = made.document.page();
    if let Some(file) = &args.out {
        firsttouch_io::save(file, |out| std::io::Write::write_all(out, page.as_bytes()))?;
    }
    if let (Some(file), Some(browser)) = (&args.png, &browser) {
        picture::take(browser, &page, file, args)?;
    }
    progress.finish_and_clear();
    let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let [page_file, picture] = [&args.out, &args.png].map(shown);
    if shared.json {
        let answers = made.answers.iter().map(word).collect();
        print_json(&WrittenJson { page: page_file, picture, bytes: page.len(), answers })?;
    } else {
        let megabytes = page.len() as f64 * 1e-6;
        let mut text = String::new();
        if let Some(file) = page_file {
            text += &format!("{}: {megabytes:.1} MB, {}\n", firsttouch_io::printable(&file), summary(&made));
        }
        if let Some(file) = picture {
            text += &format!("{}: {}\n", firsttouch_io::printable(&file), summary(&made));
        }
        print(&text)?;
    }
    Ok(Status::Free)
}

/// Returns the answers in a few words.
fn summary(made: &Made) -> String {
    match &made.answers[..] {
        [Answer::Touch(touch)] => format!("touch at t = {}", touch.toi),
        [Answer::TouchingAtStart(_)] => "touching at the start".into(),
        [answer] => word(answer).into(),
        answers => path::summary(answers),
    }
}

/// Returns the inputs by their names.
fn input(args: &ViewArgs) -> Result<Input<'_>, Failure> {
    if let Some(name) = &args.demo {
        let model = firsttouch_scenes::named(name).ok_or_else(|| {
            Failure::Other(format!(
                "there is no scene called \"{name}\"; `firsttouch demo --list` names them all"
            ))
        })?;
        return Ok(Input::Demo(model));
    }
    let serves = args.out.is_none() && args.png.is_none();
    if serves && args.inputs.iter().any(|path| is_standard_input(path)) {
        return Err(Failure::Other(
            "a page of standard input cannot be made again: --out or --png writes it once".into(),
        ));
    }
    let kind = |path: &Path| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "toml" | "json" => "scene",
            "urdf" | "xml" => "robot",
            "csv" => "waypoints",
            "obj" | "stl" | "ply" | "gltf" | "glb" | "dae" => "mesh",
            _ if is_standard_input(path) => "-",
            _ => "",
        }
    };
    let inputs: Vec<&Path> = args.inputs.iter().map(PathBuf::as_path).collect();
    let kinds: Vec<&str> = inputs.iter().map(|path| kind(path)).collect();
    let found = match (&inputs[..], &kinds[..]) {
        ([scene], ["scene"]) => Input::Scene(scene),
        ([scene], ["-"]) if args.from.is_none() => Input::Scene(scene),
        ([robot, waypoints], ["robot", "waypoints" | "-"] | ["-", "waypoints"]) => {
            Input::Path([robot, waypoints])
        }
        ([robot], ["robot" | "-"]) if args.from.is_some() => Input::Plan(robot),
        ([from, to], ["mesh", "mesh"]) => Input::Deform([from, to]),
        (_, kinds) => {
            let what = match kinds {
                ["robot"] => "a robot needs the waypoints of its paths too: ROBOT.urdf WAYPOINTS.csv; or --from and --to, between which a path is planned".into(),
                ["waypoints"] | ["waypoints", "robot"] => "waypoints come after their robot: ROBOT.urdf WAYPOINTS.csv".into(),
                ["mesh"] => "a mesh alone does not move: FROM TO are two frames of it, and a scene file gives it a motion".into(),
                ["scene", _] | [_, "scene"] => "a scene file is shown by itself; obstacles of a robot are --scene OBSTACLES.toml".into(),
                _ => {
                    let unknown = inputs.iter().zip(kinds).find(|(_, kind)| kind.is_empty());
                    let name = unknown.map(|(path, _)| format!("{}: ", path.display())).unwrap_or_default();
                    format!("{name}what to show is SCENE.toml, ROBOT.urdf WAYPOINTS.csv, or two frames of a mesh (.obj, .stl, .ply, .gltf, .glb, .dae)")
                }
            };
            return Err(Failure::Other(what));
        }
    };
    let is_path = matches!(found, Input::Path(_) | Input::Plan(_));
    if !is_path && (args.srdf.is_some() || args.scene.is_some()) {
        return Err(Failure::Other("--srdf and --scene are for ROBOT.urdf".into()));
    }
    if !is_path && args.course.words().next().is_some() {
        return Err(Failure::Other(
            "--interpolation, --padding, --link-padding and --base are for ROBOT.urdf".into(),
        ));
    }
    if args.from.is_some() && !matches!(found, Input::Plan(_)) {
        return Err(Failure::Other("--from and --to are for ROBOT.urdf without waypoints".into()));
    }
    if args.questions.gradient {
        return Err(Failure::Other(
            "--gradient has no picture: `check`, `path` and `deform` print it".into(),
        ));
    }
    if is_path && args.mode == ModeArg::All {
        return Err(Failure::Other("--mode all is for scenes and meshes; a path has first and any".into()));
    }
    if !matches!(found, Input::Deform(_)) && args.start == StartArg::Ignore {
        return Err(Failure::Other("--start is for two frames of a mesh".into()));
    }
    Ok(found)
}

/// Reads the input, runs the query, and makes the document.
fn make(input: &Input<'_>, args: &ViewArgs, shared: &Shared) -> Result<Made, Failure> {
    let files = args.bounds.files()?;
    let over = |options: Options| Options { mode: args.mode.into(), ..shared.over(options) };
    let named = |paths: [&Path; 2]| paths.map(name_of).join(" · ");
    let heading = |title: String, name: &str| Heading { title, command: command(name, args, shared) };
    match input {
        Input::Scene(path) => {
            let (file, path) = read_scene(&files, path)?;
            let options = over(file.options());
            let heading = heading(name_of(&path), "check");
            scene::of_file(&files, &file, &path, &options, args.questions, &heading)
        }
        Input::Path([robot, waypoints]) => {
            let heading = heading(named([robot, waypoints]), "path");
            path::of_files(&files, robot, Some(waypoints), args, &over, &heading)
        }
        Input::Plan(robot) => {
            path::of_files(&files, robot, None, args, &over, &heading(name_of(robot), "plan"))
        }
        Input::Deform(paths) => {
            let options = over(Options::default());
            deform::of_files(&files, *paths, args, &options, &heading(named(*paths), "deform"))
        }
        Input::Demo(model) => {
            let options = over(Options::default());
            let heading =
                Heading { title: model.name.into(), command: format!("firsttouch demo {}", model.name) };
            let asked = Asked { duration: 1.0, questions: args.questions };
            scene::of_scene(&model.build()?, HashMap::new(), &options, &asked, &heading)
        }
    }
}

/// The title of a page, and the command that gives the same answer as text.
struct Heading {
    title: String,
    command: String,
}

impl Heading {
    fn caption<'a>(&'a self, options: &'a Options) -> Caption<'a> {
        Caption { title: &self.title, command: Some(&self.command), options: Some(options) }
    }
}

/// Returns the command that gives the same answer as text.
fn command(name: &str, args: &ViewArgs, shared: &Shared) -> String {
    let mut words = vec!["firsttouch".to_string(), name.into()];
    words.extend(args.inputs.iter().map(|path| path.display().to_string()));
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
    };
    let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    option("--srdf", file(&args.srdf));
    option("--scene", file(&args.scene));
    // Quoted, because a configuration may contain spaces.
    let quoted = |text: &Option<String>| text.as_ref().map(|text| format!("\"{text}\""));
    option("--from", quoted(&args.from));
    option("--to", quoted(&args.to));
    option("--seed", (args.seed != 0).then(|| args.seed.to_string()));
    words.extend(args.course.words());
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
    };
    let mode = match args.mode {
        ModeArg::First => None,
        ModeArg::Any => Some("any".into()),
        ModeArg::All => Some("all".into()),
    };
    option("--mode", mode);
    option("--start", (args.start == StartArg::Ignore).then(|| "ignore".into()));
    for (name, asked) in [("--clearance", args.questions.clearance), ("--contacts", args.questions.contacts)]
    {
        words.extend(asked.then(|| name.to_string()));
    }
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
    };
    option("--tolerance", shared.tolerance.map(|value| value.to_string()));
    option("--min-separation", shared.min_separation.map(|value| value.to_string()));
    option("--max-iterations", shared.max_iterations.map(|value| value.to_string()));
    words.join(" ")
}

/// Reads the visuals of a robot; its files are added to the watched files. A visual that cannot be shown gives a
/// warning.
fn robot_files(files: &Files, urdf: &Path, watched: &mut Vec<PathBuf>) -> Result<RobotVisuals, Failure> {
    watched.push(urdf.to_path_buf());
    let robot = files.read_robot_file(urdf)?;
    for collision in robot.links.iter().flat_map(|link| &link.collisions) {
        if let ShapeFile::Mesh { path, .. } | ShapeFile::Hull { path, .. } = &collision.geometry {
            watched.push(path.clone());
        }
    }
    let visuals = files.read_visuals(urdf)?;
    for warning in &visuals.warnings {
        complain(&format!("warning: not shown: {warning}"));
    }
    Ok(visuals)
}
