import Backend
import Foundation
import HTTPTypes
import Logging
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import ProviderServer
import Synchronization

/// A provider, an application, a service before it, and a browser that knows them by one port.
final class GatewayWorld: Sendable {
    let provider: RunningProvider
    let application: LoopbackServer
    let service: RunningBackend
    /// The port by which the browser knows all of it.
    let port: Int
    private let proxy: NginxServer?
    private let file: TemporaryFile
    private let jar = Mutex<[String: String]>([:])
    private let agent: HTTPUserAgent

    /// - Parameters:
    ///   - isBehindNginx: Whether the configuration of `Examples/Backend/deploy` stands before the service.
    ///   - more: Members that `browser` has besides.
    ///   - turns: Faults of the provider at single requests.
    ///   - proxies: The address of the trusted proxy.
    ///   - gateway: The settings of the proxy's check.
    ///   - logger: The log of the service. Default: none.
    ///   - answer: The application's response.
    /// - Throws: The error of a file or a server that does not start.
    init(
        isBehindNginx: Bool,
        more: String = "",
        turns: [ScenarioTurn] = [],
        trusting proxies: String = "127.0.0.1",
        gateway: String = "{}",
        logger: Logger = SignInWorld.quiet,
        application answer: @escaping LoopbackServer.Script = { _ in
            SignInWorld.answer("200 OK", "hello", ["Set-Cookie: own=1"])
        }
    ) async throws {
        let port = try FreePort.find()
        let servicePort = isBehindNginx ? try FreePort.find() : port
        self.port = port
        provider = try await ProviderServer.start { issuer in
            var configuration = try Self.configuration(issuer, port)
            configuration.scenarioTurns = turns
            return Provider(
                configuration: configuration,
                clock: .system,
                random: SystemRandomNumberGenerator()
            )
        }
        application = try LoopbackServer(script: answer)
        file = try TemporaryFile("backend.json")
        let text = """
            {"listen": {"port": \(servicePort)}, "origins": ["http://127.0.0.1:\(port)"], "store": {"type": "memory"},
             "client_address": "forwarded", "trusted_proxies": ["\(proxies)"],
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
             "browser": {"issuer": "\(provider.issuer)", "client_id": "web", "client_secret": {"environment": "SECRET"},
                         "scopes": ["openid", "profile", "email", "offline_access"], \(more)
                         "forward": [{"path": "/api", "to": "http://127.0.0.1:\(application.port)/v1"}],
                         "gateway": \(gateway)}}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        service = try await BackendServer.start(
            BackendConfiguration(
                contentsOf: file.path,
                environment: ["KEY": BackendConfigurationTests.key, "SECRET": "a secret"]
            ),
            logger: logger
        )
        proxy =
            isBehindNginx
            ? try await NginxServer(
                "nginx-gateway.conf",
                port: port,
                changes: [
                    "127.0.0.1:8080": "127.0.0.1:\(service.port)", "127.0.0.1:3000": "127.0.0.1:\(application.port)",
                    // The browser's own name for it has a port.
                    "server_name app.example.com;": "server_name 127.0.0.1;",
                ]
            ) : nil
        agent = HTTPUserAgent(
            transport: AsyncHTTPClientTransport(),
            credentials: .init(name: "alice", password: Secret("wonderland"))
        )
    }

    private static func configuration(_ issuer: Issuer, _ port: Int) throws -> ProviderConfiguration {
        var random = SystemRandomNumberGenerator()
        return ProviderConfiguration(
            issuer: issuer,
            clients: [
                RegisteredClient(
                    id: "web",
                    name: "The web app",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("a secret"))),
                    redirectURIs: [try RedirectURI("http://127.0.0.1:\(port)/web/callback")],
                    requiresConsent: false
                )
            ],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: "subject-of-alice",
                    claims: ["email": "alice@example.com", "email_verified": true, "preferred_username": "alice"]
                )
            ],
            signingAlgorithms: [.es256]
        )
    }

    func stop() async {
        proxy?.stop()
        await service.stop()
        await provider.stop()
        application.stop()
    }

    var origin: String { "http://127.0.0.1:\(port)" }
    var cookies: [String: String] { jar.withLock { $0 } }
    func forget() { jar.withLock { $0 = [:] } }
    /// Has the browser send cookies that it had before.
    func restore(_ cookies: [String: String]) { jar.withLock { $0 = cookies } }

    /// Sends a request with the browser's cookies, and keeps those of the response.
    func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ fields: HTTPFields = [:],
        body: String? = nil
    ) async throws -> EndpointResponse {
        var fields = fields
        let own = cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        fields[.cookie] = (["a=b"] + own + ["c=d"]).joined(separator: "; ")
        let url = try Address(target.hasPrefix("/") ? origin + target : target).url
        let content = body.map { EndpointRequest.Content(mediaType: "text/plain", bytes: Array($0.utf8)) }
        let response = try await AsyncHTTPClientTransport().send(
            EndpointRequest(url: url, method: method, fields: fields, content: content)
        )
        for cookie in response.fields[values: .setCookie] {
            let parts = cookie.components(separatedBy: "; ")
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            jar.withLock { $0[String(pair[0])] = parts.contains("Max-Age=0") ? nil : String(pair[1]) }
        }
        return response
    }

    /// Follows the issuer's pages from a redirect, brings the response, and returns where the browser goes then.
    func signIn(at place: String?) async throws -> String? {
        let page = try Address(place ?? "").url
        let attempt = try await agent.attempt(awaiting: RedirectURI(origin + "/web/callback"))
        let callback = try await attempt.open(page, accepting: .any)
        return try await send(.get, callback.absoluteString).fields[.location]
    }

    private struct Address {
        let url: URL
        init(_ text: String) throws {
            guard let url = URL(string: text) else { throw NoAddress(text: text) }
            self.url = url
        }
    }

    private struct NoAddress: Error {
        let text: String
    }
}
