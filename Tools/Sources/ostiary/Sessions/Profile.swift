import Ostiary
import OstiaryOAuth

/// A named place in a store for one sign-in: the record of what it needs, and next to it the session.
struct Profile: Sendable {
    let name: ProfileName
    let store: any SecretStore

    /// What the current session needs; `nil` when there is none.
    func record() async throws(SignInError) -> ProfileRecord? {
        do throws(StorageFailure) {
            guard let bytes = try await store.read(key) else { return nil }
            return try ProfileRecord(bytes)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Writes the record of a sign-in that has not happened yet, beside the one before it.
    ///
    /// A store that cannot be written fails here, before a person is asked for anything.
    func prepare(_ record: ProfileRecord) async throws(SignInError) {
        try await write(record, for: pendingKey)
    }

    /// Puts the prepared record in force: its session is stored by now.
    ///
    /// A session at another issuer, or of another client, is forgotten only after that.
    func commit(_ record: ProfileRecord) async throws(SignInError) {
        let former = try await self.record()
        try await write(record, for: key)
        await discardPreparation()
        if let former, sessionKey(of: former) != sessionKey(of: record) { try await remove(sessionKey(of: former)) }
    }

    /// Forgets the prepared record; the one before it is still in force.
    func discardPreparation() async {
        // What is left of it is replaced by the next sign-in.
        try? await store.remove(pendingKey)
    }

    /// Forgets the record.
    func remove() async throws(SignInError) { try await remove(key) }

    private var key: StoreKey { StoreKey("profile/\(name)") }
    private var pendingKey: StoreKey { StoreKey("profile/\(name)/pending") }

    private func sessionKey(of record: ProfileRecord) -> StoreKey {
        .session(issuer: record.issuer, clientID: record.clientID, account: name.description)
    }

    private func write(_ record: ProfileRecord, for key: StoreKey) async throws(SignInError) {
        do throws(StorageFailure) {
            try await store.write(record.bytes, for: key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private func remove(_ key: StoreKey) async throws(SignInError) {
        do throws(StorageFailure) {
            try await store.remove(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }
}
