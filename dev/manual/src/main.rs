//! Writes the man pages of the programs into `man/` of a directory, and the completions for three shells beside it.

use std::{env, ffi::OsString, fs, io, path::Path};

use care_server::{Options, admin::Admin};
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate_to};

fn main() -> io::Result<()> {
    let directory = env::args_os().nth(1).unwrap_or_else(|| OsString::from("."));
    let directory = Path::new(&directory);
    for (name, program) in programs() {
        write(directory, name, program)?;
    }
    Ok(())
}

/// Returns the programs with their names.
fn programs() -> [(&'static str, Command); 4] {
    [
        ("care-server", Options::command()),
        ("care-server-rocket", Options::command()),
        ("care-admin", Admin::command()),
        ("care-relay", care_relay::program::Options::command()),
    ]
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

#[cfg(test)]
mod tests {
    use std::{any::TypeId, path::PathBuf};

    use care_relay::program::{InputFile as RelayInput, StateFile};
    use care_server::{DatabaseAddress, InputFile, OutputFile};

    use super::*;

    /// Returns whether each argument for a file, here and in the commands below, has a type that says whether the file
    /// is read or written.
    fn check(path: &str, command: &Command, seen: &mut usize) {
        let files = [
            TypeId::of::<InputFile>(),
            TypeId::of::<OutputFile>(),
            TypeId::of::<DatabaseAddress>(),
            TypeId::of::<RelayInput>(),
            TypeId::of::<StateFile>(),
        ];
        let untyped = [TypeId::of::<PathBuf>(), TypeId::of::<OsString>()];
        for argument in command.get_arguments() {
            let is = |types: &[TypeId]| types.iter().any(|known| argument.get_value_parser().type_id() == *known);
            let names = argument.get_value_names().unwrap_or_default();
            let words = names.iter().flat_map(|name| name.split(|c: char| !c.is_ascii_alphabetic()));
            let is_named = words.into_iter().any(|word| matches!(word, "FILE" | "FOLDER" | "DIRECTORY" | "DIR"));
            assert!(!is(&untyped), "{path}: {argument} is a path of no type of its own");
            assert!(!is_named || is(&files), "{path}: {argument} is named like a file and has another type");
            *seen += usize::from(is(&files));
        }
        for command in command.get_subcommands() {
            check(&format!("{path} {}", command.get_name()), command, seen);
        }
    }

    #[test]
    fn each_argument_for_a_file_says_whether_it_is_read_or_written() {
        for (name, program) in programs() {
            let mut seen = 0;
            check(name, &program, &mut seen);
            assert!(seen > 0, "{name}");
        }
    }
}
