//! The contract itself, without a frontend.

use care_conformance::http::InProcess;

care_conformance::http_suite!(InProcess);
