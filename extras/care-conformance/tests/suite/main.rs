//! The suites against everything in this workspace that needs no database: both frontends over sockets, the contract
//! without one, the memory store, and a second store with planted defects; and what the contract's page promises.
//!
//! One program, because each would link both frameworks anew.

#![cfg(feature = "http")]

mod contract;
mod frontends;
mod hostile;
mod members;
mod memory;
mod parity;
mod replica;

mod core {
    use care_conformance::http::InProcess;

    care_conformance::http_suite!(InProcess);
}

mod poem {
    care_conformance::http_suite!(crate::frontends::Poem);
}

mod rocket {
    care_conformance::http_suite!(crate::frontends::Rocket);
}
