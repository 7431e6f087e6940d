//! The contract in Poem, over sockets.

mod frontends;

care_conformance::http_suite!(frontends::Poem);
