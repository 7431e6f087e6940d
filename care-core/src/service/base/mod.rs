//! Parts of every use case: the draft of its changes, the judgement of new values, its answer with a version, and
//! stored records beside the figures of now.
//!
//! Nothing here is a use case, and nothing here knows a noun's rules.

pub(crate) mod answer;
pub(crate) mod bounds;
pub(crate) mod draft;
pub(crate) mod facility;
pub(crate) mod figures;
pub(crate) mod handle;
pub(crate) mod idempotency;
pub(crate) mod live;
pub(crate) mod new_values;
pub(crate) mod page;
pub(crate) mod pieces;
pub(crate) mod waiting;
