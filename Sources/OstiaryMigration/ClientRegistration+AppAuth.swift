import OstiaryJOSE
public import OstiaryOAuth

extension ClientRegistration {
    /// Reads the keyed archive of an `OIDRegistrationResponse` of AppAuth for iOS and macOS.
    ///
    /// An `OIDAuthState` is archived without its registration: an app that registers itself archives the response on
    /// its own. No object is instantiated. Values are read by the keys under which `OIDRegistrationResponse.m` writes
    /// them: those of RFC 7591, and of the members under `additionalParameters` the texts. Redirect URIs are not among
    /// them.
    ///
    /// - Parameters:
    ///   - archive: At most 1 MiB.
    ///   - issuer: The issuer that registered the client, from the app's configuration: an archive may not have it.
    /// - Throws: `malformed`.
    public init(appAuthArchive archive: [UInt8], issuer: Issuer) throws(SessionImportError) {
        guard let root = KeyedArchive(archive)?.root, root["request"] != nil else { throw .malformed }
        var members = JSONObject()
        for name in Self.texts { members[name] = root[name]?.string.map { .string($0) } }
        for name in Self.dates { members[name] = root[name]?.secondsSince1970.map { .number($0) } }
        for name in Self.others { members[name] = root["additionalParameters"]?[name]?.string.map { .string($0) } }
        do throws(SignInError) {
            try self.init(response: members, issuer: issuer)
        } catch {
            throw .malformed
        }
    }

    private static let texts = [
        "client_id", "client_secret", "registration_access_token", "registration_client_uri",
        "token_endpoint_auth_method",
    ]
    private static let dates = ["client_id_issued_at", "client_secret_expires_at"]
    private static let others = ["scope", "id_token_signed_response_alg", "application_type", "subject_type"]
}
