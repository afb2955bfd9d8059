//! Pairs that are designed to be hard.

use super::draw::Draw;
use super::generate;
use super::oracle::{Mover, Referee};
use super::path::{Path, Place};
use super::solid::{Polytope, Solid};
use super::verdict::{self, Tally};
use firsttouch::{Answer, Options};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Checks every case and that none is undecided; prints the tally.
fn family(name: &str, cases: usize, seed: u64, case: impl Fn(usize, &mut Draw, &mut Tally)) -> Tally {
    let tally = hard_family(name, cases, seed, case);
    assert_eq!(tally.undecided, 0, "{name}");
    tally
}

/// Like [`family`], for sizes of 1e11 times the tolerance and more: in f64 the closest points of curved solids have an
/// error about as large as the tolerance. One case in a hundred may stay undecided; its claims about earlier times are
/// checked.
fn hard_family(name: &str, cases: usize, seed: u64, case: impl Fn(usize, &mut Draw, &mut Tally)) -> Tally {
    let mut tally = Tally::default();
    let mut draw = Draw::new(seed);
    for i in 0..cases {
        case(i, &mut draw, &mut tally);
    }
    println!("{name:32} {}", super::line(&tally));
    assert!(tally.undecided * 100 <= cases, "{name}");
    tally
}

fn across(n: DVec3, draw: &mut Draw) -> DVec3 {
    n.cross(draw.direction()).normalize()
}

/// Returns the place at which the solid, rotated as given, just stays above the plane through `foot` with normal `n`.
fn above(solid: &Solid, turn: DQuat, n: DVec3, foot: DVec3) -> Place {
    let at = Place { at: DVec3::ZERO, turn };
    Place { at: foot + n * solid.extent(-at.to_body(n)), turn }
}

fn below(solid: &Solid, turn: DQuat, n: DVec3, foot: DVec3) -> Place {
    above(solid, turn, -n, foot)
}

/// Returns about the farthest point along `n`.
fn tip(place: &Place, solid: &Solid, n: DVec3) -> DVec3 {
    place.apply(solid.nearest(place.to_body(place.at + n) * 1e9))
}

fn two_solids(i: usize, draw: &mut Draw) -> [Solid; 2] {
    let kinds = super::kind_pairs()[i % 21];
    kinds.map(|kind| generate::solid(kind, draw))
}

/// A plane keeps the two apart by exactly `gap` while one slides along it, rotating about its normal. If the gap is
/// beyond the tolerance, the answer must be free. A pass at 1e-3 must not be a touch.
#[test]
fn grazing() {
    let tally = family("grazing", 4200, 10, |i, draw, tally| {
        let [a, b] = two_solids(i, draw);
        let n = draw.direction();
        let gap = draw.magnitude(1e-7, 1e-3);
        let start = above(&b, draw.rotation(), n, n * gap);
        let fixed = below(&a, draw.rotation(), n, DVec3::ZERO);
        let way = across(n, draw) * 3.0;
        // The nearest points pass right above each other.
        let shift = tip(&fixed, &a, n) - tip(&start, &b, -n);
        let from = Place { at: start.at + shift - n * n.dot(shift) - way * draw.unit(), turn: start.turn };
        let turn = DQuat::from_axis_angle(n, draw.range(0.0, 3.0)) * from.turn;
        let to = Place { at: from.at + way, turn };
        let path = if i % 2 == 0 { Path::Linear(from, to) } else { Path::Screw(from, to) };
        let pair = [Mover { solid: a, path: Path::Fixed(fixed) }, Mover { solid: b, path }];
        let answer = verdict::check(&pair, &Options::default(), 32, tally);
        if gap > 1.001e-6 {
            assert_eq!(answer, Answer::Free, "{gap}: {pair:?}");
        }
    });
    assert!(tally.free > 3000 && tally.touch > 50);
    assert!(tally.iterations < 40 * tally.total() as u64, "{tally:?}");
}

/// Flat faces that land on each other, parallel to the last bit or up to rounding. The time is known.
#[test]
fn resting_faces() {
    let flat = |kind: usize, draw: &mut Draw| match kind {
        0 => generate::solid(0, draw),
        1 => generate::solid(3, draw),
        _ => {
            let half =
                DVec3::new(draw.magnitude(0.1, 1.0), draw.magnitude(0.1, 1.0), draw.magnitude(0.1, 1.0));
            let corner =
                |i: usize| half * DVec3::from_array([0, 1, 2].map(|k| (i >> k & 1) as f64 * 2.0 - 1.0));
            Solid::Hull(Polytope::new((0..8).map(corner).collect()))
        }
    };
    family("resting faces", 900, 11, |i, draw, tally| {
        let [a, b] = [flat(i % 3, draw), flat(i / 3 % 3, draw)];
        let turn = if i % 2 == 0 { DQuat::IDENTITY } else { draw.rotation() };
        let n = Place { at: DVec3::ZERO, turn }.apply(DVec3::Z);
        let height = draw.range(0.1, 2.0);
        let fall = height * draw.range(1.01, 3.0);
        let spin = DQuat::from_axis_angle(n, draw.range(0.0, 1.0));
        let from = above(&b, spin * turn, n, n * height);
        let to = Place { at: from.at - n * fall, turn: from.turn };
        let fixed = below(&a, turn, n, DVec3::ZERO);
        let pair = [
            Mover { solid: a, path: Path::Fixed(fixed) },
            Mover { solid: b, path: if i % 5 == 0 { Path::Screw(from, to) } else { Path::Linear(from, to) } },
        ];
        let answer = verdict::check(&pair, &Options::default(), 16, tally);
        let Answer::Touch(touch) = answer else { panic!("{answer:?}: {pair:?}") };
        let exact = height / fall;
        assert!(
            touch.toi <= exact + 1e-14 && touch.toi >= exact - 1.01e-6 / fall,
            "{} {exact}: {pair:?}",
            touch.toi
        );
    });
}

/// Sliding along a face at twice the tolerance is free; at half of it, it may be a touch.
#[test]
fn sliding() {
    family("sliding", 600, 12, |i, draw, tally| {
        let [a, b] = [generate::solid(0, draw), generate::solid([0, 3, 5, 2, 1, 4][i % 6], draw)];
        let turn = if i % 2 == 0 { DQuat::IDENTITY } else { draw.rotation() };
        let n = Place { at: DVec3::ZERO, turn }.apply(DVec3::Z);
        let gap = if i % 4 < 2 { 2e-6 } else { 0.5e-6 };
        let from = above(&b, turn, n, n * gap);
        let to = Place { at: from.at + across(n, draw) * 0.1, turn: from.turn };
        let fixed = below(&a, turn, n, DVec3::ZERO);
        let pair =
            [Mover { solid: a, path: Path::Fixed(fixed) }, Mover { solid: b, path: Path::Linear(from, to) }];
        let answer = verdict::check(&pair, &Options::default(), 16, tally);
        if gap > 1e-6 {
            assert_eq!(answer, Answer::Free, "{pair:?}");
        } else {
            // Within the tolerance from the start, or from the time when it has slid over the face; `check` has tested
            // the rest.
            assert!(
                matches!(answer, Answer::TouchingAtStart(_) | Answer::Touch(_) | Answer::Free),
                "{pair:?}"
            );
        }
    });
}

/// Two crossed edges meet: the middle of each, at a known time.
#[test]
fn edge_against_edge() {
    family("edge against edge", 600, 13, |i, draw, tally| {
        let [a, b] = [0, 0].map(|kind| generate::solid(kind, draw));
        let (Solid::Box(half_a), Solid::Box(half_b)) = (&a, &b) else { unreachable!() };
        // The edge along z at (+x, +y) points up along z for a; b is upside down, and its edge is rotated about z by
        // `angle`.
        let up = |half: DVec3| Place {
            at: DVec3::ZERO,
            turn: DQuat::from_rotation_arc(DVec3::new(half.x, half.y, 0.0).normalize(), DVec3::Z),
        };
        let angle = draw.range(0.1, PI - 0.1);
        let turn_b = DQuat::from_rotation_z(angle) * DQuat::from_rotation_x(PI) * up(*half_b).turn;
        let edge = |half: DVec3| DVec3::new(half.x, half.y, 0.0);
        let height = draw.range(0.2, 1.0);
        let foot_a = -Place { at: DVec3::ZERO, turn: up(*half_a).turn }.apply(edge(*half_a));
        let foot_b = DVec3::Z * height - Place { at: DVec3::ZERO, turn: turn_b }.apply(edge(*half_b));
        let from = Place { at: foot_b, turn: turn_b };
        let spin = if i % 2 == 0 { 0.0 } else { draw.range(-0.5, 0.5) };
        let to = Place { at: foot_b - DVec3::Z * 2.0 * height, turn: DQuat::from_rotation_z(spin) * turn_b };
        let pair = [
            Mover { solid: a.clone(), path: Path::Fixed(Place { at: foot_a, turn: up(*half_a).turn }) },
            Mover { solid: b.clone(), path: Path::Linear(from, to) },
        ];
        let answer = verdict::check(&pair, &Options::default(), 16, tally);
        assert!(answer.touch().is_some_and(|touch| touch.toi <= 0.5 + 1e-13), "{answer:?} {pair:?}");
    });
}

/// Plates a millionth thick that fly into each other, a thousand to a million times their size in one step.
#[test]
fn thin_plates_at_high_speed() {
    family("thin plates at high speed", 300, 14, |i, draw, tally| {
        let plate =
            |draw: &mut Draw| Solid::Box(DVec3::new(draw.range(0.5, 1.0), draw.range(0.5, 1.0), 0.5e-6));
        let speed = draw.magnitude(1e3, 1e6);
        let tilt = DQuat::from_axis_angle(draw.direction(), draw.range(0.0, 0.3));
        let way = (DVec3::Z + 0.1 * draw.direction()).normalize() * speed;
        let when = draw.range(0.1, 0.9);
        let aside = DVec3::new(draw.range(-0.2, 0.2), draw.range(-0.2, 0.2), 0.0);
        let from = Place { at: aside - way * when, turn: tilt };
        let turn = if i % 2 == 0 { tilt } else { draw.rotation() };
        let to = Place { at: from.at + way, turn };
        let pair = [
            Mover { solid: plate(draw), path: Path::Fixed(Place { at: DVec3::ZERO, turn: DQuat::IDENTITY }) },
            Mover { solid: plate(draw), path: Path::Linear(from, to) },
        ];
        let answer = verdict::check(&pair, &Options::default(), 16, tally);
        // At `when` the middle of the flying plate is in the plane of the other, near its middle.
        assert!(answer.touch().is_some_and(|touch| touch.toi <= when), "{answer:?} {pair:?}");
    });
}

/// Needles and blades a million times longer than thick, of every kind.
#[test]
fn needles() {
    let needle = |kind: usize, draw: &mut Draw| {
        let thin = draw.magnitude(1e-6, 1e-4);
        match kind {
            0 => Solid::Box(DVec3::new(thin, thin, 1.0)),
            1 => Solid::Box(DVec3::new(thin, 0.5, 1.0)),
            2 => Solid::Capsule(thin, 1.0),
            3 => Solid::Cylinder(thin, 1.0),
            4 => Solid::Cylinder(1.0, thin),
            5 => Solid::Ellipsoid(DVec3::new(thin, thin, 1.0)),
            6 => Solid::Ellipsoid(DVec3::new(thin, 1.0, 0.5)),
            _ => Solid::Hull(Polytope::new(
                (0..6).map(|_| draw.direction() * DVec3::new(thin, thin, 1.0)).collect(),
            )),
        }
    };
    let tally = family("needles", 1280, 15, |i, draw, tally| {
        let [a, b] = [needle(i % 8, draw), needle(i / 8 % 8, draw)];
        let [on_a, on_b] =
            [generate::path(1 + i % 2, 1.0, draw), generate::path(1 + draw.below(2), 3.0, draw)];
        let shift = on_a.at(0.6).at - on_b.at(0.6).at + draw.direction() * draw.range(0.0, 0.8);
        let pair = [Mover { solid: a, path: on_a }, Mover { solid: b, path: on_b.shifted(shift) }];
        verdict::check(&pair, &Options::default(), 16, tally);
    });
    assert!((0.1..0.95).contains(&tally.hit_rate()), "{tally:?}");
}

/// One solid is a million times larger than the other.
#[test]
fn giants_and_dwarfs() {
    let tally = hard_family("giants and dwarfs", 1050, 16, |i, draw, tally| {
        let [a, b] = two_solids(i, draw);
        let a = a.scaled(if i % 2 == 0 { 1e6 } else { 1e3 });
        let b = b.scaled(if i % 2 == 0 { 1.0 } else { 1e-3 });
        // The small one falls on, or flies by, some spot of the large one's surface.
        let n = draw.direction();
        let at_a = Place { at: DVec3::ZERO, turn: draw.rotation() };
        let spot = at_a.apply(a.nearest(at_a.to_body(n * 10.0 * a.radius())));
        let size = b.radius();
        let way = draw.direction() * size * 20.0;
        let from = Place { at: spot + n * size * draw.range(0.0, 3.0) - 0.5 * way, turn: draw.rotation() };
        let path = Path::Linear(from, Place { at: from.at + way, turn: draw.rotation() });
        let pair = [Mover { solid: a, path: Path::Fixed(at_a) }, Mover { solid: b, path }];
        verdict::check(&pair, &Options::default(), 16, tally);
    });
    assert!((0.2..0.95).contains(&tally.hit_rate()), "{tally:?}");
}

/// Ordinary pairs, a million units away from the origin.
#[test]
fn far_from_the_origin() {
    let tally = family("far from the origin", 2100, 17, |i, draw, tally| {
        let pair = generate::pair(super::kind_pairs()[i % 21], [1 + i % 2, i % 3], draw);
        let shift = draw.direction() * 1e6;
        let pair = pair.map(|m| Mover { path: m.path.shifted(shift), solid: m.solid });
        verdict::check(&pair, &Options::default(), 16, tally);
    });
    assert!((0.2..0.8).contains(&tally.hit_rate()), "{tally:?}");
}

/// Half a turn, to the last bit and slightly to either side of it.
#[test]
fn half_a_turn() {
    let tally = family("half a turn", 2100, 18, |i, draw, tally| {
        let pair = generate::pair(super::kind_pairs()[i % 21], [1 + i % 2, 1 + i / 2 % 2], draw);
        let pair = pair.map(|m| {
            let angle = PI - [0.0, 1e-9, -1e-9, 1e-15][draw.below(4)];
            let spin = DQuat::from_axis_angle(draw.direction(), angle);
            let path = match m.path {
                Path::Linear(from, to) => Path::Linear(from, Place { turn: spin * from.turn, ..to }),
                Path::Screw(from, to) => Path::Screw(from, Place { turn: spin * from.turn, ..to }),
                fixed => fixed,
            };
            Mover { path, solid: m.solid }
        });
        verdict::check(&pair, &Options::default(), 64, tally);
    });
    assert!((0.2..0.9).contains(&tally.hit_rate()), "{tally:?}");
}

/// The same solid twice, on the same path: they touch at once if they are in the same place, and never if they fly in
/// formation.
#[test]
fn twins() {
    let together = family("twins, one in the other", 210, 19, |i, draw, tally| {
        let solid = generate::solid(i % 6, draw);
        let path = generate::path(i % 3, 2.0, draw);
        let pair = [0, 1].map(|_| Mover { solid: solid.clone(), path });
        let answer = verdict::check(&pair, &Options::default(), 1, tally);
        assert!(matches!(answer, Answer::TouchingAtStart(_)), "{answer:?}");
    });
    assert_eq!(together.at_start, 210);
    let apart = family("twins in formation", 210, 20, |i, draw, tally| {
        let solid = generate::solid(i % 6, draw);
        let Path::Linear(from, to) = generate::path(1, 2.0, draw) else { unreachable!() };
        // Without a rotation their distance stays the same.
        let path = Path::Linear(from, Place { turn: from.turn, ..to });
        let n = draw.direction();
        let gap = draw.magnitude(1e-5, 1.0);
        let shift =
            n * (solid.extent(from.to_body(n + from.at)) + solid.extent(from.to_body(-n + from.at)) + gap);
        let pair = [path, path.shifted(shift)].map(|path| Mover { solid: solid.clone(), path });
        let answer = verdict::check(&pair, &Options::default(), 16, tally);
        assert_eq!(answer, Answer::Free, "{gap}: {pair:?}");
    });
    assert!(apart.iterations < 20 * 210, "{apart:?}");
}

/// Nearly complete overlap at the start.
#[test]
fn deep_overlap() {
    let tally = family("deep overlap", 1050, 21, |i, draw, tally| {
        let mut pair = generate::pair(super::kind_pairs()[i % 21], [1, 2], draw);
        let off = draw.direction() * 1e-3;
        pair[1].path = pair[1].path.shifted(pair[0].path.at(0.0).at - pair[1].path.at(0.0).at + off);
        verdict::check(&pair, &Options::default(), 1, tally);
    });
    // A hull need not contain its origin; the others do.
    assert!(tally.at_start > 900, "{tally:?}");
}

/// The very last instant counts: solids that first touch at t = 1 do touch.
#[test]
fn touching_at_the_very_end() {
    family("touching at the very end", 420, 22, |i, draw, tally| {
        let [a, b] = two_solids(i, draw);
        let n = draw.direction();
        let fixed = below(&a, draw.rotation(), n, DVec3::ZERO);
        // At t = 1 the two support points along n coincide: the distance is zero, or just above by rounding.
        let turn = draw.rotation();
        let to = above(&b, turn, n, DVec3::ZERO);
        let shift = tip(&fixed, &a, n) - tip(&to, &b, -n);
        let to = Place { at: to.at + shift - n * n.dot(shift), turn };
        let from = Place { at: to.at + n * draw.range(0.5, 2.0), turn };
        let pair =
            [Mover { solid: a, path: Path::Fixed(fixed) }, Mover { solid: b, path: Path::Linear(from, to) }];
        let answer = verdict::check(&pair, &Options::default(), 16, tally);
        let reached = Referee::new(&pair[0], &pair[1]).distance(1.0, 1e-9).high;
        if reached < 1e-9 {
            assert!(answer.touch().is_some_and(|touch| touch.toi > 0.9), "{answer:?} {pair:?}");
        }
    });
}

/// A separation to keep, and tolerances from coarse to fine.
#[test]
fn separations_and_tolerances() {
    for (tolerance, min_separation) in
        [(1e-2, 0.0), (1e-3, 0.3), (1e-6, 1e-3), (1e-6, 1.0), (1e-9, 0.0), (1e-9, 0.1)]
    {
        let options = Options { tolerance, min_separation, ..Options::default() };
        let name = format!("tolerance {tolerance:e}, apart {min_separation}");
        let tally = family(&name, 1050, 23, |i, draw, tally| {
            let mut pair = generate::pair(super::kind_pairs()[i % 21], [1, 2], draw);
            let n = draw.direction();
            pair[1].path = pair[1].path.shifted(n * min_separation);
            verdict::check(&pair, &options, 16, tally);
        });
        assert!((0.2..0.9).contains(&tally.hit_rate()), "{tally:?}");
    }
    let options = Options { tolerance: 1e-11, ..Options::default() };
    hard_family("tolerance 1e-11", 1050, 24, |i, draw, tally| {
        let pair = generate::pair(super::kind_pairs()[i % 21], [1, 2], draw);
        verdict::check(&pair, &options, 16, tally);
    });
}

/// Far from touching, closest points were found to a hundredth of their distance instead of a hundredth of the excess
/// over the separation to keep. At 1.005 units, with 1 to keep, the proven distance was about 0.995: less than the
/// distance that counts as touching, and the answer was Undecided at time 0.
#[test]
fn far_apart_and_close_to_the_separation() {
    let options = Options { min_separation: 1.0, ..Options::default() };
    let mut tally = Tally::default();
    let mut draw = Draw::new(25);
    for _ in 0..200 {
        let ellipsoid = generate::solid(4, &mut draw);
        let n = draw.direction();
        let from = above(&ellipsoid, draw.rotation(), n, n * draw.range(1.001, 1.01));
        let to = Place { at: from.at - n * 0.1, turn: from.turn };
        let other = generate::solid(4, &mut draw);
        let fixed = below(&other, draw.rotation(), n, DVec3::ZERO);
        let shift = tip(&from, &ellipsoid, -n) - tip(&fixed, &other, n);
        let path = Path::Linear(from, to).shifted(n * n.dot(shift) - shift);
        let pair = [Mover { solid: other, path: Path::Fixed(fixed) }, Mover { solid: ellipsoid, path }];
        verdict::check(&pair, &options, 16, &mut tally);
    }
    println!("{:32} {}", "close to the separation", super::line(&tally));
    assert!(tally.undecided == 0 && tally.touch > 150, "{tally:?}");
}
