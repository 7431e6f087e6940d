//! Reports: advice on restocking, back-tests and takings.

use futures_util::TryStreamExt as _;
use http::StatusCode;

use crate::{
    error::Error,
    model::RestockLimit,
    rest::{
        body::encode::Writing,
        contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
        operations::{query::Queried, request::Request},
    },
    service::{
        BacktestPeriod, BacktestQuery, RestockPeriod, RestockQuery, RestockReport, TakingsPeriod, TakingsQuery,
        TriedSettings,
    },
    wire::TakingsReport,
};

/// Answers a back-test.
pub(crate) async fn backtest(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let BacktestQuery { medicine, from, to } = BacktestQuery::read(&mut query);
    let TriedSettings(details) = TriedSettings::read(&mut query);
    query.verdict()?;
    let period = BacktestPeriod::new(from, to, request.care.today()?).map_err(impossible)?;
    let medicine = medicine.ok_or(Problem::Internal)?;
    let played = request.care.backtest(medicine, period, details).await.map_err(impossible)?;
    Ok(request.answer(StatusCode::OK, "Backtest", &played))
}

/// Returns the problem for a period or settings that cannot be, which is 400 like that of other bad parameters.
fn impossible(error: Error) -> Problem {
    match error {
        Error::Invalid(faults) => Problem::Malformed(faults),
        other => other.into(),
    }
}

/// The number of bytes that are kept free in a report for its end.
const REPORT_END: usize = 64;

/// Answers the restock report, whose list ends early where it would be too long.
pub(crate) async fn restock(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let RestockQuery { from, to, limit } = RestockQuery::read(&mut query);
    query.verdict()?;
    let period = RestockPeriod::new(from, to, request.care.today()?).map_err(impossible)?;
    let mut ranking =
        request.care.restock_ranking(period, limit.map_or(RestockReport::DEFAULT_ITEMS, RestockLimit::items)).await?;
    let (from, to) = (ranking.period.from.to_string(), ranking.period.to.to_string());
    let mut report = Writing::list(request.format, "Restock", &[("from", &from), ("to", &to)]);
    let (mut is_first, mut more) = (true, ranking.more);
    while let Some(item) = ranking.next().await {
        let end = report.len();
        report.item(is_first, &item);
        if !is_first && report.len() + REPORT_END > MAX_PAGE_BYTES {
            report.truncate(end);
            more = true;
            break;
        }
        is_first = false;
    }
    report.behind("more", more.then_some(&true));
    let report = report.end().ok_or(Problem::Internal)?;
    Ok(Answer::new(StatusCode::OK).with_body(request.format.media_type(), report))
}

/// Answers the takings of a period of days or of a range of receipts. The list of days ends early where it would be too
/// long, and the totals are those of the whole range.
pub(crate) async fn takings(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let TakingsQuery { from, to, above, upto, holder } = TakingsQuery::read(&mut query);
    query.verdict()?;
    let (mut items, mut bytes, mut more) = (Vec::new(), 0, false);
    let mut measured = Writing::list(request.format, "Takings", &[]);
    let before = measured.len();
    let (period, receipts, mut days) = if above.is_some() || upto.is_some() {
        let range = request.care.receipt_range(above, upto).await.map_err(impossible)?;
        (None, Some(range), request.care.takings_of(range, holder.as_deref()))
    } else {
        let period = TakingsPeriod::new(from, to, request.care.today()?).map_err(impossible)?;
        (Some(period), None, request.care.takings(period, holder.as_deref()))
    };
    while let Some(item) = days.try_next().await? {
        measured.item(items.is_empty(), &item);
        bytes += measured.len() - before;
        measured.truncate(before);
        more |= !items.is_empty() && bytes + REPORT_END > MAX_PAGE_BYTES;
        if !more {
            items.push(item);
        }
    }
    let report = TakingsReport {
        from: period.map(|period| period.from),
        to: period.map(|period| period.to),
        above: receipts.map(|receipts| receipts.above),
        upto: receipts.map(|receipts| receipts.upto),
        sums: days.sums(),
        items,
        more,
    };
    Ok(request.answer(StatusCode::OK, "Takings", &report))
}
