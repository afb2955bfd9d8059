//! An answer with the names of its bodies, as text and as JSON.

use std::collections::BTreeMap;

use firsttouch::{Answer, Engine, Reason, Scene, StageSeconds, Stats, Touch};
pub(crate) use firsttouch_io::page::{Names, OneBody, word};
use firsttouch_io::printable;
use serde::Serialize;

use crate::output::{Status, table};

/// An answer with the keys of the JSON output. A field that does not apply is left out.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerJson {
    pub(crate) answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) toi: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) free_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bodies: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parts: Option<[String; 2]>,
    /// The touching part of a robot: link, shape and triangle.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_paths: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[[f64; 3]; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<[f64; 3]>,
}

impl AnswerJson {
    fn empty(answer: &'static str) -> AnswerJson {
        AnswerJson {
            answer,
            toi: None,
            free_until: None,
            gap: None,
            bodies: None,
            parts: None,
            part_paths: None,
            features: None,
            points: None,
            normal: None,
        }
    }

    /// Returns the answer of a query that was stopped: without any proof.
    pub(crate) fn stopped() -> AnswerJson {
        AnswerJson { free_until: Some(0.0), ..AnswerJson::empty("undecided") }
    }

    /// Returns the answer without its bodies: the pair at which a query was stopped is arbitrary.
    pub(crate) fn without_bodies(self) -> AnswerJson {
        AnswerJson { bodies: None, ..self }
    }

    pub(crate) fn new(answer: &Answer, names: &impl Names) -> AnswerJson {
        let empty = AnswerJson::empty(word(answer));
        match answer {
            Answer::Free => empty,
            Answer::Undecided { free_until, bodies } => {
                AnswerJson { free_until: Some(*free_until), bodies: names.bodies(*bodies), ..empty }
            }
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => AnswerJson {
                toi: Some(touch.toi),
                free_until: Some(touch.free_until),
                gap: Some(touch.gap),
                bodies: names.bodies(touch.bodies),
                parts: Some([0, 1].map(|side| names.part(touch.bodies[side], &touch.parts[side]))),
                part_paths: touch
                    .parts
                    .iter()
                    .any(|part| part.link().is_some())
                    .then(|| [0, 1].map(|side| names.part_path(touch.bodies[side], &touch.parts[side]))),
                features: Some(touch.features.map(|feature| feature.to_string())),
                points: Some(touch.points.map(plain)),
                normal: Some(plain(touch.normal)),
                ..empty
            },
        }
    }
}

/// The statistics of a query, with the keys of the JSON output.
#[derive(Debug, Serialize)]
pub(crate) struct StatsJson {
    pairs: u64,
    allowed: u64,
    boxes_apart: u64,
    advanced: u64,
    later: u64,
    parts: u64,
    part_pairs: u64,
    volume_pairs: u64,
    piece_pairs: u64,
    iterations: u64,
    /// The tests of the engine for contact screws, if it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<ContactJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<SecondsJson>,
}

/// The number of tests of each kind in the engine for contact screws.
#[derive(Debug, Serialize)]
struct ContactJson {
    sphere_sphere: u64,
    edge_edge: u64,
    vertex_face: u64,
    face_vertex: u64,
}

impl From<Stats> for StatsJson {
    fn from(stats: Stats) -> StatsJson {
        let Stats {
            pairs,
            allowed,
            boxes_apart,
            advanced,
            later,
            parts,
            part_pairs,
            volume_pairs,
            piece_pairs,
            iterations,
            contact,
            ..
        } = stats;
        let contact = (contact.total() > 0).then_some(ContactJson {
            sphere_sphere: contact.sphere_sphere,
            edge_edge: contact.edge_edge,
            vertex_face: contact.vertex_face,
            face_vertex: contact.face_vertex,
        });
        StatsJson {
            pairs,
            allowed,
            boxes_apart,
            advanced,
            later,
            parts,
            part_pairs,
            volume_pairs,
            piece_pairs,
            iterations,
            contact,
            seconds: None,
        }
    }
}

impl StatsJson {
    /// Adds the time of each stage.
    pub(crate) fn with_seconds(self, seconds: Option<StageSeconds>) -> StatsJson {
        StatsJson { seconds: seconds.map(SecondsJson::from), ..self }
    }
}

/// The time of each stage: the broad phase, and each engine that worked on pairs.
#[derive(Debug, Serialize)]
struct SecondsJson {
    broad: f64,
    #[serde(flatten)]
    engines: BTreeMap<&'static str, f64>,
}

impl From<StageSeconds> for SecondsJson {
    fn from(seconds: StageSeconds) -> SecondsJson {
        let engines = Engine::ALL.iter().zip(seconds.engines).filter(|(_, seconds)| *seconds > 0.0);
        SecondsJson {
            broad: seconds.broad,
            engines: engines.map(|(engine, seconds)| (engine.name(), seconds)).collect(),
        }
    }
}

/// Returns the coordinates, with a plain zero in place of -0.
pub(crate) fn plain(v: glam::DVec3) -> [f64; 3] {
    v.to_array().map(|c| c + 0.0)
}

/// Returns the answer as an exit status.
pub(crate) fn status(answer: &Answer) -> Status {
    match answer {
        Answer::Free => Status::Free,
        Answer::Touch(_) | Answer::TouchingAtStart(_) => Status::Touch,
        Answer::Undecided { .. } => Status::Undecided,
    }
}

/// Returns the answer as a few lines of text. `reason` says why it is undecided.
pub(crate) fn text(answer: &Answer, reason: Option<Reason>, t_max: f64, scene: &Scene) -> String {
    let name = |index: usize| printable(scene.bodies()[index].name());
    match answer {
        Answer::Free => format!("free: nothing touches in [0, {t_max}]\n"),
        Answer::Touch(touch) => {
            format!("touch at t = {}{}\n{}", touch.toi, proven(touch), details(touch, scene))
        }
        Answer::TouchingAtStart(touch) => format!("touching at the start\n{}", details(touch, scene)),
        Answer::Undecided { free_until, bodies: [a, b] } => format!(
            "undecided: free until t = {free_until}, where {} and {} {}\n",
            name(*a),
            name(*b),
            reason.map_or("could not be decided", |reason| described(reason).1)
        ),
    }
}

/// Returns a reason as a word for JSON, and as the end of a sentence about two bodies that says what to do.
pub(crate) fn described(reason: Reason) -> (&'static str, &'static str) {
    match reason {
        Reason::Steps => ("steps", "used up their steps; --max-iterations allows more"),
        Reason::ContactAtStart => (
            "contact_at_start",
            "touch in a way that start = \"ignore\" cannot follow; --start report answers, and surfaces in place of solid meshes can be followed",
        ),
        _ => ("precision", "could not be decided with the bounds at hand; a larger --tolerance may help"),
    }
}

/// Returns the answers of pairs as a table.
pub(crate) fn pairs_table<'a>(answers: impl Iterator<Item = &'a Answer>, scene: &Scene) -> String {
    let row = |answer: &Answer| {
        let json = AnswerJson::new(answer, scene);
        let [a, b] = json.bodies.unwrap_or_default();
        let [feature_a, feature_b] = json.features.unwrap_or_default();
        let time = json.toi.or(json.free_until).map(|t| format!("{t:.9}")).unwrap_or_default();
        let gap = json.gap.map(|gap| format!("{gap:.1e}")).unwrap_or_default();
        [json.answer, &time, &gap, &a, &feature_a, &b, &feature_b].map(String::from).to_vec()
    };
    let rows: Vec<Vec<String>> = answers.map(row).collect();
    table(&["answer", ">t", ">gap", "first", "feature", "second", "feature"], &rows)
}

/// Returns the time up to which freedom is proven, if it is before the touch; otherwise an empty string.
pub(crate) fn proven(touch: &Touch) -> String {
    if touch.free_until < touch.toi {
        format!(", free until t = {}", touch.free_until)
    } else {
        String::new()
    }
}

fn details(touch: &Touch, scene: &Scene) -> String {
    let names = touch.bodies.map(|index| printable(scene.bodies()[index].name()).into_owned());
    let sides = [
        ("", names),
        (
            "part",
            [0, 1].map(|side| printable(&scene.part(touch.bodies[side], &touch.parts[side])).into_owned()),
        ),
        ("feature", touch.features.map(|feature| feature.to_string())),
        ("point", touch.points.map(coordinates)),
    ];
    let width = sides.iter().map(|(_, [a, _])| a.chars().count()).max().unwrap_or(0);
    let mut text: String =
        sides.iter().map(|(label, [a, b])| format!("  {label:<9}{a:<width$}  {b}\n")).collect();
    text += &format!("  {:<9}{}\n", "normal", coordinates(touch.normal));
    text += &format!("  {:<9}at most {:.2e}\n", "gap", touch.gap);
    text
}

/// Returns a vector as text.
pub(crate) fn coordinates(v: glam::DVec3) -> String {
    let [x, y, z] = v.to_array().map(|c| match c.abs() {
        // A tiny negative number would be printed as -0.000000.
        size if size < 5e-7 => "0.000000".into(),
        // A huge number would be printed with up to 300 digits.
        size if size >= 1e12 => format!("{c:.6e}"),
        _ => format!("{c:.6}"),
    });
    format!("({x}, {y}, {z})")
}
