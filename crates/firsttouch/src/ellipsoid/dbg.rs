#[test]
fn dbg_shoots() {
    use super::*;
    use super::characteristic::Proof;
    use crate::motion::{Motion, Pose};
    use crate::shape::Ellipsoid;
    use glam::*;
    let a = Ellipsoid::new(DVec3::new(0.15, 0.05, 0.06)).unwrap();
    let b = Ellipsoid::new(DVec3::new(0.11, 0.08, 0.13)).unwrap();
    let q = |x: f64, y: f64, z: f64| DQuat::from_xyzw(x, y, z, 1.0);
    let ma = Motion::rational(Pose::new(DVec3::new(0.0, 0.0, 1.3), q(0.1, 0.2, 0.3)).unwrap(), Pose::new(DVec3::new(0.05, 0.01, 1.3), q(0.12, 0.25, 0.3)).unwrap());
    let mb = Motion::rational(Pose::new(DVec3::new(0.25, 0.03, 1.35), q(0.3, 0.2, 0.1)).unwrap(), Pose::new(DVec3::new(0.22, 0.02, 1.35), q(0.32, 0.2, 0.1)).unwrap());
    let eq = Equation::new(&Track::new(&a, &ma).unwrap(), &Track::new(&b, &mb).unwrap());
    println!("degree {} errors {:?} sizes {:?}", eq.degree, eq.errors, eq.sizes);
    let (mut t, mut u) = (0.0, 0.5);
    for _ in 0..60 {
        let p = eq.state(t, u);
        println!("{t:.17} {p:?}");
        let Proof::Positive(best) = p else { break };
        u = best;
        let next = eq.shoot(u, t, 1.0);
        if next >= 1.0 || next <= t { println!("{next:.17}"); break; }
        t = next;
    }
    panic!();
}
