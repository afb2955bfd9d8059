//! Deforming meshes.
use std::path::Path;
use std::time::Instant;

use firsttouch::deformable::*;
use firsttouch::{Mode, Options};

fn main() {
    let threads: usize = std::env::args().nth(1).map_or(2, |a| a.parse().unwrap());
    let repeat: usize = std::env::args().nth(2).map_or(5, |a| a.parse().unwrap());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/scenes");
    for (name, a, b) in
        [("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply"), ("armadillo-rollers", "326.ply", "327.ply")]
    {
        let from = firsttouch_io::read_mesh(&root.join(name).join(a)).unwrap();
        let to = firsttouch_io::read_mesh(&root.join(name).join(b)).unwrap();
        for (dop, h) in [
            (Dop::Eight, 3),
            (Dop::Six, 3),
            (Dop::Eighteen, 3),
            (Dop::TwentyFour, 3),
            (Dop::TwentySix, 3),
            (Dop::Eight, 0),
            (Dop::Eight, 1),
            (Dop::Eight, 6),
        ] {
            let settings = Settings { threads, dop, switch_height: h, ..Settings::default() };
            let (mut build, mut first, mut all, mut rep) = (f64::MAX, f64::MAX, f64::MAX, f64::MAX);
            let mut line = String::new();
            for _ in 0..repeat {
                let (p, q, t) = (from.positions.clone(), to.positions.clone(), from.triangles.clone());
                let s = Instant::now();
                let mesh = Deformable::with_settings(p, q, t, vec![], vec![], settings).unwrap();
                build = build.min(s.elapsed().as_secs_f64());
                let s = Instant::now();
                let options = Options { threads, ..Options::default() };
                let f = mesh.check(&options, Start::Ignore).unwrap();
                first = first.min(s.elapsed().as_secs_f64());
                let s = Instant::now();
                let g = mesh.check(&Options { mode: Mode::All, ..options }, Start::Ignore).unwrap();
                all = all.min(s.elapsed().as_secs_f64());
                let s = Instant::now();
                let r = mesh.check(&options, Start::Report).unwrap();
                rep = rep.min(s.elapsed().as_secs_f64());
                line = format!(
                    "toi {:.15e} {:?}\n   all {} {} {:?} crossings {:?} bytes/tri {:.0}",
                    f.answer.free_until(1.0),
                    f.stats,
                    g.vertex_face_touches(),
                    g.edge_edge_touches(),
                    g.stats,
                    r.crossings_at_start,
                    mesh.bytes() as f64 / from.triangles.len() as f64
                );
            }
            println!(
                "{name} {dop:?} {h} build {:.1} first {:.1} all {:.1} report {:.1} ms\n   {line}",
                build * 1e3,
                first * 1e3,
                all * 1e3,
                rep * 1e3
            );
        }
    }
}
