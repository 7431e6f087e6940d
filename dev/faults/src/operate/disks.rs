//! A full disk and a read-only disk, for `care-admin`.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use crate::{BACKED_UP, BEFORE, Context as _, Finding, Place, Result, Run, can_mount, ensure, left_out, programs};

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
    if !can_mount() {
        return left_out("nothing can be mounted here");
    }
    let (mut refused, mut done) = (0, 0);
    for is_full in [true, false] {
        for (task, made) in TASKS {
            let disk = if is_full { "full" } else { "read-only" };
            let is_done = one(task, made, is_full).when(format!("`{}` on a {disk} disk", task.join(" ")))?;
            *(if is_done { &mut done } else { &mut refused }) += 1;
        }
    }
    let found =
        format!("{refused} refused in a sentence and {done} done; the database sound, no half file under a name");
    Ok(vec![Finding::new(format!("{} tasks", refused + done)).found(found)])
}

fn one(task: &[&str], made: Option<&str>, is_full: bool) -> Result<bool> {
    let place = Place::new()?;
    place.create("care.db", BEFORE, false)?;
    place.create("backup.db", BACKED_UP, false)?;
    place.done(&["export", "--database", "backup.db", "--out", "source.ndjson"])?;
    fs::create_dir(place.path("disk"))?;
    fs::create_dir(place.path("after"))?;
    // No other process sees this disk, so its files are copied off it before the process ends.
    let script = r#"folder=$1; how=$2; shift 2; cd "$folder" || exit 90
        mount -t tmpfs -o size=4m tmpfs disk || exit 91
        cp care.db disk/care.db && cp care.db disk/other.db || exit 92
        if [ "$how" = full ]; then head -c 100000000 /dev/zero > disk/ballast 2>/dev/null
        else mount -o remount,ro disk || exit 93; fi
        "$@"; code=$?
        rm -f disk/ballast; cp disk/* after/
        exit $code"#;
    let mut command = Command::new("unshare");
    command.env_clear().args(["-Urm", "sh", "-c", script, "sh"]).arg(place.folder());
    command.arg(if is_full { "full" } else { "read-only" }).arg(programs::admin()?).args(task);
    let begun = Instant::now();
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let code = output.status.code().unwrap_or_default();
    ensure!(code < 90, "the disk cannot be made: {code}, {said}");
    ensure!(begun.elapsed() < PATIENCE, "it took {:?}", begun.elapsed());
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
