//! The name that was probably meant.

/// The candidate closest to `word`, if one is close enough to be meant.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = word.chars().count();
    // Long words are quoted garbage, not slips; comparing them would cost quadratic time.
    if length > 40 {
        return None;
    }
    let allowed = match length {
        0..=2 => return None,
        3..=5 => 1,
        6..=11 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, left out, replaced or swapped with their neighbour, without
/// regard to case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, &to) in b.iter().enumerate() {
            let cost = usize::from(from != to);
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(&row, j) + cost)
                .min(at(&row, j + 1) + 1)
                .min(at(&next, j) + 1);
            let swapped =
                i > 0 && j > 0 && a.get(i - 1) == Some(&to) && b.get(j - 1) == Some(&from);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_recognised() {
        let calls = ["mmap", "munmap", "mprotect", "mremap", "madvise", "mseal"];
        let meant = |word| closest(word, calls);
        assert_eq!(meant("mprotec"), Some("mprotect"));
        assert_eq!(meant("mrpotect"), Some("mprotect"));
        assert_eq!(meant("MMAP"), Some("mmap"));
        assert_eq!(meant("mmpa"), Some("mmap"));
        assert_eq!(meant("printf"), None);
        assert_eq!(meant("x"), None);
        assert_eq!(meant(&"m".repeat(100_000)), None);
    }
}
