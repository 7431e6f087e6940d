//! Sets the version that the programs print: the crate's version and, if it is known, the commit they are built from.

use std::{env, fs, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CARE_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    match named().or_else(packaged).or_else(checked_out) {
        Some(commit) => println!("cargo::rustc-env=CARE_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=CARE_VERSION={version}"),
    }
    // A statically linked program relocates itself; the list of relocations is shorter when it is packed.
    if env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.split(',').any(|name| name == "crt-static"))
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|environment| environment == "gnu")
    {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns the commit from the environment.
fn named() -> Option<String> {
    env::var("CARE_COMMIT").ok().filter(|commit| is_plain(commit))
}

/// Returns the commit that Cargo recorded in the crate's package.
fn packaged() -> Option<String> {
    let written = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, after) = written.split_once("\"sha1\"")?;
    after.split('"').nth(1).filter(|commit| is_plain(commit)).map(str::to_owned)
}

/// Returns the commit of the crate's work tree, for an optimised build. Test builds leave it out, so that a commit
/// alone does not cause a rebuild.
fn checked_out() -> Option<String> {
    if env::var("PROFILE").ok()? == "debug" {
        return None;
    }
    // A copy of the crate may lie inside another project's work tree.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "HEAD"]).filter(|commit| is_plain(commit))?;
    // Each commit and each checkout adds a line to this file.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    Some(commit)
}

/// Runs git in the crate's directory, and returns its output if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Returns whether the text fits into a one-line version.
fn is_plain(commit: &str) -> bool {
    !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
