import ClientProbe
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// The provider, the browser and the client of a probe.
struct ProbeStage: Sendable {
    /// One run of the client.
    struct Run: Sendable {
        let result: ProbeResult
        /// The parts of the protocol that the client used.
        let parts: Set<ProbeCase.Part>
        /// The client's output; empty for an app.
        let output: String
        /// The requests at the provider.
        let requests: [String]
    }

    private let client: ProbedClient
    private let clientID: String
    private let secret: Secret
    private let authentication: ProbedClientAuthentication
    private let redirectURI: RedirectURI?
    private let port: Int
    private let timeout: Duration
    private let development: DevelopmentProvider
    /// One storage for every scenario: a client may keep the keys of the first one.
    private let storage = MemoryProviderStorage()

    private enum ProbedClient: Sendable {
        case command([String])
        case app(URL)
    }

    init(_ probe: Probe, on console: Console) throws {
        var random = SecureRandom()
        if let url = probe.url.flatMap(URL.init) {
            client = .app(url)
        } else {
            client = .command(probe.command)
        }
        clientID = probe.clientID
        development = try DevelopmentProvider(cost: .insecureForTests, using: &random)
        secret =
            try probe.clientSecretFile.map { try SecretSource.file($0).secret(console: console) }
            ?? development.webClientSecret
        authentication = probe.clientAuth
        redirectURI = try probe.redirectURI.map { (text) throws(SignInError) in try RedirectURI(text) }
        port = probe.port ?? 0
        timeout = .seconds(probe.timeout)
    }

    /// Plays one scenario.
    ///
    /// - Throws: ``UsageError`` when the command cannot be started, or the port is in use; ``ProviderServerError``.
    func play(_ probe: ProbeCase) async throws -> Run {
        let watch = ProbeWatch()
        let server = try await provider(of: watch.watching(probe.scenario))
        let began = ContinuousClock.now
        let end: ProbeEnd
        let output: String
        do {
            (end, output) = try await run(probe, at: server.issuer)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let result = ProbeResult(probe, end, seen: watch, seconds: seconds)
        return Run(result: result, parts: watch.parts, output: output, requests: watch.requests)
    }

    private func provider(of scenario: Scenario) async throws -> RunningProvider {
        do {
            return try await ProviderServer.start(at: .loopback(port: port)) { issuer in
                let provider = Provider(
                    configuration: try configuration(for: issuer),
                    storage: storage,
                    clock: .system,
                    random: SecureRandom(),
                    scenario: scenario
                )
                try await provider.prepare()
                return provider
            }
        } catch ProviderServerError.cannotListen(let address, let reason) {
            throw UsageError("The provider cannot listen on \(address): \(reason). Name another port: --port PORT")
        }
    }

    private func run(_ probe: ProbeCase, at issuer: Issuer) async throws -> (ProbeEnd, String) {
        let browser = ProbeBrowser(issuer: issuer, name: DevelopmentProvider.userName, password: development.password)
        switch client {
        case .app(let url): return (await browser.signIn(from: url, limit: timeout), "")
        case .command(let command):
            var variables = [
                "PROBE_ISSUER": issuer.description, "PROBE_CLIENT_ID": clientID, "PROBE_SCENARIO": probe.name,
                "PROBE_REDIRECT_URI": try redirectURI?.description ?? Self.freeRedirectURI(),
            ]
            if authentication != .none { variables["PROBE_CLIENT_SECRET"] = secret.reveal() }
            return try await ProbedCommand(command, variables, browser).run(limit: timeout)
        }
    }

    private func configuration(for issuer: Issuer) throws(SignInError) -> ProviderConfiguration {
        var configuration = try development.configuration(for: issuer)
        // RS256 first: it is what a client without settings expects.
        configuration.signingAlgorithms = [.rs256, .es256]
        configuration.registration = .open
        var client = RegisteredClient(
            id: clientID,
            name: "Probed client",
            redirectURIs: configuration.clients[0].redirectURIs + (redirectURI.map { [$0] } ?? []),
            postLogoutRedirectURIs: configuration.clients[0].postLogoutRedirectURIs,
            grantTypes: [.authorizationCode, .refreshToken, .deviceCode, .tokenExchange]
        )
        switch authentication {
        case .none: break
        case .basic: client.authenticationMethod = .clientSecretBasic(SecretDigest(of: secret))
        case .post: client.authenticationMethod = .clientSecretPost(SecretDigest(of: secret))
        }
        if authentication != .none {
            client.grantTypes.insert(.clientCredentials)
            client.mayIntrospect = true
        }
        configuration.clients = [client]
        return configuration
    }

    /// A redirect URI with a port that nothing listens on now.
    private static func freeRedirectURI() throws(UsageError) -> String {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw UsageError("No port of 127.0.0.1 is free.") }
        return "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/callback"
    }
}
