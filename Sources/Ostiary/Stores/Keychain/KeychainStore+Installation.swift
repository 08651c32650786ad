#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import OstiaryCompatibility

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
            _ = try canary.sing()
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
            let canary = KeychainCanary(place: place, accessibility: configuration.accessibility)
            var name = try marker.read()
            do throws(KeychainError) {
                // Without a record the installation is unknown: the policy is new, and no user is signed out.
                if let noted = try canary.sing().installation, !noted.utf8.elementsEqual((name ?? "").utf8) {
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
            do throws(KeychainError) { if let name { try canary.note(name) } } catch { throw error.failure }
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
            if let group = find(in: try place.list(canary.account)) { return group }
            return find(in: try place.list())
        }
    }
#endif
