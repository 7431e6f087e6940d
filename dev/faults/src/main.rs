//! The harness on the command line.

mod tables;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use care_faults::{
    failure::Failure,
    planted::{Frontend, Plant, serve},
};
use clap::{Parser, Subcommand};

use tables::{bounds::Abuse, emergencies::Operate, judged::Linear, table::Row};

/// Kills, cuts off, breaks and disturbs the Patient Care Service, and prints the results as a Markdown table. The exit
/// code is 0 only if nothing was lost.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
    /// The number of rounds; each task counts in its own unit and has its own default.
    #[arg(long, global = true)]
    rounds: Option<u64>,
    /// The seed of all random choices.
    #[arg(long, global = true, default_value_t = 20_260_315)]
    seed: u64,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Everything, one after the other.
    All,
    /// SIGKILL at random moments of a storm.
    Kill,
    /// SIGKILL at the Nth system call that writes.
    Syscall,
    /// Power cuts.
    Power,
    /// Disks that fail.
    Io,
    /// Disks that fail the system calls of a server.
    Calls,
    /// Disks that run full, or are read-only.
    Full,
    /// SIGTERM under load.
    Stop,
    /// Clients that disconnect at every stage.
    Clients,
    /// Clients that are slow in every way.
    Slow,
    /// A million requests, with a look at memory.
    Soak,
    /// Clients that race for one payment.
    Race,
    /// SIGKILL at each call of a payment, a refund and a correction.
    Payment,
    /// Panics.
    Panic,
    /// Damaged files.
    Damage,
    /// Files that another process has locked.
    Files,
    /// Clocks that jump.
    Clock,
    /// SIGKILL of the relay of webhooks, and of the server that it follows.
    Relay,
    /// The most expensive requests that the limits allow, compared with ordinary ones.
    Abuse(Abuse),
    /// Operators' tasks in an emergency.
    Operate(Operate),
    /// Histories of concurrent clients of two servers.
    Linear(Linear),
    /// PostgreSQL that crashes, fails over, hangs, is cut off or reports errors.
    #[cfg(feature = "postgres")]
    Pg(tables::failover::Postgres),
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
    let rows = match arguments.task {
        Task::All => Row::ALL,
        Task::Kill => &[Row::Kill],
        Task::Syscall => &[Row::Syscall],
        Task::Power => &[Row::Power],
        Task::Io => &[Row::Errors],
        Task::Calls => &[Row::FailedCalls],
        Task::Full => &[Row::Full],
        Task::Stop => &[Row::Stop],
        Task::Clients => &[Row::Clients],
        Task::Slow => &[Row::Slow],
        Task::Soak => &[Row::Soak],
        Task::Race => &[Row::Race],
        Task::Payment => &[Row::Payment],
        Task::Panic => &[Row::Panic],
        Task::Damage => &[Row::Damage],
        Task::Files => &[Row::Locked],
        Task::Clock => &[Row::Clock],
        Task::Relay => &[Row::Relay],
        Task::Abuse(abuse) => return abuse.run(arguments.seed),
        Task::Operate(operate) => return operate.run(arguments.rounds, arguments.seed),
        Task::Linear(linear) => return linear.run(arguments.rounds, arguments.seed),
        #[cfg(feature = "postgres")]
        Task::Pg(postgres) => return postgres.run(arguments.rounds, arguments.seed),
        Task::Serve { plant, bind, api_key, database, frontend } => {
            return serve(plant, frontend, &database, bind, &api_key);
        }
    };
    tables::table::print(rows, arguments.rounds, arguments.seed)
}
