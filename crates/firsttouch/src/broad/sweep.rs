//! Finds all overlapping pairs of boxes by sorting along one axis and sweeping.
//!
//! 1. The axis is the one along which the centres of the boxes spread the most.
//! 2. The boxes are sorted by their lower end on that axis. Each box is compared with those that start before it and
//!    have not ended yet.
//!
//! Cost: `n log n` for sorting, plus the number of pairs that overlap along the axis. For many boxes that number is
//! too large, and a tree is used instead (`box_tree`).

use super::{Aabb, box_tree};

/// The most boxes for which comparing all with all is fastest.
const MOST_COMPARED: usize = 4;

/// The most boxes for which the sweep is as fast as the tree. Measured on clouds of boxes with a few neighbours each.
const MOST_SWEPT: usize = 64;

/// Returns the pairs `[i, j]`, `i < j`, of boxes that overlap, in ascending order.
///
/// ```
/// use firsttouch::broad::{Aabb, overlapping_pairs};
/// use glam::DVec3;
/// let at = |x: f64| Aabb { low: DVec3::new(x, 0.0, 0.0), high: DVec3::new(x + 1.0, 1.0, 1.0) };
/// assert_eq!(overlapping_pairs(&[at(0.0), at(5.0), at(0.5)]), [[0, 2]]);
/// ```
///
/// A box with a NaN bound is unbounded along that axis, as for [`Aabb::overlaps`].
pub fn overlapping_pairs(boxes: &[Aabb]) -> Vec<[usize; 2]> {
    overlapping_pairs_up_to(boxes, usize::MAX).unwrap_or_default()
}

/// Like [`overlapping_pairs`], but returns `None` if there are more than `most` pairs. The search ends as soon as that
/// is known.
pub(crate) fn overlapping_pairs_up_to(boxes: &[Aabb], most: usize) -> Option<Vec<[usize; 2]>> {
    if boxes.iter().any(|b| b.low.is_nan() || b.high.is_nan()) {
        let known = |value: f64, otherwise: f64| if value.is_nan() { otherwise } else { value };
        let known: Vec<Aabb> = boxes
            .iter()
            .map(|b| Aabb {
                low: b.low.map(|value| known(value, f64::NEG_INFINITY)),
                high: b.high.map(|value| known(value, f64::INFINITY)),
            })
            .collect();
        return overlapping_pairs_up_to(&known, most);
    }
    let mut pairs = if boxes.len() > MOST_SWEPT {
        box_tree::overlapping_pairs(boxes, most)?
    } else {
        let pairs = if boxes.len() > MOST_COMPARED { swept_pairs(boxes) } else { compared_pairs(boxes) };
        if pairs.len() > most {
            return None;
        }
        pairs
    };
    pairs.sort_unstable();
    Some(pairs)
}

/// Compares all boxes with all.
fn compared_pairs(boxes: &[Aabb]) -> Vec<[usize; 2]> {
    let all = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| [i, j]));
    all.filter(|&[i, j]| boxes[i].overlaps(&boxes[j])).collect()
}

fn swept_pairs(boxes: &[Aabb]) -> Vec<[usize; 2]> {
    let axis = widest_axis(boxes);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].low[axis].total_cmp(&boxes[j].low[axis]).then(i.cmp(&j)));
    let mut pairs = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for &i in &order {
        open.retain(|&j| boxes[j].high[axis] >= boxes[i].low[axis]);
        pairs.extend(open.iter().filter(|&&j| boxes[i].overlaps(&boxes[j])).map(|&j| [i.min(j), i.max(j)]));
        open.push(i);
    }
    pairs
}

fn widest_axis(boxes: &[Aabb]) -> usize {
    let centers = || boxes.iter().map(|b| 0.5 * (b.low + b.high));
    let mean = centers().sum::<glam::DVec3>() / boxes.len().max(1) as f64; // not a bound: a count
    let spread = centers().map(|c| (c - mean) * (c - mean)).sum::<glam::DVec3>();
    (1..3).fold(0, |best, axis| if spread[axis] > spread[best] { axis } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// A box with NaN bounds may be anywhere. No pair with it is dropped, neither by the sweep of few boxes nor by
    /// the tree of many.
    #[test]
    fn a_box_with_nan_bounds_overlaps_everything() {
        for n in [2, 10, 200] {
            let at = |i: usize| Aabb {
                low: DVec3::splat(2.0 * i as f64),
                high: DVec3::splat(2.0 * i as f64 + 1.0),
            };
            for odd in [f64::NAN, f64::INFINITY] {
                let mut boxes: Vec<Aabb> = (0..n).map(at).collect();
                boxes[n / 2] = Aabb { low: DVec3::splat(-odd), high: DVec3::splat(odd) };
                let pairs = overlapping_pairs(&boxes);
                assert_eq!(pairs.len(), n - 1, "{n} boxes, {odd}");
                assert!(pairs.iter().all(|pair| pair.contains(&(n / 2))));
            }
        }
    }

    #[test]
    fn the_same_as_all_against_all() {
        let mut state = 1_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut found, mut possible) = (0, 0);
        for n in [0, 1, 2, 4, 5, 10, 60, 70, 300] {
            for size in [0.05, 0.3, 0.6] {
                let boxes: Vec<Aabb> = (0..n)
                    .map(|_| {
                        let low = DVec3::new(unit(), unit(), unit());
                        Aabb { low, high: low + DVec3::new(unit(), unit(), unit()) * size }
                    })
                    .collect();
                let mut expected = Vec::new();
                for i in 0..n {
                    for j in i + 1..n {
                        possible += 1;
                        if boxes[i].overlaps(&boxes[j]) {
                            expected.push([i, j]);
                        }
                    }
                }
                found += expected.len();
                assert_eq!(overlapping_pairs(&boxes), expected);
                let mut by_tree = box_tree::overlapping_pairs(&boxes, expected.len()).unwrap();
                by_tree.sort_unstable();
                assert_eq!(by_tree, expected);
                if let Some(too_few) = expected.len().checked_sub(1) {
                    assert_eq!(overlapping_pairs_up_to(&boxes, too_few), None);
                }
                let tree = box_tree::BoxTree::new(&boxes);
                for i in 0..n {
                    let mut later = Vec::new();
                    tree.overlapping(&boxes, &boxes[i], |j| later.extend((j > i).then_some([i, j])));
                    later.sort_unstable();
                    assert_eq!(
                        later,
                        expected.iter().copied().filter(|pair| pair[0] == i).collect::<Vec<_>>()
                    );
                }
            }
        }
        let rate = found as f64 / possible as f64;
        assert!((0.02..0.5).contains(&rate), "{rate}");
    }
}
