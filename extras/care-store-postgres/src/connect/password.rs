//! Passwords from the environment, from the places where libpq looks.

use std::{env, fs, path::PathBuf};

use tokio_postgres::{Config, config::Host};

/// The port of an address that names none.
const PORT: u16 = 5432;
/// The socket directories to which a line for `localhost` also applies.
const LOCAL: [&str; 2] = ["/run/postgresql", "/var/run/postgresql"];

/// The fields of a line that come before the password.
struct Login<'a> {
    host: String,
    port: String,
    database: &'a str,
    user: &'a str,
}

/// Returns `PGPASSWORD`, or the first password in the password file for one of the hosts.
pub(crate) fn from_environment(config: &Config) -> Option<Vec<u8>> {
    let given = env::var_os("PGPASSWORD").filter(|given| !given.is_empty());
    if let Some(given) = given {
        return Some(given.into_encoded_bytes());
    }
    let lines = read(&path()?)?;
    logins(config).iter().find_map(|login| login.password(&lines)).map(String::into_bytes)
}

/// Returns the path of the password file.
fn path() -> Option<PathBuf> {
    let named = env::var_os("PGPASSFILE").filter(|named| !named.is_empty()).map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".pgpass")))
}

/// Returns the lines of a file, if only its owner may read it.
fn read(path: &PathBuf) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        if fs::metadata(path).ok()?.permissions().mode() & 0o077 != 0 {
            tracing::warn!(
                file = %path.display(),
                "a password file that others may read is ignored: it must have mode 0600"
            );
            return None;
        }
    }
    fs::read_to_string(path).ok()
}

/// Returns the logins of an address, one for each host.
fn logins(config: &Config) -> Vec<Login<'_>> {
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(directory) => directory.display().to_string(),
    });
    let hosts: Vec<_> = match config.get_hosts() {
        [] => config.get_hostaddrs().iter().map(ToString::to_string).collect(),
        _ => hosts.collect(),
    };
    let ports = config.get_ports();
    let port = |index: usize| ports.get(index).or_else(|| ports.first()).copied().unwrap_or(PORT);
    let login = |(index, host)| Login { host, port: port(index).to_string(), database, user };
    hosts.into_iter().enumerate().map(login).collect()
}

impl Login<'_> {
    /// Returns the password of the first line that matches this login.
    fn password(&self, lines: &str) -> Option<String> {
        lines.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let [host, port, database, user, password] = <[String; 5]>::try_from(fields(line)).ok()?;
            let is_local = host == "localhost" && LOCAL.contains(&self.host.as_str());
            let is_meant = (is_local || speaks_of(&host, &self.host))
                && speaks_of(&port, &self.port)
                && speaks_of(&database, self.database)
                && speaks_of(&user, self.user);
            is_meant.then_some(password)
        })
    }
}

fn speaks_of(field: &str, value: &str) -> bool {
    field == "*" || field == value
}

/// Splits a line at its colons. A backslash escapes the next character.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        let taken = match char {
            ':' => {
                fields.push(String::new());
                continue;
            }
            '\\' => chars.next(),
            other => Some(other),
        };
        if let Some(field) = fields.last_mut() {
            field.extend(taken);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(address: &str, lines: &str) -> Option<String> {
        let config: Config = address.parse().expect("an address");
        logins(&config).iter().find_map(|login| login.password(lines))
    }

    #[test]
    fn the_first_line_that_speaks_of_the_login_counts() {
        let lines = "# db:5432:care:desk:comment\ndb:5432:other:desk:1\ndb:5432:care:desk:2\n*:*:*:*:3\n";
        assert_eq!(password("postgres://desk@db/care", lines).as_deref(), Some("2"));
        assert_eq!(password("postgres://desk@db:6432/care", lines).as_deref(), Some("3"));
        assert_eq!(password("postgres://desk@db/other", lines).as_deref(), Some("1"));
        assert_eq!(password("postgres://desk@db", "db:*:desk:desk:4").as_deref(), Some("4"));
        assert_eq!(password("postgres://desk@db/care", "db:5432:care:front:5\n"), None);
    }

    #[test]
    fn each_host_is_looked_for_with_its_own_port() {
        let lines = "two:5433:*:*:second\n";
        assert_eq!(password("postgres://desk@one,two:5433/care", lines).as_deref(), Some("second"));
        assert_eq!(password("postgres://desk@one:5433,two:5432/care", lines), None);
    }

    #[test]
    fn colons_and_backslashes_are_escaped_and_other_lines_skipped() {
        assert_eq!(password("postgres://desk@db/care", r"d\b:*:*:*:a\:b\\c").as_deref(), Some(r"a:b\c"));
        assert_eq!(password("postgres://desk@db/care", "db:*:*:missing\ndb:*:*:*:x:y\n"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_goes_by_its_directory_and_the_usual_one_is_local() {
        let usual = "postgres:///care?host=/run/postgresql&user=desk";
        assert_eq!(password(usual, "localhost:*:*:*:here").as_deref(), Some("here"));
        assert_eq!(password("postgres:///care?host=/srv&user=desk", "localhost:*:*:*:here"), None);
        assert_eq!(password("postgres:///care?host=/srv&user=desk", "/srv:*:*:*:there").as_deref(), Some("there"));
    }
}
