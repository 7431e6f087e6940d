//! Entity tags, made from record versions and compared by the rules of RFC 9110.
//!
//! A tag is `"EPOCH-VERSION-FORM"`, such as `"5eed5eed-42-json"`. Other values that the answer depends on stand between
//! the last two; a service that shows the interface document's fields alone says `documented` there. Preconditions
//! compare only the version, within the same [`Epoch`].

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{lines, list::list_members, media::Format};
use crate::{
    model::Age,
    service::ExpectedVersion,
    store::{Epoch, Seq},
};

/// The form in which a server shows records, which makes other bytes of the same record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) format: Format,
    /// Whether answers hold only the fields that the interface document shows.
    pub(crate) is_documented: bool,
}

/// The parts of an answer's entity tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The record's version.
    pub(crate) version: Seq,
    /// The availability of the medicine, where the answer contains it.
    pub(crate) available: Option<bool>,
    /// The number of expired lots and the number of unusable ones, where the answer contains lots.
    pub(crate) past: Option<(usize, usize)>,
    /// The age, where it follows from a day of birth.
    pub(crate) age: Option<Age>,
}

impl Tag {
    /// Returns the tag of an answer that depends only on the record.
    pub(crate) const fn of(version: Seq) -> Self {
        Self { version, available: None, past: None, age: None }
    }

    /// Returns the tag of an answer that contains the availability of a medicine.
    pub(crate) const fn with_availability(version: Seq, available: bool) -> Self {
        Self { available: Some(available), ..Self::of(version) }
    }

    /// Returns the tag as a header of an answer in this form.
    pub(crate) fn header(self, epoch: Epoch, variant: Variant) -> HeaderValue {
        // The text has visible characters only.
        HeaderValue::try_from(self.text(epoch, variant)).unwrap_or(HeaderValue::from_static("\"\""))
    }

    /// Returns the tag's text in this form, quotes included.
    pub(crate) fn text(self, epoch: Epoch, Variant { format, is_documented }: Variant) -> String {
        let form = match format {
            Format::Json => "json",
            Format::Xml => "xml",
        };
        let documented = if is_documented { "-documented" } else { "" };
        let availability = match self.available {
            None => "",
            Some(true) => "-in",
            Some(false) => "-out",
        };
        let past = self.past.map(|(expired, unusable)| format!("-{expired}.{unusable}")).unwrap_or_default();
        let age = self.age.map(|age| format!("-{age}y")).unwrap_or_default();
        let (mut hexadecimal, mut decimal) = (const_hex::Buffer::<4>::new(), itoa::Buffer::new());
        let (epoch, version) = (hexadecimal.format(&epoch.value().to_be_bytes()), decimal.format(self.version.value()));
        // Every answer with a record has a tag, and the formatter takes several times the instructions.
        ["\"", epoch, "-", version, availability, &past, &age, documented, "-", form, "\""].concat()
    }

    /// Returns whether `If-None-Match` names the tag of this answer, which then need not be sent again.
    pub(crate) fn is_known(self, epoch: Epoch, variant: Variant, headers: &HeaderMap) -> bool {
        headers.contains_key(header::IF_NONE_MATCH) && names_tag(headers, &self.text(epoch, variant))
    }
}

/// Returns whether `If-None-Match` names this tag, compared weakly.
pub fn names_tag(headers: &HeaderMap, ours: &str) -> bool {
    let opaque = |tag| str::strip_prefix(tag, "W/").unwrap_or(tag);
    let is_ours = |tag| opaque(tag) == opaque(ours);
    is_any(headers, header::IF_NONE_MATCH) || tags(headers, header::IF_NONE_MATCH).any(is_ours)
}

/// Returns the versions that `If-Match` names. A tag that is weak, malformed, or of another epoch matches no version.
pub(crate) fn expected(epoch: Epoch, headers: &HeaderMap) -> ExpectedVersion {
    if !headers.contains_key(header::IF_MATCH) || is_any(headers, header::IF_MATCH) {
        return ExpectedVersion::Any;
    }
    ExpectedVersion::OneOf(tags(headers, header::IF_MATCH).filter_map(|tag| version(epoch, tag)).collect())
}

/// Returns whether the only value of the header is `*`.
fn is_any(headers: &HeaderMap, name: HeaderName) -> bool {
    let mut lines = headers.get_all(name).iter();
    lines.next().is_some_and(|line| line.as_bytes().trim_ascii() == b"*") && lines.next().is_none()
}

/// Returns the well-formed entity tags of all lines of a header.
fn tags(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let members = list_members(lines(headers, name)).filter_map(|tag| str::from_utf8(tag).ok());
    members.map(|tag| tag.trim_matches([' ', '\t'])).filter(is_tag)
}

fn is_tag(tag: &&str) -> bool {
    let opaque = tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    opaque.is_some_and(|opaque| opaque.bytes().all(|b| b == 0x21 || (0x23..=0x7e).contains(&b)))
}

/// Returns the version of one of our own strong tags of this epoch.
fn version(epoch: Epoch, tag: &str) -> Option<Seq> {
    let opaque = tag.strip_prefix('"')?.strip_suffix('"')?;
    let opaque = opaque.strip_prefix(&*epoch.to_string())?.strip_prefix('-')?;
    let (record, _form) =
        opaque.strip_suffix("-json").map(|record| (record, 'j')).or(opaque.strip_suffix("-xml").map(|r| (r, 'x')))?;
    let record = record.strip_suffix("-documented").unwrap_or(record);
    let digits = record.strip_suffix("-in").or(record.strip_suffix("-out"));
    let digits = digits.or(without_lots(record)).or(without_age(record)).unwrap_or(record);
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    canonical.then(|| digits.parse().ok().map(Seq::new)).flatten()
}

/// Returns a tag without its part about lots.
fn without_lots(record: &str) -> Option<&str> {
    let (record, lots) = record.split_once('-')?;
    let (expired, unusable) = lots.split_once('.')?;
    (is_number(expired) && is_number(unusable)).then_some(record)
}

/// Returns a tag without its part about an age.
fn without_age(record: &str) -> Option<&str> {
    let (record, age) = record.split_once('-')?;
    age.strip_suffix('y').is_some_and(is_number).then_some(record)
}

fn is_number(digits: &str) -> bool {
    digits.parse::<u8>().is_ok_and(|number| number.to_string() == digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPOCH: Epoch = Epoch::new(0x00c0_ffee);
    const JSON: Variant = Variant { format: Format::Json, is_documented: false };
    const XML: Variant = Variant { format: Format::Xml, ..JSON };

    fn headers(name: HeaderName, lines: &[&'static str]) -> HeaderMap {
        lines.iter().map(|line| (name.clone(), HeaderValue::from_static(line))).collect()
    }

    #[test]
    fn forms_and_availability_have_tags_of_their_own() {
        let tag = Tag::of(Seq::new(42));
        assert_eq!(tag.text(EPOCH, JSON), "\"00c0ffee-42-json\"");
        assert_eq!(tag.text(EPOCH, XML), "\"00c0ffee-42-xml\"");
        for version in [0, 9, 10, 99, 100, u64::MAX] {
            let text = Tag::with_availability(Seq::new(version), true).text(EPOCH, JSON);
            assert_eq!(text, format!("\"{EPOCH}-{version}-in-json\""));
        }
        let (there, gone) = (Tag { available: Some(true), ..tag }, Tag { available: Some(false), ..tag });
        assert_ne!(there.text(EPOCH, JSON), gone.text(EPOCH, JSON));
        let (fresh, old) = (Tag { past: Some((0, 1)), ..tag }, Tag { past: Some((1, 1)), ..tag });
        assert_eq!(
            (fresh.text(EPOCH, JSON), old.text(EPOCH, XML)),
            ("\"00c0ffee-42-0.1-json\"".into(), "\"00c0ffee-42-1.1-xml\"".into())
        );
        let documented = |variant| tag.text(EPOCH, Variant { is_documented: true, ..variant });
        assert_eq!(documented(JSON), "\"00c0ffee-42-documented-json\"");
        assert_eq!(documented(XML), "\"00c0ffee-42-documented-xml\"");
    }

    #[test]
    fn if_match_takes_either_form_lists_and_any() {
        let of = |lines: &[&'static str]| expected(EPOCH, &headers(header::IF_MATCH, lines));
        let one_of = |versions: &[u64]| ExpectedVersion::OneOf(versions.iter().copied().map(Seq::new).collect());
        assert_eq!(of(&[]), ExpectedVersion::Any);
        assert_eq!(of(&["*"]), ExpectedVersion::Any);
        assert_eq!(of(&["\"00c0ffee-42-json\""]), one_of(&[42]));
        assert_eq!(of(&["\"00c0ffee-42-0.1-json\""]), one_of(&[42]));
        assert_eq!(of(&["\"00c0ffee-42-36y-json\""]), one_of(&[42]));
        assert_eq!(of(&["\"00c0ffee-42-documented-json\""]), one_of(&[42]));
        assert_eq!(of(&["\"00c0ffee-42-in-documented-xml\""]), one_of(&[42]));
        assert_eq!(of(&["\"00c0ffee-7-in-xml\" , \"00c0ffee-8-out-json\"", "\"00c0ffee-9-xml\""]), one_of(&[7, 8, 9]));
        for nothing in [
            "",
            "\"42-json\"",
            "\"00c0ffef-42-json\"",
            "\"00C0FFEE-42-json\"",
            "00c0ffee-42-json",
            "W/\"00c0ffee-42-json\"",
            "\"00c0ffee-42\"",
            "\"00c0ffee-42-jso\"",
            "\"00c0ffee-042-json\"",
            "\"00c0ffee--json\"",
            "\"00c0ffee-42-0-json\"",
            "\"00c0ffee-42-01.1-json\"",
            "\"00c0ffee-42-in-0.1-json\"",
            "\"00c0ffee-42-036y-json\"",
            "\"00c0ffee-42-y-json\"",
            "\"00c0ffee-4 2-json\"",
            "*, *",
        ] {
            assert_eq!(of(&[nothing]), one_of(&[]), "{nothing}");
        }
    }

    #[test]
    fn if_none_match_compares_weakly() {
        let tag = Tag::of(Seq::new(42));
        let known = |lines: &[&'static str]| tag.is_known(EPOCH, JSON, &headers(header::IF_NONE_MATCH, lines));
        assert!(known(&["\"00c0ffee-42-json\""]) && known(&["W/\"00c0ffee-42-json\""]) && known(&["*"]));
        assert!(
            known(&["\"00c0ffee-1-json\", \"00c0ffee-42-json\""])
                && known(&["\"00c0ffee-1-json\"", "\"00c0ffee-42-json\""])
        );
        assert!(!known(&["\"00c0ffef-42-json\""]));
        assert!(
            !known(&[])
                && !known(&["\"00c0ffee-42-xml\""])
                && !known(&["00c0ffee-42-json"])
                && !known(&["\"00c0ffee-43-json\""])
        );
    }
}
