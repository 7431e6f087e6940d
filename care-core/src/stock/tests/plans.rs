//! Whole plans and back-tests.

use super::{counts, date, medicine, settings};
use crate::{
    model::{
        Amount, EveryDays, LeadDays, LotId, MaxDays, MinDays, PackUnits, Policy, PrescribedUnits, Refill, Shelf,
        StockDay, StockSettings, UnitName, Units,
    },
    stock::{BacktestInput, BacktestRule, PlanInput, backtest, plan},
};

fn shelf(units: i64) -> Shelf {
    let mut shelf = Shelf::default();
    shelf.add(LotId::default(), Units::try_from(units).unwrap()).unwrap();
    shelf
}

/// Returns the 180 days before day 181, 12 of them without stock, in which 420 units are handed out.
fn half_a_year() -> Vec<StockDay> {
    let mut days = vec![(0, 0); 180];
    days[0] = (200, 2);
    for day in &mut days[1..100] {
        day.1 = 2;
    }
    days[112] = (300, 3);
    for day in &mut days[113..180] {
        day.1 = 3;
    }
    days[179].1 += 16;
    counts(&days)
}

fn input<'a>(settings: &'a StockSettings, shelf: &'a Shelf, counts: &'a [StockDay]) -> PlanInput<'a> {
    PlanInput {
        today: date(181),
        settings,
        shelf,
        reserved: Amount::ZERO,
        counts,
        prescribed: &[],
        refills: &[],
        waiting: 0,
    }
}

#[test]
fn a_plan_can_be_redone_with_a_pencil() {
    let settings = StockSettings { pack_units: PackUnits::clamped(50), ordered: Amount::clamped(10), ..settings() };
    let (shelf, counts) = (shelf(80), half_a_year());
    let refills = [Refill { every_days: EveryDays::clamped(28), wanted: PrescribedUnits { units: 56, unnamed: 4 } }];
    let plan = plan(&PlanInput { refills: &refills, waiting: 6, ..input(&settings, &shelf, &counts) });
    assert_eq!((plan.window_days, plan.exposed_days, plan.stock_out_days, plan.dispensed), (180, 168, 12, 420));
    // Cover 30 to 90: 75 + ⌈60·30/28⌉ = 75 + 65, and 225 + ⌈60·90/28⌉ = 225 + 193.
    assert_eq!((plan.reorder_at, plan.up_to, plan.safety_stock), (140, 418, 0));
    // 80 + 10 - 6 = 84, and 334 more are 7 packs of 50.
    assert_eq!((plan.position, plan.order, plan.packs), (84, 350, 7));
    // At 2.5 and 60/28 a day, together 4.642857…, 80 units last 17 days.
    assert_eq!((plan.cover_days, plan.stock_out_on), (Some(17), Some(date(198))));
    assert_eq!(
        (plan.units_monthly.to_string(), plan.refill_units_monthly.to_string()),
        ("75.00".into(), "64.29".into())
    );
    assert_eq!(
        plan.because,
        [
            "180 days, 12 without stock: 420 tablets in 168 days are 75.00 in 30",
            "regular prescriptions take 60 tablets every 28 days: 64.29 in 30",
            "reorder at the demand of 30 days: 75 + 65 = 140",
            "up to the demand of 90 days: 225 + 193 = 418",
            "80 available + 10 ordered - 6 waiting = 84",
            "90 on the shelf and on order, 6 waited for: 84, order below 140. \
             Up to 418 are missing 334: 7 packs of 50, 350 tablets",
        ]
    );
}

#[test]
fn without_a_past_there_is_no_demand() {
    let (settings, shelf) = (settings(), shelf(80));
    let plan = plan(&input(&settings, &shelf, &[]));
    assert_eq!((plan.window_days, plan.cover_days, plan.stock_out_on, plan.order), (0, None, None, 0));
    assert_eq!(plan.because[0], "no day since the first movement: no demand is known");
}

#[test]
fn without_a_day_with_stock_what_was_prescribed_counts() {
    let settings = settings();
    let gone = [StockDay { removed: 5, ..StockDay::new(medicine(), date(170)) }];
    let empty = Shelf::default();
    let prescribed = [(date(175), 22)];
    let plan = plan(&PlanInput { prescribed: &prescribed, ..input(&settings, &empty, &gone) });
    assert_eq!((plan.basis, plan.window_days, plan.dispensed), (crate::model::Basis::Prescribed, 11, 22));
    assert_eq!((plan.reorder_at, plan.order), (60, 180));
    assert_eq!(
        plan.because[0],
        "no day had stock, so what was prescribed is counted instead of what was dispensed: 11 days: 22 tablets \
         prescribed in 11 days are 60.00 in 30"
    );
}

/// Returns refills of these units, one for each interval from one day on.
fn refills(units: impl IntoIterator<Item = u64>) -> Vec<Refill> {
    let refill = |(every, units)| Refill {
        every_days: EveryDays::clamped(every),
        wanted: PrescribedUnits { units, unnamed: 0 },
    };
    (1..=365).zip(units).map(refill).collect()
}

#[test]
fn the_five_largest_intervals_are_named_and_the_others_summed() {
    let (settings, shelf, counts) = (settings(), shelf(80), half_a_year());
    let refills = refills([1, 14, 3, 40, 5, 60, 7, 9]);
    let plan = plan(&PlanInput { refills: &refills, ..input(&settings, &shelf, &counts) });
    let told = [
        "regular prescriptions take 1 tablets every 1 days: 30.00 in 30",
        "regular prescriptions take 14 tablets every 2 days: 210.00 in 30",
        "regular prescriptions take 40 tablets every 4 days: 300.00 in 30",
        "regular prescriptions take 60 tablets every 6 days: 300.00 in 30",
        "regular prescriptions take 9 tablets every 8 days: 33.75 in 30",
        "those with other intervals, 3 of them, take 90.00 tablets in 30 days together; the last part of the demand \
         below is theirs, each interval rounded up",
        // One a day of each of the three others.
        "reorder at the demand of 30 days: 75 + 30 + 210 + 300 + 300 + 34 + 90 = 1039",
        "up to the demand of 90 days: 225 + 90 + 630 + 900 + 900 + 102 + 270 = 3117",
    ];
    assert_eq!(plan.because[1..9], told);
    assert_eq!((plan.reorder_at, plan.up_to), (1039, 3117));
}

#[test]
fn a_plan_is_told_in_twelve_bounded_sentences_whatever_it_is_made_of() {
    let most = u64::MAX / 730;
    let unit = UnitName::new("𝔲".repeat(32)).unwrap();
    let shelf = shelf(1_000_000_000);
    // Units were handed out only on the first day, or have never been there.
    let (few, none) = (counts(&[(1_000_000_000, 1)]), [StockDay { removed: 5, ..StockDay::new(medicine(), date(1)) }]);
    let many = [half_a_year(), few, none.to_vec()];
    let (mut longest, mut highest) = (0, 0);
    for policy in [Policy::MinMax, Policy::Cover, Policy::Service] {
        for (counts, intervals) in many.iter().flat_map(|counts| [0, 1, 5, 6, 365].map(|intervals| (counts, intervals)))
        {
            let settings = StockSettings {
                unit: unit.clone(),
                policy,
                min: Some(Amount::clamped(999_999_999)),
                max: Some(Amount::clamped(1_000_000_000)),
                min_days: MinDays::clamped(364),
                max_days: MaxDays::clamped(1095),
                lead_days: LeadDays::clamped(365),
                ..settings()
            };
            let refills = refills(vec![most; intervals]);
            let given = PlanInput { refills: &refills, waiting: most, ..input(&settings, &shelf, counts) };
            let plan = plan(&PlanInput { prescribed: &[(date(2), most)], ..given });
            let said = plan.because;
            assert_eq!(plan.steps.len(), said.len());
            for (sentence, step) in said.iter().zip(&plan.steps) {
                assert!(step.figures.iter().all(|figure| sentence.contains(&figure.value)), "{sentence}: {step:?}");
            }
            highest = highest.max(said.len());
            longest = said.iter().map(|sentence| sentence.chars().count()).max().max(Some(longest)).unwrap_or(0);
        }
    }
    assert!(highest == 12 && longest <= 300, "{highest} sentences, {longest} characters");
}

#[test]
fn a_sentence_can_be_said_anew_from_its_rule_and_figures() {
    let (shelf, counts, settings) = (shelf(80), half_a_year(), settings());
    let plan = plan(&input(&settings, &shelf, &counts));
    let position = plan.steps.iter().zip(&plan.because).find(|(step, _)| step.rule == "position");
    let (step, sentence) = position.unwrap();
    let figures: Vec<_> = step.figures.iter().map(|figure| (&*figure.name, figure.value.as_str())).collect();
    let [(_, available), (_, ordered), (_, waiting), (_, sum)] = figures[..] else { panic!("{figures:?}") };
    assert_eq!(
        figures.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["available", "ordered", "waiting", "position"]
    );
    assert_eq!(*sentence, format!("{available} available + {ordered} ordered - {waiting} waiting = {sum}"));
}

#[test]
fn a_cover_below_the_lead_time_is_warned_of() {
    let settings = StockSettings { min_days: MinDays::clamped(13), ..settings() };
    let (shelf, counts) = (shelf(80), half_a_year());
    let said = |settings: &StockSettings| plan(&input(settings, &shelf, &counts)).because;
    assert!(said(&settings).iter().any(|line| line.starts_with("warning: minDays 13 is less than leadDays 14")));
    let enough = StockSettings { min_days: MinDays::clamped(14), ..settings };
    assert!(!said(&enough).iter().any(|line| line.starts_with("warning")));
}

#[test]
fn stock_for_ages_has_no_last_day() {
    let settings = settings();
    let (shelf, mut days) = (shelf(1_000_000_000), vec![(0, 0); 180]);
    days[0] = (10, 1);
    let plan = plan(&input(&settings, &shelf, &counts(&days)));
    assert_eq!((plan.cover_days, plan.stock_out_on), (Some(180_000_000_000), None));
}

/// Returns a demand of ten units a day, handed out while there is stock.
fn ten_a_day() -> (Vec<StockDay>, Vec<(crate::model::Date, u64)>) {
    let days: Vec<_> =
        (0..300).map(|day| (if day % 60 == 0 { 400 } else { 0 }, 10 * u64::from(day % 60 < 40))).collect();
    (counts(&days), (1..=300).map(|day| (date(day), 10)).collect())
}

#[test]
fn the_past_is_played_day_by_day() {
    let (counts, prescribed) = ten_a_day();
    let settings = StockSettings {
        policy: Policy::MinMax,
        min: Some(Amount::clamped(100)),
        max: Some(Amount::clamped(150)),
        lead_days: LeadDays::clamped(5),
        ..settings()
    };
    let name = medicine();
    let input = BacktestInput {
        medicine: &name,
        from: date(121),
        to: date(240),
        settings: &settings,
        counts: &counts,
        prescribed: &prescribed,
    };
    let found = backtest(&input);
    assert_eq!(
        found.rows.iter().map(|row| row.policy).collect::<Vec<_>>(),
        [BacktestRule::Actual, BacktestRule::MinMax, BacktestRule::Cover, BacktestRule::Service, BacktestRule::Naive,]
    );
    let actual = &found.rows[0];
    assert_eq!((actual.demand, actual.served, actual.fill_rate), (1200, 800, 6667));
    assert_eq!((actual.stock_out_days, actual.orders, actual.ordered, actual.end_stock), (40, 2, 800, 0));
    // Twice the sum 390 + 380 + … + 0, in 60 days.
    assert_eq!(actual.average_stock.to_string(), "130.00");
    let min_max = &found.rows[1];
    // There is no stock at first and for the five days of the first order. 150 arrive, and the next order is due at
    // 100.
    assert_eq!((min_max.served, min_max.stock_out_days, min_max.fill_rate), (1150, 5, 9583));
    assert!(min_max.orders > 10 && min_max.ordered >= min_max.served);
}

#[test]
fn an_empty_period_has_rows_of_zeros() {
    let (counts, prescribed) = ten_a_day();
    let (settings, name) = (settings(), medicine());
    let input = BacktestInput {
        medicine: &name,
        from: date(-100),
        to: date(0),
        settings: &settings,
        counts: &counts,
        prescribed: &prescribed,
    };
    let found = backtest(&input);
    assert_eq!((found.from, found.to, found.rows.len()), (date(-100), date(0), 4));
    // Before the first day, and after the last one, whatever is there by then.
    let after = backtest(&BacktestInput { from: date(191), to: date(190), ..input });
    for row in found.rows.into_iter().chain(after.rows) {
        assert_eq!((row.demand, row.served, row.fill_rate, row.orders, row.end_stock), (0, 0, 10_000, 0, 0));
        assert_eq!(row.average_stock.value(), 0);
    }
}

#[test]
fn later_days_change_no_plan_and_no_day_that_was_played() {
    let (counts, prescribed) = ten_a_day();
    let (settings, name, shelf) =
        (StockSettings { max_days: MaxDays::clamped(40), ..settings() }, medicine(), shelf(50));
    let until = |day: i64| {
        let counts: Vec<_> = counts.iter().filter(|count| count.day <= date(day)).cloned().collect();
        let prescribed: Vec<_> = prescribed.iter().copied().filter(|(of, _)| *of <= date(day)).collect();
        let input = PlanInput { prescribed: &prescribed, ..input(&settings, &shelf, &counts) };
        let played = BacktestInput {
            medicine: &name,
            from: date(91),
            to: date(180),
            settings: &settings,
            counts: &counts,
            prescribed: &prescribed,
        };
        (plan(&input), backtest(&played))
    };
    let then = until(180);
    for later in [181, 200, 300] {
        assert_eq!(until(later), then);
    }
}

/// Prints the time of 300 plans and of a back-test of a year; run it with
/// `cargo test --release … -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn what_plans_and_backtests_cost() {
    let (counts, prescribed) = ten_a_day();
    let (settings, name, shelf) = (StockSettings { policy: Policy::Service, ..settings() }, medicine(), shelf(50));
    let input = PlanInput { prescribed: &prescribed, today: date(300), ..input(&settings, &shelf, &counts) };
    let begun = std::time::Instant::now();
    let orders: i64 = (0..300).map(|_| plan(&input).order).sum();
    eprintln!("300 plans: {:?} ({orders})", begun.elapsed());
    let played = BacktestInput {
        medicine: &name,
        from: date(-100),
        to: date(265),
        settings: &settings,
        counts: &counts,
        prescribed: &prescribed,
    };
    let begun = std::time::Instant::now();
    let rows = backtest(&played).rows.len();
    eprintln!("a back-test of a year: {:?} ({rows})", begun.elapsed());
}
