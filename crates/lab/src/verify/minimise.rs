//! From a program that shows a difference to a small one that shows the same kind.

use sealab_core::call::Call;
use sealab_core::flags::Prot;

use super::compare::{Mismatch, compare};
use super::{Run, Step};
use sealab_core::call::Mapping;

const PAGE: u64 = 4096;
/// Programs tried at most.
const MOST_TRIES: usize = 4000;

/// A small program that shows a difference.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The program.
    pub program: Vec<Step>,
    /// What differs.
    pub mismatch: Mismatch,
    /// What the real kernel did.
    pub kernel: Run,
    /// How many programs were tried.
    pub tries: usize,
}

/// Makes `program` smaller while `kernel` (which may refuse a program: `None`) and `simulated`
/// still differ in the way that `mismatch` does: drops calls (delta debugging), then makes
/// arguments plainer. `None` if the difference does not show again.
pub fn minimise(
    program: &[Step],
    mismatch: &Mismatch,
    before: &[Mapping],
    kernel: &mut dyn FnMut(&[Step]) -> Option<Run>,
    simulated: &mut dyn FnMut(&[Step]) -> Run,
) -> Option<Minimised> {
    let kind = mismatch.kind();
    let mut tries = 0;
    let mut best: Option<(Mismatch, Run)> = None;
    let mut shows = |candidate: &[Step]| {
        tries += 1;
        if tries > MOST_TRIES {
            return false;
        }
        let Some(real) = kernel(candidate) else {
            return false;
        };
        let found = compare(candidate, before, &real, &simulated(candidate));
        match found {
            Some(found) if found.kind() == kind => {
                best = Some((found, real));
                true
            }
            _ => false,
        }
    };
    let mut current = program.to_vec();
    if !shows(&current) {
        return None;
    }
    loop {
        let before_pass = current.clone();
        drop_calls(&mut current, &mut shows);
        plainer_calls(&mut current, &mut shows);
        if current == before_pass {
            break;
        }
    }
    let (mismatch, kernel) = best?;
    Some(Minimised {
        program: current,
        mismatch,
        kernel,
        tries,
    })
}

/// Zeller's delta debugging in its simple form: ever smaller stretches are left out.
fn drop_calls(current: &mut Vec<Step>, shows: &mut dyn FnMut(&[Step]) -> bool) {
    let mut size = current.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < current.len() {
            let end = (at + size).min(current.len());
            let mut candidate = current.clone();
            candidate.drain(at..end);
            if shows(&candidate) {
                *current = candidate;
            } else {
                at = end;
            }
        }
        if size == 1 {
            return;
        }
        size = size.div_ceil(2);
    }
}

/// Tries plainer arguments, call by call.
fn plainer_calls(current: &mut Vec<Step>, shows: &mut dyn FnMut(&[Step]) -> bool) {
    for at in 0..current.len() {
        loop {
            let Some((by, call)) = current.get(at).cloned() else {
                return;
            };
            let simpler = plainer(&call).into_iter().find_map(|call| {
                let mut candidate = current.clone();
                *candidate.get_mut(at)? = (by, call);
                shows(&candidate).then_some(candidate)
            });
            match simpler {
                Some(candidate) => *current = candidate,
                None => break,
            }
        }
    }
}

/// Calls like `call` but plainer in one argument, the plainest first. Each is smaller in some
/// measure, so that going on from one of them comes to an end.
fn plainer(call: &Call) -> Vec<Call> {
    let mut out = Vec::new();
    let mut offer = |candidate: Call| {
        if candidate != *call {
            out.push(candidate);
        }
    };
    match *call {
        Call::Mmap {
            addr,
            len,
            prot,
            flags,
            fd,
            offset,
        } => {
            let with = |len, prot, flags, offset| Call::Mmap {
                addr,
                len,
                prot,
                flags,
                fd,
                offset,
            };
            lengths(len, |len| offer(with(len, prot, flags, offset)));
            for prot in plainer_prots(prot) {
                offer(with(len, prot, flags, offset));
            }
            for bit in bits(flags) {
                offer(with(len, prot, flags & !bit, offset));
            }
            offer(with(len, prot, flags, 0));
        }
        Call::Mremap {
            addr,
            old_len,
            new_len,
            flags,
            new_addr,
        } => {
            let with = |old_len, new_len, flags| Call::Mremap {
                addr,
                old_len,
                new_len,
                flags,
                new_addr,
            };
            if old_len == new_len {
                lengths(old_len, |len| offer(with(len, len, flags)));
            }
            lengths(old_len, |len| offer(with(len, new_len, flags)));
            lengths(new_len, |len| offer(with(old_len, len, flags)));
            for bit in bits(flags) {
                offer(with(old_len, new_len, flags & !bit));
            }
        }
        Call::Mprotect { addr, len, prot } => {
            lengths(len, |len| offer(Call::Mprotect { addr, len, prot }));
            for prot in plainer_prots(prot) {
                offer(Call::Mprotect { addr, len, prot });
            }
        }
        Call::PkeyMprotect {
            addr, len, prot, ..
        } => offer(Call::Mprotect { addr, len, prot }),
        Call::Munmap { addr, len } => lengths(len, |len| offer(Call::Munmap { addr, len })),
        Call::Madvise { addr, len, advice } => {
            lengths(len, |len| offer(Call::Madvise { addr, len, advice }));
        }
        Call::Mseal { addr, len, flags } => {
            lengths(len, |len| offer(Call::Mseal { addr, len, flags }));
        }
        Call::Store { addr, len } => lengths(len, |len| offer(Call::Store { addr, len })),
        Call::Load { addr, len } => lengths(len, |len| offer(Call::Load { addr, len })),
        Call::Exec { addr, len } => lengths(len, |len| offer(Call::Exec { addr, len })),
        Call::Mlock { addr, len } => lengths(len, |len| offer(Call::Mlock { addr, len })),
        Call::Munlock { addr, len } => lengths(len, |len| offer(Call::Munlock { addr, len })),
        Call::Msync { addr, len, flags } => {
            lengths(len, |len| offer(Call::Msync { addr, len, flags }));
        }
        Call::Mlock2 { addr, len, flags } => {
            if flags == 0 {
                offer(Call::Mlock { addr, len });
            }
            lengths(len, |len| offer(Call::Mlock2 { addr, len, flags }));
        }
        _ => {}
    }
    out
}

/// One page, half of it, ever smaller parts less, one page less of what is short; whole pages.
fn lengths(len: u64, mut offer: impl FnMut(u64)) {
    let whole = len.div_ceil(PAGE).saturating_mul(PAGE);
    if len == 0 || whole == 0 {
        return;
    }
    // Page by page only where that is few pages: a border far out is found well enough in eighths.
    let one_less = if whole > 64 * PAGE { 0 } else { whole - PAGE };
    let parts = [1, 2, 3].map(|n| (whole - (whole >> n)) / PAGE * PAGE);
    for shorter in [PAGE].into_iter().chain(parts).chain([one_less]) {
        if shorter > 0 && shorter < len {
            offer(shorter);
        }
    }
    // Plainer, though longer: it is offered once only, from a length that is no whole one.
    if whole != len && whole - len < PAGE {
        offer(whole);
    }
}

fn plainer_prots(prot: u64) -> Vec<u64> {
    let rw = (Prot::READ | Prot::WRITE).bits();
    let r = Prot::READ.bits();
    match prot {
        _ if prot == rw => Vec::new(),
        _ if prot == r => vec![rw],
        0 => vec![rw, r],
        _ => vec![rw, r, 0],
    }
}

fn bits(flags: u64) -> impl Iterator<Item = u64> {
    (0..64)
        .map(|bit| 1 << bit)
        .filter(move |bit| flags & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::compare::Place;
    use sealab_core::call::{Outcome, ProcessId};
    use sealab_core::errno::Errno;

    fn step(call: Call) -> Step {
        (ProcessId(0), call)
    }

    fn protect(len: u64) -> Call {
        Call::Mprotect {
            addr: 0x1000,
            len,
            prot: 7,
        }
    }

    /// Two kernels that agree but for an mprotect of more than two pages after a seal.
    fn pair(program: &[Step], real: bool) -> Run {
        let mut sealed = false;
        let outcomes = program.iter().map(|(_, call)| match call {
            Call::Mseal { .. } => {
                sealed = true;
                Outcome::Value(0)
            }
            Call::Mprotect { len, .. } if sealed && *len > 2 * PAGE && real => {
                Outcome::Errno(Errno::EPERM)
            }
            _ => Outcome::Value(0),
        });
        Run {
            outcomes: outcomes.collect(),
            after: Vec::new(),
        }
    }

    #[test]
    fn keeps_what_matters_and_nothing_else() {
        let seal = Call::Mseal {
            addr: 0x1000,
            len: 5 * PAGE + 3,
            flags: 0,
        };
        let noise = |addr| step(Call::Munmap { addr, len: PAGE });
        let mut program: Vec<Step> = (0..20).map(|i| noise(i * PAGE)).collect();
        program.insert(4, step(seal));
        program.insert(17, step(protect(9 * PAGE)));
        program.insert(9, step(protect(9 * PAGE)));
        let (k, s) = (pair(&program, true), pair(&program, false));
        let mismatch = compare(&program, &[], &k, &s).unwrap();
        let small = minimise(
            &program,
            &mismatch,
            &[],
            &mut |p| Some(pair(p, true)),
            &mut |p| pair(p, false),
        )
        .unwrap();
        let seal = Call::Mseal {
            addr: 0x1000,
            len: PAGE,
            flags: 0,
        };
        let protect = Call::Mprotect {
            addr: 0x1000,
            len: 3 * PAGE,
            prot: 3,
        };
        assert_eq!(small.program, [step(seal), step(protect)]);
        assert!(matches!(small.mismatch.at, Place::Call { index: 1, .. }));
    }

    #[test]
    fn a_difference_that_does_not_show_again_is_none() {
        let program = [step(protect(PAGE))];
        let mismatch = Mismatch {
            at: Place::Maps(0),
            kernel: String::new(),
            simulated: String::new(),
        };
        let same = |p: &[Step]| pair(p, true);
        let found = minimise(&program, &mismatch, &[], &mut |p| Some(same(p)), &mut |p| {
            same(p)
        });
        assert!(found.is_none());
    }
}
