//! A picture of a medicine's stock: the units at the end of each day, and the level at which an order is due.

use std::fmt::Write as _;

use care_core::{
    error::Error,
    model::{Amount, Date, Demand, MedicineKey, Shelf, Stock, StockDay},
    service::CareService,
    stock::{PlanInput, plan},
    store::{Entity, Limit, List},
};

const WIDTH: i64 = 820;
const HEIGHT: i64 = 300;
const LEFT: i64 = 60;
const TOP: i64 = 40;
const BOTTOM: i64 = 40;

/// One day of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChartDay {
    /// The day.
    pub day: Date,
    /// All units at its end.
    pub on_hand: i64,
    /// The units that could be handed out at its end.
    pub usable: i64,
    /// The units that arrived on it.
    pub received: i64,
    /// The level at which an order was due on this day, computed from the days before it. It leaves regular
    /// prescriptions out, because how many there were on past days is not stored.
    pub reorder_at: i64,
}

/// Returns the chart's days for a medicine; empty if the medicine is not tracked.
///
/// # Errors
/// The store's failures.
pub async fn days(care: &CareService, medicine: MedicineKey, from: Date, to: Date) -> Result<Vec<ChartDay>, Error> {
    let settings = match care.stock(medicine.clone()).await {
        Ok(live) => live.record.stock.settings,
        Err(Error::NotFound(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let known = StockDay::list((Date::MIN, to), Some(medicine.clone()), None);
    let counts = all(care, known).await?;
    let demand = all(care, Demand::of_medicine(medicine, (Date::MIN, to))).await?;
    let prescribed: Vec<_> =
        demand.iter().map(|demand| (demand.day, demand.wanted.units(settings.supply_units))).collect();
    let shelf = Shelf::default();
    let mut days = Vec::new();
    for day in (from.unix_days()..=to.unix_days()).filter_map(|day| Date::from_unix_days(day).ok()) {
        let before = counts.partition_point(|count| count.day < day);
        let until = counts.partition_point(|count| count.day <= day);
        let wanted = prescribed.partition_point(|(of, _)| *of < day);
        let plan = plan(&PlanInput {
            today: day,
            settings: &settings,
            shelf: &shelf,
            reserved: Amount::ZERO,
            counts: &counts[..before],
            prescribed: &prescribed[..wanted],
            refills: &[],
            waiting: 0,
        });
        let state = counts[..until].last();
        let usable = state.filter(|state| state.usable_until.is_some_and(|last| last >= day));
        days.push(ChartDay {
            day,
            on_hand: state.map_or(0, |state| state.on_hand.value()),
            usable: usable.map_or(0, |state| state.usable.value()),
            received: state.filter(|state| state.day == day).map_or(0, |state| state.received),
            reorder_at: plan.reorder_at,
        });
    }
    Ok(days)
}

async fn all<E: Entity>(care: &CareService, list: List<E>) -> Result<Vec<E>, Error> {
    let found = care.store().list(&list, Limit::ALL).await?.items;
    Ok(found.iter().filter_map(|found| E::from_record(&found.record).cloned()).collect())
}

/// Draws the days as SVG. The same days give the same text.
pub fn svg(stock: &Stock, days: &[ChartDay]) -> String {
    let highest = days.iter().map(|day| day.on_hand.max(day.reorder_at)).max().unwrap_or(0).max(1);
    // Four grid lines at round numbers.
    let step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000].into_iter().find(|step| step * 4 >= highest);
    let step = step.unwrap_or(highest.div_euclid(4) + 1);
    let top = step * 4;
    let (wide, high) = (WIDTH - LEFT - 20, HEIGHT - TOP - BOTTOM);
    let count = i64::try_from(days.len()).unwrap_or(i64::MAX).max(1);
    let x = |place: usize| LEFT + i64::try_from(place).unwrap_or(i64::MAX) * wide / count;
    let y = |units: i64| TOP + high - units * high / top;
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let mut line = |text: String| {
        let _ = writeln!(svg, "{text}");
    };
    line(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\">"
    ));
    let (medicine, unit) = (escaped(stock.medicine.as_str()), escaped(stock.settings.unit.as_str()));
    line(format!("<title>{medicine}: {unit} on the shelf, and the level at which an order is due</title>"));
    line(format!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>"));
    line(format!("<text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{medicine}, {unit} at the end of each day</text>"));
    for tick in 0..=4 {
        let at = y(tick * step);
        line(format!("<path d=\"M{LEFT} {at}H{}\" stroke=\"#ddd\"/>", WIDTH - 20));
        line(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", LEFT - 8, at + 4, tick * step));
    }
    for (place, day) in days.iter().enumerate() {
        if day.usable == 0 && place > 0 && days[place - 1].usable == 0 {
            // The days without stock, each over its full width.
            line(format!(
                "<rect x=\"{}\" y=\"{TOP}\" width=\"{}\" height=\"{high}\" fill=\"#fbe3e0\"/>",
                x(place),
                x(place + 1) - x(place)
            ));
        }
        let date = day.day.to_string();
        if let Some(month) = date.strip_prefix("01/") {
            line(format!("<text x=\"{}\" y=\"{}\">{month}</text>", x(place), HEIGHT - 22));
            line(format!("<path d=\"M{} {}v6\" stroke=\"#666\"/>", x(place), TOP + high));
        }
    }
    let stairs = |of: &dyn Fn(&ChartDay) -> i64| {
        let mut path = String::new();
        for (place, day) in days.iter().enumerate() {
            let begin = if place == 0 { format!("M{} ", x(0)) } else { "V".to_owned() };
            let _ = write!(path, "{begin}{}H{}", y(of(day)), x(place + 1));
        }
        path
    };
    let stock_line = stairs(&|day| day.on_hand);
    line(format!("<path d=\"{stock_line}V{}H{LEFT}Z\" fill=\"#cfe3f5\"/>", y(0)));
    line(format!("<path d=\"{stock_line}\" fill=\"none\" stroke=\"#1b5e96\" stroke-width=\"1.5\"/>"));
    for (place, day) in days.iter().enumerate().filter(|(_, day)| day.received > 0) {
        let (at, over) = (x(place), y(day.on_hand));
        line(format!("<path d=\"M{at} {}l-4 -7h8Z\" fill=\"#2e7d32\"/>", over - 2));
    }
    let level = stairs(&|day| day.reorder_at);
    line(format!(
        "<path d=\"{level}\" fill=\"none\" stroke=\"#b3261e\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"/>"
    ));
    let legend = HEIGHT - 6;
    line(format!("<text x=\"{LEFT}\" y=\"{legend}\" fill=\"#1b5e96\">stock</text>"));
    line(format!("<text x=\"{}\" y=\"{legend}\" fill=\"#b3261e\">order at (dashed)</text>", LEFT + 60));
    line(format!("<text x=\"{}\" y=\"{legend}\" fill=\"#2e7d32\">\u{25bc} delivery</text>", LEFT + 190));
    line(format!("<text x=\"{}\" y=\"{legend}\" fill=\"#8c1d18\">shaded: days without stock</text>", LEFT + 280));
    line("</svg>".to_owned());
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
