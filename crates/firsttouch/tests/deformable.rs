//! Deforming meshes against brute force over all pairs of features with the exact test. The first time is the same, bit
//! for bit, and so is the set of touching pairs, for all modes, volumes, numbers of threads and previous frames.

use crate::random;

use std::path::Path;

use firsttouch::deformable::{DeformReport, Deformable, Dop, Settings, Start};
use firsttouch::elementary::{Contact, EdgeEdge, Limits, Verdict, VertexFace, edge_edge, vertex_face};
use firsttouch::numerics::predicates::segment_triangle_touch;
use firsttouch::{Answer, Feature, Mode, Options};
use glam::{DVec3, dvec3};
use random::Random;

#[derive(Clone)]
struct Soup {
    t0: Vec<DVec3>,
    t1: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    points: Vec<u32>,
}

impl Soup {
    fn mesh(&self, settings: Settings) -> Deformable {
        Deformable::with_settings(
            self.t0.clone(),
            self.t1.clone(),
            self.triangles.clone(),
            self.edges.clone(),
            self.points.clone(),
            settings,
        )
        .unwrap()
    }

    /// Returns a soup of one of several kinds: generic, sparse, on a coarse grid (degenerate everywhere), far from
    /// the origin, nearly at rest, tiny.
    fn random(random: &mut Random, kind: usize) -> Soup {
        let count = 6 + random.index(20);
        let (reach, step) = match kind % 6 {
            1 => (4.0, 1.5),
            4 => (1.0, 0.02),
            _ => (1.0, 0.6),
        };
        let mut t0 = Vec::new();
        let mut t1 = Vec::new();
        for _ in 0..count {
            let (p, d) = (random.vector(reach), random.vector(step));
            t0.push(p);
            t1.push(p + d);
        }
        for p in t0.iter_mut().chain(&mut t1) {
            match kind % 6 {
                2 => *p = (*p * 2.0).round(),
                3 => *p += dvec3(1e9, -3e8, 5e8),
                5 => *p *= 1e-12,
                _ => {}
            }
        }
        let vertex = |random: &mut Random| random.index(count) as u32;
        // Corners may repeat: triangles that are edges or points.
        let triangles = (0..1 + random.index(10)).map(|_| [0; 3].map(|_| vertex(random))).collect();
        let edges = (0..random.index(4)).map(|_| [0; 2].map(|_| vertex(random))).collect();
        let points = (0..random.index(4)).map(|_| vertex(random)).collect();
        Soup { t0, t1, triangles, edges, points }
    }

    /// Returns a sheet with a crumpling motion, fine enough for a tree of some depth.
    fn cloth(random: &mut Random, side: usize) -> Soup {
        let at = |i: usize, j: usize| (i * side + j) as u32;
        let (fold, wave) = (random.range(0.5, 3.0), random.range(2.0, 9.0));
        let mut t0 = Vec::new();
        let mut t1 = Vec::new();
        for i in 0..side {
            for j in 0..side {
                let (x, y) = (i as f64 / side as f64, j as f64 / side as f64);
                let z = 0.03 * (wave * x + fold * y).sin() + random.range(-0.005, 0.005);
                t0.push(dvec3(x, y, z));
                // Rolled up along x.
                let angle = fold * 3.0 * x;
                let radius = 0.15 + 0.02 * x;
                t1.push(dvec3(radius * angle.sin(), y, radius * angle.cos()) + random.vector(0.01));
            }
        }
        let mut triangles = Vec::new();
        for i in 0..side - 1 {
            for j in 0..side - 1 {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                triangles.push([at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]);
            }
        }
        Soup { t0, t1, triangles, edges: vec![[0, at(side - 1, side - 1)]], points: vec![] }
    }
}

/// Difficult inputs for normal cones, each a sheet or two of `2 (side − 1)²` triangles, initially in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trial {
    /// A small motion.
    Calm,
    /// Rolled up, over itself.
    Curl,
    /// One half moves to the other side of a line, past the first half.
    Fold,
    /// Some vertices move far beyond their neighbours, in the plane.
    Spikes,
    /// A ring whose ends meet in the plane: all triangles keep their orientation.
    Ring,
    /// A small sheet above a large one that passes through it.
    Stack,
    /// Triangles are missing: holes, pieces, pieces connected by a vertex only.
    Moth,
    /// On a coarse grid: features touch exactly.
    Grid,
}

const TRIALS: [Trial; 8] = [
    Trial::Calm,
    Trial::Curl,
    Trial::Fold,
    Trial::Spikes,
    Trial::Ring,
    Trial::Stack,
    Trial::Moth,
    Trial::Grid,
];

impl Trial {
    fn soup(self, random: &mut Random, side: usize) -> Soup {
        let mut soup = Soup { t0: vec![], t1: vec![], triangles: vec![], edges: vec![], points: vec![] };
        let amount = random.range(0.0, 1.0);
        let sheets = if self == Trial::Stack { 2 } else { 1 };
        for sheet in 0..sheets {
            let base = soup.t0.len() as u32;
            let (size, side, up) = if sheet == 0 { (1.0, side, 0.0) } else { (0.3, 5, 0.1) };
            for k in 0..side * side {
                let (x, y) = ((k / side) as f64 / (side - 1) as f64, (k % side) as f64 / (side - 1) as f64);
                let noise = random.vector(0.1 / side as f64);
                let p = dvec3(x, y, 0.0) * size + dvec3(0.1 * up, 0.2 * up, up) + noise;
                let calm = random.vector(0.02 / side as f64);
                let (p, q) = match self {
                    Trial::Calm | Trial::Moth => (p, p + calm * 20.0 * amount),
                    Trial::Curl => {
                        let angle = 1e-9 + 9.0 * amount * p.x;
                        let radius = 1.0 / (9.0 * amount + 0.1) + 0.02 * p.x;
                        (p, dvec3(radius * angle.sin(), p.y, radius * (1.0 - angle.cos())) + calm)
                    }
                    Trial::Fold => {
                        let beyond = (p.x + 0.3 * p.y - 0.6).max(0.0) * (1.0 + amount);
                        (p, p + dvec3(-beyond, -0.3 * beyond, random.range(0.0, 0.02)))
                    }
                    Trial::Spikes => {
                        let far = if random.index(12) == 0 {
                            random.vector(0.5) * dvec3(1.0, 1.0, 0.02)
                        } else {
                            calm
                        };
                        (p, p + far)
                    }
                    Trial::Ring => {
                        let at = |turn: f64, p: DVec3| {
                            let (angle, radius) = (turn * p.x, 0.4 + 0.2 * p.y);
                            dvec3(radius * angle.cos(), radius * angle.sin(), 0.1 * p.z)
                        };
                        (at(5.5, p), at(5.5 + 2.5 * amount, p))
                    }
                    Trial::Stack => (p, p + calm - DVec3::Z * 2.0 * up * amount),
                    Trial::Grid => {
                        let round = |p: DVec3, n: f64| (p * n).round() / n;
                        let p = round(p, (side - 1) as f64);
                        (p, round(p + random.vector(0.7 / side as f64) * amount, (2 * side - 2) as f64))
                    }
                };
                soup.t0.push(p);
                soup.t1.push(q);
            }
            let at = |i: usize, j: usize| base + (i * side + j) as u32;
            for i in 0..side - 1 {
                for j in 0..side - 1 {
                    soup.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                    soup.triangles.push([at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]);
                }
            }
        }
        let missing = if self == Trial::Moth { random.range(0.02, 0.5) } else { 0.0 };
        soup.triangles.retain(|_| random.range(0.0, 1.0) >= missing);
        // Flipped triangles, doubled ones, ones that share a side with two others.
        if random.index(8) == 0 {
            let (i, n) = (random.index(soup.triangles.len()), soup.t0.len() as u32);
            let [a, b, c] = soup.triangles[i];
            soup.triangles[i] = [a, c, b];
            soup.triangles.push([a, b, (c + 7) % n]);
            soup.triangles.push([b, c, a]);
        }
        if random.index(8) == 0 {
            soup.edges.push([0, soup.t0.len() as u32 - 1]);
        }
        // Rotated, so that every direction is used, and moved away from the origin.
        if self != Trial::Grid {
            let turn = glam::DQuat::from_scaled_axis(random.vector(3.0));
            let distance = if random.index(3) == 0 { 1e6 } else { 1.0 };
            let away = random.vector(distance);
            for p in soup.t0.iter_mut().chain(&mut soup.t1) {
                *p = turn * *p + away;
            }
        }
        soup
    }
}

/// The pairs that touch, as (kind, indices, time, upper bound), by brute force.
struct Brute {
    touching: Vec<(u8, [u32; 2], f64, f64)>,
    /// The same if those that touch at time 0 are left out. A pair that is only within the separation at time 0 touches
    /// at a distance of 0.
    later: Vec<(u8, [u32; 2], f64, f64)>,
    undecided: usize,
    crossings: u64,
}

fn brute(soup: &Soup, mesh: &Deformable, p: &Limits) -> Brute {
    let mut out = Brute { touching: vec![], later: vec![], undecided: 0, crossings: 0 };
    let exact =
        Limits::new(&Options { min_separation: 0.0, t_max: p.t_end(), ..Options::default() }).unwrap();
    let mut used: Vec<u32> = soup.triangles.iter().flatten().copied().collect();
    used.extend(soup.edges.iter().flatten().chain(&soup.points));
    used.sort_unstable();
    used.dedup();
    let mut add = |kind, ids, test: &dyn Fn(&Limits) -> Verdict<Contact>| match test(p) {
        Verdict::Free => {}
        Verdict::Touch(c) => {
            let touch = (kind, ids, c.toi, c.toi_upper);
            out.touching.push(touch);
            if c.toi_upper > 0.0 {
                out.later.push(touch);
            } else if let Verdict::Touch(c) = test(&exact)
                && c.toi_upper > 0.0
            {
                out.later.push((kind, ids, c.toi, c.toi_upper));
            }
        }
        Verdict::Undecided { .. } => out.undecided += 1,
    };
    let at = |t: &[DVec3], i: [u32; 4]| i.map(|v| t[v as usize]);
    for &v in &used {
        for (f, corners) in soup.triangles.iter().enumerate() {
            if !corners.contains(&v) {
                let i = [v, corners[0], corners[1], corners[2]];
                let q = VertexFace::new(at(&soup.t0, i), at(&soup.t1, i)).unwrap();
                add(0, [v, f as u32], &|p| vertex_face(&q, p).outcome);
            }
        }
    }
    for (i, &[a, b]) in mesh.edges().iter().enumerate() {
        for (j, &[c, d]) in mesh.edges().iter().enumerate().skip(i + 1) {
            if a != c && a != d && b != c && b != d {
                let q = EdgeEdge::new(at(&soup.t0, [a, b, c, d]), at(&soup.t1, [a, b, c, d])).unwrap();
                add(1, [i as u32, j as u32], &|p| edge_edge(&q, p).outcome);
            }
        }
        for corners in &soup.triangles {
            if !corners.contains(&a) && !corners.contains(&b) {
                let segment = [a, b].map(|v| soup.t0[v as usize]);
                let triangle = corners.map(|v| soup.t0[v as usize]);
                out.crossings += segment_triangle_touch(segment, triangle) as u64;
            }
        }
    }
    out
}

fn found(report: &DeformReport) -> Vec<(u8, [u32; 2], f64)> {
    let number = |f: Feature| match f {
        Feature::Vertex(i) | Feature::Edge(i) | Feature::Face(i) => i,
    };
    let kind = |f: Feature| matches!(f, Feature::Edge(_)) as u8;
    report.touches.iter().map(|t| (kind(t.features[0]), t.features.map(number), t.toi)).collect()
}

const DOPS: [Dop; 5] = [Dop::Six, Dop::Eight, Dop::Eighteen, Dop::TwentyFour, Dop::TwentySix];

/// Compares all modes and both treatments of the start with brute force. Returns (first time, touches, touches at the
/// start).
fn compare(soup: &Soup, settings: Settings, options: Options) -> (Option<f64>, usize, usize) {
    let mesh = soup.mesh(settings);
    compare_mesh(soup, &mesh, options)
}

fn compare_mesh(soup: &Soup, mesh: &Deformable, options: Options) -> (Option<f64>, usize, usize) {
    let p = Limits::new(&options).unwrap();
    let truth = brute(soup, mesh, &p);
    let Brute { later, .. } = &truth;
    let first = later.iter().map(|t| t.2).min_by(f64::total_cmp);
    let plain = |v: &[(u8, [u32; 2], f64, f64)]| v.iter().map(|t| (t.0, t.1, t.2)).collect::<Vec<_>>();
    let ask = |mode, start| mesh.check(&Options { mode, ..options }, start).unwrap();

    let all = ask(Mode::All, Start::Ignore);
    assert_eq!(found(&all), plain(later));
    assert_eq!(all.undecided.len(), truth.undecided);
    let all = ask(Mode::All, Start::Report);
    assert_eq!(found(&all), plain(&truth.touching));
    assert_eq!(all.crossings_at_start, Some(truth.crossings));
    if truth.undecided > 0 {
        return (first, later.len(), 0);
    }

    match ask(Mode::First, Start::Ignore).answer {
        Answer::Free => assert_eq!(first, None),
        Answer::Touch(touch) => {
            assert_eq!(Some(touch.toi), first);
            let scale = soup.t0.iter().chain(&soup.t1).fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
            assert!(touch.gap <= options.min_separation + options.tolerance + 1e-13 * scale, "{touch:?}");
        }
        other => panic!("{other:?}"),
    }
    let touching_at_start = truth.touching.iter().filter(|t| t.3 == 0.0).count();
    let at_start = touching_at_start > 0 || truth.crossings > 0;
    match ask(Mode::First, Start::Report).answer {
        Answer::Free => assert!(truth.touching.is_empty() && !at_start),
        Answer::Touch(touch) => assert!(!at_start && Some(touch.toi) == first),
        Answer::TouchingAtStart(touch) => assert!(at_start && touch.toi == 0.0),
        other => panic!("{other:?}"),
    }
    for start in [Start::Ignore, Start::Report] {
        match ask(Mode::Any, start).answer {
            Answer::Free => assert!(first.is_none() && (start == Start::Ignore || !at_start)),
            Answer::Touch(touch) => {
                assert!(
                    later.iter().any(|t| t.2 == touch.toi)
                        && (start == Start::Ignore || truth.crossings == 0)
                )
            }
            Answer::TouchingAtStart(_) => assert!(at_start && start == Start::Report),
            other => panic!("{other:?}"),
        }
    }
    (first, later.len(), touching_at_start)
}

#[test]
fn random_soups_against_all_pairs() {
    let mut random = Random(1);
    let (mut free, mut hit, mut touches, mut at_start) = (0, 0, 0, 0);
    for round in 0..600 {
        let soup = Soup::random(&mut random, round);
        let settings = Settings {
            dop: DOPS[round % 5],
            switch_height: (round % 4) as u32,
            local_advancement: round % 7 != 0,
            advancement_in_all: round % 3 == 0,
            normal_cones: round % 3 != 0,
            ..Settings::default()
        };
        let t_max = if round % 5 == 0 { random.range(0.01, 1.0) } else { 1.0 };
        let (first, count, start) = compare(&soup, settings, Options { t_max, ..Options::default() });
        *if first.is_none() { &mut free } else { &mut hit } += 1;
        touches += count;
        at_start += start;
    }
    assert!(free > 60 && hit > 200 && touches > 2000 && at_start > 300, "{free} {hit} {touches} {at_start}");
}

#[test]
fn random_soups_with_a_separation() {
    let mut random = Random(2);
    let (mut free, mut hit) = (0, 0);
    for round in 0..150 {
        // The tiny and the far ones are excluded: there the tolerance is beyond the coordinates, or below their
        // rounding.
        let soup = Soup::random(&mut random, [0, 1, 4][round % 3]);
        let options =
            Options { min_separation: random.range(0.001, 0.1), tolerance: 1e-4, ..Options::default() };
        let settings = Settings { dop: DOPS[round % 5], ..Settings::default() };
        let (first, ..) = compare(&soup, settings, options);
        *if first.is_none() { &mut free } else { &mut hit } += 1;
    }
    assert!(free > 5 && hit > 50, "{free} {hit}");
}

#[test]
fn cloth_against_all_pairs_over_many_frames() {
    let mut random = Random(3);
    let mut touches = 0;
    for round in 0..4 {
        let mut soup = Soup::cloth(&mut random, 14);
        let mut mesh = soup.mesh(Settings { dop: DOPS[round % 5], ..Settings::default() });
        touches += compare_mesh(&soup, &mesh, Options::default()).1;
        // Other frames with the same tree, or a rebuilt one: the same as a mesh built for them.
        for _ in 0..3 {
            let t1 = Soup::cloth(&mut random, 14).t1;
            mesh.step_to(&t1).unwrap();
            soup = Soup { t0: soup.t1, t1, ..soup };
            touches += compare_mesh(&soup, &mesh, Options::default()).1;
        }
    }
    assert!(touches > 1000, "{touches}");
}

/// With cones, the same pairs at the same times as by brute force, both where the cones exclude much (patches are
/// found) and where they must not (features touch). Both occur in the same mesh, often enough.
#[test]
fn normal_cones_against_all_pairs() {
    let mut random = Random(7);
    for trial in TRIALS {
        let (mut patches, mut touching, mut both, mut free) = (0, 0, 0, 0);
        for round in 0..48 {
            let soup = trial.soup(&mut random, [9, 12, 16][round % 3]);
            let mesh = soup.mesh(Settings { dop: DOPS[round % 5], ..Settings::default() });
            let t_max = if round % 4 == 0 { random.range(0.05, 1.0) } else { 1.0 };
            let options = Options { t_max, ..Options::default() };
            let (_, count, at_start) = compare_mesh(&soup, &mesh, options);
            let all = mesh.check(&Options { mode: Mode::All, ..options }, Start::Ignore).unwrap();
            let (patch, touch) = (all.stats.patch_leaves > 0, count + at_start > 0);
            patches += patch as usize;
            touching += touch as usize;
            both += (patch && touch) as usize;
            free += (patch && !touch) as usize;
        }
        let (least_patches, least_touching, least_both) = match trial {
            Trial::Calm => (24, 0, 0),
            _ => (8, 8, 4),
        };
        assert!(
            patches >= least_patches && touching >= least_touching && both >= least_both,
            "{trial:?}: {patches} with patches, {touching} touching, {both} with both, {free} free"
        );
    }
}

/// The first touch, by the queue, is the smallest of all touches, including the order of features: for meshes of many
/// tasks.
#[test]
fn the_first_is_the_earliest_of_all() {
    let mut random = Random(8);
    let (mut free, mut hit, mut saved) = (0, 0, 0);
    for round in 0..24 {
        let soup = match round % 3 {
            0 => Soup::cloth(&mut random, 40),
            _ => TRIALS[round % 8].soup(&mut random, 40),
        };
        let mesh = soup.mesh(Settings {
            switch_height: [3, 0, 6][round / 8],
            normal_cones: round % 5 != 0,
            ..Settings::default()
        });
        let t_max = if round % 4 == 0 { random.range(0.01, 1.0) } else { 1.0 };
        let options = Options { t_max, ..Options::default() };
        let all = mesh.check(&Options { mode: Mode::All, ..options }, Start::Ignore).unwrap();
        let first = mesh.check(&options, Start::Ignore).unwrap();
        let any = mesh.check(&Options { mode: Mode::Any, ..options }, Start::Ignore).unwrap();
        // Already sorted by features, so this is the first of the earliest.
        let earliest = all.touches.iter().min_by(|a, b| a.toi.total_cmp(&b.toi));
        match (first.answer, earliest) {
            (Answer::Free, None) => free += 1,
            (Answer::Touch(touch), Some(earliest)) => {
                assert_eq!(&touch, earliest);
                hit += 1;
                saved += (first.stats.ee_tested < all.stats.ee_tested) as usize;
            }
            (answer, earliest) => panic!("{answer:?} {earliest:?}"),
        }
        assert_eq!(any.answer == Answer::Free, earliest.is_none());
    }
    assert!(free >= 2 && hit >= 10 && saved >= 8, "{free} {hit} {saved}");
}

#[test]
fn a_degraded_tree_is_built_again() {
    let mut random = Random(4);
    let mut soup = Soup::cloth(&mut random, 20);
    soup.t1 = soup.t0.clone();
    let mut mesh = soup.mesh(Settings::default());
    assert_eq!(mesh.rebuilds(), 0);
    // All vertices change places: the leaves extend across the mesh.
    let n = soup.t0.len();
    soup.t0 = (0..n).map(|i| soup.t0[i * 7 % n]).collect();
    soup.t1 = soup.t0.iter().map(|p| *p + dvec3(0.0, 0.0, 1e-3)).collect();
    mesh.set_frames(&soup.t0, &soup.t1).unwrap();
    assert_eq!(mesh.rebuilds(), 1);
    compare_mesh(&soup, &mesh, Options::default());
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let mut random = Random(5);
    let soup = Soup::cloth(&mut random, 60);
    let plain = soup.mesh(Settings::default());
    for mode in [Mode::First, Mode::Any, Mode::All] {
        for start in [Start::Report, Start::Ignore] {
            for min_separation in [0.0, 1e-3] {
                let options = Options { mode, min_separation, ..Options::default() };
                let one = plain.check(&options, start).unwrap();
                assert!(one.answer != Answer::Free);
                for threads in [2, 4, 0] {
                    let mesh = soup.mesh(Settings { threads, ..Settings::default() });
                    let many = mesh.check(&Options { threads, ..options }, start).unwrap();
                    assert_eq!(one, many);
                }
            }
        }
    }
}

#[test]
fn filters_and_safe_steps() {
    let mut random = Random(6);
    let (mut filtered_out, mut shorter) = (0, 0);
    for round in 0..100 {
        let soup = Soup::random(&mut random, round);
        let mesh = soup.mesh(Settings::default());
        let keep = |features: [Feature; 2]| match features {
            [Feature::Vertex(v), Feature::Face(f)] => (v + f) % 3 != 0,
            [Feature::Edge(e), Feature::Edge(f)] => (e + f) % 2 != 0,
            _ => true,
        };
        let options = Options { mode: Mode::All, ..Options::default() };
        let all = mesh.check(&options, Start::Ignore).unwrap();
        let some = mesh.check_filtered(&options, Start::Ignore, &keep).unwrap();
        let expected: Vec<_> = all.touches.iter().filter(|t| keep(t.features)).cloned().collect();
        filtered_out += all.touches.len() - expected.len();
        assert_eq!(some.touches, expected);
        let step = mesh.safe_step(&Options::default(), Start::Ignore, 0.9).unwrap();
        let first = all.answer.free_until(1.0);
        assert_eq!(step, if all.answer == Answer::Free { 1.0 } else { first * 0.9 });
        shorter += (step < 1.0) as usize;
    }
    assert!(filtered_out > 100 && shorter > 30, "{filtered_out} {shorter}");
}

#[test]
fn bad_input_is_rejected_with_its_location() {
    let ok = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let new = |t0: &[DVec3], t1: &[DVec3], triangles: &[[u32; 3]]| {
        Deformable::new(t0.to_vec(), t1.to_vec(), triangles.to_vec(), vec![], vec![])
            .map(|_| ())
            .map_err(|e| e.to_string())
            .unwrap_err()
    };
    assert!(new(&ok, &ok[..2], &[[0, 1, 2]]).contains("frame 1 has 2 vertices where 3 are expected"));
    assert!(
        new(&ok, &[DVec3::ZERO, DVec3::splat(f64::NAN), DVec3::Y], &[[0, 1, 2]])
            .contains("vertex 1 x at time 1")
    );
    assert!(
        new(&[DVec3::ZERO, DVec3::X, dvec3(0.0, 1e61, 0.0)], &ok, &[[0, 1, 2]])
            .contains("vertex 2 y at time 0")
    );
    assert!(new(&ok, &ok, &[[0, 1, 2], [0, 1, 3]]).contains("triangle 1 vertex 3 is out of range"));
    assert!(new(&ok, &ok, &[]).contains("empty"));
    let mut mesh = Deformable::new(ok.clone(), ok.clone(), vec![[0, 1, 2]], vec![], vec![]).unwrap();
    assert!(mesh.set_frames(&ok[..2], &ok).is_err() && mesh.step_to(&ok[..2]).is_err());
    assert!(mesh.check(&Options { tolerance: 0.0, ..Options::default() }, Start::Report).is_err());
}

/// The real scenes, if present: the figures of an independent search in binary128 and exact arithmetic. The tests above
/// compare generated meshes with all pairs.
#[test]
fn the_shared_scenes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/scenes");
    let scenes = [
        (
            "cloth-ball",
            "cloth_ball92.ply",
            "cloth_ball93.ply",
            7.492069186824336e-06,
            [19_032, 94_822],
            62_655,
        ),
        ("armadillo-rollers", "326.ply", "327.ply", 3.9858192989688544e-05, [4_650, 19_308], 0),
    ];
    if !root.is_dir() {
        return skipped("the_shared_scenes");
    }
    for (name, from, to, exact, [vf, ee], crossings) in scenes {
        let Some((t0, triangles)) = read_ply(&root.join(name).join(from)) else { continue };
        let Some((t1, same)) = read_ply(&root.join(name).join(to)) else { continue };
        assert_eq!(triangles, same);
        let mesh = Deformable::new(t0, t1, triangles, vec![], vec![]).unwrap();
        assert!(mesh.bytes() <= 400 * mesh.triangles().len());
        let options = Options { threads: 2, ..Options::default() };
        let toi = mesh.check(&options, Start::Ignore).unwrap().answer.free_until(1.0);
        assert!(toi <= exact && exact - toi <= 1e-12, "{toi} {exact}");
        let all = mesh.check(&Options { mode: Mode::All, ..options }, Start::Ignore).unwrap();
        assert_eq!([all.vertex_face_touches(), all.edge_edge_touches()], [vf, ee]);
        let earliest = all.touches.iter().map(|t| t.toi).min_by(f64::total_cmp);
        assert_eq!(earliest, Some(toi));
        let report = mesh.check(&options, Start::Report).unwrap();
        assert_eq!(report.crossings_at_start, Some(crossings));
        assert_eq!(matches!(report.answer, Answer::TouchingAtStart(_)), crossings > 0);
    }
}

/// Reads just enough of binary PLY for these files: float or double positions, then triangles of a byte and three
/// ints.
fn read_ply(path: &Path) -> Option<(Vec<DVec3>, Vec<[u32; 3]>)> {
    let bytes = std::fs::read(path).ok()?;
    let mark = b"end_header\n";
    let end = bytes.windows(mark.len()).position(|w| w == mark)? + mark.len();
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let count = |element: &str| -> usize {
        let line = header.lines().find(|l| l.starts_with(&format!("element {element} "))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (big, wide) = (header.contains("binary_big_endian"), header.contains("property double x"));
    // The bytes of a number, the least significant first.
    let raw = |at: usize, size: usize| {
        let mut out = [0u8; 8];
        for k in 0..size {
            out[k] = bytes[at + if big { size - 1 - k } else { k }];
        }
        u64::from_le_bytes(out)
    };
    let size = if wide { 8 } else { 4 };
    let number = |at: usize| match wide {
        true => f64::from_bits(raw(at, 8)),
        false => f32::from_bits(raw(at, 4) as u32) as f64,
    };
    let (vertices, faces) = (count("vertex"), count("face"));
    let position = |i: usize| DVec3::from_array([0, 1, 2].map(|k| number(end + size * (3 * i + k))));
    let start = end + 3 * size * vertices;
    let triangle = |i: usize| [0, 1, 2].map(|k| raw(start + 13 * i + 1 + 4 * k, 4) as u32);
    Some(((0..vertices).map(position).collect(), (0..faces).map(triangle).collect()))
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}
