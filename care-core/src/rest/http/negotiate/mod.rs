//! Negotiation: the form that `Accept` prefers.

use mediatype::{MediaType, MediaTypeList, ReadParams, names};

use super::media::{Format, is_utf8};

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
    let Some(first) = lines.next() else {
        return Some(Format::Json);
    };
    let Some(second) = lines.next() else {
        return match first {
            b"application/json" | b"*/*" | b"" => Some(Format::Json),
            b"application/xml" => Some(Format::Xml),
            line => choose(&String::from_utf8_lossy(line)),
        };
    };
    let joined: Vec<&[u8]> = [first, second].into_iter().chain(lines).collect();
    choose(&String::from_utf8_lossy(&joined.join(&b", "[..])))
}

/// Returns the form of an answer that exists only in JSON.
pub(crate) fn negotiate_json<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    let accept = lines.collect::<Vec<_>>().join(&b", "[..]);
    match qualities(&String::from_utf8_lossy(&accept)) {
        Some((0, _)) => None,
        _ => Some(Format::Json),
    }
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

fn choose(accept: &str) -> Option<Format> {
    match qualities(accept) {
        Some((0, 0)) => None,
        Some((json, xml)) if xml > json => Some(Format::Xml),
        _ => Some(Format::Json),
    }
}

/// Returns the qualities of JSON and XML; `None` when no member is well-formed.
fn qualities(accept: &str) -> Option<(u16, u16)> {
    let mut json = Preference::default();
    let mut xml = Preference::default();
    let mut any = false;
    for range in MediaTypeList::new(accept).flatten().filter_map(Range::new) {
        any = true;
        json.consider(&range, range.specificity(Format::Json));
        xml.consider(&range, range.specificity(Format::Xml));
    }
    any.then_some((json.quality, xml.quality))
}

/// The quality of one form, from the most specific range that matches it.
#[derive(Default)]
struct Preference {
    specificity: Option<u8>,
    /// The quality in thousandths; 0 is "not acceptable".
    quality: u16,
}

impl Preference {
    fn consider(&mut self, range: &Range<'_>, specificity: Option<u8>) {
        if specificity.is_none() || specificity < self.specificity {
            return;
        }
        // Of two equally specific ranges the higher quality counts, unless one of them is 0.
        self.quality = match self.quality {
            _ if specificity > self.specificity => range.quality,
            0 => 0,
            _ if range.quality == 0 => 0,
            earlier => earlier.max(range.quality),
        };
        self.specificity = specificity;
    }
}

/// One well-formed member of `Accept`.
struct Range<'a> {
    media: MediaType<'a>,
    quality: u16,
    /// Whether it names UTF-8, the charset of our answers.
    charset: bool,
    /// Whether it names a parameter that our answers do not have.
    foreign: bool,
}

impl<'a> Range<'a> {
    fn new(media: MediaType<'a>) -> Option<Self> {
        let (mut quality, mut charset, mut foreign) = (1000, false, false);
        let mut weighed = false;
        for (name, value) in media.params() {
            if value.as_str().is_empty() {
                return None;
            } else if name == names::Q {
                if std::mem::replace(&mut weighed, true) {
                    return None;
                }
                quality = thousandths(value.as_str())?;
            } else if name == names::CHARSET && is_utf8(value) {
                charset = true;
            } else {
                foreign = true;
            }
        }
        // `*/json` is not a range.
        (media.ty != "*" || media.subty == "*").then_some(Self { media, quality, charset, foreign })
    }

    /// Returns the specificity of the range for a form; `None` when it does not match.
    fn specificity(&self, format: Format) -> Option<u8> {
        if self.foreign || self.media.suffix.is_some() {
            return None;
        }
        let (ty, subtype) = (self.media.ty, self.media.subty);
        let closeness = if ty == "*" {
            0
        } else if ty == names::APPLICATION && subtype == "*" {
            2
        } else if match format {
            Format::Json => ty == names::APPLICATION && subtype == names::JSON,
            // A refusal of `text/xml` does not refuse `application/xml`, which is sent in its place.
            Format::Xml => subtype == names::XML && (ty == names::APPLICATION || ty == names::TEXT && self.quality > 0),
        } {
            4
        } else {
            return None;
        };
        Some(closeness + u8::from(self.charset))
    }
}

/// Returns a weight in thousandths, from 0 to 1 with at most three decimals.
pub(crate) fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{decimals:0<3}").parse().ok()?;
    match (whole, fraction) {
        ("0", _) => Some(fraction),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
