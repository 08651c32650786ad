public import Ostiary

extension ImportedSession {
    /// Reads the keyed archive of an `OIDAuthState` of AppAuth for iOS and macOS, or of a `GTMAppAuth` session around
    /// one.
    ///
    /// The archive is the output of `NSKeyedArchiver` that the app stored, usually in the Keychain. No object is
    /// instantiated from it. Values are read by the keys under which `encodeWithCoder:` writes them, in this order:
    ///
    /// | Read | Where (AppAuth-iOS, `Source/AppAuthCore`, before 1.4 `Source`) |
    /// | --- | --- |
    /// | refresh token | `OIDAuthState.m` `refreshToken`, then `lastTokenResponse`; `OIDTokenResponse.m` `refresh_token` |
    /// | client | `OIDAuthorizationResponse.m` `request`; `OIDAuthorizationRequest.m` `client_id` |
    /// | issuer | `OIDAuthorizationRequest.m` `configuration`; `OIDServiceConfiguration.m` `discoveryDocument`, in which `OIDServiceDiscovery.m` lets its dictionary encode itself in place (`NS.keys`, `NS.objects`); then `issuer`, a URL; then the ID token's `iss` |
    /// | scopes | `OIDAuthState.m` `scope`; `OIDAuthorizationRequest.m` `scope` |
    /// | user | `lastTokenResponse` or `lastAuthorizationResponse`; `id_token` |
    /// | an end | `OIDAuthState.m` `authorizationError` |
    ///
    /// GTMAppAuth (`AuthSession.swift`, before version 3 `GTMAppAuthFetcherAuthorization.m`) encodes the state under
    /// `authState`.
    ///
    /// - Parameter archive: At most 1 MiB.
    /// - Throws: `malformed`, `noRefreshToken`, or `ended` when the state holds an authorization error.
    public init(appAuthArchive archive: [UInt8]) throws(SessionImportError) {
        guard let root = KeyedArchive(archive)?.root else { throw .malformed }
        let state = root["authState"] ?? root
        let (authorization, token) = (state["lastAuthorizationResponse"], state["lastTokenResponse"])
        let request = authorization?["request"] ?? token?["request"]
        guard request != nil || state["refreshToken"] != nil else { throw .malformed }
        if let error = state["authorizationError"], error.isSomething { throw .ended }
        let configuration = request?["configuration"]
        try self.init(
            refreshToken: state["refreshToken"]?.string ?? token?["refresh_token"]?.string,
            issuer: configuration?["discoveryDocument"]?["issuer"]?.string ?? configuration?["issuer"]?.string,
            clientID: request?["client_id"]?.string,
            scope: state["scope"]?.string ?? request?["scope"]?.string,
            idToken: token?["id_token"]?.string ?? authorization?["id_token"]?.string
        )
    }
}
