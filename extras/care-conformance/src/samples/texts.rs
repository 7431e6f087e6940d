//! Texts that are known to break stores and encodings.

/// Returns legal free texts of at most 256 code points, each of which must come back unchanged.
pub fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        // Empty and blank texts are values. White space at the ends is kept.
        "",
        " ",
        "\t\n",
        "  both ends \n",
        // Syntax of queries, patterns and formats.
        "'; DROP TABLE patients; --",
        "\"quoted\" \\back\\slash\\ %_*?[a] ${x} {{y}}",
        "<a b='c'>&amp;]]></a>",
        "{\"json\":null}",
        // Texts that a column without a type would turn into numbers.
        "007",
        "1e5",
        "-0.0",
        "NaN",
        "NULL",
        "true",
        // Composed and decomposed texts differ, so no layer may normalise them.
        "\u{e9}tain",
        "e\u{301}tain",
        "\u{feff}marked",
        "\u{202e}override\u{202c} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{645}\u{631}\u{62d}\u{628}\u{627}",
        "\u{1f469}\u{200d}\u{2695}\u{fe0f} \u{1f1ee}\u{1f1f3}",
        "line\u{2028}and\u{2029}paragraph",
        "\u{fffd}\u{e000}\u{d7ff}",
    ]
    .map(str::to_owned)
    .into();
    texts.push(every_plane(256));
    texts.push("\u{10ffff}".repeat(256));
    texts.push("\u{fb03}".repeat(256));
    texts
}

/// Returns a text of this many code points from all seventeen planes of Unicode, including the last code point of each.
pub fn every_plane(length: usize) -> String {
    let ends = (1..=16_u32).map(|plane| plane * 0x1_0000 + 0xffff);
    let starts = (1..=16_u32).map(|plane| plane * 0x1_0000);
    let basic = [0x21, 0x7e, 0xa1, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd];
    let all: Vec<char> = basic.into_iter().chain(starts).chain(ends).filter_map(char::from_u32).collect();
    all.into_iter().cycle().take(length).collect()
}
