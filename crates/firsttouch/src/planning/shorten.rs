//! A path made shorter and smoother. Every new edge is proven free before it replaces others.

use super::Search;
use crate::error::Result;

/// Joins two random points of the path by one edge, `shortcuts` times. Half of the points are waypoints, so that waypoints disappear.
pub(super) fn shortcut(search: &mut Search<'_>, path: &mut Vec<Vec<f64>>) -> Result<()> {
    let space = search.space;
    for _ in 0..search.options.shortcuts {
        if path.len() < 3 || search.is_stopped() {
            return Ok(());
        }
        let [first, second] = [0; 2].map(|_| point_on(search, path));
        let [a, b] = if first.0 < second.0 { [first, second] } else { [second, first] };
        let (near, far) = (a.0.floor() as usize, b.0.ceil() as usize);
        // On one segment nothing can be gained, nor over two segments that meet at a waypoint of the pair.
        if far - near < 2 {
            continue;
        }
        // The new path goes from `near` by `a` and `b` to `far`.
        let mut detour: Vec<Vec<f64>> = vec![path[near].clone()];
        for point in [a.1, b.1, path[far].clone()] {
            if detour.last() != Some(&point) {
                detour.push(point);
            }
        }
        let gain = space.length(&path[near..=far]) - space.length(&detour);
        let is_simpler = detour.len() < far - near + 1;
        if gain < 0.0 || (gain <= 1e-9 * space.length(&path[near..=far]) && !is_simpler) {
            continue;
        }
        // The middle edge is the one that may touch.
        let mut order: Vec<usize> = (0..detour.len() - 1).collect();
        order.sort_by_key(|&i| (2 * i).abs_diff(detour.len() - 2));
        let mut is_free = true;
        for i in order {
            is_free = is_free && search.is_free(&detour[i], &detour[i + 1])?;
        }
        if is_free {
            path.splice(near..=far, detour);
        }
    }
    Ok(())
}

/// A random point of the path, and its place: the index of its segment plus the share of it.
fn point_on(search: &mut Search<'_>, path: &[Vec<f64>]) -> (f64, Vec<f64>) {
    let place = search.random.unit() * (path.len() - 1) as f64;
    let is_waypoint = search.random.unit() < 0.5;
    let place = if is_waypoint { place.round() } else { place };
    let (segment, share) = (place.floor() as usize, place.fract());
    if share == 0.0 {
        return (place, path[segment].clone());
    }
    (place, search.space.between(&path[segment], &path[segment + 1], share))
}

/// Replaces each corner by an edge between the points a quarter before and after it (Chaikin), where that is proven free.
pub(super) fn cut_corners(search: &mut Search<'_>, path: &mut Vec<Vec<f64>>) -> Result<()> {
    let space = search.space;
    let corners = path.clone();
    let mut smooth = vec![corners[0].clone()];
    for triple in corners.windows(3) {
        let before = space.between(&triple[1], &triple[0], 0.25);
        let after = space.between(&triple[1], &triple[2], 0.25);
        let is_cut = !search.is_stopped()
            && search.is_free(&before, &after)?
            && search.is_free(&smooth[smooth.len() - 1], &before)?
            && search.is_free(&after, &triple[2])?;
        if is_cut {
            smooth.extend([before, after]);
        } else {
            smooth.push(triple[1].clone());
        }
    }
    smooth.push(corners[corners.len() - 1].clone());
    *path = smooth;
    Ok(())
}
