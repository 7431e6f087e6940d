//! Damaged files: each is refused or detected, unless the damage is where nothing is stored.

use std::fs;

use care_conformance::Dice;

use super::power::in_memory;
use crate::{
    base::{failure::Failure, inside::Inside},
    work::{clinic::Clinic, prove::prove},
};

/// The store's reactions to damaged files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Damages {
    /// The number of files that were damaged.
    pub files: u64,
    /// The number of files that were refused, or whose damage was detected; all others still hold everything.
    pub noticed: u64,
}

/// Damages a database in random places: changed bytes, replaced runs of bytes, swapped pages, a truncated end.
///
/// # Errors
/// A record that is missing from a file which passed as sound.
pub fn damage(files: u64, seed: u64) -> Result<Damages, Failure> {
    let mut dice = Dice::new(seed);
    let mut clinic = Clinic::new()?;
    let database = clinic.database();
    let inside = Inside::open(&database)?;
    clinic.stock(&mut inside.clone())?;
    clinic.write_for(std::time::Duration::from_millis(100), inside.ports(8), &mut dice)?;
    drop(inside);
    let sound = fs::read(&database)?;
    let mut damages = Damages::default();
    for number in 0..files {
        let folder = in_memory()?;
        let path = folder.path().join("care.db");
        let mut content = sound.clone();
        ruin(&mut content, &mut dice);
        fs::write(&path, &content)?;
        match prove(&path, &clinic.asked, usize::MAX) {
            Ok(()) => {}
            Err(failure) if failure.to_string().contains(" is Done, but ") => {
                return Err(failure.when(format!("seed {seed}, file {number}")));
            }
            Err(_) => damages.noticed += 1,
        }
        damages.files += 1;
    }
    Ok(damages)
}

fn ruin(content: &mut Vec<u8>, dice: &mut Dice) {
    const PAGE: usize = 4096;
    let at = dice.roll(content.len() as u64) as usize;
    let pages = content.len() as u64 / PAGE as u64;
    match dice.roll(5) {
        0 => content[at] ^= 1 << dice.roll(8),
        1 => {
            let end = content.len().min(at + 1 + dice.roll(600) as usize);
            content[at..end].fill(dice.roll(256) as u8);
        }
        2 => content.truncate(at),
        3 => {
            let (one, other) = (dice.roll(pages) as usize * PAGE, dice.roll(pages) as usize * PAGE);
            let page = content[one..one + PAGE].to_vec();
            content.copy_within(other..other + PAGE, one);
            content[other..other + PAGE].copy_from_slice(&page);
        }
        _ => {
            let page = dice.roll(pages) as usize * PAGE;
            content[page..page + PAGE].fill(0);
        }
    }
}
