//! Compresses the files that are served, so that a program that embeds them stays small.

use std::{env, error::Error, fs, io::Write, path::Path};

use flate2::{Compression, write::DeflateEncoder};

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for folder in ["web", "explorer"] {
        println!("cargo::rerun-if-changed={folder}");
        compress(Path::new(folder), &Path::new(&out).join(folder))?;
    }
    Ok(())
}

/// Compresses each file of a folder into a file of the same name in another one.
fn compress(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            compress(&entry.path(), &place)?;
        } else {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&fs::read(entry.path())?)?;
            fs::write(place, encoder.finish()?)?;
        }
    }
    Ok(())
}
