extension ImportedSession {
    /// Reads the keyed archive of an `OIDAuthState` of AppAuth for iOS and macOS, or of a `GTMAppAuth` session round one.
    ///
    /// The archive is what the app got from `NSKeyedArchiver` and kept, as a rule in the Keychain. No object is made of it:
    /// values are read by the keys under which they were encoded (AppAuth-iOS, `OIDAuthState.m`,
    /// `OIDAuthorizationResponse.m`, `OIDAuthorizationRequest.m`, `OIDTokenResponse.m`, `OIDServiceConfiguration.m` and
    /// `OIDServiceDiscovery.m`, versions 1 and 2).
    ///
    /// - Parameter archive: At most 1 MiB.
    /// - Throws: `malformed`, `noRefreshToken`, or `ended` when the state holds an authorization error.
    public init(appAuthArchive archive: [UInt8]) throws(SessionImportError) {
        guard let root = KeyedArchive(archive)?.root else { throw .malformed }
        let state = root["authState"] ?? root
        let request = state["lastAuthorizationResponse"]?["request"] ?? state["lastTokenResponse"]?["request"]
        guard request != nil || state["refreshToken"] != nil else { throw .malformed }
        if let error = state["authorizationError"], error.isSomething { throw .ended }
        let discovery = request?["configuration"]?["discoveryDocument"]
        try self.init(
            refreshToken: state["refreshToken"]?.string ?? state["lastTokenResponse"]?["refresh_token"]?.string,
            issuer: discovery?["discoveryDictionary"]?["issuer"]?.string ?? discovery?["issuer"]?.string,
            clientID: request?["client_id"]?.string,
            scope: state["scope"]?.string ?? request?["scope"]?.string,
            idToken: state["lastTokenResponse"]?["id_token"]?.string
        )
    }
}
