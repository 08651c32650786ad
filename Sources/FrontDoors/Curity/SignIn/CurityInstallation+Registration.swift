import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CurityInstallation {
    func registration() async throws(SignInError) -> ClientRegistration? { try await registrar.restore() }

    func register() async throws(SignInError) -> ClientRegistration {
        if let known = try await registration() { return known }
        return try await replace(nil)
    }

    func adopt(
        _ registration: ClientRegistration,
        _ imported: ImportedSession?
    ) async throws(SignInError) -> CuritySession? {
        // A client that cannot be used is not stored: the next sign-in registers one.
        _ = try CurityCredentials(registration).client(redirectURI: configuration.redirectURI)
        let stored = try await registrar.adopt(registration)
        let (credentials, client) = try adopted(stored)
        guard let imported else {
            return try await client.restoreSession().map { CuritySession($0, of: self, with: credentials) }
        }
        guard stored.isClient(registration.clientID) else { throw SignInError(.registration, .mismatch(.client)) }
        return CuritySession(try await client.adopt(imported), of: self, with: credentials)
    }

    func renew() async throws(SignInError) -> ClientRegistration {
        let renewed = try await registrar.read()
        _ = try adopted(renewed)
        return renewed
    }

    func update(_ change: @Sendable (inout ClientMetadata) -> Void) async throws(SignInError) -> ClientRegistration {
        guard var known = try await registration() else {
            throw SignInError(.registration, .configuration("No client is registered here yet: register one first."))
        }
        // An adopted registration may lack members that the server has, and an update deletes what it leaves out.
        if known.metadata.redirectURIs.isEmpty { known = try await renew() }
        var metadata = known.updatable
        change(&metadata)
        let updated = try await registrar.update(metadata)
        _ = try adopted(updated)
        _ = try updated.client(redirectURI: configuration.redirectURI)
        return updated
    }

    func forgetDevice() async throws(SignInError) -> SignOutReport? {
        let report = try await restoreSession()?.signOut()
        guard let registration = try await registration() else { return report }
        if registration.management == nil { try await registrar.forget() } else { try await registrar.delete() }
        current = nil
        return report
    }

    /// The registration to sign in with: made, renewed or replaced first where that is due.
    func usableRegistration() async throws(SignInError) -> ClientRegistration {
        guard let known = try await registration() else { return try await replace(nil) }
        guard doubted.map({ !known.isClient($0) }) ?? true else { return try await replaceIfAllowed(known) }
        do throws(SignInError) {
            _ = try known.client(redirectURI: configuration.redirectURI)
        } catch {
            guard error.reason == .mismatch(.redirectURI) else { throw error }
            // The app has another redirect URI than when it registered.
            return try await replaceIfAllowed(known, because: error)
        }
        _ = try adopted(known)
        let now = clock.now.timeIntervalSince1970
        let hasEnded = known.clientSecretExpiry.map { $0.timeIntervalSince1970 <= now } ?? false
        guard known.isRenewalDue(at: now) else { return hasEnded ? try await replaceIfAllowed(known) : known }
        do throws(SignInError) {
            return try await renew()
        } catch {
            if case .storage = error.reason { throw error }
            guard hasEnded else { return known }
            guard case .refused = error.reason else { throw error }
            return try await replaceIfAllowed(known, because: error)
        }
    }

    private func replaceIfAllowed(
        _ known: ClientRegistration,
        because error: SignInError = SignInError(.registration, .refused(OAuthError(code: .invalidClient)))
    ) async throws(SignInError) -> ClientRegistration {
        guard await configuration.replacement.decide(known) == .register else { throw error }
        return try await replace(known)
    }

    /// Registers a client in place of another, or of none, and forgets the session of that other one.
    func replace(_ known: ClientRegistration?) async throws(SignInError) -> ClientRegistration {
        let metadata = try configuration.registration.metadata(for: configuration)
        let new = try await registrar.register(
            metadata,
            replacing: known,
            initialAccessToken: try await initialAccessToken()
        )
        do throws(SignInError) {
            _ = try CurityCredentials(new).client(redirectURI: configuration.redirectURI)
        } catch {
            // A client that cannot be used is not kept, here or there.
            do throws(SignInError) { try await registrar.delete() } catch { try await registrar.forget() }
            current = nil
            throw error
        }
        if let known, !new.isClient(known.clientID) {
            unproven = new.clientID
            // Its tokens were for a client that is gone.
            try? await parts.store.remove(.session(issuer: configuration.issuer, clientID: known.clientID))
        }
        _ = try adopted(new)
        return new
    }
}

extension ClientRegistration {
    /// Whether a client identifier is equal to this one, byte by byte.
    func isClient(_ id: String) -> Bool { clientID.utf8.elementsEqual(id.utf8) }
}
