//! The runner: a program that does nothing but make the calls it is told to make.
//!
//! It has no libc, no heap and no thread, and all memory it needs lies in its image and is touched
//! before the first call, so that between two calls nothing changes in its address space but what
//! the calls change. Requests come over a socket and are answered over it, see `wire`.

#![no_std]
#![no_main]

mod probe;
mod sys;
#[path = "wire.rs"]
#[allow(dead_code)] // shared with the host
mod wire;

use core::arch::global_asm;
use core::ptr::{addr_of, addr_of_mut};

use sys::{syscall, syscall6};
use wire::*;

/// The request in hand and its answers.
static mut REQUEST: [u64; MAX_RECORDS * RECORD_WORDS] = [0; MAX_RECORDS * RECORD_WORDS];
static mut ANSWERS: [u64; MAX_RECORDS * ANSWER_WORDS] = [0; MAX_RECORDS * ANSWER_WORDS];

/// What execve gives a stack below its contents, all of it touched before the first call: every
/// mapping of the runner is then resident as a whole or not at all, and which pages those are is
/// no question when one is cut in two.
const STACK_TOUCHED: usize = 128 << 10;
const PAGE: usize = 4096;

global_asm!(
    ".global _start",
    "_start:",
    "xor ebp, ebp",
    "and rsp, -16",
    "call {main}",
    "ud2",
    main = sym main,
);

extern "C" fn main() -> ! {
    drop_capabilities();
    probe::install();
    touch_everything();
    probe::open_protection_keys();
    serve(CHANNEL_FD as u64)
}

/// Answers requests until the host closes the socket.
fn serve(mut channel: u64) -> ! {
    loop {
        let head = receive_records(channel, 1);
        let records = head[1] as usize;
        if head[0] != OP_HEAD || records > MAX_RECORDS {
            exit(2);
        }
        let request = receive_records(channel, records);
        let mut answers = 0;
        let mut forked = false;
        let mut at = 0;
        while at < records {
            let record = &request[at * RECORD_WORDS..(at + 1) * RECORD_WORDS];
            let text = &request[(at + 1) * RECORD_WORDS..];
            let (end, value) = perform(record, text);
            at += 1;
            if record[0] == OP_TEXT_CALL {
                at += (record[3] as usize + 1).div_ceil(RECORD_BYTES);
            }
            if record[0] == OP_FORK && value == 0 {
                // The child: what is left of the request is its parent's.
                channel = record[1];
                forked = true;
                break;
            }
            let slot = unsafe { addr_of_mut!(ANSWERS).cast::<[u64; 2]>().add(answers) };
            unsafe { *slot = [end, value] };
            answers += 1;
        }
        if !forked {
            send(channel, addr_of!(ANSWERS) as u64, answers * ANSWER_BYTES);
        }
    }
}

/// Makes one call: how it ended, and the value.
fn perform(r: &[u64], text: &[u64]) -> (u64, u64) {
    match r[0] {
        OP_SYSCALL => {
            let value = syscall6(r[1], [r[2], r[3], r[4], r[5], r[6], r[7]]);
            probe::open_protection_keys();
            (END_RETURNED, value)
        }
        OP_LOAD => each_page(r[1], r[2], probe::load),
        OP_STORE => each_page(r[1], r[2], probe::store),
        OP_EXEC => each_page(r[1], r[2], probe::exec),
        OP_TEXT_CALL => {
            let mut args = [0; 6];
            let mut rest = r[4..7].iter();
            for (i, arg) in args.iter_mut().enumerate().take(4) {
                if i as u64 == r[2] {
                    *arg = text.as_ptr() as u64;
                } else if let Some(&value) = rest.next() {
                    *arg = value;
                }
            }
            (END_RETURNED, renumber(syscall6(r[1], args), r[7]))
        }
        OP_DUP_TO => {
            let value = syscall(sys::DUP, [r[1], 0, 0]);
            (END_RETURNED, renumber(value, r[2]))
        }
        OP_FORK => (END_RETURNED, syscall(sys::FORK, [0; 3])),
        OP_EXIT => exit(0),
        other => (END_BROKEN, other),
    }
}

/// Gives the descriptor just opened the number `wanted`, unless that is -1 or the call failed.
fn renumber(fd: u64, wanted: u64) -> u64 {
    if (fd as i64) < 0 || wanted as i64 == -1 || fd == wanted {
        return fd;
    }
    let value = syscall(sys::DUP2, [fd, wanted, 0]);
    syscall(sys::CLOSE, [fd, 0, 0]);
    value
}

/// `access` at `addr` and at each page start after it and below `addr + len` (nothing, where that
/// sum wraps: so the recordings have it); stops at the first signal.
fn each_page(addr: u64, len: u64, access: fn(u64) -> u64) -> (u64, u64) {
    let end = addr.wrapping_add(len);
    let mut at = addr;
    while at < end {
        let signal = access(at);
        if signal != 0 {
            return (signal, at);
        }
        match (at & !(PAGE as u64 - 1)).checked_add(PAGE as u64) {
            Some(next) => at = next,
            None => break,
        }
    }
    (END_RETURNED, 0)
}

fn receive_records(channel: u64, records: usize) -> &'static [u64] {
    let start = addr_of_mut!(REQUEST) as u64;
    let bytes = (records * RECORD_BYTES) as u64;
    let mut got = 0;
    while got < bytes {
        match syscall(sys::READ, [channel, start + got, bytes - got]) as i64 {
            n if n > 0 => got += n as u64,
            sys::MINUS_EINTR => {}
            _ => exit(0),
        }
    }
    unsafe { core::slice::from_raw_parts(start as *const u64, records * RECORD_WORDS) }
}

fn send(channel: u64, mut from: u64, bytes: usize) {
    let end = from + bytes as u64;
    while from < end {
        match syscall(sys::WRITE, [channel, from, end - from]) as i64 {
            n if n > 0 => from += n as u64,
            sys::MINUS_EINTR => {}
            _ => exit(0),
        }
    }
}

/// Gives up every capability, so that root's answers are a user's, and nothing here can poison
/// pages or lock more than its limit.
fn drop_capabilities() {
    const VERSION_3: u64 = 0x2008_0522;
    let header = [VERSION_3];
    let nothing = [0_u32; 6];
    let result = syscall(
        sys::CAPSET,
        [header.as_ptr() as u64, nothing.as_ptr() as u64, 0],
    );
    if result != 0 {
        exit(3);
    }
}

/// Faults in the image and the stack.
fn touch_everything() {
    touch(
        addr_of_mut!(REQUEST).cast(),
        size_of_val(&raw const REQUEST),
    );
    touch(
        addr_of_mut!(ANSWERS).cast(),
        size_of_val(&raw const ANSWERS),
    );
    probe::touch_buffers();
    let mut here = 0_u8;
    let top = addr_of_mut!(here);
    touch(top.wrapping_sub(STACK_TOUCHED), STACK_TOUCHED);
    probe::touch_text();
}

fn size_of_val<T>(_: *const T) -> usize {
    size_of::<T>()
}

/// Writes each page of a buffer back as it is.
fn touch(start: *mut u8, bytes: usize) {
    let end = start as usize + bytes;
    let mut at = start as usize;
    while at < end {
        let p = at as *mut u8;
        unsafe { p.write_volatile(p.read_volatile()) };
        at = (at & !(PAGE - 1)) + PAGE;
    }
}

fn exit(status: u64) -> ! {
    loop {
        syscall(sys::EXIT_GROUP, [status, 0, 0]);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(4)
}
