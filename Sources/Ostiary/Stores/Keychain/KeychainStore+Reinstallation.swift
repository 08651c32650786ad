#if canImport(Security)
    public import Foundation
    public import OstiaryOAuth

    extension KeychainStore {
        /// What becomes of items that an earlier installation of the app left: the keychain outlives an app.
        ///
        /// Items that other apps share are never discarded, nor those of a Mac's login keychain.
        public struct ReinstallationPolicy: Sendable {
            struct Discarding: Sendable {
                let marker: InstallationMarker
                let bundleIdentifier: String?
            }
            let discarding: Discarding?

            /// They are kept: whoever installs the app again is still signed in.
            public static let keep = ReinstallationPolicy(discarding: nil)

            /// They are discarded before anything is read.
            ///
            /// It is judged only when the keychain can be opened, and only where this policy was in force when they were
            /// written: an update that introduces it signs nobody out.
            ///
            /// - Parameters:
            ///   - marker: What goes with the app. Default: a file in its support folder, which backups contain.
            ///   - bundleIdentifier: Tells the app's own access group from one that is shared.
            public static func discardOnReinstall(
                marker: InstallationMarker = .file(),
                bundleIdentifier: String? = Bundle.main.bundleIdentifier
            ) -> ReinstallationPolicy {
                ReinstallationPolicy(discarding: Discarding(marker: marker, bundleIdentifier: bundleIdentifier))
            }
        }

        /// Something that is removed with the app, by which an installation knows itself again.
        public struct InstallationMarker: Sendable {
            let read: @Sendable () throws(StorageFailure) -> String?
            let make: @Sendable (String) throws(StorageFailure) -> Void

            /// Keeps it elsewhere.
            ///
            /// - Parameters:
            ///   - read: The name of this installation; `nil` when it has none yet.
            ///   - make: Gives it one; the first name that is given stays.
            public init(
                read: @escaping @Sendable () throws(StorageFailure) -> String?,
                make: @escaping @Sendable (String) throws(StorageFailure) -> Void
            ) {
                self.read = read
                self.make = make
            }

            /// A file.
            ///
            /// It has to be in backups, so that a device that is restored with its keychain is not taken for a new
            /// installation.
            ///
            /// - Parameter directory: Where; `nil` for the app's support folder.
            public static func file(in directory: URL? = nil) -> InstallationMarker {
                let folder =
                    directory
                    ?? FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                let path = folder.map { $0.path + "/ostiary.installation" }
                return InstallationMarker { () throws(StorageFailure) in
                    guard let path else { throw .unavailable }
                    guard let file = try PrivateFile.open(path) else { return nil }
                    return String(decoding: try file.bytes(atMost: 100), as: UTF8.self)
                } make: { (name) throws(StorageFailure) in
                    guard let path else { throw .unavailable }
                    try PrivateFile.make(path, holding: Array(name.utf8))
                }
            }
        }
    }
#endif
