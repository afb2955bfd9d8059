//! The pairs that the sieve begins with: groups and obstacles, and groups among themselves.
//!
//! If they are few, all of them are compared by their boxes. If they are many, a tree of the obstacles, and a sweep
//! along one axis for the groups, find those whose boxes overlap. They are passed on in batches, so that the memory of
//! a query is bounded.

use std::ops::ControlFlow;

use glam::DVec3;

use super::outline::{Group, Outline};
use super::sieve::{DEEPEST, Item, Sieve, Span, Surroundings, instants};
use crate::broad::Aabb;

/// Up to this many initial pairs are all tested; of more, only those whose boxes overlap.
const MOST_ROOTS: usize = 500;

/// Pairs whose boxes overlap are processed in batches of this size, so that the memory of a query is bounded.
const BATCH: usize = 50_000;

/// The initial capacity of a list of items.
const FIRST_ITEMS: usize = 32;

/// A callback that works on one batch of pairs; the flag says whether it is the last.
type BatchWork<'a, S> = dyn FnMut(&mut S, Vec<Item>, bool) -> ControlFlow<()> + 'a;

impl Surroundings<'_> {
    /// Returns true if all initial pairs are tested.
    pub(super) fn has_few_roots(&self) -> bool {
        let Surroundings { outline, obstacles, .. } = self;
        let moving = outline.groups.iter().filter(|group| group.top != 0).count();
        outline.own_roots.as_ref().is_some_and(|own| own.len() + moving * obstacles.len() <= MOST_ROOTS)
    }
}

impl<'a> Sieve<'a> {
    /// Passes everything in a window of time to `work` in batches. If there are many pairs, only those whose boxes of
    /// the whole window overlap are passed. `work` receives one batch after the other, and whether it is the last one,
    /// until it breaks.
    pub(super) fn batches(
        &mut self,
        t: [f64; 2],
        mut work: impl FnMut(&mut Self, Span, bool) -> ControlFlow<()>,
    ) {
        // An instant cannot be halved.
        let depth = if t[0] < t[1] { 0 } else { DEEPEST };
        let span = |items: Vec<Item>, boxed: u32| Span { t, depth, items, boxed };
        let Surroundings { outline, by_name, obstacles, .. } = self.around;
        let moving = outline.groups.iter().filter(|group| group.top != 0);
        if let Some(own) = &outline.own_roots
            && self.around.has_few_roots()
        {
            // Pairs whose boxes do not overlap are not even listed.
            let (instants, half) = instants(t);
            self.window += 1;
            let first_obstacle = outline.solids.len();
            let mut items = Vec::with_capacity(FIRST_ITEMS);
            for group in moving {
                let is_opened = Outline::is_opened_at_once(group);
                let of_group =
                    if is_opened { &group.members[..] } else { std::slice::from_ref(&group.solid) };
                of_group.iter().for_each(|&solid| self.bound(solid, &instants, half));
                for &k in by_name {
                    let (obstacle, first) = (&obstacles[k as usize], first_obstacle + k as usize);
                    self.bound(first, &instants, half);
                    for &second in of_group {
                        if is_opened && !obstacle.is_checked(outline, second) {
                            continue;
                        }
                        self.tests += 1;
                        if self.bounds_meet(first, second, half) {
                            items.push(Item::new([first as u32, second as u32]));
                        }
                    }
                }
            }
            for (root, &solids) in own.iter().enumerate() {
                self.tests += 1;
                let item = Item::of_root(solids, root);
                if self.boxes_meet(&item, &instants, half) {
                    items.push(item);
                }
            }
            let boxed = self.window;
            let _ = work(self, span(items, boxed), true);
            return;
        }
        self.swept_batches(t, &mut |sieve, items, is_last| work(sieve, span(items, 0), is_last));
    }

    /// The pairs whose boxes overlap in the window: groups with obstacles by the tree of these, then groups among
    /// themselves by a sweep.
    fn swept_batches(&mut self, t: [f64; 2], work: &mut BatchWork<'_, Self>) {
        let Surroundings { outline, by_name, .. } = self.around;
        let (instants, half) = instants(t);
        self.window += 1;
        let boxes: Vec<Aabb> = outline
            .groups
            .iter()
            .map(|group| known(self.swept_box(group.solid, 0, &instants, half).inflated(self.min_separation)))
            .collect();
        let mut items = Vec::new();
        for (group, bounds) in outline.groups.iter().zip(&boxes).filter(|(group, _)| group.top != 0) {
            for rank in self.around.tree().overlapping(bounds) {
                let roots = self.roots_with_obstacle(group, by_name[rank] as usize);
                items.extend(roots.map(Item::new));
                if items.len() >= BATCH && work(self, std::mem::take(&mut items), false).is_break() {
                    return;
                }
            }
        }
        self.swept_groups(&boxes, items, work);
    }

    /// The pairs of groups whose boxes overlap, by sorting along one axis and sweeping, after the items that are left
    /// of the obstacles.
    fn swept_groups(&mut self, boxes: &[Aabb], mut items: Vec<Item>, work: &mut BatchWork<'_, Self>) {
        let outline = self.around.outline;
        let whole = boxes.iter().copied().reduce(|a, b| a.union(&b));
        let sides = whole.map_or(DVec3::ZERO, |whole| whole.high - whole.low);
        let axis = (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best });
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&i, &j| boxes[i].low[axis].total_cmp(&boxes[j].low[axis]).then(i.cmp(&j)));
        let mut roots = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for &i in &order {
            open.retain(|&j| boxes[j].high[axis] >= boxes[i].low[axis]);
            for &j in open.iter().filter(|&&j| boxes[i].overlaps(&boxes[j])) {
                let [first, second] = [i.min(j), i.max(j)].map(|k| &outline.groups[k]); // not a bound: indices
                if first.top == second.top {
                    continue;
                }
                outline.push_own_root(self.motion.robot(), first, second, &mut roots);
                items.extend(roots.drain(..).map(Item::new));
                if items.len() >= BATCH && work(self, std::mem::take(&mut items), false).is_break() {
                    return;
                }
            }
            open.push(i);
        }
        let _ = work(self, items, true);
    }

    /// Returns the pair of a group and an obstacle, or the pairs of their parts where these are few.
    fn roots_with_obstacle(
        &mut self,
        group: &'a Group,
        obstacle: usize,
    ) -> impl Iterator<Item = [u32; 2]> + use<'a> {
        let (is_opened, solid) = (Outline::is_opened_at_once(group), self.number(obstacle));
        let whole = [solid, group.solid as u32];
        let parts = is_opened.then(|| self.parts_with_obstacle(group, obstacle, solid));
        (!is_opened).then_some(whole).into_iter().chain(parts.into_iter().flatten())
    }

    pub(super) fn parts_with_obstacle(
        &self,
        group: &'a Group,
        obstacle: usize,
        solid: u32,
    ) -> impl Iterator<Item = [u32; 2]> + use<'a> {
        let Surroundings { outline, obstacles, .. } = self.around;
        let checked = group.members.iter().filter(move |&&i| obstacles[obstacle].is_checked(outline, i));
        checked.map(move |&i| [solid, i as u32])
    }
}

/// Returns the same box, with NaN sides replaced by infinite ones.
fn known(bounds: Aabb) -> Aabb {
    let or = |value: f64, otherwise: f64| if value.is_nan() { otherwise } else { value };
    Aabb {
        low: bounds.low.map(|value| or(value, f64::NEG_INFINITY)),
        high: bounds.high.map(|value| or(value, f64::INFINITY)),
    }
}
