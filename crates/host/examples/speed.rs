//! How many programs per second the kernel underneath answers: `speed [SECONDS [WORKERS]]`.

use std::time::{Duration, Instant};

use sealab_core::call::{Call, ProcessId};
use sealab_host::{Host, HostError, RunnerConfig, Step};

fn program() -> Vec<Step> {
    (0..24)
        .map(|i| Call::Mmap {
            addr: 0x1000_0000_0000 + i * 8192,
            len: 4096,
            prot: 3,
            flags: 0x32,
            fd: -1,
            offset: 0,
        })
        .map(|call| (ProcessId(0), call))
        .collect()
}

fn main() -> Result<(), HostError> {
    let mut args = std::env::args().skip(1);
    let mut number = |default| {
        args.next()
            .and_then(|arg| arg.parse().ok())
            .unwrap_or(default)
    };
    let (seconds, workers) = (number(5_u64), number(2_u64));
    let threads: Vec<_> = (0..workers)
        .map(|_| {
            std::thread::spawn(move || {
                let mut host = Host::open(RunnerConfig::default())?;
                let program = program();
                let until = Instant::now() + Duration::from_secs(seconds);
                let mut runs = 0_u64;
                while Instant::now() < until {
                    host.run_program(&program)?;
                    runs += 1;
                }
                Ok::<u64, HostError>(runs)
            })
        })
        .collect();
    let mut runs = 0;
    for thread in threads {
        runs += thread.join().unwrap_or(Ok(0))?;
    }
    println!("{} programs/s with {workers} workers", runs / seconds);
    Ok(())
}
