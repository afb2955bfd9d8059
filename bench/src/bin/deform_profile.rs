//! temp
use firsttouch::deformable::*;
use firsttouch::{Mode, Options};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let root = std::path::Path::new("/work/shared/data/scenes");
    let (n, f, t) = if a[1] == "c" {
        ("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply")
    } else {
        ("armadillo-rollers", "326.ply", "327.ply")
    };
    let from = firsttouch_io::read_mesh(&root.join(n).join(f)).unwrap();
    let to = firsttouch_io::read_mesh(&root.join(n).join(t)).unwrap();
    let mode = match a[2].as_str() {
        "first" => Mode::First,
        "any" => Mode::Any,
        _ => Mode::All,
    };
    let threads = a[3].parse().unwrap();
    let repeat: usize = a[4].parse().unwrap();
    let dop = match a.get(5).map(|s| s.as_str()) {
        Some("24") => Dop::TwentyFour,
        Some("6") => Dop::Six,
        Some("18") => Dop::Eighteen,
        _ => Dop::Eight,
    };
    let h = a.get(6).map_or(3, |s| s.parse().unwrap());
    let (mut b, mut q) = (f64::MAX, f64::MAX);
    let mut st = DeformStats::default();
    for _ in 0..repeat {
        let (p0, p1, tr) = (from.positions.clone(), to.positions.clone(), from.triangles.clone());
        let s = Instant::now();
        let mesh = Deformable::with_settings(
            p0,
            p1,
            tr,
            vec![],
            vec![],
            Settings {
                threads,
                dop,
                switch_height: h,
                local_advancement: a.get(7).is_none(),
                ..Default::default()
            },
        )
        .unwrap();
        b = b.min(s.elapsed().as_secs_f64());
        let s = Instant::now();
        let r = mesh.check(&Options { mode, threads, ..Default::default() }, Start::Ignore).unwrap();
        q = q.min(s.elapsed().as_secs_f64());
        st = r.stats;
    }
    println!("build {:.1} query {:.1} ms {st:?}", b * 1e3, q * 1e3);
}
