//! Long texts of the journal, which are stored compressed: an entry that changes 64 lots says the same of each.

use lz4_flex::block;

/// The longest text that is stored as it is. The changes of a usual request are shorter: packing those of a payment
/// would cost a tenth of its instructions.
const LONGEST: usize = 8192;

/// The longest text that is packed, 4 MiB. A longer one is stored as it is, so that a file of a few megabytes cannot
/// unpack to a gigabyte.
const LONGEST_PACKED: usize = 4 << 20;

/// The most bytes that LZ4 unpacks from one.
const MOST: usize = 255;

/// Returns the bytes that pack a long text, or `None` for one that is stored as it is.
pub(crate) fn pack(text: &str) -> Option<Vec<u8>> {
    let is_packed = text.len() > LONGEST && text.len() <= LONGEST_PACKED;
    is_packed.then(|| block::compress_prepend_size(text.as_bytes()))
}

/// Returns the text that these bytes pack, or `None` if they pack none.
pub(crate) fn unpack(packed: &[u8]) -> Option<String> {
    // A damaged length must not claim more memory than the bytes can fill, nor a forged one more than a text may have.
    if len(packed) > packed.len().saturating_mul(MOST).min(LONGEST_PACKED) {
        return None;
    }
    let text = String::from_utf8(block::decompress_size_prepended(packed).ok()?).ok()?;
    (text.len() == len(packed)).then_some(text)
}

/// Returns the length of the text that these bytes pack, as they state it.
pub(crate) fn len(packed: &[u8]) -> usize {
    packed.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_returns() {
        let text = "a lot, é; ".repeat(1_000);
        let packed = pack(&text).unwrap();
        assert!(packed.len() < text.len() / 50, "{} bytes", packed.len());
        assert_eq!(len(&packed), text.len());
        assert_eq!(unpack(&packed), Some(text));
        assert_eq!(pack(&"x".repeat(LONGEST)), None);
    }

    #[test]
    fn no_text_above_four_mebibytes_is_unpacked() {
        let longest = "x".repeat(4 << 20);
        let packed = pack(&longest).unwrap();
        assert_eq!(unpack(&packed).as_ref(), Some(&longest));
        let longer = longest + "x";
        assert_eq!(pack(&longer), None);
        assert_eq!(unpack(&block::compress_prepend_size(longer.as_bytes())), None);
    }

    #[test]
    fn damage_is_no_text_and_takes_no_memory() {
        let packed = pack(&"lots".repeat(3_000)).unwrap();
        let mut immense = packed.clone();
        immense[..4].fill(0xff);
        let longer = [&12_001_u32.to_le_bytes(), &packed[4..]].concat();
        let no_text = block::compress_prepend_size(&[0xff; 9_000]);
        for damaged in [&immense, &longer, &no_text, &packed[..packed.len() - 1], &packed[..3], &[]] as [&[u8]; 6] {
            assert_eq!(unpack(damaged), None);
        }
    }
}
