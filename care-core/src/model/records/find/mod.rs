//! Finding patients by a typed text: its words, the terms of a patient, and how well they match.
//!
//! A term is a text that a store keeps beside the number of its patient. A word of the name begins with a letter or a
//! digit; the sign before any other term tells what it is, so that one range of terms holds one sort of them.

mod close;
mod findable;
mod spelling;
mod term;
#[cfg(test)]
mod tests;
mod word;

pub use close::CloseWord;
pub use findable::{Findable, email_term, find_terms, phone_term, whole_terms};
pub use spelling::phone_digits;
pub use term::{FindRank, Match, TermRange};
pub use word::FindWord;

use self::{
    spelling::{joined, spelled},
    word::MOST_WORDS,
};
use crate::model::{
    InQuery, Invalid, Patient,
    values::text::{plain, within},
};

/// A text to find patients by: 1 to 8 words, each with a letter or a digit.
///
/// ```
/// use care_core::model::{FindText, Name, Patient, PatientId};
///
/// let ada = Patient { name: Some(Name::new("Ada Müller")?), ..Patient::new(PatientId::FIRST) };
/// assert!(FindText::new("muller a")?.rank(&ada).is_some());
/// assert!(FindText::new("bob muller")?.rank(&ada).is_none());
/// assert!(FindText::new("#1")?.rank(&ada).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FindText {
    text: String,
    words: Vec<FindWord>,
    /// The words with numbers beside each other as one, if there are such numbers.
    joined: Option<Vec<FindWord>>,
}

impl InQuery for FindText {
    fn read(text: String) -> Result<Self, Invalid> {
        Self::new(text)
    }

    fn text(&self) -> String {
        self.text.clone()
    }
}

impl FindText {
    /// The longest text, in code points.
    pub const MAX: usize = 256;
    /// The highest number of words.
    pub const MAX_WORDS: usize = MOST_WORDS;

    /// Reads the words of a text.
    ///
    /// # Errors
    /// The broken rule.
    pub fn new(text: impl Into<String>) -> Result<Self, Invalid> {
        let text = plain(text.into())?;
        within(&text, Self::MAX, Invalid("must be 1 to 256 characters"))?;
        let spelled = spelled(&text);
        if spelled.is_empty() || spelled.len() > Self::MAX_WORDS {
            return Err(Invalid("must be 1 to 8 words"));
        }
        if !spelled.iter().all(|word| word.contains(char::is_alphanumeric)) {
            return Err(Invalid("must have a letter or a digit in each word"));
        }
        let words = |spelled: &[String]| spelled.iter().map(|word| FindWord::of(word)).collect();
        Ok(Self { words: words(&spelled), joined: joined(&spelled).as_deref().map(words), text })
    }

    /// Returns whether it is one of names that resemble it.
    pub fn is_similar(&self) -> bool {
        self.words.iter().any(FindWord::is_close)
    }

    /// Returns the text as one of names that resemble it: those in which each word of 4 letters or more is at most at
    /// distance 1 from the beginning of a word with the same first letter, one of 8 letters or more at distance 2. A
    /// step is a letter too many, too few or another one, or two neighbours exchanged. Shorter words match as ever. A
    /// word with a sign is taken without it, and by its parts, each of which must match so.
    ///
    /// ```
    /// use care_core::model::{FindText, Name, Patient, PatientId};
    ///
    /// let ada = Patient { name: Some(Name::new("Ada Example")?), ..Patient::new(PatientId::FIRST) };
    /// assert!(FindText::new("exmaple")?.rank(&ada).is_none());
    /// assert!(FindText::new("exmaple")?.similar()?.rank(&ada).is_some());
    /// # Ok::<(), care_core::model::Invalid>(())
    /// ```
    ///
    /// # Errors
    /// That no word is long enough.
    pub fn similar(self) -> Result<Self, Invalid> {
        let words: Vec<_> = spelled(&self.text).iter().map(|word| FindWord::similar(word)).collect();
        match words.iter().any(FindWord::is_close) {
            true => Ok(Self { words, joined: None, ..self }),
            false => Err(Invalid("must have a word of at least 4 letters")),
        }
    }

    /// Returns the text as it was typed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the ways in which to read the text, each a list of words. The second one takes numbers beside each other
    /// for one number, as in `+44 1632 960000`, and counts where the first one finds no patient.
    pub fn readings(&self) -> impl Iterator<Item = &[FindWord]> {
        std::iter::once(&self.words).chain(&self.joined).map(Vec::as_slice)
    }

    /// Returns the place of a patient in the first reading that it matches in; `None` when it matches in none.
    pub fn rank(&self, patient: &Patient) -> Option<FindRank> {
        self.readings().find_map(|words| Findable::of(patient).rank(words))
    }
}
