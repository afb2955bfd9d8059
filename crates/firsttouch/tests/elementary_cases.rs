//! Vertex/face and edge/edge against cases whose answers are known: by hand, by symmetry, and from the public query sets.

use std::path::{Path, PathBuf};

use firsttouch::elementary::*;
use glam::{DVec3, dvec3};

/// The public query sets, where they are present: exact ground truth, and exact first contacts in the `.toi` files.
#[test]
fn public_query_sets_agree_with_their_ground_truth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/queries");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let (mut queries, mut max_early) = (0, 0.0f64);
    for file in files {
        let edges = file.to_string_lossy().contains("edge-edge");
        let tois = std::fs::read_to_string(file.with_extension("toi")).ok();
        let tois: Option<Vec<Option<f64>>> =
            tois.map(|text| text.lines().map(|line| line.trim().parse().ok()).collect());
        for (i, (t0, t1, truth)) in read(&file).into_iter().enumerate() {
            queries += 1;
            let params = Params::default();
            let outcome = if edges {
                edge_edge(&EdgeEdge::new(t0, t1).unwrap(), &params).outcome
            } else {
                vertex_face(&VertexFace::new(t0, t1).unwrap(), &params).outcome
            };
            let contact = match outcome {
                Outcome::Touch(contact) => Some(contact),
                Outcome::Free => None,
                Outcome::Undecided { .. } => panic!("{} query {i} undecided", file.display()),
            };
            assert_eq!(contact.is_some(), truth, "{} query {i}", file.display());
            if let Some(contact) = contact {
                assert!(contact.toi <= contact.toi_upper && contact.toi_upper - contact.toi <= 1e-15);
                assert!((contact.normal.length() - 1.0).abs() < 1e-12);
                if let Some(exact) = tois.as_ref().and_then(|t| t.get(i).copied().flatten()) {
                    assert!(
                        contact.toi <= exact,
                        "{} query {i} late: {} {exact}",
                        file.display(),
                        contact.toi
                    );
                    max_early = max_early.max(exact - contact.toi);
                }
            }
        }
    }
    assert!(max_early <= 1e-15, "{max_early}");
    println!("{queries} queries, at most {max_early:e} early");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "csv") {
            files.push(path);
        }
    }
}

type Query = ([DVec3; 4], [DVec3; 4], bool);

/// Eight rows of `xn,xd,yn,yd,zn,zd,truth` a query.
fn read(file: &Path) -> Vec<Query> {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<(DVec3, bool)> = text
        .lines()
        .map(|line| {
            // Numerators and power-of-two denominators are each exact as f64, and so is the quotient.
            let n: Vec<f64> = line.split(',').map(|field| field.trim().parse().unwrap()).collect();
            (dvec3(n[0] / n[1], n[2] / n[3], n[4] / n[5]), n[6] == 1.0)
        })
        .collect();
    rows.chunks_exact(8)
        .map(|r| {
            let p = |i: usize| r[i].0;
            ([p(0), p(1), p(2), p(3)], [p(4), p(5), p(6), p(7)], r[0].1)
        })
        .collect()
}
