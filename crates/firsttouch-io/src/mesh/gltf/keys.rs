//! The keys of glTF 2.0, and a walk over a file that notices all others.
//!
//! The reader's structures have one field for each key that they need. This walk sees all other keys: those that affect
//! shapes or motion and are not read, extensions, and misspelt keys. It keeps nothing of the file in memory.

use crate::error::{Fault, Place, malformed};
use crate::parts::Treatment::{Ignored, Read, Refused, Warned};
use crate::parts::{Doubts, Parts};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::cell::RefCell;
use std::fmt;

/// The keys that every object may have.
const EVERY_OBJECT: Parts = Parts {
    within: "every object",
    kind: "key",
    list: &[(&["extensions"], Read), (&["extras", "name"], Ignored)],
};

/// Extensions that change no shape where the file does not require them.
pub(super) const EXTENSIONS: Parts = Parts {
    within: "`extensions`",
    kind: "extension",
    list: &[
        (
            &[
                "KHR_materials_*",
                "KHR_texture_*",
                "EXT_texture_*",
                "MSFT_texture_*",
                "KHR_lights_*",
                "EXT_lights_*",
                "KHR_xmp*",
                "EXT_mesh_features",
                "EXT_instance_features",
                "EXT_structural_metadata",
                "FB_ngon_encoding",
                "MSFT_lod",
            ],
            Ignored,
        ),
        // A file that does not require them has the same data uncompressed.
        (&["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"], Ignored),
        (
            &["KHR_node_visibility"],
            Warned("hidden nodes are read like all others; remove them from the file to leave them out"),
        ),
        (
            &["EXT_mesh_gpu_instancing"],
            Refused("its copies are not read; export them as nodes, one for each copy"),
        ),
    ],
};

/// The keys of the objects. An object in a key of that name, or in a list there, has the keys of the table.
pub(crate) const TABLES: [Parts; 16] = [
    Parts {
        within: "the file",
        kind: "key",
        list: &[
            (
                &[
                    "accessors",
                    "asset",
                    "bufferViews",
                    "buffers",
                    "extensionsRequired",
                    "meshes",
                    "nodes",
                    "scene",
                    "scenes",
                ],
                Read,
            ),
            (&["cameras", "extensionsUsed", "images", "materials", "samplers", "skins", "textures"], Ignored),
            (
                &["animations"],
                Warned(
                    "an animation moves parts of the file, and is not read: the file's rest pose is taken; give the body a `motion`, or \
                     export two frames for a `deformable`",
                ),
            ),
        ],
    },
    EVERY_OBJECT,
    EXTENSIONS,
    Parts {
        within: "`asset`",
        kind: "key",
        list: &[(&["minVersion", "version"], Read), (&["copyright", "generator"], Ignored)],
    },
    Parts { within: "`scenes`", kind: "key", list: &[(&["nodes"], Read)] },
    Parts {
        within: "`nodes`",
        kind: "key",
        list: &[
            (&["children", "matrix", "mesh", "rotation", "scale", "skin", "translation", "weights"], Read),
            (&["camera"], Ignored),
        ],
    },
    Parts { within: "`meshes`", kind: "key", list: &[(&["primitives", "weights"], Read)] },
    Parts {
        within: "`primitives`",
        kind: "key",
        list: &[(&["attributes", "indices", "mode", "targets"], Read), (&["material"], Ignored)],
    },
    Parts {
        within: "`attributes`",
        kind: "attribute",
        list: &[
            (&["POSITION"], Read),
            (&["NORMAL", "TANGENT", "TEXCOORD_*", "COLOR_*", "JOINTS_*", "WEIGHTS_*", "_*"], Ignored),
        ],
    },
    Parts {
        within: "`targets`",
        kind: "attribute",
        list: &[(&["POSITION"], Read), (&["NORMAL", "TANGENT", "TEXCOORD_*", "COLOR_*", "_*"], Ignored)],
    },
    Parts {
        within: "`accessors`",
        kind: "key",
        list: &[
            (&["bufferView", "byteOffset", "componentType", "count", "sparse", "type"], Read),
            (&["max", "min", "normalized"], Ignored),
        ],
    },
    Parts { within: "`sparse`", kind: "key", list: &[(&["count", "indices", "values"], Read)] },
    Parts {
        within: "`indices`",
        kind: "key",
        list: &[(&["bufferView", "byteOffset", "componentType"], Read)],
    },
    Parts { within: "`values`", kind: "key", list: &[(&["bufferView", "byteOffset"], Read)] },
    Parts {
        within: "`bufferViews`",
        kind: "key",
        list: &[(&["buffer", "byteLength", "byteOffset", "byteStride"], Read), (&["target"], Ignored)],
    },
    Parts { within: "`buffers`", kind: "key", list: &[(&["byteLength", "uri"], Read)] },
];

/// Returns the table of the objects under a key.
fn table_of(key: &str) -> Option<&'static Parts> {
    static ALL: [Parts; 16] = TABLES;
    ALL.iter()
        .find(|table| table.within.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) == Some(key))
}

/// Warns about the keys of a file that are not read, and refuses those that must not be left out. The text must be
/// valid JSON.
pub(super) fn check(json: &[u8], doubts: &Doubts<'_>) -> Result<(), Fault> {
    let refused = RefCell::default();
    static ROOT: Parts = TABLES[0];
    let walk = Walk { doubts, refused: &refused, table: Some(&ROOT), path: &Path::Root };
    let mut json = serde_json::Deserializer::from_slice(json);
    match (walk.deserialize(&mut json), refused.take()) {
        (_, Some(fault)) => Err(fault),
        (Err(error), None) => {
            Err(malformed(format!("glTF JSON: {error}")).at(Place::Line(error.line().max(1))))
        }
        (Ok(()), None) => Ok(()),
    }
}

/// The place of the walk. It becomes text only for a message.
enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Entry(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => f.write_str(key),
            Path::Key(parent, key) => write!(f, "{parent}.{key}"),
            Path::Entry(parent, entry) => write!(f, "{parent}[{entry}]"),
        }
    }
}

/// A value of the file.
struct Walk<'w> {
    doubts: &'w Doubts<'w>,
    refused: &'w RefCell<Option<Fault>>,
    table: Option<&'static Parts>,
    path: &'w Path<'w>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.table {
            Some(_) => deserializer.deserialize_any(self),
            None => deserializer.deserialize_ignored_any(IgnoredAny).map(drop),
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some(table) = self.table else { return Ok(()) };
        while let Some(key) = map.next_key::<String>()? {
            let path = Path::Key(self.path, &key);
            let place = || Place::Item(path.to_string());
            // The names in `extensions` are those of extensions.
            let is_common = table.within != EXTENSIONS.within && EVERY_OBJECT.treatment(&key).is_some();
            let parts = if is_common { &EVERY_OBJECT } else { table };
            let is_read = self.doubts.meet(parts, &key, place).map_err(|fault| {
                *self.refused.borrow_mut() = Some(fault);
                A::Error::custom("refused")
            })?;
            let table = if is_read { table_of(&key) } else { None };
            map.next_value_seed(Walk { table, path: &path, ..self })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        for entry in 0.. {
            let path = Path::Entry(self.path, entry);
            if list.next_element_seed(Walk { path: &path, ..self })?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
