import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The endpoint of one registered client (RFC 7592 section 2).
    ///
    /// Without the client's own token, a deleted client and one that never existed get the same response.
    func manageClient(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard let token = request.bearerToken else { throw Refusal.unauthorizedRegistration() }
        guard let id = routes.clientID(at: request.path), let registration = try await registration(id),
            registration.accessToken.matches(token)
        else { throw Refusal.unauthorizedRegistration(.invalidToken) }
        return switch request.method {
        case .put: try await update(registration, token, request)
        case .delete: try await remove(registration)
        default: try await read(registration, token)
        }
    }

    /// Responds with the registration (RFC 7592 section 2.1).
    ///
    /// The secret is left out unless it is a new one: only its digest is stored.
    private func read(_ current: ClientRegistration, _ token: String) async throws -> ProviderResponse {
        var registration = current
        let rotation = rotation
        let secret = rotation.contains(.secretOnRead) ? renewSecret(&registration) : nil
        let accessToken = rotation.contains(.accessTokenOnRead) ? renewAccessToken(&registration) : token
        // Without a change nothing is written, so that a concurrent update is not undone.
        if secret != nil || accessToken != token { try await storage.put(registration.record) }
        return registrationResponse(registration, accessToken: accessToken, secret: secret)
    }

    /// Replaces the metadata (RFC 7592 section 2.2): members that are left out are removed.
    private func update(
        _ current: ClientRegistration,
        _ token: String,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let sent = try registrationMembers(request)
        if let name = Self.notForUpdates.first(where: { sent[$0] != nil }) {
            throw Refusal.metadata("An update has no \(name).")
        }
        guard let id = sent["client_id"]?.string, id.utf8.elementsEqual(current.id.utf8) else {
            throw Refusal.metadata("The client_id is not this client's.")
        }
        var secret = sent["client_secret"]?.string
        guard sent["client_secret"] == nil || secret.map({ current.secret?.matches($0) ?? false }) ?? false else {
            throw Refusal.metadata("The client_secret is not this client's.")
        }
        var registration = current
        registration.metadata = try checkedMetadata(sent)
        try await checkSector(of: registration.metadata)
        let rotation = rotation
        if !registration.metadata.hasSecret {
            registration.secret = nil
            registration.secretExpires = nil
            secret = nil
        } else if current.secret == nil || rotation.contains(.secretOnUpdate)
            || current.secretExpires.map({ $0 <= now }) ?? false
        {
            secret = renewSecret(&registration)
        }
        let accessToken = rotation.contains(.accessTokenOnUpdate) ? renewAccessToken(&registration) : token
        try await storage.put(registration.record)
        reportAdmissions(
            registration.metadata.admissions,
            of: registration.client(at: now, reach: .publicHosts),
            request
        )
        return registrationResponse(registration, accessToken: accessToken, secret: secret)
    }

    /// Deletes a client, and revokes its tokens (RFC 7592 section 2.3).
    func remove(_ registration: ClientRegistration) async throws -> ProviderResponse {
        try await storage.remove(.key(.registeredClient, registration.id))
        settings.forget(client: registration.id)
        for grant in try await storage.records(.grant).compactMap(IssuedGrant.init)
        where grant.clientID.utf8.elementsEqual(registration.id.utf8) {
            try await storage.remove(.family(grant.id))
        }
        return ProviderResponse(status: .noContent, fields: [.cacheControl: "no-store", .pragma: "no-cache"])
    }

    private var rotation: RegistrationPolicy.Rotation {
        configuration.registration.rotation.union(scenario.registrationRotation)
    }

    private func renewSecret(_ registration: inout ClientRegistration) -> String? {
        guard registration.metadata.hasSecret else { return nil }
        let secret = newClientSecret()
        registration.secret = SecretDigest(secret)
        registration.secretExpires = newSecretExpiry
        return secret
    }

    private func renewAccessToken(_ registration: inout ClientRegistration) -> String {
        let token = random.secret()
        registration.accessToken = SecretDigest(token)
        return token
    }

    /// The server's own members, which an update must not contain (RFC 7592 section 2.2).
    private static let notForUpdates = [
        "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
    ]
}
