//! Rules about pairs: the pairs that are not checked, and the separations of the others.
//!
//! 1. A [`PairRule`] is about two bodies, or about one body with itself. Parts of it may be about single links of
//!    robots. If several parts give a separation, the one that names more links counts. If they name equally many, the
//!    larger separation counts.
//! 2. [`Rules`] is the table of all pairs of a scene. Pairs are stored by the ids of their bodies, so that removing a
//!    body changes no pair of others. Each body knows its partners: removing it costs as much as it has rules, however
//!    many the scene has. A checker has one robot, and keeps the rule of the robot and an obstacle with the obstacle.
//! 3. A separation replaces that of the options. A padding is added to either; see [`padding`](super::padding).

use std::collections::{HashMap, HashSet};

use super::directory::BodyId;
use super::padding::Padding;
use crate::numerics::bound::upper_max;

/// Two bodies, lower id first; a body with itself for its own parts.
pub(crate) type IdPair = [BodyId; 2];

/// The links of the two parts of a pair, or the links that a rule is about; `None` for a body without links, or for all
/// links.
pub(crate) type Links = [Option<u32>; 2];

/// The rule for a pair of bodies.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PairRule {
    /// True if no part of one is checked against any part of the other.
    is_allowed: bool,
    /// The separation of all parts, unless one of `separations` is about them.
    separation: Option<f64>,
    /// Pairs of links that are not checked, in order.
    allowed: Vec<Links>,
    /// The separations of pairs of links, in the order of the links.
    separations: Vec<(Links, f64)>,
}

/// Returns true if a rule for the links `rule` applies to the parts of `links`.
#[inline]
fn is_about(rule: &Links, links: &Links) -> bool {
    rule.iter().zip(links).all(|(rule, link)| rule.is_none() || rule == link)
}

impl PairRule {
    /// Leaves out all parts of these links.
    pub(crate) fn allow(&mut self, links: Links) {
        if links == [None, None] {
            self.is_allowed = true;
        } else if let Err(place) = self.allowed.binary_search(&links) {
            self.allowed.insert(place, links);
        }
    }

    /// Sets the separation of all parts of these links.
    pub(crate) fn keep_apart(&mut self, links: Links, separation: f64) {
        if links == [None, None] {
            self.separation = Some(separation);
            return;
        }
        match self.separations.binary_search_by_key(&links, |(links, _)| *links) {
            Ok(place) => self.separations[place].1 = separation,
            Err(place) => self.separations.insert(place, (links, separation)),
        }
    }

    /// Returns true if the pair is left out as a whole.
    #[inline]
    pub(crate) fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Returns true if parts of these links are left out.
    #[inline]
    pub(crate) fn allows(&self, links: Links) -> bool {
        self.is_allowed || self.allowed.iter().any(|rule| is_about(rule, &links))
    }

    /// Returns the separation of all parts that no rule about links names.
    pub(crate) fn whole_separation(&self) -> Option<f64> {
        self.separation
    }

    /// Returns the separation of parts of these links.
    #[inline]
    pub(crate) fn separation(&self, links: Links) -> Option<f64> {
        let mut best: Option<(usize, f64)> = None;
        for (rule, separation) in self.separations.iter().filter(|(rule, _)| is_about(rule, &links)) {
            let named = rule.iter().flatten().count();
            if best.is_none_or(|(known, of_known)| named > known || named == known && *separation > of_known)
            {
                best = Some((named, *separation));
            }
        }
        best.map(|(_, separation)| separation).or(self.separation)
    }

    /// Like [`PairRule::separation`] for two parts of one body, in either order.
    pub(crate) fn separation_within(&self, [a, b]: Links) -> Option<f64> {
        match (self.separation([a, b]), self.separation([b, a])) {
            (Some(x), Some(y)) => Some(upper_max(x, y)),
            (found, other) => found.or(other),
        }
    }

    /// Returns the largest separation that any parts keep.
    pub(crate) fn largest_separation(&self) -> Option<f64> {
        let all = self.separations.iter().map(|(_, separation)| *separation).chain(self.separation);
        all.reduce(upper_max)
    }

    /// Returns the largest separation that any parts keep, if `min_separation` is that of parts without one of their
    /// own.
    pub(crate) fn most_kept(&self, min_separation: f64) -> f64 {
        let own = self.largest_separation();
        let other = self.separation.unwrap_or(min_separation);
        own.map_or(other, |own| upper_max(own, other))
    }

    /// Lists all pairs of links that are left out.
    pub(crate) fn all_allowed(&self) -> impl Iterator<Item = Links> {
        self.is_allowed.then_some([None, None]).into_iter().chain(self.allowed.iter().copied())
    }

    /// Lists all separations: first that of the whole pair, then those of single links with a body, then those of two
    /// links.
    pub(crate) fn all_separations(&self) -> impl Iterator<Item = (Links, f64)> {
        let of_links = |count: usize| {
            self.separations.iter().copied().filter(move |(links, _)| links.iter().flatten().count() == count)
        };
        self.separation.map(|whole| ([None, None], whole)).into_iter().chain(of_links(1)).chain(of_links(2))
    }

    /// Returns true if there is no rule about single links.
    pub(crate) fn is_about_whole_bodies(&self) -> bool {
        self.allowed.is_empty() && self.separations.is_empty()
    }

    /// Forgets a link that is gone. The indices of later links decrease by one. `side` is that of its robot.
    pub(crate) fn remove_link(&mut self, side: usize, link: u32) {
        self.allowed.retain(|rule| rule[side] != Some(link));
        self.separations.retain(|(rule, _)| rule[side] != Some(link));
        let rules = self.allowed.iter_mut().chain(self.separations.iter_mut().map(|(rule, _)| rule));
        for of_side in rules.filter_map(|rule| rule[side].as_mut()) {
            *of_side -= u32::from(*of_side > link);
        }
    }
}

/// The rules for the pairs of a scene, and the paddings of its robots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pairs: HashMap<IdPair, PairRule>,
    /// The number of pairs of two different bodies that are left out as a whole.
    allowed_between_two: usize,
    /// The other body of every pair that a body is in.
    partners: HashMap<BodyId, HashSet<BodyId>>,
    paddings: HashMap<BodyId, Padding>,
}

impl Rules {
    /// Leaves out a pair, or pairs of links of it.
    pub(crate) fn allow(&mut self, pair: IdPair, links: Links) {
        let rule = self.rule_mut(pair);
        let was_allowed = rule.is_allowed;
        rule.allow(links);
        let is_new = rule.is_allowed && !was_allowed;
        self.allowed_between_two += usize::from(is_new && pair[0] != pair[1]);
    }

    /// Sets the separation of a pair, or of pairs of links of it.
    pub(crate) fn keep_apart(&mut self, pair: IdPair, links: Links, separation: f64) {
        self.rule_mut(pair).keep_apart(links, separation);
    }

    /// Copies the rule of another world to a pair.
    pub(crate) fn follow(&mut self, pair: IdPair, rule: &PairRule) {
        rule.all_allowed().for_each(|links| self.allow(pair, links));
        rule.all_separations().for_each(|(links, separation)| self.keep_apart(pair, links, separation));
    }

    fn rule_mut(&mut self, [a, b]: IdPair) -> &mut PairRule {
        self.partners.entry(a).or_default().insert(b);
        self.partners.entry(b).or_default().insert(a);
        self.pairs.entry([a, b]).or_default()
    }

    /// Removes all rules about a body.
    pub(crate) fn remove(&mut self, id: BodyId) {
        self.paddings.remove(&id);
        for partner in self.partners.remove(&id).unwrap_or_default() {
            let pair = [id.min(partner), id.max(partner)];
            let rule = self.pairs.remove(&pair);
            let was_allowed = rule.is_some_and(|rule| rule.is_allowed);
            self.allowed_between_two -= usize::from(was_allowed && id != partner);
            if let Some(others) = self.partners.get_mut(&partner) {
                others.remove(&id);
                if others.is_empty() {
                    self.partners.remove(&partner);
                }
            }
        }
    }

    /// Returns true if no pair has a rule.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the rule for a pair.
    #[inline]
    pub(crate) fn of(&self, pair: IdPair) -> Option<&PairRule> {
        if self.pairs.is_empty() { None } else { self.pairs.get(&pair) }
    }

    /// Returns all pairs that have a rule, in any order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (IdPair, &PairRule)> {
        self.pairs.iter().map(|(pair, rule)| (*pair, rule))
    }

    /// Returns the number of pairs of two different bodies that are left out as a whole.
    pub(crate) fn allowed_between_two(&self) -> usize {
        self.allowed_between_two
    }

    /// Returns the padding of a robot.
    #[inline]
    pub(crate) fn padding(&self, robot: BodyId) -> Option<&Padding> {
        if self.paddings.is_empty() { None } else { self.paddings.get(&robot) }
    }

    /// Returns the padding of a robot, to be changed.
    pub(crate) fn padding_mut(&mut self, robot: BodyId) -> &mut Padding {
        self.paddings.entry(robot).or_default()
    }

    /// Returns the paddings of all robots that have one, in any order.
    pub(crate) fn paddings(&self) -> impl Iterator<Item = (BodyId, &Padding)> {
        self.paddings.iter().map(|(robot, padding)| (*robot, padding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a rule that names more links counts; of equal ones the larger separation, in any order of insertion.
    #[test]
    fn the_closest_part_of_a_rule_counts() {
        let mut rule = PairRule::default();
        rule.keep_apart([None, None], 1.0);
        rule.keep_apart([Some(3), None], 0.5);
        rule.keep_apart([None, Some(2)], 0.25);
        rule.keep_apart([Some(3), Some(4)], 0.125);
        let found = [[3, 4], [3, 2], [3, 7], [1, 2], [1, 1]].map(|links| rule.separation(links.map(Some)));
        assert_eq!(found, [0.125, 0.5, 0.5, 0.25, 1.0].map(Some));
        assert_eq!(rule.separation([None, None]), Some(1.0));
        assert_eq!(rule.largest_separation(), Some(1.0));
        assert_eq!(rule.separation_within([Some(2), Some(8)]), Some(1.0));
    }

    /// A link that is gone takes its rules along, and the later ones move down.
    #[test]
    fn a_link_takes_its_rules_along() {
        let mut rule = PairRule::default();
        for link in [2, 3, 4] {
            rule.allow([Some(link), None]);
        }
        rule.remove_link(0, 3);
        assert_eq!(rule.allowed, [[Some(2), None], [Some(3), None]]);
        assert!(!rule.allows([Some(4), None]) && !rule.allows([None, None]));
    }

    /// Removing a body forgets its pairs and no others.
    #[test]
    fn a_body_takes_its_pairs_along() {
        let mut rules = Rules::default();
        rules.allow([0, 1], [None, None]);
        rules.allow([1, 1], [None, None]);
        rules.allow([1, 2], [Some(5), None]);
        rules.keep_apart([0, 2], [None, None], 0.5);
        assert_eq!(rules.allowed_between_two(), 1);
        rules.remove(1);
        assert_eq!((rules.allowed_between_two(), rules.pairs().count()), (0, 1));
        assert_eq!(rules.of([0, 2]).and_then(|rule| rule.separation([Some(1), None])), Some(0.5));
    }
}
