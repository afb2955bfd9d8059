//! The keys of a scene file, one field each. Serde fills them in before anything is checked.
//!
//! Every table refuses unknown keys. `Spanned` keeps the place of a value, for messages.

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawScene {
    pub(super) tolerance: Option<Spanned<f64>>,
    pub(super) min_separation: Option<Spanned<f64>>,
    pub(super) t_max: Option<Spanned<f64>>,
    pub(super) duration: Option<Spanned<f64>>,
    pub(super) start: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) allow: Vec<Spanned<Pair>>,
    #[serde(default)]
    pub(super) pair: Vec<Spanned<RawPairOptions>>,
    #[serde(default)]
    pub(super) body: Vec<Spanned<RawBody>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawPairOptions {
    pub(super) bodies: Pair,
    pub(super) min_separation: Option<f64>,
    pub(super) method: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawBody {
    pub(super) name: Option<Spanned<String>>,
    pub(super) shape: Option<Spanned<RawShape>>,
    pub(super) deformable: Option<Spanned<RawDeformable>>,
    pub(super) robot: Option<Spanned<RawRobot>>,
    pub(super) pose: Option<Spanned<RawPose>>,
    /// Boxed, because it is by far the largest field and most bodies have none.
    pub(super) motion: Option<Spanned<Box<RawMotion>>>,
    pub(super) parent: Option<Spanned<String>>,
    pub(super) attach: Option<Spanned<RawAttach>>,
    pub(super) from: Option<BTreeMap<String, Spanned<f64>>>,
    pub(super) to: Option<BTreeMap<String, Spanned<f64>>>,
    pub(super) path: Option<Spanned<String>>,
    pub(super) interpolation: Option<Spanned<String>>,
    pub(super) adaptive: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { box = [1, 1, 1] }")]
pub(super) struct RawShape {
    pub(super) r#box: Option<Fixed<3>>,
    pub(super) sphere: Option<RawSphere>,
    pub(super) capsule: Option<RawRound>,
    pub(super) cylinder: Option<RawRound>,
    pub(super) ellipsoid: Option<Fixed<3>>,
    pub(super) mesh: Option<String>,
    pub(super) hull: Option<String>,
    pub(super) scale: Option<RawScale>,
    pub(super) solid: Option<bool>,
    pub(super) compound: Option<Vec<RawPlaced>>,
    pub(super) points: Option<String>,
    pub(super) radius: Option<f64>,
    pub(super) octree: Option<String>,
    pub(super) height_field: Option<RawHeightField>,
    pub(super) half_space: Option<RawHalfSpace>,
    pub(super) cone: Option<RawRound>,
    pub(super) ellipsoids: Option<Vec<RawPlacedEllipsoid>>,
    pub(super) cover: Option<u32>,
}

/// One of several ellipsoids of a body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawPlacedEllipsoid {
    pub(super) semi_axes: Fixed<3>,
    pub(super) pose: Option<RawPose>,
}

/// A piece of a compound.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawPlaced {
    pub(super) shape: RawShape,
    pub(super) pose: Option<RawPose>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawHeightField {
    pub(super) file: String,
    pub(super) size: Fixed<3>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawHalfSpace {
    pub(super) normal: Fixed<3>,
    pub(super) offset: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { radius = 1 }")]
pub(super) struct RawSphere {
    pub(super) radius: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { radius = 1, length = 2 }")]
pub(super) struct RawRound {
    pub(super) radius: f64,
    pub(super) length: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawDeformable {
    pub(super) from: String,
    pub(super) to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawRobot {
    pub(super) urdf: Option<String>,
    pub(super) mjcf: Option<String>,
    pub(super) srdf: Option<String>,
    pub(super) cover: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { xyz = [0, 0, 0] }")]
pub(super) struct RawPose {
    pub(super) xyz: Option<Fixed<3>>,
    pub(super) quat: Option<Fixed<4>>,
    pub(super) rpy: Option<Fixed<3>>,
    pub(super) rpy_deg: Option<Fixed<3>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawAttach {
    pub(super) robot: String,
    pub(super) link: String,
    pub(super) pose: Option<Spanned<RawPose>>,
    #[serde(default)]
    pub(super) touch_links: Vec<String>,
    pub(super) at: Option<u32>,
    pub(super) release: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { fixed = { xyz = [0, 0, 0] } }")]
pub(super) struct RawMotion {
    pub(super) fixed: Option<RawPose>,
    pub(super) linear: Option<RawEnds>,
    pub(super) screw: Option<RawEnds>,
    pub(super) contact_screw: Option<RawEnds>,
    pub(super) turn: Option<RawTurn>,
    pub(super) path: Option<Vec<Spanned<RawKey>>>,
    pub(super) spline: Option<Vec<Spanned<RawKey>>>,
    pub(super) rational: Option<RawRational>,
    pub(super) affine: Option<RawAffine>,
    pub(super) interpolant: Option<RawInterpolant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `from` and `to`")]
pub(super) struct RawEnds {
    pub(super) from: RawPose,
    pub(super) to: RawPose,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawInterpolant {
    pub(super) from: RawPose,
    pub(super) to: RawPose,
    pub(super) semi_axes: Option<Fixed<3>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawTurn {
    pub(super) axis: Fixed<3>,
    pub(super) point: Option<Fixed<3>>,
    pub(super) degrees: Option<f64>,
    pub(super) radians: Option<f64>,
}

/// An entry of a `path` or a `spline`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawKey {
    pub(super) t: f64,
    pub(super) xyz: Option<Fixed<3>>,
    pub(super) quat: Option<Fixed<4>>,
    pub(super) rpy: Option<Fixed<3>>,
    pub(super) rpy_deg: Option<Fixed<3>>,
    pub(super) by: Option<RawBy>,
}

/// A word, or a table for a turn.
pub(super) enum RawBy {
    Linear,
    Screw,
    Hold,
    Turn(RawTurn),
}

impl<'de> Deserialize<'de> for RawBy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrTurn;

        impl<'de> Visitor<'de> for WordOrTurn {
            type Value = RawBy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"linear\", \"screw\", \"hold\" or { turn = { .. } }")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<RawBy, E> {
                match word {
                    "linear" => Ok(RawBy::Linear),
                    "screw" => Ok(RawBy::Screw),
                    "hold" => Ok(RawBy::Hold),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawBy, A::Error> {
                match map.next_key::<String>()?.as_deref() {
                    Some("turn") => {}
                    Some(other) => return Err(A::Error::unknown_field(other, &["turn"])),
                    None => return Err(A::Error::missing_field("turn")),
                }
                let turn = map.next_value()?;
                match map.next_key::<String>()? {
                    None => Ok(RawBy::Turn(turn)),
                    Some(other) => Err(A::Error::unknown_field(&other, &["turn"])),
                }
            }
        }

        deserializer.deserialize_any(WordOrTurn)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawRational {
    pub(super) quat: Option<Vec<Fixed<4>>>,
    pub(super) xyz: Option<Vec<Fixed<3>>>,
    pub(super) weight: Option<Vec<f64>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RawAffine {
    pub(super) linear: Option<Vec<Fixed<9>>>,
    pub(super) xyz: Option<Vec<Fixed<3>>>,
    pub(super) weight: Option<Vec<f64>>,
}

/// Exactly N numbers. (An array read through serde may leave further numbers unread; this one does not.)
pub(super) struct Fixed<const N: usize>(pub(super) [f64; N]);

impl<'de, const N: usize> Deserialize<'de> for Fixed<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers<const N: usize>;

        impl<'de, const N: usize> Visitor<'de> for Numbers<N> {
            type Value = Fixed<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Fixed<N>, A::Error> {
                let (mut numbers, mut count) = ([0.0; N], 0);
                while let Some(number) = seq.next_element()? {
                    if let Some(place) = numbers.get_mut(count) {
                        *place = number;
                    }
                    count += 1;
                }
                if count == N { Ok(Fixed(numbers)) } else { Err(wrong_count(N, count)) }
            }
        }

        deserializer.deserialize_seq(Numbers)
    }
}

fn wrong_count<E: Error>(expected: usize, found: usize) -> E {
    E::custom(format_args!("expected {expected} numbers, found {found}"))
}

fn exactly<const N: usize, E: Error>(numbers: Vec<f64>) -> Result<[f64; N], E> {
    let count = numbers.len();
    numbers.try_into().map_err(|_| wrong_count(N, count))
}

/// Two names.
pub(super) struct Pair(pub(super) [String; 2]);

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        let count = names.len();
        names
            .try_into()
            .map(Pair)
            .map_err(|_| D::Error::custom(format_args!("expected 2 names, found {count}")))
    }
}

/// One number for all axes, or one for each.
pub(super) struct RawScale(pub(super) [f64; 3]);

impl<'de> Deserialize<'de> for RawScale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrThree;

        impl<'de> Visitor<'de> for OneOrThree {
            type Value = RawScale;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or 3 numbers")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<RawScale, E> {
                Ok(RawScale([value; 3]))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<RawScale, E> {
                Ok(RawScale([value as f64; 3]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RawScale, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = seq.next_element()? {
                    numbers.push(number);
                }
                exactly(numbers).map(RawScale)
            }
        }

        deserializer.deserialize_any(OneOrThree)
    }
}
