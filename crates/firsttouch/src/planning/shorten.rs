//! A path made shorter and smoother. Every new edge is proven free before it replaces others.

use super::Search;
use crate::error::Result;

/// After this many shortcuts in a row that gain little, a path is short enough. With 80, paths are half a
/// percent shorter, and a plan takes six percent more guesses.
const PATIENCE: usize = 50;

/// A shortcut that gains less of the path's length is not taken: it adds a waypoint, and so a motion to prove.
const LEAST_GAIN: f64 = 1e-3;

/// A shortcut that gains less of the path's length counts as little.
const MUCH_GAIN: f64 = 3e-3;

/// Half of the shortcuts join points that are at most half of this share of the path apart.
const CORNER: f64 = 0.3;

/// Joins two random points of the path by one edge, `shortcuts` times. Half of the points are waypoints, so that
/// waypoints disappear.
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
        for point in [a.1.clone(), b.1.clone(), path[far].clone()] {
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

/// Makes a path shorter by guesses: it leaves out waypoints, then joins random points of the path, until that gains
/// little.
///
/// A part of a motion that is guessed to be free is not guessed again: each shortcut is one guess.
pub(super) fn tighten(search: &mut Search<'_>, path: &mut Vec<Vec<f64>>) -> Result<()> {
    if search.options.shortcuts == 0 {
        return Ok(());
    }
    leave_out(search, path)?;
    let space = search.space;
    let mut lengths: Vec<f64> = path.windows(2).map(|ends| space.distance(&ends[0], &ends[1])).collect();
    let mut little = 0;
    for _ in 0..search.options.shortcuts {
        if path.len() < 3 || search.is_stopped() || little >= PATIENCE {
            break;
        }
        little += 1;
        // The distances of both points from the start, along the path.
        let total: f64 = lengths.iter().sum();
        let first = total * search.random.unit();
        let second = if search.random.unit() < 0.5 {
            // A corner is cut by points near it.
            first + (search.random.unit() - 0.5) * CORNER * total
        } else {
            total * search.random.unit()
        };
        let [a, b] = if first < second { [first, second] } else { [second, first] };
        let [a, b] = [place_at(&lengths, a), place_at(&lengths, b)];
        if a.0 == b.0 {
            continue;
        }
        let [from, to] = [a, b].map(|(k, share)| space.between(&path[k], &path[k + 1], share));
        let way = space.distance(&from, &to);
        let between: f64 =
            lengths[a.0] * (1.0 - a.1) + lengths[a.0 + 1..b.0].iter().sum::<f64>() + lengths[b.0] * b.1;
        let gain = between - way;
        if gain <= LEAST_GAIN * total || !search.is_free(&from, &to)? {
            continue;
        }
        if gain > MUCH_GAIN * total {
            little = 0;
        }
        let mut detour = vec![from, to];
        if a.1 <= 0.0 {
            detour.remove(0);
        }
        if b.1 >= 1.0 {
            detour.pop();
        }
        path.splice(a.0 + 1..b.0 + 1, detour);
        lengths = path.windows(2).map(|ends| space.distance(&ends[0], &ends[1])).collect();
    }
    leave_out(search, path)
}

/// The motion at a distance from the start, and the share of it.
fn place_at(lengths: &[f64], mut distance: f64) -> (usize, f64) {
    for (k, &length) in lengths.iter().enumerate() {
        if distance < length {
            return (k, if distance > 0.0 { distance / length } else { 0.0 });
        }
        distance -= length;
    }
    (lengths.len() - 1, 1.0)
}

/// Leaves out waypoints that others can be joined across.
fn leave_out(search: &mut Search<'_>, path: &mut Vec<Vec<f64>>) -> Result<()> {
    let mut near = 0;
    while near + 2 < path.len() {
        for far in (near + 2..path.len()).rev() {
            if search.is_stopped() {
                return Ok(());
            }
            if search.is_free(&path[near], &path[far])? {
                path.drain(near + 1..far);
                break;
            }
        }
        near += 1;
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

/// Replaces each corner by an edge between the points a quarter before and after it (Chaikin), where that is proven
/// free.
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
