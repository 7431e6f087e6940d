//! Writes the man pages of the programs into `man/` of a directory, and the completions for three shells beside it.

use std::{env, ffi::OsString, fs, io, path::Path};

use care_server::{Options, admin::Admin};
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate_to};

fn main() -> io::Result<()> {
    let directory = env::args_os().nth(1).unwrap_or_else(|| OsString::from("."));
    let directory = Path::new(&directory);
    for (name, program) in [
        ("care-server", Options::command()),
        ("care-server-rocket", Options::command()),
        ("care-admin", Admin::command()),
        ("care-relay", care_relay::program::Options::command()),
    ] {
        write(directory, name, program)?;
    }
    Ok(())
}

/// Writes the pages and completions of one program, which has this name.
fn write(directory: &Path, name: &'static str, program: Command) -> io::Result<()> {
    let program = program.name(name).bin_name(name);
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let folder = directory.join(shell.to_string());
        fs::create_dir_all(&folder)?;
        generate_to(shell, &mut program.clone(), name, folder)?;
    }
    let pages = directory.join("man");
    fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(program, pages)
}
