//! The arguments of the command line, and their help texts.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use firsttouch::deformable::Start;
use firsttouch::{Mode, Options};
use firsttouch_io::Files;

use crate::plan::PlanArgs;
use crate::srdf::SrdfArgs;
use crate::surroundings::CourseArgs;

/// Finds the first time moving things touch, and proves when they never do.
#[derive(Debug, Parser)]
#[command(
    name = "firsttouch",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "\
Exit status:
  0  free: proven that nothing touches
  1  touch, also at the start (queries: something disagrees with the truth)
  2  error: the message on standard error says what and where
  3  undecided within --max-iterations or --timeout
  130  ended by Ctrl-C; the results so far are printed first

Examples:
  firsttouch demo                         the built-in scenes
  firsttouch check pile.toml              the first touch in a scene
  firsttouch check pile.toml --json       the same for a program
  firsttouch deform a.ply b.ply           two frames of one deforming mesh
  firsttouch view pile.toml               the motion and its touch, in the browser
  firsttouch queries sets/ --threads 0    query sets against their ground truth"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

/// The options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Shared {
    /// Print one JSON object on standard output and nothing else there; an error is {"error": "...", "code": "...",
    /// "file": "...", "line": 12}
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// At the reported time the gap is at most the minimum separation plus this [default: 1e-6]
    #[arg(long, global = true, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Things closer than this count as touching [default: 0]
    #[arg(long, global = true, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(crate) min_separation: Option<f64>,
    /// Steps that one pair of pieces may take before the answer is "undecided"; --timeout bounds the time of all
    /// [default: 10000]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) max_iterations: Option<usize>,
    /// Threads to use, at most 256, 0 for one per core; the answers are the same [default: 1]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(..=256))]
    pub(crate) threads: Option<u16>,
}

impl Shared {
    /// Returns the given options, overridden by those on the command line.
    pub(crate) fn over(&self, options: Options) -> Options {
        Options {
            tolerance: self.tolerance.unwrap_or(options.tolerance),
            min_separation: self.min_separation.unwrap_or(options.min_separation),
            max_iterations: self.max_iterations.unwrap_or(options.max_iterations),
            threads: self.threads.map_or(options.threads, usize::from),
            ..options
        }
    }
}

/// The limits of the commands that read untrusted files or may take long.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Bounds {
    /// Stop after this many seconds; the answer is then "undecided", with the proof up to then
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// Stop with an error at this memory use, for example 500MB or 8GB
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "1GB")]
    pub(crate) max_memory: u64,
    /// Refuse to read files outside this folder; use it for untrusted scenes and robots
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

impl Bounds {
    /// Returns a reader that respects the limits.
    pub(crate) fn files(&self) -> Result<Files, firsttouch_io::Error> {
        let files = Files::default().with_max_memory(self.max_memory);
        match &self.root {
            None => Ok(files),
            Some(folder) => files.within(folder),
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "cannot be read as a number".to_string())?;
    if seconds.is_nan() || seconds <= 0.0 {
        return Err("must be positive".into());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| "too long".into())
}

/// Parses a number of bytes with an optional unit: powers of 1000 for `kB`, of 1024 for `KiB` and so on.
fn bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err("a number of bytes, or one with kB, MB, GB, KiB, MiB or GiB".into()),
    };
    let number: f64 = number.parse().map_err(|_| "cannot be read as a number of bytes".to_string())?;
    let bytes = number * factor as f64;
    if (1.0..1e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err("must be between 1 and 1e18 bytes".into())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the first touch in a scene file
    ///
    /// Options given here override those in the file. With `--mode any` the reported touch need not be the earliest.
    #[command(after_help = "\
Examples:
  firsttouch check pile.toml
  firsttouch check pile.toml --mode all           the first touch of every pair
  firsttouch check pile.toml --min-separation 0.01
  firsttouch check pile.toml --json --repeat 100  with the median time of a query
  firsttouch check pile.toml --out shown/         also scene.obj at the touch and scene.glb with the motion
  firsttouch check pile.toml --timeout 5          an answer within five seconds, perhaps \"undecided\"
  firsttouch check got/scene.toml --root got      an untrusted scene: files outside got/ are refused
  generate | firsttouch check -                   a scene from standard input; paths are relative to the current folder

A scene file:
  [[body]]
  name   = \"flying\"
  shape  = { sphere = { radius = 1 } }     # box, sphere, capsule, cylinder, ellipsoid, hull, mesh
  motion = { linear = { from = { xyz = [-9, 0, 0] }, to = { xyz = [11, 0, 0] } } }

  [[body]]
  name  = \"resting\"
  shape = { box = [1, 1, 1] }
  pose  = { xyz = [0, 0, 0], rpy = [0, 0, 0.5] }")]
    Check(CheckArgs),
    /// Check every path of a robot, against obstacles and against itself
    ///
    /// The waypoint file has a header of joint names and one configuration per row; a blank line starts another path.
    /// Between two rows every joint moves at a constant rate. Joints without a column stay at zero. The exit status is
    /// that of the worst path.
    #[command(after_help = "\
Examples:
  firsttouch path arm.urdf way.csv
  firsttouch path arm.urdf way.csv --srdf arm.srdf --scene shelf.toml
  firsttouch path arm.urdf way.csv --mode any --threads 0      a yes or no per path
  firsttouch path arm.urdf way.csv --min-separation 0.01 --json
  firsttouch path arm.urdf way.csv --timeout 60 --max-memory 8GB
  firsttouch path arm.urdf edges.parquet --parquet answers.parquet --threads 0
  plan | firsttouch path arm.urdf -                            waypoints from standard input")]
    Path(PathArgs),
    /// Print the statement of a certificate: shapes, motions and pairs, as numbers and formulas
    ///
    /// These are the lines of the file that --certificate writes, without the proof. docs/certificates.md explains
    /// them.
    #[command(after_help = "\
Examples:
  firsttouch statement pile.toml
  firsttouch statement arm.urdf way.csv --srdf arm.srdf --scene shelf.toml")]
    Statement(StatementArgs),
    /// Plan a path of a robot whose every edge is proven free
    ///
    /// A configuration is a number per joint, in the order of the robot, or JOINT=VALUE. The path is printed as the
    /// waypoints that `firsttouch path` and `firsttouch view` read, or written with --out. Obstacles must be at rest.
    /// The exit status is 0 if a path was found, 1 if the start or the goal touches, and 3 if none was found, which
    /// proves nothing.
    #[command(after_help = "\
Examples:
  firsttouch plan arm.urdf --from 0,0.5,0 --to 1.2,0.5,-1
  firsttouch plan arm.urdf --from elbow=0.5 --to elbow=-0.5,wrist=1 --srdf arm.srdf --scene shelf.toml --out way.csv
  firsttouch plan arm.urdf --from 0,0,0 --to 1,1,1 --base 0,0,0.8,0,0,1.57 --scene shelf.toml --padding 0.01
  firsttouch plan arm.urdf --from 0,0,0 --to 1,1,1 --seed 7 --smooth 2 --min-separation 0.01
  firsttouch plan cart.urdf --from 0,0 --to 4,0 --range x=-5:5 --range y=-5:5    joints without limits
  firsttouch plan arm.urdf --from 0,0,0 --to 1,1,1 --method roadmap --timeout 10 --json
  firsttouch plan arm.urdf --from 0,0,0 --to 1,1,1 --timed --acceleration 5 --out way.csv    within limits, in seconds
  firsttouch plan arm.urdf --from 0,0,0 --to 1,1,1 | firsttouch path arm.urdf -  check it once more
  firsttouch plan arm.urdf --from 0,0,0 --to 1,1,1 | firsttouch view arm.urdf - --out plan.html")]
    Plan(PlanArgs),
    /// Check two frames of one deforming mesh, including self-collision
    ///
    /// The vertices move on straight lines from the first file to the second, which must have the same triangles.
    /// Features that share a vertex are not checked against each other, all others are. Without --min-separation every
    /// decision is exact and the tolerance is not used.
    #[command(after_help = "\
Examples:
  firsttouch deform cloth0.ply cloth1.ply
  firsttouch deform cloth0.ply cloth1.ply --start ignore    frames that already cross themselves
  firsttouch deform cloth0.ply cloth1.ply --mode all --json --threads 0
  firsttouch deform cloth0.ply cloth1.ply --timeout 10 --max-memory 8GB")]
    Deform(DeformArgs),
    /// Show a motion, its touch and its proof of freedom, in the browser
    ///
    /// One page that needs no network: the bodies, their motion, the touch with its features, and the answer with all
    /// its digits. The inputs are those of `check` (a scene file), `path` (a robot and its waypoints), `plan` (a robot,
    /// --from and --to) or `deform` (two frames of a mesh). Without --out or --png the page is served on this machine
    /// alone and shown in the browser; it is made again when a file changes, and Ctrl-C ends it. The exit status is 0
    /// when the page was made, for every answer.
    #[command(after_help = "\
Examples:
  firsttouch view pile.toml                          in the browser, and again after each change of a file
  firsttouch view pile.toml --mode all               every pair on a timeline
  firsttouch view pile.toml --out pile.html          a page to keep or to send
  firsttouch view arm.urdf way.csv --scene shelf.toml
  firsttouch view arm.urdf --from 0,0.5,0 --to 1.2,0.5,-1 --scene shelf.toml    a path, planned
  firsttouch view cloth0.ply cloth1.ply --start ignore
  firsttouch view --demo near_miss                   a built-in scene
  firsttouch view pile.toml --png pile.png           a picture at the touch; needs Chromium
  firsttouch view pile.toml --png pile.png --time 0.25 --size 800x600 --theme dark")]
    View(ViewArgs),
    /// Run the built-in scenes and print a table
    ///
    /// Every scene is checked several times; the time shown is the median. The exit status is 0 if all scenes ran.
    #[command(after_help = "\
Examples:
  firsttouch demo                  all scenes
  firsttouch demo --list           their names and descriptions
  firsttouch demo near_miss        one of them
  firsttouch demo --out shown/     also write each scene at its first touch, as OBJ and JSON
  firsttouch demo --json")]
    Demo(DemoArgs),
    /// Run sets of vertex/face or edge/edge queries against their ground truth
    ///
    /// A set has 8 rows per query (4 points at time 0, then the same 4 at time 1) with the columns
    /// xn,xd,yn,yd,zn,zd,truth. A file beside it with the extension .toi has the exact first contacts. The truth is
    /// about contact: with --min-separation, a pair that comes that close without touching counts as a false positive.
    #[command(after_help = "\
Examples:
  firsttouch queries sets/unit-tests/vertex-face/0.csv
  firsttouch queries sets/                    all .csv files in a folder and below
  firsttouch queries mine.csv --kind ee       if no folder name gives the kind
  firsttouch queries sets/ --json")]
    Queries(QueriesArgs),
    /// Write which pairs of a robot's links need no check, and why, as an SRDF file
    #[command(after_help = "\
Pairs joined by a joint are adjacent. All others are looked at in random configurations within the joint limits; for those that never
touched, a proof is tried that they never do. The file says which of the two it is.

Examples:
  firsttouch srdf arm.urdf --out arm.srdf
  firsttouch srdf arm.urdf --proven-only --json")]
    Srdf(SrdfArgs),
    /// Print the JSON Schema of scene files
    ///
    /// Editors complete and check scene files with it, in TOML (for example with a line `#:schema scene.schema.json` at
    /// the top) and in JSON (`"$schema"` in the settings of the editor).
    #[command(after_help = "\
Examples:
  firsttouch schema > scene.schema.json")]
    Schema,
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  firsttouch completions bash > ~/.local/share/bash-completion/completions/firsttouch
  firsttouch completions zsh > ~/.zfunc/_firsttouch
  firsttouch completions fish > ~/.config/fish/completions/firsttouch.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Questions beyond the first touch.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "More questions")]
pub(crate) struct QuestionArgs {
    /// Also report the least distance over the whole time, proven from both sides to the tolerance
    #[arg(long)]
    pub(crate) clearance: bool,
    /// Also report all contacts at the time of the touch
    #[arg(long)]
    pub(crate) contacts: bool,
    /// Also report how the time of the touch changes with the motions
    #[arg(long)]
    pub(crate) gradient: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The scene file; - for standard input
    #[arg(value_name = "SCENE.toml")]
    pub(crate) scene: PathBuf,
    /// Which touch to find
    #[arg(long, value_enum, default_value_t = ModeArg::First)]
    pub(crate) mode: ModeArg,
    /// What to do about contacts at time 0; overrides the scene file
    #[arg(long, value_enum)]
    pub(crate) start: Option<StartArg>,
    /// Also check pairs of bodies that both rest; without it they are left out, and counted as left_out, unless nothing
    /// in the scene moves
    #[arg(long)]
    pub(crate) resting: bool,
    /// Run the query N times and report its median time, without the reading of files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// Also write the motion into this folder: scene.obj at the touch, the same as .glb with the animation, and
    /// answer.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How many pairs --mode all --json lists at most; beyond that they are only counted
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_pairs: u64,
    /// For how many pairs --mode all searches all times of overlap; the others have their first touch only, and are
    /// counted
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_overlaps: u64,
    /// Also write a proof that nothing touches until the answer; firsttouch-verify checks it
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) questions: QuestionArgs,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// The earliest touch of all
    First,
    /// Whether anything touches, as soon as that is known
    Any,
    /// The first touch of each pair, and all times of overlap
    All,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Mode {
        match mode {
            ModeArg::First => Mode::First,
            ModeArg::Any => Mode::Any,
            ModeArg::All => Mode::All,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct StatementArgs {
    /// SCENE.toml, or ROBOT.urdf WAYPOINTS.csv
    #[arg(value_name = "INPUT", num_args = 1..=2, required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Of a robot: which links are not checked against each other, besides those joined by a joint
    #[arg(long, value_name = "ROBOT.srdf")]
    pub(crate) srdf: Option<PathBuf>,
    /// Of a robot: the obstacles, as a scene file
    #[arg(long, value_name = "OBSTACLES.toml")]
    pub(crate) scene: Option<PathBuf>,
    /// Of a scene: also check pairs of bodies that both rest
    #[arg(long)]
    pub(crate) resting: bool,
    #[command(flatten)]
    pub(crate) course: CourseArgs,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// The robot; - for standard input
    #[arg(value_name = "ROBOT.urdf")]
    pub(crate) robot: PathBuf,
    /// The paths; - for standard input
    #[arg(value_name = "WAYPOINTS.csv")]
    pub(crate) waypoints: PathBuf,
    /// The links that are not checked against each other, besides those joined by a joint
    #[arg(long, value_name = "ROBOT.srdf")]
    pub(crate) srdf: Option<PathBuf>,
    /// The obstacles, as a scene file; - for standard input
    #[arg(long, value_name = "OBSTACLES.toml")]
    pub(crate) scene: Option<PathBuf>,
    /// Which touch to find in each path
    #[arg(long, value_enum, default_value_t = PathModeArg::First)]
    pub(crate) mode: PathModeArg,
    /// Take a Parquet file of edges (columns q0 and q1, lists of float64) in place of the waypoints, and write their
    /// answers to this file
    ///
    /// Each row is answered by itself. The answers are the same rows with the columns kind, is_free, toi and
    /// free_until. Needs a command that was built with `--features parquet`.
    #[arg(long, value_name = "ANSWERS.parquet", conflicts_with_all = ["out", "clearance", "contacts", "gradient", "interpolation", "repeat"])]
    pub(crate) parquet: Option<PathBuf>,
    /// Check the paths N times and also report the median time of a segment in the runs after the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) repeat: Option<u32>,
    #[command(flatten)]
    pub(crate) course: CourseArgs,
    /// Also write the motion into this folder: path0.obj and so on at the touch, the same as .glb with the animation,
    /// and answer.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Also write a proof that nothing touches until the answer, for a single path; firsttouch-verify checks it
    #[arg(long, value_name = "FILE", conflicts_with = "parquet")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) questions: QuestionArgs,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PathModeArg {
    /// The first touch
    First,
    /// Whether anything touches, as soon as that is known
    Any,
    /// The first touch, and for each pair (the robot with itself, and with each obstacle) its first touch and all times
    /// of overlap
    All,
}

impl From<PathModeArg> for Mode {
    fn from(mode: PathModeArg) -> Mode {
        match mode {
            // The pairs are checked after the first touch.
            PathModeArg::First | PathModeArg::All => Mode::First,
            PathModeArg::Any => Mode::Any,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DeformArgs {
    /// The mesh at time 0
    pub(crate) from: PathBuf,
    /// The mesh at time 1
    pub(crate) to: PathBuf,
    /// What to do about features that touch at time 0
    #[arg(long, value_enum, default_value_t = StartArg::Report)]
    pub(crate) start: StartArg,
    /// Which touch to find
    #[arg(long, value_enum, default_value_t = ModeArg::First)]
    pub(crate) mode: ModeArg,
    /// How many touching pairs --mode all --json lists at most; beyond that they are only counted
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_touches: u64,
    /// Also write the motion into this folder: mesh.obj at the touch, the same as .glb with the animation, and
    /// answer.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) questions: QuestionArgs,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ViewArgs {
    /// SCENE.toml, or ROBOT.urdf WAYPOINTS.csv, or ROBOT.urdf with --from and --to, or FROM TO: two frames of a
    /// deforming mesh
    #[arg(value_name = "INPUT", num_args = 0..=2, required_unless_present = "demo", conflicts_with = "demo")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Show a built-in scene; `firsttouch demo --list` names them
    #[arg(long, value_name = "NAME")]
    pub(crate) demo: Option<String>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.html")]
    pub(crate) out: Option<PathBuf>,
    /// Write a picture to this file, by a Chromium that is installed; $CHROME names another one
    #[arg(long, value_name = "FILE.png")]
    pub(crate) png: Option<PathBuf>,
    /// The moment of the picture: a time, start, touch or end [default: touch]
    #[arg(long, value_name = "T", requires = "png", value_parser = moment)]
    pub(crate) time: Option<String>,
    /// The size of the picture in pixels
    #[arg(long, value_name = "WxH", requires = "png", value_parser = size, default_value = "1200x750")]
    pub(crate) size: [u32; 2],
    /// The colours of the picture
    #[arg(long, value_enum, requires = "png", default_value_t = ThemeArg::Light)]
    pub(crate) theme: ThemeArg,
    /// The port to serve the page at; one that is free without it
    #[arg(long, value_name = "N", conflicts_with_all = ["out", "png"])]
    pub(crate) port: Option<u16>,
    /// Serve the page without a call of the browser
    #[arg(long, conflicts_with_all = ["out", "png"])]
    pub(crate) no_open: bool,
    /// Which question to ask; of a path `first` or `any`
    #[arg(long, value_enum, default_value_t = ModeArg::First)]
    pub(crate) mode: ModeArg,
    /// Of a robot: which links are not checked against each other, besides those joined by a joint
    #[arg(long, value_name = "ROBOT.srdf")]
    pub(crate) srdf: Option<PathBuf>,
    /// Of a robot: the obstacles, as a scene file
    #[arg(long, value_name = "OBSTACLES.toml")]
    pub(crate) scene: Option<PathBuf>,
    /// Of two frames: what to do about features that touch at time 0
    #[arg(long, value_enum, default_value_t = StartArg::Report)]
    pub(crate) start: StartArg,
    /// Of a robot without waypoints: where a path begins that is planned as `firsttouch plan` does
    #[arg(long, value_name = "Q", allow_hyphen_values = true, requires = "to")]
    pub(crate) from: Option<String>,
    /// Where the planned path ends
    #[arg(long, value_name = "Q", allow_hyphen_values = true, requires = "from")]
    pub(crate) to: Option<String>,
    /// The seed of the planner's random samples
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) course: CourseArgs,
    #[command(flatten)]
    pub(crate) questions: QuestionArgs,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeArg {
    Light,
    Dark,
}

/// Returns a time of a picture, as the page takes it.
fn moment(text: &str) -> Result<String, String> {
    let is_time = text.parse::<f64>().is_ok_and(|time| time.is_finite() && time >= 0.0);
    if is_time || ["start", "touch", "end"].contains(&text) {
        Ok(text.into())
    } else {
        Err("a time, start, touch or end".into())
    }
}

/// Returns width and height in pixels.
fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match sides {
        Some(sides) if sides.iter().all(|side| (16..=8192).contains(side)) => Ok(sides),
        _ => Err("width and height from 16 to 8192, for example 1200x750".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StartArg {
    /// Answer "touching at the start" if anything touches at time 0; deform also counts edges and triangles that cross
    Report,
    /// Leave out contacts at time 0: check does so while the contact gets no deeper than the tolerance, deform leaves
    /// out the pairs of features for all time
    Ignore,
}

impl StartArg {
    pub(crate) fn is_ignored(self) -> bool {
        self == StartArg::Ignore
    }
}

impl From<StartArg> for Start {
    fn from(start: StartArg) -> Start {
        match start {
            StartArg::Report => Start::Report,
            StartArg::Ignore => Start::Ignore,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The scene to run; all scenes if left out
    pub(crate) name: Option<String>,
    /// List the scenes with their descriptions
    #[arg(long, conflicts_with = "name")]
    pub(crate) list: bool,
    /// Write each scene at its first touch to this folder, as OBJ, with its answer as JSON; for scenes of a longer
    /// simulation also the frames of the simulation
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct QueriesArgs {
    /// Query sets, or folders to search for .csv files
    #[arg(required = true, value_name = "FILE.csv")]
    pub(crate) files: Vec<PathBuf>,
    /// The kind of the queries, if no folder is named `vertex-face` or `edge-edge`
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// A vertex, then the three corners of a face
    #[value(alias = "vertex-face")]
    Vf,
    /// The two ends of one edge, then the two ends of the other
    #[value(alias = "edge-edge")]
    Ee,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
        let read: Vec<u64> = ["12", "1GB", "1.5 kB", "2MiB", "3g"].map(|text| bytes(text).unwrap()).to_vec();
        assert_eq!(read, [12, 1_000_000_000, 1_500, 2 << 20, 3_000_000_000]);
        for bad in ["", "GB", "-1", "1 mile", "1e9", "0", "1.2.3", "99999999999TB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(size("800x600"), Ok([800, 600]));
        for bad in ["", "800", "0x600", "800x", "99999x600", "800x600x1"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        for (text, good) in
            [("touch", true), ("0.25", true), ("-1", false), ("nan", false), ("1&ui=1", false)]
        {
            assert_eq!(moment(text).is_ok(), good, "{text}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["", "0", "-1", "nan", "inf", "1e300", "5s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
