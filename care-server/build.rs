//! Gives the programs the version that they print: the crate's, with the commit that they are built from where it is
//! known.

use std::{env, fs, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CARE_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    match named().or_else(packaged).or_else(checked_out) {
        Some(commit) => println!("cargo::rustc-env=CARE_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=CARE_VERSION={version}"),
    }
    // A program that is linked statically adjusts its own addresses, and the list of them is shorter when it is packed.
    if env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.split(',').any(|name| name == "crt-static"))
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|environment| environment == "gnu")
    {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns the commit that the environment names.
fn named() -> Option<String> {
    env::var("CARE_COMMIT").ok().filter(|commit| is_plain(commit))
}

/// Returns the commit that Cargo wrote into the package of a crate.
fn packaged() -> Option<String> {
    let written = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, after) = written.split_once("\"sha1\"")?;
    after.split('"').nth(1).filter(|commit| is_plain(commit)).map(str::to_owned)
}

/// Returns the commit of the work tree that the crate stands in, for an optimised build. A build for tests names none,
/// so that a commit alone does not cause a rebuild.
fn checked_out() -> Option<String> {
    if env::var("PROFILE").ok()? == "debug" {
        return None;
    }
    // Another project's work tree may lie around a copy of the crate.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "HEAD"]).filter(|commit| is_plain(commit))?;
    // Each commit and each checkout adds a line to this file.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    Some(commit)
}

/// Returns what git prints about the crate's directory, if it can say anything.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Returns whether the text can stand in a version that is printed in one line.
fn is_plain(commit: &str) -> bool {
    !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
