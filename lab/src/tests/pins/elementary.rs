//! Two features with linearly moving vertices: at random, aimed at each other, flat, and with a separation.

use firsttouch::Options;
use firsttouch::advancement::{Limits, Verdict};
use firsttouch::elementary::{Decision, EdgeEdge, VertexFace, edge_edge, vertex_face};
use glam::DVec3;

use super::{Pin, compare, hash_of};
use crate::scenes::random::Random;

#[test]
fn features() {
    let mut pins = Vec::new();
    let mut random = Random::new(7);
    let separated =
        Limits::new(&Options { min_separation: 0.05, ..Options::default() }).expect("valid options");
    for k in 0..400 {
        let mut points: [DVec3; 8] = std::array::from_fn(|_| random.vector(1.0));
        match k % 4 {
            // The vertex, or the first edge, goes to a point of the other feature.
            1 => points[4] = (points[5] + points[6] + points[7]) / 3.0,
            // All in one plane.
            2 => points.iter_mut().for_each(|point| point.z = 0.25),
            // Far apart in scale.
            3 => points[1..4].iter_mut().for_each(|point| *point *= 1e-3),
            _ => {}
        }
        let [a, b, c, d, e, f, g, h] = points;
        let limits = match k % 5 {
            0 => separated,
            _ => Limits::DEFAULT,
        };
        let vf = VertexFace::new([a, b, c, d], [e, f, g, h]).unwrap();
        pins.push(pin(format!("vertex/face {k}"), &vertex_face(&vf, &limits)));
        let ee = EdgeEdge::new([a, b, c, d], [e, f, g, h]).unwrap();
        pins.push(pin(format!("edge/edge {k}"), &edge_edge(&ee, &limits)));
    }
    let touches = pins.iter().filter(|pin| pin.kind == "touch").count();
    assert!((100..700).contains(&touches), "{touches} of 800 touch");
    compare("elementary", &pins);
}

fn pin(name: String, decision: &Decision) -> Pin {
    let (kind, bits) = match &decision.outcome {
        Verdict::Free => ("free", String::new()),
        Verdict::Undecided { free_until } => ("undecided", format!("{free_until:?}")),
        Verdict::Touch(contact) => {
            let places = hash_of(&[contact.point, contact.normal]);
            ("touch", format!("{:?} {:?} {places:016x}", contact.toi, contact.toi_upper))
        }
    };
    Pin { name, kind: kind.into(), bits, counters: format!("{:?}", decision.stage) }
}
