#if os(Linux)
    import Foundation

    /// Folders in the home folder of the account that runs this process.
    enum AccountHome {
        /// The home folder by the system's user database, whatever the environment says.
        ///
        /// A user's cron job, service and terminal thus get the same folder. For an account that the database does not
        /// list, it is the folder that the environment names.
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

        /// The folder of the locks.
        static let locks = URL(fileURLWithPath: path).appendingPathComponent(".local/state/ostiary/locks")
    }
#endif
