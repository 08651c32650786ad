import OstiaryOAuth

/// How a service is known to an issuer, as several sections of the configuration say it.
enum ClientSettings {
    private enum Method: String, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    /// Reads `client_id`, `client_secret` and `token_endpoint_auth_method`.
    static func client(
        _ object: SettingObject,
        redirectURI: RedirectURI
    ) throws(BackendConfigurationError) -> Client {
        let method = try object["token_endpoint_auth_method"]?.choice(Method.self) ?? .basic
        let secret = try object.required("client_secret").secret()
        let id = try object.required("client_id").text()
        do throws(SignInError) {
            return try Client(
                id: id,
                redirectURI: redirectURI,
                authentication: method == .basic ? .clientSecretBasic(secret) : .clientSecretPost(secret)
            )
        } catch {
            throw object.setting.wrong(error.sentence)
        }
    }
}
