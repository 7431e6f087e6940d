//! The flow at the level of the library: register, consult, prescribe, bill, pay; and what must not happen.

mod billing;
mod clinic;
mod consulting;
mod races;
mod records;
mod restocking;
