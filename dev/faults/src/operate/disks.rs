//! A full disk and a read-only disk, for `care-admin`.

use std::{fs, time::Duration};

use crate::{BACKED_UP, BEFORE, Context as _, Finding, Place, Result, Run, admin, ensure};

/// Longest time for a task.
const PATIENCE: Duration = Duration::from_secs(20);
/// Each task that writes, and the file that it would create.
const TASKS: [(&[&str], Option<&str>); 8] = [
    (&["backup", "disk/made.db", "--database", "disk/care.db"], Some("made.db")),
    (&["backup", "disk/other.db", "--database", "disk/care.db", "--overwrite"], None),
    (&["restore", "backup.db", "--database", "disk/made.db"], Some("made.db")),
    (&["restore", "backup.db", "--database", "disk/care.db", "--overwrite"], None),
    (&["export", "--database", "disk/care.db", "--out", "disk/made.ndjson"], Some("made.ndjson")),
    (&["import", "--database", "disk/made.db", "--in", "source.ndjson"], None),
    (&["erase-patient", "777", "--database", "disk/care.db"], None),
    (&["keys", "issue", "--name", "Clerk", "--scope", "all", "--database", "disk/care.db"], None),
];

/// Runs each task that writes on a full disk and on a read-only one. The task succeeds, or refuses with a message. The
/// database stays sound, and no partial file gets its final name.
pub(crate) fn disks(_: &Run) -> Result<Vec<Finding>> {
    let (mut refused, mut done) = (0, 0);
    for disk in ["full", "read-only"] {
        for (task, made) in TASKS {
            let is_done = one(task, made, disk).when(format!("`{}` on a {disk} disk", task.join(" ")))?;
            *(if is_done { &mut done } else { &mut refused }) += 1;
        }
    }
    let found =
        format!("{refused} refused in a sentence and {done} done; the database sound, no half file under a name");
    Ok(vec![Finding::new(format!("{} tasks", refused + done)).found(found)])
}

fn one(task: &[&str], made: Option<&str>, disk: &str) -> Result<bool> {
    let place = Place::new()?;
    place.create("care.db", BEFORE, false)?;
    place.create("backup.db", BACKED_UP, false)?;
    place.done(&["export", "--database", "backup.db", "--out", "source.ndjson"])?;
    fs::create_dir(place.path("disk"))?;
    fs::create_dir(place.path("after"))?;
    // No other process sees this disk, so its files are copied off it before the process ends.
    let script = r#"how=$1; shift
        mount -t tmpfs -o size=4m tmpfs disk || exit 91
        cp care.db disk/care.db && cp care.db disk/other.db || exit 92
        if [ "$how" = full ]; then head -c 100000000 /dev/zero > disk/ballast 2>/dev/null
        else mount -o remount,ro disk || exit 93; fi
        "$@"; code=$?
        rm -f disk/ballast; cp disk/* after/
        exit $code"#;
    let ended = admin(place.folder(), &["unshare", "-Urm", "sh", "-c", script, "sh", disk], task, None)?;
    let (code, said) = (ended.status.code().unwrap_or_default(), ended.log.trim());
    ensure!(code < 90, "the disk cannot be made: {code}, {said}");
    ensure!(ended.after < PATIENCE, "it took {:?}", ended.after);
    let is_done = code == 0;
    ensure!(is_done || said.lines().count() == 1, "refused with {code} and these words: {said:?}");
    ensure!(is_done || !said.contains("panicked"), "it panics: {said}");
    place.done(&["verify", "--database", "after/care.db"])?;
    if let Some(made) = made {
        let is_there = place.path(&format!("after/{made}")).exists();
        ensure!(is_there == is_done, "exit code {code}, and {made} is there: {is_there}");
    }
    let name = "after/care.db";
    let is_replaced = is_done && task[0] == "restore" && task.contains(&"--overwrite");
    ensure!(place.holds(name, BACKED_UP)? == is_replaced, "exit code {code}, and another database");
    let was_erased = task[0] == "erase-patient" && is_done;
    ensure!(
        place.holds(name, BEFORE)? != (is_replaced || was_erased),
        "exit code {code}, and the patient of before is not as said"
    );
    Ok(is_done)
}
