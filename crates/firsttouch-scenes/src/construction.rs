//! A construction site with an excavator and a tower crane, and the local paths that a planner would check.
//!
//! The site has rolling ground around a level yard, in tiles, heaps of gravel, stacks of pipes, containers, the
//! skeleton of a building and a truck. The excavator drives and turns in the plane, turns its house, and moves boom,
//! stick and bucket; the crane runs on rails, turns its jib, and moves trolley and hook. In both scenarios the steps
//! lead from one random sample to the next, along the way from a start to a goal. They are large motions, and a planner
//! only needs to know if they are free.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 8.1, Figures 9 and 10. The paper's site comes from a library of toys;
//! this one has its number of triangles.

use std::f64::consts::{PI, TAU};

use firsttouch::articulated::{JointKind, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Mesh;
use firsttouch::{Answer, Body, Mode, Options, Result};
use glam::{DQuat, DVec3, dvec3};

use crate::play::{Posture, RobotScenario, joint, part};
use crate::random::Random;
use crate::shapes::potato;
use crate::surface::{Surface, cells};

/// The number of triangles of the paper's site.
pub const SITE_TRIANGLES: usize = 394_000;
/// The number of triangles of the paper's excavator.
pub const EXCAVATOR_TRIANGLES: usize = 18_940;
/// The number of triangles of the paper's crane.
pub const CRANE_TRIANGLES: usize = 1_288;

/// The task of the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Go from one end of the yard to the other.
    Travel,
    /// Pick something up and put it down beside.
    Load,
}

/// Returns the excavator, with about `triangles` triangles, in a [`site`], with `steps` local paths.
///
/// ```
/// use firsttouch_scenes::construction::{Task, excavator_scenario, site};
/// let scenario = excavator_scenario(Task::Load, 2_000, site(10_000)?, 3)?;
/// // The plane, then swing, boom, stick and bucket.
/// assert_eq!((scenario.robot.variables().len(), scenario.steps.len()), (7, 3));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn excavator_scenario(
    task: Task,
    triangles: usize,
    site: Vec<Body>,
    steps: usize,
) -> Result<RobotScenario> {
    let robot = excavator(triangles)?;
    let names = ["tracks/x", "tracks/y", "tracks/theta", "house", "boom", "stick", "bucket"];
    let (start, goal, spread): ([f64; 7], [f64; 7], [f64; 7]) = match task {
        Task::Travel => (
            [-14.0, -8.0, 0.2, 0.0, -0.6, 0.9, 0.6],
            [15.0, 4.0, 1.2, 0.3, -0.5, 1.0, 0.4],
            [4.0, 4.0, 1.2, 1.2, 0.3, 0.5, 0.5],
        ),
        Task::Load => (
            [9.5, 2.5, 0.0, -1.3, -0.45, 1.2, 0.8],
            [9.5, 2.5, 0.0, 1.5, -0.6, 0.9, -0.2],
            [0.3, 0.3, 0.1, 0.9, 0.4, 0.6, 0.8],
        ),
    };
    let scenario = RobotScenario { robot, obstacles: site, steps: Vec::new() };
    sampled(scenario, &names, &SampledPath { start, goal, spread }, steps, 9)
}

/// Returns the crane, with about `triangles` triangles, in a [`site`], with `steps` local paths.
///
/// ```
/// use firsttouch_scenes::construction::{Task, crane_scenario, site};
/// let scenario = crane_scenario(Task::Travel, 1_200, site(10_000)?, 3)?;
/// // Along the rails, round, along the jib, and down.
/// assert_eq!((scenario.robot.variables().len(), scenario.steps.len()), (4, 3));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn crane_scenario(task: Task, triangles: usize, site: Vec<Body>, steps: usize) -> Result<RobotScenario> {
    let robot = crane(triangles)?;
    let names = ["rails", "jib", "trolley", "hook"];
    let (start, goal, spread): ([f64; 4], [f64; 4], [f64; 4]) = match task {
        Task::Travel => ([-9.0, -0.6, 6.0, 9.0], [9.0, 2.6, 11.0, 9.5], [3.0, 0.8, 4.0, 5.0]),
        Task::Load => ([2.0, 1.9, 7.0, 12.0], [2.0, 2.536, 7.9, 12.5], [0.5, 0.3, 1.5, 1.6]),
    };
    let scenario = RobotScenario { robot, obstacles: site, steps: Vec::new() };
    sampled(scenario, &names, &SampledPath { start, goal, spread }, steps, 10)
}

/// The start and the goal, and the largest distance of samples from the straight line between them.
struct SampledPath<const N: usize> {
    start: [f64; N],
    goal: [f64; N],
    spread: [f64; N],
}

/// Returns samples along the path, each up to `spread` away from it, with one step from each to the next. Like a
/// planner's samples they are free, if a few attempts find a free one.
fn sampled<const N: usize>(
    mut scenario: RobotScenario,
    names: &[&str; N],
    way: &SampledPath<N>,
    steps: usize,
    seed: u64,
) -> Result<RobotScenario> {
    const ATTEMPTS: usize = 30;
    let mut random = Random::new(seed);
    let checker = scenario.checker()?;
    let any = Options { mode: Mode::Any, tolerance: 1e-3, ..Options::default() };
    let mut samples: Vec<Vec<f64>> = Vec::with_capacity(steps + 1);
    for i in 0..=steps {
        let s = i as f64 / steps.max(1) as f64;
        // The first and the last sample are the start and the goal.
        let off = (8.0 * s * (1.0 - s)).min(1.0);
        let mut posture = Posture::new(&scenario.robot);
        for _ in 0..ATTEMPTS {
            for (k, name) in names.iter().enumerate() {
                let off = off * random.between(-way.spread[k], way.spread[k]);
                posture.set(name, way.start[k] + (way.goal[k] - way.start[k]) * s + off);
            }
            if checker.check_step(&posture.values, &posture.values, &any)?.answer == Answer::Free {
                break;
            }
        }
        samples.push(posture.values);
    }
    scenario.steps = samples.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
    Ok(scenario)
}

/// Returns the site: bodies at rest with about `triangles` triangles in all.
///
/// ```
/// let site = firsttouch_scenes::construction::site(10_000)?;
/// assert!(site.iter().any(|body| body.name() == "truck"));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn site(triangles: usize) -> Result<Vec<Body>> {
    let share = |part: f64| 1.03 * part * triangles as f64;
    let mut bodies = Vec::new();
    let mut add = |name: String, mesh: Mesh, at: DVec3, heading: f64| -> Result<()> {
        let pose = Pose::new(at, DQuat::from_rotation_z(heading))?;
        bodies.push(Body::new(name, mesh, Motion::fixed(pose)));
        Ok(())
    };
    for tile in 0..TILES * TILES {
        let [i, j] = [tile % TILES, tile / TILES];
        add(
            format!("ground {i} {j}"),
            ground(share(0.4) / f64::from(TILES * TILES), [i, j])?,
            DVec3::ZERO,
            0.0,
        )?;
    }
    // Heaps of gravel, half sunk.
    for (i, (x, y, size)) in
        [(-6.0, -2.0, 2.2), (12.0, -13.0, 3.0), (16.0, -6.0, 2.6), (-15.0, 8.0, 3.0)].into_iter().enumerate()
    {
        let heap = potato(share(0.045) as usize, 30 + i as u64)?;
        let vertices = heap.vertices().iter().map(|v| dvec3(v.x, v.y, 0.6 * v.z) * size).collect();
        let heap = Mesh::new(vertices, heap.triangles().to_vec())?;
        add(format!("heap {i}"), heap, dvec3(x, y, -0.3), 0.0)?;
    }
    // A stack of pipes, and one on end to drop things into.
    let pipes = [(0.0, 0.0), (1.1, 0.0), (2.2, 0.0), (3.3, 0.0), (0.55, 0.96), (1.65, 0.96), (2.75, 0.96)];
    for (i, (x, z)) in pipes.into_iter().enumerate() {
        let lying = pipe(share(0.018), 0.5, 0.42, 6.0)?;
        let vertices = lying.vertices().iter().map(|v| dvec3(v.x, v.z, v.y)).collect();
        let lying = Mesh::new(vertices, lying.triangles().to_vec())?;
        add(format!("pipe {i}"), lying, dvec3(-3.0 + x, -12.0, 0.52 + z), 0.0)?;
    }
    add("shaft".into(), pipe(share(0.03), 1.2, 1.1, 2.4)?, dvec3(-4.5, 12.5, 1.25), 0.0)?;
    for (i, (x, y, heading)) in
        [(-14.0, -2.0, 0.3), (4.0, -8.0, 1.2), (14.0, 13.0, 0.8), (-10.0, 3.5, 1.6)].into_iter().enumerate()
    {
        let mut container = Surface::default();
        let n = ((share(0.028) / 12.0).sqrt().round()).max(1.0) as u32;
        container.panelled_box(dvec3(-3.0, -1.2, 0.0), dvec3(3.0, 1.2, 2.6), n, 9, 0.05);
        add(format!("container {i}"), container.mesh()?, dvec3(x, y, 0.02), heading)?;
    }
    add("building".into(), building(share(0.07))?, dvec3(0.0, 5.0, 0.02), 0.2)?;
    add("truck".into(), truck(share(0.06))?, dvec3(9.0, 7.6, 0.02), 0.05)?;
    for i in 0..3_usize {
        let mut fence = Surface::default();
        for k in 0..20 {
            let x = -5.0 + 0.5 * f64::from(k);
            fence.bar(dvec3(x, 0.0, 0.0), dvec3(x, 0.0, 1.4), 0.05);
        }
        fence.bar(dvec3(-5.2, 0.0, 1.3), dvec3(4.8, 0.0, 1.3), 0.06);
        let angle = [0.3_f64, 1.2, 1.9][i];
        add(
            format!("fence {i}"),
            fence.mesh()?,
            dvec3(18.0 * angle.cos(), -18.0 * angle.sin(), 0.02),
            angle,
        )?;
    }
    Ok(bodies)
}

/// The number of tiles of the ground in each direction.
const TILES: u32 = 8;

/// Returns a tile of the ground, 80 by 80 in all, level within 20 of the middle, with hills beyond: a sheet.
fn ground(triangles: f64, tile: [u32; 2]) -> Result<Mesh> {
    let n = ((triangles / 2.0).sqrt().round()).max(1.0) as u32;
    let mut surface = Surface::default();
    surface.grid(n, n, [false, false], |u, v| {
        let at = |s: f64, tile: u32| 80.0 * (s + f64::from(tile)) / f64::from(TILES) - 40.0;
        let (x, y) = (at(u, tile[0]), at(v, tile[1]));
        let out = (((x * x + y * y).sqrt() - 20.0) / 10.0).clamp(0.0, 1.0);
        let hills = 1.6 + 1.2 * (0.35 * x).sin() * (0.3 * y).cos() + 0.4 * (1.1 * x + 0.7 * y).sin();
        // The yard is uneven by up to a hand's breadth, below the tracks.
        let rough = 0.03 * (1.7 * x).sin() * (2.1 * y).cos();
        dvec3(x, y, -0.05 + rough.min(0.0) + out * out * hills)
    });
    surface.mesh()
}

/// Returns a pipe along z, open at both ends, with a wall.
fn pipe(triangles: f64, outer: f64, inner: f64, length: f64) -> Result<Mesh> {
    let along = ((triangles / 2.0 / 2.0).sqrt().round()).max(3.0);
    let around = (triangles / 2.0 / along).round().max(6.0);
    let mut surface = Surface::default();
    // Around the wall: up the outside, over the rim, down the inside.
    surface.grid(around as u32, along as u32, [true, true], |u, v| {
        let (radius, z) = match 4.0 * v {
            s if s < 1.8 => (outer, s / 1.8),
            s if s < 2.0 => (outer + (inner - outer) * (s - 1.8) / 0.2, 1.0),
            s if s < 3.8 => (inner, 1.0 - (s - 2.0) / 1.8),
            s => (inner + (outer - inner) * (s - 3.8) / 0.2, 0.0),
        };
        dvec3(radius * (u * TAU).cos(), radius * (u * TAU).sin(), length * (z - 0.5))
    });
    surface.mesh()
}

/// Returns three floors on columns, and a scaffold in front.
fn building(triangles: f64) -> Result<Mesh> {
    let mut surface = Surface::default();
    let n = ((triangles / 12.0 / 15.0).sqrt().round()).max(1.0) as u32;
    for floor in 0..3 {
        let z = 3.0 * f64::from(floor);
        surface.panelled_box(dvec3(-3.0, -2.5, z + 2.7), dvec3(3.0, 2.5, z + 3.0), n, 5, 0.05);
        for (x, y) in [(-2.7, -2.2), (2.7, -2.2), (-2.7, 2.2), (2.7, 2.2)] {
            surface.panelled_box(dvec3(x - 0.2, y - 0.2, z), dvec3(x + 0.2, y + 0.2, z + 2.7), n, 3, 0.03);
        }
    }
    for k in 0..=6 {
        let x = -3.0 + f64::from(k);
        surface.bar(dvec3(x, -3.4, 0.0), dvec3(x, -3.4, 10.0), 0.06);
    }
    for level in 1..=4 {
        let z = 2.4 * f64::from(level);
        surface.bar(dvec3(-3.0, -3.4, z), dvec3(3.0, -3.4, z), 0.06);
        for k in 0..6 {
            let x = -3.0 + f64::from(k);
            surface.bar(dvec3(x, -3.4, z - 2.4), dvec3(x + 1.0, -3.4, z), 0.04);
        }
    }
    surface.mesh()
}

/// Returns a truck with an open bed, along x.
fn truck(triangles: f64) -> Result<Mesh> {
    let mut surface = Surface::default();
    let n = ((0.12 * triangles / 12.0).sqrt().round()).max(1.0) as u32;
    surface.panelled_box(dvec3(-2.6, -0.9, 0.7), dvec3(3.0, 0.9, 0.95), n, 6, 0.03);
    surface.panelled_box(dvec3(1.7, -1.0, 1.0), dvec3(3.1, 1.0, 2.4), n, 2, 0.08);
    surface.panelled_box(dvec3(-2.7, -1.05, 1.0), dvec3(1.5, 1.05, 1.1), n, 5, 0.02);
    for (low, high) in [
        (dvec3(-2.7, -1.05, 1.1), dvec3(1.5, -0.97, 1.7)),
        (dvec3(-2.7, 0.97, 1.1), dvec3(1.5, 1.05, 1.7)),
        (dvec3(1.42, -0.97, 1.1), dvec3(1.5, 0.97, 1.7)),
    ] {
        surface.panelled_box(low, high, n / 2 + 1, 4, 0.015);
    }
    for x in [-2.0, -1.2, 2.3] {
        for y in [-0.85, 0.85] {
            surface.add(&wheel(0.07 * triangles, 0.45, 0.3), &Pose::from_translation(dvec3(x, y, 0.46))?);
        }
    }
    surface.mesh()
}

/// Returns a wheel about the y axis, with a hollow hub and a tread.
fn wheel(triangles: f64, radius: f64, width: f64) -> Surface {
    let (around, along) = cells(triangles, 2.0);
    let mut surface = Surface::default();
    surface.revolved(around, along, |u, v| {
        let hollow = 0.25 * width * ((v - 0.1).abs() < 0.1 || (v - 0.9).abs() < 0.1) as u8 as f64;
        let z = width * (v - 0.5);
        let tread = 1.0 - 0.04 * ((24.0 * u).fract() > 0.5) as u8 as f64;
        let across = (1.0 - (2.0 * v - 1.0).powi(8)).max(0.0).sqrt();
        (radius * across * tread, if z > 0.0 { z - hollow } else { z + hollow })
    });
    surface.moved(|p| dvec3(p.x, p.z, p.y))
}

/// Returns the excavator, on the link "site" by a planar joint, with about `triangles` triangles. x is forward; the
/// tracks stand on z = 0.
///
/// ```
/// let robot = firsttouch_scenes::construction::excavator(4_000)?;
/// assert_eq!(robot.links().len(), 6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn excavator(triangles: usize) -> Result<Robot> {
    let share = |part: f64| 1.12 * part * triangles as f64;
    let n = |part: f64| ((share(part) / 12.0).sqrt().round()).max(1.0) as u32;

    let mut tracks = Surface::default();
    for side in [-1.0, 1.0] {
        tracks.add(&track(share(0.14), 1.4, 0.42, 0.5), &Pose::from_translation(dvec3(0.0, side, 0.45))?);
        for k in 0..4 {
            let at = dvec3(-1.2 + 0.8 * f64::from(k), side, 0.4);
            tracks.add(&wheel(share(0.015), 0.25, 0.4), &Pose::from_translation(at)?);
        }
    }
    tracks.panelled_box(dvec3(-1.2, -0.75, 0.4), dvec3(1.2, 0.75, 0.8), n(0.04), 3, 0.05);

    let mut house = Surface::default();
    house.panelled_box(dvec3(-1.9, -1.1, 0.1), dvec3(0.9, 1.1, 1.0), n(0.09), 4, 0.06);
    house.panelled_box(dvec3(-0.5, 0.2, 1.02), dvec3(0.95, 1.05, 2.1), n(0.06), 2, 0.08);
    let (around, along) = cells(share(0.05), 1.5);
    let mut weight = Surface::default();
    weight.revolved(around, along, |_, v| ((1.0 - (2.0 * v - 1.0).powi(4)).max(0.0).sqrt(), 1.8 * v - 0.9));
    house.add(&weight.moved(|p| dvec3(-1.75 + 0.5 * p.x, p.z, 0.6 + 0.45 * p.y)), &Pose::IDENTITY);

    let boom = beam(share(0.11), 3.0, [0.28, 0.5], 0.7);
    let stick = beam(share(0.09), 2.2, [0.22, 0.35], 0.0);
    let mut bucket = shell(share(0.08));
    for k in 0..5 {
        let y = -0.4 + 0.2 * f64::from(k);
        bucket.bar(dvec3(0.75, y, -0.55), dvec3(0.95, y, -0.45), 0.06);
    }

    let up = JointKind::Revolute { axis: DVec3::Z };
    let across = JointKind::Revolute { axis: DVec3::Y };
    let links = vec![
        ("site".to_string(), vec![]),
        ("tracks".into(), vec![part(tracks.mesh()?)]),
        ("house".into(), vec![part(house.mesh()?)]),
        ("boom".into(), vec![part(boom.mesh()?)]),
        ("stick".into(), vec![part(stick.mesh()?)]),
        ("bucket".into(), vec![part(bucket.mesh()?)]),
    ];
    let joints = vec![
        joint("tracks", "site", "tracks", DVec3::ZERO, JointKind::Planar { normal: DVec3::Z })?,
        joint("house", "tracks", "house", DVec3::Z * 0.85, up)?,
        joint("boom", "house", "boom", dvec3(1.0, -0.3, 0.7), across)?,
        joint("stick", "boom", "stick", dvec3(3.0, 0.0, 0.0), across)?,
        joint("bucket", "stick", "bucket", dvec3(2.2, 0.0, 0.0), across)?,
    ];
    Robot::new("excavator", links, joints)
}

/// Returns a chain track around two wheels in the plane of x and z, with lugs.
fn track(triangles: f64, half_length: f64, radius: f64, width: f64) -> Surface {
    let across = ((triangles / 2.0 / 8.0).sqrt().round()).max(2.0);
    let around = (triangles / 2.0 / across).round().max(12.0);
    let mut surface = Surface::default();
    let turn = PI * radius;
    let whole = 2.0 * turn + 4.0 * half_length;
    surface.grid(around as u32, across as u32, [true, false], |u, v| {
        let s = u * whole;
        let lug = if (u * 48.0).fract() < 0.4 { 0.03 } else { 0.0 };
        let r = radius + lug;
        let y = width * (v - 0.5);
        if s < 2.0 * half_length {
            dvec3(s - half_length, y, -r)
        } else if s < 2.0 * half_length + turn {
            let angle = (s - 2.0 * half_length) / radius;
            dvec3(half_length + r * angle.sin(), y, -r * angle.cos())
        } else if s < 4.0 * half_length + turn {
            dvec3(half_length - (s - 2.0 * half_length - turn), y, r)
        } else {
            let angle = (s - 4.0 * half_length - turn) / radius;
            dvec3(-half_length - r * angle.sin(), y, r * angle.cos())
        }
    });
    surface
}

/// Returns a beam from the origin along x, bent upwards in its middle, with panels pressed in.
fn beam(triangles: f64, length: f64, section: [f64; 2], bend: f64) -> Surface {
    let n = ((triangles / 12.0).sqrt().round()).max(1.0) as u32;
    let mut surface = Surface::default();
    let half = dvec3(0.0, 0.5 * section[0], 0.5 * section[1]);
    surface.panelled_box(dvec3(0.15, 0.0, 0.0) - half, dvec3(length - 0.15, 0.0, 0.0) + half, n, 4, 0.04);
    surface.moved(|p| {
        let s = p.x / length;
        dvec3(p.x, p.y, p.z * (1.3 - 0.6 * (2.0 * s - 1.0).powi(2)) + bend * (s * PI).sin())
    })
}

/// Returns a bucket: a bent sheet, and two cheeks.
fn shell(triangles: f64) -> Surface {
    let n = ((triangles / 2.0 / 2.0).sqrt().round()).max(3.0) as u32;
    let mut surface = Surface::default();
    let bottom = |v: f64, out: f64| {
        let angle = 0.4 + 3.6 * v;
        dvec3(0.35 + (0.5 + out) * angle.cos(), 0.0, -0.35 + (0.42 + out) * angle.sin())
    };
    surface.grid(n, n / 2 + 1, [false, false], |v, u| bottom(v, 0.0) + DVec3::Y * (u - 0.5));
    surface.grid(n, n / 2 + 1, [false, false], |v, u| bottom(v, 0.05) + DVec3::Y * (u - 0.5));
    for side in [-0.5, 0.5] {
        surface.grid(n, 3, [false, false], |v, u| {
            let center = dvec3(0.35, 0.0, -0.35);
            center + (bottom(v, 0.05) - center) * u + DVec3::Y * side
        });
    }
    surface
}

/// Returns the tower crane, on the link "site" by rails, with about `triangles` triangles: lattices of bars, 12
/// triangles each.
///
/// ```
/// let robot = firsttouch_scenes::construction::crane(1_200)?;
/// assert_eq!(robot.links().len(), 5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn crane(triangles: usize) -> Result<Robot> {
    // Two lattices of 4 bars and 4 a bay, one of them a bay longer; 216 triangles for the rest.
    let bays = ((triangles as f64 - 360.0) / 96.0).round().max(1.0) as u32;
    let mut mast = Surface::default();
    lattice(&mut mast, bays, 15.0, 0.7, 0.1);
    mast.block(dvec3(-1.6, -1.6, 0.1), dvec3(1.6, 1.6, 0.5));
    let mut jib = Surface::default();
    lattice(&mut jib, bays + 1, 17.0, 0.45, 0.07);
    let mut jib = jib.moved(|p| dvec3(p.z - 4.0, p.y, p.x));
    jib.block(dvec3(-4.2, -0.6, -0.9), dvec3(-3.0, 0.6, -0.1));
    let mut trolley = Surface::default();
    trolley.block(dvec3(-0.4, -0.4, -0.2), dvec3(0.4, 0.4, 0.0));
    trolley.block(dvec3(-0.3, -0.1, -0.4), dvec3(0.3, 0.1, -0.2));
    let mut hook = Surface::default();
    hook.block(dvec3(-0.2, -0.2, -0.3), dvec3(0.2, 0.2, 0.0));
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
        hook.bar(DVec3::Z * -0.3, dvec3(x, y, -1.0), 0.04);
    }
    hook.panelled_box(dvec3(-0.55, -0.55, -1.6), dvec3(0.55, 0.55, -1.0), 3, 1, 0.1);
    let links = vec![
        ("site".to_string(), vec![]),
        ("mast".into(), vec![part(mast.mesh()?)]),
        ("jib".into(), vec![part(jib.mesh()?)]),
        ("trolley".into(), vec![part(trolley.mesh()?)]),
        ("hook".into(), vec![part(hook.mesh()?)]),
    ];
    let slide = |axis: DVec3| JointKind::Prismatic { axis };
    let joints = vec![
        joint("rails", "site", "mast", dvec3(0.0, 17.0, 0.0), slide(DVec3::X))?,
        joint("jib", "mast", "jib", DVec3::Z * 15.7, JointKind::Revolute { axis: DVec3::NEG_Z })?,
        joint("trolley", "jib", "trolley", DVec3::Z * -0.6, slide(DVec3::X))?,
        joint("hook", "trolley", "hook", DVec3::ZERO, slide(DVec3::NEG_Z))?,
    ];
    Robot::new("crane", links, joints)
}

/// Returns a square mast along z: four legs, and in each bay two rungs and two diagonals.
fn lattice(surface: &mut Surface, bays: u32, height: f64, half: f64, thickness: f64) {
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(x, y)| dvec3(x, y, 0.0));
    for corner in corners {
        surface.bar(corner, corner + DVec3::Z * height, thickness);
    }
    for bay in 0..bays {
        let at = |k: u32| DVec3::Z * (height * f64::from(k) / f64::from(bays));
        for side in 0..4 {
            let (a, b) = (corners[side], corners[(side + 1) % 4]);
            if (side as u32 + bay).is_multiple_of(2) {
                surface.bar(a + at(bay), b + at(bay + 1), 0.6 * thickness);
            } else {
                surface.bar(a + at(bay + 1), b + at(bay + 1), 0.6 * thickness);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_sizes() {
        let of = |robot: Robot, obstacles: Vec<Body>| {
            RobotScenario { robot, obstacles, steps: vec![] }.triangles()
        };
        let [machine, site] = of(excavator(EXCAVATOR_TRIANGLES).unwrap(), site(SITE_TRIANGLES).unwrap());
        assert!((18_400..19_500).contains(&machine), "{machine}");
        assert!((382_000..406_000).contains(&site), "{site}");
        let [machine, _] = of(crane(CRANE_TRIANGLES).unwrap(), vec![]);
        assert!((1_250..1_330).contains(&machine), "{machine}");
    }

    /// Every scenario has free paths and others.
    #[test]
    fn paths_of_both_kinds() {
        let options = Options { mode: Mode::Any, tolerance: 1e-3, ..Options::default() };
        let yard = site(20_000).unwrap();
        let scenarios = [
            ("excavator, travel", excavator_scenario(Task::Travel, 2_000, yard.clone(), 40)),
            ("excavator, load", excavator_scenario(Task::Load, 2_000, yard.clone(), 40)),
            ("crane, travel", crane_scenario(Task::Travel, 1_200, yard.clone(), 40)),
            ("crane, load", crane_scenario(Task::Load, 1_200, yard, 40)),
        ];
        for (name, scenario) in scenarios {
            let reports = scenario.unwrap().check(&options).unwrap();
            let free = reports.iter().filter(|report| report.answer == Answer::Free).count();
            let undecided = reports.iter().any(|r| matches!(r.answer, Answer::Undecided { .. }));
            assert!(!undecided && (4..=36).contains(&free), "{name}: {free} of 40 free");
        }
    }
}
