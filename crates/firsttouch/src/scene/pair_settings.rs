//! What a scene says about single pairs of bodies: those that are not checked, those with a separation of their own,
//! and those that CONTACT decides.
//!
//! Pairs are stored by the ids of their bodies, so that removing a body changes no pair of others. Each body knows its partners: removing it
//! costs as much as it has settings, however many the scene has.

use std::collections::{HashMap, HashSet};

use std::sync::{Arc, OnceLock};

use super::directory::BodyId;
use crate::error::Result;
use crate::screw_pair::{ScrewPair, ScrewPairOptions};
use crate::shape::Mesh;

/// Two bodies, lower id first; a body with itself for its own parts.
pub(super) type IdPair = [BodyId; 2];

#[derive(Debug, Clone, Default)]
pub(super) struct PairSettings {
    allowed: HashSet<IdPair>,
    /// How many of the allowed pairs are a body with itself.
    allowed_selves: usize,
    separations: HashMap<IdPair, f64>,
    contacts: HashMap<IdPair, ContactChoice>,
    /// The other body of every pair that a body is in.
    partners: HashMap<BodyId, HashSet<BodyId>>,
}

/// A pair that CONTACT decides, with its trees of spheres once they are built.
#[derive(Debug, Clone)]
pub(super) struct ContactChoice {
    pub(super) options: ScrewPairOptions,
    /// The trees of the meshes that the two bodies had when they were built, the moving one first.
    built: OnceLock<Arc<ScrewPair>>,
}

impl ContactChoice {
    /// Returns the trees of these two meshes, the moving one first. Trees of other meshes, which a body had before, are
    /// not used.
    pub(super) fn trees(&self, meshes: [&Arc<Mesh>; 2]) -> Result<Arc<ScrewPair>> {
        let fits = |pair: &Arc<ScrewPair>| {
            pair.meshes().into_iter().zip(meshes).all(|(known, mesh)| Arc::ptr_eq(known, mesh))
        };
        if let Some(pair) = self.built.get().filter(|pair| fits(pair)) {
            return Ok(Arc::clone(pair));
        }
        let [moving, resting] = meshes.map(Arc::clone);
        let pair = Arc::new(ScrewPair::new(moving, resting, self.options)?);
        // Another thread may have built the same trees.
        let _ = self.built.set(Arc::clone(&pair));
        Ok(pair)
    }
}

impl PairSettings {
    pub(super) fn allow(&mut self, pair: IdPair) {
        if self.allowed.insert(pair) {
            self.allowed_selves += usize::from(pair[0] == pair[1]);
            self.join(pair);
        }
    }

    pub(super) fn keep_apart(&mut self, pair: IdPair, separation: f64) {
        if self.separations.insert(pair, separation).is_none() {
            self.join(pair);
        }
    }

    pub(super) fn decide_by_contact(&mut self, pair: IdPair, options: ScrewPairOptions) {
        let choice = ContactChoice { options, built: OnceLock::new() };
        if self.contacts.insert(pair, choice).is_none() {
            self.join(pair);
        }
    }

    /// Forgets the trees of spheres of all pairs of a body, whose shape has changed.
    pub(super) fn forget_trees(&mut self, id: BodyId) {
        let changed = self.contacts.iter_mut().filter(|(pair, _)| pair.contains(&id));
        changed.for_each(|(_, choice)| choice.built = OnceLock::new());
    }

    pub(super) fn contact(&self, pair: IdPair) -> Option<&ContactChoice> {
        if self.contacts.is_empty() { None } else { self.contacts.get(&pair) }
    }

    /// The pairs that CONTACT decides, in any order.
    pub(super) fn contacts(&self) -> impl Iterator<Item = (IdPair, &ContactChoice)> {
        self.contacts.iter().map(|(pair, choice)| (*pair, choice))
    }

    fn join(&mut self, [a, b]: IdPair) {
        self.partners.entry(a).or_default().insert(b);
        self.partners.entry(b).or_default().insert(a);
    }

    /// Forgets all pairs of a body.
    pub(super) fn remove(&mut self, id: BodyId) {
        for partner in self.partners.remove(&id).unwrap_or_default() {
            let pair = [id.min(partner), id.max(partner)];
            if self.allowed.remove(&pair) {
                self.allowed_selves -= usize::from(id == partner);
            }
            self.separations.remove(&pair);
            self.contacts.remove(&pair);
            if let Some(others) = self.partners.get_mut(&partner) {
                others.remove(&id);
                if others.is_empty() {
                    self.partners.remove(&partner);
                }
            }
        }
    }

    pub(super) fn is_allowed(&self, pair: IdPair) -> bool {
        !self.allowed.is_empty() && self.allowed.contains(&pair)
    }

    /// How many pairs of two different bodies are allowed to touch.
    pub(super) fn allowed_between_two(&self) -> usize {
        self.allowed.len() - self.allowed_selves
    }

    /// The allowed pairs, in any order.
    pub(super) fn allowed(&self) -> impl Iterator<Item = IdPair> {
        self.allowed.iter().copied()
    }

    pub(super) fn separation(&self, pair: IdPair) -> Option<f64> {
        if self.separations.is_empty() { None } else { self.separations.get(&pair).copied() }
    }

    /// The pairs with separations of their own, in any order.
    pub(super) fn separations(&self) -> impl Iterator<Item = (IdPair, f64)> {
        self.separations.iter().map(|(pair, separation)| (*pair, *separation))
    }
}
