//! Summaries of many figures.

use std::time::{Duration, Instant};

/// Returns the median.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the microseconds of one run, measured for this time. The first runs warm up and do not count.
pub(crate) fn microseconds<E>(time: Duration, mut run: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    const WARM: u32 = 3;
    for _ in 0..WARM {
        run()?;
    }
    let started = Instant::now();
    let mut runs = 0_u32;
    loop {
        run()?;
        runs += 1;
        let spent = started.elapsed();
        if spent >= time {
            return Ok(spent.as_secs_f64() * 1e6 / f64::from(runs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).to_bits(), 2.0_f64.to_bits());
        assert!(median(Vec::new()).is_nan());
    }
}
