//! The directory of body names and indices, while bodies are added and removed.
//!
//! The index of a body decreases when one before it is removed. Data that must stay valid is stored by id: a number
//! that a body gets when it is added, and that no other body of the scene ever gets. Ids ascend with the indices, so a
//! binary search finds the index of an id. Removing one of n bodies moves at most 8 n bytes here and as many in the
//! list of bodies; nothing else depends on n.

use std::collections::HashMap;

use crate::body::Body;

/// Up to this many names are compared one by one. For two boxes, a hash table would cost more than the query.
const FEW: usize = 8;

/// A number of a body that never changes.
pub(crate) type BodyId = u64;

#[derive(Debug, Clone, Default)]
pub(crate) struct Directory {
    /// The id of each body, in the order of the bodies: ascending.
    ids: Vec<BodyId>,
    next: BodyId,
    /// The body with each name, if there are more than [`FEW`].
    named: HashMap<String, BodyId>,
}

impl Directory {
    /// Adds the last one of the bodies.
    pub(crate) fn push(&mut self, bodies: &[Body]) {
        self.ids.push(self.next);
        self.next += 1;
        if bodies.len() > FEW {
            let first = if self.named.is_empty() { 0 } else { bodies.len() - 1 };
            let new = bodies[first..].iter().zip(&self.ids[first..]);
            self.named.extend(new.map(|(body, &id)| (body.name().into(), id)));
        }
    }

    /// Removes the body at an index and returns its id.
    pub(crate) fn remove(&mut self, index: usize, name: &str) -> BodyId {
        self.named.remove(name);
        let id = self.ids.remove(index);
        if self.ids.len() <= FEW {
            self.named.clear();
        }
        id
    }

    /// Returns the index of the body with a name.
    pub(crate) fn find(&self, bodies: &[Body], name: &str) -> Option<usize> {
        if bodies.len() <= FEW {
            return bodies.iter().position(|body| body.name() == name);
        }
        self.named.get(name).and_then(|&id| self.index_of(id))
    }

    pub(crate) fn id_of(&self, index: usize) -> BodyId {
        self.ids[index]
    }

    /// Returns the index of the body with an id, unless that body was removed.
    pub(crate) fn index_of(&self, id: BodyId) -> Option<usize> {
        // As long as nothing was removed, the ids are the indices.
        match self.ids.get(id as usize) {
            Some(&there) if there == id => Some(id as usize),
            _ => self.ids.binary_search(&id).ok(),
        }
    }
}
