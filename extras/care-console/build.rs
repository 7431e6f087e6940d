//! Compresses the files that are served, so that a program that embeds them stays small, and leaves out comments, which
//! are for readers of the source.

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
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                // Other people's files are served as they are.
                Some("js" | "css") if from.starts_with("web") => {
                    encoder.write_all(bare(&fs::read_to_string(path)?).as_bytes())?;
                }
                _ => encoder.write_all(&fs::read(path)?)?,
            }
            fs::write(place, encoder.finish()?)?;
        }
    }
    Ok(())
}

/// Returns a script or a style without its comments, those that fill lines and the types within a line, and without
/// empty lines.
fn bare(text: &str) -> String {
    let mut is_comment = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        if is_comment {
            is_comment = !line.ends_with("*/");
            return false;
        }
        is_comment = line.starts_with("/*") && !line.contains("*/");
        let is_whole = line.starts_with("//") || (line.starts_with("/*") && line.ends_with("*/"));
        !is_comment && !is_whole && !line.is_empty()
    };
    text.lines().filter(is_code).flat_map(|line| [untyped(line), "\n".to_owned()]).collect()
}

/// Returns a line of code without the types that comments state in it, such as `/** @type {string} */`.
fn untyped(line: &str) -> String {
    let mut parts = line.split("/** @");
    let code = parts.next().unwrap_or_default().to_owned();
    parts.fold(code, |code, part| {
        let rest = part.split_once("*/").map_or("", |(_, rest)| rest);
        code + rest.strip_prefix(' ').unwrap_or(rest)
    })
}
