//! From a scene file to a scene: the words of the file become checked shapes and motions.
//!
//! Reading ([`read_scene`](crate::read_scene)) says what the file says; here meshes are loaded and whatever no engine
//! handles yet is refused by name. Every error stands at the line of its body in the scene file:
//! `pile.toml:12: body "bunny": bunny.obj: No such file or directory`.

use std::path::Path;

use firsttouch::motion::{Motion, Rational};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use firsttouch::{Body, Options, Scene};
use glam::DVec3;

use crate::error::{Place, Problem, Result, malformed};
use crate::mesh::read_mesh;
use crate::scene::{BodyFile, BodyKind, MotionFile, Pose, SceneFile, ShapeFile};

/// Builds the scene, reading the mesh files that it names; `path` is the scene file, for messages.
///
/// ```
/// let text = "[[body]]\nname = \"cup\"\nshape = { cylinder = { radius = 1, length = 2 } }\npose = { xyz = [0, 0, 5] }\n";
/// let scene = firsttouch_io::build_scene(&firsttouch_io::parse_scene(text, "cup.toml")?, "cup.toml")?;
/// assert_eq!(scene.bodies()[0].shape().kind(), "cylinder");
///
/// let text = "[[body]]\nname = \"arm\"\nrobot = { urdf = \"arm.urdf\" }\n";
/// let error = firsttouch_io::build_scene(&firsttouch_io::parse_scene(text, "arm.toml")?, "arm.toml").unwrap_err();
/// assert!(error.to_string().starts_with("arm.toml:2: not supported: body \"arm\": robots"));
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn build_scene(file: &SceneFile, path: impl AsRef<Path>) -> Result<Scene> {
    let path = path.as_ref();
    let mut scene = Scene::default();
    for body in &file.bodies {
        let added = rigid(body).and_then(|rigid| scene.add(rigid).map(drop).map_err(|e| refused(body, &e)));
        added.map_err(|problem| problem.at(Place::Line(body.line)).in_file(path))?;
    }
    for [a, b] in &file.allow {
        let problem = |error| malformed(format!("allow: {error}")).at(Place::File).in_file(path);
        scene.allow(a, b).map_err(problem)?;
    }
    Ok(scene)
}

impl SceneFile {
    /// The options that the file sets; the others have their defaults.
    ///
    /// ```
    /// let file = firsttouch_io::parse_scene("tolerance = 1e-3\n", "empty.toml")?;
    /// assert_eq!((file.options().tolerance, file.options().t_max), (1e-3, 1.0));
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn options(&self) -> Options {
        let default = Options::default();
        Options {
            tolerance: self.tolerance.unwrap_or(default.tolerance),
            min_separation: self.min_separation.unwrap_or(default.min_separation),
            t_max: self.t_max.unwrap_or(default.t_max),
            ..default
        }
    }
}

fn rigid(body: &BodyFile) -> Result<Body, Problem> {
    match &body.kind {
        BodyKind::Rigid { shape, motion } => {
            Ok(Body::new(&body.name, build_shape(body, shape)?, build_motion(body, motion)?))
        }
        BodyKind::Attached { .. } => {
            Err(unsupported(body, "bodies attached to a robot do not work in scenes yet"))
        }
        BodyKind::Deformable { .. } => Err(unsupported(
            body,
            "deformable meshes do not work in scenes yet; `firsttouch deform` checks two frames of one",
        )),
        BodyKind::Robot { .. } => {
            Err(unsupported(body, "robots do not work in scenes yet; `firsttouch path` checks their paths"))
        }
    }
}

fn build_shape(body: &BodyFile, shape: &ShapeFile) -> Result<Shape, Problem> {
    let checked = match shape {
        ShapeFile::Hull { path, scale } => {
            let (points, _) = read_scaled(body, path, *scale)?;
            Hull::new(&points).map(Shape::from)
        }
        ShapeFile::Mesh { path, scale } => {
            let (vertices, triangles) = read_scaled(body, path, *scale)?;
            Mesh::new(vertices, triangles).map(Shape::from)
        }
        ShapeFile::Box { .. }
        | ShapeFile::Sphere { .. }
        | ShapeFile::Capsule { .. }
        | ShapeFile::Cylinder { .. }
        | ShapeFile::Ellipsoid { .. } => primitive(shape),
    };
    checked.map_err(|error| refused(body, &error))
}

/// A shape that needs no file.
pub(crate) fn primitive(shape: &ShapeFile) -> firsttouch::Result<Shape> {
    Ok(match shape {
        ShapeFile::Box { sides } => Cuboid::new(*sides)?.into(),
        ShapeFile::Sphere { radius } => Sphere::new(*radius)?.into(),
        ShapeFile::Capsule { radius, length } => Capsule::new(*radius, *length)?.into(),
        ShapeFile::Cylinder { radius, length } => Cylinder::new(*radius, *length)?.into(),
        ShapeFile::Ellipsoid { semi_axes } => Ellipsoid::new(*semi_axes)?.into(),
        ShapeFile::Hull { .. } | ShapeFile::Mesh { .. } => {
            return Err(firsttouch::Error::Unsupported { what: "a mesh file in this place".into() });
        }
    })
}

/// The vertices of a mesh file, scaled, and its triangles.
fn read_scaled(body: &BodyFile, path: &Path, scale: DVec3) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), Problem> {
    let mesh = read_mesh(path).map_err(|e| malformed(format!("body \"{}\": {e}", body.name)))?;
    Ok((mesh.positions.iter().map(|&point| point * scale).collect(), mesh.triangles))
}

fn build_motion(body: &BodyFile, motion: &MotionFile) -> Result<Motion, Problem> {
    let pose = |pose: &Pose| {
        firsttouch::motion::Pose::new(pose.xyz, pose.quat).map_err(|error| refused(body, &error))
    };
    match motion {
        MotionFile::Fixed(at) => Ok(Motion::fixed(pose(at)?)),
        MotionFile::Linear { from, to } => Ok(Motion::linear(pose(from)?, pose(to)?)),
        MotionFile::Screw { from, to } => Ok(Motion::screw(pose(from)?, pose(to)?)),
        MotionFile::ContactScrew { from, to } => Ok(Motion::contact_screw(pose(from)?, pose(to)?)),
        MotionFile::Rational { quat, xyz, weight } => {
            let xyz: Vec<[f64; 3]> = xyz.iter().map(|v| v.to_array()).collect();
            Rational::from_power_basis(quat, &xyz, weight)
                .map(Motion::from)
                .map_err(|error| refused(body, &error))
        }
        MotionFile::Affine { .. } => Err(unsupported(body, "the motion `affine` does not work yet")),
    }
}

fn unsupported(body: &BodyFile, what: &str) -> Problem {
    Problem::Unsupported(format!("body \"{}\": {what}", body.name))
}

fn refused(body: &BodyFile, error: &firsttouch::Error) -> Problem {
    malformed(format!("body \"{}\": {error}", body.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::parse_scene;

    fn error_of(body: &str) -> String {
        let text = format!("[[body]]\nname = \"odd\"\n{body}\n");
        build_scene(&parse_scene(&text, "s.toml").unwrap(), "s.toml").unwrap_err().to_string()
    }

    #[test]
    fn every_solid_and_motion() {
        let ends = "{ from = { xyz = [0, 0, 0] }, to = { xyz = [1, 0, 0], rpy = [0, 0, 1] } }";
        let body = |name: &str, shape: &str, motion: &str| {
            format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\nmotion = {{ {motion} }}\n")
        };
        let text = [
            "allow = [[\"box\", \"ball\"]]\nt_max = 0.5\n".to_string(),
            body("box", "box = [1, 2, 3]", &format!("linear = {ends}")),
            body("ball", "sphere = { radius = 1 }", &format!("screw = {ends}")),
            body("pill", "capsule = { radius = 1, length = 2 }", "fixed = { xyz = [1, 2, 3] }"),
            body("egg", "ellipsoid = [1, 2, 3]", "fixed = {}"),
            body("hull", "hull = \"octahedron.obj\", scale = 2", "fixed = {}"),
            body("mesh", "mesh = \"octahedron.obj\", scale = [1, 2, 3]", "fixed = { xyz = [0, 0, 9] }"),
        ]
        .concat();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes/all.toml");
        let file = parse_scene(&text, path).unwrap();
        let scene = build_scene(&file, path).unwrap();
        let kinds: Vec<_> = scene.bodies().iter().map(|b| (b.shape().kind(), b.motion().kind())).collect();
        assert_eq!(
            kinds,
            [
                ("box", "linear"),
                ("sphere", "screw"),
                ("capsule", "fixed"),
                ("ellipsoid", "fixed"),
                ("hull", "fixed"),
                ("mesh", "fixed")
            ]
        );
        assert_eq!(scene.check(&file.options()).unwrap().stats.allowed, 1);
        assert_eq!(file.options().t_max, 0.5);
    }

    #[test]
    fn what_does_not_work_is_refused_by_name() {
        for (body, what) in [
            ("deformable = { from = \"a.ply\", to = \"b.ply\" }".to_string(), "deformable meshes"),
            ("robot = { urdf = \"r.urdf\" }".into(), "robots"),
            ("shape = { ellipsoid = [1, 1, 1] }\nmotion = { affine = {} }".into(), "affine"),
        ] {
            let error = error_of(&body);
            assert!(error.starts_with("s.toml:2: not supported: body \"odd\": "), "{error}");
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn errors_name_the_body_and_both_files() {
        let error = error_of("shape = { hull = \"nowhere.obj\" }");
        assert!(error.starts_with("s.toml:2: body \"odd\": nowhere.obj: "), "{error}");
        let error = error_of("shape = { box = [1, 1e200, 1] }");
        assert!(error.starts_with("s.toml:2: body \"odd\": box side y must be"), "{error}");
    }
}
