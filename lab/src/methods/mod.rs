//! Each paper's own method on files of a user, beside the product's answers:
//! `cargo run --release -p firsttouch-lab --bin methods`.
//!
//! 1. [`Input::read`] finds the kind of the input by its files: a scene, a robot with waypoints, or two frames of a
//!    mesh.
//! 2. Every method that applies to this kind gets the input, and so does the product, with the same options.
//!    [`Comparison::left_out`] lists the inputs that a method cannot take, with the reason.
//! 3. [`Row::agreement`] says if the tolerance allows both answers.
//!
//! An answer is allowed if its time of touch is not before the first time at which the gap is
//! `min_separation + tolerance`, and not after the first at which it is `min_separation`. Two checks of the product
//! with a tolerance that is 10,000 times smaller bound these times. They are only made if the two answers differ by
//! more than `SAME_TIME`.

mod frames;
mod robot;
mod scene;
mod table;

use std::path::{Path, PathBuf};

use firsttouch::{Answer, Options};

use crate::papers::timed;

pub use frames::FramePair;
pub use robot::RobotMotions;
pub use scene::SceneInput;

/// The reason why a comparison cannot be made, in words for the user.
pub type Failure = Box<dyn std::error::Error>;

/// The result type of a comparison.
pub type Result<T> = std::result::Result<T, Failure>;

/// Times of touch that differ by less are the same, in parts of the step. Larger differences are judged by the
/// tolerance.
const SAME_TIME: f64 = 1e-9;

/// The methods by name, with the input that each takes.
pub const METHODS: [(&str, &str); 5] = [
    ("contact", "a scene: every pair of meshes, on the contact screw between its first and last poses"),
    ("ellipsoids", "a scene: every pair of ellipsoids in rational motions"),
    ("catch", "a robot with waypoints: Taylor models, dynamic boxes, trees of hulls, directed bounds"),
    ("adaptive", "a robot with waypoints: the assembly tree with intervals"),
    ("local-advancement", "two frames of a mesh: local advancement, and the cubic solver"),
];

/// The files of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// One scene, a robot and its waypoints, or two frames.
    pub inputs: Vec<PathBuf>,
    /// The SRDF file of a robot.
    pub srdf: Option<PathBuf>,
    /// The scene with the obstacles of a robot.
    pub scene: Option<PathBuf>,
}

/// The input.
pub enum Input {
    /// Bodies in motion.
    Scene(SceneInput),
    /// A robot, its obstacles and its motions.
    Robot(RobotMotions),
    /// Two frames of one mesh.
    Frames(FramePair),
}

impl Input {
    /// Reads the files. Returns an error with advice if they are none of the three kinds of input.
    pub fn read(files: &Files) -> Result<Input> {
        let extension = |path: &Path| {
            path.extension().map_or(String::new(), |extension| extension.to_string_lossy().to_lowercase())
        };
        let is_robot = |path: &Path| ["urdf", "xml"].contains(&&*extension(path));
        let for_robots = files.srdf.is_some() || files.scene.is_some();
        match &files.inputs[..] {
            [scene] if ["toml", "json"].contains(&&*extension(scene)) && !for_robots => {
                Ok(Input::Scene(SceneInput::read(scene)?))
            }
            [robot] if is_robot(robot) => Err(format!(
                "{}: a robot needs a file with its waypoints: methods {} WAYPOINTS.csv",
                robot.display(),
                robot.display()
            )
            .into()),
            [robot, waypoints] if is_robot(robot) => {
                let (srdf, scene) = (files.srdf.as_deref(), files.scene.as_deref());
                Ok(Input::Robot(RobotMotions::read(robot, waypoints, srdf, scene)?))
            }
            [from, to] if !for_robots && [from, to].iter().all(|path| is_mesh(&extension(path))) => {
                Ok(Input::Frames(FramePair::read(from, to)?))
            }
            [] => Err("no input: give a scene, a robot and its waypoints, or two frames of a mesh; see --help".into()),
            _ => Err("give one scene (SCENE.toml), a robot and its waypoints (ROBOT.urdf WAYPOINTS.csv, with --srdf and --scene), or two \
                      frames of one mesh (FROM.obj TO.obj); see --help"
                .into()),
        }
    }

    /// Compares the methods that apply, or only the one of this name. Returns an error if that one does not apply, or
    /// if none does.
    pub fn compare(&self, only: Option<&str>) -> Result<Comparison> {
        let methods: &[(&str, Method)] = match self {
            Input::Scene(_) => &[
                ("contact", |input, out| match input {
                    Input::Scene(scene) => scene.contact(out),
                    _ => Ok(()),
                }),
                ("ellipsoids", |input, out| match input {
                    Input::Scene(scene) => scene.ellipsoids(out),
                    _ => Ok(()),
                }),
            ],
            Input::Robot(_) => &[
                ("catch", |input, out| match input {
                    Input::Robot(robot) => robot.catch(out),
                    _ => Ok(()),
                }),
                ("adaptive", |input, out| match input {
                    Input::Robot(robot) => robot.adaptive(out),
                    _ => Ok(()),
                }),
            ],
            Input::Frames(_) => &[("local-advancement", |input, out| match input {
                Input::Frames(frames) => frames.local_advancement(out),
                _ => Ok(()),
            })],
        };
        if let Some(only) = only
            && methods.iter().all(|(name, _)| *name != only)
        {
            let takes = METHODS.iter().find(|(name, _)| *name == only).map(|(_, takes)| *takes);
            return Err(match takes {
                Some(takes) => format!("{only} takes {takes}"),
                None => {
                    let names: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
                    format!("there is no method \"{only}\"; the methods are {}", names.join(", "))
                }
            }
            .into());
        }
        let mut out = Comparison::default();
        for (name, method) in methods.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
            if let Err(reason) = method(self, &mut out) {
                out.left_out.push(format!("{name}: {reason}"));
            }
        }
        if out.rows.is_empty() {
            return Err(format!("no method applies.\n{}", out.left_out.join("\n")).into());
        }
        Ok(out)
    }
}

type Method = fn(&Input, &mut Comparison) -> Result<()>;

fn is_mesh(extension: &str) -> bool {
    ["obj", "stl", "ply", "off", "dae", "gltf", "glb"].contains(&extension)
}

/// The rows of a comparison, and the inputs that were left out.
#[derive(Debug, Default)]
pub struct Comparison {
    /// One row for each input of each method.
    pub rows: Vec<Row>,
    /// The inputs that a method did not take, with the reason.
    pub left_out: Vec<String>,
    /// Changes of the input for a method, for both sides alike.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Adds a reason, once.
    fn leave_out(&mut self, reason: String) {
        if !self.left_out.contains(&reason) {
            self.left_out.push(reason);
        }
    }

    /// Returns the number of rows with an answer that the tolerance does not allow.
    pub fn disagreements(&self) -> usize {
        self.rows.iter().filter(|row| matches!(row.agreement, Agreement::Differ(_))).count()
    }
}

/// One input for both sides.
#[derive(Debug)]
pub struct Row {
    /// The name of the method.
    pub method: &'static str,
    /// The pair of bodies, the segment or the query.
    pub input: String,
    /// The paper's method.
    pub paper: Decided,
    /// The product.
    pub product: Decided,
    /// The judgement of the two answers.
    pub agreement: Agreement,
}

/// The answer of one side, its time and its work.
#[derive(Debug)]
pub struct Decided {
    /// The answer.
    pub outcome: Outcome,
    /// The shortest time of a few runs, in microseconds; later runs reuse the parts that the first one built.
    pub micros: f64,
    /// The work, in the counts of this method.
    pub counts: String,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// Free over the whole time.
    Free,
    /// The first touch, at this time.
    Touch(f64),
    /// Free up to this time; the budget was spent.
    Undecided(f64),
    /// Number of touching pairs of features, in mode `all`.
    Touches(usize),
}

impl From<&Answer> for Outcome {
    fn from(answer: &Answer) -> Outcome {
        match answer {
            Answer::Free => Outcome::Free,
            Answer::Undecided { free_until, .. } => Outcome::Undecided(*free_until),
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Outcome::Touch(touch.toi),
        }
    }
}

/// The judgement of two answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Agreement {
    /// Both answers are allowed.
    Agree,
    /// One side spent its budget.
    Undecided,
    /// An answer is not allowed, for this reason.
    Differ(String),
}

/// Judges two answers about one first touch. `free_until` is the product's check with other options.
fn judge(
    [paper, product]: [Outcome; 2],
    options: &Options,
    free_until: impl Fn(&Options) -> Result<f64>,
) -> Result<Agreement> {
    let time = |outcome: Outcome| match outcome {
        Outcome::Free => Some(options.t_max),
        Outcome::Touch(t) => Some(t),
        Outcome::Undecided(_) | Outcome::Touches(_) => None,
    };
    let [Some(paper), Some(product)] = [paper, product].map(time) else { return Ok(Agreement::Undecided) };
    if (paper - product).abs() <= SAME_TIME {
        return Ok(Agreement::Agree);
    }
    let tolerance = 1e-4 * options.tolerance;
    let bound = |min_separation: f64| free_until(&Options { min_separation, tolerance, ..*options });
    let latest = bound(options.min_separation)?;
    let earliest = bound(options.min_separation + options.tolerance)?;
    let named = [("the paper's method", paper), ("the product", product)];
    for (name, time) in named {
        // The check with the small tolerance is itself slightly early.
        if time < earliest - SAME_TIME || time > latest + 1e-6 {
            return Ok(Agreement::Differ(format!(
                "{name} says {time:?}, and the tolerance allows {earliest:?} to {latest:?}"
            )));
        }
    }
    Ok(Agreement::Agree)
}

/// Returns the first result and the shortest time of five runs, of two for long ones, or of one for very long ones.
fn shortest<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let (result, mut micros) = timed(&mut work);
    let again = match micros {
        short if short < 1e5 => 4,
        long if long < 2e6 => 1,
        _ => 0,
    };
    for _ in 0..again {
        micros = micros.min(timed(&mut work).1);
    }
    (result, micros)
}

#[cfg(test)]
mod tests;
