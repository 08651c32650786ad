import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: the place where a backend takes codes", .timeLimit(.minutes(5)))
struct SSAFYHandoffTests {
    private static let verifier = String(repeating: "v", count: 43)

    /// A code that the service gave for ``verifier``.
    private func code(_ world: SSAFYWorld, scope: String = "ssafy.verify ssafy.affiliation") async throws -> String {
        let query: Parameters = [
            .clientID: "ssafy-partner", .redirectURI: SSAFYWorld.callback, .scope: scope, .state: "state",
            .codeChallenge: Base64URL.encode(HashAlgorithm.sha256.hash(Array(Self.verifier.utf8))),
            .codeChallengeMethod: "S256",
        ]
        let page = URL(string: SSAFYWorld.issuer + "/verify/authorize?" + FormURLEncoding.encode(query))!
        let callback = try await world.person().attempt(awaiting: try RedirectURI(SSAFYWorld.callback)).open(
            page,
            accepting: .any
        )
        return try #require(SSAFYWorld.query(callback)[.code])
    }

    private static func body(
        _ code: String,
        verifier: String = verifier,
        redirect: String = SSAFYWorld.callback,
        iss: String = SSAFYWorld.issuer,
        more: String = ""
    ) -> String {
        #"{"code":"\#(code)","codeVerifier":"\#(verifier)","redirectUri":"\#(redirect)","iss":"\#(iss)"\#(more)}"#
    }

    private static func request(
        _ body: String,
        method: HTTPRequest.Method = .post,
        type: String? = "application/json",
        fields: HTTPFields = [:],
        sender: String? = "192.0.2.1"
    ) -> ServerRequest {
        var fields = fields
        fields[.contentType] = type
        return ServerRequest(
            method: method,
            target: "/api/ssafy/verify",
            fields: fields,
            body: Array(body.utf8),
            sender: sender
        )
    }

    private func answer(_ response: ServerResponse) throws -> (status: Int, object: JSONObject) {
        (response.status.code, try JSONObject(parsing: response.body))
    }

    @Test("A redeemed code returns the minimal response, and the record has five facts", .covers(.ssafy, rows: 58))
    func minimal() async throws {
        let world = try SSAFYWorld()
        let response = await world.partner.handoff.respond(to: Self.request(Self.body(try await code(world))))
        let (status, object) = try answer(response)
        #expect(status == 200)
        #expect(object.names == ["ok", "verified", "sub", "cohort", "campus", "authTime"])
        #expect(object["ok"] == true && object["verified"] == true && object["cohort"] == "15")
        #expect(response.fields[.cacheControl] == "no-store")
        let subject = try #require(object["sub"]?.string)
        let record = try #require(try await world.partner.store.verification(of: subject))
        #expect(
            record
                == ServerVerificationRecord(
                    verified: true,
                    subject: subject,
                    cohort: "15",
                    campus: "서울 캠퍼스",
                    verifiedAt: Date(timeIntervalSince1970: try #require(object["authTime"]?.number))
                )
        )
    }

    @Test(
        "A malformed handoff request is rejected, and nothing is sent to the service",
        .covers(.ssafy, rows: 17, 58),
        arguments: [
            ("", "INVALID_REQUEST", 400), ("[]", "INVALID_REQUEST", 400), ("{}", "INVALID_REQUEST", 400),
            (body("0123456789abcdef", more: #","state":"s""#), "INVALID_REQUEST", 400),
            (body("0123456789abcdef", more: #","code":"0123456789abcdef""#), "INVALID_REQUEST", 400),
            (body("short"), "INVALID_REQUEST", 400), (body("0123456789abcdef", verifier: "v"), "INVALID_REQUEST", 400),
            (body("0123456789abcdef") + " x", "INVALID_REQUEST", 400),
            (String(repeating: "[", count: 4000), "INVALID_REQUEST", 400),
            (body(String(repeating: "c", count: 8192)), "INVALID_REQUEST", 400),
            (body("0123456789abcdef", iss: "https://verify.myknow.xyz/"), "CALLBACK_ISSUER_MISMATCH", 400),
            (body("0123456789abcdef", iss: "https://www.verify.myknow.xyz"), "CALLBACK_ISSUER_MISMATCH", 400),
            (body("0123456789abcdef", redirect: "https://partner.example.com/"), "REDIRECT_URI_MISMATCH", 400),
            (body("0123456789abcdef", redirect: SSAFYWorld.callback + "?x=y"), "REDIRECT_URI_MISMATCH", 400),
            (body("0123456789abcdef", redirect: "http://127.0.0.1:1/other"), "REDIRECT_URI_MISMATCH", 400),
        ]
    )
    func refused(_ body: String, _ code: String, _ status: Int) async throws {
        let world = try SSAFYWorld()
        let answer = try answer(await world.partner.handoff.respond(to: Self.request(body)))
        #expect(answer.status == status)
        #expect(answer.object["ok"] == false && answer.object["errorCode"] == .string(code))
        #expect(answer.object["requestId"]?.string?.isEmpty == false)
        #expect(world.network.count(path: "/verify/token") == 0)
    }

    @Test(
        "A handoff request with another media type is an invalid request",
        .covers(.ssafy, rows: 17, 58),
        arguments: ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", nil]
    )
    func mediaType(_ type: String?) async throws {
        let world = try SSAFYWorld()
        let request = Self.request(Self.body("0123456789abcdef"), type: type)
        #expect(try answer(await world.partner.handoff.respond(to: request)).status == 400)
    }

    @Test(
        "A handoff request rejected before it is read has the contract's error body",
        .covers(.ssafy, rows: 58),
        arguments: [(RequestFault.method, 405), (.tooLarge, 413), (.tooSlow, 408), (.brokenOff, 400)]
    )
    func fault(_ fault: RequestFault, _ status: Int) throws {
        let answer = try answer(try SSAFYWorld().partner.handoff.refusal(fault))
        #expect(answer.status == status && answer.object["errorCode"] == "INVALID_REQUEST")
    }

    @Test("A loopback callback is registered for every port", .covers(.ssafy, rows: 48, 58))
    func loopback() async throws {
        let world = try SSAFYWorld()
        let request = Self.request(Self.body("0123456789abcdef", redirect: "http://127.0.0.1:51234/ssafy/callback"))
        #expect(
            try answer(await world.partner.handoff.respond(to: request)).object["errorCode"] == "VERIFY_TOKEN_INVALID"
        )
    }

    @Test(
        "A browser's request is rejected unless its Origin is the partner's, and an app's request has none",
        .covers(.ssafy, rows: 56, 58),
        arguments: [
            (["origin": "https://evil.example"], false), (["origin": "null"], false),
            (["sec-fetch-site": "cross-site"], false), (["sec-fetch-site": "same-origin"], false),
            (["origin": "https://partner.example.com"], true), ([:], true), (["sec-fetch-site": "none"], true),
        ] as [([String: String], Bool)]
    )
    func guards(_ fields: [String: String], _ passes: Bool) async throws {
        let world = try SSAFYWorld()
        let partner = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock,
            appGuard: NativeAppGuard(websites: ["https://partner.example.com"])
        )
        var all = HTTPFields()
        for (name, value) in fields { all[HTTPField.Name(name)!] = value }
        let answer = try answer(
            await partner.handoff.respond(to: Self.request(Self.body("0123456789abcdef"), fields: all))
        )
        #expect(answer.status == (passes ? 401 : 403))
        #expect(answer.object["errorCode"] == (passes ? "VERIFY_TOKEN_INVALID" : "VERIFY_REQUEST_FORBIDDEN"))
    }

    @Test("A repeated handoff request gets the same response, and the code is redeemed once", .covers(.ssafy, rows: 58))
    func repeated() async throws {
        let world = try SSAFYWorld()
        let request = Self.request(Self.body(try await code(world)))
        let first = await world.partner.handoff.respond(to: request)
        world.clock.advance(by: .seconds(119))
        let second = await world.partner.handoff.respond(to: request)
        #expect(first.status == .ok && first.body == second.body && first.fields == second.fields)
        #expect(world.network.count(path: "/verify/token") == 1)
        world.clock.advance(by: .seconds(2))
        #expect(
            try answer(await world.partner.handoff.respond(to: request)).object["errorCode"] == "VERIFY_TOKEN_INVALID"
        )
        #expect(world.network.count(path: "/verify/token") == 1)
    }

    @Test(
        "Concurrent copies of one handoff request get one response, and the code is redeemed once",
        .covers(.ssafy, rows: 58)
    )
    func concurrent() async throws {
        let world = try SSAFYWorld()
        let request = Self.request(Self.body(try await code(world)), sender: nil)
        let clock = world.clock
        // No task's waiting moves the time of the others.
        let device = DeviceClock(now: { clock.now }, uptime: { 0 }, sleep: { _ in await Task.yield() })
        let handoff = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: clock,
            device: device
        ).handoff
        let bodies = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 { group.addTask { await handoff.respond(to: request).body } }
            return await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(bodies.count == 1)
        #expect(world.network.count(path: "/verify/token") == 1)
    }

    @Test(
        "A handoff request with another verifier is rejected, and the code is redeemed once",
        .covers(.ssafy, rows: 58)
    )
    func otherRequest() async throws {
        let world = try SSAFYWorld()
        let code = try await code(world)
        let good = await world.partner.handoff.respond(to: Self.request(Self.body(code)))
        let other = Self.body(code, verifier: String(repeating: "w", count: 43))
        #expect(try answer(await world.partner.handoff.respond(to: Self.request(other))).status == 401)
        #expect(good.status == .ok && world.network.count(path: "/verify/token") == 1)
    }

    @Test(
        "A code whose response the service's connection lost is not redeemed again",
        .covers(.ssafy, rows: 58)
    )
    func lostAnswer() async throws {
        let world = try SSAFYWorld()
        let request = Self.request(Self.body(try await code(world)))
        world.network.lose(to: "/verify/token", .afterProcessing)
        for _ in 0..<2 {
            let answer = try answer(await world.partner.handoff.respond(to: request))
            #expect(answer.status == 502 && answer.object["errorCode"] == "VERIFY_TOKEN_FAILED")
        }
        #expect(world.network.count(path: "/verify/token") == 1)
    }

    @Test(
        "A sender that requests too often gets 429, and other senders do not",
        .covers(.ssafy, rows: 17, 58)
    )
    func limits() async throws {
        let world = try SSAFYWorld()
        let partner = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock,
            limits: .init(sender: RateLimit(2, per: .seconds(60)), total: RateLimit(3, per: .seconds(60)))
        )
        func ask(_ sender: String) async -> ServerResponse {
            await partner.handoff.respond(to: Self.request("{}", sender: sender))
        }
        #expect(await ask("a").status == .badRequest)
        #expect(await ask("a").status == .badRequest)
        let limited = await ask("a")
        #expect(limited.status == .tooManyRequests && limited.fields[.retryAfter] == "30")
        #expect(try answer(limited).object["errorCode"] == "VERIFY_RATE_LIMITED")
        #expect(await ask("b").status == .badRequest)
        #expect(await ask("c").status == .tooManyRequests)
        world.clock.advance(by: .seconds(60))
        #expect(await ask("a").status == .badRequest)
    }

    @Test("The service's refusal passes through with its code, request id and status", .covers(.ssafy, rows: 56, 58))
    func serviceRefusal() async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(tokenRequestsPerMinute: 1))
        _ = await world.partner.handoff.respond(to: Self.request(Self.body(try await code(world))))
        let limited = await world.partner.handoff.respond(to: Self.request(Self.body("0123456789abcdef")))
        #expect(limited.status == .tooManyRequests && limited.fields[.retryAfter] != nil)
        #expect(try answer(limited).object["errorCode"] == "VERIFY_RATE_LIMITED")
    }

    @Test(
        "A token is checked in every claim: signature algorithm, audience, party, times and assurance",
        .covers(.ssafy, rows: 27, 28, 30, 58, cites: "V-2", "V-3", "V-6"),
        arguments: [
            ("iss", JSONValue.string("https://evil.example")), ("aud", "other"), ("aud", .array([])),
            ("aud", .array(["ssafy-partner", 1])), ("client_id", "other"), ("client_id", nil), ("azp", "other"),
            ("sub", ""), ("sub", nil), ("verified", "true"), ("verified", false), ("verified", nil), ("exp", 0),
            ("exp", nil), ("exp", "4000000000"), ("iat", 4_000_000_000), ("nbf", 4_000_000_000), ("auth_time", .null),
            ("auth_time", nil), ("auth_time", 4_000_000_000), ("amr", .array(["pwd"])), ("amr", "mattermost_dm"),
            ("amr", nil), ("acr", "urn:ssafy:sso:assurance:mattermost-team-dm:v1"), ("acr", nil),
        ] as [(String, JSONValue?)]
    )
    func claims(_ name: String, _ value: JSONValue?) async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(changingClaims: { $0[name] = value }))
        let request = Self.request(Self.body(try await code(world)))
        let answer = try answer(await world.partner.handoff.respond(to: request))
        #expect(answer.status == 401 && answer.object["errorCode"] == "VERIFY_TOKEN_INVALID")
    }

    @Test(
        "A token with several audiences is accepted when its client_id is this client",
        .covers(.ssafy, rows: 28, 58, cites: "V-3")
    )
    func audiences() async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(changingClaims: { $0["aud"] = ["other", "ssafy-partner"] }))
        #expect(await world.partner.handoff.respond(to: Self.request(Self.body(try await code(world)))).status == .ok)
    }

    @Test(
        "A token expired by 29 seconds is accepted, and one expired by 31 seconds is rejected",
        .covers(.ssafy, rows: 30, 58, cites: "V-6"),
        arguments: [(-29.0, 200), (-31, 401)]
    )
    func clockTolerance(_ left: Double, _ status: Int) async throws {
        let clock = SSAFYOffset()
        let world = try SSAFYWorld(
            dialect: SSAFYDialect(changingClaims: { $0["exp"] = .number(clock.now().timeIntervalSince1970 + left) })
        )
        clock.set { world.clock.now }
        let response = await world.partner.handoff.respond(to: Self.request(Self.body(try await code(world))))
        #expect(response.status.code == status)
    }

    @Test("A re-authentication does not accept an earlier verification", .covers(.ssafy, rows: 58))
    func maximumAge() async throws {
        let world = try SSAFYWorld(
            dialect: SSAFYDialect(changingClaims: { claims in
                claims["auth_time"] = .number((claims["auth_time"]?.number ?? 0) - 100)
            })
        )
        let partner = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock,
            maximumAge: .seconds(60)
        )
        #expect(
            await partner.handoff.respond(to: Self.request(Self.body(try await code(world)))).status == .unauthorized
        )
    }

    @Test("An account with another sign-in gets a conflict, and no record is stored", .covers(.ssafy, rows: 17, 58))
    func conflict() async throws {
        let world = try SSAFYWorld()
        let partner = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock,
            refusing: .emailLoginRequired
        )
        let answer = try answer(await partner.handoff.respond(to: Self.request(Self.body(try await code(world)))))
        #expect(answer.status == 409 && answer.object["errorCode"] == "MM_EMAIL_LOGIN_REQUIRED")
        let subject = try #require(partner.verifiedClaims.first?["sub"]?.string)
        #expect(try await partner.store.verification(of: subject) == nil)
    }

    @Test("The key set is fetched once for many tokens", .covers(.ssafy, rows: 31, 58))
    func keys() async throws {
        let world = try SSAFYWorld()
        for _ in 0..<3 {
            #expect(
                await world.partner.handoff.respond(to: Self.request(Self.body(try await code(world)))).status == .ok
            )
        }
        #expect(world.network.count(path: "/verify/jwks") == 1)
    }

    @Test(
        "A token request of a confidential client without its secret is rejected",
        .covers(.ssafy, rows: 35, 58)
    )
    func secret() async throws {
        let world = try SSAFYWorld()
        let partner = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: nil,
            clock: world.clock
        )
        let answer = try answer(await partner.handoff.respond(to: Self.request(Self.body(try await code(world)))))
        #expect(answer.status == 403 && answer.object["errorCode"] == "VERIFY_REQUEST_FORBIDDEN")
        let asked = try #require(world.network.requests.last { $0.path == "/verify/token" })
        #expect(asked.request.form.names == [.grantType, .clientID, .code, .codeVerifier])
    }
}

/// A clock that is known only after it is used in a closure.
private final class SSAFYOffset: Sendable {
    private let clock = Lock<@Sendable () -> Date>({ Date(timeIntervalSince1970: 0) })
    func set(_ now: @escaping @Sendable () -> Date) { clock.withLock { $0 = now } }
    func now() -> Date { clock.withLock { $0 }() }
}
