#if os(Linux)
    import OstiaryOAuth

    /// Why the desktop's keyring cannot be used.
    @nonexhaustive
    public enum SecretServiceProblem: Error, Sendable, Hashable, CustomStringConvertible {
        /// This library, or this function of it, is not on the machine.
        case missing(String)
        /// The session has no bus: nobody is signed in on a desktop here.
        case noBus
        /// Nobody on the session's bus keeps secrets.
        case noService
        /// The keyring is locked, and nobody unlocked it.
        case locked
        /// There was no answer within the deadline.
        case timedOut
        /// The keyring refused, and did not say why.
        case failed

        /// A sentence that names the fix.
        public var description: String {
            switch self {
            case .missing(let name):
                "\(name) is missing: install libsecret-1-0 (Debian, Ubuntu), libsecret (Fedora, Arch) or libsecret-1-0 (openSUSE)."
            case .noBus:
                "There is no session bus (DBUS_SESSION_BUS_ADDRESS): sign in on a desktop, run inside dbus-run-session, or keep sessions in files."
            case .noService:
                "Nobody offers the Secret Service on the session bus: start gnome-keyring-daemon, KWallet or KeePassXC, or keep sessions in files."
            case .locked: "The keyring is locked: unlock it and try again."
            case .timedOut: "The keyring did not answer in time."
            case .failed: "The keyring refused, and did not say why."
            }
        }

        /// What it means for a value.
        var failure: StorageFailure { self == .locked ? .locked : .unavailable }
    }
#endif
