use super::*;
use crate::model::{Email, Name, Patient, Scalar as _};

/// An index in which each range has this number of rows, and in which no patient matches all words.
struct Crowd {
    rows: usize,
    first_digits: usize,
    counted: usize,
    ranges: usize,
    ranked: usize,
}

impl TermIndex for Crowd {
    type Error = std::convert::Infallible;

    fn count(&mut self, _: &TermRange, most: usize) -> Result<usize, Self::Error> {
        let count = self.rows.min(most);
        self.ranges += 1;
        self.counted += count;
        Ok(count)
    }

    fn patients(&mut self, _: &TermRange, most: usize) -> Result<Vec<(PatientId, bool)>, Self::Error> {
        self.ranges += 1;
        let id = |id| PatientId::try_from(i64::try_from(id).ok()?).ok();
        Ok((1..=self.rows.min(most)).filter_map(id).map(|id| (id, false)).collect())
    }

    fn distinct(&mut self, terms: &TermRange, most: usize) -> Result<Vec<String>, Self::Error> {
        let (letter, first) = terms.from.split_at(1);
        let first = first.parse().unwrap_or(0);
        let words = (first..self.rows).take(most).map(|number| format!("{letter}{number:04}"));
        let words: Vec<_> = words.collect();
        self.counted += words.len();
        Ok(words)
    }

    fn having(&mut self, terms: &[String], most: usize) -> Result<Vec<PatientId>, Self::Error> {
        let range = TermRange::phones();
        self.patients(&range, if terms.is_empty() { 0 } else { most })
            .map(|rows| rows.into_iter().map(|(id, _)| id).collect())
    }

    fn ranges_behind(&mut self) -> Result<usize, Self::Error> {
        Ok(self.first_digits)
    }

    fn patients_behind(&mut self, terms: &TermRange, most: usize) -> Result<Vec<PatientId>, Self::Error> {
        self.ranges += self.first_digits;
        Ok(self.patients(terms, most)?.into_iter().map(|(id, _)| id).collect())
    }

    fn rank(&mut self, ids: &[PatientId], _: &mut Ranking<'_>) -> Result<(), Self::Error> {
        self.ranked += ids.len();
        Ok(())
    }

    fn records(&mut self, _: &[PatientId], _: &mut Filling<Versioned<Record>>) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[test]
fn no_text_looks_at_more_than_a_bounded_number_of_rows_and_ranges() {
    let digits = |digits: usize| move |nth: u8| format!("{nth}").repeat(digits);
    let words = |word: &dyn Fn(u8) -> String| (1..=8).map(word).collect::<Vec<_>>().join(" ");
    let texts = [4, 5, 12, 15, 16, 31].map(|many| words(&digits(many))).into_iter().chain([
        words(&|nth| char::from(b'a' + nth).to_string()),
        words(&|nth| if nth.is_multiple_of(2) { digits(4)(nth) } else { "a".to_owned() }),
        words(&|nth| if nth < 5 { digits(4)(nth) } else { "a".repeat(usize::from(nth)) }),
        "1234 567".to_owned(),
        "1234".to_owned(),
    ]);
    for text in texts {
        for rows in [0, 1, FEW / 2, FEW, CANDIDATES - 1, CANDIDATES, CANDIDATES + 1, usize::MAX] {
            for first_digits in [0, 3, 300, 999] {
                let mut crowd = Crowd { rows, first_digits, counted: 0, ranges: 0, ranked: 0 };
                let text = FindText::new(text.as_str()).unwrap();
                let Ok(found) = find(&text, Limit::items(50), &mut crowd, &SearchBudget::new());
                let what = format!("{:?}, {rows} rows a range, {first_digits} first digits", text.as_str());
                let Crowd { counted, ranges, ranked, .. } = crowd;
                // Eight words have four ranges each, in both readings, and those of the rarest are read.
                assert!(ranges <= RANGES + 2 * (5 * 8 + 6), "{what}: {ranges} ranges");
                assert!(ranked <= CANDIDATES, "{what}: {ranked} candidates");
                assert!(counted <= 2 * 8 * (CANDIDATES + 1), "{what}: {counted} counted");
                assert!(found.more || rows <= CANDIDATES, "{what}: more may match");
            }
        }
    }
}

#[test]
fn no_text_looks_at_more_than_a_bounded_number_of_words() {
    for (text, letters) in [("aaaa bbbbbbbb cccc", 3), ("aaaa aaab a-aaac", 1), ("aaaa-bbbbb-cccc", 3)] {
        let text = FindText::new(text).unwrap().similar().unwrap();
        let most = Similar::LOOKED_AT / letters;
        for (rows, more) in
            [(1, false), (most, false), (most + 1, true), (Similar::LOOKED_AT + 1, true), (usize::MAX, true)]
        {
            let mut crowd = Crowd { rows, first_digits: 0, counted: 0, ranges: 0, ranked: 0 };
            let Ok(found) = find(&text, Limit::items(50), &mut crowd, &SearchBudget::new());
            assert!(crowd.counted <= Similar::LOOKED_AT + letters && crowd.ranked <= CANDIDATES, "{text:?} {rows}");
            assert_eq!(found.more, more, "{text:?} {rows}");
        }
    }
}

#[test]
fn a_rare_word_spares_the_ranges_of_numbers() {
    let text = FindText::new("1632 ada 9600").unwrap();
    for (rows, spared) in [(FEW / 2, true), (FEW, false)] {
        let mut crowd = Crowd { rows, first_digits: 999, counted: 0, ranges: 0, ranked: 0 };
        let Ok(found) = find(&text, Limit::items(50), &mut crowd, &SearchBudget::new());
        assert_eq!(crowd.ranges < 999, spared);
        assert!(!found.more);
    }
}

/// An index of people with these names and mail addresses, numbered from 1, each of whom every word finds.
struct People {
    texts: Vec<(String, String)>,
    offered: usize,
}

impl People {
    fn all(&self) -> impl Iterator<Item = PatientId> {
        (1..=self.texts.len()).filter_map(|id| PatientId::try_from(i64::try_from(id).ok()?).ok())
    }
}

impl TermIndex for People {
    type Error = std::convert::Infallible;

    fn count(&mut self, _: &TermRange, most: usize) -> Result<usize, Self::Error> {
        Ok(self.texts.len().min(most))
    }

    fn patients(&mut self, _: &TermRange, most: usize) -> Result<Vec<(PatientId, bool)>, Self::Error> {
        Ok(self.all().take(most).map(|id| (id, false)).collect())
    }

    fn distinct(&mut self, terms: &TermRange, most: usize) -> Result<Vec<String>, Self::Error> {
        let words = self.texts.iter().flat_map(|(name, _)| name.split(' ')).filter(|word| **word >= *terms.from);
        let mut words: Vec<_> = words.filter(|word| **word < *terms.below).map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        words.truncate(most);
        Ok(words)
    }

    fn having(&mut self, _: &[String], most: usize) -> Result<Vec<PatientId>, Self::Error> {
        Ok(self.all().take(most).collect())
    }

    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Self::Error> {
        for id in ids {
            let place = usize::try_from(id.value() - 1).unwrap();
            let (name, email) = &self.texts[place];
            let name = Name::from_stored(name.clone()).unwrap();
            let email = Email::from_stored(email.clone()).unwrap();
            let patient = Patient { name: Some(name), email: Some(email), ..Patient::new(*id) };
            self.offered += 1;
            if !ranking.offer(&Findable::of(&patient)) {
                break;
            }
        }
        Ok(())
    }

    fn records(&mut self, _: &[PatientId], _: &mut Filling<Versioned<Record>>) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Returns people whose names are the longest that there may be, of words with one beginning.
fn longest(letter: &str, people: usize) -> Vec<(String, String)> {
    let length = Name::MAX / letter.chars().count();
    let name = |number: usize| {
        let different = format!("{number:05}");
        format!("{}{different}", letter.repeat(length - different.len()))
    };
    (0..people).map(|number| (name(number), format!("{}@{letter}", letter.repeat(120)))).collect()
}

#[test]
fn the_dearest_search_ends_with_its_characters() {
    let typed = |letter: &str, words: usize| {
        vec![letter.repeat(FindText::MAX / (words * letter.chars().count()) - 1); words].join(" ")
    };
    for letter in ["a", "\u{e9}", "e\u{301}\u{302}", "\u{fdfa}", "\u{738b}", "\u{390}"] {
        for words in [1, 2, 8] {
            for (text, is_similar) in [
                (typed(letter, words), false),
                (typed(letter, words), true),
                (typed(letter, words).replace(' ', "-"), true),
            ] {
                let Ok(text) = FindText::new(text) else { continue };
                let Ok(text) = (if is_similar { text.similar() } else { Ok(text) }) else { continue };
                let mut people = People { texts: longest(letter, 2_500), offered: 0 };
                let budget = SearchBudget::new();
                let Ok(found) = find(&text, Limit::items(50), &mut people, &budget);
                let what = format!("{words} words of {letter:?}, similar: {is_similar}");
                assert!(budget.spent() <= SearchBudget::CHARACTERS && people.offered <= CANDIDATES, "{what}");
                assert!(found.more, "{what}: not all were looked at");
            }
        }
    }
}

#[test]
fn a_search_ends_between_two_candidates_once_nobody_waits() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    for text in ["ada bo", "adaa boo"] {
        let looks = AtomicUsize::new(0);
        let is_wanted = || looks.fetch_add(1, Ordering::Relaxed) < 7;
        let text = FindText::new(text).unwrap();
        let text = text.clone().similar().unwrap_or(text);
        let mut people = People { texts: vec![("ada boo".to_owned(), "a@b".to_owned()); 100], offered: 0 };
        let Ok(found) = find(&text, Limit::items(50), &mut people, &SearchBudget::while_wanted(&is_wanted));
        assert!(people.offered <= 8 && looks.load(Ordering::Relaxed) <= 9, "{text:?}: {} offered", people.offered);
        assert!(found.more);
    }
}

#[test]
fn an_ordinary_search_is_within_its_characters() {
    let names = |number: usize| format!("Maximilian{number} Mustermann{number}-Beispiel");
    // Names and mail addresses both find all of them here.
    let texts: Vec<_> =
        (0..CANDIDATES / 2 - 1).map(|number| (names(number), format!("max{number}@clinic.example"))).collect();
    for text in ["maximilian muster", "mustermann"] {
        let mut people = People { texts: texts.clone(), offered: 0 };
        let Ok(found) = find(&FindText::new(text).unwrap(), Limit::items(2_000), &mut people, &SearchBudget::new());
        assert!(!found.more, "{text}");
    }
}
