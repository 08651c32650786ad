import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import OstiaryJOSE
import OstiaryOAuth
import ServiceLifecycle
import Synchronization

/// The provider of a load run: strict, able to be slow, and counting.
///
/// A code or a refresh token that is presented a second time is rejected and counted: the service must never do that.
final class LoadProvider: Sendable {
    /// The counts of a run.
    struct Counts: Sendable, Codable {
        /// The number of issued codes.
        var codes = 0
        /// The number of presented codes.
        var shown = 0
        /// The number of codes that were presented more than once.
        var shownTwice = 0
        /// The number of tokens issued for a code.
        var redeemed = 0
        /// The number of late responses.
        var late = 0
        /// The sign-ins and refreshes, with their errors.
        var sessions = SessionBook.Counts()
    }

    private struct Code {
        let subject: String
        let challenge: String
        var shown = 0
    }

    private struct State {
        var codes: [String: Code] = [:]
        var counts = Counts()
        var fault: Fault?
        var issuer: Serving?
    }

    let issuer: String
    let clientID = "load"
    let clientSecret: String
    let key: SigningKey
    let sessions: SessionBook
    /// The share of late responses, in per cent, and their delay.
    private let slow: (share: Int, seconds: Double)
    private let port: Int
    private let apiPort: Int
    private let state = Mutex(State())

    init(
        port: Int,
        apiPort: Int,
        clientSecret: String,
        slowShare: Int,
        slowSeconds: Double,
        takesRepetitions: Bool
    ) throws {
        self.port = port
        self.apiPort = apiPort
        issuer = "http://127.0.0.1:\(port)"
        self.clientSecret = clientSecret
        key = try SigningKey.generate(.es256, keyID: "load")
        sessions = SessionBook(issuer: issuer, clientID: clientID, key: key, takesRepetitions: takesRepetitions)
        slow = (slowShare, slowSeconds)
    }

    var counts: Counts {
        var counts = state.withLock(\.counts)
        counts.sessions = sessions.counts
        return counts
    }

    /// The fault of its responses, if it has one now.
    var fault: Fault? {
        get { state.withLock(\.fault) }
        set { state.withLock { $0.fault = newValue } }
    }

    /// Issues a code, as the hosted page does when the user has consented.
    func code(for subject: String, challenge: String) -> String {
        let code = randomText()
        state.withLock { state in
            state.codes[code] = Code(subject: subject, challenge: challenge)
            state.counts.codes += 1
        }
        return code
    }

    /// Serves the issuer and the API until the process ends.
    func start() async throws {
        try await startAPI()
        try await startIssuer()
    }

    /// Opens the issuer's port.
    func startIssuer() async throws {
        let router = Router()
        router.add(middleware: FaultyResponses(provider: self))
        router.post("/verify/token") { [self] request, _ in try await redeem(request) }
        router.post("/token") { [self] request, _ in try await token(request) }
        let keys = ["keys": .array([.object(key.publicKey.jsonObject)])] as JSONObject
        router.get("/verify/jwks") { _, _ in Response(json: keys) }
        router.get("/jwks") { _, _ in Response(json: keys) }
        let metadata = sessions.metadata
        router.get("/.well-known/openid-configuration") { _, _ in Response(json: metadata) }
        let serving = try await Serving(router, port: port)
        state.withLock { $0.issuer = serving }
    }

    /// Responds to the requests that the issuer has, and closes its port and its connections.
    func stopIssuer() async { await state.withLock { $0.issuer.take() }?.stop() }

    private func startAPI() async throws {
        let router = Router()
        router.get("/api/me") { [self] request, _ in api(request) }
        _ = try await Serving(router, port: apiPort)
    }

    private func redeem(_ request: Request) async throws -> Response {
        let form = try await form(of: request)
        guard form["client_id"] == clientID, form["client_secret"] == clientSecret,
            form["grant_type"] == "verification_code", let code = form["code"], let verifier = form["code_verifier"]
        else { return Response(json: ["error": ["code": "INVALID_REQUEST"]], status: .badRequest) }
        // Decided before the delay: a client that disconnects meanwhile has used the code up nevertheless.
        let subject = state.withLock { state -> String? in
            guard let found = state.codes[code] else { return nil }
            state.codes[code]?.shown += 1
            state.counts.shown += 1
            if found.shown == 1 { state.counts.shownTwice += 1 }
            guard found.shown == 0, challenge(of: verifier) == found.challenge else { return nil }
            state.counts.redeemed += 1
            return found.subject
        }
        try await beLate()
        guard let subject else {
            return Response(json: ["error": ["code": "VERIFY_TOKEN_INVALID"]], status: .unauthorized)
        }
        return Response(json: ["verification_token": .string(try token(for: subject)), "scope": "ssafy.verify"])
    }

    /// The token endpoint of sessions. (RFC 6749 section 3.2)
    private func token(_ request: Request) async throws -> Response {
        let form = try await form(of: request)
        guard form["client_id"] == clientID, form["client_secret"] == clientSecret else {
            return Response(json: ["error": "invalid_client"], status: .unauthorized)
        }
        let answer = try sessions.answer(to: form)
        try await beLate()
        guard let answer else { return Response(json: ["error": "invalid_grant"], status: .badRequest) }
        return Response(json: answer)
    }

    /// An API that takes sessions' access tokens.
    private func api(_ request: Request) -> Response {
        let token = request.headers[.authorization].flatMap { $0.wholeMatch(of: /Bearer (.+)/)?.1 }.map(String.init)
        guard let token, let subject = sessions.holder(of: token) else {
            return Response(json: [:], status: .unauthorized)
        }
        return Response(json: ["sub": .string(subject)])
    }

    private func beLate() async throws {
        guard slow.share > 0, Int.random(in: 0..<100) < slow.share else { return }
        state.withLock { $0.counts.late += 1 }
        try await Task.sleep(for: .seconds(slow.seconds))
    }

    private func form(of request: Request) async throws -> [String: String] {
        let body = try await request.body.collect(upTo: 16_384)
        var components = URLComponents()
        components.percentEncodedQuery = String(buffer: body).replacing("+", with: "%20")
        let pairs = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Dictionary(pairs) { first, _ in first }
    }

    private func token(for subject: String) throws -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        return try key.sign(
            claims: [
                "iss": .string(issuer), "aud": .string(clientID), "client_id": .string(clientID),
                "sub": .string(subject), "iat": .integer(now), "exp": .integer(now + 300), "auth_time": .integer(now),
                "verified": true, "amr": ["mattermost_dm"],
                "acr": "urn:ssafy:verify:assurance:mattermost-team-dm:v1",
                "ssafy_cohort": "15", "ssafy_campus": "Seoul",
            ],
            type: "JWT"
        )
    }
}

extension Response {
    fileprivate init(json: JSONObject, status: HTTPResponse.Status = .ok, adding fields: HTTPFields = [:]) {
        self.init(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"] + fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.encoded()))
        )
    }
}

/// The faults of a provider's responses.
private struct FaultyResponses: RouterMiddleware {
    let provider: LoadProvider

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        if provider.fault == .limits {
            if request.uri.path == "/token" { provider.sessions.countRejectedRefresh() }
            return Response(
                json: ["error": "temporarily_unavailable"],
                status: .tooManyRequests,
                adding: [.retryAfter: "2"]
            )
        }
        let response = try await next(request, context)
        // The request was processed: the response is lost. The clients have given up when the time is over.
        if provider.fault == .hangs { try await Task.sleep(for: .seconds(20)) }
        return response
    }
}

/// A server on a port of this machine.
private struct Serving: Sendable {
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    /// Listens before it returns.
    init(_ router: Router<BasicRequestContext>, port: Int) async throws {
        let logger = Logger(label: "load", factory: { _ in SwiftLogNoOpLogHandler() })
        let (running, isRunning) = AsyncStream<Bool>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in isRunning.yield(true) },
            logger: logger
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
        self.group = group
        task = Task {
            defer { isRunning.finish() }
            try await group.run()
        }
        for await _ in running { return }
        try await task.value
    }

    /// Responds to open requests, and closes the port and the connections.
    func stop() async {
        await group.triggerGracefulShutdown()
        _ = await task.result
    }
}
