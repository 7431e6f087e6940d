//! The service on PostgreSQL, compared with one file, and several servers on it.

mod database;

use crate::{
    Failure, Framework, Kind, Report, Server, Setting, Table,
    clinic::Clinic,
    compare::{self, Side, Versus},
    figure,
    import::{Directory, MOST},
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
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = match setting.quick {
        true => Clinic::kept_in(&setting.directory, 1000)?,
        false => compare::clinic(setting)?,
    };
    let database = Database::of(&clinic)?;
    let on = Beside { setting, clinic: &clinic, database: &database };
    let mut table = Table::new(Versus::HEAD);
    let kept = compare::copy(setting, &clinic, "file.db")?;
    for framework in Framework::ALL {
        let (ours, theirs) = (Server::care(framework, database.address())?, Server::care(framework, &kept)?);
        for (work, kind, clients) in COMPARISONS {
            let theirs = compare::side(&theirs, clients, kind, &clinic);
            let versus = Versus::measure(setting, &on.side(&ours, clients, kind), &theirs)?;
            table.row(versus.row(work, framework.name(), ""));
        }
    }
    compare::clear(&kept);
    on.several(report)?;
    report.add(&format!("PostgreSQL beside one file, {} patients", clinic.patients), &table);
    on.in_and_out(report)
}

/// The setting, the clinic, and the database with it.
#[derive(Debug)]
struct Beside<'a> {
    setting: &'a Setting,
    clinic: &'a Clinic,
    database: &'a Database,
}

impl Beside<'_> {
    /// Returns a server on PostgreSQL with its clients. PostgreSQL's processor time is reported separately.
    fn side<'a>(&'a self, server: &'a Server, clients: usize, kind: Kind) -> Side<'a> {
        let groups = vec![compare::group(server, clients, kind, self.clinic)];
        Side { busy: vec![server, self.database], groups }
    }

    /// Measures durable writes on four servers: once with all writes on one server, as a load balancer sends them that
    /// asks for the writer, and once spread over all four.
    fn several(&self, report: &mut Report) -> Result<(), Failure> {
        let (framework, address) = (Framework::Poem, self.database.address());
        let alone = Server::care(framework, &address)?;
        let servers = (0..SERVERS).map(|_| Server::care(framework, &address)).collect::<Result<Vec<_>, _>>()?;
        let mut table = Table::new(Versus::HEAD);
        let single = self.side(&alone, 64, Kind::PutPatient);
        for (work, count, least) in [
            ("PUT patient, 64 clients, 4 servers with affinity, beside 1 server", 1, "0.90"),
            ("PUT patient, 64 clients, 4 servers without, beside 1 server", SERVERS, "0.25"),
        ] {
            let mut groups = single.groups.clone();
            groups.iter_mut().for_each(|group| {
                group.addresses = servers.iter().take(count).map(|server| server.address).collect();
            });
            let several = Side { busy: vec![&servers, self.database], groups };
            let versus = Versus::measure(self.setting, &several, &single)?;
            table.row(versus.row(work, framework.name(), least));
        }
        report.add("Several servers on PostgreSQL", &table);
        Ok(())
    }

    /// Measures patients in and out, beside one file: each way once, which takes long enough for a steady figure.
    fn in_and_out(&self, report: &mut Report) -> Result<(), Failure> {
        let patients = self.clinic.patients.min(MOST);
        let directory = Directory::with_patients(self.setting, patients)?;
        let (imported, copied) = (self.database.empty()?, self.database.empty()?);
        let mut table = Table::new(["way", "seconds", "in one file", "ratio", "at least"]);
        for (arguments, [ours, theirs], least) in [
            (&["import-patients", "patients.csv"][..], [imported.as_str(), "care.db"], "1.0"),
            (&["export", "--out", "journal.ndjson"], [&imported, "care.db"], ""),
            (&["import", "--in", "journal.ndjson"], [&copied, "copy.db"], ""),
            (&["verify"], [&copied, "copy.db"], ""),
        ] {
            let (theirs, ours) = (directory.admin(theirs, arguments)?, directory.admin(ours, arguments)?);
            let work = format!("`care-admin {}`", arguments.join(" "));
            table.row([&work, &figure(ours), &figure(theirs), &format!("{:.2}", theirs / ours), least]);
        }
        report.add(&format!("{patients} patients in and out of PostgreSQL, beside one file"), &table);
        Ok(())
    }
}
