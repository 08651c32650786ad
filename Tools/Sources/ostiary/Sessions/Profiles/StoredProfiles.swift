import Foundation
import Ostiary
import OstiaryOAuth
import ProviderServer

/// The profiles of a store, by the keys of their values.
struct StoredProfiles {
    private let keys: [StoreKey]
    /// The files that cannot be read; they hide no other value.
    let unreadable: [String]

    /// Reads which keys there are.
    ///
    /// - Throws: `storage`, and `unsupported` for a store that cannot list them.
    init(in store: any SecretStore) async throws(SignInError) {
        guard let store = store as? any EnumerableSecretStore else {
            throw SignInError(.storage, .unsupported("a list of its sessions"))
        }
        do throws(StorageFailure) {
            if let files = store as? FileStore {
                let contents = try await files.contents()
                (keys, unreadable) = (contents.keys, contents.unreadable)
            } else {
                (keys, unreadable) = (try await store.keys(), [])
            }
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// The names, in order.
    var names: [ProfileName] {
        let names = keys.compactMap { key -> String? in
            let parts = key.description.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count >= 2 && parts[0] == "profile" ? String(parts[1]) : nil
        }
        return Set(names).sorted().compactMap(ProfileName.init(argument:))
    }

    /// The front doors that a profile has values of.
    func systems(of name: ProfileName) -> [String] {
        VendorSystem.allCases.map(\.rawValue).filter { system in
            keys.contains { $0.description.hasPrefix("profile/\(name)/\(system)/") }
        }
    }

    /// The keys of one profile: its record, its front doors' values, and its session.
    func keys(of name: ProfileName) -> [StoreKey] {
        let own = "profile/\(name)"
        return keys.filter { key in
            if key.description == own || key.description.hasPrefix(own + "/") { return true }
            // A session's key ends with its account, which is the profile.
            let parts = key.description.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count > 2 && parts.last.map(String.init) == name.description
                && ["session", "pending", "revocations", "registration", "learned"].contains(parts[0])
        }
    }
}

extension Profile {
    /// Removes every value of the profile, those that cannot be read or listed as well.
    ///
    /// Keys are found by the profile's name and record. A list of the store adds what front doors keep, if there is a
    /// list.
    ///
    /// - Returns: Whether there was a value, and whether each could be read.
    func removeEverything() async throws(SignInError) -> Removal {
        var keys: Set<StoreKey> = [
            StoreKey("profile/\(name)"), StoreKey("profile/\(name)/pending"), StoreKey("profile/\(name)/registration"),
        ]
        if let record = try? await record() {
            let (issuer, clientID, account) = (record.issuer, record.clientID, name.description)
            keys.formUnion([
                .session(issuer: issuer, clientID: clientID, account: account),
                .pending(issuer: issuer, clientID: clientID, account: account),
                .revocations(issuer: issuer, clientID: clientID, account: account),
                .learned(issuer: issuer, clientID: clientID, account: account),
            ])
        }
        if let issuer = try? await registrationIssuer() {
            keys.insert(.registration(issuer: issuer, name: name.description))
        }
        if let listed = try? await StoredProfiles(in: store) { keys.formUnion(listed.keys(of: name)) }
        var removal = Removal.nothing
        do throws(StorageFailure) {
            // The record last: whatever fails on the way, the next call finds the rest.
            for key in keys.sorted(by: { $0.description > $1.description }) {
                do throws(StorageFailure) {
                    guard try await store.read(key) != nil else { continue }
                    if removal == .nothing { removal = .whole }
                } catch {
                    // A value that cannot be read is one.
                    removal = .damaged
                }
                try await removeValue(of: key)
            }
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        return removal
    }

    /// The result of removing a profile.
    enum Removal {
        case nothing, whole
        /// A value could not be read: it may have named others.
        case damaged
    }

    /// Removes one value; of a session, while no other process is between a look at it and the write after that.
    private func removeValue(of key: StoreKey) async throws(StorageFailure) {
        let name = key.description.range(of: "session/http").map { StoreKey(String(key.description[$0.lowerBound...])) }
        let hold =
            name == nil ? nil : try await store.processLock?.acquire((name ?? key).writeLockName, waiting: .seconds(10))
        defer { hold?.release() }
        try await store.remove(key)
    }
}
