//! The contract in Rocket, over sockets.

mod frontends;

care_conformance::http_suite!(frontends::Rocket);
