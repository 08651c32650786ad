import OstiaryJOSE
import OstiaryOAuth

extension ClientOptions {
    /// Returns the client to store with a session: the named one, the one registered for the profile, or the one of the
    /// profile's last sign-in.
    ///
    /// `scopes` are the requested ones; `nil` for those of the last sign-in of the same client, or the default.
    /// `redirectURI` is `nil` for the registered one, or a free port of this machine.
    ///
    /// - Throws: ``UsageError`` when there is no client, or when its secret or key cannot be read.
    func record(
        in profile: Profile,
        scopes: [Scope]? = nil,
        redirectURI: String? = nil,
        endpoints: EndpointOptions? = nil,
        console: Console
    ) async throws -> ProfileRecord {
        var record = try await self.record(in: profile, scopes: scopes, redirectURI: redirectURI, on: console)
        if let given = try endpoints?.metadata(of: record.issuer) { record.metadata = given }
        if record.security == .fapi2 {
            let hasKey =
                switch record.authentication {
                case .privateKeyJWT, .registered: true
                default: false
                }
            guard hasKey, record.isBound else {
                throw UsageError("--security fapi2 needs --client-key FILE and --dpop.")
            }
        }
        return record
    }

    private func record(
        in profile: Profile,
        scopes: [Scope]?,
        redirectURI: String?,
        on console: Console
    ) async throws -> ProfileRecord {
        var record: ProfileRecord
        let scopesOrDefault = scopes ?? AuthorizationRequest.defaultScopes
        if let (issuer, clientID) = try await namedClient(for: profile) {
            record = ProfileRecord(
                issuer: try Issuer(issuer),
                clientID: clientID,
                redirectURI: try RedirectURI(redirectURI ?? Self.freePort),
                authentication: try authentication(console: console),
                scopes: scopesOrDefault
            )
        } else if let former = try await formerRecord(of: profile) {
            record = former
            record.revokedToken = nil
            if let redirectURI { record.redirectURI = try RedirectURI(redirectURI) }
            if let file = try keyFile(console: console) { record.authentication = .privateKeyJWT(file) }
            record.scopes = scopes ?? former.scopes
            if security != .standard { record.security = security }
            record.isBound = isBound || former.isBound
            record.idTokenAlgorithm = idTokenAlg ?? former.idTokenAlgorithm
            record.userInfoAlgorithm = userinfoAlg ?? former.userInfoAlgorithm
            record.manners = server.added(to: former.manners)
            return record
        } else {
            let registration = try await registration(in: profile)
            record = ProfileRecord(
                issuer: registration.issuer,
                clientID: registration.clientID,
                redirectURI: try RedirectURI(
                    redirectURI ?? registration.metadata.redirectURIs.first ?? Self.freePort
                ),
                authentication: .registered(try keyFile(console: console)),
                scopes: scopesOrDefault
            )
            try Self.check(record.redirectURI, of: registration)
        }
        record.security = security
        record.isBound = isBound
        record.idTokenAlgorithm = idTokenAlg
        record.userInfoAlgorithm = userinfoAlg
        record.manners = server.added()
        return record
    }

    /// The client that the arguments name; for a profile without a client that of the environment or the configuration
    /// file.
    private func namedClient(for profile: Profile) async throws -> (issuer: String, clientID: String)? {
        if let issuer, let clientID { return (issuer, clientID) }
        let settings = CommandSettings.current
        guard issuer == nil, clientID == nil, let issuer = settings.issuer, let clientID = settings.clientID,
            try await formerRecord(of: profile) == nil, try await profile.registration() == nil
        else { return nil }
        return (issuer, clientID)
    }

    /// The default redirect URI.
    static let freePort = "http://127.0.0.1/callback"

    /// The client of the profile's last sign-in; `nil` when another one is named or registered.
    private func formerRecord(of profile: Profile) async throws -> ProfileRecord? {
        guard clientID == nil, let record = try await profile.recordIfReadable() else { return nil }
        if let issuer, try Issuer(issuer) != record.issuer { return nil }
        // The registration of such a client says how it authenticates.
        if case .registered = record.authentication { return nil }
        return try await profile.registration() == nil ? record : nil
    }

    /// Refuses a redirect URI that is not registered, before anything is sent.
    private static func check(
        _ redirectURI: RedirectURI,
        of registration: ClientRegistration
    ) throws(SignInError) {
        do throws(SignInError) {
            _ = try registration.client(redirectURI: redirectURI)
        } catch {
            // A key that is missing here lies in a file.
            if error.reason == .mismatch(.redirectURI) { throw error }
        }
    }

    private func registration(in profile: Profile) async throws -> ClientRegistration {
        guard let registration = try await profile.registration() else {
            throw UsageError(
                "Which client? The profile \(profile.name) has none: pass --issuer and --client-id. "
                    + "(Or create one: \(CommandArguments.line(of: ["register", "--issuer", "URL"])))"
            )
        }
        if let issuer {
            guard try Issuer(issuer) == registration.issuer else {
                throw UsageError(
                    "The client of the profile \(profile.name) is registered at \(registration.issuer), not there."
                )
            }
        }
        return registration
    }

    private func authentication(console: Console) throws(UsageError) -> ProfileRecord.Authentication {
        if let keyFile = try keyFile(console: console) { return .privateKeyJWT(keyFile) }
        let source = clientSecretFile.map(SecretSource.file) ?? clientSecretEnv.map(SecretSource.environment)
        guard let secret = try source?.secret(console: console) else { return .none }
        return clientAuth == .clientSecretPost ? .clientSecretPost(secret) : .clientSecretBasic(secret)
    }
}
