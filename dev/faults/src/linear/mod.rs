//! A linearizability check: concurrent clients of two servers must see one clinic. Some order of all requests, in which
//! each takes effect at one moment between being sent and being answered, must explain every answer.
//!
//! Eight clients, half of them on each server, send requests about three records as fast as they can: a
//! patient that is read, written and written with `If-Match`; a bill, which is five
//! invoices of one patient that are paid and cancelled while their list and the history are read; and a
//! shelf whose units are received, removed and counted. `todc-utils` judges the answers by the algorithm
//! of Wing, Gong and Lowe. It is an independent library, and the models here share no code with the service.
//!
//! A write that is not answered, or is answered with 500, stays open: it may take effect at any later moment, or never.
//! A write that is refused for now (503) must never take effect. No model knows of it, so any answer that shows it is
//! detected.

mod bill;
mod history;
mod patient;
mod places;
mod postgres;
mod round;
mod shelf;
#[cfg(test)]
mod stale;

pub(crate) use places::on_one_file;
pub(crate) use postgres::{through_kills, through_promotions};
