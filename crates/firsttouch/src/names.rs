//! Names, and patterns that stand for several of them.

/// Returns true if a name matches a pattern, in which `*` stands for any characters and `?` for one.
///
/// ```
/// use firsttouch::matches_pattern;
/// assert!(matches_pattern("finger_*", "finger_left") && matches_pattern("l?nk", "link"));
/// assert!(!matches_pattern("finger_*", "thumb") && !matches_pattern("", "a"));
/// ```
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // The place to continue at if the characters after the last star do not match.
    let mut retry = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, n + 1));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match retry {
                None => return false,
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (p, n) = (after, from);
                }
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Returns true if `name` is `known`, or a pattern that matches it.
pub(crate) fn is_named(name: &str, known: &str) -> bool {
    name == known || name.contains(['*', '?']) && matches_pattern(name, known)
}
