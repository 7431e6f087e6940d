//! The throttle's memory for very many addresses.

use std::ops::Range;

use super::crowd::{fare, note};
use crate::{Clinic, Failure, Finding, Run, Server};

/// Requests in progress on one connection.
const PIPELINED: u64 = 50;
/// Addresses that are tried for each patient of the sizes.
const ADDRESSES: u64 = 10;

/// Fails to authenticate from very many addresses, as a proxy would report them.
pub(crate) fn throttle(run: &Run) -> Result<Vec<Finding>, Failure> {
    let addresses = run.sizes.patients * ADDRESSES;
    let mut finding =
        Finding::of("requests without a key from very many addresses", format!("{addresses} on each server"));
    for (name, program) in &run.programs {
        let clinic = Clinic::new()?;
        let server = clinic.serve(&program.with(&["--max-failed-keys", "1", "--peer-header", "X-Forwarded-For"]))?;
        // The allocator takes its own memory once, before the measurement.
        fail(&server, 0..PIPELINED * 20)?;
        let before = server.memory()?;
        let logged = server.log.text().len();
        fail(&server, PIPELINED * 20..addresses + PIPELINED * 20)?;
        let memory = server.memory()?.saturating_sub(before);
        let logged = server.log.text().len() - logged;
        note(&mut finding, name, fare(&server, 20), run);
        let each = logged as f64 / addresses as f64;
        finding.found += &format!(", {} KiB of memory and {each:.2} bytes of log a request more", memory >> 10);
        finding.holds(name, "memory more", memory, run.bars.memory);
        finding.bar(each <= 16.0, || format!("{name}: {each:.1} bytes of log for each refusal"));
        server.end()?;
    }
    Ok(vec![finding])
}

fn fail(server: &Server, addresses: Range<u64>) -> Result<(), Failure> {
    let mut connection = care_testkit::Wire::try_open(server.address)?;
    let mut number = addresses.start;
    while number < addresses.end {
        let mut text = String::new();
        for address in number..addresses.end.min(number + PIPELINED) {
            let [_, a, b, c] = (address as u32).to_be_bytes();
            text += &format!(
                "GET /1.0.0/patient/1 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.{a}.{b}.{c}\r\nContent-Length: \
                 0\r\n\r\n"
            );
        }
        connection.try_send(text)?;
        for _ in number..addresses.end.min(number + PIPELINED) {
            connection.try_answer()?;
        }
        number += PIPELINED;
    }
    Ok(())
}
