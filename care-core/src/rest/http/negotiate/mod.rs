//! Negotiation: the form that `Accept` prefers.

use super::{media::Format, media_type::MediaForm};

/// The most bytes of `Accept`, all lines together: 4 KiB. The ranges of a longer one would cost more to read than most
/// answers.
pub(crate) const LONGEST: usize = 4 * 1024;

/// Returns whether these `Accept` lines together are longer than is read.
pub(crate) fn is_too_long<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    lines.map(<[u8]>::len).sum::<usize>() > LONGEST
}

/// Returns the form of an answer under these `Accept` lines; `None` when neither is acceptable. A tie goes to JSON, and
/// lines without a readable member are as if they were not there.
pub(crate) fn negotiate<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    let first = lines.next();
    let second = lines.next();
    match (first, second) {
        (None | Some(b"application/json" | b"*/*"), None) => Some(Format::Json),
        (Some(b"application/xml"), None) => Some(Format::Xml),
        _ => among([Format::Json, Format::Xml], first.into_iter().chain(second).chain(lines)),
    }
}

/// Returns the form of an answer that exists only in JSON.
pub(crate) fn negotiate_json<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    among([Format::Json], lines)
}

fn among<'a, const N: usize>(formats: [Format; N], lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    let preferred = MediaForm::preferred(formats.each_ref().map(|format| format.form()), lines);
    preferred.and_then(|index| formats.get(index).copied())
}

/// Returns the form of an error under these `Accept` lines: one is always sent, in JSON when they are too long to be
/// read.
pub(crate) fn negotiate_error<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Format {
    let lines: Vec<_> = lines.collect();
    match is_too_long(lines.iter().copied()) {
        true => Format::Json,
        false => negotiate(lines.into_iter()).unwrap_or(Format::Json),
    }
}

#[cfg(test)]
mod tests;
