//! Trees of convex hulls over convex patches against trees of oriented boxes, on the links of robots and on generated bodies.
//!
//! `cargo run --release -p firsttouch-bench --bin hulls [paths] [links] [bodies]` runs the parts named, or all of them. The robots are
//! those shared with the checkout and are left out where they are not.
//! - *paths*: the robots' own paths, all pairs of links of a segment in one query.
//! - *links*: pairs of links, free of their joints, that fly through each other while they turn.
//! - *bodies*: the same for generated meshes and the bunny, ever larger.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::advancement::Limits;
use firsttouch::articulated::{Robot, RobotMotion};
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::narrow::composite::Composite;
use firsttouch::narrow::hulled::Hulled;
use firsttouch::narrow::tree_tree::{Mover, TreeOutcome, TreeStats, first_touch};
use firsttouch::shape::{HullTree, Mesh, Shape};
use firsttouch_bench::bunnies::Bunnies;
use firsttouch_models::shapes;
use glam::{DQuat, DVec3, dvec3};

const LIMITS: Limits =
    Limits { t_start: 0.0, t_end: 1.0, min_separation: 0.0, tolerance: 1e-6, max_iterations: 10_000 };

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let part = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    println!(
        "{:<34} {:>9} {:>8} {:>9} {:>9} {:>8} {:>8}  hash",
        "", "triangles", "patches", "us", "volumes", "pieces", "ns each"
    );
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

/// The mesh parts of a robot, by link and part, with their trees of hulls.
struct Meshes<'a> {
    parts: Vec<(usize, usize, &'a Mesh, HullTree)>,
    build: f64,
}

impl<'a> Meshes<'a> {
    fn of(robot: &'a Robot) -> Meshes<'a> {
        let start = Instant::now();
        let mut parts = Vec::new();
        for (link, described) in robot.links().iter().enumerate() {
            for (part, described) in described.parts().iter().enumerate() {
                if let Shape::Mesh(mesh) = &described.shape {
                    mesh.hull();
                    parts.push((link, part, mesh.as_ref(), HullTree::new(mesh)));
                }
            }
        }
        Meshes { parts, build: start.elapsed().as_secs_f64() }
    }

    fn totals(&self) -> [usize; 2] {
        let triangles = self.parts.iter().map(|part| part.2.triangles().len()).sum();
        [triangles, self.parts.iter().map(|part| part.3.patches()).sum()]
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
    let [triangles, patches] = meshes.totals();
    println!(
        "{name}: {} segments of paths, {} pairs of links, trees of hulls made in {:.0} ms",
        segments.len(),
        pairs.len(),
        meshes.build * 1e3
    );
    let sizes = [triangles, patches];
    on_paths("oriented boxes", sizes, robot, &segments, &pairs, &meshes, |k| meshes.parts[k].2)?;
    on_paths("convex hulls", sizes, robot, &segments, &pairs, &meshes, |k| {
        let (_, _, mesh, tree) = &meshes.parts[k];
        Hulled { mesh, tree }
    })
}

fn on_paths<C: Composite + Copy>(
    name: &str,
    sizes: [usize; 2],
    robot: &Robot,
    segments: &[[Vec<f64>; 2]],
    pairs: &[[usize; 2]],
    meshes: &Meshes<'_>,
    pieces: impl Fn(usize) -> C,
) -> Result<(), Failure> {
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
        let movers: Vec<[Mover<'_, C>; 2]> = pairs
            .iter()
            .zip(&moves)
            .map(|(&[i, j], [a, b])| {
                [Mover { pieces: pieces(i), motion: a }, Mover { pieces: pieces(j), motion: b }]
            })
            .collect();
        total.measure(&movers);
    }
    total.print(name, sizes);
    Ok(())
}

fn links(name: &str, robot: &Robot) -> Result<(), Failure> {
    let meshes = Meshes::of(robot);
    println!("{name}: links that fly through each other");
    let mut boxes = Total::default();
    let mut hulls = Total::default();
    for (i, (_, _, a, tree_a)) in meshes.parts.iter().enumerate() {
        for (j, (_, _, b, tree_b)) in meshes.parts.iter().enumerate().skip(i) {
            let [motion_a, motion_b] = crossing([a, b], 7 * i + j)?;
            boxes.pair([*a, *b], [&motion_a, &motion_b]);
            let hulled = [Hulled { mesh: a, tree: tree_a }, Hulled { mesh: b, tree: tree_b }];
            hulls.pair(hulled, [&motion_a, &motion_b]);
        }
    }
    boxes.print("oriented boxes", meshes.totals());
    hulls.print("convex hulls", meshes.totals());
    Ok(())
}

fn bodies(shared: &Path) -> Result<(), Failure> {
    for n in [500, 4_000, 32_000] {
        let named = [
            ("potato and ring", shapes::potato(n, 1)?, shapes::torus(1.0, 0.35, n)?),
            ("teapots", shapes::teapot(n)?, shapes::teapot(n)?),
        ];
        for (name, a, b) in &named {
            passes(name, a, b)?;
        }
    }
    let bunnies = Bunnies::read(shared)?;
    for (i, mesh) in bunnies.meshes.iter().enumerate().filter(|(_, mesh)| mesh.triangles().len() < 10_000) {
        println!("bunnies");
        let tree = HullTree::new(mesh);
        let (mut boxes, mut hulls) = (Total::default(), Total::default());
        for scene in bunnies.scenes.iter().filter(|scene| scene.meshes == [i, i]) {
            let [a, b] = &scene.motions;
            boxes.pair([mesh, mesh], [a, b]);
            hulls.pair([Hulled { mesh, tree: &tree }; 2], [a, b]);
        }
        let sizes = [mesh.triangles().len(), tree.patches()];
        boxes.print("oriented boxes", sizes);
        hulls.print("convex hulls", sizes);
    }
    Ok(())
}

fn passes(name: &str, a: &Mesh, b: &Mesh) -> Result<(), Failure> {
    let start = Instant::now();
    let (tree_a, tree_b) = (HullTree::new(a), HullTree::new(b));
    println!("{name}, trees of hulls made in {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let (mut boxes, mut hulls) = (Total::default(), Total::default());
    for seed in 0..8 {
        let [motion_a, motion_b] = crossing([a, b], seed)?;
        boxes.pair([a, b], [&motion_a, &motion_b]);
        let hulled = [Hulled { mesh: a, tree: &tree_a }, Hulled { mesh: b, tree: &tree_b }];
        hulls.pair(hulled, [&motion_a, &motion_b]);
    }
    let sizes = [a.triangles().len() + b.triangles().len(), tree_a.patches() + tree_b.patches()];
    boxes.print("oriented boxes", sizes);
    hulls.print("convex hulls", sizes);
    Ok(())
}

/// Two bodies that pass through or close by each other near the middle of the time, each turning by up to half a turn.
fn crossing(meshes: [&Mesh; 2], seed: usize) -> firsttouch::Result<[Motion; 2]> {
    let [(center_a, half_a), (center_b, half_b)] = meshes.map(Mesh::bounds);
    let size = half_a.length() + half_b.length();
    let angle = seed as f64 * 2.4;
    let from = dvec3(angle.cos(), angle.sin(), 0.5 * (2.0 * angle).cos()) * (1.2 * size);
    let aside = dvec3(-angle.sin(), angle.cos(), 0.3) * (0.25 * size * (seed % 4) as f64);
    let turn = |axis: DVec3, by: f64| DQuat::from_axis_angle(axis.normalize(), by);
    // About the middle of the box: links have their origins at their joints.
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
    queries: u64,
    time: f64,
    work: TreeStats,
    hasher: DefaultHasher,
}

impl Total {
    fn pair<C: Composite + Copy>(&mut self, [a, b]: [C; 2], [motion_a, motion_b]: [&dyn RigidMotion; 2]) {
        self.measure(&[[Mover { pieces: a, motion: motion_a }, Mover { pieces: b, motion: motion_b }]]);
    }

    fn measure<C: Composite + Copy>(&mut self, pairs: &[[Mover<'_, C>; 2]]) {
        let mut best = f64::INFINITY;
        for round in 0..8 {
            let mut work = TreeStats::default();
            let start = Instant::now();
            let outcome = first_touch(pairs, &LIMITS, false, &mut work);
            best = best.min(start.elapsed().as_secs_f64() * 1e6);
            if round == 0 {
                self.work += work;
                // To three digits: the pieces are the same, but where their advancement starts is not.
                let toi = match outcome {
                    TreeOutcome::Touch(touch) => (touch.t * 1e3).round() as i64,
                    TreeOutcome::Free => -1,
                    TreeOutcome::Undecided { .. } => -2,
                };
                toi.hash(&mut self.hasher);
            }
        }
        self.queries += 1;
        self.time += best;
    }

    fn print(&self, name: &str, [triangles, patches]: [usize; 2]) {
        let n = self.queries.max(1);
        println!(
            "  {name:<32} {triangles:>9} {patches:>8} {:>9.1} {:>9} {:>8} {:>8.0}  {:016x}",
            self.time / n as f64,
            self.work.volume_pairs / n,
            self.work.piece_pairs / n,
            self.time * 1e3 / self.work.volume_pairs.max(1) as f64,
            self.hasher.clone().finish()
        );
    }
}
