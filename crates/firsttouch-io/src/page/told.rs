//! An answer as a page reports it: in the time of the query, with indices of bodies and words for their parts.

use firsttouch::articulated::Checker;
use firsttouch::{Answer, Part, Scene, Touch};
use glam::DVec3;

/// The names of bodies and of their parts.
pub trait Names {
    /// Returns the names of two bodies, or `None` if there is only one body.
    fn bodies(&self, indices: [usize; 2]) -> Option<[String; 2]>;

    /// Returns the name of a part of a body.
    fn part(&self, _body: usize, part: &Part) -> String {
        part.to_string()
    }

    /// Returns the part as a path. For a link it also names the triangle, and the shape if the link has several.
    fn part_path(&self, body: usize, part: &Part) -> String {
        self.part(body, part)
    }
}

impl Names for Scene {
    fn bodies(&self, indices: [usize; 2]) -> Option<[String; 2]> {
        Some(indices.map(|index| self.bodies()[index].name().to_string()))
    }

    fn part(&self, body: usize, part: &Part) -> String {
        match (self.bodies()[body].as_robot(), part) {
            (Some(robot), Part::Link { link, .. }) => robot.links()[*link as usize].name().to_string(),
            _ => part.to_string(),
        }
    }

    fn part_path(&self, body: usize, part: &Part) -> String {
        self.bodies()[body].as_robot().map_or_else(|| part.to_string(), |robot| robot.part_path(part))
    }
}

/// Body 0 is the robot, the others are the obstacles.
impl Names for Checker {
    fn bodies(&self, indices: [usize; 2]) -> Option<[String; 2]> {
        Some(indices.map(|index| match index.checked_sub(1) {
            None => self.robot().name().to_string(),
            Some(obstacle) => self.obstacle(obstacle).name().to_string(),
        }))
    }

    fn part(&self, _body: usize, part: &Part) -> String {
        match part.link() {
            Some(link) => self.robot().links()[link].name().to_string(),
            None => part.to_string(),
        }
    }

    fn part_path(&self, _body: usize, part: &Part) -> String {
        self.robot().part_path(part)
    }
}

/// The names if there is only one body.
#[derive(Debug, Clone, Copy)]
pub struct OneBody;

impl Names for OneBody {
    fn bodies(&self, _indices: [usize; 2]) -> Option<[String; 2]> {
        None
    }
}

/// Returns an answer in one word.
pub fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Free => "free",
        Answer::Touch(_) => "touch",
        Answer::TouchingAtStart(_) => "touching_at_start",
        Answer::Undecided { .. } => "undecided",
    }
}

/// An answer as a page reports it. Times run over `[0, 1]`; in a path they run over `[0, 1]` of a segment. A field that
/// does not apply is `None`.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// The answer in one word, as [`word`] says it.
    pub word: &'static str,
    /// The time of the touch.
    pub toi: Option<f64>,
    /// The time up to which a touch is excluded, if the answer is undecided or that time is before the touch.
    pub free_until: Option<f64>,
    /// An upper bound of the distance at the touch; infinite if it is not known.
    pub gap: Option<f64>,
    /// The indices of the two bodies.
    pub bodies: Option<[usize; 2]>,
    /// The links of the two bodies that are robots, if they are known.
    pub links: [Option<usize>; 2],
    /// The parts that touch. The part of a link is named within the link, which is a body of the page.
    pub parts: Option<[String; 2]>,
    /// The features that touch.
    pub features: Option<[String; 2]>,
    /// The closest points, in the world.
    pub points: Option<[DVec3; 2]>,
    /// The normal from the first body to the second.
    pub normal: Option<DVec3>,
    /// The touch itself; the corners of its features are drawn.
    pub touch: Option<Touch>,
}

impl Told {
    /// Tells an answer of the library.
    pub fn new(answer: &Answer, names: &impl Names) -> Told {
        let told = Told { word: word(answer), ..Told::default() };
        match answer {
            Answer::Free => told,
            Answer::Undecided { free_until, bodies } => {
                Told { free_until: Some(*free_until), bodies: Some(*bodies), ..told }
            }
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Told {
                toi: Some(touch.toi),
                free_until: (touch.free_until < touch.toi).then_some(touch.free_until),
                gap: Some(touch.gap),
                bodies: Some(touch.bodies),
                links: touch.parts.each_ref().map(Part::link),
                parts: Some([0, 1].map(|side| part_text(touch.bodies[side], &touch.parts[side], names))),
                features: Some(touch.features.map(|feature| feature.to_string())),
                points: Some(touch.points),
                normal: Some(touch.normal),
                touch: Some(touch.clone()),
                ..told
            },
        }
    }
}

fn part_text(body: usize, part: &Part, names: &impl Names) -> String {
    let path = names.part_path(body, part);
    if part.link().is_none() { path } else { within_link(&path, &names.part(body, part)) }
}

/// Returns the name of a part within its link, which is a body of the page; `path` begins with the link.
///
/// ```
/// use firsttouch_io::page::within_link;
/// assert_eq!(within_link("hand/shape 1/tri 7", "hand"), "shape 1/tri 7");
/// assert_eq!(within_link("hand", "hand"), "solid");
/// ```
pub fn within_link(path: &str, link: &str) -> String {
    match path.strip_prefix(link).map(|rest| rest.trim_start_matches('/')) {
        Some("") => Part::Solid.to_string(),
        Some(rest) => rest.into(),
        None => path.into(),
    }
}
