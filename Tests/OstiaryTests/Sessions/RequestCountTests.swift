import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

/// The numbers of docs/performance.md, "Requests of the client".
@Suite("Requests of the client's own")
struct RequestCountTests {
    private static let openID = "/.well-known/openid-configuration"
    private static let oauth = "/.well-known/oauth-authorization-server"

    struct Setting: Sendable, CustomTestStringConvertible {
        let hasOpenID: Bool
        let hasPAR: Bool
        let hasDPoP: Bool

        var testDescription: String {
            [hasOpenID ? "openid" : "no openid", hasPAR ? "PAR" : "no PAR", hasDPoP ? "DPoP" : "bearer"]
                .joined(separator: ", ")
        }
        var request: AuthorizationRequest {
            AuthorizationRequest(scopes: hasOpenID ? AuthorizationRequest.defaultScopes : [.profile, .offlineAccess])
        }
        var document: String { hasOpenID ? openID : oauth }
        var pushing: [String] { hasPAR ? ["/par"] : [] }
        var keys: [String] { hasOpenID ? ["/jwks"] : [] }
    }

    static let settings: [Setting] = [true, false].flatMap { hasOpenID in
        [true, false].flatMap { hasPAR in
            [false, true].map { Setting(hasOpenID: hasOpenID, hasPAR: hasPAR, hasDPoP: $0) }
        }
    }

    /// A provider, and a client's way to it: each request of the client in order, and how many went at once.
    private struct Place {
        let world: World
        let line: CountingTransport
        let setting: Setting

        init(_ setting: Setting) throws {
            self.setting = setting
            world = try World(
                scenario: Scenario(name: "with or without PAR") {
                    if !setting.hasPAR { $0.metadata = { $0["pushed_authorization_request_endpoint"] = nil } }
                },
                client: { $0.requiresDPoP = setting.hasDPoP },
                provider: { $0.dpop.requiresNonce = setting.hasDPoP }
            )
            line = CountingTransport(over: world.network)
        }

        /// A client as another process has it.
        func client() throws -> SignInClient {
            var policy = SessionPolicy()
            policy.resourceOrigins = [try Origin(CountingTransport.api)]
            return try world.client(
                policy: policy,
                transport: line,
                senderConstraint: setting.hasDPoP ? .dpop : .none
            )
        }
    }

    @Test("A cold sign-in sends metadata, push, token and key requests", arguments: settings)
    func signIn(setting: Setting) async throws {
        let place = try Place(setting)
        _ = try await place.client().signIn(setting.request)
        // Without a pushed request, nothing brings the nonce before the token request: its proof is refused once.
        let token = setting.hasDPoP && !setting.hasPAR ? ["/token", "/token"] : ["/token"]
        #expect(place.line.paths == [setting.document] + setting.pushing + setting.keys + token)
    }

    @Test("A second sign-in sends the push and the token request alone", arguments: settings)
    func secondSignIn(setting: Setting) async throws {
        let place = try Place(setting)
        _ = try await place.client().signIn(setting.request)
        place.line.reset()
        _ = try await place.client().signIn(setting.request)
        #expect(place.line.paths == setting.pushing + ["/token"])
    }

    @Test("A cold refresh is one request", arguments: settings)
    func refresh(setting: Setting) async throws {
        let place = try Place(setting)
        _ = try await place.client().signIn(setting.request)
        place.line.reset()
        try await #require(try await place.client().restoreSession()).refresh()
        #expect(place.line.paths == ["/token"])
    }

    @Test("A cold resource request is one request, and with DPoP the first one is two", arguments: settings)
    func resource(setting: Setting) async throws {
        let place = try Place(setting)
        _ = try await place.client().signIn(setting.request)
        let request = EndpointRequest(url: try #require(URL(string: CountingTransport.api + "/things")))
        for count in [setting.hasDPoP ? 2 : 1, 1] {
            place.line.reset()
            let session = try #require(try await place.client().restoreSession())
            #expect(try await session.data(for: request).status == .ok)
            #expect(place.line.paths == Array(repeating: "/things", count: count))
        }
    }

    /// `OSTIARY_WRITE_DOCUMENTS` writes the table instead of comparing it.
    @Test("The request table in docs/performance.md matches a run")
    func table() async throws {
        var rows: [String] = []
        for setting in Self.settings { rows.append(try await Self.row(of: setting)) }
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/performance.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(page.range(of: "|---|---|---|---|---|---|---|---|\n"))
        let end = try #require(page.range(of: "\n\n", range: begin.upperBound..<page.endIndex))
        let run = page.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: rows.joined(separator: "\n"))
        if ProcessInfo.processInfo.environment["OSTIARY_WRITE_DOCUMENTS"] != nil {
            try Data(run.utf8).write(to: file)
        } else {
            #expect(page == run, "Run `make documents` and look at what changed.")
        }
    }

    /// A row of that table: the requests of each flow, in the order in which they were sent.
    private static func row(of setting: Setting) async throws -> String {
        let place = try Place(setting)
        let request = EndpointRequest(url: try #require(URL(string: CountingTransport.api + "/things")))
        var cells = [setting.hasOpenID, setting.hasPAR, setting.hasDPoP].map { $0 ? "yes" : "no" }
        func count(_ flow: () async throws -> Void) async throws {
            place.line.reset()
            try await flow()
            let paths = place.line.paths
            cells.append("\(paths.count): " + paths.map { names[$0] ?? $0 }.joined(separator: ", "))
        }
        func session() async throws -> Session { try #require(try await place.client().restoreSession()) }
        try await count { _ = try await place.client().signIn(setting.request) }
        try await count { _ = try await place.client().signIn(setting.request) }
        try await count { try await session().refresh() }
        try await count { _ = try await session().data(for: request) }
        try await count { _ = try await session().data(for: request) }
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static let names = [
        openID: "metadata", oauth: "metadata", "/par": "pushed request", "/jwks": "keys", "/token": "token",
        "/things": "resource",
    ]

    @Test("No two requests of a flow run at the same time", arguments: settings)
    func oneAtATime(setting: Setting) async throws {
        let place = try Place(setting)
        let session = try await place.client().signIn(setting.request)
        if setting.hasOpenID { _ = try await session.userInfo() }
        try await session.refresh()
        try await session.signOut(.revoke)
        #expect(place.line.most == 1)
    }
}

/// Counts a client's requests, and answers those to a resource server of its own.
private final class CountingTransport: HTTPTransport {
    static let api = "https://api.example.test"

    private struct State {
        var paths: [String] = []
        var current = 0
        var most = 0
    }

    private let network: InProcessProvider
    private let state = Lock(State())

    init(over network: InProcessProvider) { self.network = network }

    var paths: [String] { state.withLock { $0.paths } }
    /// The largest number of requests at one time.
    var most: Int { state.withLock { $0.most } }
    func reset() { state.withLock { $0.paths = [] } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        state.withLock { state in
            state.paths.append(request.url.path())
            state.current += 1
            state.most = max(state.most, state.current)
        }
        defer { state.withLock { $0.current -= 1 } }
        // Whatever else there is to send gets its chance to.
        for _ in 0..<20 { await Task.yield() }
        guard request.url.absoluteString.hasPrefix(Self.api) else { return try await network.send(request) }
        return answer(to: request)
    }

    /// Asks for a nonce in the proof, as RFC 9449 section 9 has it.
    private func answer(to request: EndpointRequest) -> EndpointResponse {
        guard let proof = request.fields[.dpop] else { return EndpointResponse() }
        let payload = proof.split(separator: ".").dropFirst().first.flatMap { try? Base64URL.decode($0) } ?? []
        if (try? JSONObject(parsing: payload))?["nonce"] == "resource-nonce" { return EndpointResponse() }
        return EndpointResponse(
            status: .unauthorized,
            fields: [
                .wwwAuthenticate: #"DPoP error="use_dpop_nonce""#, .dpopNonce: "resource-nonce",
            ]
        )
    }
}
