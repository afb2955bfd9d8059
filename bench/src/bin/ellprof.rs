//! profile
use firsttouch::ellipsoid::{Equation, Track};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Ellipsoid;
use glam::{DQuat, DVec3};
fn main() {
    let a = Ellipsoid::new(DVec3::new(0.15, 0.05, 0.06)).unwrap();
    let b = Ellipsoid::new(DVec3::new(0.11, 0.08, 0.13)).unwrap();
    let q = |x: f64, y: f64, z: f64| DQuat::from_xyzw(x, y, z, 1.0);
    let mut n = 0;
    let start = std::time::Instant::now();
    let rounds = if std::env::args().len() > 1 { 100000 } else { 1000 };
    let mut ts = [0.0; 4];
    for _ in 0..rounds {
        let s = std::time::Instant::now();
        let ma = Motion::rational(Pose::new(DVec3::new(0.0, 0.0, 1.3), q(0.1, 0.2, 0.3)).unwrap(), Pose::new(DVec3::new(0.05, 0.01, 1.3), q(0.12, 0.25, 0.3)).unwrap());
        let mb = Motion::rational(Pose::new(DVec3::new(0.25, 0.03, 1.35), q(0.3, 0.2, 0.1)).unwrap(), Pose::new(DVec3::new(0.22, 0.02, 1.35), q(0.32, 0.2, 0.1)).unwrap());
        ts[0] += s.elapsed().as_nanos() as f64;
        let s = std::time::Instant::now();
        let (ta, tb) = (Track::new(&a, &ma).unwrap(), Track::new(&b, &mb).unwrap());
        ts[1] += s.elapsed().as_nanos() as f64;
        let s = std::time::Instant::now();
        let eq = Equation::new(&ta, &tb);
        ts[2] += s.elapsed().as_nanos() as f64;
        let s = std::time::Instant::now();
        n += (eq.first_contact(1.0) != firsttouch::ellipsoid::FirstContact::None) as usize;
        ts[3] += s.elapsed().as_nanos() as f64;
    }
    println!("{n} {:?} per {:?}", start.elapsed() / rounds, ts.map(|t| t / rounds as f64));
}
