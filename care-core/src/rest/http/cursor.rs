//! Cursors: opaque places in lists.

use sha2::{Digest, Sha256};

use super::path;

/// The mark of a list under a filter: its cursors begin with it, and those of no other list or filter do.
///
/// It is a digest of the parameters that the client has named, so it stays the same in a later version of the service
/// that knows further parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorMark(String);

impl CursorMark {
    /// Returns the mark of a list under these parameters, without those that choose a page. Each value is in the one
    /// form that has its meaning; the order of the parameters does not matter.
    pub fn new(list: &str, mut parameters: Vec<(&str, String)>) -> Self {
        parameters.sort_unstable();
        let mut canonical = list.to_owned();
        for (name, value) in parameters {
            canonical.extend(["&", name, "=", &path::encode_segment(&value)]);
        }
        Self(const_hex::encode(&Sha256::digest(canonical)[..6]))
    }

    /// Returns the cursor of a place in the list.
    pub fn cursor(&self, place: &str) -> String {
        [&*self.0, &const_hex::encode(place)].concat()
    }

    /// Returns the place of a cursor; `None` unless it is one of this list and filter.
    pub fn place(&self, cursor: &str) -> Option<String> {
        // The decoder would pass over a prefix that cursors do not have.
        let digits = cursor.strip_prefix(&*self.0).filter(|digits| !digits.starts_with("0x"))?;
        String::from_utf8(const_hex::decode(digits).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(list: &str, parameters: &[(&'static str, &str)]) -> CursorMark {
        CursorMark::new(list, parameters.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    }

    #[test]
    fn a_cursor_belongs_to_its_list_and_filter() {
        let parameters = [("patientId", "7"), ("state", "paid")];
        let paid = mark("listInvoices", &parameters);
        let cursor = paid.cursor("17");
        assert_eq!(paid.place(&cursor).as_deref(), Some("17"));
        assert_eq!(mark("listInvoices", &[parameters[1], parameters[0]]), paid, "the order does not matter");
        let others = [
            mark("listReceipts", &parameters),
            mark("listInvoices", &parameters[..1]),
            mark("listInvoices", &[]),
            mark("listInvoices", &[("patientId", "7&state=paid")]),
            mark("listInvoices", &[("patientId", "7"), ("state", "")]),
        ];
        for other in others {
            assert_eq!(other.place(&cursor), None, "{other:?}");
        }
        for broken in ["17", &format!("{cursor}3"), &format!("{}0x3137", paid.0), ""] {
            assert_eq!(paid.place(broken), None, "{broken}");
        }
    }
}
