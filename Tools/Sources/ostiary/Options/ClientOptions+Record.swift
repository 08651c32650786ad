import OstiaryJOSE
import OstiaryOAuth

extension ClientOptions {
    /// The client as it is kept with a session: the one that was named, or the one that is registered for the profile.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the browser comes back to; `nil` for what is registered, or a free port of this machine.
    /// - Throws: ``UsageError`` when there is no client, or when its secret or key cannot be read.
    func record(
        in profile: Profile,
        scopes: [Scope] = [],
        redirectURI: String? = nil,
        console: Console
    ) async throws -> ProfileRecord {
        var record: ProfileRecord
        if let issuer, let clientID {
            record = ProfileRecord(
                issuer: try Issuer(issuer),
                clientID: clientID,
                redirectURI: try RedirectURI(redirectURI ?? Self.freePort),
                authentication: try authentication(console: console),
                scopes: scopes
            )
        } else {
            let registration = try await registration(in: profile)
            record = ProfileRecord(
                issuer: registration.issuer,
                clientID: registration.clientID,
                redirectURI: try RedirectURI(
                    redirectURI ?? registration.metadata.redirectURIs.first ?? Self.freePort
                ),
                authentication: .registered(try keyFile(console: console)),
                scopes: scopes
            )
        }
        record.security = security
        record.isBound = isBound
        record.idTokenAlgorithm = idTokenAlg
        record.userInfoAlgorithm = userinfoAlg
        return record
    }

    /// Where the browser comes back to when nobody says otherwise.
    static let freePort = "http://127.0.0.1/callback"

    private func registration(in profile: Profile) async throws -> ClientRegistration {
        guard let registration = try await profile.registration() else {
            throw UsageError(
                "No client is registered for the profile \(profile.name): give --issuer and --client-id, or register one."
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
