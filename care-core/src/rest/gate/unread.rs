//! The bytes of answers that are made and not yet sent.

use std::sync::Arc;

use bytes::Bytes;

use crate::rest::fair::{Fair, Place};

/// Answers of at most this many bytes are always given.
pub(crate) const SHORT: usize = 64 * 1024;

/// A body that counts as unread until it is dropped: by the frontend, once its last byte is handed to the socket.
#[derive(Debug)]
struct UnreadBody {
    body: Bytes,
    fair: Arc<Fair>,
    /// The room of a long answer, which is kept as long as the body.
    _room: Option<Place>,
}

/// Returns the body, which counts as unread, and keeps its room, until it is dropped.
pub(crate) fn unread(body: Bytes, room: Option<Place>, fair: &Arc<Fair>) -> Bytes {
    fair.unread().rise_by(body.len());
    Bytes::from_owner(UnreadBody { body, fair: Arc::clone(fair), _room: room })
}

impl AsRef<[u8]> for UnreadBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        self.fair.unread().fall_by(self.body.len());
    }
}
