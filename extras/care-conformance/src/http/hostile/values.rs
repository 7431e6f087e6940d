//! Values with parsers of their own: dates and keys.

use std::sync::Arc;

use care_core::{
    keys::{Authenticator, KeyRing, Scopes, StoredKeys},
    model::Date,
    store::MemoryStore,
};
use futures_executor::block_on;

pub(super) const DATES: &[&str] =
    &["29/02/2024", "29/02/1900", "31/12/9999", "01/01/1900", "1/2/2024", "31/04/2026", "00/00/0000", "15/03/2026 "];

pub(super) const KEYS: &[&str] = &["care_0123456789ab_", "care__", "a key", "care_x_y_z", "CARE_"];

/// Checks that a date is read if and only if it is a day of the calendar in its one spelling.
pub fn date(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let read = text.parse::<Date>();
    assert_eq!(read.is_ok(), is_day(data), "{text:?}");
    if let Ok(date) = read {
        assert_eq!(date.to_string(), text);
    }
}

/// Returns whether the text is a calendar day, by a second and simpler computation.
fn is_day(text: &[u8]) -> bool {
    let [d1, d2, b'/', m1, m2, b'/', y1, y2, y3, y4] = text else {
        return false;
    };
    let digits = [d1, d2, m1, m2, y1, y2, y3, y4];
    if !digits.iter().all(|digit| digit.is_ascii_digit()) {
        return false;
    }
    let [d1, d2, m1, m2, y1, y2, y3, y4] = digits.map(|digit| u32::from(*digit - b'0'));
    let (day, month, year) = (d1 * 10 + d2, m1 * 10 + m2, y1 * 1000 + y2 * 100 + y3 * 10 + y4);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day) && year >= 1900
}

thread_local! {
    static KEYS_OF_A_CLINIC: (KeyRing, StoredKeys) = (
        KeyRing::new().with_key("the one key", "ring", Scopes::ALL),
        StoredKeys::new(Arc::new(MemoryStore::new())),
    );
}

/// Checks that no other key than the right one is accepted, and that no key makes the check fail.
pub fn key(data: &[u8]) {
    KEYS_OF_A_CLINIC.with(|(ring, stored)| {
        for _ in 0..2 {
            assert_eq!(block_on(ring.authenticate(data)).is_some(), data == b"the one key");
            assert!(block_on(stored.authenticate(data)).is_none());
        }
    });
}
