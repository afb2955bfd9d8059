//! A scene file as the surroundings of a robot that is not in it: obstacles, bodies that the robot holds, and pairs
//! that may touch.
//!
//! 1. Bodies that are attached to the robot are first built as obstacles, so one reader builds all shapes.
//! 2. The checker then holds the bodies that the robot holds all the time. A body that the robot takes up on the way
//!    stays an obstacle with a [`Grasp`].
//! 3. `allow` and `[[pair]]` become rules of the checker. Rules about a link come after rules about the whole robot.
//!    Two obstacles are not checked against each other, so a rule about them matters only for bodies that the robot
//!    takes up.

use std::path::{Path, PathBuf};

use firsttouch::articulated::{Checker, Grasp, Robot};
use firsttouch::motion::Pose;
use firsttouch::{Body, Options, matches_pattern};

use crate::error::{Error, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::robot_build::Scenery;
use crate::scene::{AttachFile, BodyKind, MotionFile, PairFile, SceneFile};

/// The bodies around a robot, and the bodies that it holds.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Surroundings {
    /// The options that the scene sets, over the defaults.
    pub options: Options,
    /// The time at which all motions of the scene end; 1 if the scene does not say.
    pub duration: f64,
    /// Doubtful parts of the files.
    pub warnings: Vec<Error>,
    path: PathBuf,
    obstacles: Vec<Body>,
    held: Vec<(Body, AttachFile)>,
    grasps: Vec<Grasp>,
    allow: Vec<[String; 2]>,
    pairs: Vec<PairFile>,
}

impl Surroundings {
    /// Returns surroundings without a body; `robot` is the robot's own file, for messages.
    pub fn empty(robot: &Path) -> Surroundings {
        Surroundings { duration: 1.0, path: robot.to_path_buf(), ..Surroundings::default() }
    }

    /// Returns two things: the robot with this base among its surroundings, which include the bodies of its own model
    /// as `ROBOT/NAME`, and the bodies that it takes up on its way.
    pub fn checker(self, robot: Robot, base: Pose, scenery: &[Scenery]) -> Result<(Checker, Vec<Grasp>)> {
        let Surroundings { path, obstacles, held, mut grasps, allow, mut pairs, .. } = self;
        let in_file = |error: firsttouch::Error| of_core(&path, error);
        let prefix = if robot.name().is_empty() { String::new() } else { format!("{}/", robot.name()) };
        let mut checker = Checker::new(robot, base, obstacles).map_err(in_file)?;
        for standing in scenery {
            let name = format!("{prefix}{}", standing.name);
            let body = standing.body(&name, base).map_err(in_file)?;
            checker.add_obstacle(body).map_err(in_file)?;
            standing.allowed.iter().try_for_each(|link| checker.allow(link, &name)).map_err(in_file)?;
        }
        for (body, attach) in held {
            let Some((shape, _)) = body.as_rigid() else { continue };
            let touch_links: Vec<&str> = attach.touch_links.iter().map(String::as_str).collect();
            let pose = Pose::new(attach.pose.xyz, attach.pose.quat).map_err(in_file)?;
            checker.hold(body.name(), shape.clone(), &attach.link, pose, &touch_links).map_err(in_file)?;
        }
        for pair in &allow {
            allow_pair(&mut checker, &mut grasps, pair, &path)?;
        }
        pairs.sort_by_key(|pair| !pair.bodies.iter().any(|body| body == checker.robot().name()));
        for pair in &pairs {
            keep_pair_apart(&mut checker, &grasps, pair, &path)?;
        }
        Ok((checker, grasps))
    }
}

impl Files {
    /// Builds the surroundings of a robot from a scene that was read with [`parse_scene_for`](crate::parse_scene_for);
    /// `path` is the scene file, for messages.
    ///
    /// ```
    /// use firsttouch::articulated::Robot;
    /// use firsttouch::motion::Pose;
    /// use firsttouch_io::{Files, parse_scene_for};
    /// let text = br#"
    ///     [[body]]
    ///     name  = "shelf"
    ///     shape = { box = [1, 1, 0.1] }
    ///     [[body]]
    ///     name   = "cup"
    ///     shape  = { sphere = { radius = 0.1 } }
    ///     attach = { robot = "arm", link = "hand" }
    /// "#;
    /// let arm = Robot::new("arm", vec![("hand".into(), vec![])], vec![]).unwrap();
    /// let file = parse_scene_for(text, "room.toml", "arm")?;
    /// let around = Files::default().surroundings(&arm, file, "room.toml".as_ref())?;
    /// let (checker, grasps) = around.checker(arm, Pose::IDENTITY, &[])?;
    /// assert_eq!(checker.obstacles().map(|body| body.name()).collect::<Vec<_>>(), ["shelf"]);
    /// assert!(checker.robot().link("cup").is_some() && grasps.is_empty());
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn surroundings(&self, robot: &Robot, mut file: SceneFile, path: &Path) -> Result<Surroundings> {
        file.check_links(robot.name(), robot, path)?;
        let mut attached: Vec<(String, AttachFile)> = Vec::new();
        for body in &mut file.bodies {
            if let BodyKind::Attached { shape, attach } = &body.kind
                && attach.robot == robot.name()
            {
                attached.push((body.name.clone(), attach.clone()));
                body.kind = BodyKind::Rigid { shape: shape.clone(), motion: MotionFile::Fixed(attach.pose) };
            }
        }
        let (allow, pairs) = (std::mem::take(&mut file.allow), std::mem::take(&mut file.pairs));
        let (scene, mut warnings) = self.build_scene(&file, path)?;
        let by_contact = pairs.iter().filter(|pair| pair.by_contact);
        warnings.extend(by_contact.map(|PairFile { bodies: [a, b], .. }| {
            refused(path, format!("pair: \"{a}\" and \"{b}\": a path is not decided by `method`"))
        }));
        let mut around = Surroundings {
            options: file.options(),
            duration: file.duration.unwrap_or(1.0),
            warnings,
            path: path.to_path_buf(),
            allow,
            pairs,
            ..Surroundings::default()
        };
        for body in scene.bodies() {
            match attached.iter().find(|(name, _)| name == body.name()) {
                Some((_, attach)) if attach.held.is_none() => {
                    around.held.push((body.clone(), attach.clone()))
                }
                Some((name, attach)) => {
                    around.grasps.push(grasp(name, attach));
                    around.obstacles.push(body.clone());
                }
                None => around.obstacles.push(body.clone()),
            }
        }
        Ok(around)
    }
}

fn grasp(name: &str, attach: &AttachFile) -> Grasp {
    let times = attach.held.as_ref();
    Grasp {
        body: name.into(),
        link: attach.link.clone(),
        touch_links: attach.touch_links.clone(),
        may_touch: Vec::new(),
        from: times.map_or(0, |held| held.at),
        until: times.and_then(|held| held.release),
    }
}

/// Allows all pairs that two names or patterns of a scene stand for. Two obstacles are not checked against each other
/// anyway, unless the robot takes one up.
fn allow_pair(checker: &mut Checker, grasps: &mut [Grasp], pair: &[String; 2], path: &Path) -> Result<()> {
    let standing: Vec<&str> = checker.obstacles().map(Body::name).collect();
    let matching = |name: &str| -> Vec<String> {
        standing.iter().filter(|body| matches_pattern(name, body)).map(|body| body.to_string()).collect()
    };
    let found = pair.each_ref().map(|name| matching(name));
    for [i, j] in [[0, 1], [1, 0]] {
        for grasp in grasps.iter_mut().filter(|grasp| found[i].contains(&grasp.body)) {
            grasp.may_touch.extend(found[j].iter().filter(|other| **other != grasp.body).cloned());
        }
    }
    let both_stand = found.iter().all(|found| !found.is_empty());
    let [a, b] = names_of_scene(checker, pair).map_err(|name| unknown("allow", &name, path))?;
    said("allow", checker.allow(&a, &b), both_stand, path)
}

/// Keeps the two bodies of a `[[pair]]` of a scene apart. Two obstacles are not checked against each other, so such a
/// pair needs no rule.
fn keep_pair_apart(checker: &mut Checker, grasps: &[Grasp], pair: &PairFile, path: &Path) -> Result<()> {
    let PairFile { bodies, min_separation: Some(min_separation), .. } = pair else { return Ok(()) };
    let is_taken_up = |name: &str| grasps.iter().any(|grasp| matches_pattern(name, &grasp.body));
    if let Some(name) = bodies.iter().find(|name| is_taken_up(name)) {
        let text = "is taken up on the way: give `min_separation` for all pairs instead";
        return Err(refused(path, format!("pair: \"{name}\" {text}")));
    }
    let stands = |name: &String| checker.obstacles().any(|body| matches_pattern(name, body.name()));
    let both_stand = bodies.iter().all(stands);
    let [a, b] = names_of_scene(checker, bodies).map_err(|name| unknown("pair", &name, path))?;
    said("pair", checker.keep_apart(&a, &b, *min_separation), both_stand, path)
}

/// Returns the checker's answer to a rule. A rule about two obstacles has no effect.
fn said(what: &str, done: firsttouch::Result<()>, both_stand: bool, path: &Path) -> Result<()> {
    match done {
        Err(firsttouch::Error::UnknownName { name }) => Err(unknown(what, &name, path)),
        Err(firsttouch::Error::Unsupported { .. }) if both_stand => Ok(()),
        done => done.map_err(|error| of_core(path, error)),
    }
}

fn unknown(what: &str, name: &str, path: &Path) -> Error {
    refused(path, format!("{what}: nothing is called \"{name}\""))
}

fn refused(path: &Path, text: String) -> Error {
    malformed(text).at(Place::File).in_file(path)
}

fn of_core(path: &Path, error: firsttouch::Error) -> Error {
    match error {
        firsttouch::Error::Unsupported { what } => Problem::Unsupported(what).at(Place::File).in_file(path),
        error => refused(path, error.to_string()),
    }
}

/// Returns two names of a scene as the checker understands them. In a scene the name of the robot is never that of one
/// of its links. A link without its robot is not a known name: an error quotes it.
fn names_of_scene(checker: &Checker, names: &[String; 2]) -> Result<[String; 2], String> {
    let robot = checker.robot();
    let is_own_link = |name: &str| robot.link(name).is_some_and(|link| !robot.is_attached(link));
    let stands = |name: &str| checker.obstacles().any(|body| body.name() == name);
    if let Some(name) = names.iter().find(|name| *name != robot.name() && is_own_link(name) && !stands(name))
    {
        return Err(name.clone());
    }
    let whole = |name: &String| {
        if name == robot.name() && is_own_link(name) { format!("{name}/*") } else { name.clone() }
    };
    Ok(names.each_ref().map(whole))
}
