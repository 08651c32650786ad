import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// A named place in a store for one sign-in: its record, and next to it the session.
struct Profile: Sendable {
    let name: ProfileName
    let store: any SecretStore

    /// Returns the record of the current session; `nil` for none.
    func record() async throws(SignInError) -> ProfileRecord? {
        do throws(StorageFailure) {
            guard let bytes = try await store.read(key) else { return nil }
            return try ProfileRecord(bytes)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// The record of the current session; `nil` also when it is damaged, and a sign-in replaces it.
    ///
    /// - Throws: `storage` when the store cannot be used now.
    func recordIfReadable() async throws(SignInError) -> ProfileRecord? {
        do throws(SignInError) {
            return try await record()
        } catch {
            guard error.reason == .storage(.corrupted) else { throw error }
            return nil
        }
    }

    /// Writes the record of a sign-in that has not happened yet, beside the one before it.
    ///
    /// A store that cannot be written fails here, before the user sees a page.
    private func prepare(_ record: ProfileRecord) async throws(SignInError) {
        try await write(record, for: pendingKey)
    }

    /// Puts the prepared record in force: its session is stored by now.
    ///
    /// A session at another issuer, or of another client, is forgotten only after that.
    private func commit(_ record: ProfileRecord) async throws(SignInError) {
        let former = try await recordIfReadable()
        try await write(record, for: key)
        await discardPreparation()
        if let former, sessionKey(of: former) != sessionKey(of: record) { try await remove(sessionKey(of: former)) }
    }

    /// Forgets the prepared record; the one before it is still in force.
    private func discardPreparation() async {
        // Its remains are replaced by the next sign-in.
        try? await store.remove(pendingKey)
    }

    /// Keeps what else is accepted from the issuer of the current session, for this command and later ones.
    ///
    /// - Returns: The record that is kept now.
    func accept(_ server: ServerOptions, for record: ProfileRecord) async throws(SignInError) -> ProfileRecord {
        var changed = record
        changed.manners = server.added(to: record.manners)
        if changed != record { try await write(changed, for: key) }
        return changed
    }

    /// Remembers that an access token of the current session was revoked.
    func noteRevoked(_ token: Secret, of record: ProfileRecord) async throws(SignInError) {
        var changed = record
        changed.revokedToken = token.fingerprint
        try await write(changed, for: key)
    }

    /// Forgets the record.
    func remove() async throws(SignInError) { try await remove(key) }

    /// Stores the session of a new sign-in; an earlier one is unchanged until this one is stored.
    ///
    /// - Throws: The error of the sign-in; `storage` before the user sees a page.
    func keep(
        _ record: ProfileRecord,
        of signIn: () async throws(SignInError) -> Session
    ) async throws(SignInError) -> Session {
        // Fails before the user is asked for a password, when the new session could not be kept.
        _ = try await recordIfReadable()
        try await prepare(record)
        let session: Session
        do {
            session = try await signIn()
        } catch {
            await discardPreparation()
            throw error
        }
        try await commit(record)
        return session
    }

    /// Returns the client that registered itself for this profile; `nil` for none.
    func registration() async throws(SignInError) -> ClientRegistration? {
        guard let issuer = try await registrationIssuer() else { return nil }
        // Nothing is sent, so there is nothing to report.
        return try await registrar(at: issuer, telling: Trace(.clock, on: nil)).restore()
    }

    /// Returns the issuer at which a client registered itself for this profile; `nil` for none.
    func registrationIssuer() async throws(SignInError) -> Issuer? {
        do throws(StorageFailure) {
            guard let bytes = try await store.read(registrationKey) else { return nil }
            guard let object = try? JSONObject(parsing: bytes), let text = object["issuer"]?.string,
                let issuer = try? Issuer(text)
            else { throw .corrupted }
            return issuer
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Remembers where the client of this profile is registered; `nil` forgets it.
    func setRegistrationIssuer(_ issuer: Issuer?) async throws(SignInError) {
        do throws(StorageFailure) {
            guard let issuer else { return try await store.remove(registrationKey) }
            let object: JSONObject = ["version": 1, "issuer": .string(issuer.description)]
            try await store.write(object.encoded(), for: registrationKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private var key: StoreKey { StoreKey("profile/\(name)") }
    private var registrationKey: StoreKey { StoreKey("profile/\(name)/registration") }
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
