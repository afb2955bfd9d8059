//! One vertex and face, or two edges, whose vertices move linearly.

use std::mem::MaybeUninit;

use firsttouch::elementary::{
    Contact, Decision, EdgeEdge, Stage, Verdict, VertexFace, edge_edge, edge_edge_batch, vertex_face,
    vertex_face_batch,
};
use firsttouch::{Limits, Options};
use glam::DVec3;

use crate::border::{Failure, Out, Outcome, ft_status, given, guarded, list, list_out};
use crate::values::{ft_answer_kind, ft_options, options};

/// Four points that move on straight lines. For a vertex and a face: the vertex, then the corners of the triangle. For
/// two edges: the ends of the first, then of the second.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_four_points {
    /// The points at time 0.
    pub t0: [[f64; 3]; 4],
    /// The points at time 1.
    pub t1: [[f64; 3]; 4],
}

/// The stage of the cascade that decided: `ft_contact.stage`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_stage {
    /// Entry and exit times along the coordinate axes.
    Axes = 0,
    /// Signs of Bernstein coefficients.
    Bernstein = 1,
    /// Certified roots in floating point.
    Float = 2,
    /// Exact arithmetic.
    Exact = 3,
    /// Conservative advancement, for a separation.
    Advancement = 4,
}

/// The answer about two features.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_contact {
    /// `FT_ANSWER_KIND_FREE`, `FT_ANSWER_KIND_TOUCH` or (with a separation only) `FT_ANSWER_KIND_UNDECIDED`.
    pub kind: u32,
    /// One of `ft_stage`.
    pub stage: u32,
    /// Never after the exact first contact; 0 if they touch at time 0.
    pub toi: f64,
    /// Never before the exact first contact; with a separation equal to `toi`.
    pub toi_upper: f64,
    /// The time before which they do not touch. This is proven.
    pub free_until: f64,
    /// The midpoint of the closest points at `toi`.
    pub point: [f64; 3],
    /// A vertex and a face: the weights of the corners. Two edges: the position on the first, the position on the
    /// second, 0.
    pub parameters: [f64; 3],
    /// The unit normal from the first to the second.
    pub normal: [f64; 3],
}

impl ft_four_points {
    fn read<T>(&self, new: impl FnOnce([DVec3; 4], [DVec3; 4]) -> firsttouch::Result<T>) -> Outcome<T> {
        Ok(new(self.t0.map(DVec3::from_array), self.t1.map(DVec3::from_array))?)
    }
}

impl ft_contact {
    fn new(decision: &Decision, t_max: f64) -> ft_contact {
        let stage = match decision.stage {
            Stage::Axes => ft_stage::Axes,
            Stage::Bernstein => ft_stage::Bernstein,
            Stage::Float => ft_stage::Float,
            Stage::Exact => ft_stage::Exact,
            Stage::Advancement => ft_stage::Advancement,
        } as u32;
        let of = |kind: ft_answer_kind, free_until: f64| ft_contact {
            kind: kind as u32,
            stage,
            free_until,
            ..ft_contact::default()
        };
        match decision.outcome {
            Verdict::Free => of(ft_answer_kind::Free, t_max),
            Verdict::Undecided { free_until } => of(ft_answer_kind::Undecided, free_until),
            Verdict::Touch(Contact { toi, toi_upper, point, parameters, normal }) => ft_contact {
                toi,
                toi_upper,
                point: point.to_array(),
                parameters,
                normal: normal.to_array(),
                ..of(ft_answer_kind::Touch, toi)
            },
        }
    }
}

#[inline]
fn single<T>(
    points: Option<&ft_four_points>,
    given_options: Option<&ft_options>,
    contact: Out<'_, ft_contact>,
    new: fn([DVec3; 4], [DVec3; 4]) -> firsttouch::Result<T>,
    decide: fn(&T, &Limits) -> Decision,
) -> ft_status {
    guarded(|| {
        let (points, contact) = (given("points", points)?, given("contact", contact)?);
        let options = options(given_options)?;
        let limits = limits(&options)?;
        contact.write(ft_contact::new(&decide(&points.read(new)?, &limits), options.t_max));
        Ok(())
    })
}

fn limits(options: &Options) -> Outcome<Limits> {
    Ok(Limits::new(options)?)
}

/// # Safety
/// The points can be read, and `count` contacts can be written.
unsafe fn batch<T>(
    points: *const ft_four_points,
    count: usize,
    given_options: Option<&ft_options>,
    contacts: *mut MaybeUninit<ft_contact>,
    new: fn([DVec3; 4], [DVec3; 4]) -> firsttouch::Result<T>,
    decide: fn(&[T], &Limits, &mut Vec<Decision>),
) -> ft_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let points = unsafe { list("points", points, count)? };
        // SAFETY: the caller's promise.
        let contacts = unsafe { list_out("contacts", contacts, count)? };
        let options = options(given_options)?;
        let limits = limits(&options)?;
        let mut pairs = Vec::with_capacity(count);
        for (index, points) in points.iter().enumerate() {
            let pair = new(points.t0.map(DVec3::from_array), points.t1.map(DVec3::from_array));
            pairs.push(pair.map_err(|error| Failure::invalid(format!("query {index}: {error}")))?);
        }
        let mut decisions = Vec::with_capacity(count);
        decide(&pairs, &limits, &mut decisions);
        contacts.iter_mut().zip(&decisions).for_each(|(place, decision)| {
            place.write(ft_contact::new(decision, options.t_max));
        });
        Ok(())
    })
}

/// Finds the first contact of a moving vertex and a moving triangle, decided exactly. `options` may be NULL: the
/// default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_vertex_face(
    points: Option<&ft_four_points>,
    options: Option<&ft_options>,
    contact: Option<&mut MaybeUninit<ft_contact>>,
) -> ft_status {
    single(points, options, contact, VertexFace::new, vertex_face)
}

/// Finds the first contact of two moving segments, decided exactly. `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_edge_edge(
    points: Option<&ft_four_points>,
    options: Option<&ft_options>,
    contact: Option<&mut MaybeUninit<ft_contact>>,
) -> ft_status {
    single(points, options, contact, EdgeEdge::new, edge_edge)
}

/// Answers `count` queries of `ft_vertex_face`, several at a time with vector instructions; `count` contacts are
/// written. `options` may be NULL: the default. If one query is refused, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_vertex_face_batch(
    points: *const ft_four_points,
    count: usize,
    options: Option<&ft_options>,
    contacts: *mut MaybeUninit<ft_contact>,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe { batch(points, count, options, contacts, VertexFace::new, vertex_face_batch) }
}

/// Answers `count` queries of `ft_edge_edge`, several at a time with vector instructions; `count` contacts are written.
/// `options` may be NULL: the default. If one query is refused, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_edge_edge_batch(
    points: *const ft_four_points,
    count: usize,
    options: Option<&ft_options>,
    contacts: *mut MaybeUninit<ft_contact>,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe { batch(points, count, options, contacts, EdgeEdge::new, edge_edge_batch) }
}
