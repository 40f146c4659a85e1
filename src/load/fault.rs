//! Which kind of failure it was: what the system or the connection said, in the event's words.

use std::io::{Error, ErrorKind as Io};

use super::dial::Missed;
use super::http::Broke;
use crate::model::event::ErrorKind;

/// A connection that could not be made.
pub(crate) fn of_connect(missed: &Missed) -> ErrorKind {
    let error = match missed {
        Missed::Name(_) => return ErrorKind::Dns,
        Missed::Tls(_) => return ErrorKind::Tls,
        Missed::Io(error) => error,
    };
    if is_own_limit(error) {
        return ErrorKind::LocalPorts;
    }
    match error.kind() {
        Io::TimedOut => ErrorKind::ConnectTimeout,
        Io::ConnectionReset | Io::ConnectionAborted | Io::BrokenPipe | Io::UnexpectedEof => ErrorKind::Reset,
        _ => ErrorKind::Refused,
    }
}

/// What a reader should know of a connection that could not be made, where its kind alone leaves them helpless.
pub(crate) fn in_words(missed: &Missed, host: &str) -> Option<String> {
    match missed {
        Missed::Name(why) => Some(format!("the host of {host} was not found ({why}); the first of perhaps many")),
        Missed::Tls(why) => Some(format!(
            "TLS with {host} failed ({why}), the first time of perhaps many; load.tls.ca names an authority to trust, load.tls.certificate what to \
             show, and load.tls.insecure = true trusts anyone"
        )),
        Missed::Io(_) => None,
    }
}

/// An exchange that broke. `kept` says whether the connection had been used before.
pub(crate) fn of_exchange(broke: &Broke, kept: bool) -> ErrorKind {
    match broke {
        Broke::TimedOut => ErrorKind::Timeout,
        Broke::Malformed => ErrorKind::BadAnswer,
        Broke::Lost { error: Some(error), .. } if is_own_limit(error) => ErrorKind::LocalPorts,
        Broke::Lost { error: Some(error), .. } if is_of_tls(error) => ErrorKind::Tls,
        Broke::Refused => ErrorKind::StaleConnection,
        Broke::Lost { answered: false, .. } if kept => ErrorKind::StaleConnection,
        Broke::Lost { .. } => ErrorKind::Reset,
    }
}

/// Too many open files (of the process, of the system), no port left, no buffer left: this machine's limits.
pub(crate) fn is_own_limit(error: &Error) -> bool {
    const EMFILE_ENFILE: [i32; 2] = [24, 23];
    error.kind() == Io::AddrNotAvailable || error.kind() == Io::OutOfMemory || error.raw_os_error().is_some_and(|code| EMFILE_ENFILE.contains(&code))
}

/// A server that asks for a certificate says only after the handshake that it did not like it.
fn is_of_tls(error: &Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<rustls::Error>())
}

/// Whether a user should wait a little before it tries again: nobody answered, so nothing else holds it back.
pub(crate) const fn calls_for_patience(kind: ErrorKind) -> bool {
    !matches!(kind, ErrorKind::Status | ErrorKind::Check | ErrorKind::Timeout | ErrorKind::StaleConnection | ErrorKind::Unfinished)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connecting() {
        for (error, kind) in [
            (Error::from(Io::ConnectionRefused), ErrorKind::Refused),
            (Error::from(Io::TimedOut), ErrorKind::ConnectTimeout),
            (Error::from(Io::ConnectionReset), ErrorKind::Reset),
            (Error::from(Io::AddrNotAvailable), ErrorKind::LocalPorts),
            (Error::from_raw_os_error(24), ErrorKind::LocalPorts),
            (Error::from(Io::NetworkUnreachable), ErrorKind::Refused),
        ] {
            let text = error.to_string();
            assert_eq!(of_connect(&Missed::Io(error)), kind, "{text}");
        }
        assert_eq!((of_connect(&Missed::Name(String::new())), of_connect(&Missed::Tls(String::new()))), (ErrorKind::Dns, ErrorKind::Tls));
    }

    #[test]
    fn what_a_kind_does_not_tell_is_said() {
        let said = in_words(&Missed::Tls("unknown issuer".to_owned()), "shop:443").unwrap();
        assert!(said.contains("shop:443") && said.contains("unknown issuer") && said.contains("load.tls.ca"), "{said}");
        assert!(in_words(&Missed::Name("no such name".to_owned()), "shop").unwrap().contains("no such name"));
        assert_eq!(in_words(&Missed::Io(Error::from(Io::ConnectionRefused)), "shop"), None);
    }

    #[test]
    fn exchanging() {
        let lost = |answered| Broke::Lost { answered, error: Some(Error::from(Io::ConnectionReset)) };
        assert_eq!(of_exchange(&lost(false), true), ErrorKind::StaleConnection);
        assert_eq!(of_exchange(&lost(true), true), ErrorKind::Reset);
        assert_eq!(of_exchange(&lost(false), false), ErrorKind::Reset);
        let alert = Error::other(rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired));
        assert_eq!(of_exchange(&Broke::Lost { answered: false, error: Some(alert) }, true), ErrorKind::Tls);
        assert_eq!(of_exchange(&Broke::Refused, false), ErrorKind::StaleConnection);
        assert_eq!(of_exchange(&Broke::TimedOut, true), ErrorKind::Timeout);
        assert_eq!(of_exchange(&Broke::Malformed, false), ErrorKind::BadAnswer);
    }

    #[test]
    fn only_silence_and_refusals_call_for_patience() {
        assert!(calls_for_patience(ErrorKind::Refused) && calls_for_patience(ErrorKind::LocalPorts));
        assert!(!calls_for_patience(ErrorKind::Status) && !calls_for_patience(ErrorKind::Timeout));
    }
}
