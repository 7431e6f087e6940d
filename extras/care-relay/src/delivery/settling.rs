//! The place of an endpoint in the journal, and whether the journal is still the one in which it has it.

use care_core::store::Seq;

use super::{Courier, PAUSE, pause, told};
use crate::{
    feed::Head,
    state::{self, Place, Sent},
};

impl Courier {
    /// Finds the endpoint's place in the journal. Returns `None` if it has none, or the delivery ends.
    pub(super) async fn settle(&mut self) -> Option<Head> {
        loop {
            let head = self.head().await?;
            let place = &self.endpoint.place;
            let Some(epoch) = &place.epoch else {
                self.begin(&head).await?;
                return Some(head);
            };
            let is_same = **epoch == *head.epoch;
            let sent = place.sent.clone();
            let stands = match &sent {
                None => Some(is_same),
                Some(sent) => self.stands(sent, &head).await,
            };
            // Within one epoch the database can be an older copy of itself, put back by hand. Its new entries take the
            // numbers that the endpoint has passed over, and must not be passed over with them.
            let is_beyond = sent.is_some() && place_of(place) > head.seq;
            match stands {
                Some(true) if is_same && !is_beyond => {
                    self.take_place(place_of(&self.endpoint.place));
                    return Some(head);
                }
                Some(stands) => {
                    let suggestion = sent.filter(|_| stands).map(|sent| sent.seq.next());
                    self.pause_in_another_past(suggestion).await;
                    return None;
                }
                None if pause(PAUSE, &mut self.stop).await => return None,
                None => {}
            }
        }
    }

    /// Waits until the relay knows the journal.
    async fn head(&mut self) -> Option<Head> {
        let mut heads = self.common.feed.heads();
        tokio::select! {
            () = told(&mut self.stop) => None,
            head = heads.wait_for(Option::is_some) => head.ok()?.clone(),
        }
    }

    /// Stores where the endpoint begins in a journal that it has not seen before.
    async fn begin(&mut self, head: &Head) -> Option<()> {
        let seq = self.endpoint.place.seq.unwrap_or(head.seq);
        let place = Place { epoch: Some(head.epoch.to_string()), seq: Some(seq), sent: None };
        let endpoint = self.endpoint.clone();
        let begin = move |conn: &_| Ok((state::begin(conn, &endpoint, &place)?, endpoint.replays(conn)?));
        let (left_out, replays) = self.write(begin).await?;
        if left_out > 0 {
            tracing::warn!(endpoint = self.endpoint.name, left_out, "ranges of another journal are not sent again");
        }
        self.replays = replays.into();
        self.take_place(seq);
        Some(())
    }

    fn take_place(&mut self, seq: Seq) {
        (self.place, self.stored, self.looked) = (seq, seq, seq);
    }

    /// Returns whether an entry that was delivered still stands in the journal; `None` if that is unknown for now.
    async fn stands(&self, sent: &Sent, head: &Head) -> Option<bool> {
        if sent.seq > head.seq {
            return Some(false);
        }
        let before = Seq::new(sent.seq.value().saturating_sub(1));
        let (batch, epoch) = self.common.feed.read(before, 1).await.ok()?;
        if *epoch != *head.epoch {
            return None;
        }
        let found = batch.events.front();
        Some(found.is_some_and(|event| event.seq == sent.seq && event.at == sent.at && event.r#type == sent.r#type))
    }

    async fn pause_in_another_past(&mut self, suggestion: Option<Seq>) {
        let name = &self.endpoint.name;
        match suggestion {
            Some(seq) => tracing::error!(
                endpoint = name,
                "paused: the database is another one, and the last delivered entry stands in it: \
                 care-relay resume {name} --from {seq}"
            ),
            None => tracing::error!(
                endpoint = name,
                "paused: the database is another one, and the pasts differ: say from where, with care-relay resume"
            ),
        }
        let (endpoint, now) = (self.endpoint.clone(), self.now());
        self.write(move |conn| state::pause_in_another_past(conn, &endpoint, suggestion, now)).await;
    }
}

/// Returns where an endpoint stands that has begun.
fn place_of(place: &Place) -> Seq {
    place.seq.unwrap_or(Seq::ZERO)
}
