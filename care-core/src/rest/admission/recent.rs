//! The work that a key did lately.

/// Milliseconds since the server began.
pub(super) type Millis = u64;

/// An amount of work, in bytes, that decays to about a third within [a second](Self::MILLIS).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent {
    work: u64,
    /// The time at which it had this value.
    at: Millis,
}

impl Recent {
    /// The time within which most of it decays.
    pub(super) const MILLIS: Millis = 1_000;
    /// The work of a key that never gives way: less than 20 ms of a processor.
    pub(super) const LITTLE: u64 = 1 << 20;
    /// The time in which an eighth of it decays.
    const STEP: Millis = Self::MILLIS / 8;

    /// Returns what is left of it now.
    pub(super) fn at(self, now: Millis) -> u64 {
        let steps = now.saturating_sub(self.at) / Self::STEP;
        // After 256 steps nothing is left of the largest amount that is ever counted within a second.
        if steps >= 256 { 0 } else { (0..steps).fold(self.work, |work, _| work - work.div_ceil(8)) }
    }

    /// Adds work that is done now, and returns all.
    pub(super) fn add(&mut self, now: Millis, work: u64) -> u64 {
        let left = self.at(now).saturating_add(work);
        // The part of a step that has passed is kept.
        let steps = now.saturating_sub(self.at) / Self::STEP;
        *self = Self { work: left, at: self.at + steps * Self::STEP };
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_decays_within_about_a_second() {
        let mut recent = Recent::default();
        recent.add(10_000, 8_000);
        assert_eq!(recent.at(10_100), 8_000);
        assert_eq!(recent.at(10_125), 7_000);
        assert!((2_600..3_000).contains(&recent.at(11_000)), "{}", recent.at(11_000));
        assert!(recent.at(14_000) < 200);
        assert_eq!(recent.at(1 << 40), 0);
        // Work that is added bit by bit decays like work that is added at once.
        for now in 10_000..11_000 {
            recent.add(now, 0);
        }
        assert!((2_600..3_000).contains(&recent.at(11_000)), "{}", recent.at(11_000));
    }
}
