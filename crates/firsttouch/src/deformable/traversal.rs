//! The pairs of leaves that may touch: those whose volumes overlap in the window. Their features are in
//! `feature_pairs`.
//!
//! 1. A leaf is paired with itself and with the leaves after it. The walk goes up from the leaf; whenever it comes from
//!    a left child, the right subtree contains only later leaves and is searched from its top. A patch that cannot
//!    touch itself (`normal_cones`) has no such pairs inside, so the walk starts at the top of the patch.
//! 2. A subtree is skipped if its swept volume does not overlap the leaf's or, in the lower layer, if the moving
//!    volumes do not overlap before the end of the window, which may shrink during the search.
//!
//! **Guarantee.** Every pair of leaves with features whose swept volumes overlap is visited, except pairs within a
//! patch, and no pair is visited twice.

use super::fit::Fit;
use super::normal_cones::Patches;
use super::volume::entry;

/// Calls `visit` for this leaf and for every later leaf below `root` that may touch it within `window()` and is not
/// in its patch.
pub(crate) fn leaves_near<const N: usize, V>(
    fit: &Fit<N>,
    patches: &Patches,
    (root, leaf): (usize, usize),
    state: &mut V,
    window: impl Fn(&V) -> f64,
    mut visit: impl FnMut(&mut V, usize),
) {
    let mut up = match patches.top(leaf) {
        Some(top) => top,
        None => {
            visit(state, leaf);
            fit.nodes.len() / 2 + leaf
        }
    };
    while up > root {
        if up & 1 == 0 {
            leaves_below(fit, (up + 1, leaf), state, &window, &mut visit);
        }
        up >>= 1;
    }
}

/// Calls `visit` for every leaf below `root` that may touch this one within `window()`. A negative window ends the
/// search.
pub(crate) fn leaves_below<const N: usize, V>(
    fit: &Fit<N>,
    (root, leaf): (usize, usize),
    state: &mut V,
    window: impl Fn(&V) -> f64,
    mut visit: impl FnMut(&mut V, usize),
) {
    let leaves = fit.nodes.len() / 2;
    let own = &fit.nodes[leaves + leaf];
    let mut stack = [0u32; 64];
    stack[0] = root as u32;
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let node = stack[depth] as usize;
        if !own.overlaps(&fit.nodes[node]) {
            continue;
        }
        if node >= fit.first_moving {
            let (a, b) = (leaves + leaf - fit.first_moving, node - fit.first_moving);
            let limit = window(state);
            if !entry(&fit.moving[a], &fit.moving[b]).is_some_and(|t| t * fit.window <= limit) {
                continue;
            }
        }
        if node >= leaves {
            if window(state) < 0.0 {
                return;
            }
            visit(state, node - leaves);
        } else {
            stack[depth] = (2 * node + 1) as u32;
            stack[depth + 1] = (2 * node) as u32;
            depth += 2;
        }
    }
}
