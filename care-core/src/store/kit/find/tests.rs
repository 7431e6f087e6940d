use super::*;

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
                let Ok(found) = find(&text, Limit::items(50), &mut crowd);
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
            let Ok(found) = find(&text, Limit::items(50), &mut crowd);
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
        let Ok(found) = find(&text, Limit::items(50), &mut crowd);
        assert_eq!(crowd.ranges < 999, spared);
        assert!(!found.more);
    }
}
