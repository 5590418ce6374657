//! Linux's errors that the simulated calls never give: a record may hold them all the same.

use sealab_core::errno::Errno;

use crate::program::Expected;

/// The expectation of an error by its symbol, if Linux has such an error.
#[must_use]
pub fn by_name(name: &str) -> Option<Expected> {
    if let Some(errno) = Errno::from_name(name) {
        return Some(Expected::Errno(errno));
    }
    let alias = match name {
        "EWOULDBLOCK" => return Some(Expected::Errno(Errno::EAGAIN)),
        "ENOTSUP" => return Some(Expected::Errno(Errno::EOPNOTSUPP)),
        other => other,
    };
    OTHERS
        .iter()
        .find(|(_, symbol)| *symbol == alias)
        .map(|(_, symbol)| Expected::OtherErrno(symbol))
}

/// The expectation of an error by its number.
#[must_use]
pub fn by_number(number: u64) -> Option<Expected> {
    let number = u32::try_from(number).ok()?;
    if let Some(errno) = Errno::from_number(number) {
        return Some(Expected::Errno(errno));
    }
    OTHERS
        .iter()
        .find(|(known, _)| *known == number)
        .map(|(_, symbol)| Expected::OtherErrno(symbol))
}

/// All symbols, those that the simulated calls give first.
pub fn names() -> impl Iterator<Item = &'static str> {
    Errno::ALL
        .iter()
        .map(|errno| errno.name())
        .chain(OTHERS.iter().map(|(_, symbol)| *symbol))
}

#[rustfmt::skip]
const OTHERS: &[(u32, &str)] = &[
    (15, "ENOTBLK"), (18, "EXDEV"), (25, "ENOTTY"), (31, "EMLINK"), (32, "EPIPE"), (33, "EDOM"),
    (34, "ERANGE"), (35, "EDEADLK"), (36, "ENAMETOOLONG"), (37, "ENOLCK"), (39, "ENOTEMPTY"),
    (40, "ELOOP"), (42, "ENOMSG"), (43, "EIDRM"), (44, "ECHRNG"), (45, "EL2NSYNC"),
    (46, "EL3HLT"), (47, "EL3RST"), (48, "ELNRNG"), (49, "EUNATCH"), (50, "ENOCSI"),
    (51, "EL2HLT"), (52, "EBADE"), (53, "EBADR"), (54, "EXFULL"), (55, "ENOANO"), (56, "EBADRQC"),
    (57, "EBADSLT"), (59, "EBFONT"), (60, "ENOSTR"), (62, "ETIME"), (63, "ENOSR"), (64, "ENONET"),
    (65, "ENOPKG"), (66, "EREMOTE"), (67, "ENOLINK"), (68, "EADV"), (69, "ESRMNT"), (70, "ECOMM"),
    (71, "EPROTO"), (72, "EMULTIHOP"), (73, "EDOTDOT"), (74, "EBADMSG"), (76, "ENOTUNIQ"),
    (77, "EBADFD"), (78, "EREMCHG"), (79, "ELIBACC"), (80, "ELIBBAD"), (81, "ELIBSCN"),
    (82, "ELIBMAX"), (83, "ELIBEXEC"), (84, "EILSEQ"), (85, "ERESTART"), (86, "ESTRPIPE"),
    (87, "EUSERS"), (88, "ENOTSOCK"), (89, "EDESTADDRREQ"), (90, "EMSGSIZE"), (91, "EPROTOTYPE"),
    (92, "ENOPROTOOPT"), (93, "EPROTONOSUPPORT"), (94, "ESOCKTNOSUPPORT"), (96, "EPFNOSUPPORT"),
    (97, "EAFNOSUPPORT"), (98, "EADDRINUSE"), (99, "EADDRNOTAVAIL"), (100, "ENETDOWN"),
    (101, "ENETUNREACH"), (102, "ENETRESET"), (103, "ECONNABORTED"), (104, "ECONNRESET"),
    (105, "ENOBUFS"), (106, "EISCONN"), (107, "ENOTCONN"), (108, "ESHUTDOWN"),
    (109, "ETOOMANYREFS"), (110, "ETIMEDOUT"), (111, "ECONNREFUSED"), (112, "EHOSTDOWN"),
    (113, "EHOSTUNREACH"), (114, "EALREADY"), (115, "EINPROGRESS"), (116, "ESTALE"),
    (117, "EUCLEAN"), (118, "ENOTNAM"), (119, "ENAVAIL"), (120, "EISNAM"), (121, "EREMOTEIO"),
    (122, "EDQUOT"), (123, "ENOMEDIUM"), (124, "EMEDIUMTYPE"), (125, "ECANCELED"),
    (126, "ENOKEY"), (127, "EKEYEXPIRED"), (128, "EKEYREVOKED"), (129, "EKEYREJECTED"),
    (130, "EOWNERDEAD"), (131, "ENOTRECOVERABLE"), (132, "ERFKILL"), (133, "EHWPOISON"),
    (512, "ERESTARTSYS"), (513, "ERESTARTNOINTR"), (514, "ERESTARTNOHAND"), (515, "ENOIOCTLCMD"),
    (516, "ERESTART_RESTARTBLOCK"), (517, "EPROBE_DEFER"), (524, "ENOTSUPP"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_by_name_and_number() {
        assert_eq!(by_name("EPERM"), Some(Expected::Errno(Errno::EPERM)));
        assert_eq!(by_number(12), Some(Expected::Errno(Errno::ENOMEM)));
        assert_eq!(by_name("ENOTTY"), Some(Expected::OtherErrno("ENOTTY")));
        assert_eq!(by_number(512), Some(Expected::OtherErrno("ERESTARTSYS")));
        assert_eq!(by_name("ENOPE"), None);
    }

    #[test]
    fn no_error_is_listed_twice() {
        for (number, symbol) in OTHERS {
            assert!(Errno::from_name(symbol).is_none(), "{symbol}");
            assert!(Errno::from_number(*number).is_none(), "{number}");
        }
    }
}
