//! A harness that kills, cuts off, breaks and disturbs the Patient Care Service. It proves that every acknowledged
//! write is there, that no refused write is, and that no write is half done.
//!
//! Each [row](Row) of the tables starts a clinic, lets clients storm it, disturbs it meanwhile, and compares what is
//! left with what the clients know. The harness is a tool of this workspace and is not published;
//! `docs/reliability.md` and `dev/faults/README.md` have its results.

mod abuse;
mod base;
mod disk;
mod linear;
mod operate;
#[cfg(feature = "postgres")]
mod pg;
mod rows;
mod run;
mod runs;
mod work;

use base::{
    admin::{admin, issue},
    attempt::{Answer, Attempt, Ending, Front, Outcome, Port, Request, ask, becomes, post, told},
    finding::{Context, ensure, joined, mib, ms, percentile},
    inside::Inside,
    process::{Server, probe},
    together::{Over, at_once, beside, lock},
    wire::Wire,
};
pub use base::{
    finding::{Failure, Finding, Result},
    programs::Program,
};
pub use rows::Row;
pub use run::Run;
use work::{
    bodies,
    clinic::{Clinic, Moment, stock},
    place::{BACKED_UP, BEFORE, Place, has, moment},
    prove::prove,
    storm::Storm,
};

/// The result of most rows.
const NOTHING: &str = "0 lost, 0 half there, 0 there twice";
