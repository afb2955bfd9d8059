//! The shapes of a scene file.

use super::Checker;
use crate::error::{Fault, Problem, Result, malformed};
use crate::scene::raw::{Fixed, RawHalfSpace, RawHeightField, RawPlaced, RawPlacedEllipsoid, RawShape};
use crate::scene::values::{number, out_of_range, pose, positive};
use crate::scene::{Pose, ShapeFile};
use glam::DVec3;
use toml::Spanned;

impl Checker<'_> {
    pub(super) fn shape(&self, raw: Spanned<RawShape>) -> Result<ShapeFile, Fault> {
        let place = self.at(&raw);
        self.shape_of(raw.into_inner()).map_err(|problem| problem.at(place))
    }

    fn shape_of(&self, mut raw: RawShape) -> Result<ShapeFile, Problem> {
        if let Some(most) = raw.cover.take() {
            if most == 0 {
                return Err(out_of_range("cover", "at least 1", 0.0));
            }
            return Ok(ShapeFile::Cover { shape: Box::new(self.shape_of(raw)?), most: most as usize });
        }
        let RawShape { r#box, sphere, capsule, cylinder, ellipsoid, mesh, hull, scale, .. } = raw;
        let RawShape {
            solid,
            compound,
            points,
            radius,
            octree,
            height_field,
            half_space,
            cone,
            ellipsoids,
            ..
        } = raw;
        let given = [
            r#box.is_some(),
            sphere.is_some(),
            capsule.is_some(),
            cylinder.is_some(),
            cone.is_some(),
            ellipsoid.is_some(),
            half_space.is_some(),
            mesh.is_some(),
            hull.is_some(),
            compound.is_some(),
            points.is_some(),
            octree.is_some(),
            height_field.is_some(),
            ellipsoids.is_some(),
        ];
        if given.iter().filter(|&&given| given).count() != 1 {
            let list = "box, sphere, capsule, cylinder, cone, ellipsoid, half_space, mesh, hull, compound, ellipsoids, points, octree \
                        or height_field";
            return Err(malformed(format!("a shape is exactly one of {list}")));
        }
        if scale.is_some() && mesh.is_none() && hull.is_none() && points.is_none() {
            return Err(malformed("scale goes with mesh, hull or points only"));
        }
        if solid.is_some() && mesh.is_none() {
            return Err(malformed("solid goes with mesh only"));
        }
        if radius.is_some() && points.is_none() {
            return Err(malformed("radius goes with points only"));
        }
        let scale = DVec3::from_array(scale.map_or([1.0; 3], |s| s.0));
        for value in scale.to_array() {
            if number("scale", value)? == 0.0 {
                return Err(out_of_range("scale", "other than zero", value));
            }
        }
        let three = |what: &str, Fixed(values): Fixed<3>| -> Result<DVec3, Problem> {
            values.iter().try_for_each(|&x| positive(what, x).map(drop))?;
            Ok(DVec3::from_array(values))
        };
        if let Some(sides) = r#box {
            return Ok(ShapeFile::Box { sides: three("box side", sides)? });
        }
        if let Some(axes) = ellipsoid {
            return Ok(ShapeFile::Ellipsoid { semi_axes: three("ellipsoid semi-axis", axes)? });
        }
        if let Some(sphere) = sphere {
            return Ok(ShapeFile::Sphere { radius: positive("sphere radius", sphere.radius)? });
        }
        if let Some(round) = capsule {
            let radius = positive("capsule radius", round.radius)?;
            return Ok(ShapeFile::Capsule { radius, length: positive("capsule length", round.length)? });
        }
        if let Some(round) = cylinder {
            let radius = positive("cylinder radius", round.radius)?;
            return Ok(ShapeFile::Cylinder { radius, length: positive("cylinder length", round.length)? });
        }
        if let Some(round) = cone {
            let radius = positive("cone radius", round.radius)?;
            return Ok(ShapeFile::Cone { radius, length: positive("cone length", round.length)? });
        }
        if let Some(RawHalfSpace { normal: Fixed(normal), offset }) = half_space {
            normal.iter().try_for_each(|&x| number("normal", x).map(drop))?;
            let normal = DVec3::from_array(normal);
            if normal == DVec3::ZERO {
                return Err(malformed("normal is zero, which is no direction"));
            }
            return Ok(ShapeFile::HalfSpace { normal, offset: number("offset", offset.unwrap_or(0.0))? });
        }
        if let Some(pieces) = ellipsoids {
            if pieces.is_empty() {
                return Err(malformed("ellipsoids has no pieces"));
            }
            let piece = |raw: RawPlacedEllipsoid| {
                let semi_axes = three("ellipsoid semi-axis", raw.semi_axes)?;
                Ok((ShapeFile::Ellipsoid { semi_axes }, raw.pose.map_or(Ok(Pose::IDENTITY), pose)?))
            };
            let pieces = pieces.into_iter().map(piece).collect::<Result<_, Problem>>()?;
            return Ok(ShapeFile::Compound { pieces });
        }
        if let Some(pieces) = compound {
            if pieces.is_empty() {
                return Err(malformed("a compound has no pieces"));
            }
            let piece =
                |raw: RawPlaced| Ok((self.shape_of(raw.shape)?, raw.pose.map_or(Ok(Pose::IDENTITY), pose)?));
            let pieces = pieces.into_iter().map(piece).collect::<Result<_, Problem>>()?;
            return Ok(ShapeFile::Compound { pieces });
        }
        if let Some(path) = points {
            let radius = radius.ok_or_else(|| malformed("points need a radius"))?;
            let radius = positive("radius", radius)?;
            return Ok(ShapeFile::Points { path: self.file(path, "points")?, radius, scale });
        }
        if let Some(path) = octree {
            return Ok(ShapeFile::Octree { path: self.file(path, "octree")? });
        }
        if let Some(RawHeightField { file, size }) = height_field {
            let size = three("height_field size", size)?;
            return Ok(ShapeFile::HeightField { path: self.file(file, "height_field file")?, size });
        }
        match (mesh, hull) {
            (Some(path), _) => {
                let path = self.file(path, "mesh")?;
                let is_solid = solid == Some(true);
                Ok(if is_solid {
                    ShapeFile::SolidMesh { path, scale }
                } else {
                    ShapeFile::Mesh { path, scale }
                })
            }
            (None, path) => Ok(ShapeFile::Hull { path: self.file(path.unwrap_or_default(), "hull")?, scale }),
        }
    }
}
