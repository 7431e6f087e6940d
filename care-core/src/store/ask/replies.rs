//! Questions about replies to requests that may be repeated.

use super::{
    index::{REPLY_BY_AGE, REPLY_TO},
    key::Ask,
    term::Comparison,
};
use crate::{
    model::Timestamp,
    store::{Reply, RequestKey, Versioned},
};

impl Reply {
    /// Asks for the reply to the request with this key. There is at most one.
    pub fn to(RequestKey { actor, key }: &RequestKey) -> Ask<Option<Versioned<Self>>> {
        REPLY_TO.rows([(&**actor).into(), (&**key).into()]).one()
    }

    /// Asks for the two oldest replies before this instant, or fewer. Those of the same instant are ordered by
    /// identifier.
    pub fn oldest_before(instant: Timestamp) -> Ask<Vec<Versioned<Self>>> {
        REPLY_BY_AGE.rows([]).compared("at", Comparison::Below, Some(instant.unix_millis())).by_index().two()
    }
}
