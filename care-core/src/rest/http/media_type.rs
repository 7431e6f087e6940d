//! Media types and weights as clients write them, read leniently: `Accept`, `Accept-Encoding` and `Content-Type`.

use super::list::{list_members, quoted_length, split};

/// A form of a document: the media type that it is sent as, and those that ask for it.
///
/// ```
/// use care_core::rest::MediaForm;
///
/// const JSON: MediaForm = MediaForm {
///     name: "application/json",
///     aliases: &["text/json"],
///     parameters: &[("charset", &["utf-8", "utf8"])],
/// };
/// const XML: MediaForm = MediaForm { name: "application/xml", aliases: &[], ..JSON };
///
/// let prefers = |accept: &'static str| MediaForm::preferred([&JSON, &XML], [accept.as_bytes()]);
/// assert_eq!(prefers("text/html, application/xml; q=0.9, *; q=.2"), Some(1));
/// assert_eq!(prefers("application/json; indent=2"), Some(0));
/// assert_eq!(prefers("text/html"), None);
/// assert!(JSON.is_named(b"Text/JSON; charset=UTF-8"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MediaForm {
    /// The media type that it is sent as, in lower case.
    pub name: &'static str,
    /// Other media types that name it, in lower case. The refusal of one of them (`q=0`) refuses the form, unless
    /// another range asks for it by one of its names.
    pub aliases: &'static [&'static str],
    /// Its parameters, each with the spellings of its value, all in lower case. A range that names another value does
    /// not match. A parameter that is not listed here excludes nothing.
    pub parameters: &'static [(&'static str, &'static [&'static str])],
}

impl MediaForm {
    /// Returns the index of the form that these lines of `Accept` prefer, the first one of equals; `None` when they
    /// accept none of the forms.
    ///
    /// A member that cannot be read is left out alone. Lines without one that can be read are as if they were not
    /// there.
    pub fn preferred<'a, const N: usize>(
        forms: [&Self; N],
        accept: impl IntoIterator<Item = &'a [u8]>,
    ) -> Option<usize> {
        let mut preferences = [Preference::default(); N];
        let mut is_read = false;
        for range in members(accept).filter_map(Range::new) {
            is_read = true;
            for (preference, form) in preferences.iter_mut().zip(forms) {
                preference.consider(range.closeness(form), range.member.quality);
            }
        }
        if !is_read {
            return Some(0);
        }
        let preferences = preferences.iter().enumerate().rev();
        let best = preferences.max_by_key(|(_, preference)| preference.quality);
        best.filter(|(_, preference)| preference.quality > 0).map(|(index, _)| index)
    }

    /// Returns whether a media type, such as the value of `Content-Type`, names this form.
    pub fn is_named(&self, media_type: &[u8]) -> bool {
        let range = Member::parse(media_type).and_then(Range::new);
        range.is_some_and(|range| (range.is(self.name) || range.is_alias(self)) && range.fit(self).is_some())
    }
}

/// Returns the members of a header's lines that can be read.
pub(crate) fn members<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> impl Iterator<Item = Member<'a>> {
    list_members(lines).filter_map(Member::parse)
}

/// One member of a header's list: a name, and parameters behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a [u8],
    parameters: &'a [u8],
    /// The weight in thousandths, from the parameter `q`; 0 is "not acceptable".
    pub(crate) quality: u16,
}

impl<'a> Member<'a> {
    fn parse(text: &'a [u8]) -> Option<Self> {
        let name = split(text, b';').next()?;
        let parameters = text.get(name.len()..)?;
        let (mut quality, mut is_weighed) = (1000, false);
        for parameter in parameters_of(parameters) {
            let (name, value) = parameter?;
            if name.eq_ignore_ascii_case(b"q") {
                quality = thousandths(value).filter(|_| !is_weighed)?;
                is_weighed = true;
            }
        }
        Some(Self { name: name.trim_ascii(), parameters, quality })
    }
}

/// Returns the parameters in a text, each a name and its value, empty when it has none; `None` for one that cannot be
/// read.
fn parameters_of(text: &[u8]) -> impl Iterator<Item = Option<(&[u8], &[u8])>> {
    split(text, b';').map(<[u8]>::trim_ascii).filter(|parameter| !parameter.is_empty()).map(|parameter| {
        let mut halves = parameter.splitn(2, |&byte| byte == b'=').map(<[u8]>::trim_ascii);
        let (name, value) = (halves.next()?, halves.next());
        let is_sound = is_token(name) && value.is_none_or(is_value);
        is_sound.then_some((name, value.unwrap_or_default()))
    })
}

/// A media range of `Accept`.
struct Range<'a> {
    member: Member<'a>,
    kind: &'a [u8],
    subtype: &'a [u8],
}

impl<'a> Range<'a> {
    fn new(member: Member<'a>) -> Option<Self> {
        // Java sends `*` for `*/*`.
        let slash = member.name.iter().position(|&byte| byte == b'/');
        let (kind, subtype) = match slash {
            Some(slash) => (member.name.get(..slash)?, member.name.get(slash + 1..)?),
            None if member.name == b"*" => (member.name, member.name),
            None => return None,
        };
        // `*/json` is no range.
        let is_sound = is_token(kind) && is_token(subtype) && (kind != b"*" || subtype == b"*");
        is_sound.then_some(Self { member, kind, subtype })
    }

    /// Returns how closely the range describes a form: by its type, then by its parameters; `None` when it does not
    /// match.
    fn closeness(&self, form: &MediaForm) -> Option<(u8, u8)> {
        let (kind, subtype) = form.name.split_once('/').unwrap_or((form.name, ""));
        let by_type = if self.kind == b"*" {
            0
        } else if self.kind.eq_ignore_ascii_case(kind.as_bytes()) && self.subtype == b"*" {
            1
        } else if self.kind.eq_ignore_ascii_case(kind.as_bytes()) && self.covers_suffix_of(subtype) {
            2
        } else if self.is(form.name) || self.member.quality > 0 && self.is_alias(form) {
            4
        } else if self.is_alias(form) {
            3
        } else {
            return None;
        };
        let fit = self.fit(form)?;
        // The refusal of a variant that the form may not be does not refuse the form.
        (fit != UNKNOWN || self.member.quality > 0).then_some((by_type, fit))
    }

    fn is(&self, name: &str) -> bool {
        let (kind, subtype) = name.split_once('/').unwrap_or((name, ""));
        self.kind.eq_ignore_ascii_case(kind.as_bytes()) && self.subtype.eq_ignore_ascii_case(subtype.as_bytes())
    }

    fn is_alias(&self, form: &MediaForm) -> bool {
        form.aliases.iter().any(|alias| self.is(alias))
    }

    /// Returns whether the range is `*+json` where this subtype ends with `+json`, and the like.
    fn covers_suffix_of(&self, subtype: &str) -> bool {
        let suffix = self.subtype.strip_prefix(b"*").filter(|suffix| suffix.starts_with(b"+"));
        let ours = subtype.find('+').and_then(|plus| subtype.get(plus..));
        suffix.zip(ours).is_some_and(|(suffix, ours)| suffix.eq_ignore_ascii_case(ours.as_bytes()))
    }

    /// Returns how well the parameters describe a form; `None` when one of them contradicts it.
    fn fit(&self, form: &MediaForm) -> Option<u8> {
        let mut fit = NONE;
        for (name, value) in parameters_of(self.member.parameters).flatten() {
            if name.eq_ignore_ascii_case(b"q") {
                continue;
            }
            let ours = form.parameters.iter().find(|(ours, _)| name.eq_ignore_ascii_case(ours.as_bytes()));
            fit = match ours {
                None => UNKNOWN,
                Some((_, values)) if !values.iter().any(|ours| reads(value, ours)) => return None,
                Some(_) if fit == UNKNOWN => UNKNOWN,
                Some(_) => KNOWN,
            };
        }
        Some(fit)
    }
}

/// The fit of a range with a parameter that the form does not list.
const UNKNOWN: u8 = 0;
/// The fit of a range without parameters.
const NONE: u8 = 1;
/// The fit of a range whose parameters are all the form's.
const KNOWN: u8 = 2;

/// The quality of one form, from the most specific range that matches it.
#[derive(Default, Clone, Copy)]
struct Preference {
    closeness: Option<(u8, u8)>,
    /// The quality in thousandths; 0 is "not acceptable".
    quality: u16,
}

impl Preference {
    fn consider(&mut self, closeness: Option<(u8, u8)>, quality: u16) {
        if closeness.is_none() || closeness < self.closeness {
            return;
        }
        // Of two equally specific ranges the higher quality counts, unless one of them is 0.
        self.quality = match self.quality {
            _ if closeness > self.closeness => quality,
            0 => 0,
            _ if quality == 0 => 0,
            earlier => earlier.max(quality),
        };
        self.closeness = closeness;
    }
}

/// Returns whether a text is an HTTP token.
pub(crate) fn is_token(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_plain)
}

/// Returns whether a text is a value: a quoted string, or characters among which are neither quotes nor white space.
/// Clients write addresses without the quotes that they need.
fn is_value(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| !matches!(byte, b'"' | 0..=b' ' | 0x7f);
    !text.is_empty()
        && (text.iter().all(is_plain) || text.starts_with(b"\"") && quoted_length(text) == Some(text.len()))
}

/// Returns whether a value, quoted or not, reads as this one in any case.
fn reads(value: &[u8], ours: &str) -> bool {
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
    let mut bytes = inner.unwrap_or(value).iter();
    let next = std::iter::from_fn(|| match bytes.next()? {
        b'\\' => bytes.next(),
        byte => Some(byte),
    });
    next.map(u8::to_ascii_lowercase).eq(ours.bytes())
}

/// Returns a weight in thousandths, from 0 to 1 with at most three decimals. The zero before the point may be missing.
fn thousandths(text: &[u8]) -> Option<u16> {
    let mut halves = text.splitn(2, |&byte| byte == b'.');
    let (whole, decimals) = (halves.next()?, halves.next().unwrap_or_default());
    if decimals.len() > 3 || !decimals.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = decimals.iter().chain(std::iter::repeat(&b'0')).take(3);
    let fraction = digits.fold(0, |fraction, digit| fraction * 10 + u16::from(digit - b'0'));
    match (whole, fraction) {
        (b"0", _) => Some(fraction),
        (b"", _) if !decimals.is_empty() => Some(fraction),
        (b"1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_has_at_most_three_decimals_and_may_lack_the_zero() {
        for (text, weight) in [
            ("0", 0),
            ("1", 1000),
            ("0.5", 500),
            (".2", 200),
            (".002", 2),
            ("0.", 0),
            ("1.", 1000),
            ("1.000", 1000),
            (".000", 0),
        ] {
            assert_eq!(thousandths(text.as_bytes()), Some(weight), "{text}");
        }
        for text in ["", ".", "00.5", "1.001", "2", "-1", "+0.5", "0.1234", "0,5", "\"0.5\"", ".x", "0.5.1"] {
            assert_eq!(thousandths(text.as_bytes()), None, "{text}");
        }
    }
}
