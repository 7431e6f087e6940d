//! Pages are written in pieces, between which other requests are answered.

use care_core::rest::pass;

/// The number of resources in a piece.
pub(super) const RESOURCES: usize = 16;
/// The bytes after which a piece ends even with fewer resources.
const BYTES: usize = 64 << 10;

/// The work of a request since others passed.
#[derive(Debug, Default)]
pub(super) struct Pace {
    resources: usize,
    bytes: usize,
}

impl Pace {
    /// Counts a resource of this many bytes, and lets others pass at the end of a piece.
    pub(super) async fn count(&mut self, bytes: usize) {
        self.resources += 1;
        self.bytes += bytes;
        if self.resources >= RESOURCES || self.bytes >= BYTES {
            self.end_piece().await;
        }
    }

    /// Lets others pass.
    pub(super) async fn end_piece(&mut self) {
        *self = Self::default();
        pass().await;
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task::Context};

    use super::*;

    /// Returns how often others pass while these resources are written.
    fn passes(sizes: &[usize]) -> usize {
        let mut work = pin!(async {
            let mut pace = Pace::default();
            for bytes in sizes {
                pace.count(*bytes).await;
            }
        });
        let mut context = Context::from_waker(std::task::Waker::noop());
        (0..=sizes.len()).take_while(|_| work.as_mut().poll(&mut context).is_pending()).count()
    }

    #[test]
    fn others_pass_after_some_resources_or_many_bytes() {
        assert_eq!(passes(&[1; RESOURCES - 1]), 0);
        assert_eq!(passes(&[1; 500]), 500 / RESOURCES);
        assert_eq!(passes(&[BYTES / 2; 8]), 4);
        assert_eq!(passes(&[BYTES; 3]), 3);
    }
}
