//! Times and sizes as people write them.

use std::time::Duration;

use anyhow::{Result, bail};

/// A time: a number of seconds, such as 10 or 0.5, or numbers with units, the larger ones first, such as 250ms, 5s, 2m
/// or 1h30m.
pub(crate) fn duration(text: &str) -> Result<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return match Duration::try_from_secs_f64(seconds) {
            Ok(time) => Ok(time),
            Err(_) => bail!("not a time"),
        };
    }
    let mut total = Duration::ZERO;
    let mut last = f64::INFINITY;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, unit, after) = amount(rest);
        let unit = match unit {
            "h" => 3600.0,
            "m" | "min" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            "" => bail!("{rest:?} has no unit: use h, m, s or ms"),
            other => bail!("unknown unit {other:?}: use h, m, s or ms"),
        };
        if unit >= last {
            bail!("larger units come first, each once, as in 1h30m");
        }
        last = unit;
        let number: f64 = number.parse()?;
        let part = Duration::try_from_secs_f64(number * unit).ok();
        match part.and_then(|part| total.checked_add(part)) {
            Some(sum) => total = sum,
            None => bail!("not a time"),
        }
        rest = after;
    }
    if text.is_empty() {
        bail!("not a time");
    }
    Ok(total)
}

/// A number of bytes: with K, M, G or T (also KB and so on) thousands, with KiB and so on powers of 1024.
pub(crate) fn size(text: &str) -> Result<u64> {
    let (number, unit, rest) = amount(text);
    if !rest.is_empty() {
        bail!("not a size");
    }
    let unit = unit.to_ascii_uppercase();
    let (letter, base) = match unit.strip_suffix("IB") {
        Some(letter) => (letter, 1024),
        None => (unit.strip_suffix('B').unwrap_or(&unit), 1000),
    };
    let power = match letter {
        "" if base == 1000 => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => bail!("unknown unit {unit:?}: use K, M, G, T or KiB, MiB, GiB, TiB"),
    };
    let unit = u64::pow(base, power);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse()?;
    let mut bytes = whole.checked_mul(unit);
    if !part.is_empty() {
        let digits: u64 = part.parse()?;
        let Some(tenth) = u32::try_from(part.len())
            .ok()
            .and_then(|n| 10_u64.checked_pow(n))
        else {
            bail!("too many digits");
        };
        let more = u64::try_from(u128::from(digits) * u128::from(unit) / u128::from(tenth)).ok();
        bytes = bytes.zip(more).and_then(|(a, b)| a.checked_add(b));
    }
    match bytes {
        Some(bytes) => Ok(bytes),
        None => bail!("too large"),
    }
}

/// A number, the letters behind it, and the rest.
fn amount(text: &str) -> (&str, &str, &str) {
    let end = |text: &str, part: fn(char) -> bool| text.find(|c| !part(c)).unwrap_or(text.len());
    let (number, rest) = text.split_at(end(text, |c| c.is_ascii_digit() || c == '.'));
    let (unit, rest) = rest.split_at(end(rest, char::is_alphabetic));
    (number, unit, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_have_units() {
        for (text, milliseconds) in [
            ("10", 10_000),
            ("0.5", 500),
            ("0", 0),
            ("250ms", 250),
            ("5s", 5_000),
            ("2m", 120_000),
            ("2min", 120_000),
            ("1.5m", 90_000),
            ("1h30m", 5_400_000),
            ("1h0m1s5ms", 3_601_005),
        ] {
            let time = duration(text).unwrap();
            assert_eq!(time.as_millis(), milliseconds, "{text}");
        }
        for text in [
            "",
            "-1",
            "nan",
            "inf",
            "5x",
            "1m2h",
            "1m1m",
            "1h30",
            "h",
            "s5",
            "5 s",
            "1..5s",
            "9999999999999999h",
            "\u{665}s",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_decimal_or_binary() {
        for (text, bytes) in [
            ("12", 12),
            ("12B", 12),
            ("4K", 4_000),
            ("4kb", 4_000),
            ("500MB", 500_000_000),
            ("4G", 4_000_000_000),
            ("4GiB", 4 << 30),
            ("1.5GiB", 3 << 29),
            ("0.25K", 250),
            ("2tib", 2 << 40),
        ] {
            assert_eq!(size(text).unwrap(), bytes, "{text}");
        }
        for text in [
            "",
            "-1",
            "4X",
            "4iB",
            "G",
            "4G4",
            "99999999999T",
            "1.5.5G",
            "1e9",
            "4 G",
            "18446744073709551616",
            ".5G",
            "1.00000000000000000000001G",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
