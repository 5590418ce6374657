//! Frequent sequences of a scenario as one or two bytes, so that a short scenario has a short
//! link: a compressor has nothing to learn from in four lines. Frozen with version 1: not a letter
//! of the table may change, nor its order.
//!
//! Codes are bytes that text does not hold: control characters, and bytes that UTF-8 never uses.
//! `0x00` is followed by a control character that stands for itself, `0xff` by the number of a
//! phrase beyond the first ones.

use std::sync::LazyLock;

use super::LinkError;

const ESCAPE: u8 = 0x00;
const MORE: u8 = 0xff;

/// The one-byte codes, in the order of the phrases.
#[rustfmt::skip]
const CODES: [u8; 41] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0b, 0x0c, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13,
    0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x7f, 0xc0, 0xc1, 0xf5,
    0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe,
];

/// The first 41 have a one-byte code; the others `0xff` and their number from there on.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "mmap(NULL, ", ", PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
    "PROT_READ|PROT_WRITE", "MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
    "MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, -1, 0)", "mprotect(", "munmap(", "madvise(", "mremap(",
    "mseal(", "store(", "load(", "exec(", "mmap(", ", PROT_READ)\n", ", PROT_NONE)\n", "PROT_READ",
    "PROT_WRITE", "PROT_EXEC", "PROT_NONE", "heap", "PAGE", " = 0\n", " = 0x",
    " = -1 EPERM (Operation not permitted)\n", ", 0)\n", ")\n", " + ", "heap + ", "repeat ",
    " as i { ", "measure \"", "MADV_", "MREMAP_MAYMOVE|MREMAP_FIXED, ", "MAP_", "i*PAGE", "4096",
    "0x7f", ", 4K", ", 8K", "# ",
    // two bytes from here on
    "heap = mmap(NULL, ", " = mmap(NULL, ", "heap = brk(NULL)\n", "brk(NULL)", "brk(", "mlock(",
    "mlock2(", "munlock(", "mlockall(", "munlockall()\n", "msync(", "pkey_mprotect(",
    "openat(AT_FDCWD, \"", "memfd_create(\"", "ftruncate(", "close(", "fork()\n", "execve(\"",
    "access(", "write(\"/sys/kernel/mm/transparent_hugepage/hugepages-", "kB/enabled\", \"always\")\n",
    "kB/enabled\", \"", "madvise\")\n", "inherit\")\n", "never\")\n", "[pid child] ", "child = fork()\n",
    ", O_RDONLY|O_CLOEXEC)", ", O_RDONLY)", "\", O_RDONLY", "\", O_RDWR|O_CREAT", "MFD_CLOEXEC)",
    "PROT_READ|PROT_EXEC", "PROT_READ|PROT_WRITE|PROT_EXEC", ", PROT_READ|PROT_WRITE)\n",
    ", PROT_READ|PROT_EXEC)\n", ", PROT_READ, ", ", PROT_NONE, ", ", PROT_READ|PROT_WRITE, ",
    ", PROT_READ|PROT_EXEC, ", "MAP_PRIVATE", "MAP_SHARED", "MAP_ANONYMOUS", "MAP_FIXED",
    "MAP_FIXED_NOREPLACE", "MAP_PRIVATE|MAP_FIXED|MAP_DENYWRITE, ", "MAP_PRIVATE|MAP_DENYWRITE, ",
    "MAP_SHARED|MAP_ANONYMOUS, -1, 0)", "MAP_NORESERVE", "MAP_POPULATE", "MAP_STACK", "MAP_GROWSDOWN",
    "MAP_LOCKED", "MAP_HUGETLB", "MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED_NOREPLACE, -1, 0)",
    "MADV_DONTNEED)\n", "MADV_FREE)\n", "MADV_WILLNEED)\n", "MADV_HUGEPAGE)\n", "MADV_NOHUGEPAGE)\n",
    "MADV_COLD)\n", "MADV_PAGEOUT)\n", "MADV_POPULATE_WRITE)\n", "MADV_POPULATE_READ)\n",
    "MADV_COLLAPSE)\n", "MADV_REMOVE)\n", "MADV_DONTFORK)\n", "MADV_WIPEONFORK)\n",
    "MADV_GUARD_INSTALL)\n", "MADV_GUARD_REMOVE)\n", "MREMAP_MAYMOVE", "MREMAP_FIXED",
    "MREMAP_DONTUNMAP", "MREMAP_MAYMOVE)\n", "MREMAP_MAYMOVE|MREMAP_DONTUNMAP", "MLOCK_ONFAULT)\n",
    "MS_SYNC)\n", " = -1 ENOMEM (Cannot allocate memory)\n", " = -1 EINVAL (Invalid argument)\n",
    " = -1 EFAULT (Bad address)\n", " = -1 EACCES (Permission denied)\n", " = -1 EEXIST (File exists)\n",
    " = -1 ENOSYS (Function not implemented)\n", " = -1 EAGAIN (Resource temporarily unavailable)\n",
    " = -1 ENOENT (No such file or directory)\n", " = -1 EPERM\n", " = -1 ENOMEM\n", " = -1 EINVAL\n",
    " = -1 EFAULT\n", " = -1 SIGSEGV\n", " = -1 SIGBUS\n", " = -1 E", " = -1 ", " = ?\n", " = 3\n", " = ",
    " { ", " }\n", "}\n", "{\n", "repeat 1000 as i { ", "repeat 100 as i { ", "repeat 1000 { ",
    " as i {\n", "\" {\n", "\" { ", "    ", "  ", "i*2*PAGE", "i*4K", ", PAGE, ", ", PAGE)\n", "*PAGE",
    "heap, ", "heap + PAGE", "heap + 4K", "heap + 8K", "heap + 16K", "heap, 4K", "heap, 16K", "heap, 32K",
    "text", "data", "stack", "base", "area", "lib", "file", "shared", "addr", "child", "next", "old", "new",
    "src", "dst", "size", ", 16K", ", 32K", ", 64K", ", 12K", ", 4K, 0)\n", ", 8K, 0)\n", ", 16K, 0)\n",
    ", 4096, ", ", 8192, ", ", 12288, ", ", 16384, ", ", 20480, ", ", 24576, ", ", 32768, ", ", 65536, ",
    ", 4096)", ", 8192)", "2M", "1M", "64K", "32K", "16K", "12K", "8K", "4K", "000", "0x1000000", "0x55",
    "0x7ffff7", ", 0x", ", -1, 0)", ", 0) = 0\n", ") = 0\n", ", 0, ", ", ", ",\n", ")\n\n", "\n# ",
    "            ", "+++ exited with 0 +++\n", "seal", "sealed", "mapping", "the ", "page", "random, ",
    "stride ", "seq, ", "00000000 00:00 0", " r--p ", " r-xp ", " rw-p ", " ---p ", " rw-s ",
    "/usr/lib/x86_64-linux-gnu/", "/lib/x86_64-linux-gnu/libc.so.6", "/etc/ld.so.cache", "/usr/lib/",
    "/usr/bin/", ".so.", "[heap]", "[stack]", "[vdso]", "[vvar]",
    "6.8", "6.10", "6.11", "6.11-src-first", "6.12", "6.18", "7.x", "baseline-4k", "baseline-16k",
    "baseline-64k", "anonfolio", "contpte", "exefolio", "contpte-16k", "contpte-64k", "contpte-v1",
];

/// For each first byte, the phrases that start with it, longest first.
static BY_FIRST: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let mut by_first = vec![Vec::new(); 256];
    for (index, phrase) in PHRASES.iter().enumerate() {
        let first = phrase.bytes().next().map(usize::from);
        if let Some(list) = first.and_then(|first| by_first.get_mut(first)) {
            list.push(index);
        }
    }
    for list in &mut by_first {
        list.sort_by_key(|index| std::cmp::Reverse(PHRASES.get(*index).map_or(0, |p| p.len())));
    }
    by_first
});

/// The text with codes in place of phrases.
pub(super) fn shorten(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let found = BY_FIRST.get(usize::from(first)).and_then(|list| {
            list.iter()
                .find_map(|&index| Some((index, strip(rest, index)?)))
        });
        if let Some((index, after)) = found {
            push_code(&mut out, index);
            rest = after;
            continue;
        }
        if CODES.contains(&first) || first == ESCAPE || first == MORE {
            out.push(ESCAPE);
        }
        out.push(first);
        rest = after;
    }
    out
}

fn strip(text: &[u8], index: usize) -> Option<&[u8]> {
    text.strip_prefix(PHRASES.get(index)?.as_bytes())
}

fn push_code(out: &mut Vec<u8>, index: usize) {
    match CODES.get(index) {
        Some(code) => out.push(*code),
        None => {
            out.push(MORE);
            out.push(u8::try_from(index - CODES.len()).unwrap_or(u8::MAX));
        }
    }
}

/// The text with phrases in place of codes; at most `room` bytes.
pub(super) fn lengthen(bytes: &[u8], room: usize) -> Result<Vec<u8>, LinkError> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        if byte == ESCAPE {
            out.push(*rest.next().ok_or(LinkError::Damaged)?);
        } else if byte == MORE {
            let number = rest.next().ok_or(LinkError::Damaged)?;
            let phrase = PHRASES.get(CODES.len() + usize::from(*number));
            out.extend(phrase.ok_or(LinkError::Damaged)?.as_bytes());
        } else if let Some(index) = CODES.iter().position(|code| *code == byte) {
            out.extend(PHRASES.get(index).ok_or(LinkError::Damaged)?.as_bytes());
        } else {
            out.push(byte);
        }
        if out.len() > room {
            return Err(LinkError::TooLarge {
                limit: crate::limits::LINK_UNPACKED_BYTES,
            });
        }
    }
    Ok(out)
}

/// The code of the longest phrase of one byte.
#[cfg(test)]
pub(super) fn longest_code() -> Vec<u8> {
    let (index, _) = PHRASES
        .iter()
        .take(CODES.len())
        .enumerate()
        .max_by_key(|(_, phrase)| phrase.len())
        .expect("there are some");
    vec![CODES[index]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_frozen() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in PHRASES.join("\0").bytes().chain(CODES) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        assert_eq!(
            (PHRASES.len(), hash),
            (258, 1_815_969_838_528_281_710),
            "old links can no longer be read: undo the change, or add a version"
        );
    }

    #[test]
    fn every_phrase_has_a_code_of_its_own() {
        assert!(PHRASES.len() <= CODES.len() + 256);
        for phrase in PHRASES {
            assert!(shorten(phrase).len() <= 2, "{phrase:?}");
            assert_eq!(
                PHRASES.iter().filter(|other| *other == phrase).count(),
                1,
                "{phrase:?}"
            );
        }
    }

    #[test]
    fn shortened_text_comes_back() {
        let all: String = (0_u8..=127).map(char::from).collect();
        for text in [
            "",
            "heap",
            "mmap(NULL, 4K, PROT_READ)\n",
            "ä漢\u{10ffff}",
            &all,
            "\0\0\u{1}",
        ] {
            let short = shorten(text);
            assert_eq!(
                lengthen(&short, 1 << 20),
                Ok(text.as_bytes().to_vec()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn broken_codes_are_refused() {
        assert_eq!(lengthen(&[ESCAPE], 10), Err(LinkError::Damaged));
        assert_eq!(lengthen(&[MORE], 10), Err(LinkError::Damaged));
        assert_eq!(lengthen(&[MORE, 255], 1000), Err(LinkError::Damaged));
    }
}
