//! A primary that is killed under load, and whose standby takes over.

use std::time::{Duration, Instant};

use care_conformance::Dice;

use super::{
    outage::{goes_on, outage, spread},
    site::{Front, Site, there},
};
use crate::{Failure, Finding, Moment, NOTHING, Run};

/// The number of failovers that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;
/// Longest time without an acknowledged write, besides the promotion itself.
const BAR: Duration = Duration::from_secs(2);
/// The time for which an asynchronous standby is down before its primary is killed.
const DOWN: Duration = Duration::from_millis(400);

/// Kills the primary under load over both servers and promotes its synchronous standby, repeatedly and in both
/// directions. The servers know both addresses and continue.
pub(crate) fn promote(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut acknowledged, mut promotions, mut outages, mut late) = (0, Vec::new(), Vec::new(), 0);
    run.together().lives(
        LIVES,
        |_| {
            let site = Site::pair(run, true)?;
            Ok((site.serve(run)?, site))
        },
        |(front, site), _, dice| {
            let Failover { promotion, outage, forbidden } = site.fail_over(front, dice, Duration::ZERO)?;
            site.prove(front)?;
            site.rejoin()?;
            forbidden.map_or(Ok(()), Err)?;
            late += u64::from(outage > promotion + BAR);
            promotions.push(promotion);
            outages.push(outage);
            Ok(())
        },
        |(_, site)| {
            acknowledged += site.clinic.storm.acknowledged();
            Ok(())
        },
    )?;
    let found = format!(
        "{NOTHING}; the promotion takes {}, and without an acknowledged write pass {}",
        spread(promotions),
        spread(outages)
    );
    let mut finding = Finding::new(format!("{} times; {acknowledged} writes acknowledged", run.rounds)).found(found);
    finding.bar(late == 0, || format!("{late} times more than 2 s passed beside the promotion"));
    Ok(vec![finding])
}

/// Does the same with an asynchronous standby, which is down for a moment before its primary is killed. The harness
/// must find losses.
pub(crate) fn promote_async(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut acknowledged, mut lost, mut with_losses) = (0, 0, 0);
    run.play(|_, dice| {
        let mut site = Site::pair(run, false)?;
        let front = site.serve(run)?;
        site.fail_over(&front, dice, DOWN)?;
        let lost_now = site.differences()?.iter().filter(|difference| difference.is_lost).count() as u64;
        acknowledged += site.clinic.storm.acknowledged();
        lost += lost_now;
        with_losses += u64::from(lost_now > 0);
        Ok(())
    })?;
    let found = format!("{lost} effects of acknowledged writes lost, in {with_losses} of {} rounds", run.rounds);
    let mut finding = Finding::new(format!("{} times; {acknowledged} writes acknowledged", run.rounds)).found(found);
    finding.bar(with_losses == run.rounds, || "the harness finds no loss where there must be one".to_owned());
    Ok(vec![finding])
}

/// A failover, as clients saw it.
struct Failover {
    /// The time from the primary's end until the standby accepts writes.
    promotion: Duration,
    /// The longest time without an acknowledged write.
    outage: Duration,
    /// An answer that no client may get.
    forbidden: Option<Failure>,
}

impl Site {
    /// Kills the primary under load, and promotes the standby, which is down for this long before.
    fn fail_over(&mut self, front: &Front, dice: &mut Dice, down: Duration) -> Result<Failover, Failure> {
        let moment = Moment::of(dice);
        let (forbidden, (promotion, outage)) = self.beside(front, CLIENTS, dice, |primary, standby, storm| {
            let standby = there(standby)?;
            let is_down = down > Duration::ZERO;
            moment.wait_around(storm, || {
                if is_down {
                    standby.kill()?;
                    storm.wait(down, || false);
                }
                Ok::<_, Failure>(())
            })?;
            let (promoted, longest) = outage(storm, || {
                let begun = Instant::now();
                primary.kill()?;
                if is_down {
                    standby.restart()?;
                }
                standby.promote()?;
                let took = begun.elapsed();
                // Clients whose records are lost stop, perhaps all of them.
                if is_down { Ok(took) } else { goes_on(storm).map(|()| took) }
            });
            Ok((promoted?, longest))
        })?;
        self.swap();
        Ok(Failover { promotion, outage, forbidden })
    }
}
