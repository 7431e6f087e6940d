//! Records as they are stored: their kinds and identifiers, the changes of a journal entry, and its number.

pub(crate) mod chain;
pub(crate) mod change;
pub(crate) mod epoch;
pub(crate) mod identity;
pub(crate) mod journal;
pub(crate) mod links;
pub(crate) mod owner;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod seq;
pub(crate) mod series;
