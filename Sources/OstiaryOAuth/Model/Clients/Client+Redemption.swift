import OstiaryJOSE

extension Client {
    /// Checks, before the client sends the user to a server, that it can redeem a code there and accept an ID token.
    ///
    /// - Throws: `unsupported`, at the stage given, when the metadata has no `token_endpoint`, or when `openid` is
    ///   requested and the client allows none of the algorithms in `id_token_signing_alg_values_supported`
    ///   (OpenID Connect Discovery section 3).
    package func checkRedemption(
        of scopes: [Scope],
        at server: AuthorizationServer,
        _ stage: SignInError.Stage
    ) throws(SignInError) {
        guard server.tokenEndpoint != nil else { throw SignInError(stage, .unsupported("a token_endpoint")) }
        guard scopes.contains(.openID), let offered = server.idTokenSigningAlgorithms,
            idTokenAlgorithms(at: server).isEmpty
        else { return }
        let listed = server.metadata["id_token_signing_alg_values_supported"]?.array?.compactMap(\.string)
        let found = (listed ?? offered.map(\.rawValue).sorted()).prefix(20).map { String($0.prefix(20)) }
        throw SignInError(
            stage,
            .unsupported(
                "an ID token signature that this client allows: id_token_signing_alg_values_supported has "
                    + "\(found.joined(separator: " ")), the client allows \(allowedNames) (\(algorithmSetting))"
            )
        )
    }

    /// The algorithms that the client allows, whatever the server offers.
    private var allowedNames: String {
        let allowed = profile.algorithms.map(validation.idTokenAlgorithms.intersection) ?? validation.idTokenAlgorithms
        return allowed.isEmpty ? "none" : allowed.map(\.rawValue).sorted().joined(separator: " ")
    }

    /// The settings that determine the allowed algorithms.
    private var algorithmSetting: String {
        let setting = "Client.ValidationPolicy.idTokenAlgorithms"
        return profile.algorithms == nil ? setting : setting + ", SecurityProfile \(profile.name)"
    }

    /// The setting that excludes an algorithm; `nil` for one that the server's metadata excludes, or that no setting
    /// can allow.
    func setting(excluding algorithmName: String) -> String? {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithmName) else { return nil }
        if !validation.idTokenAlgorithms.contains(algorithm) { return "Client.ValidationPolicy.idTokenAlgorithms" }
        return profile.algorithms?.contains(algorithm) == false ? "SecurityProfile \(profile.name)" : nil
    }
}
