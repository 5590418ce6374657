//! Making a runner: a child straight from execve, with its sockets, and the end of it.
//!
//! All `unsafe` of the host's side is here.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::conditions::LimitsWanted;
use crate::error::HostError;
use crate::wire::CHANNEL_FD;

/// The runner's program; empty where there is none for this target.
static RUNNER: &[u8] = include_bytes!(env!("SEALAB_RUNNER"));

/// How long a runner may take over one request before it is taken for lost.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether this build carries a runner.
pub(crate) fn has_runner() -> bool {
    !RUNNER.is_empty()
}

/// The runner's program as a file in memory, ready to be executed any number of times.
pub(crate) struct Image {
    file: File,
    null: File,
}

impl Image {
    pub(crate) fn new() -> Result<Self, HostError> {
        const NAME: &CStr = c"sealab-runner";
        // SAFETY: NAME is a NUL-terminated string.
        let mut fd = unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC | MFD_EXEC) };
        if fd < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
            // Before 6.3 there is no such flag, and every memfd may be executed.
            // SAFETY: as above.
            fd = unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC) };
        }
        if fd < 0 {
            return Err(HostError::io("memfd_create for the runner")(
                io::Error::last_os_error(),
            ));
        }
        // SAFETY: the descriptor was just made and nobody else has it.
        let mut file = unsafe { File::from_raw_fd(fd) };
        file.write_all(RUNNER)
            .map_err(HostError::io("writing the runner"))?;
        let null = File::options()
            .read(true)
            .write(true)
            .open("/dev/null")
            .map_err(HostError::io("opening /dev/null"))?;
        Ok(Self { file, null })
    }
}

/// `MFD_EXEC` of Linux 6.3.
const MFD_EXEC: libc::c_uint = 0x10;

/// What the child needs between clone and execve, all of it made beforehand: the child shares
/// this process's memory and must not allocate.
struct Plan {
    image: RawFd,
    null: RawFd,
    channels: Vec<RawFd>,
    limits: Vec<(libc::__rlimit_resource_t, libc::rlimit)>,
    name: CString,
    /// Where the child failed, and with what; 0 if it did not.
    failed: i32,
    errno: i32,
}

/// A live runner and the sockets to its processes.
pub(crate) struct Child {
    pid: libc::pid_t,
    reaped: bool,
}

/// Starts a runner with one socket for itself and one for each of `forks` future children;
/// their own ends of the sockets are descriptors [`CHANNEL_FD`] and up.
pub(crate) fn spawn(
    image: &Image,
    limits: &LimitsWanted,
    forks: usize,
) -> Result<(Child, Vec<UnixStream>), HostError> {
    let mut ours = Vec::with_capacity(forks + 1);
    let mut theirs = Vec::with_capacity(forks + 1);
    for _ in 0..=forks {
        let (our, their) = UnixStream::pair().map_err(HostError::io("making a socket pair"))?;
        our.set_read_timeout(Some(PATIENCE))
            .and_then(|()| our.set_write_timeout(Some(PATIENCE)))
            .map_err(HostError::io("setting a socket's timeout"))?;
        ours.push(our);
        // Out of the way of the numbers they are to be given.
        theirs.push(duplicate_above(their.as_raw_fd(), CHANNEL_FD + 64)?);
    }
    let mut plan = Plan {
        image: image.file.as_raw_fd(),
        null: image.null.as_raw_fd(),
        channels: theirs.iter().map(AsRawFd::as_raw_fd).collect(),
        limits: limits.as_rlimits(),
        name: CString::new("sealab-runner").unwrap_or_default(),
        failed: 0,
        errno: 0,
    };
    let mut stack = vec![0_u8; 64 << 10];
    let top = stack.as_mut_ptr_range().end;
    // SAFETY: the child runs `become_runner` on a stack of its own, and CLONE_VFORK suspends this
    // thread until it has executed the runner or ended, so `plan` and `stack` outlive its use of
    // them. The stack's top is aligned down as the ABI asks.
    let pid = unsafe {
        libc::clone(
            become_runner,
            top.map_addr(|a| a & !15).cast(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            (&raw mut plan).cast(),
        )
    };
    if pid < 0 {
        return Err(HostError::io("clone")(io::Error::last_os_error()));
    }
    let child = Child { pid, reaped: false };
    if plan.failed != 0 {
        let doing = STEPS
            .get(plan.failed as usize)
            .copied()
            .unwrap_or("starting the runner");
        return Err(HostError::io(doing)(io::Error::from_raw_os_error(
            plan.errno,
        )));
    }
    Ok((child, ours))
}

/// What [`Plan::failed`] counts.
const STEPS: [&str; 6] = [
    "",
    "setting the runner's limits (setrlimit)",
    "turning address randomisation off (personality)",
    "giving the runner its descriptors (dup2)",
    "closing the runner's other descriptors (close_range)",
    "executing the runner (execveat)",
];

extern "C" fn become_runner(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the parent passed a `Plan` and is suspended meanwhile.
    let plan = unsafe { &mut *plan.cast::<Plan>() };
    plan.failed = try_to_become_runner(plan);
    // SAFETY: no error can come of it; errno is this thread's, which is the suspended parent's.
    plan.errno = unsafe { *libc::__errno_location() };
    // SAFETY: ends the child only, without running the parent's exit handlers.
    unsafe { libc::_exit(127) }
}

/// Executes the runner; returns only if a step fails, with its number.
fn try_to_become_runner(plan: &Plan) -> i32 {
    // SAFETY: plain system calls on descriptors and memory that the plan holds; nothing allocates.
    unsafe {
        for (resource, limit) in &plan.limits {
            if libc::setrlimit(*resource, limit) != 0 {
                return 1;
            }
        }
        if libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0 {
            return 2;
        }
        for fd in 0..3 {
            if libc::dup2(plan.null, fd) < 0 {
                return 3;
            }
        }
        let mut last = CHANNEL_FD;
        for (i, &fd) in plan.channels.iter().enumerate() {
            last = CHANNEL_FD + i as i32;
            if libc::dup2(fd, last) < 0 {
                return 3;
            }
        }
        // The program is to find the lowest numbers free, whatever this process inherited.
        for (from, to) in [(3, CHANNEL_FD as u32 - 1), (last as u32 + 1, u32::MAX)] {
            if libc::syscall(libc::SYS_close_range, from, to, CLOSE_RANGE_CLOEXEC) != 0 {
                return 4;
            }
        }
        let argv = [plan.name.as_ptr(), std::ptr::null()];
        let envp = [std::ptr::null::<libc::c_char>()];
        libc::syscall(
            libc::SYS_execveat,
            plan.image,
            c"".as_ptr(),
            argv.as_ptr(),
            envp.as_ptr(),
            libc::AT_EMPTY_PATH,
        );
    }
    5
}

/// `CLOSE_RANGE_CLOEXEC`, as the integer that close_range takes.
const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;

fn duplicate_above(fd: RawFd, lowest: RawFd) -> Result<OwnedFd, HostError> {
    // SAFETY: duplicates a descriptor that is open.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, lowest) };
    if copy < 0 {
        return Err(HostError::io("duplicating a socket")(
            io::Error::last_os_error(),
        ));
    }
    // SAFETY: the descriptor was just made and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

impl Child {
    pub(crate) fn pid(&self) -> u32 {
        self.pid.unsigned_abs()
    }

    /// Waits for its end if it comes by itself within a moment (its sockets are closed), and
    /// says how it ended: `None` if it is still running.
    pub(crate) fn try_reap(&mut self) -> Option<i32> {
        let mut status = 0;
        // SAFETY: `pid` is a child of this process that was not reaped yet.
        let got = unsafe { libc::waitpid(self.pid, &raw mut status, libc::WNOHANG) };
        self.reaped = got == self.pid;
        self.reaped.then_some(status)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.reaped {
            let mut status = 0;
            // SAFETY: `pid` is a child of this process that was not reaped yet, so the number is
            // not another's.
            unsafe {
                libc::kill(self.pid, libc::SIGKILL);
                libc::waitpid(self.pid, &raw mut status, 0);
            }
        }
    }
}

/// Words of how a child ended, from its wait status.
pub(crate) fn describe_end(status: i32) -> String {
    if libc::WIFSIGNALED(status) {
        format!("was ended by signal {}", libc::WTERMSIG(status))
    } else {
        match libc::WEXITSTATUS(status) {
            code @ 101..=164 => format!("met signal {} in its own code", code - 100),
            code => format!("exited with status {code}"),
        }
    }
}

/// Reads a file of `/proc` whole into `buffer`.
pub(crate) fn read_proc(path: &str, buffer: &mut String) -> io::Result<()> {
    buffer.clear();
    File::open(path)?.read_to_string(buffer).map(|_| ())
}

/// The limit in force for this process.
pub(crate) fn rlimit(resource: libc::__rlimit_resource_t) -> io::Result<libc::rlimit> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is writable.
    match unsafe { libc::getrlimit(resource, &raw mut limit) } {
        0 => Ok(limit),
        _ => Err(io::Error::last_os_error()),
    }
}

/// `mseal(NULL, 0, 0)`, which changes nothing: whether the kernel has the call.
pub(crate) fn try_mseal() -> io::Result<()> {
    const SYS_MSEAL: libc::c_long = 462;
    // SAFETY: an empty range is sealed.
    match unsafe { libc::syscall(SYS_MSEAL, 0_usize, 0_usize, 0_usize) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The kernel's release and the machine's architecture.
pub(crate) fn uname() -> io::Result<(String, String)> {
    // SAFETY: an all-zero utsname is a valid value, and uname fills it.
    let mut names: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: `names` is writable.
    if unsafe { libc::uname(&raw mut names) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let text = |field: &[libc::c_char]| {
        let bytes = field.iter().take_while(|&&c| c != 0).map(|&c| c as u8);
        String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
    };
    Ok((text(&names.release), text(&names.machine)))
}
