//! The terms of a patient.

use std::borrow::Cow;

use super::{
    spelling::{BETWEEN, backwards, is_unspaced, letters, parts, unmarked},
    term::{DIGITS, FindRank, MAIL, Match, PHONE, TermRange},
    word::{FindWord, MOST_WORDS},
};
use crate::model::{Email, Name, Patient, PatientId, Phone, records::patient::folded_name};

/// The highest number of words of a name that are terms.
pub(super) const NAME_WORDS: usize = 32;
/// The highest number of words of a name, in a script without spaces, that stand together as terms.
pub(super) const JOINED_WORDS: usize = 8;

/// The values of a patient from which its terms follow.
#[derive(Debug, Clone)]
pub struct Findable<'a> {
    /// The number.
    pub patient_id: PatientId,
    /// The folded name.
    pub folded_name: Option<Cow<'a, str>>,
    /// The [spelling](Patient::spelling).
    pub spelling: Option<Cow<'a, str>>,
    /// The phone number.
    pub phone: Option<i64>,
    /// The mail address.
    pub email: Option<Cow<'a, str>>,
}

impl<'a> Findable<'a> {
    /// Returns the values of a patient.
    pub fn of(patient: &'a Patient) -> Self {
        Self {
            patient_id: patient.patient_id,
            folded_name: patient.folded_name().map(Into::into),
            spelling: patient.spelling().map(Into::into),
            phone: patient.phone.map(Phone::value),
            email: patient.email.as_ref().map(|email| email.as_str().into()),
        }
    }

    /// Returns the number of characters of the name and the mail address that are looked at, or a little more.
    pub fn characters(&self) -> usize {
        let [name, mail] = self.texts();
        name.map_or(0, str::len) + mail.map_or(0, str::len)
    }

    /// Returns the name and the mail address, as they are spelled in terms or about to be.
    fn texts(&self) -> [Option<&str>; 2] {
        let (name, mail) = (self.folded_name.as_deref(), self.email.as_deref());
        match self.spelling.as_deref().and_then(|both| both.split_once(BETWEEN)) {
            Some((spelled, address)) => [name.map(|_| spelled), mail.map(|_| address)],
            None => [name, mail],
        }
    }

    /// Returns the place among those that match all of these words; `None` when it does not match one of them.
    pub fn rank(&self, words: &[FindWord]) -> Option<FindRank> {
        let is_similar = words.iter().any(FindWord::is_close);
        let mut found = [None; MOST_WORDS];
        // A word without parts costs no allocation.
        let mut parts: [Vec<Option<FindRank>>; MOST_WORDS] =
            std::array::from_fn(|at| vec![None; words.get(at).map_or(0, |word| word.parts.len())]);
        for (word, found) in words.iter().zip(&mut found) {
            *found = word.id.filter(|id| *id == self.patient_id).map(|_| FindRank::of(Match::Number));
        }
        let mut take = |term: &str| {
            let wanted = words.iter().zip(&mut found).zip(&mut parts);
            for ((word, found), parts) in wanted.filter(|((_, found), _)| **found != Some(FindRank::BEST)) {
                *found = word.rank(term).into_iter().chain(*found).min();
                for (part, found) in word.parts.iter().zip(parts) {
                    *found = part.rank(term).into_iter().chain(*found).min();
                }
            }
        };
        self.each_text(&mut take);
        if words.iter().any(|word| word.phone.is_some()) {
            self.each_number(TermRange::LEFT_OUT, &mut take);
        }
        let mut all = FindRank::BEST;
        for ((word, found), parts) in words.iter().zip(found).zip(parts) {
            let rank = found.into_iter().chain(word.by_parts(parts)).min()?;
            // Among names that resemble a text, distances alone count.
            all = if is_similar && word.close.is_none() { all } else { all.and(rank) };
        }
        Some(all)
    }

    /// Calls this with each term of a text: the first 32 words of the name, with the parts of those that a hyphen or
    /// another sign divides, those of a script without spaces also together with the words behind them, and the mail
    /// address.
    fn each_text(&self, mut each: impl FnMut(&str)) {
        let [name, mail] = self.texts();
        if let Some(name) = name {
            let mut words = 0;
            // A name with a spelling of its own stays as it is.
            let name = if self.spelling.is_some() { Cow::Borrowed(name) } else { unmarked(name) };
            for word in name.split_whitespace() {
                let mut divided = 0;
                for part in parts(word) {
                    if words == NAME_WORDS {
                        break;
                    }
                    (words, divided) = (words + 1, divided + 1);
                    each(part);
                }
                if divided > 1 {
                    // D'Arcy is a word of O'Brien-D'Arcy as well.
                    let pieces = word.split('-').map(letters).filter(|piece| !piece.is_empty());
                    pieces.take(divided).for_each(|piece| each(&piece));
                    each(&letters(word));
                }
            }
            if !name.is_ascii() {
                let unspaced: Vec<_> = name.split_whitespace().take(JOINED_WORDS).collect();
                for run in unspaced.chunk_by(|one, next| is_unspaced(one) && is_unspaced(next)) {
                    (1..run.len()).for_each(|place| each(&letters(&run[place - 1..].concat())));
                }
            }
        }
        match mail {
            Some(spelled) if self.spelling.is_some() => each(&format!("{MAIL}{spelled}")),
            Some(email) => each(&email_term(email)),
            None => {}
        }
    }

    /// Calls this with each term of the phone number: from its end, and, if that many digits are looked up, the number,
    /// also without as many first digits as are left out.
    fn each_number(&self, left_out: usize, mut each: impl FnMut(&str)) {
        let Some(digits) = self.phone.map(|phone| phone.to_string()) else { return };
        if let Some(others) = digits.len().checked_sub(DIGITS) {
            for left_out in 0..=left_out.min(others) {
                each(&format!("{PHONE}{}", &digits[left_out..]));
            }
        }
        each(&backwards(&digits));
    }
}

impl Patient {
    /// Returns the name and the mail address as they are looked for, one behind the other: stored, so that no search
    /// spells them again; `None` where both are ASCII, of which nothing but the case differs.
    pub fn spelling(&self) -> Option<String> {
        let name = self.name.as_ref().map_or("", Name::as_str);
        let email = self.email.as_ref().map_or("", Email::as_str);
        if name.is_ascii() && email.is_ascii() {
            return None;
        }
        let [name, email] = [name, email].map(folded_name);
        Some(format!("{}{BETWEEN}{}", unmarked(&name), unmarked(&email)))
    }
}

/// Returns the terms of a patient, each once. A store keeps them in rows.
pub fn find_terms(patient: &Patient) -> Vec<String> {
    terms(patient, TermRange::LEFT_OUT)
}

/// Returns the terms of a patient, each once, but none of a phone number without its first digits. A store that keeps
/// only these finds such [`digits`](TermRange::digits) behind the first digits of all numbers.
pub fn whole_terms(patient: &Patient) -> Vec<String> {
    terms(patient, 0)
}

/// Returns the term of a mail address. Others that differ only in letter case or in marks have the same one.
pub fn email_term(email: &str) -> String {
    format!("{MAIL}{}", unmarked(&folded_name(email)))
}

/// Returns the term that a phone number of any length has, and no other number.
pub fn phone_term(phone: i64) -> String {
    backwards(&phone.to_string())
}

fn terms(patient: &Patient, left_out: usize) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut add = |term: &str| {
        if !terms.iter().any(|earlier| earlier == term) {
            terms.push(term.to_owned());
        }
    };
    let patient = Findable::of(patient);
    patient.each_text(&mut add);
    patient.each_number(left_out, &mut add);
    terms
}
