//! The growth of a server's memory.

use crate::{Result, ensure};

/// The bytes per request above which growth is a leak. A real leak keeps at least a pointer and its target.
const LEAK: f64 = 16.0;
/// The bytes that the allocator and the database's caches may take late, whatever the number of requests.
const SLACK: f64 = 4.0 * 1024.0 * 1024.0;

/// The memory of a server after a number of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sample {
    /// Requests since the server started.
    pub(super) requests: u64,
    /// Resident memory in bytes.
    pub(super) bytes: u64,
}

/// The growth of memory in the second half of the requests. In the first half caches fill and connections get buffers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    /// Bytes per request: the slope of the least-squares line through the samples.
    pub(super) slope: f64,
    /// The slope above which growth is a leak.
    pub(super) bound: f64,
}

impl Growth {
    /// Computes the growth from samples. Too few samples show none.
    pub(super) fn of(samples: &[Sample]) -> Self {
        let total = samples.last().map_or(0, |sample| sample.requests);
        let half: Vec<_> = samples.iter().filter(|sample| sample.requests * 2 >= total).collect();
        let count = half.len().max(1) as f64;
        let mean = |of: fn(&Sample) -> u64| half.iter().map(|sample| of(sample) as f64).sum::<f64>() / count;
        let (requests, bytes) = (mean(|sample| sample.requests), mean(|sample| sample.bytes));
        let (mut covariance, mut variance) = (0.0, 0.0);
        for sample in &half {
            let distance = sample.requests as f64 - requests;
            covariance += distance * (sample.bytes as f64 - bytes);
            variance += distance * distance;
        }
        let slope = if variance > 0.0 { covariance / variance } else { 0.0 };
        Self { slope, bound: LEAK + SLACK / (total as f64 / 2.0).max(1.0) }
    }

    /// Checks that the growth is not a leak.
    ///
    /// # Errors
    /// The growth is a leak.
    pub(super) fn hold(self) -> Result<Self> {
        let Self { slope, bound } = self;
        ensure!(slope <= bound, "memory grows by {slope:.1} bytes a request; {bound:.1} are no leak");
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use care_conformance::Dice;

    /// Returns samples over half a million requests of a server that warms up by 20 MiB, whose memory jumps by up to 1
    /// MiB, and that leaks this many bytes with each request.
    fn samples(leak: u64) -> Vec<Sample> {
        let mut dice = Dice::new(9);
        let sampled = (0..=200_u64).map(|step| {
            let requests = step * 2500;
            let warm = (20 << 20) * step.min(60) / 60;
            Sample { requests, bytes: (12 << 20) + warm + dice.roll(1 << 20) + leak * requests }
        });
        sampled.collect()
    }

    #[test]
    fn a_leak_is_told_from_noise_and_warming_up() {
        let sound = Growth::of(&samples(0)).hold().expect("no leak");
        assert!(sound.slope.abs() < 2.0, "{sound:?}");
        for leak in [48, 64, 4096] {
            let growth = Growth::of(&samples(leak));
            assert!((growth.slope - leak as f64).abs() < 2.0, "{growth:?}");
            growth.hold().expect_err("a leak");
        }
    }

    #[test]
    fn a_line_is_measured_exactly_and_too_few_samples_are_none() {
        let line: Vec<_> = (0..10).map(|step| Sample { requests: step, bytes: 7 + 3 * step }).collect();
        assert!((Growth::of(&line).slope - 3.0).abs() < 1e-9);
        assert!(Growth::of(&line[..1]).slope.abs() < 1e-9);
        assert!(Growth::of(&[]).slope.abs() < 1e-9);
    }
}
