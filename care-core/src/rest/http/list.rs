//! Headers that are lists, cut off by a count before anything parses their members.

/// Most members of a list that are read, empty ones included. The rest is as if the client had not sent it: a head of
/// 64 KiB has room for 30,000 tags, and reading them takes longer than most answers.
pub(crate) const MOST_MEMBERS: usize = 128;

/// Returns the members of a list in a header's lines, raw: the first 128 of all lines together, at most.
/// Commas in quoted strings separate nothing.
///
/// Everything that reads a list from a head begins here.
///
/// ```
/// use care_core::rest::list_members;
///
/// let lines: [&[u8]; 2] = [b"a, b=\"c,d\"", b"e"];
/// assert_eq!(list_members(lines).collect::<Vec<_>>(), [&b"a"[..], b" b=\"c,d\"", b"e"]);
/// let long = "a,".repeat(1000);
/// assert_eq!(list_members([long.as_bytes()]).count(), 128);
/// ```
pub fn list_members<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> impl Iterator<Item = &'a [u8]> {
    lines.into_iter().flat_map(|line| split(line, b',')).take(MOST_MEMBERS)
}

/// Splits a text at a separator that stands outside of quoted strings. A quote that is never closed is a character like
/// any other.
pub(super) fn split(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut rest, mut may_close) = (Some(text), true);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut end = 0;
        while let Some(&byte) = text.get(end).filter(|byte| **byte != separator) {
            let quoted = (byte == b'"' && may_close).then(|| text.get(end..).and_then(quoted_length));
            may_close &= quoted != Some(None);
            end += quoted.flatten().unwrap_or(1);
        }
        rest = text.get(end + 1..);
        text.get(..end)
    })
}

/// Returns the length of the quoted string at the beginning of a text, with its quotes; `None` when it is not closed.
pub(super) fn quoted_length(text: &[u8]) -> Option<usize> {
    let mut bytes = text.iter().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at + 1),
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hide_separators_as_far_as_they_are_closed() {
        let parts = |text: &'static str| {
            split(text.as_bytes(), b',').map(<[u8]>::escape_ascii).map(|part| part.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(parts(""), [""]);
        assert_eq!(parts("a,,b,"), ["a", "", "b", ""]);
        assert_eq!(parts("a=\"x,y\",b"), ["a=\\\"x,y\\\"", "b"]);
        assert_eq!(parts("a=\"x\\\",y\",b"), ["a=\\\"x\\\\\\\",y\\\"", "b"]);
        assert_eq!(parts("a=\"x,b\\\",c"), ["a=\\\"x", "b\\\\\\\"", "c"]);
    }

    #[test]
    fn quotes_that_are_never_closed_are_looked_at_once() {
        // Each of them would be followed to the end of the text, which is 2 ^ 40 steps for a text of this length.
        let text = "\\\"".repeat(1 << 20);
        assert_eq!(split(text.as_bytes(), b',').count(), 1);
    }
}
