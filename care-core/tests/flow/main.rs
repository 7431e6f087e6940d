//! The flow through the library: register, consult, prescribe, bill, pay; and the cases that are refused.

#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod auditing;
mod billing;
mod chain;
mod clinic;
mod consulting;
mod contradictions;
mod erasing;
mod growing;
mod money;
mod money_days;
mod months;
mod races;
mod records;
mod repeating;
mod restocking;
mod rows;
mod selections;
mod shelf_days;
mod shelves;
mod work;
