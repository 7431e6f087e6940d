//! Mutations of every part of a request.

use crate::{dice::Dice, http::text::request::Request};

/// Changes one part of a request.
pub(super) fn mutate(dice: &mut Dice, request: &mut Request, base: &str) {
    match dice.roll(12) {
        0 => method(dice, request),
        1..=3 => target(dice, request, base),
        4..=6 => header(dice, request),
        _ => body(dice, request),
    }
}

/// Removes the parts of a request that the comparison leaves out.
pub(super) fn tame(request: &mut Request) {
    let is_post = request.method == "POST";
    if let Some(body) = &mut request.body
        && !is_post
        && body.starts_with(b"_method")
    {
        body.drain(..1);
    }
}

fn method(dice: &mut Dice, request: &mut Request) {
    let methods =
        ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO", "get", "PROPFIND", "M-SEARCH"];
    methods[dice.roll(12) as usize].clone_into(&mut request.method);
}

/// Inserts characters into the target below the base path, or removes some. Inserted are characters that may stand in a
/// request line, and escapes of all others.
fn target(dice: &mut Dice, request: &mut Request, base: &str) {
    const PIECES: [&str; 32] = [
        "/", "//", "/.", "/..", "/./", "/../", "%2F", "%2f", "%00", "%FF", "%C3%A9", "%C3", "%ZZ", "%", "%2", "%25",
        "%2525", "%20", "%0D%0A", "%7F", "+", ";a=b", "?", "??", "&", "=", "?x=%ZZ", "a", "1", "\u{e9}", "{}", "|",
    ];
    let below = request.target.split_off(base.len());
    let places: Vec<usize> = below.char_indices().map(|(place, _)| place).chain([below.len()]).collect();
    // Characters before the first slash would change the base path.
    let at = places[(1 + dice.roll(places.len() as u64)) as usize % places.len()].max(1).min(below.len());
    let (front, back) = below.split_at(at);
    let first = back.chars().next().unwrap_or('/');
    let rest = &back[first.len_utf8().min(back.len())..];
    let below = match dice.roll(8) {
        0..=2 => format!("{front}{}{back}", PIECES[dice.roll(32) as usize]),
        3 => front.to_owned(),
        4 => format!("{front}{rest}"),
        5 => {
            let mut bytes = [0; 4];
            let escapes = first.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02x}"));
            format!("{front}{}{rest}", escapes.collect::<String>())
        }
        6 => format!("{front}{}", back.to_uppercase()),
        _ => format!("{below}{}", PIECES[dice.roll(32) as usize]),
    };
    request.target.push_str(&below);
}

fn header(dice: &mut Dice, request: &mut Request) {
    let mut index = dice.roll(request.headers.len().max(1) as u64) as usize;
    // The key stands first. Without it most requests end with 401, so it is hardly ever removed.
    if index == 0 && dice.roll(3) > 0 {
        index = request.headers.len() / 2;
    }
    let Some((name, value)) = request.headers.get_mut(index) else {
        return;
    };
    match dice.roll(7) {
        0 => {
            request.headers.remove(index);
        }
        1 => {
            let again = (name.clone(), value.clone());
            request.headers.push(again);
        }
        2 => *name = name.to_ascii_uppercase(),
        3 => value.truncate(dice.roll(value.len() as u64 + 1) as usize),
        4 => {
            const BYTES: &[u8] = b"\xff\xc3\xa9\"\\;,= *qx/\t\x80";
            let byte = BYTES[dice.roll(BYTES.len() as u64) as usize];
            let at = dice.roll(value.len() as u64 + 1) as usize;
            value.insert(at, byte);
        }
        5 => {
            let kinds = [
                "application/json; charset=utf-8",
                "application/json; charset=latin1",
                "text/plain",
                "text/xml",
                "",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/*",
                "json",
                "APPLICATION/XML ; charset=\"utf-8\"",
            ];
            let kind = kinds[dice.roll(10) as usize].as_bytes().to_vec();
            request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            request.headers.push(("Content-Type".to_owned(), kind));
        }
        _ => {
            let codings = ["gzip", "identity", "gzip, identity", "x"];
            let coding = codings[dice.roll(4) as usize].as_bytes().to_vec();
            request.headers.push(("Content-Encoding".to_owned(), coding));
        }
    }
}

fn body(dice: &mut Dice, request: &mut Request) {
    const SPLICES: [&[u8]; 20] = [
        b"{",
        b"}",
        b"]",
        b",",
        b"\"",
        b"<",
        b">",
        b"</a>",
        b"&amp;",
        b"&x;",
        b"&#1;",
        b"<!--",
        b"<![CDATA[x]]>",
        b"<!DOCTYPE a>",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\0",
        b"\\u0000",
        b"null",
        b" ",
    ];
    let bytes = request.body.get_or_insert_default();
    let at = dice.roll(bytes.len() as u64 + 1) as usize;
    match dice.roll(12) {
        0 => bytes.truncate(at),
        1..=3 => {
            let splice = SPLICES[dice.roll(20) as usize];
            bytes.splice(at..at, splice.iter().copied());
        }
        4 if at < bytes.len() => {
            bytes.remove(at);
        }
        5 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
        6 => {
            let tail = bytes[at..].to_vec();
            bytes.extend(tail);
        }
        7 => request.body = None,
        8 if dice.roll(4) == 0 => bytes.resize(65_530 + dice.roll(12) as usize, b' '),
        9 => {
            let kind = b"application/x-www-form-urlencoded".to_vec();
            request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            request.headers.push(("Content-Type".to_owned(), kind));
            let forms = [
                "_method=delete",
                "_method=put&a=b",
                "_method=head",
                "_method=options",
                "_method=get",
                "a=b",
                "_method=patch",
            ];
            request.body = Some(forms[dice.roll(7) as usize].as_bytes().to_vec());
            if dice.one_in(2) {
                "POST".clone_into(&mut request.method);
            }
        }
        10 => {
            let other = if bytes.starts_with(b"<") { "application/json" } else { "application/xml" };
            request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            request.headers.push(("Content-Type".to_owned(), other.as_bytes().to_vec()));
        }
        _ => request.chunked = !request.chunked,
    }
}
