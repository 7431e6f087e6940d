//! Several servers on one database, compared with one.

use super::beside::{Asked, Beside};
use crate::{
    Failure, Framework, Kind, Report, Server, Table,
    compare::{Side, Versus},
};

/// The number of servers.
const SERVERS: usize = 4;

/// Measures durable writes on four servers: once with all writes on one server, as a load balancer sends them that asks
/// for the writer, and once spread over all four.
pub(super) fn measure(on: &Beside<'_>, report: &mut Report) -> Result<(), Failure> {
    let (framework, address) = (Framework::Poem, on.database.ours());
    let alone = Server::care(framework, &address)?;
    let servers = (0..SERVERS).map(|_| Server::care(framework, &address)).collect::<Result<Vec<_>, _>>()?;
    let mut table = Table::new(Versus::HEAD);
    let single = on.side(&alone, Asked(Kind::PutPatient, 64));
    for (work, count, least) in [
        ("PUT patient, 64 clients, 4 servers with affinity, beside 1 server", 1, "0.90"),
        ("PUT patient, 64 clients, 4 servers without, beside 1 server", SERVERS, "0.25"),
    ] {
        let mut groups = single.groups.clone();
        groups.iter_mut().for_each(|group| {
            group.addresses = servers.iter().take(count).map(|server| server.address).collect();
        });
        let versus = Versus::measure(on.setting, &Side { busy: vec![&servers, on.database], groups }, &single)?;
        table.row(versus.row(work, framework.name(), least));
    }
    report.add("Several servers on PostgreSQL", &table);
    Ok(())
}
