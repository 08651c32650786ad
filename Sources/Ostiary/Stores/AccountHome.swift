#if os(Linux)
    import Foundation

    /// Places in the home folder of the account that runs this process.
    enum AccountHome {
        /// The home folder in the system's list of users, whatever the environment says: a cron job, a service and a
        /// terminal of one user get the same folder.
        ///
        /// For an account that is not in the list, the folder that the environment names.
        static let path: String = {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: 16_384)
            let isFound = getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0 && found != nil
            guard isFound, let folder = entry.pw_dir.map({ String(cString: $0) }), folder.hasPrefix("/") else {
                return NSHomeDirectory()
            }
            return folder
        }()

        /// The folder for locks.
        static let locks = URL(fileURLWithPath: path).appendingPathComponent(".local/state/ostiary/locks")
    }
#endif
