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

    /// Returns its name on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Poem => "poem",
            Self::Rocket => "rocket",
        }
    }

    /// Returns the name of the service's program on it.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Poem => "care-server",
            Self::Rocket => "care-server-rocket",
        }
    }
}
