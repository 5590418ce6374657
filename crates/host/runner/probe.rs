//! Memory accesses that may fault: each is a few instructions at known addresses, and the signal
//! handler makes a faulting one return the signal's number.

use core::arch::{asm, global_asm};
use core::ptr::{addr_of, addr_of_mut};

use crate::sys::{RT_SIGACTION, SIGALTSTACK, syscall, syscall6};

const SIGILL: u64 = 4;
const SIGTRAP: u64 = 5;
const SIGBUS: u64 = 7;
const SIGFPE: u64 = 8;
const SIGSEGV: u64 = 11;
const SIGCHLD: u64 = 17;

/// Large enough for the widest register state a CPU may push.
const ALT_STACK: usize = 64 << 10;
static mut STACK: [u8; ALT_STACK] = [0; ALT_STACK];

/// Where the registers of a tried instruction point: whatever it writes to goes here.
#[repr(align(4096))]
struct Scratch(#[allow(dead_code)] [u8; 8192]);
static mut SCRATCH: Scratch = Scratch([0; 8192]);

/// State of [`exec`]: the address being tried (0: none), and the stack pointer to return with.
static mut EXEC_TARGET: u64 = 0;
#[unsafe(no_mangle)]
static mut EXEC_RSP: u64 = 0;

unsafe extern "C" {
    fn sealab_load(addr: u64) -> u64;
    fn sealab_store(addr: u64) -> u64;
    fn sealab_exec(addr: u64, scratch: u64) -> u64;
    fn sealab_exec_return();
    fn sealab_accesses_end();
    fn sealab_failed();
    fn sealab_restorer();
}

global_asm!(
    "sealab_load:",
    "mov al, byte ptr [rdi]",
    "xor eax, eax",
    "ret",
    "sealab_store:",
    "mov byte ptr [rdi], 1",
    "xor eax, eax",
    "ret",
    "sealab_accesses_end:",
    // Where a faulting access goes on, the signal's number in rax.
    "sealab_failed:",
    "ret",
    // Runs one instruction at rdi in single-step mode, all registers pointing at the scratch pages.
    "sealab_exec:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "mov qword ptr [rip + EXEC_RSP], rsp",
    "mov rax, rsi",
    "mov ecx, ss",
    "push rcx",
    "push rax",
    "pushfq",
    "or qword ptr [rsp], 0x100",
    "mov ecx, cs",
    "push rcx",
    "push rdi",
    "mov rbx, rax",
    "mov rcx, rax",
    "mov rdx, rax",
    "mov rsi, rax",
    "mov rdi, rax",
    "mov rbp, rax",
    "mov r8, rax",
    "mov r9, rax",
    "mov r10, rax",
    "mov r11, rax",
    "mov r12, rax",
    "mov r13, rax",
    "mov r14, rax",
    "mov r15, rax",
    "iretq",
    // The handler comes back here, the result in rax and the old stack pointer in rsp.
    "sealab_exec_return:",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    "sealab_restorer:",
    "mov eax, 15", // rt_sigreturn
    "syscall",
    "ud2",
);

/// Reads the byte at `addr`: 0, or the signal's number.
pub fn load(addr: u64) -> u64 {
    unsafe { sealab_load(addr) }
}

/// Writes the byte at `addr` likewise.
pub fn store(addr: u64) -> u64 {
    unsafe { sealab_store(addr) }
}

/// Fetches and runs the instruction at `addr` likewise. What the instruction itself does, even a
/// fault of its own, counts as success: it was there to be run.
pub fn exec(addr: u64) -> u64 {
    unsafe {
        EXEC_TARGET = addr;
        let middle = addr_of!(SCRATCH) as u64 + 4096;
        let signal = sealab_exec(addr, middle);
        EXEC_TARGET = 0;
        signal
    }
}

/// The `struct sigaction` of the system call.
#[repr(C)]
struct SigAction {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// Catches every signal an access can end with, on a stack of its own.
pub fn install() {
    let stack = [addr_of_mut!(STACK) as u64, 0, ALT_STACK as u64];
    syscall(SIGALTSTACK, [stack.as_ptr() as u64, 0, 0]);
    const SA_SIGINFO: u64 = 4;
    const SA_RESTORER: u64 = 0x0400_0000;
    const SA_ONSTACK: u64 = 0x0800_0000;
    const SA_NODEFER: u64 = 0x4000_0000;
    let catch = SigAction {
        handler: handle as *const () as usize,
        flags: SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER,
        restorer: sealab_restorer as *const () as usize,
        mask: 0,
    };
    for signal in [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV] {
        sigaction(signal, &catch);
    }
    const SIG_IGN: usize = 1;
    let ignore = SigAction {
        handler: SIG_IGN,
        ..catch
    };
    sigaction(SIGCHLD, &ignore);
}

fn sigaction(signal: u64, action: &SigAction) {
    let action: *const SigAction = action;
    syscall6(RT_SIGACTION, [signal, action as u64, 0, 8, 0, 0]);
}

/// Indices into `uc_mcontext.gregs`.
const REG_RAX: usize = 13;
const REG_RSP: usize = 15;
const REG_RIP: usize = 16;
const REG_EFLAGS: usize = 17;
const REG_ERR: usize = 19;
const REG_TRAPNO: usize = 20;
const REG_CR2: usize = 22;

const TRAP_FLAG: u64 = 0x100;
const PAGE_FAULT: u64 = 14;
const ERROR_FETCH: u64 = 0x10;

/// The start of the kernel's `struct ucontext`.
#[repr(C)]
struct UContext {
    flags: u64,
    link: u64,
    stack: [u64; 3],
    gregs: [u64; 23],
}

unsafe extern "C" fn handle(signal: u64, _info: u64, context: *mut UContext) {
    let regs = unsafe { &mut (*context).gregs };
    let rip = regs[REG_RIP];
    let target = unsafe { EXEC_TARGET };
    if target != 0 {
        let fetch = regs[REG_TRAPNO] == PAGE_FAULT && regs[REG_ERR] & ERROR_FETCH != 0;
        // There is no page fault for an address outside the address space.
        let outside = regs[REG_TRAPNO] != PAGE_FAULT && signal == SIGSEGV && target >> 47 != 0;
        let failed = fetch && regs[REG_CR2] >> 12 == target >> 12 || outside;
        regs[REG_RAX] = if failed { signal } else { 0 };
        regs[REG_RSP] = unsafe { EXEC_RSP };
        regs[REG_RIP] = sealab_exec_return as *const () as u64;
        regs[REG_EFLAGS] &= !TRAP_FLAG;
    } else if (sealab_load as *const () as u64..sealab_accesses_end as *const () as u64)
        .contains(&rip)
    {
        regs[REG_RAX] = signal;
        regs[REG_RIP] = sealab_failed as *const () as u64;
    } else {
        // A fault of the runner itself.
        super::exit(100 + signal);
    }
}

/// Lets every protection key through, where the CPU has them: an execute-only mapping is then
/// readable, as it is on a CPU without.
pub fn open_protection_keys() {
    static mut PRESENT: u8 = 2;
    unsafe {
        if PRESENT == 2 {
            const OSPKE: u32 = 1 << 4;
            let leaf = core::arch::x86_64::__cpuid_count(7, 0);
            PRESENT = u8::from(leaf.ecx & OSPKE != 0);
        }
        if PRESENT == 1 {
            asm!("wrpkru", in("eax") 0, in("ecx") 0, in("edx") 0);
        }
    }
}

/// Faults in the signal stack and the scratch pages.
pub fn touch_buffers() {
    super::touch(addr_of_mut!(STACK).cast(), ALT_STACK);
    super::touch(addr_of_mut!(SCRATCH).cast(), size_of::<Scratch>());
}

/// Takes a signal once of each way, so that every instruction used later is resident.
pub fn touch_text() {
    load(0);
    store(0);
    exec(8);
}
