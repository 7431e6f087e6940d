//! Holes in the text of a case: `{{name}}`, `{{*}}`, `{{!name}}`, `{{text*70}}`.

use std::collections::BTreeMap;

/// The texts that the names of a case stand for.
pub(crate) type Names = BTreeMap<String, String>;

enum Piece<'a> {
    Literal(String),
    /// A name without a text yet.
    Name(&'a str),
    Any,
    Not(&'a str),
}

/// Returns the text with its names and repetitions filled in.
pub(crate) fn fill(text: &str, names: &Names) -> Result<String, String> {
    let mut filled = String::new();
    for piece in pieces(text, names) {
        match piece {
            Piece::Literal(literal) => filled.push_str(&literal),
            Piece::Name(name) => return Err(format!("{{{{{name}}}}} means nothing yet")),
            Piece::Any | Piece::Not(_) => return Err("a pattern cannot be sent".to_owned()),
        }
    }
    Ok(filled)
}

/// Returns whether the whole text matches, and adds the texts of holes to the names.
pub(crate) fn matches(pattern: &str, text: &str, names: &mut Names) -> bool {
    let pieces = pieces(pattern, names);
    let mut rest = text;
    let mut taken = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        if let Piece::Literal(literal) = piece {
            let Some(behind) = rest.strip_prefix(literal.as_str()) else {
                return false;
            };
            rest = behind;
            continue;
        }
        // A hole ends where the text after it begins.
        let end = match pieces.get(index + 1) {
            Some(Piece::Literal(literal)) => rest.find(literal.as_str()).unwrap_or(0),
            _ => rest.len(),
        };
        let (hole, behind) = rest.split_at(end);
        let fits = match piece {
            Piece::Not(name) => names.get(*name).is_some_and(|known| known != hole),
            _ => true,
        };
        if hole.is_empty() || !fits {
            return false;
        }
        if let Piece::Name(name) = piece {
            taken.push(((*name).to_owned(), hole.to_owned()));
        }
        rest = behind;
    }
    if rest.is_empty() {
        names.extend(taken);
    }
    rest.is_empty()
}

/// Returns the bytes of a text with the escapes `\xHH`, `
/// `, `\r`, `\t` and `\\`.
pub(super) fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let bad = || format!("a bad escape before {:?}", escape.get(..4).unwrap_or(escape));
        let (byte, length) = match escape.bytes().next().ok_or_else(bad)? {
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            b'\\' => (b'\\', 1),
            b'x' => {
                let digits = escape.get(1..3).ok_or_else(bad)?;
                (u8::from_str_radix(digits, 16).map_err(|_| bad())?, 3)
            }
            _ => return Err(bad()),
        };
        bytes.push(byte);
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

fn pieces<'a>(text: &'a str, names: &Names) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some((before, hole, behind)) = hole(rest) {
        literal.push_str(before);
        rest = behind;
        let piece = match hole.rsplit_once('*') {
            Some(("", "")) => Piece::Any,
            Some((text, times)) if times.parse::<usize>().is_ok() => {
                literal.push_str(&text.repeat(times.parse().unwrap_or_default()));
                continue;
            }
            _ => match (hole.strip_prefix('!'), names.get(hole)) {
                (Some(name), _) => Piece::Not(name),
                (None, Some(known)) => {
                    literal.push_str(known);
                    continue;
                }
                (None, None) => Piece::Name(hole),
            },
        };
        if !literal.is_empty() {
            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
        }
        pieces.push(piece);
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    pieces
}

fn hole(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (hole, behind) = rest.split_once("}}")?;
    Some((before, hole, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_take_and_then_mean_what_stands_there() {
        let mut names = Names::new();
        assert!(matches("</a/{{id}}>; {{*}}", "</a/17>; x", &mut names));
        assert_eq!(fill("/b/{{id}}", &names).as_deref(), Ok("/b/17"));
        assert!(matches("{{id}}", "17", &mut names) && !matches("{{id}}", "18", &mut names));
        assert!(matches("{{!id}}", "18", &mut names) && !matches("{{!id}}", "17", &mut names));
        assert!(!matches("a{{*}}", "a", &mut names) && !matches("a", "ab", &mut names));
        assert!(fill("{{other}}", &names).is_err());
        assert_eq!(fill("<{{ab*3}}>", &names).as_deref(), Ok("<ababab>"));
    }

    #[test]
    fn escapes_stand_for_bytes() {
        assert_eq!(unescape("a\\xFF\\n\\\\b").as_deref(), Ok(&b"a\xFF\n\\b"[..]));
        assert!(unescape("\\q").is_err() && unescape("\\x1").is_err() && unescape("\\").is_err());
    }
}
