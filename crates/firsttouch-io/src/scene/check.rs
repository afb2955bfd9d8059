//! Checks the keys of a scene file and converts them to plain data: the second step of reading a scene.
//!
//! Each error names the line of the smallest part of the file that contains the problem.

mod motions;
mod shapes;

use super::pieces::pieces;
use super::raw::{RawBody, RawPairOptions, RawPose, RawScene};
use super::values::{number, out_of_range, pose};
use super::{
    AttachFile, BodyFile, BodyKind, CourseFile, HeldFile, MotionFile, PairFile, Pose, SceneFile, Warning,
};
use crate::error::{Fault, Place, Problem, Result, malformed, number_text};
use crate::parts::suggestion;
use crate::source::shown;
use crate::trajectory_build::Interpolation;
use firsttouch::{Start, matches_pattern};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::DeTable;

/// Reads a scene from its text; paths in it are relative to `folder`.
pub(super) fn scene(text: &str, folder: &Path, robot: Option<&str>) -> Result<SceneFile, Fault> {
    let checker = Checker::new(text, folder, robot);
    let mut pieces = pieces(text);
    let first = checker.read(pieces.next().map_or("", |(_, text)| text))?;
    checker.scene(first, pieces)
}

/// Reads a scene from a table; its places are those of the text that the table was read from.
pub(super) fn scene_of_table(
    table: Spanned<DeTable<'_>>,
    text: &str,
    folder: &Path,
    robot: Option<&str>,
) -> Result<SceneFile, Fault> {
    let checker = Checker::new(text, folder, robot);
    let raw = RawScene::deserialize(toml::Deserializer::from(table));
    let raw = raw.map_err(|error| checker.refused(text, &error))?;
    checker.scene(raw, std::iter::empty())
}

struct Checker<'a> {
    /// The start of the piece of the text that is being read; places are counted from there.
    piece: usize,
    /// The start of each line of the file. Counting the newlines for every value would take quadratic time.
    line_starts: Vec<usize>,
    folder: &'a Path,
    /// A robot that is not in the file.
    robot: Option<&'a str>,
    duration: f64,
    warnings: RefCell<Vec<Warning>>,
}

impl<'a> Checker<'a> {
    fn new(text: &str, folder: &'a Path, robot: Option<&'a str>) -> Checker<'a> {
        let newlines = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(i, _)| i + 1)).collect();
        Checker { piece: 0, line_starts, folder, robot, duration: 1.0, warnings: RefCell::default() }
    }

    fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= self.piece + offset)
    }

    fn warn(&self, place: &Place, text: String) {
        let line = if let Place::Line(line) = place { *line } else { 1 };
        self.warnings.borrow_mut().push(Warning { line, text });
    }

    fn at<T>(&self, spanned: &Spanned<T>) -> Place {
        Place::Line(self.line(spanned.span().start))
    }

    /// Returns the scene, from the parsed first piece, and from the text of the other pieces with their offsets.
    fn scene<'t>(
        mut self,
        mut raw: RawScene,
        pieces: impl Iterator<Item = (usize, &'t str)>,
    ) -> Result<SceneFile, Fault> {
        let positive = |x: f64| x > 0.0 && x <= 1e100;
        let duration =
            self.option(raw.duration.take(), "duration", "positive, and at most 1e100", positive)?;
        self.duration = duration.unwrap_or(1.0);
        let (mut bodies, mut pairs) = (Vec::new(), Vec::new());
        self.take(&mut raw, &mut bodies, &mut pairs)?;
        for (offset, text) in pieces {
            self.piece = offset;
            self.take(&mut self.read(text)?, &mut bodies, &mut pairs)?;
        }
        self.piece = 0;
        let mut known: HashMap<&str, &BodyFile> = HashMap::new();
        for body in &bodies {
            if let Some(first) = known.insert(&body.name, body) {
                let text =
                    format!("a second body called \"{}\"; the first is in line {}", body.name, first.line);
                return Err(malformed(text).at(Place::Line(body.line)));
            }
        }
        for body in &bodies {
            if let BodyKind::Attached { attach, .. } = &body.kind
                && self.robot != Some(&attach.robot)
                && !known.get(&attach.robot[..]).is_some_and(|b| matches!(b.kind, BodyKind::Robot { .. }))
            {
                let text = format!(
                    "\"{}\" is attached to \"{}\", which is not a robot of this scene",
                    body.name, attach.robot
                );
                return Err(malformed(text).at(Place::Line(body.line)));
            }
        }
        for body in &bodies {
            check_parent(body, &known).map_err(|problem| problem.at(Place::Line(body.line)))?;
        }
        // The links of a robot are known only when it is built. A pattern may stand for a robot that is not in the
        // file.
        let is_about_links = |name: &str| {
            let robot = name.split_once('/').map(|(robot, _)| robot);
            let is_robot = |body: &BodyFile| matches!(body.kind, BodyKind::Robot { .. });
            let is_in_file =
                |robot: &str| bodies.iter().any(|body| is_robot(body) && matches_pattern(robot, &body.name));
            let is_outside =
                |outside: &str| name.contains(['*', '?']) || name == outside || robot == Some(outside);
            robot.is_some_and(is_in_file) || self.robot.is_some_and(is_outside)
        };
        let mut allow = Vec::with_capacity(raw.allow.len());
        for pair in &raw.allow {
            let [a, b] = &pair.get_ref().0;
            let named = |name: &String| -> Result<Vec<String>, Fault> {
                if known.contains_key(&name[..]) || is_about_links(name) {
                    return Ok(vec![name.clone()]);
                }
                let found = bodies.iter().map(|body| &body.name).filter(|body| matches_pattern(name, body));
                let found: Vec<String> =
                    if name.contains(['*', '?']) { found.cloned().collect() } else { Vec::new() };
                if found.is_empty() {
                    return Err(
                        malformed(format!("allow: there is no body called \"{name}\"")).at(self.at(pair))
                    );
                }
                Ok(found)
            };
            let (a, b) = (named(a)?, named(b)?);
            if allow.len() + a.len() * b.len() > MOST_ALLOWED {
                let problem = Problem::TooLarge {
                    what: "the number of allowed pairs".into(),
                    limit: MOST_ALLOWED as u64,
                };
                return Err(problem.at(self.at(pair)));
            }
            let is_one = a.len() == 1 && b.len() == 1;
            allow.extend(
                a.iter()
                    .flat_map(|a| b.iter().map(move |b| [a.clone(), b.clone()]))
                    .filter(|[a, b]| is_one || a != b),
            );
        }
        if let Some((name, place)) = pairs.iter().find_map(|(pair, place): &(PairFile, Place)| {
            let unknown = |name: &&String| !known.contains_key(&name[..]) && !is_about_links(name);
            pair.bodies.iter().find(unknown).zip(Some(place))
        }) {
            return Err(malformed(format!("pair: there is no body called \"{name}\"")).at(place.clone()));
        }
        self.check_pairs(&pairs, &allow)?;
        Ok(SceneFile {
            pairs: pairs.into_iter().map(|(pair, _)| pair).collect(),
            tolerance: self.option(raw.tolerance, "tolerance", "positive", |x| x > 0.0)?,
            min_separation: self
                .option(raw.min_separation, "min_separation", "zero or more", |x| x >= 0.0)?,
            t_max: {
                let range = format!("in (0, {}]", number_text(self.duration));
                self.option(raw.t_max, "t_max", &range, |x| x > 0.0 && x <= self.duration)?
            },
            duration,
            warnings: self.warnings.take(),
            start: self.start(raw.start)?,
            allow,
            bodies,
        })
    }

    /// Refuses two separations of one pair, and warns about a separation of a pair that is not checked.
    fn check_pairs(&self, pairs: &[(PairFile, Place)], allow: &[[String; 2]]) -> Result<(), Fault> {
        let sorted =
            |[a, b]: &[String; 2]| if a <= b { [a.clone(), b.clone()] } else { [b.clone(), a.clone()] };
        let allowed: HashSet<[String; 2]> = allow.iter().map(sorted).collect();
        let mut known: HashMap<[String; 2], &Place> = HashMap::new();
        for (pair, place) in pairs {
            let [a, b] = &pair.bodies;
            if let Some(Place::Line(first)) = known.insert(sorted(&pair.bodies), place) {
                let text = format!("a second pair of \"{a}\" and \"{b}\"; the first is in line {first}");
                return Err(malformed(text).at(place.clone()));
            }
            if allowed.contains(&sorted(&pair.bodies)) {
                let text = format!(
                    "\"{a}\" and \"{b}\" are in `allow`: they are not checked, and their separation is not used"
                );
                self.warn(place, text);
            }
        }
        Ok(())
    }

    /// Reads a piece of the text.
    fn read(&self, text: &str) -> Result<RawScene, Fault> {
        toml::from_str(text).map_err(|error| self.refused(text, &error))
    }

    /// Returns an error of the parser. An error without a place is about nesting, so the deepest nesting in the text is
    /// its place.
    fn refused(&self, text: &str, error: &toml::de::Error) -> Fault {
        let offset = error.span().map_or_else(|| deepest(text), |span| span.start);
        malformed(with_suggestion(error.message().trim_end())).at(Place::Line(self.line(offset)))
    }

    /// Checks the bodies and pairs of a piece.
    fn take(
        &self,
        raw: &mut RawScene,
        bodies: &mut Vec<BodyFile>,
        pairs: &mut Vec<(PairFile, Place)>,
    ) -> Result<(), Fault> {
        for body in raw.body.drain(..) {
            bodies.push(self.body(body)?);
        }
        for pair in raw.pair.drain(..) {
            let place = self.at(&pair);
            let RawPairOptions { bodies, min_separation, method } = pair.into_inner();
            let by_contact = match method.as_deref() {
                None if min_separation.is_none() => {
                    return Err(malformed("a pair needs \"min_separation\" or \"method\"").at(place));
                }
                None => false,
                Some("contact") => true,
                Some(other) => {
                    let text = format!("method must be \"contact\", but is \"{}\"", shown(other.as_bytes()));
                    return Err(malformed(text).at(place));
                }
            };
            if let Some(value) = min_separation {
                let value = number("min_separation", value).map_err(|problem| problem.at(place.clone()))?;
                if value < 0.0 {
                    return Err(out_of_range("min_separation", "zero or more", value).at(place));
                }
            }
            pairs.push((PairFile { bodies: bodies.0, min_separation, by_contact }, place));
        }
        Ok(())
    }

    fn start(&self, word: Option<Spanned<String>>) -> Result<Option<Start>, Fault> {
        let Some(word) = word else { return Ok(None) };
        match word.get_ref().as_str() {
            "report" => Ok(Some(Start::Report)),
            "ignore" => Ok(Some(Start::Ignore)),
            other => {
                let text =
                    format!("start must be \"report\" or \"ignore\", but is \"{}\"", shown(other.as_bytes()));
                Err(malformed(text).at(self.at(&word)))
            }
        }
    }

    fn option(
        &self,
        value: Option<Spanned<f64>>,
        what: &str,
        range: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Result<Option<f64>, Fault> {
        let Some(value) = value else { return Ok(None) };
        let place = self.at(&value);
        let value = number(what, value.into_inner()).map_err(|e| e.at(place.clone()))?;
        if fits(value) { Ok(Some(value)) } else { Err(out_of_range(what, range, value).at(place)) }
    }

    fn body(&self, raw: Spanned<RawBody>) -> Result<BodyFile, Fault> {
        let mut line = self.line(raw.span().start);
        let raw = raw.into_inner();
        // The line of the name, if there is one, is a better place than the line of the table's header.
        if let Some(name) = &raw.name {
            line = self.line(name.span().start);
        }
        let fail = |text: String| malformed(text).at(Place::Line(line));
        let name = raw.name.map(Spanned::into_inner).unwrap_or_default();
        if name.is_empty() {
            return Err(fail("a body needs a name".into()));
        }
        let RawBody {
            shape,
            deformable,
            robot,
            pose,
            motion,
            parent,
            attach,
            from,
            to,
            path,
            interpolation,
            adaptive,
            ..
        } = raw;
        if let Some(adaptive) = &adaptive
            && path.is_none()
        {
            let text = format!("\"{name}\": `adaptive` goes with `path`");
            return Err(malformed(text).at(self.at(adaptive)));
        }
        if let Some(interpolation) = &interpolation
            && path.is_none()
        {
            let text = format!("\"{name}\": `interpolation` goes with `path`");
            return Err(malformed(text).at(self.at(interpolation)));
        }
        if let Some(parent) = &parent
            && (shape.is_none() || attach.is_some())
        {
            let text = format!("\"{name}\": `parent` goes with a `shape` that is not attached");
            return Err(malformed(text).at(self.at(parent)));
        }
        let kinds =
            [("shape", shape.is_some()), ("deformable", deformable.is_some()), ("robot", robot.is_some())];
        let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        let refuse = |kind: &str, extras: &[(&str, bool)]| match extras.iter().find(|(_, given)| *given) {
            Some((extra, _)) => Err(fail(format!("\"{name}\": `{extra}` does not go with `{kind}`"))),
            None => Ok(()),
        };
        let kind = match (shape, deformable, robot) {
            (Some(shape), None, None) => {
                refuse("shape", &[("from", from.is_some()), ("to", to.is_some()), ("path", path.is_some())])?;
                let shape = self.shape(shape)?;
                match attach {
                    Some(attach) => {
                        refuse("attach", &[("motion", motion.is_some())])?;
                        let raw = attach.into_inner();
                        let held = raw.at.map(|at| HeldFile {
                            at: at as usize,
                            release: raw.release.map(|release| release as usize),
                        });
                        // Before it is taken up, such a body lies somewhere in the world.
                        let pose = match held {
                            Some(held) => {
                                if raw.pose.is_some() {
                                    let text =
                                        "`pose` in `attach` does not go with `at`: give where it lies before";
                                    return Err(fail(format!("\"{name}\": {text}")));
                                }
                                if held.release.is_some_and(|release| release <= held.at) {
                                    return Err(fail(format!("\"{name}\": `release` must be after `at`")));
                                }
                                self.pose_or_identity(pose)?
                            }
                            None => {
                                refuse("attach", &[("pose", pose.is_some())])?;
                                if raw.release.is_some() {
                                    return Err(fail(format!("\"{name}\": `release` goes with `at`")));
                                }
                                self.pose_or_identity(raw.pose)?
                            }
                        };
                        let attach = AttachFile {
                            robot: raw.robot,
                            link: raw.link,
                            pose,
                            touch_links: raw.touch_links,
                            held,
                        };
                        BodyKind::Attached { shape, attach }
                    }
                    None => {
                        let motion = match motion {
                            Some(motion) => {
                                let is_turn = motion.get_ref().turn.is_some();
                                refuse("motion", &[("pose", pose.is_some() && !is_turn)])?;
                                self.motion(motion, self.pose_or_identity(pose)?)?
                            }
                            None => MotionFile::Fixed(self.pose_or_identity(pose)?),
                        };
                        BodyKind::Rigid { shape, motion }
                    }
                }
            }
            (None, Some(deformable), None) => {
                let extras = [
                    ("pose", pose.is_some()),
                    ("motion", motion.is_some()),
                    ("attach", attach.is_some()),
                    ("from", from.is_some()),
                    ("to", to.is_some()),
                    ("path", path.is_some()),
                ];
                refuse("deformable", &extras)?;
                let place = self.at(&deformable);
                let raw = deformable.into_inner();
                let file = |path, what| self.file(path, what).map_err(|e| e.at(place.clone()));
                BodyKind::Deformable { from: file(raw.from, "from")?, to: file(raw.to, "to")? }
            }
            (None, None, Some(robot)) => {
                refuse("robot", &[("motion", motion.is_some()), ("attach", attach.is_some())])?;
                if path.is_some() {
                    refuse("path", &[("from", from.is_some()), ("to", to.is_some())])?;
                }
                let place = self.at(&robot);
                let raw = robot.into_inner();
                let path = path.map(|path| self.course(path, interpolation, adaptive)).transpose()?;
                if raw.cover == Some(0) {
                    return Err(out_of_range("cover", "at least 1", 0.0).at(place));
                }
                let description = match (raw.urdf, raw.mjcf) {
                    (Some(urdf), None) => self.file(urdf, "urdf"),
                    (None, Some(mjcf)) => self.file(mjcf, "mjcf"),
                    _ => Err(malformed("a robot needs either `urdf` or `mjcf`")),
                };
                BodyKind::Robot {
                    urdf: description.map_err(|e| e.at(place.clone()))?,
                    srdf: raw.srdf.map(|f| self.file(f, "srdf")).transpose().map_err(|e| e.at(place))?,
                    cover: raw.cover.map(|most| most as usize),
                    base: self.pose_or_identity(pose)?,
                    from: self.joints(from)?,
                    to: self.joints(to)?,
                    path,
                }
            }
            _ if given.is_empty() => {
                return Err(fail(format!("\"{name}\" needs a shape, deformable or robot")));
            }
            _ => return Err(fail(format!("\"{name}\" has both `{}`: give one", given.join("` and `")))),
        };
        Ok(BodyFile { name, line, kind, parent: parent.map(Spanned::into_inner) })
    }

    fn file(&self, path: String, what: &str) -> Result<PathBuf, Problem> {
        if path.is_empty() {
            return Err(malformed(format!("{what} is an empty path")));
        }
        Ok(self.folder.join(path))
    }

    fn pose_or_identity(&self, raw: Option<Spanned<RawPose>>) -> Result<Pose, Fault> {
        raw.map_or(Ok(Pose::IDENTITY), |raw| {
            let place = self.at(&raw);
            pose(raw.into_inner()).map_err(|problem| problem.at(place))
        })
    }

    /// Returns the path of a robot.
    fn course(
        &self,
        path: Spanned<String>,
        interpolation: Option<Spanned<String>>,
        adaptive: Option<Spanned<bool>>,
    ) -> Result<CourseFile, Fault> {
        let place = self.at(&path);
        let file = self.file(path.into_inner(), "path").map_err(|problem| problem.at(place))?;
        let interpolation = match interpolation {
            None => Interpolation::default(),
            Some(word) => match word.get_ref().as_str() {
                "linear" => Interpolation::Linear,
                "cubic" => Interpolation::Cubic,
                "spline" => Interpolation::Spline,
                other => {
                    let text = format!(
                        "interpolation must be \"linear\", \"cubic\" or \"spline\", but is \"{}\"",
                        shown(other.as_bytes())
                    );
                    return Err(malformed(text).at(self.at(&word)));
                }
            },
        };
        if let Some(adaptive) = adaptive.as_ref().filter(|adaptive| *adaptive.get_ref())
            && interpolation != Interpolation::Linear
        {
            let text = "`adaptive` goes with linear interpolation only";
            return Err(malformed(text).at(self.at(adaptive)));
        }
        Ok(CourseFile { file, interpolation, adaptive: adaptive.is_some_and(Spanned::into_inner) })
    }

    fn joints(&self, raw: Option<BTreeMap<String, Spanned<f64>>>) -> Result<BTreeMap<String, f64>, Fault> {
        let joint = |(name, value): (String, Spanned<f64>)| {
            let place = self.at(&value);
            match number(&format!("joint \"{}\"", shown(name.as_bytes())), value.into_inner()) {
                Ok(value) => Ok((name, value)),
                Err(problem) => Err(problem.at(place)),
            }
        };
        raw.unwrap_or_default().into_iter().map(joint).collect()
    }
}

/// Checks that the parent of a body is a rigid body, and that no body is its own ancestor.
fn check_parent(body: &BodyFile, known: &HashMap<&str, &BodyFile>) -> Result<(), Problem> {
    let Some(parent) = &body.parent else { return Ok(()) };
    let is_frame = |kind: &BodyKind| match kind {
        BodyKind::Rigid { motion, .. } => {
            !matches!(motion, MotionFile::Affine { .. } | MotionFile::Interpolant { .. })
        }
        BodyKind::Attached { .. } | BodyKind::Deformable { .. } | BodyKind::Robot { .. } => false,
    };
    if !known.get(&parent[..]).is_some_and(|parent| is_frame(&parent.kind)) {
        let text = format!("the parent \"{parent}\" of \"{}\" is not a rigid body of this scene", body.name);
        return Err(malformed(text));
    }
    if !is_frame(&body.kind) {
        let text =
            format!("\"{}\": `parent` does not go with an `affine` motion or an `interpolant`", body.name);
        return Err(malformed(text));
    }
    // A loop without this body is found from a body of the loop; here the walk must only end.
    let (mut ancestor, mut steps) = (Some(parent), 0);
    while let Some(name) = ancestor {
        steps += 1;
        if *name == body.name {
            return Err(malformed(format!("\"{}\" is its own parent, or that of one", body.name)));
        }
        if steps > MOST_PARENTS {
            let text = format!("\"{}\" has more than {MOST_PARENTS} parents above it", body.name);
            return Err(malformed(text));
        }
        ancestor = known.get(&name[..]).and_then(|body| body.parent.as_ref());
    }
    Ok(())
}

/// Frames nested more deeply are refused: each adds to the cost of every pose.
const MOST_PARENTS: usize = 64;

/// More pairs than this are refused: patterns multiply them.
const MOST_ALLOWED: usize = 1_000_000;

/// Returns serde's message about an unknown key, with the key that it resembles: "unknown field `radus`, expected one
/// of `radius`, .."
fn with_suggestion(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    match names.next() {
        Some(given) if message.starts_with("unknown field") => {
            message.to_string() + &suggestion(given, names)
        }
        _ => message.into(),
    }
}

/// Returns the place of the deepest nesting of brackets and braces. Brackets in strings and comments count as well,
/// because this is only for messages.
fn deepest(text: &str) -> usize {
    let (mut depth, mut most, mut place) = (0, 0, 0);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth > most {
            (most, place) = (depth, i);
        }
    }
    place
}
