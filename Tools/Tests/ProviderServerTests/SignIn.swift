import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

/// A sign-in over the socket, step by step.
enum SignIn {
    static func location(_ parameters: [String: String] = [:]) -> String {
        let challenge = Base64URL.encode(HashAlgorithm.sha256.hash(Array(Fixtures.verifier.utf8)))
        let standard = [
            "client_id": Fixtures.clientID, "response_type": "code", "redirect_uri": Fixtures.redirectURI,
            "scope": "openid offline_access", "state": "state", "nonce": "nonce",
            "code_challenge": challenge, "code_challenge_method": "S256",
        ]
        let all = standard.merging(parameters) { $1 }
        return "/authorize?" + all.map { "\($0.key)=\(Browser.encode($0.value))" }.joined(separator: "&")
    }

    /// Signs in and allows: the code.
    static func code(_ browser: inout Browser) async throws -> String {
        let login = try await browser.open(location())
        let inputs = [
            PageInput.name: Fixtures.userName, PageInput.password: Fixtures.password,
            PageInput.decision: PageInput.Decision.accept.rawValue,
        ]
        let toConsent = try await browser.submit(login, inputs)
        #expect(toConsent.status == 303)
        let consent = try await browser.open(try #require(toConsent.fields.first(name: "location")))
        let back = try await browser.submit(consent, [PageInput.decision: PageInput.Decision.accept.rawValue])
        #expect(back.status == 303)
        return try Self.code(in: back)
    }

    static func code(in answer: RawAnswer) throws -> String {
        let location = try #require(answer.fields.first(name: "location"))
        return String(try #require(location.firstMatch(of: /[?&]code=([^&]+)/)).1)
    }

    static func redeem(_ code: String, at issuer: Issuer) async throws -> RawAnswer {
        try await token(
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Fixtures.redirectURI,
                "client_id": Fixtures.clientID, "code_verifier": Fixtures.verifier,
            ],
            at: issuer
        )
    }

    static func refresh(_ refreshToken: String, at issuer: Issuer) async throws -> RawAnswer {
        try await token(
            ["grant_type": "refresh_token", "refresh_token": refreshToken, "client_id": Fixtures.clientID],
            at: issuer
        )
    }

    static func member(_ name: String, of answer: RawAnswer) throws -> String {
        try #require(JSONObject(parsing: Array(answer.text.utf8))[name]?.string)
    }

    private static func token(_ parameters: [String: String], at issuer: Issuer) async throws -> RawAnswer {
        try await RawHTTP.send(
            .POST,
            issuer.description + "/token",
            fields: ["content-type": "application/x-www-form-urlencoded"],
            body: parameters.map { "\($0.key)=\(Browser.encode($0.value))" }.joined(separator: "&")
        )
    }
}
