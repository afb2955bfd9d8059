//! The shared scenes of two bunnies, both moving and turning, and their reference answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Mesh;
use firsttouch_io::{BodyKind, MotionFile, ShapeFile};

/// A scene of two meshes, each in a linear motion.
#[derive(Debug)]
pub struct BunnyScene {
    /// The name of its file, without the extension.
    pub name: String,
    /// The entry of [`Bunnies::meshes`] for each body.
    pub meshes: [usize; 2],
    /// The motion of each body.
    pub motions: [Motion; 2],
    /// Its reference answer.
    pub truth: Option<Truth>,
}

/// The reference answer of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// The two never touch.
    Free,
    /// The first contact is between these times.
    Touch {
        /// They are free up to this time.
        lower: f64,
        /// They overlap at this time.
        upper: f64,
    },
}

/// All scenes of the folder, in the order of their names, over the meshes that they share.
#[derive(Debug, Default)]
pub struct Bunnies {
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The scenes.
    pub scenes: Vec<BunnyScene>,
}

impl Bunnies {
    /// Reads `rigid/*.toml` and `truth/rigid/*.json` below a folder. Returns `None` if the folder does not exist.
    pub fn read(data: &Path) -> Result<Bunnies, Box<dyn std::error::Error>> {
        let mut bunnies = Bunnies::default();
        let Ok(entries) = std::fs::read_dir(data.join("rigid")) else { return Ok(bunnies) };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
        files.sort();
        let mut known = HashMap::new();
        for file in files {
            let bodies = firsttouch_io::read_scene(&file)?.bodies;
            let mut sides = Vec::new();
            for body in bodies {
                let BodyKind::Rigid {
                    shape: ShapeFile::Mesh { path, .. },
                    motion: MotionFile::Linear { from, to },
                } = body.kind
                else {
                    return Err(format!("{}: not a mesh in linear motion", file.display()).into());
                };
                let index = match known.get(&path) {
                    Some(&index) => index,
                    None => {
                        let data = firsttouch_io::read_mesh(&path)?;
                        bunnies.meshes.push(Mesh::new(data.positions, data.triangles)?);
                        known.insert(path, bunnies.meshes.len() - 1);
                        bunnies.meshes.len() - 1
                    }
                };
                let pose = |pose: firsttouch_io::Pose| Pose::new(pose.xyz, pose.quat);
                sides.push((index, Motion::linear(pose(from)?, pose(to)?)));
            }
            let [a, b] = <[_; 2]>::try_from(sides).map_err(|_| "a scene has two bunnies")?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let truth = std::fs::read_to_string(data.join("truth/rigid").join(format!("{name}.json")))
                .ok()
                .and_then(|text| truth(&text));
            bunnies.scenes.push(BunnyScene { name, meshes: [a.0, b.0], motions: [a.1, b.1], truth });
        }
        Ok(bunnies)
    }
}

fn truth(text: &str) -> Option<Truth> {
    let field = |name: &str| {
        let after = text.split_once(&format!("\"{name}\":"))?.1;
        Some(after.split([',', '\n', '}']).next()?.trim().trim_matches('"'))
    };
    match field("answer")? {
        "free" => Some(Truth::Free),
        "touch" => Some(Truth::Touch {
            lower: field("toi_lower")?.parse().ok()?,
            upper: field("toi_upper")?.parse().ok()?,
        }),
        _ => None,
    }
}
