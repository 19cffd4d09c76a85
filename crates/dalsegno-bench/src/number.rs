//! Numbers for readers.

/// A count as a real number.
#[expect(
    clippy::cast_precision_loss,
    reason = "averages and plots need no more than 53 bits"
)]
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}

/// A number with about three significant digits, and spaces between groups of three digits.
pub(crate) fn show(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value >= 1e15 {
        return format!("{value:.2e}");
    }
    if value >= 1000.0 {
        return grouped(&format!("{value:.0}"));
    }
    let digits = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.strip_suffix(".00").or_else(|| text.strip_suffix(".0")) {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Digits with a space before every third from the right.
pub(crate) fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.012_345, 1.0, 2.345, 12.34, 123.4, 1_234.5, 1e6, 3e22];
        let expected = [
            "0.012",
            "1",
            "2.35",
            "12.3",
            "123",
            "1 234",
            "1 000 000",
            "3.00e22",
        ];
        for (value, text) in shown.into_iter().zip(expected) {
            assert_eq!(show(value), text);
        }
        assert_eq!(show(f64::NAN), "–");
    }
}
