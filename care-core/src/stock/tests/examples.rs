//! Published examples: the stated result, and ours beside it.

use super::{counts, date, settings};
use crate::{
    model::{Basis, LeadDays, Policy, ReviewDays},
    stock::{Confidence, Consumption, Fraction, Reorder, Window, reorder::order, reorder::spread, safety_stock},
};

/// Returns a fraction before it is rounded.
fn exactly(fraction: Fraction) -> f64 {
    fraction.numerator as f64 / fraction.denominator as f64
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.05
}

fn seen(days: &[(i64, u64)], from: i64) -> Window {
    let last = i64::try_from(days.len()).unwrap();
    Consumption::new(date(from), date(last), &counts(days), &[]).whole(Basis::Dispensed)
}

/// Tests BHIMA, issue 5482: 515 units in 6 months, the first 3 of them without stock, are 171.67 a month.
#[test]
fn bhima_counts_the_months_with_stock() {
    assert!((exactly(Fraction::new(515, 3)) - 171.67).abs() < 0.005);
    // The result in months of 30 days.
    let mut days = vec![(0, 0); 180];
    days[90] = (600, 100);
    days[120].1 = 200;
    days[179].1 = 215;
    let window = seen(&days, 1);
    assert_eq!((window.days, window.exposed, window.units), (180, 90, 515));
    assert_eq!(window.units_in(30).hundredths().to_string(), "171.67");
}

/// Tests OpenLMIS, LineItemFieldsCalculator: 20 units consumed in 90 days, 5 of them without stock, are 22 in 90 days.
#[test]
fn openlmis_adjusts_consumption_for_days_without_stock() {
    let mut days = vec![(0, 0); 90];
    days[0] = (20, 1);
    days[84].1 = 19;
    let window = seen(&days, 1);
    assert_eq!((window.exposed, window.stock_out_days), (85, 5));
    assert!(near(exactly(window.units_in(90)), 21.18));
    assert_eq!(window.units_in(90).ceil(), 22);
}

/// Tests MSH, Managing Drug Supply: 89,000 in 183 days, 34 of them without stock, are 597.3 on a day with stock.
#[test]
fn msh_divides_by_the_days_with_stock() {
    let mut days = vec![(0, 0); 183];
    days[0] = (89_000, 1_000);
    days[148].1 = 88_000;
    let window = seen(&days, 1);
    assert_eq!((window.exposed, window.stock_out_days, window.units), (149, 34, 89_000));
    assert!(near(exactly(window.units_in(1)), 597.3));
    assert_eq!(window.units_in(1).hundredths().to_string(), "597.32");
    assert_eq!(window.units_in(30).hundredths().to_string(), "17919.46");
}

/// Tests mSupply, item_stats: 3 units come on day 1, go on day 5, come on day 16, go on day 22 and come on day 28; 15
/// whole days were without stock.
#[test]
fn msupply_counts_whole_days_without_stock() {
    let mut days = vec![(0, 0); 30];
    for (day, came, out) in [(1, 3, 0), (5, 0, 3), (16, 3, 0), (22, 0, 3), (28, 3, 0)] {
        days[day - 1] = (came, out);
    }
    let window = seen(&days, 1);
    assert_eq!((window.stock_out_days, window.exposed, window.units), (15, 15, 6));
    assert_eq!(window.units_in(30).hundredths().to_string(), "12.00");
}

/// Tests Stevenson, Operations Management, chapter 13 (a drugstore): reviewed every 15 days, 2 days of lead time, 68 a
/// day with a standard deviation of 3, z 2.055. With 46, 10 and 103 in stock the orders are 1135.4, 1171.4 and 1078.4.
#[test]
fn stevenson_orders_for_the_interval_and_the_lead_time() {
    let (z, days, variance) = (2055, 17, Fraction::new(9, 1));
    let unrounded = 68.0 * 17.0 + exactly(spread(z, days, variance)).sqrt();
    let level = i64::try_from(68 * u128::from(days) + safety_stock(z, days, variance)).unwrap();
    for (on_hand, stated, ours) in [(46, 1135.4, 1136), (10, 1171.4, 1172), (103, 1078.4, 1079)] {
        assert!(near(unrounded - f64::from(on_hand), stated), "{on_hand}");
        let reorder = Reorder { reorder_at: level, up_to: level, safety_stock: 0, confidence: Confidence::High };
        assert_eq!(order(&reorder, on_hand.into(), 1), ours);
    }
}

/// Tests Russell and Taylor, Operations Management (a carpet store): 30 a day with a standard deviation of 5, 10 days
/// of lead time, z 1.65: a safety stock of 26.1 and a reorder level of 326.1.
#[test]
fn russell_and_taylor_guard_the_lead_time() {
    let variance = Fraction::new(25, 1);
    let unrounded = exactly(spread(1650, 10, variance)).sqrt();
    assert!(near(unrounded, 26.1) && near(300.0 + unrounded, 326.1));
    assert_eq!(300 + safety_stock(1650, 10, variance), 327);
    // With our z for 95 per cent, 1.645, the result is 26.01.
    assert_eq!(safety_stock(1645, 10, variance), 27);
}

/// Tests Chopra and Meindl, Supply Chain Management: 2,500 a week with a standard deviation of 500, 2 weeks of lead
/// time, a reorder level of 6,000: a safety stock of 1,000, with which 0.92 of the cycles pass without a shortage.
#[test]
fn chopra_and_meindl_turn_it_round() {
    let variance = Fraction::new(500 * 500, 1);
    let z = 1000.0 / (2.0_f64 * 500.0 * 500.0).sqrt();
    assert!((normal(z) - 0.92).abs() < 0.005);
    assert_eq!(safety_stock(1414, 2, variance), 1000);
    assert_eq!(5000 + safety_stock(1414, 2, variance), 6000);
}

/// Returns the share of a normal distribution below z, by Abramowitz and Stegun 26.2.17, accurate to seven decimals.
fn normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = series.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    1.0 - (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum
}

/// Tests that the five service levels are those of a normal distribution.
#[test]
fn service_levels_are_those_of_the_normal_distribution() {
    for level in crate::model::ServiceLevel::ALL {
        let share = normal(f64::from(level.z_thousandths()) / 1000.0);
        assert!((share * 100.0 - level.percent() as f64).abs() < 0.02, "{}", level.percent());
    }
}

/// Tests a complete computation that was done by hand: 5 and 9 units on alternate days for 60 days.
#[test]
fn a_reorder_level_worked_by_hand() {
    let mut days: Vec<_> = (0..60).map(|day| (0, if day % 2 == 0 { 5 } else { 9 })).collect();
    days[0].0 = 1000;
    let window = seen(&days, 1);
    // A = 420, Σx² = 30·25 + 30·81 = 3180, v = (60·3180 − 420²)/(60·59) = 14400/3540 = 4.07.
    assert_eq!((window.units, window.squares, window.busy_days), (420, 3180, 60));
    assert_eq!(window.variance(), Fraction::new(14_400, 3540));
    let settings = crate::model::StockSettings {
        lead_days: LeadDays::clamped(14),
        review_days: ReviewDays::clamped(30),
        ..settings()
    };
    let found = window.reorder(Policy::Service, &settings, &|_| 0);
    // 14 days of 7 are 98, and 1.645·√(14·4.0678) = 12.41; 44 days are 308, and 1.645·√(44·4.0678) = 22.01.
    assert_eq!((found.safety_stock, found.reorder_at, found.up_to), (13, 98 + 13, 308 + 23));
}
