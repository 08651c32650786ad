import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Steps for a dialect's own endpoints that touch the provider's records.
extension Provider {
    /// Uses up an authorization code at a dialect's own token endpoint.
    ///
    /// Another client's code stays unused: a client that steals one must not use it up.
    ///
    /// - Returns: The grant; `nil` for a code that is unknown, another client's, used, expired, or without this
    ///   verifier's challenge, and for a grant that has ended.
    package func redeem(_ secret: String, of clientID: String, verifier: String) async throws -> IssuedGrant? {
        let place = SecretDigest(secret).text
        guard let record = try await storage.record(.authorizationCode, place), let code = IssuedCode(record),
            code.clientID.utf8.elementsEqual(clientID.utf8),
            case .first = try await storage.use(.authorizationCode, place), code.expires > now,
            code.isProved(by: verifier)
        else { return nil }
        return try await grant(code.grant)
    }

    /// Ends the grants of a client for a user, with their tokens, and forgets the user's consent.
    ///
    /// - Returns: The number of grants.
    package func disconnect(_ clientID: String, from subject: String) async throws(ProviderStorageFailure) -> Int {
        let grants = try await storage.records(.grant).compactMap(IssuedGrant.init).filter {
            $0.clientID.utf8.elementsEqual(clientID.utf8) && $0.subject.utf8.elementsEqual(subject.utf8)
        }
        for grant in grants { try await storage.remove(.family(grant.id)) }
        try await storage.remove(.key(.consent, consentKey(clientID, subject)))
        return grants.count
    }

    /// A path below the issuer, as a request has it.
    package func path(below: String) -> String {
        let text = configuration.issuer.description
        let base = URIParts(text.hasSuffix("/") ? String(text.dropLast()) : text)?.path ?? ""
        return base + below
    }
}
