//! The messages of PostgreSQL's protocol that a proxy has to tell apart.

use std::{
    collections::HashMap,
    io::{self, Read},
};

/// The message that ends each of a server's answers.
pub(crate) const READY: u8 = b'Z';
/// The largest length that is accepted as a message.
const LARGEST: usize = 1 << 30;

/// A client's request, which the server answers as a unit.
pub(crate) struct Request {
    pub(crate) bytes: Vec<u8>,
    /// The text of its statement.
    pub(crate) text: String,
}

impl Request {
    /// Reads the next request, unless the client says goodbye. Remembers the texts of prepared statements by name.
    pub(crate) fn read(
        client: &mut impl Read,
        is_first: bool,
        prepared: &mut HashMap<String, String>,
    ) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        if is_first {
            // The first message of a connection has no type byte.
            body(client, &mut bytes)?;
            return Ok(Some(Self { bytes, text: "startup".to_owned() }));
        }
        let mut text = String::new();
        loop {
            let start = bytes.len();
            let kind = read(client, &mut bytes)?;
            let mut words = bytes[start + 5..].split(|byte| *byte == 0).map(String::from_utf8_lossy);
            let mut word = || words.next().unwrap_or_default().into_owned();
            match kind {
                b'X' => return Ok(None),
                b'Q' => return Ok(Some(Self { text: word(), bytes })),
                // `Sync`, which ends the statements of the extended protocol.
                b'S' => return Ok(Some(Self { bytes, text })),
                b'P' => {
                    let (name, sql) = (word(), word());
                    text = format!("prepare {sql}");
                    prepared.insert(name, sql);
                }
                b'B' => {
                    let (_portal, name) = (word(), word());
                    text = prepared.get(&name).cloned().unwrap_or_default();
                }
                _ => {}
            }
        }
    }
}

/// Reads a message and appends it to these bytes. Returns its type.
pub(crate) fn read(from: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<u8> {
    let mut kind = [0];
    from.read_exact(&mut kind)?;
    bytes.extend(kind);
    body(from, bytes)?;
    Ok(kind[0])
}

/// Reads the length of a message and what follows.
fn body(from: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let rest = usize::try_from(u32::from_be_bytes(length)).unwrap_or(LARGEST).checked_sub(4);
    let rest = rest.filter(|rest| *rest < LARGEST).ok_or(io::ErrorKind::InvalidData)?;
    bytes.extend(length);
    let start = bytes.len();
    bytes.resize(start + rest, 0);
    from.read_exact(&mut bytes[start..])
}

/// Returns a simple query.
pub(crate) fn query(sql: &str) -> Vec<u8> {
    message(b'Q', &[sql.as_bytes(), &[0]].concat())
}

/// Returns an error that ends the connection.
pub(crate) fn fatal(state: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{state}\0Minjected\0\0");
    message(b'E', fields.as_bytes())
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    [&[kind][..], &length.to_be_bytes(), body].concat()
}
