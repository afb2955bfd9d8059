//! The JSON Schema of scene files, for editors.

/// Returns a JSON Schema (draft 2020-12) of scene files, in JSON or TOML. Editors complete and check keys with it. It
/// describes which keys go where and of what type they are; [`parse_scene`](crate::parse_scene) checks more, and its
/// errors have lines.
///
/// ```
/// assert!(firsttouch_io::scene_schema().contains("\"$schema\""));
/// ```
pub fn scene_schema() -> &'static str {
    include_str!("schema.json")
}
