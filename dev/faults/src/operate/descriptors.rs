//! Too few file descriptors, for a server and for `care-admin`.

use std::{net::TcpStream, thread, time::Duration};

use crate::{BEFORE, Context as _, Finding, Place, Request, Result, Run, Server, admin, becomes, ensure};

/// Limits of open files.
const FEW: [u32; 10] = [4, 6, 8, 12, 16, 24, 40, 64, 80, 150];

/// Runs servers and `care-admin` with few file descriptors. Each works, or refuses with a message. A server whose
/// descriptors are all taken by a crowd answers again once the crowd is gone. The database stays sound.
pub(crate) fn descriptors(run: &Run) -> Result<Vec<Finding>> {
    let (mut up, mut refused, mut done) = (0, 0, 0);
    let place = Place::new()?;
    place.create("care.db", BEFORE, false)?;
    for few in FEW {
        let limit = format!("--nofile={few}:{few}");
        for (name, program) in &run.programs {
            match Server::start(&program.behind("prlimit", &[&limit]), &place.database()) {
                Ok(server) => {
                    crowd(server, few).when(format!("{name} with {few} descriptors"))?;
                    up += 1;
                }
                Err(sentence) => {
                    ensure!(!sentence.to_string().contains("panicked"), "{name} with {few} descriptors: {sentence}");
                    refused += 1;
                }
            }
            place.done(&["verify", "--database", "care.db"])?;
        }
        for task in
            [&["verify", "--database", "care.db"][..], &["backup", "made.db", "--database", "care.db", "--overwrite"]]
        {
            let ended = admin(place.folder(), &["prlimit", &limit], task, None)?;
            let is_word = ended.status.success() || !ended.log.is_empty() && !ended.log.contains("panicked");
            ensure!(is_word, "`{}` with {few} descriptors: {ended:?}", task[0]);
            done += u32::from(ended.status.success());
        }
        place.done(&["verify", "--database", "care.db"])?;
    }
    let found = format!(
        "{up} servers came up, were crowded out and answered again, {refused} refused in a sentence; `care-admin` did \
         {done} tasks and refused the others"
    );
    Ok(vec![Finding::new(format!("{} times", FEW.len() * 4)).found(found)])
}

/// Takes all of a server's descriptors with connections, and then closes them.
fn crowd(server: Server, few: u32) -> Result<()> {
    // Once the backlog is full too, the system accepts no more connections.
    let connect = |_| TcpStream::connect_timeout(&server.address, Duration::from_millis(200)).ok();
    let crowd: Vec<_> = (0..few * 2).map_while(connect).collect();
    thread::sleep(Duration::from_millis(50));
    drop(crowd);
    let patient = Request::get(format!("/patient/{BEFORE}"));
    becomes(&mut server.port(), &patient, 200, Duration::from_secs(5))?;
    server.end().map(drop)
}
