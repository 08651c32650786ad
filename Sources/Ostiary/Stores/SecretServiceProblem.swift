#if os(Linux)
    import OstiaryOAuth

    extension SecretServiceStore {
        /// The reason the desktop's keyring cannot be used.
        @nonexhaustive
        public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
            /// The named library, or the named function of it, is not installed.
            case missing(String)
            /// The process has no session bus: no user is signed in on a desktop.
            case noBus
            /// No program on the session bus offers the Secret Service.
            case noService
            /// The keyring is locked and was not unlocked.
            case locked
            /// The keyring, or the user whom it asks, did not respond within the deadline.
            case timedOut
            /// The keyring refused without giving a reason.
            case failed

            /// The problem and, if there is one, the fix.
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

            /// The failure for the store's caller.
            var failure: StorageFailure { self == .locked ? .locked : .unavailable }
        }
    }
#endif
