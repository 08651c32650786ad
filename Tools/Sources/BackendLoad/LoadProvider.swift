import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// The provider of a load run: strict about what it is shown, able to be slow, and the one that counts.
///
/// A code that is shown a second time is refused, and remembered: that is what must never happen.
final class LoadProvider: Sendable {
    /// What a run says about it.
    struct Counts: Sendable, Codable {
        /// How many codes were given out.
        var codes = 0
        /// How many codes were shown.
        var shown = 0
        /// How many codes were shown more than once.
        var shownTwice = 0
        /// How many tokens were given for one.
        var redeemed = 0
        /// How many answers were late.
        var late = 0
    }

    private struct Code {
        let subject: String
        let challenge: String
        var shown = 0
    }

    private struct State {
        var codes: [String: Code] = [:]
        var counts = Counts()
    }

    let issuer: String
    let clientID = "load"
    let clientSecret: String
    let key: SigningKey
    /// Of a hundred answers, how many come late, and how late.
    private let slow: (share: Int, seconds: Double)
    private let state = Mutex(State())

    init(port: Int, clientSecret: String, slowShare: Int, slowSeconds: Double) throws {
        issuer = "http://127.0.0.1:\(port)"
        self.clientSecret = clientSecret
        key = try SigningKey.generate(.es256, keyID: "load")
        slow = (slowShare, slowSeconds)
    }

    var counts: Counts { state.withLock(\.counts) }

    /// Gives out a code, as the hosted page does when a person has agreed.
    func code(for subject: String, challenge: String) -> String {
        let code = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        state.withLock { state in
            state.codes[code] = Code(subject: subject, challenge: challenge)
            state.counts.codes += 1
        }
        return code
    }

    /// Serves until it is cancelled.
    func serve(port: Int, running: @escaping @Sendable () -> Void) async throws {
        let router = Router()
        router.post("/verify/token") { [self] request, _ in try await redeem(request) }
        let keys = ["keys": .array([.object(key.publicKey.jsonObject)])] as JSONObject
        router.get("/verify/jwks") { _, _ in Response(json: keys) }
        router.get("/jwks") { _, _ in Response(json: keys) }
        var logger = Logger(label: "load", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in running() },
            logger: logger
        )
        try await application.run()
    }

    private func redeem(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 16_384)
        let form = Self.form(String(buffer: body))
        guard form["client_id"] == clientID, form["client_secret"] == clientSecret,
            form["grant_type"] == "verification_code", let code = form["code"], let verifier = form["code_verifier"]
        else { return Response(json: ["error": ["code": "INVALID_REQUEST"]], status: .badRequest) }
        // Decided before it is late: whoever hangs up while it waits has used the code up all the same.
        let subject = state.withLock { state -> String? in
            guard let found = state.codes[code] else { return nil }
            state.codes[code]?.shown += 1
            state.counts.shown += 1
            if found.shown == 1 { state.counts.shownTwice += 1 }
            let challenge = Base64URL.encode(HashAlgorithm.sha256.hash(Array(verifier.utf8)))
            guard found.shown == 0, challenge == found.challenge else { return nil }
            state.counts.redeemed += 1
            return found.subject
        }
        if slow.share > 0, Int.random(in: 0..<100) < slow.share {
            state.withLock { $0.counts.late += 1 }
            try await Task.sleep(for: .seconds(slow.seconds))
        }
        guard let subject else {
            return Response(json: ["error": ["code": "VERIFY_TOKEN_INVALID"]], status: .unauthorized)
        }
        return Response(json: ["verification_token": .string(try token(for: subject)), "scope": "ssafy.verify"])
    }

    private static func form(_ text: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = text.replacing("+", with: "%20")
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
    fileprivate init(json: JSONObject, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.encoded()))
        )
    }
}
