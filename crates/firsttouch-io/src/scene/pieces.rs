//! Cuts the text of a scene file into pieces that can be read one after the other.
//!
//! A parsed document takes about fifty times the memory of its text, and filling that memory takes most of the time of
//! reading a large document. A piece begins at a line `[[body]]` and is a separate document, with some of the bodies.
//! Only the first piece has the part before all bodies.
//!
//! A document that is refused as a whole is not accepted in pieces. A line that begins with `[[body]]` is a header,
//! unless it is in a string of several lines; a text that may have such strings stays in one piece. Each piece has a
//! header `[[body]]`, so any other use of that key is noticed in its piece. A key that has another value cannot be a
//! table in a later piece.

/// Pieces have at least this many bytes, and end before the next body.
const LEAST: usize = 1 << 15;

const HEADER: &str = "[[body]]";

/// Returns the pieces of a text, each with its offset.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_whole = text.contains("\"\"\"") || text.contains("'''");
    let mut from = 0;
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let offset = from;
        // The first piece has a body as well.
        let first = header_from(text, from);
        let end = first.and_then(|first| header_from(text, at_least(text, (first + 1).max(from + LEAST))));
        match end {
            Some(end) if !is_whole => from = end,
            _ => {
                from = text.len();
                is_done = true;
            }
        }
        Some((offset, &text[offset..from]))
    })
}

/// Returns the first place from `from` on where a character begins.
fn at_least(text: &str, from: usize) -> usize {
    (from..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// Returns the place of the first header at the beginning of a line, at `from` or after it.
fn header_from(text: &str, from: usize) -> Option<usize> {
    let is_start = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    text[from..].match_indices(HEADER).map(|(at, _)| from + at).find(|&at| is_start(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_scene;

    /// Returns a text with enough bodies for several pieces.
    fn long_text() -> String {
        let body = |i: usize| format!("[[body]]\nname = \"é[[body]]{i}\" # [[body]]\nshape = {{}}\n");
        String::from("tolerance = 1\n") + &(0..2_000).map(body).collect::<String>()
    }

    #[test]
    fn pieces_begin_with_a_body_and_are_all_of_the_text() {
        let text = long_text();
        let found: Vec<(usize, &str)> = pieces(&text).collect();
        assert!(found.len() >= 3, "{}", found.len());
        assert_eq!(found.iter().map(|(_, piece)| *piece).collect::<String>(), text);
        assert!(found[1..].iter().all(|(_, piece)| piece.starts_with("[[body]]\nname")));
        assert!(found.iter().all(|&(offset, piece)| &text[offset..offset + piece.len()] == piece));
        assert!(
            found[..found.len() - 1].iter().all(|(_, piece)| (LEAST..LEAST + 100).contains(&piece.len()))
        );
    }

    #[test]
    fn strings_of_several_lines_are_not_cut() {
        for quotes in ["\"\"\"", "'''"] {
            let text = format!("{}[[body]]\nname = {quotes}\n{0}{quotes}\n", long_text());
            assert_eq!(pieces(&text).collect::<Vec<_>>(), [(0, &text[..])]);
        }
    }

    #[test]
    fn texts_without_bodies() {
        for text in ["", "tolerance = 1\n", &format!("# {}\n[[body]]", "x".repeat(2 * LEAST))] {
            assert_eq!(pieces(text).collect::<Vec<_>>(), [(0, text)]);
        }
    }

    /// Bodies, pairs and messages are the same as for one document; here each body has 4 lines.
    #[test]
    fn a_scene_of_many_pieces() {
        let body = |i: usize| {
            format!(
                "[[body]]\nname = \"b{i}\"\nshape = {{ box = [1, 1, 1] }}\npose = {{ xyz = [{i}, 0, 0] }}\n"
            )
        };
        let bodies = (0..2_000).map(body).collect::<String>();
        assert!(pieces(&bodies).count() >= 3);
        let pair = "[[pair]]\nbodies = [\"b1\", \"b1999\"]\nmin_separation = 0.5\n";
        let scene = parse_scene(&format!("tolerance = 0.25\n{bodies}{pair}"), "s.toml").unwrap();
        assert_eq!((scene.bodies.len(), scene.pairs.len(), scene.tolerance), (2_000, 1, Some(0.25)));
        let is_in_order =
            |(i, body): (usize, &crate::BodyFile)| body.name == format!("b{i}") && body.line == 4 * i + 3;
        assert!(scene.bodies.iter().enumerate().all(is_in_order));
        let refused = |text: String, message: &str| {
            let error = parse_scene(&text, "s.toml").unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        };
        refused(
            format!("{bodies}{}", body(7)),
            "s.toml:8002: a second body called \"b7\"; the first is in line 30",
        );
        refused(
            format!("{bodies}[[body]]\nname = \"c\"\nshape = {{ sphere = {{ radius = -1 }} }}\n"),
            "s.toml:8003: ",
        );
        refused(format!("{bodies}[[body]]\nname = \"c\"\nsize = 1\n"), "s.toml:8003: unknown field `size`");
        refused(
            format!("{bodies}[[pair]]\nbodies = [\"b1\", \"c\"]\nmin_separation = 0.5\n"),
            "s.toml:8001: pair: there is no body",
        );
        refused(format!("{bodies}[tolerance]\n"), "s.toml:8001: ");
        refused(format!("{bodies}[body]\n"), "s.toml:8001: ");
        refused(format!("body = []\n{bodies}"), "s.toml:2: ");
        refused(format!("allow = [\n{bodies}"), "s.toml:");
    }
}
