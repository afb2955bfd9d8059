//! Measures three hierarchies for a mesh, on the links of robots and on generated bodies: oriented boxes, the same with
//! the small nodes as convex hulls, and hulls over convex patches.
//!
//! `cargo run --release -p firsttouch-lab --bin hulls [paths] [links] [bodies]` runs the named parts, or all of them.
//! The robots are read from the shared data beside the checkout, and left out if it is missing.
//! - *paths*: the robots' own paths, with all pairs of links of a segment in one query.
//! - *links*: pairs of links, free of their joints, that fly through each other while they turn.
//! - *bodies*: the same for generated meshes and the bunny, at growing sizes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::advancement::{Limits, Verdict};
use firsttouch::articulated::{Robot, RobotMotion};
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::pair::Side;
use firsttouch::shape::{Mesh, ObbTree, Shape};
use firsttouch::tree::composite::Composite;
use firsttouch::tree::{TreeStats, first_touch};
use firsttouch_lab::benches::bunnies::Bunnies;
use firsttouch_lab::benches::hierarchies::BoxesOnly;
use firsttouch_lab::comparison::{HullTree, Hulled};
use firsttouch_lab::scenes::shapes;
use glam::{DQuat, DVec3, dvec3};

const LIMITS: Limits = Limits::DEFAULT;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let part = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    println!("{:<34} {:>9} {:>9} {:>9} {:>8} {:>8}", "", "build, ms", "us", "volumes", "pieces", "ns each");
    for name in ["panda", "ur5"] {
        let folder = shared.join("robots").join(name);
        if folder.exists() && (part("paths") || part("links")) {
            let (robot, _) = firsttouch_io::read_robot(
                &folder.join(format!("{name}.urdf")),
                Some(&folder.join(format!("{name}.srdf"))),
            )?;
            if part("paths") {
                paths(name, &robot, &folder)?;
            }
            if part("links") {
                links(name, &robot)?;
            }
        }
    }
    if part("bodies") {
        bodies(&shared)?;
    }
    Ok(())
}

/// The hierarchies, in the order in which they are shown.
const KINDS: [&str; 3] = ["boxes, small nodes as hulls", "boxes only", "hulls over patches"];

/// The mesh parts of a robot, by link and part, with their trees of hulls.
struct Meshes<'a> {
    parts: Vec<(usize, usize, MeshTrees<'a>)>,
}

impl<'a> Meshes<'a> {
    fn of(robot: &'a Robot) -> Meshes<'a> {
        let mut parts = Vec::new();
        for (link, described) in robot.links().iter().enumerate() {
            for (part, described) in described.parts().iter().enumerate() {
                if let Shape::Mesh(mesh) = &described.shape {
                    mesh.hull();
                    parts.push((link, part, MeshTrees::new(mesh)));
                }
            }
        }
        Meshes { parts }
    }

    fn triangles(&self) -> usize {
        self.parts.iter().map(|part| part.2.mesh.triangles().len()).sum()
    }

    /// Returns the build time of the trees, by kind.
    fn build(&self) -> [f64; 3] {
        self.parts.iter().fold([0.0; 3], |sum, part| [0, 1, 2].map(|k| sum[k] + part.2.build[k]))
    }
}

fn paths(name: &str, robot: &Robot, folder: &Path) -> Result<(), Failure> {
    let meshes = Meshes::of(robot);
    let file = firsttouch_io::read_urdf(&folder.join(format!("{name}.urdf")))?;
    let mut segments: Vec<[Vec<f64>; 2]> = Vec::new();
    for k in 1..=5 {
        let csv: PathBuf = folder.join("table_pick").join(format!("{k}.csv"));
        let waypoints = firsttouch_io::read_waypoints(&csv, &file)?;
        let columns: Vec<usize> = waypoints.joints.iter().filter_map(|joint| robot.variable(joint)).collect();
        let full = |row: &Vec<f64>| {
            let mut configuration = robot.zero();
            columns.iter().zip(row).for_each(|(&column, &value)| configuration[column] = value);
            configuration
        };
        for path in &waypoints.paths {
            segments.extend(path.rows.windows(2).map(|pair| [full(&pair[0]), full(&pair[1])]));
        }
    }
    segments.truncate(60);
    let mut pairs = Vec::new();
    for (i, a) in meshes.parts.iter().enumerate() {
        for (j, b) in meshes.parts.iter().enumerate().skip(i + 1) {
            if a.0 != b.0 && !robot.is_allowed(a.0, b.0) {
                pairs.push([i, j]);
            }
        }
    }
    let triangles = meshes.triangles();
    println!(
        "{name}: {} segments of paths, {} pairs of links, {triangles} triangles",
        segments.len(),
        pairs.len()
    );
    let treed = |k: usize| &meshes.parts[k].2;
    let totals = [
        on_paths(robot, &segments, &pairs, &meshes, |k| treed(k).mesh)?,
        on_paths(robot, &segments, &pairs, &meshes, |k| BoxesOnly(treed(k).mesh))?,
        on_paths(robot, &segments, &pairs, &meshes, |k| treed(k).hulled())?,
    ];
    print_all(&totals, meshes.build());
    Ok(())
}

fn on_paths<C: Composite + Copy>(
    robot: &Robot,
    segments: &[[Vec<f64>; 2]],
    pairs: &[[usize; 2]],
    meshes: &Meshes<'_>,
    pieces: impl Fn(usize) -> C,
) -> Result<Total, Failure> {
    let mut total = Total::default();
    for [from, to] in segments {
        let motion = RobotMotion::new(robot, Pose::IDENTITY, from, to)?;
        let moves: Vec<_> = pairs
            .iter()
            .map(|&[i, j]| {
                let place = |k: usize| (meshes.parts[k].0, meshes.parts[k].1);
                motion.relative(place(i), place(j))
            })
            .collect();
        let movers: Vec<[Side<'_, C>; 2]> = pairs
            .iter()
            .zip(&moves)
            .map(|(&[i, j], [a, b])| {
                [Side { pieces: pieces(i), motion: a }, Side { pieces: pieces(j), motion: b }]
            })
            .collect();
        total.measure(&movers);
    }
    Ok(total)
}

fn links(name: &str, robot: &Robot) -> Result<(), Failure> {
    let meshes = Meshes::of(robot);
    println!("{name}: links that fly through each other, {} triangles", meshes.triangles());
    let mut totals: [Total; 3] = Default::default();
    for (i, (_, _, a)) in meshes.parts.iter().enumerate() {
        for (j, (_, _, b)) in meshes.parts.iter().enumerate().skip(i) {
            every_tree(&mut totals, [a, b], &crossing([a.mesh, b.mesh], 7 * i + j)?);
        }
    }
    print_all(&totals, meshes.build());
    Ok(())
}

fn bodies(shared: &Path) -> Result<(), Failure> {
    for n in [500, 4_000, 32_000] {
        let named = [
            ("potato and ring", shapes::potato(n, 1)?, shapes::torus(1.0, 0.35, n)?),
            ("teapots", shapes::teapot(n)?, shapes::teapot(n)?),
        ];
        for (name, a, b) in &named {
            let (a, b) = (MeshTrees::new(a), MeshTrees::new(b));
            println!("{name}, {} triangles", a.mesh.triangles().len() + b.mesh.triangles().len());
            let mut totals: [Total; 3] = Default::default();
            for seed in 0..8 {
                every_tree(&mut totals, [&a, &b], &crossing([a.mesh, b.mesh], seed)?);
            }
            print_all(&totals, [0, 1, 2].map(|k| a.build[k] + b.build[k]));
        }
    }
    let bunnies = Bunnies::read(shared)?;
    for (i, mesh) in bunnies.meshes.iter().enumerate() {
        println!("bunnies of {} triangles", mesh.triangles().len());
        let treed = MeshTrees::new(mesh);
        let mut totals: [Total; 3] = Default::default();
        for scene in bunnies.scenes.iter().filter(|scene| scene.meshes == [i, i]) {
            every_tree(&mut totals, [&treed, &treed], &scene.motions);
        }
        print_all(&totals, treed.build);
    }
    Ok(())
}

/// A mesh with its trees, and the milliseconds to build each: its own, its boxes, and the tree over patches.
struct MeshTrees<'a> {
    mesh: &'a Mesh,
    tree: HullTree,
    build: [f64; 3],
}

impl<'a> MeshTrees<'a> {
    fn new(mesh: &'a Mesh) -> MeshTrees<'a> {
        let start = Instant::now();
        let own = ObbTree::new(mesh.triangles().len());
        // All of it is built, as for the other tree.
        let own = own.over(mesh.vertices(), mesh.triangles());
        own.build_all(false);
        let all = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        let tree = HullTree::new(mesh);
        assert_eq!(own.len(), tree.len());
        MeshTrees { mesh, tree, build: [all, 0.0, start.elapsed().as_secs_f64() * 1e3] }
    }

    fn hulled(&self) -> Hulled<'_> {
        Hulled { mesh: self.mesh, tree: &self.tree }
    }
}

/// Runs one pair with all trees.
fn every_tree(totals: &mut [Total; 3], [a, b]: [&MeshTrees<'_>; 2], motions: &[Motion; 2]) {
    let motions: [&dyn RigidMotion; 2] = [&motions[0], &motions[1]];
    totals[0].pair([a.mesh, b.mesh], motions);
    totals[1].pair([BoxesOnly(a.mesh), BoxesOnly(b.mesh)], motions);
    totals[2].pair([a.hulled(), b.hulled()], motions);
}

fn print_all(totals: &[Total; 3], build: [f64; 3]) {
    for ((label, total), build) in KINDS.iter().zip(totals).zip(build) {
        total.print(label, build);
        let apart = totals[0].apart(total);
        assert!(apart < 1e-4, "{label}: the answers differ by {apart}");
    }
}

/// Returns two bodies that pass through or close by each other near the middle of the time, each turning by up to half
/// a turn.
fn crossing(meshes: [&Mesh; 2], seed: usize) -> firsttouch::Result<[Motion; 2]> {
    let [(center_a, half_a), (center_b, half_b)] = meshes.map(Mesh::bounds);
    let size = half_a.length() + half_b.length();
    let angle = seed as f64 * 2.4;
    let from = dvec3(angle.cos(), angle.sin(), 0.5 * (2.0 * angle).cos()) * (1.2 * size);
    let aside = dvec3(-angle.sin(), angle.cos(), 0.3) * (0.25 * size * (seed % 4) as f64);
    let turn = |axis: DVec3, by: f64| DQuat::from_axis_angle(axis.normalize(), by);
    // The turn is about the middle of the box, because links have their origins at their joints.
    let about = |center: DVec3, at: DVec3, rotation: DQuat| Pose::new(at - rotation * center, rotation);
    let axes = [dvec3(1.0, angle.sin(), 0.2), dvec3(0.3, 1.0, angle.cos())];
    Ok([
        Motion::linear(
            about(center_a, DVec3::ZERO, turn(axes[0], angle))?,
            about(center_a, DVec3::ZERO, turn(axes[0], angle + 2.5))?,
        ),
        Motion::linear(
            about(center_b, from + aside, turn(axes[1], -angle))?,
            about(center_b, aside - from, turn(axes[1], 2.0 - angle))?,
        ),
    ])
}

/// Sums over queries.
#[derive(Default)]
struct Total {
    time: f64,
    work: TreeStats,
    /// The times of the touches; -1 without one.
    answers: Vec<f64>,
}

impl Total {
    fn pair<C: Composite + Copy>(&mut self, [a, b]: [C; 2], [motion_a, motion_b]: [&dyn RigidMotion; 2]) {
        self.measure(&[[Side { pieces: a, motion: motion_a }, Side { pieces: b, motion: motion_b }]]);
    }

    fn measure<C: Composite + Copy>(&mut self, pairs: &[[Side<'_, C>; 2]]) {
        let mut best = f64::INFINITY;
        for round in 0..8 {
            let mut work = TreeStats::default();
            let start = Instant::now();
            let outcome = first_touch(pairs, &LIMITS, false, &mut work);
            best = best.min(start.elapsed().as_secs_f64() * 1e6);
            if round == 0 {
                self.work += work;
                self.answers.push(match outcome.verdict {
                    Verdict::Touch(touch) => touch.t,
                    Verdict::Free => -1.0,
                    Verdict::Undecided { .. } => -2.0,
                });
            }
        }
        self.time += best;
    }

    /// Returns the largest difference between the answers of two trees. The pieces are the same, but their advancement
    /// starts at different times.
    fn apart(&self, other: &Total) -> f64 {
        self.answers.iter().zip(&other.answers).fold(0.0, |most, (p, q)| most.max((p - q).abs()))
    }

    fn print(&self, name: &str, build: f64) {
        let n = self.answers.len().max(1);
        println!(
            "  {name:<32} {build:>9.1} {:>9.1} {:>9} {:>8} {:>8.0}",
            self.time / n as f64,
            self.work.volume_pairs / n as u64,
            self.work.piece_pairs / n as u64,
            self.time * 1e3 / self.work.volume_pairs.max(1) as f64,
        );
    }
}
