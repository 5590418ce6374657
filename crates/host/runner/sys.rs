//! Raw system calls of x86-64, and the memory functions that the compiler calls by name.

use core::arch::asm;

pub const READ: u64 = 0;
pub const WRITE: u64 = 1;
pub const CLOSE: u64 = 3;
pub const RT_SIGACTION: u64 = 13;
pub const DUP: u64 = 32;
pub const DUP2: u64 = 33;
pub const FORK: u64 = 57;
pub const CAPSET: u64 = 126;
pub const SIGALTSTACK: u64 = 131;
pub const EXIT_GROUP: u64 = 231;

pub const MINUS_EINTR: i64 = -4;

/// A system call with up to three arguments.
pub fn syscall(number: u64, args: [u64; 3]) -> u64 {
    syscall6(number, [args[0], args[1], args[2], 0, 0, 0])
}

/// A system call with all six arguments, and what it returned.
pub fn syscall6(number: u64, args: [u64; 6]) -> u64 {
    let result;
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    unsafe {
        asm!("rep movsb", inout("rcx") n => _, inout("rdi") to => _, inout("rsi") from => _);
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, n: usize) -> *mut u8 {
    unsafe {
        asm!("rep stosb", inout("rcx") n => _, inout("rdi") to => _, in("al") byte as u8);
    }
    to
}
