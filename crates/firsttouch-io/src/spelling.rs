//! "Did you mean": the known name that a misspelt one resembles.

/// Returns the known name that is closest to `wrong`, if the two differ by a few letters.
pub(crate) fn meant<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Names in real files are short; a long one is not compared.
    if wrong.len() > LONGEST {
        return None;
    }
    let close = known.into_iter().filter(|known| known.len() <= LONGEST);
    let close = close.map(|known| (letters_apart(wrong, known), known));
    let nearest = close.filter(|&(apart, known)| apart <= 1.max(known.len().min(wrong.len()) / 3)).min();
    nearest.map(|(_, known)| known)
}

const LONGEST: usize = 60;

/// Counts the letters that must be inserted, removed, replaced or swapped with their neighbour to turn one name into
/// the other. Upper and lower case are the same.
fn letters_apart(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|name| name.to_ascii_lowercase().into_bytes());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_between_names() {
        let check = |a: &str, b: &str, apart: usize| assert_eq!(letters_apart(a, b), apart, "{a} {b}");
        check("", "", 0);
        check("mesh", "", 4);
        check("mesh", "Mesh", 0);
        check("mehs", "mesh", 1);
        check("meshes", "mesh", 2);
        check("node", "mode", 1);
        check("translaton", "translation", 1);
        assert_eq!(meant("colision", ["visual", "collision"]), Some("collision"));
        assert_eq!(meant("rpi", ["xyz", "rpy"]), Some("rpy"));
        assert_eq!(meant("weights", ["mesh", "matrix"]), None);
        assert_eq!(meant(&"m".repeat(100), ["mesh"]), None);
    }
}
