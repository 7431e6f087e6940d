//! Enumerations of words.

/// Defines the words of an enumeration, which JSON, XML and parameters share.
macro_rules! words {
    ($name:ident, $rule:literal, $($word:literal => $value:ident),+) => {
        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// Returns the word for the value.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = Invalid;

            fn from_str(word: &str) -> Result<Self, Invalid> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word).ok_or(Invalid($rule))
            }
        }

        impl TryFrom<String> for $name {
            type Error = Invalid;

            fn try_from(word: String) -> Result<Self, Invalid> {
                word.parse()
            }
        }

        $crate::model::values::conversions::as_scalar!($name, String);
        $crate::model::values::conversions::as_word!($name);
    };
}

pub(crate) use words;
