//! The result of a search: a pair of features that touches, or one whose budget ran out, and its reported touch.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::{Answer, Feature, Part, Touch};
use crate::elementary::contact::place;
use crate::elementary::{Contact, EdgeEdge, VertexFace};

use super::hierarchy::Carrier;
use super::mesh::Deformable;
use super::query::Query;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    VertexFace,
    EdgeEdge,
}

/// A touch, or a pair whose budget ran out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) time: f64,
    /// `None` if the pair is undecided.
    pub(super) contact: Option<Contact>,
    pub(super) kind: Kind,
    /// The order of events of one kind and time: the user's indices of the vertex and of the face, or of the ends of
    /// both edges. Edges are numbered in the order of their ends.
    pub(super) keys: [[u32; 2]; 2],
    /// The tree's indices, in the same order.
    pub(super) own: [u32; 2],
}

impl Event {
    pub(super) fn order(&self, other: &Event) -> Ordering {
        // A touch at the start comes before one whose time is rounded to 0.
        let key = |e: &Event| (!e.at_start(), e.contact.is_none(), e.kind, e.keys);
        self.time.total_cmp(&other.time).then_with(|| key(self).cmp(&key(other)))
    }

    /// Returns true if the pair touches at time 0. A time of 0 may be the result of rounding; its upper bound is 0 only
    /// if the time is exactly 0.
    pub(super) fn at_start(&self) -> bool {
        self.contact.is_some_and(|contact| contact.toi_upper == 0.0)
    }

    pub(super) fn features(&self, mesh: &Deformable) -> [Feature; 2] {
        match self.kind {
            Kind::VertexFace => [Feature::Vertex(self.keys[0][0]), Feature::Face(self.keys[1][0])],
            Kind::EdgeEdge => self.own.map(|edge| Feature::Edge(mesh.edge_number(edge as usize))),
        }
    }
}

/// A pair that touches, or whose budget ran out.
#[derive(Clone, Copy)]
pub struct FoundPair<'a> {
    pub(super) query: &'a Query<'a>,
    pub(super) event: &'a Event,
}

impl FoundPair<'_> {
    /// Returns a vertex and a face, or two edges with the smaller index first.
    pub fn features(&self) -> [Feature; 2] {
        self.event.features(self.query.mesh)
    }

    /// Returns the time of the touch, or the time up to which an undecided pair is free.
    pub fn time(&self) -> f64 {
        self.event.time
    }

    /// Returns the proven answer for the pair: a touch, at the start or later, or undecided.
    pub fn answer(&self) -> Answer {
        self.query.answer(self.event)
    }

    /// Returns the details of the touch; `None` if the budget of the pair ran out.
    pub fn touch(&self) -> Option<Touch> {
        self.event.contact.map(|contact| self.query.touch(self.event, &contact))
    }
}

impl std::fmt::Debug for FoundPair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.event.fmt(f)
    }
}

impl Query<'_> {
    pub(super) fn answer(&self, event: &Event) -> Answer {
        match &event.contact {
            None => Answer::Undecided { free_until: event.time, bodies: [0, 0] },
            Some(contact) => {
                let touch = self.touch(event, contact);
                if event.at_start() { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
            }
        }
    }

    pub(super) fn touch(&self, event: &Event, contact: &Contact) -> Touch {
        let mesh = self.mesh;
        let tree = &mesh.tree;
        let [i, j] = event.own.map(|i| i as usize);
        let wanted = self.options.min_separation + self.options.tolerance;
        let (placed, carriers) = match event.kind {
            Kind::VertexFace => {
                let face = &tree.faces[j];
                let [a, b, c] = face.vertices;
                let at =
                    |frame: &[DVec3]| [frame[i], frame[a as usize], frame[b as usize], frame[c as usize]];
                let pair = VertexFace { t0: at(&mesh.t0), t1: at(&mesh.t1) };
                let placed = place(&pair, contact.toi, contact.parameters, wanted);
                (placed, [tree.vertex_carrier[i], face.id])
            }
            Kind::EdgeEdge => {
                let ([a, b], [c, d]) = (tree.edges[i].vertices, tree.edges[j].vertices);
                let at = |frame: &[DVec3]| {
                    [frame[a as usize], frame[b as usize], frame[c as usize], frame[d as usize]]
                };
                let pair = EdgeEdge { t0: at(&mesh.t0), t1: at(&mesh.t1) };
                let placed = place(&pair, contact.toi, contact.parameters, wanted);
                (placed, [tree.edge_carrier[i], tree.edge_carrier[j]])
            }
        };
        let part = |carrier: u32| match mesh.topology.carrier(carrier) {
            Carrier::Triangle(i) => Part::Triangle(i),
            Carrier::Edge(i) => Part::LooseEdge(i),
            Carrier::Point(i) => Part::LoosePoint(i),
        };
        Touch {
            toi: contact.toi,
            free_until: contact.toi,
            gap: placed.gap,
            bodies: [0, 0],
            parts: carriers.map(part),
            features: event.features(mesh),
            points: placed.points,
            normal: contact.normal,
        }
    }
}
