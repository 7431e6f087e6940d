//! The web frameworks.

/// A web framework in which a server is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Framework {
    Poem,
    Rocket,
}

impl Framework {
    pub(crate) const ALL: [Self; 2] = [Self::Poem, Self::Rocket];

    /// Returns its name in the tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Poem => "Poem",
            Self::Rocket => "Rocket",
        }
    }

    /// Returns its name on the command line, and in the name of its server.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Poem => "poem",
            Self::Rocket => "rocket",
        }
    }
}
