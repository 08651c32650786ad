import Foundation
import Ostiary
import OstiaryOAuth

/// The profiles of a store, by the keys of their values.
struct StoredProfiles {
    private let store: any EnumerableSecretStore
    private let keys: [StoreKey]

    /// Reads which keys there are.
    ///
    /// - Throws: `storage`, and `unsupported` for a store that cannot list them.
    init(in store: any SecretStore) async throws(SignInError) {
        guard let store = store as? any EnumerableSecretStore else {
            throw SignInError(.storage, .unsupported("a list of its sessions"))
        }
        self.store = store
        do throws(StorageFailure) {
            keys = try await store.keys()
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

    /// The keys of one profile: its record, what its front doors keep, and its session.
    func keys(of name: ProfileName) -> [StoreKey] {
        let own = "profile/\(name)"
        return keys.filter { key in
            if key.description == own || key.description.hasPrefix(own + "/") { return true }
            // A session's key ends with its account, which is the profile.
            let parts = key.description.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count > 2 && parts.last.map(String.init) == name.description
                && ["session", "pending", "revocations", "registration"].contains(parts[0])
        }
    }

    /// Removes every value of a profile.
    func remove(_ name: ProfileName) async throws(SignInError) {
        do throws(StorageFailure) {
            // The record last: whatever fails on the way, the next call finds the rest.
            for key in keys(of: name).sorted(by: { $0.description > $1.description }) { try await remove(key) }
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Removes one value; of a session, while nobody is between a look at it and the write after that.
    private func remove(_ key: StoreKey) async throws(StorageFailure) {
        let name = key.description.range(of: "session/http").map { StoreKey(String(key.description[$0.lowerBound...])) }
        let hold = name == nil ? nil : try await store.processLock?.take((name ?? key).writeLockName, waiting: 10)
        defer { hold?.release() }
        try await store.remove(key)
    }
}
