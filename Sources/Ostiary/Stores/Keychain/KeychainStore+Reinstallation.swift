#if canImport(Security)
    public import Foundation
    import OstiaryCompatibility
    public import OstiaryOAuth

    extension KeychainStore {
        /// The treatment of items that an earlier installation of the app left: the keychain outlives an app.
        ///
        /// Items that other apps share are never discarded, nor are those of a Mac's login keychain.
        public struct ReinstallationPolicy: Sendable {
            struct Discarding: Sendable {
                let marker: InstallationMarker
                let bundleIdentifier: String?
            }
            let discarding: Discarding?

            /// Keeps the items: a user who installs the app again is still signed in.
            public static let keep = ReinstallationPolicy(discarding: nil)

            /// Discards the items before anything is read.
            ///
            /// The installation is judged only when the keychain can be opened, and only if this policy was in force
            /// when the items were written. An update that introduces the policy therefore signs no user out.
            ///
            /// - Parameters:
            ///   - marker: The marker that is deleted with the app. Default: a file in its support folder, which
            ///     backups contain.
            ///   - bundleIdentifier: Distinguishes the app's own access group from a shared one. Default: the main
            ///     bundle's.
            /// - Returns: The policy.
            public static func discardOnReinstall(
                marker: InstallationMarker = .file(),
                bundleIdentifier: String? = Bundle.main.bundleIdentifier
            ) -> ReinstallationPolicy {
                ReinstallationPolicy(discarding: Discarding(marker: marker, bundleIdentifier: bundleIdentifier))
            }
        }

        /// A marker that is deleted with the app, by which an installation recognizes itself.
        public struct InstallationMarker: Sendable {
            let read: @Sendable () throws(StorageFailure) -> String?
            let make: @Sendable (String) throws(StorageFailure) -> Void

            /// Keeps the marker in a place of the app's choice.
            ///
            /// - Parameters:
            ///   - read: Returns the name of this installation; `nil` before it has one.
            ///   - make: Names this installation; the first name stays.
            public init(
                read: @escaping @Sendable () throws(StorageFailure) -> String?,
                make: @escaping @Sendable (String) throws(StorageFailure) -> Void
            ) {
                self.read = read
                self.make = make
            }

            /// A marker in a file.
            ///
            /// Backups have to contain the file, so that a device restored with its keychain does not look like a new
            /// installation.
            ///
            /// - Parameter directory: The folder of the file; `nil` for the app's support folder.
            /// - Returns: The marker.
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

    extension KeychainStore {
        /// Whether it has been judged which installation of the app wrote to the keychain.
        enum InstallationState: Sendable {
            case unknown, judged
        }

        /// Judges, once in a process, whether the keychain's items are of an earlier installation, and discards them if
        /// so.
        ///
        /// - Throws: `locked` while the keychain is locked; nothing has then been judged or read.
        func prepare() throws(KeychainError) {
            guard let discarding = configuration.reinstallation.discarding, keychain == .dataProtection,
                configuration.accessGroup == .app, installation.withLock({ $0 == .unknown })
            else { return }
            _ = try probe.open()
            if let group = try ownGroup(discarding.bundleIdentifier) {
                do throws(StorageFailure) {
                    try judge(group, discarding.marker)
                } catch {
                    throw error == .locked ? .locked : .unavailable
                }
            }
            installation.withLock { $0 = .judged }
        }

        private func judge(_ group: String, _ marker: InstallationMarker) throws(StorageFailure) {
            var place = place
            place.accessGroup = group
            let probe = KeychainProbe(place: place, accessibility: configuration.accessibility)
            var name = try marker.read()
            do throws(KeychainError) {
                // Without a record the installation is unknown: the policy is new, and no user is signed out.
                if let noted = try probe.open().installation, !noted.utf8.elementsEqual((name ?? "").utf8) {
                    try discardOrigins(in: group)
                    try place.removeAll()
                }
            } catch {
                throw error.failure
            }
            if name == nil {
                // The marker comes first: a record without its marker would look like another installation.
                try marker.make(UUID().uuidString)
                name = try marker.read()
            }
            do throws(KeychainError) { if let name { try probe.note(name) } } catch { throw error.failure }
        }

        /// The access group of the app alone: a team's prefix and the bundle identifier.
        ///
        /// `nil` when the items are in another group, which other apps may share.
        private func ownGroup(_ bundleIdentifier: String?) throws(KeychainError) -> String? {
            guard let bundleIdentifier, !bundleIdentifier.isEmpty else { return nil }
            func find(in items: [KeychainPlace.Item]) -> String? {
                items.lazy.compactMap(\.group).first { group in
                    guard group.hasSuffix("." + bundleIdentifier) else { return false }
                    return !group.dropLast(bundleIdentifier.count + 1).contains(".")
                }
            }
            // A judged group has a record, which is open; a list fails when any item is sealed.
            if let group = find(in: try place.list(probe.account)) { return group }
            return find(in: try place.list())
        }
    }
#endif
