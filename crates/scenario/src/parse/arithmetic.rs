//! Arithmetic that says when it leaves its range. The parser folds constants with it, the
//! interpreter evaluates with it.

use crate::program::BinaryOp;

/// Why two values could not be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArithmeticFault {
    DivisionByZero,
    Overflow,
}

impl ArithmeticFault {
    pub fn code(self) -> &'static str {
        match self {
            Self::DivisionByZero => "division-by-zero",
            Self::Overflow => "overflow",
        }
    }

    pub fn message(self) -> &'static str {
        match self {
            Self::DivisionByZero => "division by zero",
            Self::Overflow => "the value leaves the range of 64 bits",
        }
    }
}

/// Values lie between ±(2^64 - 1), so that both a signed and an unsigned 64-bit number fit and
/// no step in between overflows.
const BOUND: i128 = (1 << 64) - 1;

/// Two values joined.
pub(crate) fn apply(op: BinaryOp, a: i128, b: i128) -> Result<i128, ArithmeticFault> {
    let value = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 => {
            return Err(ArithmeticFault::DivisionByZero);
        }
        BinaryOp::Divide => a.checked_div(b),
        BinaryOp::Remainder => a.checked_rem(b),
        BinaryOp::ShiftLeft => match u32::try_from(b) {
            Ok(bits) if bits < 64 => a.checked_mul(1 << bits),
            _ => None,
        },
        BinaryOp::Or => Some(a | b),
    };
    value
        .filter(|value| (-BOUND..=BOUND).contains(value))
        .ok_or(ArithmeticFault::Overflow)
}

/// The value as the kernel sees it; negative numbers wrap.
pub(crate) fn narrow(value: i128) -> Option<u64> {
    u64::try_from(value)
        .ok()
        .or_else(|| i64::try_from(value).ok().map(i64::cast_unsigned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_kept() {
        let max = i128::from(u64::MAX);
        assert_eq!(apply(BinaryOp::Add, max, 0), Ok(max));
        assert_eq!(apply(BinaryOp::Add, max, 1), Err(ArithmeticFault::Overflow));
        assert_eq!(
            apply(BinaryOp::Multiply, max, max),
            Err(ArithmeticFault::Overflow)
        );
        assert_eq!(apply(BinaryOp::ShiftLeft, 1, 63), Ok(1 << 63));
        assert_eq!(
            apply(BinaryOp::ShiftLeft, 1, 64),
            Err(ArithmeticFault::Overflow)
        );
        assert_eq!(
            apply(BinaryOp::ShiftLeft, 1, -1),
            Err(ArithmeticFault::Overflow)
        );
        assert_eq!(
            apply(BinaryOp::Remainder, 7, 0),
            Err(ArithmeticFault::DivisionByZero)
        );
        assert_eq!(apply(BinaryOp::Or, 0x10, 3), Ok(0x13));
    }

    #[test]
    fn negative_numbers_wrap_as_in_c() {
        assert_eq!(narrow(-1), Some(u64::MAX));
        assert_eq!(narrow(-(1 << 63)), Some(1 << 63));
        assert_eq!(narrow(-(1 << 63) - 1), None);
        assert_eq!(narrow(1 << 64), None);
    }
}
