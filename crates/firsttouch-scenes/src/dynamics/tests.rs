//! Dynamics against closed forms, against dense matrices, and against the laws of conservation.

use std::sync::Arc;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::Pose;
use firsttouch::shape::Shape;
use firsttouch::{Answer, Error, Options, Result};
use glam::{DVec3, dvec3};

use super::articulated_body::Factored;
use super::linkage::{Freedom, JointLaw, PlacedLinks};
use super::spatial::{Twist, Wrench};
use super::*;
use crate::random::Random;
use crate::shapes::box_surface;

fn no_touch(_: &StepRecord, _: &Options) -> Result<Answer> {
    Ok(Answer::Free)
}

fn joint(name: &str, parent: &str, child: &str, at: DVec3, kind: JointKind) -> Joint {
    let origin = Pose::from_translation(at).unwrap();
    let (name, parent, child) = (name.into(), parent.into(), child.into());
    Joint { name, parent, child, origin, kind, limits: None, mimic: None }
}

fn block(sides: DVec3, at: DVec3) -> Vec<LinkPart> {
    let shape = Shape::Mesh(Arc::new(box_surface(sides).unwrap()));
    vec![LinkPart { shape, pose: Pose::from_translation(at).unwrap() }]
}

fn linkage(links: Vec<(String, Vec<LinkPart>)>, joints: Vec<Joint>) -> Linkage {
    Linkage::new(Robot::new("test", links, joints.clone()).unwrap(), &joints, 1.0).unwrap()
}

/// Returns a chain of rods of length 1 on a fixed point, turning about y.
fn rods(count: usize) -> Linkage {
    let mut links = vec![("world".to_string(), vec![])];
    let mut joints = Vec::new();
    for i in 0..count {
        links.push((format!("rod {i}"), block(dvec3(0.1, 0.2, 1.0), DVec3::Z * -0.5)));
        let at = if i == 0 { DVec3::ZERO } else { -DVec3::Z };
        let kind = JointKind::Revolute { axis: DVec3::Y };
        joints.push(joint(&format!("joint {i}"), &links[i].0, &links[i + 1].0, at, kind));
    }
    linkage(links, joints)
}

/// Returns a random tree. Link 1 floats or not; the rest turn, slide or are fixed.
fn random_tree(random: &mut Random) -> Linkage {
    let count = 2 + random.below(10) as usize;
    let mut links = vec![("link 0".to_string(), vec![])];
    let mut joints = Vec::new();
    for i in 1..=count {
        let sides = dvec3(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.1, 1.0));
        links.push((format!("link {i}"), block(sides, random.vector(0.5))));
        let parent = if i == 1 { 0 } else { 1 + random.below(i as u64 - 1) as usize };
        let axis = random.vector(1.0) + dvec3(0.0, 0.0, 1.5);
        let kind = match random.below(8) {
            _ if i == 1 && random.below(2) == 0 => JointKind::Floating,
            0 => JointKind::Fixed,
            1 | 2 => JointKind::Prismatic { axis },
            _ => JointKind::Revolute { axis },
        };
        let mut built = joint(&format!("joint {i}"), &links[parent].0, &links[i].0, DVec3::ZERO, kind);
        built.origin = Pose::new(random.vector(1.0), random.orientation()).unwrap();
        joints.push(built);
    }
    let mut tree = linkage(links, joints);
    tree.set_law(JointLaw { damping: 0.3, stiffness: 0.7, rest: 0.2 }).unwrap();
    tree
}

fn random_configuration(tree: &Linkage, random: &mut Random) -> Vec<f64> {
    tree.robot().variables().iter().map(|variable| variable.zero + random.between(-0.9, 0.9)).collect()
}

/// Returns `M`, column by column: `M_ij = Σ_k J_k,i · I_k J_k,j`, with the Jacobians from unit speeds.
fn mass_matrix(tree: &Linkage, placed: &PlacedLinks) -> Vec<Vec<f64>> {
    let n = tree.speeds();
    let jacobian: Vec<Vec<Twist>> = (0..n)
        .map(|j| {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            tree.velocities(placed, &unit)
        })
        .collect();
    let entry = |i: usize, j: usize| -> f64 {
        let links = 0..tree.nodes().len();
        links.map(|k| jacobian[i][k].dot(placed.inertias[k] * jacobian[j][k])).sum()
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// Solves by Gaussian elimination with pivots.
fn dense_solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs())).unwrap();
        matrix.swap(k, pivot);
        right.swap(k, pivot);
        for i in k + 1..n {
            let factor = matrix[i][k] / matrix[k][k];
            let above = matrix[k].clone();
            for (entry, above) in matrix[i].iter_mut().zip(above).skip(k) {
                *entry -= factor * above;
            }
            right[i] -= factor * right[k];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

/// The articulated-body algorithm, with any joints rigid, is compared with the dense solution of
/// `M_aa q_a'' = (τ − h)_a`. The bias `h` is summed over the links: `h = Σ Jᵀ (I a_0 + v ×* I v − f)`, where `a_0` is
/// the acceleration at `q'' = 0`.
#[test]
fn forward_dynamics_agrees_with_a_dense_mass_matrix() {
    let mut random = Random::new(1);
    let mut freedoms = 0;
    for _ in 0..200 {
        let tree = random_tree(&mut random);
        let configuration = random_configuration(&tree, &mut random);
        let placed = tree.place(&configuration);
        let active: Vec<bool> = tree.nodes().iter().map(|_| random.below(4) > 0).collect();
        let mut moving = Vec::new();
        let mut speeds = vec![0.0; tree.speeds()];
        for (i, node) in tree.nodes().iter().enumerate() {
            match node.freedom {
                Freedom::Fixed => {}
                Freedom::Floating => moving.extend(node.speed..node.speed + 6),
                _ if active[i] => moving.push(node.speed),
                _ => {}
            }
        }
        moving.iter().for_each(|&i| speeds[i] = random.between(-2.0, 2.0));
        let torques: Vec<f64> = speeds.iter().map(|_| random.between(-1.0, 1.0)).collect();
        let forces: Vec<Wrench> = tree
            .nodes()
            .iter()
            .map(|_| Wrench { moment: random.vector(1.0), force: random.vector(1.0) })
            .collect();
        let factored = Factored::new(&tree, &placed, &active, |_| 0.0);
        let fast = factored.forward(&speeds, &forces, &torques);

        let velocities = tree.velocities(&placed, &speeds);
        let mut drift: Vec<Twist> = Vec::new();
        for (i, node) in tree.nodes().iter().enumerate() {
            let own = if node.is_joint() {
                velocities[i].cross(placed.axes[i] * speeds[node.speed])
            } else {
                Twist::default()
            };
            let parent = node.parent.filter(|_| node.freedom != Freedom::Floating);
            drift.push(parent.map_or(own, |parent| drift[parent] + own));
        }
        let mass = mass_matrix(&tree, &placed);
        let bias: Vec<f64> = (0..tree.speeds())
            .map(|j| {
                let mut unit = vec![0.0; tree.speeds()];
                unit[j] = 1.0;
                let jacobian = tree.velocities(&placed, &unit);
                let of = |k: usize| {
                    let (inertia, v) = (placed.inertias[k], velocities[k]);
                    jacobian[k].dot(inertia * drift[k] + v.cross_wrench(inertia * v) - forces[k])
                };
                (0..tree.nodes().len()).map(of).sum()
            })
            .collect();
        let matrix = moving.iter().map(|&i| moving.iter().map(|&j| mass[i][j]).collect()).collect();
        let dense = dense_solve(matrix, moving.iter().map(|&i| torques[i] - bias[i]).collect());
        let size = dense.iter().fold(1.0, |most: f64, a| most.max(a.abs()));
        for (&i, exact) in moving.iter().zip(&dense) {
            assert!((fast[i] - exact).abs() <= 1e-9 * size, "{} {exact} {size}", fast[i]);
        }
        let rigid = (0..tree.speeds()).filter(|i| !moving.contains(i));
        assert!(rigid.map(|i| fast[i]).all(|a| a == 0.0));
        freedoms += moving.len();
    }
    assert!(freedoms > 800, "{freedoms}");
}

/// Momenta are `M q'`, and the speeds are recovered from them.
#[test]
fn momenta_and_energy_are_those_of_the_mass_matrix() {
    let mut random = Random::new(2);
    for _ in 0..100 {
        let tree = random_tree(&mut random);
        let placed = tree.place(&random_configuration(&tree, &mut random));
        let speeds: Vec<f64> = (0..tree.speeds()).map(|_| random.between(-1.0, 1.0)).collect();
        let momenta = tree.momenta(&placed, &speeds);
        let dense: Vec<f64> = mass_matrix(&tree, &placed)
            .iter()
            .map(|row| row.iter().zip(&speeds).map(|(entry, speed)| entry * speed).sum())
            .collect();
        let size = momenta.iter().fold(1.0, |most: f64, p| most.max(p.abs()));
        assert!(momenta.iter().zip(&dense).all(|(a, b)| (a - b).abs() < 1e-12 * size));
        let energy: f64 = momenta.iter().zip(&speeds).map(|(p, s)| 0.5 * p * s).sum();
        assert!((tree.kinetic_energy(&placed, &speeds) - energy).abs() < 1e-12 * size * size);
        let active = vec![true; tree.nodes().len()];
        let found = Factored::new(&tree, &placed, &active, |_| 0.0).speeds_of(&momenta);
        assert!(found.iter().zip(&speeds).all(|(a, b)| (a - b).abs() < 1e-8), "{found:?} {speeds:?}");
    }
}

/// The velocities of links are the derivatives of their poses, whose frames are those of the robot's own motion.
#[test]
fn kinematics_are_those_of_the_robot() {
    let mut random = Random::new(3);
    for _ in 0..50 {
        let tree = random_tree(&mut random);
        let mut configuration = random_configuration(&tree, &mut random);
        tree.normalize(&mut configuration);
        let placed = tree.place(&configuration);
        let speeds: Vec<f64> = (0..tree.speeds()).map(|_| random.between(-1.0, 1.0)).collect();
        let velocities = tree.velocities(&placed, &speeds);
        let rates = tree.rates(&placed, &configuration, &speeds);
        let at = |h: f64| {
            let moved: Vec<f64> = configuration.iter().zip(&rates).map(|(q, rate)| q + h * rate).collect();
            tree.place(&moved)
        };
        let (before, after) = (at(-1e-6), at(1e-6));
        for (i, velocity) in velocities.iter().enumerate() {
            let body = dvec3(0.3, -0.4, 0.5);
            let [b, a] = [&before, &after].map(|placed| placed.poses[i].apply(body));
            let exact = velocity.at(placed.poses[i].apply(body));
            assert!(((a - b) / 2e-6 - exact).length() < 1e-7, "{:?} {exact:?}", (a - b) / 2e-6);
        }
        let to = random_configuration(&tree, &mut random);
        let motion =
            firsttouch::articulated::RobotMotion::new(tree.robot(), Pose::IDENTITY, &configuration, &to)
                .unwrap();
        for t in [0.0, 0.3, 0.8, 1.0] {
            let poses = tree.link_poses(&tree.between(&configuration, &to, t)).unwrap();
            for (i, pose) in poses.iter().enumerate() {
                let robot = motion.link_pose(i, t);
                assert!((robot.translation - pose.translation).length() < 1e-13);
                assert!((0..3).all(|c| (robot.rotation.col(c) - pose.rotation.col(c)).length() < 1e-13));
            }
        }
    }
}

/// Two rods in a plane, against the textbook's equations in the absolute angles.
#[test]
fn a_double_pendulum_accelerates_as_the_textbook_says() {
    let mut random = Random::new(4);
    let tree = rods(2);
    // Rods of 0.1 by 0.2 by 1: mass 0.02, about the centre m / 12 (0.1² + 1²) for turning about y.
    let (m, l, length, g) = (0.02, 0.5, 1.0, 9.81);
    let inertia = m / 12.0 * (0.01 + 1.0);
    for _ in 0..100 {
        let [a, b, va, vb] = std::array::from_fn(|_| random.between(-3.0, 3.0));
        let (sin, cos) = (a - b).sin_cos();
        let (m11, m12, m22) =
            (inertia + m * l * l + m * length * length, m * length * l * cos, inertia + m * l * l);
        let right = [
            -m * length * l * sin * vb * vb - (m * l + m * length) * g * a.sin(),
            m * length * l * sin * va * va - m * l * g * b.sin(),
        ];
        let determinant = m11 * m22 - m12 * m12;
        let exact = [
            (m22 * right[0] - m12 * right[1]) / determinant,
            (m11 * right[1] - m12 * right[0]) / determinant,
        ];
        let found = tree.accelerations(&[a, b - a], &[va, vb - va], DVec3::Z * -g).unwrap();
        let size = exact[0].abs().max(exact[1].abs()).max(1.0);
        assert!((found[0] - exact[0]).abs() < 1e-12 * size);
        assert!((found[0] + found[1] - exact[1]).abs() < 1e-12 * size);
    }
}

/// Ten seconds of a triple pendulum that goes over: the energy never grows, and less than 1e-8 of its range
/// is lost.
#[test]
fn an_undamped_pendulum_keeps_its_energy() {
    let setup = Setup { step: 1.0 / 240.0, ..Setup::default() };
    let mut run = Simulation::new(rods(3), vec![2.5, 0.3, -0.4], vec![], setup).unwrap();
    let start = run.energy();
    // All the way down from upright: Σ m g 2 h over the three rods.
    let scale = 0.02 * 9.81 * 2.0 * (0.5 + 1.5 + 2.5);
    let mut last = start;
    for _ in 0..2400 {
        run.step(&mut no_touch).unwrap();
        let energy = run.energy();
        assert!(energy <= last + 1e-13 * scale, "{} {}", last, energy - last);
        last = energy;
    }
    assert!((start - last).abs() < 1e-8 * scale, "{}", (start - last) / scale);
}

/// The integrator by itself, without the correction of the energy: halving the step makes the error at least 12 times
/// smaller (16 for a rule of order 4).
#[test]
fn the_integrator_is_of_order_4() {
    let run = Simulation::new(rods(3), vec![1.0, 0.3, -0.4], vec![], Setup::default()).unwrap();
    let end = |steps: u32| {
        let (mut configuration, mut speeds) = (run.configuration().to_vec(), run.speeds().to_vec());
        for _ in 0..steps {
            run.runge_kutta(&mut configuration, &mut speeds, 1.0 / f64::from(steps));
        }
        configuration
    };
    let exact = end(8000);
    let error = |steps: u32| {
        let off = |(a, b): (&f64, &f64)| (a - b).abs();
        end(steps).iter().zip(&exact).map(off).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(250), error(500));
    assert!(coarse < 1e-5 && coarse > 12.0 * fine, "{coarse} {fine}");
}

#[test]
fn damping_takes_energy_however_strong_it_is() {
    for damping in [1e-3, 0.1, 1e3] {
        let mut chain = rods(4);
        chain.set_law(JointLaw { damping, ..JointLaw::default() }).unwrap();
        let mut run = Simulation::new(chain, vec![1.5, 0.3, -0.4, 0.2], vec![], Setup::default()).unwrap();
        let start = run.energy();
        let mut last = start;
        for _ in 0..120 {
            run.step(&mut no_touch).unwrap();
            assert!(run.energy() < last);
            last = run.energy();
        }
    }
}

/// For any set of joints, chosen at any time: the energy never grows, at most the chosen number of joints moves, and
/// links joined by rigid joints are one body.
#[test]
fn rigid_joints_make_one_body_and_only_take_energy() {
    let choices = [Choice::AnyJoints, Choice::TopOfTree];
    for (active, choice) in [0, 1, 3, 7].into_iter().flat_map(|active| choices.map(|choice| (active, choice)))
    {
        let setup = Setup { active, choice, choose_every: 3, ..Setup::default() };
        let start: Vec<f64> = (0..8).map(|i| 0.7 - 0.2 * f64::from(i)).collect();
        let mut run = Simulation::new(rods(8), start, vec![], setup).unwrap();
        let mut last = run.energy();
        let mut sets = std::collections::HashSet::new();
        for _ in 0..300 {
            let before = run.linkage().link_poses(run.configuration()).unwrap();
            let report = run.step(&mut no_touch).unwrap();
            let after = run.linkage().link_poses(run.configuration()).unwrap();
            assert!(run.energy() <= last + 1e-12);
            last = run.energy();
            assert!(report.records.iter().all(|record| record.moved.len() <= active));
            sets.insert(run.active().to_vec());
            for i in 2..before.len() {
                if !run.active()[i] {
                    let relative = |poses: &[firsttouch::motion::PoseAt]| {
                        poses[i - 1].to_body(poses[i].apply(dvec3(0.3, 0.2, -0.9)))
                    };
                    assert!((relative(&before) - relative(&after)).length() < 1e-13);
                }
            }
        }
        // The joint that carries all the others is always the most active one. A top part of the tree has fewer ways to
        // change.
        let least = if choice == Choice::AnyJoints { 3 } else { 1 };
        assert!(active <= 1 || sets.len() > least, "{active}: {}", sets.len());
    }
}

/// A figure in space without external forces keeps its momenta, also while joints become rigid and free again: those
/// forces are internal.
#[test]
fn a_free_tree_keeps_its_momenta() {
    let mut random = Random::new(5);
    let mut links =
        vec![("world".to_string(), vec![]), ("trunk".to_string(), block(DVec3::ONE, DVec3::ZERO))];
    let mut joints = vec![joint("root", "world", "trunk", DVec3::ZERO, JointKind::Floating)];
    for i in 0..6 {
        let name = format!("limb {i}");
        let parent = if i < 3 { "trunk".to_string() } else { format!("limb {}", i - 3) };
        links.push((name.clone(), block(dvec3(0.2, 0.3, 0.8), DVec3::Z * 0.4)));
        let kind = JointKind::Revolute { axis: random.vector(1.0) };
        joints.push(joint(&format!("joint {i}"), &parent, &name, random.vector(0.5), kind));
    }
    let mut tree = linkage(links, joints);
    tree.set_law(JointLaw { damping: 0.01, stiffness: 0.05, rest: 0.3 }).unwrap();
    let start = random_configuration(&tree, &mut random);
    for active in [6, 2] {
        let setup = Setup { gravity: DVec3::ZERO, active, ..Setup::default() };
        let mut run = Simulation::new(tree.clone(), start.clone(), vec![], setup).unwrap();
        let mut random = Random::new(6);
        let speeds: Vec<f64> = (0..tree.speeds()).map(|_| random.between(-2.0, 2.0)).collect();
        run.push(&speeds).unwrap();
        let momentum = |run: &Simulation| {
            let placed = run.linkage().place(run.configuration());
            run.linkage().momenta(&placed, run.speeds())[..6].to_vec()
        };
        let before = momentum(&run);
        for _ in 0..120 {
            run.step(&mut no_touch).unwrap();
        }
        let size = before.iter().fold(0.0, |most: f64, p| most.max(p.abs()));
        for (now, before) in momentum(&run).iter().zip(&before) {
            assert!((now - before).abs() < 1e-5 * size, "{active}: {now} {before}");
        }
    }
}

/// Two cubes of mass 1 on a spring of stiffness 50: they swing at `sqrt(k (1 / m + 1 / m)) = 10`, and with damping
/// `c` the swing decays at `c (1 / m + 1 / m) / 2`.
#[test]
fn a_spring_swings_at_its_frequency() {
    let links = vec![
        ("world".to_string(), vec![]),
        ("a".to_string(), block(DVec3::ONE, DVec3::ZERO)),
        ("b".to_string(), block(DVec3::ONE, DVec3::ZERO)),
    ];
    let joints = vec![
        joint("to a", "world", "a", DVec3::ZERO, JointKind::Floating),
        joint("to b", "world", "b", DVec3::ZERO, JointKind::Floating),
    ];
    let tree = linkage(links, joints);
    let mut start = tree.robot().zero();
    let x = tree.robot().variable("to b/trans_x").unwrap();
    start[x] = 4.0;
    for damping in [0.0, 0.5] {
        let links = ["a", "b"].map(|name| tree.robot().link(name).unwrap());
        let spring = Spring { links, points: [DVec3::ZERO; 2], stiffness: 50.0, length: 3.0, damping };
        let setup = Setup { gravity: DVec3::ZERO, step: 1e-3, ..Setup::default() };
        let mut run = Simulation::new(tree.clone(), start.clone(), vec![spring], setup).unwrap();
        for _ in 0..500 {
            run.step(&mut no_touch).unwrap();
        }
        let swing: f64 =
            run.configuration()[x] - run.configuration()[tree.robot().variable("to a/trans_x").unwrap()];
        let rate = (100.0 - damping * damping).sqrt();
        let exact =
            3.0 + (-damping * 0.5_f64).exp() * ((rate * 0.5).cos() + damping / rate * (rate * 0.5).sin());
        assert!((swing - exact).abs() < if damping == 0.0 { 1e-7 } else { 1e-3 }, "{swing} {exact}");
    }
}

/// A cube of side 1 falls flat on the floor: after `sqrt(2 h / g)` it bounces back with the speed that restitution
/// leaves.
#[test]
fn an_impact_gives_back_what_restitution_says() {
    let links = vec![("world".to_string(), vec![]), ("cube".to_string(), block(DVec3::ONE, DVec3::ZERO))];
    let joints = vec![joint("root", "world", "cube", DVec3::ZERO, JointKind::Floating)];
    let tree = linkage(links, joints);
    let mut start = tree.robot().zero();
    start[2] = 1.5;
    let floor = crate::shapes::floor(10.0).unwrap();
    let floor = firsttouch::Body::new("floor", floor, firsttouch::motion::Motion::fixed(Pose::IDENTITY));
    let checker =
        firsttouch::articulated::Checker::new(tree.robot().clone(), Pose::IDENTITY, vec![floor]).unwrap();
    let mut first_touch =
        |step: &StepRecord, options: &Options| Ok(checker.check_step(&step.from, &step.to, options)?.answer);
    let setup = Setup { restitution: 0.5, ..Setup::default() };
    let mut run = Simulation::new(tree, start, vec![], setup).unwrap();
    let mut touched = None;
    for frame in 0..200 {
        let before = run.energy();
        let report = run.step(&mut first_touch).unwrap();
        assert!(run.energy() <= before + 1e-12);
        assert!(run.configuration()[2] > 0.5);
        if report.touches > 0 && touched.is_none() {
            touched = Some(frame);
            // Half the speed of impact, a quarter of the energy; one corner touches first, so a little energy becomes
            // rotation.
            let speed = run.speeds()[5] + 9.81 / 60.0 * 0.5;
            assert!((speed / (0.5 * (2.0 * 9.81_f64).sqrt()) - 1.0).abs() < 0.3, "{speed}");
        }
    }
    assert_eq!(touched, Some((60.0 * (2.0 / 9.81_f64).sqrt()) as usize));
    assert!(run.configuration()[2] < 0.6);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let robot = rods(2).robot().clone();
    assert!(matches!(Linkage::new(robot, &[], 1.0), Err(Error::UnknownName { .. })));
    let links = |n: usize| (0..n).map(|i| (format!("l{i}"), vec![])).collect::<Vec<_>>();
    let planar = vec![joint("j", "l0", "l1", DVec3::ZERO, JointKind::Planar { normal: DVec3::Z })];
    let robot = Robot::new("r", links(2), planar.clone()).unwrap();
    assert!(matches!(Linkage::new(robot, &planar, 1.0), Err(Error::Unsupported { .. })));
    let floating = vec![
        joint("j", "l0", "l1", DVec3::ZERO, JointKind::Revolute { axis: DVec3::Z }),
        joint("k", "l1", "l2", DVec3::ZERO, JointKind::Floating),
    ];
    let robot = Robot::new("r", links(3), floating.clone()).unwrap();
    assert!(matches!(Linkage::new(robot, &floating, 1.0), Err(Error::Unsupported { .. })));
    let run = |start: Vec<f64>, setup: Setup| Simulation::new(rods(2), start, vec![], setup);
    assert!(run(vec![0.0], Setup::default()).is_err());
    assert!(run(vec![0.0, f64::NAN], Setup::default()).is_err());
    assert!(run(vec![0.0; 2], Setup { restitution: 1.5, ..Setup::default() }).is_err());
    assert!(run(vec![0.0; 2], Setup { clearance: 0.0, ..Setup::default() }).is_err());
    let cube = vec![joint("root", "world", "cube", DVec3::ZERO, JointKind::Floating)];
    let links = vec![("world".to_string(), vec![]), ("cube".to_string(), block(DVec3::ONE, DVec3::ZERO))];
    // A quaternion of zeros turns nothing.
    assert!(Simulation::new(linkage(links, cube), vec![0.0; 7], vec![], Setup::default()).is_err());
    let mut fine = run(vec![0.0; 2], Setup::default()).unwrap();
    assert!(fine.push(&[1.0]).is_err() && fine.push(&[1.0, f64::INFINITY]).is_err());
    assert!(rods(2).set_law(JointLaw { damping: -1.0, ..JointLaw::default() }).is_err());
}
