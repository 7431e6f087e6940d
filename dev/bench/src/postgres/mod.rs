//! The service on PostgreSQL, compared with one file, and several servers on it.

mod database;

use crate::{
    Clinic, Comparisons, FRAMEWORKS, Failure, Kind, Server, Setting, Side, Table,
    clinic::{clear, copy},
    figure,
    import::Directory,
};
use database::Database;

/// Each comparison with the service on one file: its name, what is asked, and by how many clients.
const COMPARISONS: [(&str, Kind, usize); 6] = [
    ("GET patient, 64 clients", Kind::PatientJson, 64),
    ("GET patient, 1 client", Kind::PatientJson, 1),
    ("GET prescription, 64 clients", Kind::Prescription, 64),
    ("PUT patient, 64 clients", Kind::PutPatient, 64),
    ("PUT patient, 1 client", Kind::PutPatient, 1),
    ("POST prescription of one medicine, 64 clients", Kind::Prescribe, 64),
];

/// The number of servers on one database.
const SERVERS: usize = 4;

/// Measures everything on a PostgreSQL server that is started for it.
pub(crate) fn measure(setting: &Setting) -> Result<(), Failure> {
    let clinic = match setting.quick {
        true => Clinic::kept_in(&setting.directory, 1000)?,
        false => Clinic::largest(setting)?,
    };
    let database = Database::of(&clinic)?;
    let mut table = Comparisons::of(setting);
    let kept = copy(setting, &clinic, "file.db")?;
    for framework in FRAMEWORKS {
        let ours = Server::care(framework, &database.address, &[])?;
        let theirs = Server::care(framework, &kept, &[])?;
        for (work, kind, clients) in COMPARISONS {
            let theirs = Side::of(&theirs, clinic.patients, &[(clients, kind)]);
            let ours = side(&database, &ours, clinic.patients, clients, kind);
            table.measure(work, framework, [ours, theirs], "")?;
        }
    }
    clear(&kept);
    several(setting, &database, clinic.patients)?;
    table.print(&format!("PostgreSQL beside one file, {} patients", clinic.patients));
    in_and_out(setting, &database, clinic.patients)
}

/// Returns a server on PostgreSQL with its clients. PostgreSQL's processor time is reported separately.
fn side<'a>(database: &'a Database, server: &'a Server, patients: u64, clients: usize, kind: Kind) -> Side<'a> {
    let mut side = Side::of(server, patients, &[(clients, kind)]);
    side.processor.push(Box::new(|| database.processor()));
    side
}

/// Measures durable writes on four servers: once with all writes on one server, as a load balancer sends them that
/// asks for the writer, and once spread over all four.
fn several(setting: &Setting, database: &Database, patients: u64) -> Result<(), Failure> {
    let [framework, _] = FRAMEWORKS;
    let start = || Server::care(framework, &database.address, &[]);
    let alone = start()?;
    let servers = (0..SERVERS).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
    let mut table = Comparisons::of(setting);
    for (work, count, least) in [
        ("PUT patient, 64 clients, 4 servers with affinity, beside 1 server", 1, "0.90"),
        ("PUT patient, 64 clients, 4 servers without, beside 1 server", SERVERS, "0.25"),
    ] {
        let [mut several, single] = [&servers[0], &alone].map(|on| side(database, on, patients, 64, Kind::PutPatient));
        several.processor[0] = Box::new(|| servers.iter().map(|server| server.processor()).sum());
        several.groups[0].addresses = servers.iter().take(count).map(|server| server.address).collect();
        table.measure(work, framework, [several, single], least)?;
    }
    table.print("Several servers on PostgreSQL");
    Ok(())
}

/// Measures patients in and out, beside one file: each way once, which takes long enough for a steady figure.
fn in_and_out(setting: &Setting, database: &Database, patients: u64) -> Result<(), Failure> {
    let (directory, patients) = Directory::with_patients(setting, patients)?;
    let (imported, copied) = (database.empty()?, database.empty()?);
    let mut table = Table::new(["way", "seconds", "in one file", "ratio", "at least"]);
    for (arguments, [ours, theirs], least) in [
        (&["import-patients", "patients.csv"][..], [imported.as_str(), "care.db"], "1.0"),
        (&["export", "--out", "journal.ndjson", "--overwrite"], [&imported, "care.db"], ""),
        (&["import", "--in", "journal.ndjson"], [&copied, "copy.db"], ""),
        (&["verify"], [&copied, "copy.db"], ""),
    ] {
        let (theirs, ours) = (directory.admin(theirs, arguments)?, directory.admin(ours, arguments)?);
        let work = format!("`care-admin {}`", arguments.join(" "));
        table.row([&work, &figure(ours), &figure(theirs), &format!("{:.2}", theirs / ours), least]);
    }
    table.print(&format!("{patients} patients in and out of PostgreSQL, beside one file"));
    Ok(())
}
