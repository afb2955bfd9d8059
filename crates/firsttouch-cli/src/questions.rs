//! The further queries of `check`, `path` and `deform`: the least distance, all contacts, and the derivatives of `toi`.

use firsttouch::articulated::{CourseGradient, StepGradient};
use firsttouch::{
    Ask, Clearance, ContactPoint, Control, Degenerate, Gradient, MotionGradient, Options, PoseGradient,
    Scene, Touch,
};
use firsttouch_io::printable;
use serde::Serialize;

use crate::answer::{Names, coordinates, plain};
use crate::args::QuestionArgs;
use crate::output::{Failure, table};
use crate::stop;

/// The answers to the further queries, with the keys of the JSON output. Answers that were not requested are left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct FurtherJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clearance: Option<Option<ClearanceJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contacts: Option<Vec<ContactJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gradient: Option<GradientJson>,
}

impl FurtherJson {
    /// Returns the answers for a scene whose first touch is known. Its times run over `[0, duration]`.
    pub(crate) fn of_scene(
        asked: QuestionArgs,
        (scene, touch): (&Scene, Option<&Touch>),
        (options, control): (&Options, &Control<'_>),
        names: &impl Names,
        duration: f64,
    ) -> Result<FurtherJson, Failure> {
        let mut further = FurtherJson::default();
        if asked.clearance {
            let found = scene.clearance(Ask::from(options).control(control))?;
            further.clearance = Some(found.map(|found| ClearanceJson::new(&found, names).over(duration)));
        }
        if asked.contacts {
            let found = touch.map(|touch| scene.contacts(touch.toi, options)).transpose()?;
            let found = found.unwrap_or_default();
            further.contacts = Some(found.iter().map(|contact| ContactJson::new(contact, names)).collect());
        }
        if let (true, Some(touch)) = (asked.gradient, touch) {
            let found = scene.toi_gradient(touch, options)?;
            further.gradient = Some(GradientJson::from(&found).over(duration));
        }
        Ok(further)
    }

    /// Returns each answer as text.
    pub(crate) fn texts(&self) -> [Option<String>; 3] {
        let FurtherJson { clearance, contacts, gradient } = self;
        [
            clearance.as_ref().map(clearance_text),
            contacts.as_deref().map(contacts_text),
            gradient.as_ref().map(gradient_text),
        ]
    }
}

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
    /// Present only if the bounds are farther apart than the tolerance: the budget was spent.
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

    /// Returns it with its time over `[0, duration]` instead of `[0, 1]`.
    pub(crate) fn over(self, duration: f64) -> ClearanceJson {
        ClearanceJson { t: self.t * duration, ..self }
    }

    /// Returns it as a line of text.
    pub(crate) fn text(&self) -> String {
        let ClearanceJson { lower, upper, t, .. } = self;
        let bodies = self.bodies.clone().unwrap_or_default();
        let side = |k: usize| {
            let named = [bodies[k].as_str(), self.parts[k].as_str()].join(" ");
            printable(named.trim()).into_owned()
        };
        let segment = self.segment.map(|segment| format!(", segment {segment}")).unwrap_or_default();
        let unproven = match (self.tight, stop::reason()) {
            (None, _) => String::new(),
            (Some(_), Some(why)) => format!("; the work was stopped ({})", why.word()),
            (Some(_), None) => "; the iterations ran out, --max-iterations allows more".into(),
        };
        format!("from {lower:.9} to {upper:.9} at t = {t}{segment}: {} and {}{unproven}", side(0), side(1))
    }
}

/// Returns the clearance as a labelled line.
fn clearance_text(clearance: &Option<ClearanceJson>) -> String {
    let text = clearance.as_ref().map_or_else(|| "nothing to measure".to_string(), ClearanceJson::text);
    format!("  clearance {text}\n")
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

/// Returns all contacts as a table.
fn contacts_text(contacts: &[ContactJson]) -> String {
    let row = |contact: &ContactJson| {
        let bodies = contact.bodies.clone().unwrap_or_default();
        let side = |k: usize| {
            let named =
                [bodies[k].as_str(), contact.parts[k].as_str(), contact.features[k].as_str()].join(" ");
            printable(named.trim()).into_owned()
        };
        let point = coordinates(glam::DVec3::from(contact.points[0]));
        vec![
            format!("{:.1e}", contact.gap),
            point,
            coordinates(glam::DVec3::from(contact.normal)),
            side(0),
            side(1),
        ]
    };
    let rows: Vec<Vec<String>> = contacts.iter().map(row).collect();
    let heading = format!("\n{} contact{}\n", contacts.len(), if contacts.len() == 1 { "" } else { "s" });
    heading + &table(&[">gap", "point", "normal", "first", "second"], &rows)
}

/// The derivatives of `toi` by the two configurations of a robot, or by the parameters of the motions of two bodies.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum GradientJson {
    Joints {
        from: Vec<f64>,
        to: Vec<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        degenerate: Option<&'static str>,
    },
    /// Along a smooth trajectory: by each waypoint, or, without waypoints, by a shift of the configuration at the
    /// touch.
    Waypoints {
        waypoints: Vec<Vec<f64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        degenerate: Option<&'static str>,
    },
    Shift {
        shift: Vec<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        degenerate: Option<&'static str>,
    },
    Bodies {
        bodies: Vec<MotionJson>,
        #[serde(skip_serializing_if = "Option::is_none")]
        degenerate: Option<&'static str>,
    },
}

/// The derivatives by the motion of one body.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum MotionJson {
    Poses {
        from: PoseJson,
        to: PoseJson,
    },
    Joints {
        from: Vec<f64>,
        to: Vec<f64>,
    },
    /// The derivatives for a body that a robot holds: by a shift of its configuration, and by the place of the body
    /// before that.
    Held {
        shift: Vec<f64>,
        pose: PoseJson,
    },
    Shift {
        shift: Vec<f64>,
    },
    Vertices {
        vertices: Vec<VertexJson>,
    },
    Other(Option<()>),
}

/// By a position, and by a rotation vector in radians about the body's origin and the axes of the world.
#[derive(Debug, Serialize)]
pub(crate) struct PoseJson {
    xyz: [f64; 3],
    rotation: [f64; 3],
}

#[derive(Debug, Serialize)]
pub(crate) struct VertexJson {
    vertex: u32,
    from: [f64; 3],
    to: [f64; 3],
}

fn degenerate(why: Option<Degenerate>) -> Option<&'static str> {
    why.map(|why| match why {
        Degenerate::AtStart => "at_start",
        Degenerate::Grazing => "grazing",
        Degenerate::SeveralFeatures => "several_features",
        Degenerate::HalfTurn => "half_turn",
        _ => "other",
    })
}

impl From<&MotionGradient> for MotionJson {
    fn from(gradient: &MotionGradient) -> MotionJson {
        let pose =
            |pose: &PoseGradient| PoseJson { xyz: plain(pose.translation), rotation: plain(pose.rotation) };
        match gradient {
            MotionGradient::Poses { from, to } => MotionJson::Poses { from: pose(from), to: pose(to) },
            MotionGradient::Joints { from, to } => MotionJson::Joints { from: from.clone(), to: to.clone() },
            MotionGradient::Shift(shift) => MotionJson::Shift { shift: shift.clone() },
            MotionGradient::Held { shift, pose: lay } => {
                MotionJson::Held { shift: shift.clone(), pose: pose(lay) }
            }
            MotionGradient::Vertices(vertices) => MotionJson::Vertices {
                vertices: vertices
                    .iter()
                    .map(|v| VertexJson { vertex: v.vertex, from: plain(v.from), to: plain(v.to) })
                    .collect(),
            },
            _ => MotionJson::Other(None),
        }
    }
}

impl From<&Gradient> for GradientJson {
    fn from(gradient: &Gradient) -> GradientJson {
        let bodies = gradient.bodies.iter().map(MotionJson::from).collect();
        GradientJson::Bodies { bodies, degenerate: degenerate(gradient.degenerate) }
    }
}

impl From<StepGradient> for GradientJson {
    fn from(gradient: StepGradient) -> GradientJson {
        GradientJson::Joints {
            from: gradient.from,
            to: gradient.to,
            degenerate: degenerate(gradient.degenerate),
        }
    }
}

impl GradientJson {
    /// Along a trajectory, by the waypoints that have these weights at the touch; by a shift there if there are none.
    pub(crate) fn of_course(gradient: CourseGradient, weights: Option<&[f64]>) -> GradientJson {
        let degenerate = degenerate(gradient.degenerate);
        let shift = gradient.shift;
        match weights {
            None => GradientJson::Shift { shift, degenerate },
            Some(weights) => {
                let by = |weight: &f64| shift.iter().map(|x| x * weight).collect();
                GradientJson::Waypoints { waypoints: weights.iter().map(by).collect(), degenerate }
            }
        }
    }

    /// Returns the derivatives of a time over `[0, duration]` instead of `[0, 1]`.
    pub(crate) fn over(mut self, duration: f64) -> GradientJson {
        let scale = |values: &mut [f64]| values.iter_mut().for_each(|value| *value *= duration);
        let motions = match &mut self {
            GradientJson::Joints { from, to, .. } => {
                [from, to].into_iter().for_each(|end| scale(end));
                return self;
            }
            GradientJson::Waypoints { waypoints, .. } => {
                waypoints.iter_mut().for_each(|waypoint| scale(waypoint));
                return self;
            }
            GradientJson::Shift { shift, .. } => {
                scale(shift);
                return self;
            }
            GradientJson::Bodies { bodies, .. } => bodies,
        };
        for motion in motions {
            match motion {
                MotionJson::Poses { from, to } => {
                    for pose in [from, to] {
                        [&mut pose.xyz, &mut pose.rotation].into_iter().for_each(|part| scale(part));
                    }
                }
                MotionJson::Joints { from, to } => [from, to].into_iter().for_each(|end| scale(end)),
                MotionJson::Shift { shift } => scale(shift),
                MotionJson::Held { shift, pose } => {
                    scale(shift);
                    [&mut pose.xyz, &mut pose.rotation].into_iter().for_each(|part| scale(part));
                }
                MotionJson::Vertices { vertices } => {
                    for vertex in vertices {
                        [&mut vertex.from, &mut vertex.to].into_iter().for_each(|end| scale(end));
                    }
                }
                MotionJson::Other(_) => {}
            }
        }
        self
    }
}

/// Returns the derivatives as a few lines of text.
fn gradient_text(gradient: &GradientJson) -> String {
    let numbers = |values: &[f64]| values.iter().map(|x| format!("{x:.6}")).collect::<Vec<_>>().join(" ");
    let ends = |from: String, to: String| format!("  {:<9}from {from}\n  {:<9}to   {to}\n", "d toi", "");
    let shifted = |by: &[f64]| format!("  {:<9}by a shift there {}\n", "d toi", numbers(by));
    let pose = |pose: &PoseJson| format!("{}, turned {}", numbers(&pose.xyz), numbers(&pose.rotation));
    let of_motion = |motion: &MotionJson| match motion {
        MotionJson::Poses { from, to } => ends(pose(from), pose(to)),
        MotionJson::Held { shift, pose: lay } => {
            format!("{}  {:<9}by where it lay {}\n", shifted(shift), "d toi", pose(lay))
        }
        MotionJson::Joints { from, to } => ends(numbers(from), numbers(to)),
        MotionJson::Shift { shift } => shifted(shift),
        MotionJson::Vertices { vertices } => vertices
            .iter()
            .map(|v| {
                format!(
                    "  {:<9}vertex {}: from {}, to {}\n",
                    "d toi",
                    v.vertex,
                    numbers(&v.from),
                    numbers(&v.to)
                )
            })
            .collect(),
        MotionJson::Other(_) => format!("  {:<9}not known for this motion\n", "d toi"),
    };
    let (text, degenerate) = match gradient {
        GradientJson::Joints { from, to, degenerate } => (ends(numbers(from), numbers(to)), degenerate),
        GradientJson::Bodies { bodies, degenerate } => (bodies.iter().map(of_motion).collect(), degenerate),
        GradientJson::Shift { shift, degenerate } => (shifted(shift), degenerate),
        GradientJson::Waypoints { waypoints, degenerate } => {
            let line =
                |(k, by): (usize, &Vec<f64>)| format!("  {:<9}waypoint {k} {}\n", "d toi", numbers(by));
            (waypoints.iter().enumerate().map(line).collect(), degenerate)
        }
    };
    match degenerate {
        Some(why) => text + &format!("  {:<9}the touch is degenerate ({why}): no derivative exists\n", ""),
        None => text,
    }
}
