//! The schema that an address means.

/// The place in a search path that stands for a schema named like the role. Any role that may make schemas in the
/// database could make that one, and so choose where the service keeps its records.
const OF_THE_ROLE: &str = "$user";

/// Returns the first schema that a search path names: the one that stands in the address or, without one there, the one
/// that was set for the role or the database. Unless anything was set, it is `public`. A schema that is there because
/// it is named like the role is never meant.
pub(crate) fn schema(path: &str) -> Option<String> {
    let own = |name: &String| ["pg_catalog", "pg_temp", OF_THE_ROLE, ""].contains(&name.as_str());
    names(path).into_iter().find(|name| !own(name))
}

/// Returns the names of a list as PostgreSQL reads them: those without quotes in lower case.
fn names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = path.trim_start();
    while !rest.is_empty() {
        let mut name = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            while let Some((part, behind)) = rest.split_once('"') {
                name.push_str(part);
                rest = behind;
                // Two are one in the name.
                match rest.strip_prefix('"') {
                    Some(behind) => rest = behind,
                    None => break,
                }
                name.push('"');
            }
        }
        let (bare, behind) = rest.split_once(',').unwrap_or((rest, ""));
        name.push_str(&bare.trim().to_ascii_lowercase());
        names.push(name);
        rest = behind.trim_start();
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_named_schema_is_meant_and_never_that_of_the_role() {
        for (path, due) in [
            ("\"$user\", public", Some("public")),
            ("$user,public", Some("public")),
            ("care_1", Some("care_1")),
            ("Care , public", Some("care")),
            ("\"Facility \"\"A\"\", B\", public", Some("Facility \"A\", B")),
            ("pg_catalog, care, pg_temp", Some("care")),
            ("\"$user\"", None),
            ("\"\"", None),
            ("", None),
        ] {
            assert_eq!(schema(path).as_deref(), due, "{path}");
        }
    }
}
