//! Finds the pairs of bodies that MuJoCo never checks.
//!
//! 1. Bodies without joints are welded to their parents. Two bodies of one weld are not checked against each other.
//! 2. A weld and the weld that carries it are not checked against each other, unless the carrier is the world's.
//! 3. Two geoms are checked if `contype` of one and `conaffinity` of the other have a bit in common. A pair of bodies
//!    is left out if no pair of their geoms has one; if only some have, all are checked.
//! 4. `<exclude>` names pairs of bodies that are left out.
//! 5. `<pair>` names pairs of geoms that are checked regardless of the other rules. Such a geom is a separate link.
//! 6. With the flag `filterparent="disable"`, the second rule does not hold.

use super::elements::Document;
use crate::error::{Problem, Result};
use crate::source::shown;
use std::collections::{HashMap, HashSet};

/// The data that decides about the contacts of a body, or of a single geom.
pub(super) struct BodyContacts {
    /// The link of its geometry. It has the name of the body, or the name of a single geom of a body.
    pub(super) link: String,
    /// The body itself, or the one that a single geom belongs to.
    body: usize,
    /// The first body of its weld, and of the weld that carries it.
    weld: usize,
    carrier: usize,
    /// The distinct pairs of `contype` and `conaffinity` of its geoms.
    filters: Vec<[u32; 2]>,
}

/// More bodies with geometry are refused, because every pair of them is examined.
const MOST_BODIES: usize = 3000;

/// A body with more distinct filters is checked against everything.
const MOST_FILTERS: usize = 64;

impl BodyContacts {
    pub(super) fn world(link: String) -> BodyContacts {
        BodyContacts { link, body: 0, weld: 0, carrier: 0, filters: Vec::new() }
    }

    /// Returns the contacts of a body in another one.
    pub(super) fn child(
        link: String,
        parent: usize,
        is_welded: bool,
        bodies: &[BodyContacts],
    ) -> BodyContacts {
        let BodyContacts { weld, carrier, .. } = bodies[parent];
        let (weld, carrier) = if is_welded { (weld, carrier) } else { (bodies.len(), weld) };
        BodyContacts { link, body: bodies.len(), weld, carrier, filters: Vec::new() }
    }

    /// Returns the contacts of a single geom of a body.
    pub(super) fn part(link: String, body: usize, bodies: &[BodyContacts]) -> BodyContacts {
        let BodyContacts { weld, carrier, .. } = bodies[body];
        BodyContacts { link, body, weld, carrier, filters: Vec::new() }
    }

    /// Adds a geom.
    pub(super) fn add(&mut self, filter: [u32; 2]) {
        if !self.filters.contains(&filter) {
            self.filters.push(filter);
        }
        if self.filters.len() > MOST_FILTERS {
            self.filters = vec![[u32::MAX; 2]];
        }
    }

    /// Returns true if it is fixed to the world.
    pub(super) fn is_static(&self) -> bool {
        self.weld == 0
    }
}

/// The place of a geom that a `<pair>` names: the contacts of its link, or a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Carrier {
    Body(usize),
    Plane(usize),
}

/// All rules of a model.
pub(super) struct Rules<'b> {
    pub(super) bodies: &'b [BodyContacts],
    pub(super) filter_parents: bool,
    /// Pairs of bodies, the smaller index first.
    pub(super) excluded: Vec<[usize; 2]>,
    pub(super) required: HashSet<[Carrier; 2]>,
}

impl Rules<'_> {
    fn may_touch(&self, a: &BodyContacts, b: &BodyContacts) -> bool {
        let is_carried = |a: &BodyContacts, b: &BodyContacts| self.filter_parents && a.carrier == b.weld;
        if a.weld == b.weld || (a.weld != 0 && b.weld != 0 && (is_carried(a, b) || is_carried(b, a))) {
            return false;
        }
        let meet = |[t1, a1]: &[u32; 2], [t2, a2]: &[u32; 2]| t1 & a2 != 0 || t2 & a1 != 0;
        a.filters.iter().any(|of_a| b.filters.iter().any(|of_b| meet(of_a, of_b)))
    }

    /// Returns the pairs of links that are left out, each once.
    pub(super) fn allowed_pairs(&self, document: &Document) -> Result<Vec<[String; 2]>> {
        let bodies = self.bodies.iter().enumerate();
        let solid: Vec<(usize, &BodyContacts)> =
            bodies.filter(|(_, body)| !body.filters.is_empty()).collect();
        if solid.len() > MOST_BODIES {
            let problem = Problem::TooLarge {
                what: "the number of bodies with geoms".into(),
                limit: MOST_BODIES as u64,
            };
            return Err(document.error(&document.root, problem));
        }
        let excluded: HashSet<[usize; 2]> = self.excluded.iter().copied().collect();
        let mut pairs = Vec::new();
        let mut known: HashSet<[usize; 2]> = HashSet::new();
        for (at, &(i, a)) in solid.iter().enumerate() {
            for &(j, b) in &solid[at + 1..] {
                let is_excluded = !excluded.is_empty() && excluded.contains(&sorted(a.body, b.body));
                let is_required = self.required.contains(&[Carrier::Body(i), Carrier::Body(j)]);
                if (is_excluded || !self.may_touch(a, b)) && !is_required {
                    known.insert([i, j]);
                    pairs.push([a.link.clone(), b.link.clone()]);
                }
            }
        }
        for &[i, j] in &self.excluded {
            if i != j && known.insert([i, j]) {
                pairs.push([self.bodies[i].link.clone(), self.bodies[j].link.clone()]);
            }
        }
        Ok(pairs)
    }

    /// Returns the links with geometry that are not checked against a plane of a body; the plane is not part of a link.
    pub(super) fn links_left_out(&self, plane: usize, body: usize, filter: [u32; 2]) -> Vec<String> {
        let owner = &self.bodies[body];
        let alone = BodyContacts { filters: vec![filter], link: owner.link.clone(), ..*owner };
        let left_out = |(i, other): &(usize, &BodyContacts)| {
            let is_excluded = self.excluded.contains(&sorted(owner.body, other.body));
            let is_required = self.required.contains(&[Carrier::Body(*i), Carrier::Plane(plane)]);
            (is_excluded || !self.may_touch(&alone, other)) && !is_required
        };
        let solid = self.bodies.iter().enumerate().filter(|(_, body)| !body.filters.is_empty());
        solid.filter(left_out).map(|(_, body)| body.link.clone()).collect()
    }
}

fn sorted(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// Returns the bodies that `<exclude>` names.
pub(super) fn excluded_pairs(document: &Document, bodies: &[BodyContacts]) -> Result<Vec<[usize; 2]>> {
    let mut pairs = Vec::new();
    let own = bodies.iter().enumerate().filter(|(i, body)| body.body == *i);
    let by_name: HashMap<&str, usize> = own.map(|(i, body)| (&body.link[..], i)).collect();
    for element in document.sections("contact").flat_map(|contact| &contact.children) {
        if element.tag != "exclude" {
            continue;
        }
        let body = |key: &str| {
            let missing = || document.malformed(element, format!("<exclude> needs {key}=\"...\""));
            let name = element.attribute(key).ok_or_else(missing)?;
            let found = if name == "world" { Some(0) } else { by_name.get(name).copied() };
            let text = || format!("there is no body \"{}\"", shown(name.as_bytes()));
            found.ok_or_else(|| document.malformed(element, text()))
        };
        pairs.push(sorted(body("body1")?, body("body2")?));
    }
    Ok(pairs)
}

/// Returns the geoms that `<pair>` names.
pub(super) fn required_pairs(
    document: &Document,
    of_geom: &HashMap<&str, Carrier>,
) -> Result<HashSet<[Carrier; 2]>> {
    let mut pairs = HashSet::new();
    for element in document.sections("contact").flat_map(|contact| &contact.children) {
        if element.tag != "pair" {
            continue;
        }
        let geom = |key: &str| {
            let missing = || document.malformed(element, format!("<pair> needs {key}=\"...\""));
            let name = element.attribute(key).ok_or_else(missing)?;
            let text = || format!("there is no geom \"{}\"", shown(name.as_bytes()));
            of_geom.get(name).copied().ok_or_else(|| document.malformed(element, text()))
        };
        let mut pair = [geom("geom1")?, geom("geom2")?];
        pair.sort_unstable();
        pairs.insert(pair);
    }
    Ok(pairs)
}
