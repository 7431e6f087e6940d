//! Telling HTTP/2 from HTTP/1.

/// The first bytes of every HTTP/2 connection. No HTTP/1 method in use begins like this.
const HTTP2: &[u8] = b"PRI ";

/// The first bytes of a connection, compared with those of HTTP/2, which Poem would accept.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// The number of bytes that have matched so far; `None` after a mismatch.
    seen: Option<usize>,
}

impl Beginning {
    pub(crate) const fn new() -> Self {
        Self { seen: Some(0) }
    }

    /// Reads the next bytes, and returns whether they complete the HTTP/2 preface.
    pub(crate) fn is_http2(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            let Some(seen) = self.seen else {
                return false;
            };
            self.seen = (HTTP2.get(seen) == Some(byte)).then_some(seen + 1);
            if self.seen == Some(HTTP2.len()) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http2_is_told_from_every_other_beginning() {
        let is_http2 = |parts: &[&str]| {
            let mut connection = Beginning::new();
            parts.iter().any(|part| connection.is_http2(part.as_bytes()))
        };
        assert!(is_http2(&["PRI * HTTP/2.0\r\n\r\n"]));
        assert!(is_http2(&["P", "R", "", "I", " *"]));
        for other in ["PUT / HTTP/1.1", "PRINT / HTTP/1.1", "GET /PRI * HTTP/1.1", "xPRI ", ""] {
            assert!(!is_http2(&[other]), "{other}");
        }
        assert!(!is_http2(&["PR", "X", "PRI "]));
    }
}
