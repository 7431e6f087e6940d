//! The example of this crate, run as a program: a schema of a host's own beside that of the service.

use care_store_postgres::PostgresStore;
use care_testkit::example;

use super::scratch::{Server, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![test("a_host_has_a_schema_of_its_own_beside_the_service", beside)]
}

fn beside(server: &Server) {
    let address = server.cluster().address("public");
    let (address, _) = address.rsplit_once("&options=").expect("an address with a schema");
    let output = example("own_schema").expect("a path").arg(address).output().expect("the example runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"Ada Example comes at 09:00, known since entry 1\n");
    drop(PostgresStore::open(&server.cluster().address("care")).expect("a schema of the service"));
}
