import Foundation
import Ostiary
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: configuration, records and redaction", .timeLimit(.minutes(5)))
struct SSAFYConfigurationTests {
    @Test("A default SSAFYConfiguration has the service's documented values", .covers(.ssafy, rows: 3, 21, 24, 25, 26))
    func defaults() throws {
        let configuration = try SSAFYConfiguration(clientID: "app", redirectURI: SSAFYWorld.callback)
        #expect(configuration.issuer.description == "https://verify.myknow.xyz")
        #expect(configuration.scopes == ["ssafy.verify"])
        #expect(configuration.browserSession == .shared)
        #expect(configuration.pendingLifetime == nil)
        #expect(configuration.browserDeadline == .seconds(600))
        #expect(configuration.responseType == nil)
        #expect(configuration.purpose == "sign-in")
    }

    @Test("An SSAFYConfiguration carries the option for a private browser session", .covers(.ssafy, rows: 24))
    func ephemeral() throws {
        var configuration = try SSAFYConfiguration(clientID: "app", redirectURI: SSAFYWorld.callback)
        configuration.browserSession = .ephemeral
        #expect(configuration.browserSession == .ephemeral)
    }

    @Test("The browser deadline and the pending lifetime are capped at ten minutes", .covers(.ssafy, rows: 25, 26))
    func maximumLifetime() throws {
        var configuration = try SSAFYConfiguration(clientID: "app", redirectURI: SSAFYWorld.callback)
        configuration.pendingLifetime = .seconds(86_400)
        configuration.browserDeadline = .seconds(86_400)
        #expect(configuration.pendingLifetime == .seconds(600))
        #expect(configuration.browserDeadline == .seconds(600))
        configuration.pendingLifetime = .seconds(-1)
        configuration.browserDeadline = .seconds(-1)
        #expect(configuration.pendingLifetime == .zero)
        #expect(configuration.browserDeadline == .zero)
    }

    @Test(
        "An invalid redirect URI is a configuration error",
        .covers(.ssafy, rows: 21, 22),
        arguments: [
            "partner_app://ssafy/callback", "http://partner.example.com/callback", "/callback",
            "https://partner.example.com/" + String(repeating: "p", count: 2000), "",
        ]
    )
    func redirectURIs(_ redirectURI: String) {
        for attempt in [(redirectURI, nil), (SSAFYWorld.callback, redirectURI)] as [(String, String?)] {
            let error = #expect(throws: VerificationError.self) {
                try SSAFYConfiguration(
                    clientID: "app",
                    redirectURI: attempt.0,
                    fallbackRedirectURI: attempt.1
                )
            }
            guard case .configuration = error?.reason else {
                Issue.record("Not a configuration error: \(String(describing: error))")
                continue
            }
            #expect(error?.recovery == .fixConfiguration)
        }
    }

    @Test("An empty client id and an http issuer are configuration errors", .covers(.ssafy, rows: 3))
    func otherMistakes() {
        #expect(throws: VerificationError.self) {
            try SSAFYConfiguration(clientID: "", redirectURI: SSAFYWorld.callback)
        }
        #expect(throws: VerificationError.self) {
            try SSAFYConfiguration(
                clientID: "app",
                redirectURI: SSAFYWorld.callback,
                issuer: "http://verify.myknow.xyz"
            )
        }
    }

    @Test("A verification record holds five facts, and a sign-out removes it", .covers(.ssafy, rows: 53))
    func record() async throws {
        let store = FaultyStore()
        let configuration = try SSAFYConfiguration(clientID: "app", redirectURI: SSAFYWorld.callback)
        let keeper = VerificationRecordKeeper(configuration, in: store)
        let result = try VerificationResult(
            parsing: Array(
                #"{"ok":true,"verified":true,"sub":"s","cohort":"0","authTime":1781740800,"nextPath":"/x"}"#.utf8
            )
        )
        try await keeper.keep(VerificationRecord(result))
        let key = StoreKey("verification/https%3A%2F%2Fverify.myknow.xyz/app")
        let kept = try JSONObject(parsing: try #require(try await store.read(key)))
        #expect(kept == ["verified": true, "sub": "s", "cohort": "0", "verifiedAt": .number(1_781_740_800)])
        let record = try #require(try await keeper.record())
        #expect(record == VerificationRecord(result))
        #expect(record.cohort == "0" && record.campus == nil)
        #expect(record.verifiedAt == Date(timeIntervalSince1970: 1_781_740_800))
        try await keeper.forget()
        #expect(try await keeper.record() == nil)
    }

    @Test("Two clients keep separate verification records", .covers(.ssafy, rows: 53))
    func twoClients() async throws {
        let store = MemoryStore()
        let keepers = try ["one", "two"].map {
            VerificationRecordKeeper(
                try SSAFYConfiguration(clientID: $0, redirectURI: SSAFYWorld.callback),
                in: store
            )
        }
        let result = VerificationResult(subject: "s", authenticated: Date(timeIntervalSince1970: 1))
        try await keepers[0].keep(VerificationRecord(result))
        #expect(try await keepers[1].record() == nil)
    }

    @Test(
        "A failing store is reported, and a corrupted verification record is left in place",
        .covers(.ssafy, rows: 53)
    )
    func brokenRecord() async throws {
        let store = FaultyStore()
        let configuration = try SSAFYConfiguration(clientID: "app", redirectURI: SSAFYWorld.callback)
        let keeper = VerificationRecordKeeper(configuration, in: store)
        try await store.write([1], for: StoreKey("verification/https%3A%2F%2Fverify.myknow.xyz/app"))
        #expect(
            await thrownError { () throws(VerificationError) in try await keeper.record() }
                == VerificationError(.storage(.corrupted))
        )
        store.failAlways(.write, with: .locked)
        store.failAlways(.read, with: .locked)
        store.failAlways(.remove, with: .locked)
        let record = VerificationRecord(VerificationResult(subject: "s", authenticated: Date(timeIntervalSince1970: 1)))
        let locked = VerificationError(.storage(.locked))
        #expect(await thrownError { () throws(VerificationError) in try await keeper.keep(record) } == locked)
        #expect(await thrownError { () throws(VerificationError) in try await keeper.record() } == locked)
        #expect(await thrownError { () throws(VerificationError) in try await keeper.forget() } == locked)
    }

    @Test(
        "Printing shows no code, verifier or user",
        .covers(.ssafy, rows: 61)
    )
    func redaction() throws {
        let verifier = String(repeating: "v", count: 43)
        let request = try VerificationExchangeRequest(
            parsing: Array(
                #"{"code":"0123456789abcdef","codeVerifier":"\#(verifier)","redirectUri":"a:/b","iss":"https://i.example"}"#
                    .utf8
            )
        )
        let result = VerificationResult(
            subject: "pairwise",
            cohort: "15",
            campus: "Seoul",
            authenticated: Date(timeIntervalSince1970: 1)
        )
        for value in [request, result, VerificationRecord(result)] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] {
                for secret in ["0123456789abcdef", verifier, "pairwise", "Seoul"] { #expect(!text.contains(secret)) }
            }
        }
    }

    @Test("A flow's events and errors show no code and no verifier", .covers(.ssafy, rows: 61))
    func eventsAreRedacted() async throws {
        let world = try SSAFYWorld()
        let heard = Recorded<String>()
        let verifier = try SSAFYVerify(
            SSAFYConfiguration(clientID: "ssafy-partner", redirectURI: SSAFYWorld.callback),
            backend: world.backend(),
            userAgent: world.person(),
            clock: world.clock.device,
            events: { heard.add("\($0)") }
        )
        _ = try await verifier.verify()
        let body = try JSONObject(parsing: try #require(world.partner.requests.first?.body))
        #expect(!heard.values.isEmpty)
        for name in ["code", "codeVerifier"] {
            let secret = try #require(body[name]?.string)
            #expect(!heard.values.contains { $0.contains(secret) })
        }
    }
}
