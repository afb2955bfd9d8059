//! The search for a proof: trees of splits, with separating directions at the leaves.
//!
//! **Problem.** Prove for all pairs of parts of a statement that they stay apart until a given time, in a form that
//! a verifier checks by supports along directions and bounds of motions alone.
//!
//! **Method.** The test of a leaf is the verifier's: see docs/certificates.md, "Lemma".
//! 1. Parts are put into the order of a tree over their boxes. All pairs are those within the left half, within the
//!    right half, and across. Groups of parts are apart across if their boxes are, along the line between their
//!    centres or an axis. If not, the larger group is divided.
//! 2. For a single pair, the closest points of the hulls at both ends of the window give directions there. The search
//!    tries their mean, one direction that moves from the first to the second, and each of the two.
//! 3. If the hulls overlap at an end, the larger side is divided. If they are apart and the test fails, the window
//!    is halved, unless that would take more than [`MANY_WINDOWS`] windows and the sides are large compared with
//!    their distance.
//! 4. A proof about a solid mesh needs a window in which the mesh is not divided. Until one is found, time is divided
//!    first.
//!
//! Directions are rounded to as few digits as the gap allows: they are the larger part of a file.
//!
//! **Guarantee.** The tests have room for the rounding of a verifier. If a proof is wrong nevertheless, the verifier
//! says so.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::frames::{ChainBounds, Map, bounds, chain, common, map};
use super::pieces::{HullOf, Pick, Pieces};
use super::shapes::order;
use super::statement::{Frame, Statement, Step};
use crate::ask::Ask;
use crate::control::Control;
use crate::distance::gjk::Gjk;
use crate::error::{Error, Result};
use crate::numerics::portable::power;

/// Beyond this number of windows, pieces are divided before time is.
const MANY_WINDOWS: f64 = 4.0;

/// A pair that needs more nodes has no certificate.
const MOST_NODES: usize = 4_000_000;

/// Deeper trees are not made: a verifier refuses them.
const DEEPEST: usize = 300;

/// Room for the rounding of a verifier, relative to the distances from the origin of the frame of the direction.
const ROOM: f64 = 1e-13;

/// A proof that nothing touches until a time, ready to be written. See docs/certificates.md.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Options, Scene};
/// use glam::DVec3;
/// let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0));
/// let mut scene = Scene::default();
/// scene.add(Body::new("still", Sphere::new(1.0)?, Motion::fixed(at(0.0, 0.0)?)))?;
/// scene.add(Body::new("passing", Sphere::new(1.0)?, Motion::linear(at(-5.0, 2.5)?, at(5.0, 2.5)?)))?;
/// let certificate = scene.certify(&Options::default())?;
/// assert_eq!(certificate.free_until(), 1.0);
/// let mut file = String::new();
/// certificate.write(&[], &mut file).expect("a string takes everything");
/// assert!(file.starts_with("{\"format\":\"firsttouch-certificate\""));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    pub(super) statement: Statement,
    pub(super) free_until: f64,
    pub(super) proofs: Vec<Proof>,
}

/// The proof for all pairs of two ranges of parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Proof {
    pub(super) parts: [[usize; 2]; 2],
    /// The frame of the directions.
    pub(super) base: Option<usize>,
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    SplitTime(f64),
    Split(usize, usize),
    Apart([DVec3; 2]),
    /// Along the normal of the half-space.
    Normal,
}

impl Certificate {
    /// Proves a statement until a time. Returns an error that names a pair for which no proof is found.
    pub(crate) fn prove(statement: Statement, free_until: f64, control: &Control<'_>) -> Result<Certificate> {
        let mut certifier = Certifier {
            statement: &statement,
            until: free_until,
            control,
            unchecked: statement.unchecked.iter().flat_map(|(_, pairs)| pairs.iter().copied()).collect(),
            separations: statement.separations.iter().copied().collect(),
            placed: HashMap::new(),
            proofs: Vec::new(),
        };
        certifier.within([0, statement.parts.len()])?;
        let proofs = certifier.proofs;
        Ok(Certificate { statement, free_until, proofs })
    }

    /// Proves a statement until a time that a check has found. If the proof fails within rounding of a touch at that
    /// time, it ends a little earlier.
    pub(crate) fn before(statement: Statement, until: f64, ask: &Ask<'_>) -> Result<Certificate> {
        if until.is_nan() || until <= 0.0 || until > 1.0 {
            let what =
                "a certificate for no time: something touches at the start, or nothing is known".into();
            return Err(Error::Unsupported { what });
        }
        // Before a touch the gap is as small as the tolerance, and may be smaller than what rounding hides.
        let touches = until < ask.options.t_max;
        let mut failed = None;
        for earlier in if touches { &[0.0, 1e-9, 1e-7, 1e-5, 1e-3][..] } else { &[0.0] } {
            match Certificate::prove(statement.clone(), until * (1.0 - earlier), &ask.control) {
                Ok(certificate) => return Ok(certificate),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or(Error::Empty { what: "certificate".into() }))
    }

    /// Returns the time until which nothing touches, from 0 to 1.
    pub fn free_until(&self) -> f64 {
        self.free_until
    }

    /// Returns everything that is claimed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Returns the number of nodes of all trees of the proof.
    pub fn nodes(&self) -> usize {
        self.proofs.iter().map(|proof| proof.nodes.len()).sum()
    }
}

impl Statement {
    /// Puts the parts into the order of a tree over their places at time 0.
    pub(super) fn sorted(mut self) -> Statement {
        let place = |k: usize| {
            let part = &self.parts[k];
            let map = map(&self.frames, &chain(&self.frames, part.frame, None), [0.0, 1e-9], 0);
            (k, map.apply(self.shapes[part.shape].bounds[0]))
        };
        let mut places: Vec<(usize, DVec3)> = (0..self.parts.len()).map(place).collect();
        order(&mut places, |(_, place)| *place);
        let mut rank = vec![0; places.len()];
        for (new, (old, _)) in places.iter().enumerate() {
            rank[*old] = new;
        }
        let sorted = |[a, b]: [usize; 2]| {
            let [a, b] = [rank[a], rank[b]];
            [a.min(b), a.max(b)]
        };
        self.parts = places.iter().map(|(old, _)| self.parts[*old].clone()).collect();
        self.separations.iter_mut().for_each(|(pair, _)| *pair = sorted(*pair));
        self.separations.sort_unstable_by_key(|(pair, _)| *pair);
        for (_, pairs) in &mut self.unchecked {
            pairs.iter_mut().for_each(|pair| *pair = sorted(*pair));
            pairs.sort_unstable();
        }
        self
    }

    fn name_of(&self, part: usize) -> String {
        let part = &self.parts[part];
        if part.name.is_empty() {
            format!("\"{}\"", part.body)
        } else {
            format!("\"{}/{}\"", part.body, part.name)
        }
    }
}

/// A part, as seen from a frame, over the whole time.
#[derive(Debug, Clone, Copy)]
struct Placed {
    maps: [Map; 2],
    bounds: ChainBounds,
    reach: f64,
    moved: f64,
    /// The centre of its box, and half the sides.
    bounding: [DVec3; 2],
}

struct Certifier<'a> {
    statement: &'a Statement,
    until: f64,
    control: &'a Control<'a>,
    unchecked: HashSet<[usize; 2]>,
    separations: HashMap<[usize; 2], f64>,
    placed: HashMap<(usize, Option<usize>), Placed>,
    proofs: Vec<Proof>,
}

fn length([start, end]: [usize; 2]) -> usize {
    end - start
}

fn halves([start, end]: [usize; 2]) -> [[usize; 2]; 2] {
    let middle = start + (end - start) / 2;
    [[start, middle], [middle, end]]
}

impl Certifier<'_> {
    /// Proves all pairs within a range of parts.
    fn within(&mut self, parts: [usize; 2]) -> Result<()> {
        if length(parts) < 2 {
            return Ok(());
        }
        let [a, b] = halves(parts);
        self.within(a)?;
        self.within(b)?;
        self.across([a, b])
    }

    /// Proves all pairs of two ranges that are checked.
    fn across(&mut self, sides: [[usize; 2]; 2]) -> Result<()> {
        let [a, b] = sides;
        let pairs = (a[0]..a[1]).flat_map(|p| (b[0]..b[1]).map(move |q| [p, q]));
        let unchecked = pairs.filter(|pair| self.unchecked.contains(pair)).count();
        if unchecked == length(a) * length(b) {
            return Ok(());
        }
        if unchecked > 0 {
            let side = usize::from(length(b) > length(a));
            for half in halves(sides[side]) {
                let mut divided = sides;
                divided[side] = half;
                self.across(divided)?;
            }
            return Ok(());
        }
        let frame = |part: usize| self.statement.parts[part].frame;
        let parts = (a[0]..a[1]).chain(b[0]..b[1]);
        let mut base = parts.map(frame).reduce(|x, y| common(&self.statement.frames, x, y)).flatten();
        // A frame that changes shapes does not keep distances.
        while let Some(inner) = base.filter(|inner| !self.is_rigid(*inner)) {
            base = self.statement.frames[inner].parent;
        }
        let mut nodes = Vec::new();
        self.group(sides, base, &mut nodes)?;
        self.proofs.push(Proof { parts: sides, base, nodes });
        Ok(())
    }

    fn is_rigid(&self, frame: usize) -> bool {
        let frames = &self.statement.frames;
        let changes = |frame: &Frame| {
            frame.moves.iter().any(|(_, steps)| steps.iter().any(|step| matches!(step, Step::Linear(..))))
        };
        chain(frames, Some(frame), None).into_iter().all(|frame| !changes(&frames[frame]))
    }

    fn group(&mut self, sides: [[usize; 2]; 2], base: Option<usize>, nodes: &mut Vec<Node>) -> Result<()> {
        let [a, b] = sides;
        if length(a) == 1 && length(b) == 1 {
            return self.pair([a[0], b[0]], base, nodes);
        }
        if let Some(direction) = self.groups_apart(sides, base) {
            nodes.push(Node::Apart([direction; 2]));
            return Ok(());
        }
        let side = usize::from(length(b) > length(a));
        let divided = halves(sides[side]);
        nodes.push(Node::Split(side, divided[1][0]));
        for half in divided {
            let mut sides = sides;
            sides[side] = half;
            self.group(sides, base, nodes)?;
        }
        Ok(())
    }

    /// Returns the place of a part over the whole time; `None` if the part has no end, or its motion a kink in that
    /// time.
    fn placed(&mut self, part: usize, base: Option<usize>) -> Option<Placed> {
        if let Some(known) = self.placed.get(&(part, base)) {
            return Some(*known);
        }
        let Statement { frames, parts, .. } = self.statement;
        let (chain, pieces) =
            (chain(frames, parts[part].frame, base), &self.statement.shapes[parts[part].shape]);
        let has_kink = chain.iter().any(|&frame| frames[frame].moves[0].0 < self.until);
        if has_kink || pieces.half_space().is_some() {
            return None;
        }
        let window = [0.0, self.until];
        let [reach, moved] = pieces.sizes(pieces.all());
        let placed = Placed {
            maps: [0, 1].map(|end| map(frames, &chain, window, end)),
            bounds: bounds(frames, &chain, window),
            reach,
            moved: moved * self.until,
            bounding: pieces.bounds,
        };
        self.placed.insert((part, base), placed);
        Some(placed)
    }

    /// Returns a direction along which the boxes of two groups of parts are apart all the time.
    fn groups_apart(&mut self, sides: [[usize; 2]; 2], base: Option<usize>) -> Option<DVec3> {
        let mut placed = [Vec::new(), Vec::new()];
        for (some, [start, end]) in placed.iter_mut().zip(sides) {
            for part in start..end {
                some.push(self.placed(part, base)?);
            }
        }
        let separation = self.largest_separation(sides);
        let center =
            |one: &Placed| 0.5 * (one.maps[0].apply(one.bounding[0]) + one.maps[1].apply(one.bounding[0]));
        let [from, to] =
            placed.each_ref().map(|some| some.iter().map(center).sum::<DVec3>() / some.len() as f64);
        let way = to - from;
        let mut needed = separation;
        for some in &placed {
            let travels = some.iter().map(|one| one.bounds.travel(one.reach, one.moved));
            let most = |x: f64, y: f64| if y > x || y.is_nan() { y } else { x };
            let of = travels.fold([0.0; 3], |all, one| {
                [most(all[0], one.acceleration), most(all[1], one.error), most(all[2], one.distance)]
            });
            needed += 0.125 * of[0] + of[1] + ROOM * of[2];
        }
        let axes =
            DVec3::AXES.into_iter().zip(way.to_array()).map(|(axis, sign)| axis * 1.0_f64.copysign(sign));
        for direction in axes.chain([rounded(way, 1e3)]) {
            let size = direction.length();
            let apart = |end: usize| {
                let reach = |one: &Placed, d: DVec3| {
                    let own = one.maps[end].direction_to_body(d);
                    d.dot(one.maps[end].translation)
                        + own.dot(one.bounding[0])
                        + own.abs().dot(one.bounding[1])
                };
                let most = |some: &[Placed], d: DVec3| {
                    some.iter().map(|one| reach(one, d)).fold(f64::NEG_INFINITY, f64::max)
                };
                -most(&placed[1], -direction) - most(&placed[0], direction) > needed * (1.0 + 1e-9) * size
            };
            if size > 0.0 && apart(0) && apart(1) {
                return Some(direction);
            }
        }
        None
    }

    fn largest_separation(&self, [a, b]: [[usize; 2]; 2]) -> f64 {
        if self.separations.is_empty() {
            return self.statement.separation;
        }
        let is_in = |part: usize, [start, end]: [usize; 2]| start <= part && part < end;
        let between = |[p, q]: &[usize; 2]| is_in(*p, a) && is_in(*q, b) || is_in(*p, b) && is_in(*q, a);
        let own = self.separations.iter().filter(|(pair, _)| between(pair)).map(|(_, own)| *own);
        own.fold(self.statement.separation, f64::max)
    }

    fn pair(&mut self, parts: [usize; 2], base: Option<usize>, nodes: &mut Vec<Node>) -> Result<()> {
        let Statement { frames, separation, .. } = self.statement;
        let stated = parts.map(|part| &self.statement.parts[part]);
        let chains = stated.map(|part| chain(frames, part.frame, base));
        let ordered = [parts[0].min(parts[1]), parts[0].max(parts[1])];
        let mut search = PairSearch {
            certifier: self,
            parts,
            pieces: stated.map(|part| &*self.statement.shapes[part.shape]),
            is_rigid: stated.map(|part| part.frame.is_none_or(|frame| self.is_rigid(frame))),
            separation: self.separations.get(&ordered).copied().unwrap_or(*separation),
            first: nodes.len(),
            nodes,
            found_whole: [false; 2],
            chains,
        };
        let mut cuts: Vec<f64> = Vec::new();
        for &frame in search.chains.iter().flatten() {
            let times = frames[frame].moves.iter().map(|(until, _)| *until);
            cuts.extend(times.filter(|&t| t < self.until));
        }
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup();
        let divided = search.spans(&cuts, [0.0, self.until])?;
        if divided.iter().zip(search.found_whole).any(|(divided, whole)| *divided && !whole) {
            let why = "one may be inside of the other, which is a solid mesh: no plane parts them at any time that was tried";
            return Err(search.refusal(why));
        }
        Ok(())
    }
}

/// The search for the proof of a pair.
struct PairSearch<'a, 'b> {
    certifier: &'a Certifier<'b>,
    parts: [usize; 2],
    pieces: [&'a Pieces; 2],
    /// For each part, true if its frame keeps distances.
    is_rigid: [bool; 2],
    chains: [Vec<usize>; 2],
    separation: f64,
    nodes: &'a mut Vec<Node>,
    /// The number of nodes before those of this pair.
    first: usize,
    /// For each part, true if it is a solid mesh and a window was found in which it is whole.
    found_whole: [bool; 2],
}

/// One end of a window.
#[derive(Debug, Clone, Copy)]
struct End {
    t: f64,
    maps: [Map; 2],
}

/// Some pieces of both sides over a window.
#[derive(Debug, Clone, Copy)]
struct Task {
    some: [Pick; 2],
    ends: [End; 2],
    bounds: [ChainBounds; 2],
    /// True if all pieces of both sides are there.
    is_whole: bool,
    depth: usize,
}

/// The gap that a leaf needs along a unit direction, without and with its motion.
#[derive(Debug, Clone, Copy)]
struct Needs {
    at_rest: f64,
    /// An eighth of the accelerations, and a quarter of the speeds.
    dip: f64,
    turning: f64,
}

type Divided = [bool; 2];

impl PairSearch<'_, '_> {
    fn refusal(&self, why: &str) -> Error {
        let [a, b] = self.parts.map(|part| self.certifier.statement.name_of(part));
        Error::Unsupported { what: format!("a certificate for {a} and {b}: {why}") }
    }

    /// Divides the time at the knots of the motions.
    fn spans(&mut self, cuts: &[f64], window: [f64; 2]) -> Result<Divided> {
        if cuts.is_empty() {
            let ends = self.ends(window);
            let some = self.pieces.map(|pieces| pieces.all());
            let task = Task { some, ends, bounds: self.bounds(window), is_whole: true, depth: 0 };
            return if self.pieces.iter().any(|pieces| pieces.half_space().is_some()) {
                self.above_plane(&task)
            } else {
                self.search(&task)
            };
        }
        let middle = cuts.len() / 2;
        self.nodes.push(Node::SplitTime(cuts[middle]));
        let first = self.spans(&cuts[..middle], [window[0], cuts[middle]])?;
        let second = self.spans(&cuts[middle + 1..], [cuts[middle], window[1]])?;
        Ok([first[0] || second[0], first[1] || second[1]])
    }

    fn ends(&self, window: [f64; 2]) -> [End; 2] {
        let frames = &self.certifier.statement.frames;
        [0, 1].map(|end| End {
            t: window[end],
            maps: self.chains.each_ref().map(|chain| map(frames, chain, window, end)),
        })
    }

    fn bounds(&self, window: [f64; 2]) -> [ChainBounds; 2] {
        self.chains.each_ref().map(|chain| bounds(&self.certifier.statement.frames, chain, window))
    }

    fn needs(&self, task: &Task) -> Needs {
        let time = task.ends[1].t - task.ends[0].t;
        let [a, b] = [0, 1].map(|side| {
            let [reach, moved] = self.pieces[side].sizes(task.some[side]);
            task.bounds[side].travel(reach, moved * time)
        });
        Needs {
            at_rest: self.separation + a.error + b.error + ROOM * (a.distance + b.distance),
            dip: 0.125 * (a.acceleration + b.acceleration) * (1.0 + 1e-9),
            turning: 0.25 * (a.speed + b.speed) * (1.0 + 1e-9),
        }
    }

    /// Returns the extent of a side along a direction, at an end.
    fn reach(&self, task: &Task, side: usize, end: usize, d: DVec3) -> f64 {
        let End { t, maps } = &task.ends[end];
        let own = maps[side].direction_to_body(d);
        let point = self.pieces[side].support(task.some[side], own, *t);
        d.dot(maps[side].translation) + own.dot(point) + self.pieces[side].margin() * own.length()
    }

    fn gap(&self, task: &Task, end: usize, d: DVec3) -> f64 {
        -self.reach(task, 1, end, -d) - self.reach(task, 0, end, d)
    }

    /// Returns the direction between the closest points of the hulls at an end.
    fn closest(&self, task: &Task, end: usize) -> DVec3 {
        let End { t, maps } = task.ends[end];
        let hull = |side: usize| HullOf {
            pieces: self.pieces[side],
            some: task.some[side],
            t,
            has_margin: self.is_rigid[side],
        };
        let margins: f64 =
            (0..2).filter(|&side| self.is_rigid[side]).map(|side| self.pieces[side].margin()).sum();
        // The distance is that of the cores. The direction must be accurate relative to the distance less the margins.
        let accuracy = |distance: f64| 0.01 * f64::max(distance - margins, 1e-7 * distance);
        Gjk::default().closest_points(&hull(0), &hull(1), &maps, accuracy).normal
    }

    fn is_interrupted(&self) -> bool {
        self.nodes.len().is_multiple_of(1024) && self.certifier.control.is_interrupted()
    }

    fn search(&mut self, task: &Task) -> Result<Divided> {
        if self.nodes.len() - self.first > MOST_NODES || self.is_interrupted() {
            return Err(self.refusal("the proof becomes too large, or was stopped"));
        }
        let directions = [0, 1].map(|end| self.closest(task, end));
        let gaps = [0, 1].map(|end| self.gap(task, end, directions[end]));
        self.with_directions(task, directions, gaps)
    }

    /// Continues with a task whose directions at both ends are known.
    fn with_directions(&mut self, task: &Task, directions: [DVec3; 2], gaps: [f64; 2]) -> Result<Divided> {
        let needs = self.needs(task);
        let is_apart = |end: usize| gaps[end] > needs.at_rest;
        let least = if gaps[0] < gaps[1] { gaps[0] } else { gaps[1] };
        if is_apart(0)
            && is_apart(1)
            && let Some(pair) = self.leaf(task, &needs, directions, least)
        {
            self.nodes.push(Node::Apart(pair));
            return Ok(self.note(task, [false; 2]));
        }
        let sizes = [0, 1].map(|side| self.size(task, side));
        let can_divide = sizes[0] > 0.0 || sizes[1] > 0.0;
        let largest = if sizes[0] > sizes[1] { sizes[0] } else { sizes[1] };
        let wants_whole = task.is_whole
            && [0, 1].into_iter().any(|side| self.pieces[side].is_solid_mesh() && !self.found_whole[side]);
        let divides_time = if is_apart(0) && is_apart(1) {
            let windows = (needs.dip / (least - needs.at_rest)).sqrt();
            !can_divide || windows <= MANY_WINDOWS || largest < 2.0 * least
        } else {
            wants_whole && (is_apart(0) || is_apart(1)) && task.depth < 40
        };
        if divides_time {
            return self.divide_time(task, directions, gaps);
        }
        if !can_divide || task.depth > DEEPEST {
            let t = task.ends[usize::from(is_apart(0))].t;
            return Err(
                self.refusal(&format!("they touch at {t}, or are too close there to be proven apart"))
            );
        }
        let side = usize::from(sizes[1] > sizes[0]);
        self.nodes.push(Node::Split(side, task.some[side].middle()));
        let mut divided = [false; 2];
        divided[side] = self.pieces[side].is_solid_mesh();
        for half in task.some[side].halves() {
            let mut below = Task { is_whole: false, depth: task.depth + 1, ..*task };
            below.some[side] = half;
            let found = self.search(&below)?;
            divided = [divided[0] || found[0], divided[1] || found[1]];
        }
        Ok(self.note(task, divided))
    }

    /// Returns the size of a side; 0 if it cannot be divided.
    fn size(&self, task: &Task, side: usize) -> f64 {
        if task.some[side].len() > 1 { self.pieces[side].extent(task.some[side]) } else { 0.0 }
    }

    fn note(&mut self, task: &Task, divided: Divided) -> Divided {
        for ((found, pieces), divided) in self.found_whole.iter_mut().zip(self.pieces).zip(divided) {
            *found |= task.is_whole && pieces.is_solid_mesh() && !divided;
        }
        divided
    }

    fn divide_time(&mut self, task: &Task, directions: [DVec3; 2], gaps: [f64; 2]) -> Result<Divided> {
        let window = task.ends.map(|end| end.t);
        let middle = between(window);
        if task.depth > DEEPEST || !(window[0] < middle && middle < window[1]) {
            return Err(self.refusal(&format!("they come too close at {} to be proven apart", window[0])));
        }
        self.nodes.push(Node::SplitTime(middle));
        let first = [window[0], middle];
        let at = self.ends(first)[1];
        let before =
            Task { ends: [task.ends[0], at], bounds: self.bounds(first), depth: task.depth + 1, ..*task };
        let direction = self.closest(&before, 1);
        let gap = self.gap(&before, 1, direction);
        let a = self.with_directions(&before, [directions[0], direction], [gaps[0], gap])?;
        let second = self.bounds([middle, window[1]]);
        let after = Task { ends: [at, task.ends[1]], bounds: second, depth: task.depth + 1, ..*task };
        let b = self.with_directions(&after, [direction, directions[1]], [gap, gaps[1]])?;
        Ok(self.note(task, [a[0] || b[0], a[1] || b[1]]))
    }

    /// Returns directions at both ends, rounded, along which the two sides are apart all through the window.
    fn leaf(&self, task: &Task, needs: &Needs, [d, e]: [DVec3; 2], least: f64) -> Option<[DVec3; 2]> {
        // Turning a direction by a small angle loses that angle times the size of both sides together.
        let size: f64 = (0..2).map(|side| self.pieces[side].extent(task.some[side])).sum::<f64>() + least;
        let spare = least - needs.at_rest;
        let wanted = 30.0 * size / spare;
        let scale = (2..12).map(|digits| power(10.0, digits)).find(|&scale| scale >= wanted).unwrap_or(0.0);
        let mean = (d + e).normalize_or_zero();
        for pair in [[mean; 2], [d, e], [d; 2], [e; 2]] {
            let [d, e] = pair.map(|d| rounded(d, scale));
            let (long, change) = (f64::max(d.length(), e.length()), (e - d).length());
            let needed = (long * (needs.at_rest + needs.dip) + change * needs.turning) * (1.0 + 1e-9);
            // A pair of directions that needs too large a gap is not measured.
            let bound = least * long * (1.0 + 1e-6);
            if long > 0.0 && needed < bound && self.gap(task, 0, d) > needed && self.gap(task, 1, e) > needed
            {
                return Some([d, e]);
            }
        }
        None
    }

    /// Returns the proof for a half-space and something else, along its normal.
    fn above_plane(&mut self, task: &Task) -> Result<Divided> {
        let planes = self.pieces.map(|pieces| pieces.half_space());
        let (side, normal, offset) = match planes {
            [Some((normal, offset)), None] => (0, normal, offset),
            [None, Some((normal, offset))] => (1, normal, offset),
            _ => return Err(self.refusal("both are half-spaces")),
        };
        let frames = &self.certifier.statement.frames;
        let rests = self.chains[side].iter().all(|&frame| {
            let Frame { moves, within, .. } = &frames[frame];
            let fixed = |steps: &[Step]| steps.iter().all(|step| matches!(step, Step::Pose(_)));
            moves.len() == 1 && fixed(&moves[0].1) && *within == [0.0; 2]
        });
        if !rests {
            return Err(self.refusal("the half-space moves"));
        }
        let plane = &task.ends[0].maps[side];
        let normal = plane.rotation * normal;
        let height = normal.dot(plane.translation) + offset;
        let other = 1 - side;
        let time = task.ends[1].t - task.ends[0].t;
        let [reach, moved] = self.pieces[other].sizes(task.some[other]);
        let travel = task.bounds[other].travel(reach, moved * time);
        let at_rest = self.separation + travel.error + ROOM * (travel.distance + height.abs());
        let needed = (at_rest + 0.125 * travel.acceleration) * (1.0 + 1e-9);
        let gaps = [0, 1].map(|end| -self.reach(task, other, end, -normal) - height);
        if gaps[0] > needed && gaps[1] > needed {
            self.nodes.push(Node::Normal);
            return Ok(self.note(task, [false; 2]));
        }
        let window = task.ends.map(|end| end.t);
        let middle = between(window);
        let touches = (0..2).find(|&end| gaps[end] <= at_rest);
        if touches.is_some() || task.depth > DEEPEST || !(window[0] < middle && middle < window[1]) {
            let t = window[touches.unwrap_or(0)];
            return Err(
                self.refusal(&format!("they touch at {t}, or are too close there to be proven apart"))
            );
        }
        self.nodes.push(Node::SplitTime(middle));
        let at = self.ends([window[0], middle])[1];
        let halves = [[task.ends[0], at], [at, task.ends[1]]];
        for ends in halves {
            let bounds = self.bounds(ends.map(|end| end.t));
            self.above_plane(&Task { ends, bounds, depth: task.depth + 1, ..*task })?;
        }
        Ok(self.note(task, [false; 2]))
    }
}

/// Returns a direction with as many digits as the scale has, as whole numbers; all digits for the scale 0.
fn rounded(direction: DVec3, scale: f64) -> DVec3 {
    if scale == 0.0 {
        return direction;
    }
    (direction.normalize_or_zero() * scale).round()
}

/// Returns a time near the middle of a window with few digits.
fn between([start, end]: [f64; 2]) -> f64 {
    let (middle, quarter) = (0.5 * (start + end), 0.25 * (end - start));
    let mut scale = 1.0;
    while scale < 1e15 {
        let t = (middle * scale).round() / scale;
        if (t - middle).abs() < quarter {
            return t;
        }
        scale *= 10.0;
    }
    middle
}
