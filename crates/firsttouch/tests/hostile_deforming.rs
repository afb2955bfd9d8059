//! Inputs that once broke a guarantee of the elementary tests or of deforming meshes, and generators of more like
//! them.

#[path = "attackers/deforming.rs"]
mod attacker;

use std::ops::ControlFlow;

use firsttouch::deformable::{Deformable, FoundPair, Start};
use firsttouch::elementary::{EdgeEdge, edge_edge};
use firsttouch::pair::{Limits, Verdict};
use firsttouch::{Answer, Control, Feature, Mode, Options};
use glam::{DQuat, DVec3, dvec3};

use attacker::check_gap;

const FACE: [DVec3; 3] = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];

fn check(mesh: &Deformable, mode: Mode) -> firsttouch::deformable::DeformReport {
    mesh.check(&Options { mode, ..Options::default() }, Start::Report).unwrap()
}

/// A point falls through a triangle from ten billion to minus eight billion. No f64 time is closer to the touch than a
/// millionth of a unit of length, because `toi` is rounded. The gap was 8.9e-16, from the rounded point, which happened
/// to lie in the plane; the exact distance at `toi` is 1.86e-6. The gap must bound the exact one, and the point must be
/// the position of the vertex at `toi`.
#[test]
fn the_gap_of_a_very_fast_point() {
    let at = |z: f64| [FACE.as_slice(), &[dvec3(0.25, 0.25, z)]].concat();
    let mesh =
        Deformable::new(at(9630204069.20011), at(-7835482522.857422), vec![[0, 1, 2]], vec![], vec![3])
            .unwrap();
    let Answer::Touch(touch) = check(&mesh, Mode::First).answer else { panic!() };
    check_gap(&mesh, &touch, &String::new);
    assert!(touch.gap > 1.8e-6 && touch.gap < 2e-6, "{touch:?}");
    assert!((touch.points[0].z.abs() - touch.gap).abs() < 1e-9, "{touch:?}");
}

/// A point approaches another at a very small size. At 1e-162 the square of a length underflows: the direction
/// between the points had a length of 1.4, and they were called free although they come closer than the separation.
/// Lengths are now scaled by a power of two before they are squared, and constructors reject tolerances outside the
/// range of sizes.
#[test]
fn separations_of_any_size() {
    let at = |z: f64| [dvec3(0.0, 0.0, z), dvec3(0.0, 0.0, z), DVec3::ZERO, DVec3::ZERO];
    let limits = |min_separation: f64, tolerance: f64| {
        Limits::new(&Options { min_separation, tolerance, ..Options::default() })
    };
    let ask = |from: f64, to: f64, min_separation: f64, tolerance: f64| {
        let q = EdgeEdge::new(at(from), at(to)).unwrap();
        edge_edge(&q, &limits(min_separation, tolerance).unwrap()).outcome
    };
    assert!(limits(2e-162, 0.0).is_err() && limits(2e-162, 1e-172).is_err());
    // 2.72 − 1.02 t reaches 2 at t = 0.7058…
    let Verdict::Touch(contact) = ask(2.72e-90, 1.7e-90, 2e-90, 1e-100) else { panic!() };
    assert!(contact.toi <= 0.7059 && contact.toi > 0.7058 && contact.normal == -DVec3::Z, "{contact:?}");
    assert_eq!(ask(1e-80, 1e-80, 1e-90, 1e-91), Verdict::Free);
    // A separation whose square is zero.
    assert_eq!(ask(1e-98, 1e-98, 1e-170, 1e-99), Verdict::Free);
    // The same bits at any scale.
    let times = [-270, -200, 0, 150].map(|k: i32| {
        let size = 2f64.powi(k);
        match ask(2.72 * size, 1.7 * size, 2.0 * size, 1e-9 * size) {
            Verdict::Touch(contact) => contact.toi,
            outcome => panic!("{outcome:?}"),
        }
    });
    assert_eq!(times, [times[0]; 4]);
}

/// One point is 1e-18 above a triangle and falls: its touch is at 1e-18, which is reported as 0, because times may be
/// rounded down by 2^-50. Two other points coincide at the start. The answer was the first by its features, a touch
/// *after* the start.
#[test]
fn a_touch_at_the_start_wins() {
    let at = |z: f64| {
        let others = [dvec3(0.25, 0.25, z), DVec3::splat(5.0), DVec3::splat(5.0)];
        [FACE.as_slice(), &others].concat()
    };
    let mesh = Deformable::new(at(1e-18), at(-1.0), vec![[0, 1, 2]], vec![], vec![3, 4, 5]).unwrap();
    for mode in [Mode::First, Mode::Any, Mode::All] {
        let report = check(&mesh, mode);
        let Answer::TouchingAtStart(touch) = &report.answer else { panic!("{mode:?} {report:?}") };
        assert!(matches!(touch.features, [Feature::Edge(_), Feature::Edge(_)]), "{touch:?}");
        assert_eq!((touch.points, report.answer.free_until(1.0)), ([DVec3::splat(5.0); 2], 0.0));
    }
    // Without a touch at the start, any and first agree on the point.
    let alone = Deformable::new(at(1e-18), at(-1.0), vec![[0, 1, 2]], vec![], vec![3]).unwrap();
    for mode in [Mode::First, Mode::Any, Mode::All] {
        assert!(matches!(check(&alone, mode).answer, Answer::Touch(_)));
    }
}

/// An edge in the plane of a triangle ends inside it. The reported point was the middle of the edge, four units away
/// from the triangle.
#[test]
fn a_crossing_point_lies_in_both() {
    let edges = [
        // In the plane: an end inside, across a corner, along a side, through a corner.
        [dvec3(-10.0, 0.25, 0.0), dvec3(0.25, 0.25, 0.0)],
        [dvec3(-1.0, 1.5, 0.0), dvec3(1.5, -1.0, 0.0)],
        [dvec3(-3.0, 0.0, 0.0), dvec3(7.0, 0.0, 0.0)],
        [dvec3(-1.0, 1.0, 0.0), dvec3(1.0, -1.0, 0.0)],
        // Across the plane, nearly in it, and very long.
        [dvec3(0.25, 0.25, 1.0), dvec3(0.25, 0.25, -1e-9)],
        [dvec3(-1e3, 0.25, 1e-13), dvec3(1e3, 0.25, -1e-13)],
        [dvec3(0.2, 0.2, 1e40), dvec3(0.2, 0.2, -3e40)],
    ];
    for [p, q] in edges {
        let at = [FACE.as_slice(), &[p, q]].concat();
        let mesh = Deformable::new(at.clone(), at, vec![[0, 1, 2]], vec![[3, 4]], vec![]).unwrap();
        for mode in [Mode::First, Mode::Any, Mode::All] {
            let Answer::TouchingAtStart(touch) = check(&mesh, mode).answer else { panic!("{p} {q}") };
            let [a, b] = touch.points;
            assert_eq!(a, b);
            let inside = a.x >= -1e-12 && a.y >= -1e-12 && a.x + a.y <= 1.0 + 1e-12 && a.z.abs() <= 1e-12;
            assert!(inside, "{p} {q}: {a}");
            let along = (q - p).normalize();
            let off = (a - p) - along * (a - p).dot(along);
            assert!(off.length() <= 1e-12 * (q - p).length().max(1.0), "{p} {q}: {a}");
        }
    }
}

/// A grid of 7,000 triangles, and one vertex a billion away. The volumes of features had margins relative to the whole
/// scene, so that everything overlapped everything and a query took 17 s instead of 0.02. An unused vertex is not part
/// of the mesh; a used one has its own margin.
#[test]
fn a_vertex_far_away_costs_nothing() {
    let side = 60;
    let grid = |fall: f64| -> Vec<DVec3> {
        (0..side * side)
            .map(|i| (0.02 * (i / side) as f64, 0.02 * (i % side) as f64))
            .map(|(x, y)| dvec3(x, y, 0.001 * (9.0 * x).sin() * (7.0 * y).sin() - fall))
            .collect()
    };
    let mut triangles = Vec::new();
    for i in 0..side as u32 - 1 {
        for j in 0..side as u32 - 1 {
            let at = |i: u32, j: u32| i * side as u32 + j;
            triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            triangles.push([at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]);
        }
    }
    let far = DVec3::X * 1e9;
    let build = |extra: &[DVec3], points: Vec<u32>| {
        let frame = |fall: f64| [grid(fall).as_slice(), extra].concat();
        Deformable::new(frame(0.0), frame(0.01), triangles.clone(), vec![], points).unwrap()
    };
    let plain = build(&[], vec![]);
    let unused = build(&[far], vec![]);
    let used = build(&[far], vec![side as u32 * side as u32]);
    for mode in [Mode::First, Mode::All] {
        let expected = check(&plain, mode);
        assert_eq!(expected.answer, Answer::Free);
        assert_eq!(check(&unused, mode), expected);
        let outlier = check(&used, mode);
        assert_eq!(outlier.answer, Answer::Free);
        let candidates = |report: &firsttouch::deformable::DeformReport| {
            report.stats.vf_candidates + report.stats.ee_candidates + report.stats.leaf_pairs
        };
        assert!(
            candidates(&outlier) <= 2 * candidates(&expected) + 1000,
            "{} {}",
            candidates(&outlier),
            candidates(&expected)
        );
    }
    // The same after a change to other frames.
    let mut moved = build(&[far], vec![]);
    let other = |fall: f64| [grid(fall).as_slice(), &[far * 2.0]].concat();
    moved.set_frames(&other(0.01), &other(0.02)).unwrap();
    let mut expected = build(&[], vec![]);
    expected.set_frames(&grid(0.01), &grid(0.02)).unwrap();
    assert_eq!(check(&moved, Mode::All), check(&expected, Mode::All));
}

/// Every pair of 160 coincident triangles touches, and the list was kept even for callers that only count: 2,000 of
/// them took 8 GB. The streamed form has the same pairs, each once, in more than one piece, and the same for any
/// number of threads.
#[test]
fn coincident_triangles_are_streamed() {
    let count = 160u32;
    let at: Vec<DVec3> = (0..count).flat_map(|_| FACE).collect();
    let triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Deformable::new(at.clone(), at, triangles, vec![], vec![]).unwrap();
    let listed = check(&mesh, Mode::All);
    let stream = |threads: usize| {
        let mut pairs = Vec::new();
        let options = Options { threads, ..Options::default() };
        let mut sink = |pair: FoundPair<'_>| {
            pairs.push(pair.features());
            ControlFlow::Continue(())
        };
        let report = mesh.check_all(&options, Start::Report, &Control::default(), &mut sink).unwrap();
        (report, pairs)
    };
    let (report, mut pairs) = stream(1);
    assert_eq!(stream(2), (report.clone(), pairs.clone()));
    assert_eq!(report.answer, listed.answer);
    let (vf, ee) = (u64::from(count * (count - 1) * 3), u64::from(count * (count - 1) / 2 * 9));
    // Corners and sides of two coincident triangles touch wherever they can.
    assert_eq!((report.vf_touching, report.ee_touching), (vf, ee));
    assert_eq!(pairs.len() as u64, vf + ee);
    let key = |pair: &[Feature; 2]| format!("{pair:?}");
    pairs.sort_by_key(key);
    let mut expected: Vec<[Feature; 2]> = listed.touches.iter().map(|touch| touch.features).collect();
    expected.sort_by_key(key);
    assert_eq!(pairs, expected);
}

/// With a budget of a few steps, `first` and `all` answered differently. `first` proved a pair free in the window that
/// another pair had left, by a step of local advancement along the normal. `all` decided every pair over the whole step
/// and reported the earliest whose budget ran out. Both were right, but a caller could not expect one to repeat the
/// other. Now `all` answers as `first` does, and still lists every pair.
#[test]
fn first_and_all_agree_when_a_budget_ends() {
    // Two crossed edges fall onto each other and come within 0.25 at 0.6. Far away, one edge flies past another while
    // it sinks: two steps along the line between the closest points do not prove that it is free until 0.6. It is
    // turned, because the directions of the volumes would prove it otherwise.
    let crossed = |x: f64, z: f64| [dvec3(x - 1.0, 0.0, z), dvec3(x + 1.0, 0.0, z), -DVec3::Y, DVec3::Y];
    let turn = DQuat::from_scaled_axis(dvec3(0.3, 0.6, 0.9));
    let frame = |high: f64, x: f64, low: f64| {
        [crossed(0.0, high), crossed(x, low).map(|p| turn * p + 1000.0 * DVec3::Y)].concat()
    };
    let (t0, t1) = (frame(1.0, 100.0, 1.0), frame(-0.25, -100.0, 0.0));
    let options = Options { min_separation: 0.25, max_iterations: 2, ..Options::default() };
    let mut differed = 0;
    for order in [[0, 1, 2, 3], [2, 3, 0, 1]] {
        let edges = order.map(|i| [2 * i, 2 * i + 1]).to_vec();
        let mesh = Deformable::new(t0.clone(), t1.clone(), vec![], edges, vec![]).unwrap();
        let [first, all] = [Mode::First, Mode::All]
            .map(|mode| mesh.check(&Options { mode, ..options }, Start::Report).unwrap());
        assert_eq!(first.answer, all.answer);
        let [(_, of_pair)] = all.undecided[..] else { panic!("{all:?}") };
        assert!(of_pair < 0.5, "{all:?}");
        // The order of the edges decides if the touch is known before the other pair is tested.
        differed += u32::from(matches!(first.answer, Answer::Touch(touch) if touch.toi > 0.59));
    }
    assert!(differed > 0);
}

/// A vertex rests on a triangle at time 0 and passes through it. With [`Start::Ignore`] the pair is left out for all
/// time, which the documentation, the report and the command say: there is no proof about it. Another vertex that
/// arrives later is found.
#[test]
fn what_touches_at_the_start_is_left_out_for_all_time() {
    let at =
        |z: f64, other: f64| [FACE.as_slice(), &[dvec3(0.25, 0.25, z), dvec3(0.5, 0.25, other)]].concat();
    let mesh = |other: f64| {
        Deformable::new(at(0.0, 1.0), at(-1.0, other), vec![[0, 1, 2]], vec![], vec![3, 4]).unwrap()
    };
    let ask = |mesh: &Deformable, mode: Mode, start: Start| {
        mesh.check(&Options { mode, ..Options::default() }, start).unwrap()
    };
    for mode in [Mode::First, Mode::Any, Mode::All] {
        assert!(matches!(ask(&mesh(0.5), mode, Start::Report).answer, Answer::TouchingAtStart(_)));
        assert_eq!(ask(&mesh(0.5), mode, Start::Ignore).answer, Answer::Free);
        let Answer::Touch(touch) = ask(&mesh(-1.0), mode, Start::Ignore).answer else { panic!() };
        assert!((touch.toi - 0.5).abs() < 1e-15, "{touch:?}");
    }
    let all = ask(&mesh(-1.0), Mode::All, Start::Ignore);
    assert_eq!((all.ignored_at_start, all.vf_touching), (Some(1), 1));
    assert_eq!(ask(&mesh(-1.0), Mode::All, Start::Report).ignored_at_start, None);
    assert_eq!(ask(&mesh(-1.0), Mode::First, Start::Ignore).ignored_at_start, None);
}

/// A vertex is within the separation of a triangle at time 0, and passes through the triangle. Such a pair was left out
/// for all time, as one that touches is, and the whole step was free. Now it need not keep the separation, and still
/// may not touch.
#[test]
fn what_is_near_at_the_start_does_not_pass_through() {
    let at = |z: f64| [FACE.as_slice(), &[dvec3(0.25, 0.25, z)]].concat();
    let mut passes = 0;
    for (z0, z1) in [(1e-3, -1.0), (0.5, -0.5), (1e-3, 1e-4), (0.5, 1.0), (0.0, -1.0)] {
        let mesh = Deformable::new(at(z0), at(z1), vec![[0, 1, 2]], vec![], vec![3]).unwrap();
        for mode in [Mode::First, Mode::Any, Mode::All] {
            let options = Options { mode, min_separation: 1e-3, ..Options::default() };
            let report = mesh.check(&options, Start::Ignore).unwrap();
            let exact = z0 / (z0 - z1);
            match report.answer {
                Answer::Touch(touch) if z0 == 1e-3 => {
                    passes += 1;
                    assert!(z1 < 0.0 && (touch.toi - exact).abs() < 1e-12, "{z0} {z1} {touch:?}");
                }
                // From afar the separation is kept.
                Answer::Touch(touch) => {
                    let kept = (z0 - 1e-3) / (z0 - z1);
                    assert!(touch.toi <= kept && touch.toi > kept - 1e-5, "{z0} {z1} {touch:?}");
                }
                Answer::Free => assert!(z0 == 0.0 || z1 > 0.0, "{z0} {z1} {mode:?}"),
                other => panic!("{other:?}"),
            }
            let ignored = u64::from(z0 == 0.0);
            assert_eq!(report.ignored_at_start, (mode == Mode::All).then_some(ignored), "{z0} {z1}");
            let step = mesh.safe_step(&options, Start::Ignore, 1.0).unwrap();
            assert!(z0 == 0.0 || z1 > 0.0 || step <= exact, "{z0} {z1} {step}");
        }
    }
    assert_eq!(passes, 3, "in all modes");
}

/// In a mesh of more than about a thousand triangles, `any` ended with the first touch of a sample and proved nothing
/// else: it was free until 0. Now the beginning of the step is searched as a whole, and an early touch is the first.
#[test]
fn any_proves_the_beginning_of_a_large_mesh() {
    let side = 33_u32;
    let sheet = |z: f64| {
        (0..side * side).map(move |i| dvec3(f64::from(i % side), f64::from(i / side), z)).collect::<Vec<_>>()
    };
    let mut triangles = Vec::new();
    for first in [0, side * side] {
        for (i, j) in (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| (i, j))) {
            let corner = first + i * side + j;
            triangles.push([corner, corner + 1, corner + side]);
            triangles.push([corner + 1, corner + side + 1, corner + side]);
        }
    }
    for (fall, expected) in [(2.0, 0.5), (128.0, 1.0 / 128.0)] {
        let frame = |z: f64| [sheet(0.0), sheet(z)].concat();
        let mesh = Deformable::new(frame(1.0), frame(1.0 - fall), triangles.clone(), vec![], vec![]).unwrap();
        let Answer::Touch(any) = check(&mesh, Mode::Any).answer else { panic!() };
        let Answer::Touch(first) = check(&mesh, Mode::First).answer else { panic!() };
        assert!((first.toi - expected).abs() < 1e-14 && any.toi >= first.toi, "{first:?} {any:?}");
        assert!(any.free_until >= first.toi.min(0.0156) && any.free_until <= first.toi, "{first:?} {any:?}");
    }
}

/// A seeded excerpt of the hostile queries; a longer run uses other seeds.
#[test]
fn hostile_queries_and_meshes() {
    let counts = attacker::run(1, 3000);
    println!("{counts:?}");
    assert!(counts.touches > 2000 && counts.free > 1000 && counts.undecided > 300, "{counts:?}");
    assert!(counts.at_start > 200 && counts.later > 50 && counts.gaps > 5000, "{counts:?}");
}
