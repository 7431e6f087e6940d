//! The bytes of answers that are made and not yet sent.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;

use super::meter::Level;

/// Answers of at most this many bytes are always given.
pub(crate) const SHORT: usize = 64 * 1024;
/// Clients without a key may leave unread one part in this many of all that may be unread.
const SHARE_WITHOUT_KEY: usize = 8;

/// The bytes that the server holds because clients have not read them, shared by all handles on an API.
#[derive(Debug)]
pub(crate) struct Unread {
    with_key: AtomicUsize,
    without_key: AtomicUsize,
    level: Level,
}

/// A body that counts as unread until it is dropped: by the frontend, once its last byte is handed to the socket.
#[derive(Debug)]
struct UnreadBody {
    body: Bytes,
    has_key: bool,
    of: Arc<Unread>,
}

impl Default for Unread {
    fn default() -> Self {
        Self { with_key: AtomicUsize::new(0), without_key: AtomicUsize::new(0), level: Level::unread() }
    }
}

impl Unread {
    /// Returns the body, which counts until it is dropped, and whether there is room for it: all that is unread has at
    /// most `limit` bytes, or hardly anything but this body. The answers to clients without a key have a share of their
    /// own in that, so that they never take the room of others.
    pub(crate) fn hold(self: &Arc<Self>, body: Bytes, has_key: bool, limit: usize) -> (Bytes, bool) {
        let length = body.len();
        if length == 0 {
            return (body, true);
        }
        // The counts order nothing else.
        let alike = self.of(has_key).fetch_add(length, Ordering::Relaxed);
        self.level.rise_by(length);
        let share = limit / SHARE_WITHOUT_KEY;
        let (others, limit) = match has_key {
            true => (alike.saturating_add(self.of(false).load(Ordering::Relaxed).min(share)), limit),
            false => (alike, share),
        };
        let body = Bytes::from_owner(UnreadBody { body, has_key, of: Arc::clone(self) });
        (body, length <= SHORT || others <= SHORT || others.saturating_add(length) <= limit)
    }

    /// Returns whether even a change with a long answer is to be refused: twice as much as may be is unread, which only
    /// the answers to such changes can bring about.
    pub(crate) fn is_crammed(&self, limit: usize) -> bool {
        let held = [true, false].map(|has_key| self.of(has_key).load(Ordering::Relaxed));
        held.into_iter().sum::<usize>() / 2 > limit
    }

    const fn of(&self, has_key: bool) -> &AtomicUsize {
        if has_key { &self.with_key } else { &self.without_key }
    }
}

impl AsRef<[u8]> for UnreadBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        self.of.of(self.has_key).fetch_sub(self.body.len(), Ordering::Relaxed);
        self.of.level.fall_by(self.body.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn body(length: usize) -> Bytes {
        Bytes::from(vec![b'x'; length])
    }

    #[test]
    fn long_answers_wait_until_others_are_read() {
        let unread = Arc::<Unread>::default();
        let hold = |length, has_key| unread.hold(body(length), has_key, 4 * MIB);
        let held: Vec<_> = (0..4).map(|_| hold(MIB, true)).collect();
        assert!(held.iter().all(|(_, has_room)| *has_room));
        assert!(!hold(SHORT + 1, true).1);
        assert!(hold(SHORT, true).1, "short answers are always given");
        // A part of a body is the whole of it.
        let part = held[0].0.slice(10..20);
        drop(held);
        assert_eq!(unread.with_key.load(Ordering::Relaxed), MIB);
        assert_eq!(&part[..], b"xxxxxxxxxx");
        drop(part);
        assert_eq!(unread.with_key.load(Ordering::Relaxed), 0);
        assert!(hold(5 * MIB, true).1, "an answer longer than the limit is given alone");
        let (_changed, _) = hold(8 * MIB, true);
        assert!(!unread.is_crammed(4 * MIB));
        let (_further, _) = hold(2, true);
        assert!(unread.is_crammed(4 * MIB));
    }

    #[test]
    fn clients_without_a_key_take_no_room_from_others() {
        let unread = Arc::<Unread>::default();
        let hold = |length, has_key| unread.hold(body(length), has_key, 8 * MIB);
        let held: Vec<_> = (0..4).map(|_| hold(MIB / 4, false)).collect();
        assert!(held.iter().all(|(_, has_room)| *has_room));
        assert!(!hold(MIB / 4, false).1);
        let (_all, has_room) = hold(7 * MIB, true);
        assert!(has_room && !hold(MIB / 4, true).1);
        assert!(!unread.hold(body(MIB), true, 0).1);
    }
}
