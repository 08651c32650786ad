import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// The client authentication of a service at an issuer, whose credentials a reload replaces.
final class ClientCredentials: Sendable {
    private let current: Mutex<ClientAuthentication>

    init(_ authentication: ClientAuthentication) { current = Mutex(authentication) }

    /// The authentication with the current credentials.
    var authentication: ClientAuthentication { .renewable { self.value } }
    private var value: ClientAuthentication { current.withLock { $0 } }
    /// The name of the method.
    var method: String { value.method }

    func replace(with other: ClientCredentials) {
        let authentication = other.value
        current.withLock { $0 = authentication }
    }
}

/// The client registration at an issuer, as several sections of the configuration contain it.
enum ClientSettings {
    /// The members that are read here.
    static let members = [
        "client_id", "client_secret", "private_key", "token_endpoint_auth_method", "assertion_audience",
    ]

    private enum Method: String, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKey = "private_key_jwt"
    }

    /// Reads a client with a redirect URI, and its credentials.
    static func client(
        _ object: SettingObject,
        redirectURI: RedirectURI
    ) throws(BackendConfigurationError) -> (Client, ClientCredentials) {
        let id = try object.required("client_id").text()
        let credentials = try credentials(object)
        do throws(SignInError) {
            let client = try Client(id: id, redirectURI: redirectURI, authentication: credentials.authentication)
            return (client, credentials)
        } catch {
            throw object.setting.wrong(error.sentence)
        }
    }

    /// Reads `client_secret`, or `private_key`, and the method.
    static func credentials(_ object: SettingObject) throws(BackendConfigurationError) -> ClientCredentials {
        let standard = object["private_key"] == nil ? Method.basic : .privateKey
        let method = try object["token_endpoint_auth_method"]?.choice(Method.self) ?? standard
        guard method == .privateKey else {
            for name in ["private_key", "assertion_audience"] {
                guard let setting = object[name] else { continue }
                throw setting.wrong(
                    "Only private_key_jwt uses \(name): set token_endpoint_auth_method to private_key_jwt, or remove \(name)."
                )
            }
            let secret = try object.required("client_secret").secret()
            return ClientCredentials(method == .basic ? .clientSecretBasic(secret) : .clientSecretPost(secret))
        }
        if let setting = object["client_secret"] {
            throw setting.wrong("private_key_jwt uses private_key and no secret: remove client_secret.")
        }
        let audience =
            try object["assertion_audience"]?.choice(ClientAuthentication.AssertionAudience.self) ?? .issuer
        let key = try signingKey(object.required("private_key"))
        return ClientCredentials(.privateKeyJWT(key, audience: audience))
    }

    private static func signingKey(_ setting: Setting) throws(BackendConfigurationError) -> SigningKey {
        let text = try setting.secret().reveal()
        guard let object = try? JSONObject(parsing: Array(text.utf8)),
            let key = try? SigningKey(privateJWK: object, algorithm: nil)
        else {
            throw setting.wrong(
                "Expected a private JSON Web Key, as `ostiary key make` writes it; an RSA key needs alg."
            )
        }
        return key
    }
}

/// The authorization request, as several sections of the configuration describe it.
enum RequestSettings {
    /// The members that are read here.
    static let members = ["scopes", "prompt", "acr_values", "max_age", "resource", "audience"]

    /// Reads a request that is pushed only where the issuer demands it.
    static func request(_ object: SettingObject) throws(BackendConfigurationError) -> AuthorizationRequest {
        var request = AuthorizationRequest(
            scopes: try object["scopes"]?.texts().map { Scope(rawValue: $0) } ?? [.openID],
            prompt: try object["prompt"]?.texts().map { AuthorizationRequest.Prompt(rawValue: $0) } ?? [],
            maximumAge: try object["max_age"]?.age(),
            pushing: .whenRequired
        )
        if let values = try object["acr_values"]?.texts(), !values.isEmpty {
            request.authenticationContext = .required(values)
        }
        if let setting = object["resource"] {
            let settings = setting.value.array == nil ? [setting] : try setting.elements()
            for element in settings {
                request.resources.append(
                    try element.reading { text throws(SignInError) in try ResourceIndicator(text) }
                )
            }
        }
        if let audience = try object["audience"]?.text() { request.additionalParameters["audience"] = audience }
        return request
    }
}
