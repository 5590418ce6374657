// What the host and the runner say to each other: arrays of 64-bit words, little end first, over
// a stream socket. Compiled into both.

/// Words of one request record: an operation and six arguments, and one word unused.
pub const RECORD_WORDS: usize = 8;
/// Bytes of one request record.
pub const RECORD_BYTES: usize = RECORD_WORDS * 8;
/// Records that one request holds at most, its head and its text included.
pub const MAX_RECORDS: usize = 1024;
/// Words of one answer: how the call ended ([`END_RETURNED`] or a signal's number), and what the
/// system call returned.
pub const ANSWER_WORDS: usize = 2;
/// Bytes of one answer.
pub const ANSWER_BYTES: usize = ANSWER_WORDS * 8;

/// Operation of the head of a request: `[OP_HEAD, records that follow]`.
pub const OP_HEAD: u64 = 0;
/// `[OP_SYSCALL, number, five arguments]`, and the sixth argument in the last word.
pub const OP_SYSCALL: u64 = 1;
/// `[OP_LOAD, address, length]`: reads a byte of each page.
pub const OP_LOAD: u64 = 2;
/// `[OP_STORE, address, length]`: writes a byte of each page.
pub const OP_STORE: u64 = 3;
/// `[OP_EXEC, address, length]`: runs an instruction of each page.
pub const OP_EXEC: u64 = 4;
/// `[OP_TEXT_CALL, number, index of the text's argument, argument, argument, argument, bytes of
/// text, descriptor wanted or -1]`: a system call with one string among its first four arguments,
/// answering a descriptor. The text follows in records of its own, ended by a NUL.
pub const OP_TEXT_CALL: u64 = 5;
/// `[OP_FORK, descriptor]`: the child goes on with the requests from that socket.
pub const OP_FORK: u64 = 6;
/// `[OP_EXIT]`: no answer.
pub const OP_EXIT: u64 = 7;
/// `[OP_DUP_TO, descriptor, descriptor wanted or -1]`
pub const OP_DUP_TO: u64 = 8;

/// The call returned.
pub const END_RETURNED: u64 = 0;
/// The runner could not do what it was asked; the value is an operation or signal number.
pub const END_BROKEN: u64 = 255;

/// Descriptor of the socket to the host in the first process.
pub const CHANNEL_FD: i32 = 200;
