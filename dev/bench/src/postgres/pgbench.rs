//! A PostgreSQL client without HTTP.

use std::{fs, process::Stdio, time::Duration};

use super::Database;
use crate::{Failure, compare::Measurement, server::Busy};

/// Runs pgbench with random reads of patients for this time, which it rounds down to seconds.
pub(super) fn measure(
    database: &Database,
    patients: u64,
    clients: usize,
    time: Duration,
) -> Result<Measurement, Failure> {
    let script = database.directory().join("patient.sql");
    fs::write(&script, format!("\\set id random(1, {patients})\nSELECT * FROM patient WHERE patient_id = :id;\n"))?;
    let seconds = time.as_secs().max(1);
    let mut pgbench = database.client("pgbench");
    pgbench.args(["--no-vacuum", "--protocol=prepared", "--jobs=2"]).arg(format!("--client={clients}"));
    pgbench.arg(format!("--time={seconds}")).arg("--file").arg(script);
    let before = database.cpu()?;
    let ended = pgbench.stdin(Stdio::null()).output()?;
    let spent = (database.cpu()? - before).as_secs_f64();
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    let number = |name: &str| {
        let line = printed.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let (Some(per_second), Some(all), true) =
        (number("tps = "), number("number of transactions actually processed: "), ended.status.success())
    else {
        return Err(format!("pgbench: {printed}{}", String::from_utf8_lossy(&ended.stderr)).into());
    };
    let unknown = f64::NAN;
    Ok(Measurement { per_second, p50: unknown, p99: unknown, slowest: unknown, cpu: vec![spent * 1e6 / all] })
}
