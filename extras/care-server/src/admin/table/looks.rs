//! Files that are no table, by what they look like.

/// The beginnings of other kinds of files, and what such a file looks like.
const BEGINNINGS: [(&[u8], &str); 9] = [
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"PK\x03\x04", "a spreadsheet or a zip archive"),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet of an old program"),
    (b"\x1f\x8b", "a file that gzip compressed"),
    (b"BZh", "a file that bzip2 compressed"),
    (b"\x28\xb5\x2f\xfd", "a file that zstd compressed"),
    (b"\xfd7zXZ", "a file that xz compressed"),
    (b"%PDF", "a PDF document"),
];
const UTF_16: &str = "text in UTF-16";

/// Returns what a file with these first bytes looks like, if that is no text in UTF-8 or a similar encoding.
pub(super) fn foreign(beginning: &[u8]) -> Option<&'static str> {
    if let Some((_, looks)) = BEGINNINGS.iter().find(|(begin, _)| beginning.starts_with(begin)) {
        return Some(looks);
    }
    match beginning.trim_ascii_start() {
        text if text.starts_with(b"<") => return Some("HTML or XML"),
        text if text.starts_with(b"{") || text.starts_with(b"[") => return Some("JSON"),
        _ => {}
    }
    let zeros = |rest: usize| beginning.iter().skip(rest).step_by(2).filter(|byte| **byte == 0).count();
    // Every other byte of most texts in UTF-16 is zero.
    match zeros(0) + zeros(1) {
        0 => None,
        all if all * 4 > beginning.len() && zeros(0).min(zeros(1)) * 8 < all => Some(UTF_16),
        _ => Some("no text"),
    }
}
