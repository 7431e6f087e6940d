//! The codings of a file: its body as it is, and compressed for clients that accept it.

use std::io::Write as _;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, header};
use sha2::{Digest, Sha256};

use crate::rest::http::{lines::lines, media_type::members};

/// A body in one coding, with an entity tag of its own.
#[derive(Debug, Clone)]
pub(super) struct Coded {
    pub(super) body: Bytes,
    pub(super) tag: HeaderValue,
}

impl Coded {
    /// Returns a body as it is.
    pub(super) fn plain(body: Bytes) -> Self {
        let tag = tag(&body, "");
        Self { body, tag }
    }

    /// Returns this plain body, compressed; `None` when it would not become shorter.
    pub(super) fn compressed(&self) -> Option<Self> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        // Writing to memory cannot fail.
        encoder.write_all(&self.body).ok()?;
        let body = encoder.finish().ok().filter(|body| body.len() < self.body.len())?;
        Some(Self { tag: tag(&self.body, "-gzip"), body: body.into() })
    }
}

fn tag(body: &Bytes, coding: &str) -> HeaderValue {
    let digits = const_hex::encode(&Sha256::digest(body)[..16]);
    HeaderValue::try_from(format!("\"{digits}{coding}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Returns whether a client takes gzip, and likes it no less than the body as it is.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut identity, mut any) = (None, None, None);
    for member in members(lines(headers, header::ACCEPT_ENCODING)) {
        match member.name.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => gzip = Some(member.quality),
            b"identity" => identity = Some(member.quality),
            b"*" => any = Some(member.quality),
            _ => {}
        }
    }
    let gzip = gzip.or(any).unwrap_or(0);
    gzip > 0 && gzip >= identity.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let accepts = |lines: &[&'static str]| {
            let lines = lines.iter().map(|line| (header::ACCEPT_ENCODING, HeaderValue::from_static(line)));
            accepts_gzip(&lines.collect())
        };
        for taken in [
            "gzip",
            "GZip",
            "x-gzip",
            "br, gzip",
            "gzip;q=0.001",
            "gzip ; q=1.000",
            "*",
            "br;q=1, *;q=0.5",
            "gzip; q = .5",
        ] {
            assert!(accepts(&[taken]), "{taken}");
        }
        for refused in ["", "br", "identity", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "gzip;q=2"] {
            assert!(!accepts(&[refused]), "{refused}");
        }
        assert!(!accepts(&[]) && accepts(&["br", "gzip"]) && !accepts(&["gzip;q=0.5, identity"]));
        assert!(accepts(&["gzip, identity"]) && accepts(&["identity;q=0, gzip"]));
    }

    #[test]
    fn only_what_becomes_shorter_is_compressed() {
        let plain = Coded::plain(Bytes::from("once upon a time ".repeat(100)));
        let compressed = plain.compressed().unwrap();
        assert!(compressed.body.len() < 100 && compressed.body.starts_with(&[0x1f, 0x8b]));
        assert_ne!(compressed.tag, plain.tag);
        assert!(Coded::plain(Bytes::from_static(b"short")).compressed().is_none());
    }
}
