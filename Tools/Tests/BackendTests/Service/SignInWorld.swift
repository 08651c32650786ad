import AsyncHTTPClient
import Backend
import BackendConnections
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryPostgreSQL
import OstiaryProvider
import OstiaryTesting
import ProviderServer

/// A provider, an API, and a service between them that holds the tokens; and an app with a key.
final class SignInWorld: Sendable {
    static let origin = "https://api.example.com"
    static let redirectURI = "com.example.app:/callback"
    /// The address at which the service receives posted responses, as the world reaches it.
    static let responseURI = origin + "/auth/response"
    static let clientSecret = "a secret of the service"
    /// A change of the configuration's text.
    struct Change: Sendable {
        let apply: @Sendable (String) -> String
    }

    static let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    let provider: RunningProvider
    let providerKey: SigningKey
    /// Answers what the test says, and keeps what it was asked.
    let api: LoopbackServer
    let services: [RunningBackend]
    let file: TemporaryFile
    private let storeFile: TemporaryFile?
    let appKey: SigningKey
    private let isPosted: Bool

    /// Starts a provider, an API and instances of the service.
    ///
    /// - Parameters:
    ///   - count: The number of instances; more than one share a database.
    ///   - lifetime: The lifetime of access tokens, in seconds.
    ///   - turns: Faults of the provider at single requests.
    ///   - manners: The provider's manners; with signed client secrets the response is posted.
    ///   - scopes: The requested scopes.
    ///   - more: Members that `sign_in` has besides.
    ///   - logger: The log of the service. Default: none.
    ///   - providerLogger: The log of requests to the provider. Default: none.
    ///   - given: The client secret that the service has. Default: the right one.
    ///   - change: Changes the configuration's text.
    ///   - answer: The API's answer.
    /// - Throws: The error of a key, a file or a server that does not start.
    init(
        services count: Int = 1,
        accessTokens lifetime: Double = 900,
        turns: [ScenarioTurn] = [],
        manners: ProviderManners = .strict,
        scopes: [String] = ["openid", "offline_access"],
        more: String = "",
        logger: Logger = SignInWorld.quiet,
        providerLogger: Logger = SignInWorld.quiet,
        secret given: String? = nil,
        changing change: Change = Change { $0 },
        api answer: @escaping LoopbackServer.Script = { _ in SignInWorld.answer("200 OK", "{}") }
    ) async throws {
        let key = try SigningKey.generate(.es256, keyID: "key")
        providerKey = key
        let secretKey = try SigningKey.generate(.es256)
        isPosted = !manners.formPostScopes.isEmpty
        appKey = try SigningKey.generate(.es256)
        provider = try await ProviderServer.start(logger: providerLogger) { issuer in
            var configuration = try Self.configuration(issuer, key, lifetime, manners, secretKey)
            configuration.scenarioTurns = turns
            return Provider(
                configuration: configuration,
                clock: .system,
                random: SystemRandomNumberGenerator()
            )
        }
        api = try LoopbackServer(script: answer)
        file = try TemporaryFile("backend.json")
        let store = try await Self.store(forMany: count > 1)
        let redirects =
            isPosted
            ? """
            "token_endpoint_auth_method": "client_secret_post", "response_mode": "form_post",
            "redirect_uri": "\(Self.responseURI)", "app_redirect_uri": "\(Self.redirectURI)",
            """ : "\"redirect_uri\": \"\(Self.redirectURI)\","
        let secret =
            isPosted
            ? try secretKey.sign(
                claims: [
                    "iss": "TEAM", "sub": "service", "aud": .string(provider.issuer.description),
                    "iat": .integer(Int(Date.now.timeIntervalSince1970)),
                    "exp": .integer(Int(Date.now.timeIntervalSince1970) + 3600),
                ],
                type: "JWT"
            ) : Self.clientSecret
        let text = """
            {"listen": {"port": 0}, "origins": ["\(Self.origin)"], "store": \(store.setting),
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
             "resources": [{"path": "/me", "issuer": "\(provider.issuer)", "audience": "\(Self.origin)"}],
             "sign_in": {"issuer": "\(provider.issuer)", "client_id": "service",
                         "client_secret": {"environment": "SECRET"}, \(redirects) \(more)
                         "scopes": \(scopes),
                         "forward": [{"path": "/orders", "to": "http://127.0.0.1:\(api.port)/v1/orders"}]}}
            """
        try Data(change.apply(text).utf8).write(to: URL(filePath: file.path))
        let configuration = try BackendConfiguration(
            contentsOf: file.path,
            environment: [
                "KEY": BackendConfigurationTests.key, "SECRET": given ?? secret,
                "PASSWORD": PostgreSQLServer.password.reveal(),
            ]
        )
        storeFile = store.file
        var services: [RunningBackend] = []
        for _ in 0..<count {
            let tracing = try ServiceTracing.otlp(configuration, environment: [:], logger: logger)
            services.append(try await BackendServer.start(configuration, tracing: tracing, logger: logger))
        }
        self.services = services
    }

    private static func store(forMany: Bool) async throws -> (setting: String, file: TemporaryFile?) {
        guard forMany else {
            let file = try TemporaryFile()
            return (#"{"type": "sqlite", "path": "\#(file.path)"}"#, file)
        }
        let database = try await PostgreSQLServer.common().database()
        return (
            """
            {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
             "database": "\(database.database)", "password": {"environment": "PASSWORD"}, "security": "none"}
            """, nil
        )
    }

    private static func configuration(
        _ issuer: Issuer,
        _ key: SigningKey,
        _ lifetime: Double,
        _ manners: ProviderManners,
        _ secretKey: SigningKey
    ) throws -> ProviderConfiguration {
        var random = SystemRandomNumberGenerator()
        return ProviderConfiguration(
            issuer: issuer,
            clients: [
                RegisteredClient(
                    id: "service",
                    name: "The service",
                    authenticationMethod: manners.clientSecrets == .signed
                        ? .signedSecret(keys: JSONWebKeySet([secretKey.publicKey]), developer: "TEAM")
                        : .clientSecretBasic(SecretDigest(of: Secret(clientSecret))),
                    redirectURIs: [try RedirectURI(manners.formPostScopes.isEmpty ? redirectURI : responseURI)],
                    requiresConsent: false
                )
            ],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: "subject-of-alice",
                    claims: ["email": "alice@example.com"]
                )
            ],
            signingAlgorithms: [.es256],
            signingKeys: [key],
            lifetimes: .init(accessToken: .seconds(lifetime)),
            manners: manners
        )
    }

    /// Ends everything.
    func stop() async {
        for service in services { await service.stop() }
        await provider.stop()
        api.stop()
    }

    /// Signs alice in: page, browser, code.
    ///
    /// - Parameter user: The member `user`, where the response is posted.
    /// - Returns: The handle of the session.
    /// - Throws: The error of a page or a request.
    func signIn(posting user: String? = nil) async throws -> String {
        try await finish(posting: user).object["session"]?.string ?? ""
    }

    /// Signs alice in at the path of a sign-in, and returns what the service answers at the end.
    func finish(at path: String = "/auth", posting user: String? = nil) async throws -> Reply {
        let start = try await ask(.POST, path + "/start")
        let page = URL(string: start.object["start_url"]?.string ?? "") ?? URL(filePath: "/")
        let browser = HTTPUserAgent(
            transport: PublicNames(ports: [Self.origin: services[0].port], posting: user),
            credentials: .init(name: "alice", password: Secret("wonderland"))
        )
        let redirect = try await browser.attempt(awaiting: RedirectURI(Self.redirectURI)).open(page, accepting: .any)
        let items = URLComponents(string: redirect.absoluteString)?.queryItems ?? []
        var body = JSONObject()
        for item in items where ["code", "state", "iss"].contains(item.name) {
            body[item.name] = .string(item.value ?? "")
        }
        return try await ask(.POST, path + "/finish", body: String(decoding: body.encoded(), as: UTF8.self))
    }

    struct Reply {
        let status: Int
        let headers: HTTPHeaders
        let text: String
        var object: JSONObject { (try? JSONObject(parsing: Array(text.utf8))) ?? [:] }
    }

    /// Asks an instance, with a proof by the app's key and with a session's handle if there is one.
    func ask(
        _ method: HTTPMethod,
        _ target: String,
        session: String? = nil,
        fields: [(String, String)] = [],
        body: String? = nil,
        instance: Int = 0,
        by key: SigningKey? = nil,
        at time: Date = .now
    ) async throws -> Reply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(services[instance].port)\(target)")
        request.method = method
        let path = String(target.prefix { $0 != "?" })
        request.headers.add(name: "dpop", value: try proof(method.rawValue, path, session, by: key ?? appKey, time))
        if let session { request.headers.add(name: "authorization", value: "DPoP " + session) }
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        if let body {
            if !request.headers.contains(name: "content-type") {
                request.headers.add(name: "content-type", value: "application/json")
            }
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let text = String(buffer: try await response.body.collect(upTo: 1_048_576))
        return Reply(status: Int(response.status.code), headers: response.headers, text: text)
    }

    private func proof(
        _ method: String,
        _ path: String,
        _ session: String?,
        by key: SigningKey,
        _ time: Date
    ) throws -> String {
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string(Self.origin + path),
            "iat": .integer(Int(time.timeIntervalSince1970)),
        ]
        claims["ath"] = session.map { .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array($0.utf8)))) }
        let header: JSONObject = ["jwk": .object(key.publicKey.jsonObject)]
        return try key.sign(claims: claims, type: "dpop+jwt", extraHeader: header)
    }

    /// The provider's logout token when it has ended alice's sessions.
    func logoutToken() throws -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        return try providerKey.sign(
            claims: [
                "iss": .string(provider.issuer.description), "aud": "service", "sub": "subject-of-alice",
                "iat": .integer(now), "exp": .integer(now + 60), "jti": "1",
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ],
            type: "logout+jwt"
        )
    }

    /// An access token of alice's for the service's own route.
    func accessToken() throws -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        return try providerKey.sign(
            claims: [
                "iss": .string(provider.issuer.description), "aud": .string(Self.origin), "sub": "subject-of-alice",
                "client_id": "app", "jti": "token", "iat": .integer(now), "exp": .integer(now + 300),
            ],
            type: "at+jwt"
        )
    }

    /// An answer of the API's.
    static func answer(_ status: String, _ body: String, _ fields: [String] = []) -> LoopbackServer.Answer {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
        return [.text(head.joined(separator: "\r\n") + "\r\n\r\n" + body)]
    }
}

/// Reaches a service by its public name, as a resolver and a proxy in front of it do; adds a `user` to what is posted there.
private struct PublicNames: HTTPTransport {
    let ports: [String: Int]
    let posting: String?

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let text = request.url.absoluteString
        guard let (origin, port) = ports.first(where: { text.hasPrefix($0.key + "/") }),
            let url = URL(string: "http://127.0.0.1:\(port)" + text.dropFirst(origin.count))
        else { return try await AsyncHTTPClientTransport().send(request) }
        var request = request
        request.url = url
        if let posting {
            var form = FormURLEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? Parameters()
            form["user"] = posting
            request.content = nil
            request.form = form
        }
        return try await AsyncHTTPClientTransport().send(request)
    }
}
