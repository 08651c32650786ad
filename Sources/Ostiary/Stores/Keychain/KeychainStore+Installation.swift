#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import OstiaryCompatibility

    extension KeychainStore {
        /// Whether it is known which installation of the app wrote into the keychain.
        enum InstallationState: Sendable {
            case unknown, judged
        }

        /// Judges, once in a process, whether what is in the keychain is of an earlier installation.
        ///
        /// - Throws: `locked` as long as the keychain is: nothing is judged then, and nothing is read.
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
                // Without a note nobody can tell: the policy is new, and nobody is signed out.
                if let noted = try canary.sing().installation, !noted.utf8.elementsEqual((name ?? "").utf8) {
                    try discardOrigins(in: group)
                    try place.removeAll()
                }
            } catch {
                throw error.failure
            }
            if name == nil {
                // The marker comes first: a note without its marker would pass for another installation.
                try marker.make(UUID().uuidString)
                name = try marker.read()
            }
            do throws(KeychainError) { if let name { try canary.note(name) } } catch { throw error.failure }
        }

        /// The access group that is the app's alone: a team's prefix and the bundle identifier; `nil` when the items are in
        /// another one, which other apps may share.
        private func ownGroup(_ bundleIdentifier: String?) throws(KeychainError) -> String? {
            guard let bundleIdentifier, !bundleIdentifier.isEmpty else { return nil }
            func find(in items: [KeychainPlace.Item]) -> String? {
                items.lazy.compactMap(\.group).first { group in
                    guard group.hasSuffix("." + bundleIdentifier) else { return false }
                    return !group.dropLast(bundleIdentifier.count + 1).contains(".")
                }
            }
            // Once it was judged there is a note in it, which is open; a list fails when any item is sealed.
            if let group = find(in: try place.list(canary.account)) { return group }
            return find(in: try place.list())
        }
    }
#endif
