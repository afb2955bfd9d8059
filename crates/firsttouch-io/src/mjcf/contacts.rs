//! Which pairs of bodies are never checked by MuJoCo.
//!
//! 1. Bodies without joints are welded to their parents. Two bodies of one weld are not checked against each other.
//! 2. A weld and the one that carries it are not checked against each other, unless the carrier is the world's.
//! 3. Two geoms are checked if `contype` of one and `conaffinity` of the other have a bit in common. A pair of bodies is left out if none of
//!    its pairs of geoms has one; where only some have, all are checked.
//! 4. `<exclude>` names pairs of bodies that are left out.

use super::elements::Document;
use crate::error::{Problem, Result};
use crate::source::shown;
use std::collections::{HashMap, HashSet};

/// What decides about the contacts of a body.
pub(super) struct BodyContacts {
    /// The link of its geometry, which has the name of the body.
    pub(super) link: String,
    /// The first body of its weld, and of the weld that carries it.
    weld: usize,
    carrier: usize,
    /// The distinct pairs of `contype` and `conaffinity` of its geoms.
    filters: Vec<[u32; 2]>,
}

/// More bodies with geometry are refused: every pair of them is looked at.
const MOST_BODIES: usize = 3000;

/// A body with more distinct filters is checked against everything.
const MOST_FILTERS: usize = 64;

impl BodyContacts {
    pub(super) fn world(link: String) -> BodyContacts {
        BodyContacts { link, weld: 0, carrier: 0, filters: Vec::new() }
    }

    /// A body in another one.
    pub(super) fn child(
        link: String,
        parent: usize,
        is_welded: bool,
        bodies: &[BodyContacts],
    ) -> BodyContacts {
        let BodyContacts { weld, carrier, .. } = bodies[parent];
        let (weld, carrier) = if is_welded { (weld, carrier) } else { (bodies.len(), weld) };
        BodyContacts { link, weld, carrier, filters: Vec::new() }
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

    /// Whether it is fixed to the world.
    pub(super) fn is_static(&self) -> bool {
        self.weld == 0
    }

    fn may_touch(&self, other: &BodyContacts) -> bool {
        let (a, b) = (self, other);
        let is_carried = |a: &BodyContacts, b: &BodyContacts| a.carrier == b.weld;
        if a.weld == b.weld || (a.weld != 0 && b.weld != 0 && (is_carried(a, b) || is_carried(b, a))) {
            return false;
        }
        let meet = |[t1, a1]: &[u32; 2], [t2, a2]: &[u32; 2]| t1 & a2 != 0 || t2 & a1 != 0;
        a.filters.iter().any(|of_a| b.filters.iter().any(|of_b| meet(of_a, of_b)))
    }
}

/// The pairs of links that are left out, each once.
pub(super) fn allowed_pairs(
    document: &Document,
    bodies: &[BodyContacts],
    excluded: &[[&str; 2]],
) -> Result<Vec<[String; 2]>> {
    let solid: Vec<&BodyContacts> = bodies.iter().filter(|body| !body.filters.is_empty()).collect();
    if solid.len() > MOST_BODIES {
        let problem =
            Problem::TooLarge { what: "the number of bodies with geoms".into(), limit: MOST_BODIES as u64 };
        return Err(document.error(&document.root, problem));
    }
    let mut pairs = Vec::new();
    let mut known: HashSet<[&str; 2]> = HashSet::new();
    for (i, a) in solid.iter().enumerate() {
        for b in solid[i + 1..].iter().filter(|b| !a.may_touch(b)) {
            known.insert([&a.link, &b.link]);
            pairs.push([a.link.clone(), b.link.clone()]);
        }
    }
    for &[a, b] in excluded {
        if a != b && !known.contains(&[a, b]) && !known.contains(&[b, a]) {
            known.insert([a, b]);
            pairs.push([a.to_string(), b.to_string()]);
        }
    }
    Ok(pairs)
}

/// The links with geometry that are not checked against a geom of a body that is fixed to the world, where the geom is not part of a link.
pub(super) fn links_left_out(
    bodies: &[BodyContacts],
    owner: &BodyContacts,
    filter: [u32; 2],
    excluded: &[[&str; 2]],
) -> Vec<String> {
    let alone = BodyContacts { filters: vec![filter], link: owner.link.clone(), ..*owner };
    let partner = |&[a, b]: &[&'_ str; 2]| match (a == owner.link, b == owner.link) {
        (true, _) => Some(b.to_string()),
        (_, true) => Some(a.to_string()),
        _ => None,
    };
    let partners: HashSet<String> = excluded.iter().filter_map(partner).collect();
    let left_out = |body: &&BodyContacts| !alone.may_touch(body) || partners.contains(&body.link);
    let solid = bodies.iter().filter(|body| !body.filters.is_empty());
    solid.filter(left_out).map(|body| body.link.clone()).collect()
}

/// The links of the bodies that `<exclude>` names.
pub(super) fn excluded_pairs<'b>(
    document: &Document,
    bodies: &'b [BodyContacts],
) -> Result<Vec<[&'b str; 2]>> {
    let mut pairs = Vec::new();
    let by_name: HashMap<&str, &BodyContacts> = bodies.iter().map(|body| (&body.link[..], body)).collect();
    for element in document.sections("contact").flat_map(|contact| &contact.children) {
        if element.tag != "exclude" {
            continue;
        }
        let body = |key: &str| {
            let missing = || document.malformed(element, format!("<exclude> needs {key}=\"...\""));
            let name = element.attribute(key).ok_or_else(missing)?;
            let found = if name == "world" { bodies.first() } else { by_name.get(name).copied() };
            let text = || format!("there is no body \"{}\"", shown(name.as_bytes()));
            found.ok_or_else(|| document.malformed(element, text()))
        };
        pairs.push([&body("body1")?.link[..], &body("body2")?.link[..]]);
    }
    Ok(pairs)
}
