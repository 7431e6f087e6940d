//! The harness on the command line.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use care_faults::{
    Program,
    failure::Failure,
    kill,
    planted::{Frontend, Plant, serve},
};
use clap::{Parser, Subcommand};

/// Kills, cuts, breaks and disturbs the Patient Care Service, and prints what came of it as a table.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
    /// How often; each task has its own measure.
    #[arg(long, global = true)]
    rounds: Option<u64>,
    /// The seed of all chance.
    #[arg(long, global = true, default_value_t = 20_260_315)]
    seed: u64,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// SIGKILL at random moments of a storm.
    Kill,
    /// Serve a database with a planted bug.
    #[command(hide = true)]
    Serve {
        plant: Plant,
        #[arg(long)]
        bind: SocketAddr,
        #[arg(long)]
        api_key: String,
        #[arg(long)]
        database: PathBuf,
        #[arg(long, default_value = "poem")]
        frontend: Frontend,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("care-faults: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.task {
        Task::Kill => {
            for program in [Program::poem()?, Program::rocket()?] {
                let kills = kill::kill(&program, arguments.rounds.unwrap_or(100), arguments.seed)?;
                println!("{kills:?}");
            }
            Ok(())
        }
        Task::Serve { plant, bind, api_key, database, frontend } => serve(plant, frontend, &database, bind, &api_key),
    }
}
