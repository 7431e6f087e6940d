//! The service beside hand-written servers.

use super::{
    beside::{Asked, Beside},
    database::slowed,
};
use crate::{Failure, Framework, Handler, Kind, Report, Server, Table, compare::Versus};

/// Each comparison: its name, what is asked, and the expected ratios in Poem and in Rocket.
type Comparison = (&'static str, Asked, [&'static str; 2]);

const PLAIN: [Comparison; 5] = [
    ("GET patient, 64 clients", Asked(Kind::PatientJson, 64), ["0.90", "0.80"]),
    ("GET patient, 1 client", Asked(Kind::PatientJson, 1), ["", ""]),
    ("GET prescription, 64 clients", Asked(Kind::Prescription, 64), ["", ""]),
    ("PUT patient, 64 clients", Asked(Kind::PutPatient, 64), ["1.0", "1.0"]),
    ("PUT patient, 1 client", Asked(Kind::PutPatient, 1), ["0.75", "0.75"]),
];

const SLOWED: [Comparison; 2] = [
    ("PUT patient, 64 clients, commits slowed", Asked(Kind::PutPatient, 64), ["1.3", "1.3"]),
    ("POST prescription of one medicine, 64 clients, commits slowed", Asked(Kind::Prescribe, 64), ["15", "15"]),
];

/// Measures each comparison in both frameworks.
pub(super) fn measure(on: &Beside<'_>, report: &mut Report) -> Result<(), Failure> {
    let mut table = Table::new(Versus::HEAD);
    let (ours, theirs) = (on.database.ours(), on.database.theirs());
    for (place, framework) in Framework::ALL.into_iter().enumerate() {
        for (comparisons, ours, theirs) in [(&PLAIN[..], &ours, &theirs), (&SLOWED, &slowed(&ours), &slowed(&theirs))] {
            let ours = Server::care(framework, ours)?;
            let theirs = Server::other(framework, Handler::Pool, theirs)?;
            for (work, asked, least) in comparisons {
                let versus = on.versus(&ours, &theirs, *asked)?;
                table.row(versus.row(&format!("{work}, beside a pool"), framework.name(), least[place]));
            }
        }
    }
    report.add(&format!("PostgreSQL beside hand-written servers, {} patients", on.clinic.patients), &table);
    Ok(())
}
