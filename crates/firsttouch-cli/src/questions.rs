//! The further questions of `check`, `path` and `deform`: how close, and all contacts.

use firsttouch::{Clearance, ContactPoint};
use firsttouch_io::printable;
use serde::Serialize;

use crate::answer::{Names, coordinates, plain};
use crate::output::table;

/// The least distance over the whole time, with the keys of the JSON output.
#[derive(Debug, Serialize)]
pub(crate) struct ClearanceJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<usize>,
    lower: f64,
    upper: f64,
    t: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies: Option<[String; 2]>,
    parts: [String; 2],
    points: [[f64; 3]; 2],
    /// Only where the bounds are farther apart than the tolerance: the budget was spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    tight: Option<bool>,
}

impl ClearanceJson {
    pub(crate) fn new(clearance: &Clearance, names: &impl Names) -> ClearanceJson {
        let Clearance { lower, upper, t, bodies, parts, points, is_tight, .. } = clearance;
        ClearanceJson {
            segment: None,
            lower: *lower,
            upper: *upper,
            t: *t,
            bodies: names.bodies(*bodies),
            parts: [0, 1].map(|side| names.part(bodies[side], &parts[side])),
            points: points.map(plain),
            tight: (!is_tight).then_some(false),
        }
    }

    pub(crate) fn of_segment(self, segment: usize) -> ClearanceJson {
        ClearanceJson { segment: Some(segment), ..self }
    }

    /// As a line of text.
    pub(crate) fn text(&self) -> String {
        let ClearanceJson { lower, upper, t, .. } = self;
        let bodies = self.bodies.clone().unwrap_or_default();
        let side = |k: usize| {
            let named = [bodies[k].as_str(), self.parts[k].as_str()].join(" ");
            printable(named.trim()).into_owned()
        };
        let segment = self.segment.map(|segment| format!(", segment {segment}")).unwrap_or_default();
        let unproven = if self.tight.is_some() { "; the iterations ran out" } else { "" };
        format!(
            "from {lower:.9} to {upper:.9} at t = {t}{segment}: {} and {}{unproven}",
            side(0),
            side(1)
        )
    }
}

/// The clearance as a labelled line.
pub(crate) fn clearance_text(clearance: &Option<ClearanceJson>) -> String {
    let text = clearance.as_ref().map_or_else(|| "nothing to measure".to_string(), ClearanceJson::text);
    format!("  {:<9}{text}\n", "clearance")
}

/// One contact, with the keys of the JSON output.
#[derive(Debug, Serialize)]
pub(crate) struct ContactJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies: Option<[String; 2]>,
    parts: [String; 2],
    features: [String; 2],
    points: [[f64; 3]; 2],
    normal: [f64; 3],
    gap: f64,
}

impl ContactJson {
    pub(crate) fn new(contact: &ContactPoint, names: &impl Names) -> ContactJson {
        ContactJson {
            bodies: names.bodies(contact.bodies),
            parts: [0, 1].map(|side| names.part(contact.bodies[side], &contact.parts[side])),
            features: contact.features.map(|feature| feature.to_string()),
            points: contact.points.map(plain),
            normal: plain(contact.normal),
            gap: contact.gap,
        }
    }
}

/// All contacts as a table.
pub(crate) fn contacts_text(contacts: &[ContactJson]) -> String {
    let row = |contact: &ContactJson| {
        let bodies = contact.bodies.clone().unwrap_or_default();
        let side = |k: usize| {
            let named = [bodies[k].as_str(), contact.parts[k].as_str(), contact.features[k].as_str()].join(" ");
            printable(named.trim()).into_owned()
        };
        let point = coordinates(glam::DVec3::from(contact.points[0]));
        vec![format!("{:.1e}", contact.gap), point, coordinates(glam::DVec3::from(contact.normal)), side(0), side(1)]
    };
    let rows: Vec<Vec<String>> = contacts.iter().map(row).collect();
    let heading = format!("\n{} contacts\n", contacts.len());
    heading + &table(&[">gap", "point", "normal", "first", "second"], &rows)
}
