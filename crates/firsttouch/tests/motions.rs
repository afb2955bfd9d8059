//! The bounds of `turn`, `path`, `spline` and motions within moving frames against references of about 30 digits, and
//! the laws that relate these motions to each other.

mod exact;
mod wide;

use exact::Exact;
use firsttouch::motion::{By, Leg, Motion, Path, Pose, RigidMotion, Spline, Window};
use firsttouch::testing::check_motion;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use wide::{Vec3, Wide, add, apply, sub, vector};

struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.range(-size, size)))
    }

    fn direction(&mut self) -> DVec3 {
        self.vector(1.0).normalize()
    }

    fn pose(&mut self) -> Pose {
        let size = [1.0, 1.0, 1e3][self.below(3)];
        let q = DQuat::from_scaled_axis(self.direction() * self.range(0.0, PI));
        Pose::new(self.vector(size), q).unwrap()
    }

    /// Returns a pose near another, turned by one of these angles, up to almost half a turn.
    fn next(&mut self, from: Pose, angles: &[f64]) -> Pose {
        let angle = angles[self.below(angles.len())];
        let q = DQuat::from_scaled_axis(self.direction() * angle) * from.rotation();
        Pose::new(from.translation() + self.vector(2.0), q).unwrap()
    }

    fn turn(&mut self) -> (DVec3, DVec3, f64) {
        let angle = [0.0, 1e-9, 0.7, -PI, 2.0 * PI, 31.4, -4.0][self.below(7)];
        let axis = self.direction() * [1.0, 1e-3, 1e30][self.below(3)];
        let size = [0.0, 1.0, 100.0][self.below(3)];
        (axis, self.vector(size), angle)
    }
}

fn a_turn(draw: &mut Draw) -> (Motion, Exact) {
    let (from, (axis, point, angle)) = (draw.pose(), draw.turn());
    (Motion::turn(from, axis, point, angle).unwrap(), exact::turn(from, axis, point, angle))
}

fn a_spline(draw: &mut Draw) -> (Spline, Exact) {
    let mut at = draw.pose();
    let mut time = 0.0;
    let frames: Vec<(f64, Pose)> = (0..2 + draw.below(4))
        .map(|_| {
            time += draw.range(0.1, 1.0);
            at = draw.next(at, &[1e-9, 0.5, 2.0, 3.1]);
            (time, at)
        })
        .collect();
    let spline = Spline::new(&frames).unwrap();
    let reference = exact::spline(frames.iter().map(|frame| frame.1).collect(), &spline);
    (spline, reference)
}

fn a_path(draw: &mut Draw) -> (Motion, Exact) {
    let from = draw.pose();
    let (mut at, mut time) = (from, 0.0);
    let (mut legs, mut references): (Vec<Leg>, Vec<Exact>) = (Vec::new(), Vec::new());
    for _ in 0..1 + draw.below(5) {
        time += draw.range(0.05, 1.0);
        let by = match draw.below(4) {
            0 => By::Hold,
            1 => By::Linear(draw.next(at, &[1e-9, 0.5, 3.1])),
            // The reference knows the place of the axis, which is far away for small angles; `convex_pairs` has those.
            2 => By::Screw(draw.next(at, &[0.01, 2.0, 3.1])),
            _ => {
                let (axis, point, angle) = draw.turn();
                By::Turn { axis, point, angle }
            }
        };
        references.push(match by {
            By::Linear(to) => exact::linear(at, to),
            By::Screw(to) => exact::screw(at, to),
            By::Turn { axis, point, angle } => exact::turn(at, axis, point, angle),
            _ => exact::fixed(at),
        });
        legs.push(Leg { until: time, by });
        at = Path::new(from, &legs, time).unwrap().end();
    }
    let path = Path::new(from, &legs, time).unwrap();
    let knots = [0.0].into_iter().chain(path.kinks()).chain([1.0]).collect();
    (path.into(), exact::pieces(knots, references))
}

fn a_motion(draw: &mut Draw) -> (Motion, Exact) {
    match draw.below(3) {
        0 => a_turn(draw),
        1 => a_path(draw),
        _ => {
            let (spline, reference) = a_spline(draw);
            (spline.into(), reference)
        }
    }
}

/// Counts of the checks that decided something: they show that the comparisons were not only with infinities.
#[derive(Default, Debug)]
struct Seen {
    velocities: usize,
    accelerations: usize,
    /// Windows in which the largest sample was above half of the bound.
    tight: usize,
}

fn length(v: Vec3) -> f64 {
    glam::DVec3::from_array(v.map(Wide::f64)).length()
}

/// Compares pose, velocity, acceleration, speed and enclosure over random windows.
fn check_bounds(motion: &Motion, exact: &Exact, draw: &mut Draw, seen: &mut Seen) {
    let error = motion.pose_error();
    let kinks: Vec<f64> = motion.kinks().collect();
    for n in 0..12 {
        let width = 0.5_f64.powi(n * 2);
        let t0 = draw.range(0.0, 1.0 - width);
        let window = Window::new(t0, (t0 + width).min(1.0)).unwrap();
        let reach = [0.0, 0.3, 10.0][draw.below(3)];
        let bounds = motion.velocity_bounds(window);
        let acceleration = motion.acceleration(reach, window);
        let inside = kinks.iter().any(|&kink| window.t0() < kink && kink < window.t1());
        assert_eq!(acceleration.is_infinite(), inside, "{window:?} {kinks:?}");
        let n = draw.direction();
        let speed = motion.speed_along(n, reach * (1.0 + 1e-15), window);
        let arm = draw.direction() * reach;
        let enclosed = motion.enclosure(window).apply(arm).range();
        let mut largest = 0.0_f64;
        for _ in 0..6 {
            let t = draw.range(window.t0(), window.t1());
            let (computed, (rotation, translation)) = (motion.pose_at(t), exact(t.into()));
            let off = length(sub(vector(computed.translation), translation));
            assert!(off <= error.translation, "{off:e} > {:e} at {t}: {motion:?}", error.translation);
            // The columns of the difference: none is longer than its spectral norm.
            for k in [0, 1, 2] {
                let column = [0, 1, 2].map(|i| Wide::from(computed.rotation.col(k)[i]) - rotation[i][k]);
                let off = length(column);
                assert!(off <= error.rotation, "{off:e} > {:e} at {t}: {motion:?}", error.rotation);
            }
            let point = add(translation, apply(&rotation, vector(arm)));
            for k in 0..3 {
                let x = point[k].f64();
                let slack = 1e-15 * x.abs();
                assert!(enclosed[k].lo() - slack <= x && x <= enclosed[k].hi() + slack, "{motion:?}");
            }
            // Derivatives by differences, not across a kink. For the second the step is longer, because its rounding is
            // squared.
            let (h, far) = (1e-10, 1e-7);
            if t < far || t > 1.0 - far || kinks.iter().any(|kink| (kink - t).abs() < far) {
                continue;
            }
            let at = |by: f64| exact(Wide::from(t) + Wide::from(by));
            let (before, after) = (at(-h), at(h));
            let per_time = |v: Vec3, by: f64| glam::DVec3::from_array(v.map(|x| x.f64() / by));
            let origin = per_time(sub(after.1, before.1), 2.0 * h);
            let angular = per_time(exact::turned(&before.0, &after.0), 2.0 * h);
            // The differences themselves: `h²` times third derivatives, which short legs make large.
            let slack = 1e-14 * (1.0 + origin.length() + angular.length());
            let off = (origin - bounds.center.origin).length();
            assert!(off <= bounds.origin_radius + slack, "{off} {bounds:?} {window:?} {motion:?}");
            let off = (angular - bounds.center.angular).length();
            assert!(off <= bounds.angular_radius + slack, "{off} {bounds:?} {window:?} {motion:?}");
            let moved = |pose: &(wide::Mat3, Vec3)| add(pose.1, apply(&pose.0, vector(arm)));
            let along = per_time(sub(moved(&after), moved(&before)), 2.0 * h).dot(n);
            assert!(along <= speed + slack * (1.0 + reach), "{along} > {speed} {window:?} {motion:?}");
            seen.velocities += 1;
            let h = 1e-8;
            let (before, now, after) = (moved(&at(-h)), moved(&at(0.0)), moved(&at(h)));
            let measured = per_time(sub(add(before, after), add(now, now)), h * h).length();
            assert!(
                measured <= acceleration * (1.0 + 1e-9) + 1e-9,
                "{measured} > {acceleration} {window:?} {motion:?}"
            );
            largest = largest.max(measured);
            seen.accelerations += usize::from(acceleration.is_finite());
        }
        seen.tight += usize::from(acceleration > 0.0 && largest > 0.5 * acceleration);
    }
}

fn check_all(cases: u64, make: impl Fn(&mut Draw) -> (Motion, Exact)) -> Seen {
    let mut seen = Seen::default();
    for seed in 0..cases {
        let mut draw = Draw(seed);
        let (motion, exact) = make(&mut draw);
        check_bounds(&motion, &exact, &mut draw, &mut seen);
    }
    seen
}

#[test]
fn turns_stay_within_their_bounds() {
    let seen = check_all(300, a_turn);
    assert!(seen.velocities > 15_000 && seen.accelerations > 15_000 && seen.tight > 800, "{seen:?}");
}

#[test]
fn paths_stay_within_their_bounds() {
    let seen = check_all(300, a_path);
    assert!(seen.velocities > 15_000 && seen.accelerations > 12_000 && seen.tight > 300, "{seen:?}");
}

#[test]
fn splines_stay_within_their_bounds() {
    let seen = check_all(150, |draw| {
        let (spline, exact) = a_spline(draw);
        (spline.into(), exact)
    });
    assert!(seen.velocities > 8_000 && seen.accelerations > 8_000 && seen.tight > 100, "{seen:?}");
}

#[test]
fn motions_in_moving_frames_stay_within_their_bounds() {
    let seen = check_all(200, |draw| {
        let ((frame, outer), (motion, inner)) = (a_motion(draw), a_motion(draw));
        (motion.within(&frame), exact::within(outer, inner))
    });
    assert!(seen.velocities > 8_000 && seen.accelerations > 6_000 && seen.tight > 50, "{seen:?}");
}

/// The same obligations by the public check, which has no reference.
#[test]
fn the_public_check_finds_nothing() {
    for seed in 0..12 {
        let mut draw = Draw(1000 + seed);
        let motions = [a_turn(&mut draw).0, a_path(&mut draw).0, a_spline(&mut draw).0.into()];
        let within = motions[0].within(&motions[1]).within(&motions[2]);
        for motion in motions.iter().chain([&within]) {
            assert_eq!(check_motion(motion, seed), Ok(()), "{motion:?}");
        }
    }
}

#[test]
fn bad_input_is_refused() {
    let here = Pose::IDENTITY;
    assert!(Motion::turn(here, DVec3::ZERO, DVec3::ZERO, 1.0).is_err());
    assert!(Motion::turn(here, DVec3::Z, DVec3::ZERO, f64::NAN).is_err());
    let leg = |until: f64| Leg { until, by: By::Hold };
    for legs in
        [vec![leg(0.0)], vec![leg(0.5), leg(0.5)], vec![leg(f64::NAN)], vec![leg(2.0)], vec![leg(-1.0)]]
    {
        assert!(Path::new(here, &legs, 1.0).is_err(), "{legs:?}");
    }
    assert!(Path::new(here, &[leg(1.0)], 0.0).is_err());
    assert!(Path::new(here, &[leg(1.0)], f64::INFINITY).is_err());
    let huge = By::Turn { axis: DVec3::Z, point: DVec3::X, angle: 1e30 };
    assert!(Path::new(here, &[Leg { until: 1.0, by: huge }], 1.0).is_err());
    assert!(Spline::new(&[]).is_err() && Spline::new(&[(0.0, here)]).is_err());
    assert!(Spline::new(&[(1.0, here), (1.0, here)]).is_err());
    let elsewhere = Pose::from_translation(DVec3::X).unwrap();
    let spline = Spline::new(&[(0.0, elsewhere), (1.0, here)]).unwrap();
    assert!(Path::new(here, &[Leg { until: 1.0, by: By::Spline(spline.clone()) }], 1.0).is_err());
    assert!(Path::new(elsewhere, &[Leg { until: 1.0, by: By::Spline(spline) }], 2.0).is_ok());
}
