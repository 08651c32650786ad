import Foundation
import OstiaryCompatibility
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("Verdicts of checks")
struct VerdictTests {
    private func response(
        _ pending: PendingAuthorization,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> TokenResponse {
        var claims = Fixtures.claims(answering: pending)
        change(&claims)
        let members = Fixtures.goodMembers(idToken: try Fixtures.key.sign(claims: claims))
        return try Fixtures.grant(pending).exchange().output(from: Fixtures.tokenResponse(members))
    }

    @Test("A sign-in lists the signature and every rule of an ID token, each with its specification")
    func signIn() throws {
        let response = try response(try Fixtures.pending())
        var verdict = Verdict(.identity)
        _ = try response.validated(by: Fixtures.keys, now: Fixtures.now, recording: &verdict)
        #expect(
            verdict.entries.map(\.name) == ["id_token.present", "id_token.signature"] + IDTokenCheck.rules.map(\.name)
        )
        #expect(verdict.failure == nil && verdict.entries.allSatisfy { !$0.rule.isEmpty })
        #expect(response.verdict.entries.map(\.name) == ["token.token_type"])
    }

    @Test("Every failure is listed, and the first one is thrown")
    func failures() throws {
        let response = try response(try Fixtures.pending()) {
            $0["iss"] = "https://evil.example.com"
            $0["nonce"] = "wrong"
        }
        var verdict = Verdict(.identity)
        #expect(
            signInError { _ = try response.validated(by: Fixtures.keys, now: Fixtures.now, recording: &verdict) }
                == mismatch(.identity, .issuer)
        )
        #expect(verdict.entries.filter { !$0.holds }.map(\.name) == ["id_token.iss", "id_token.nonce"])
        let issuer = try #require(verdict.failure)
        #expect(issuer.expected == Fixtures.issuerText && issuer.found == "https://evil.example.com")
    }

    @Test("A wrong signature is listed with what was expected and found")
    func signature() throws {
        let response = try response(try Fixtures.pending())
        var verdict = Verdict(.identity)
        let others = JSONWebKeySet([Fixtures.otherKey.publicKey])
        #expect(
            signInError { _ = try response.validated(by: others, now: Fixtures.now, recording: &verdict) }
                == mismatch(.identity, .key)
        )
        #expect(verdict.failure?.name == "id_token.signature" && verdict.failure?.found == "ES256, kid key-1")
    }

    @Test("A list of failures has the checks that fail, with their values, and no other")
    func onlyFailures() throws {
        var verdict = Verdict.ofFailures(.identity)
        let good = try response(try Fixtures.pending())
        _ = try good.validated(by: Fixtures.keys, now: Fixtures.now, recording: &verdict)
        #expect(verdict.entries.isEmpty)
        let bad = try response(try Fixtures.pending()) { $0["iss"] = "https://evil.example.com" }
        #expect(
            signInError { _ = try bad.validated(by: Fixtures.keys, now: Fixtures.now, recording: &verdict) }
                == mismatch(.identity, .issuer)
        )
        #expect(verdict.entries.map(\.name) == ["id_token.iss"])
        #expect(
            verdict.failure?.expected == Fixtures.issuerText && verdict.failure?.found == "https://evil.example.com"
        )
    }

    @Test("The values of a check that holds are not written down for a list of failures")
    func evidence() {
        let written = Lock(0)
        let rule = Rule<Bool, SignInError.Check>(
            "test.rule",
            .state,
            "RFC 6749",
            evidence: { _ in
                written.withLock { $0 += 1 }
                return ("expected", "found")
            },
            holds: { $0 }
        )
        var verdict = Verdict.ofFailures(.identity)
        #expect(signInError { try verdict.require([rule], of: true) } == nil)
        #expect(written.withLock { $0 } == 0)
        #expect(signInError { try verdict.require([rule], of: false) }?.reason == .mismatch(.state))
        #expect(written.withLock { $0 } == 1)
    }

    @Test("A redirect lists its checks up to the first that fails")
    func redirect() throws {
        let pending = try Fixtures.pending()
        var verdict = Verdict(.redirect)
        #expect(
            signInError {
                _ = try pending.grant(
                    from: URL(string: "com.example.app:/callback?code=c&state=x")!,
                    recording: &verdict
                )
            } == mismatch(.redirect, .state)
        )
        #expect(
            verdict.entries.map(\.name)
                == ["redirect.place", "redirect.query", "redirect.repeated", "redirect.state"]
        )
        #expect(verdict.description == "Verdict(redirect, failed: redirect.state)")
    }

    @Test("A verdict contains no one-time value, code or user name")
    func redacted() throws {
        let pending = try Fixtures.pending()
        let query = Fixtures.query(pending)
        var verdict = Verdict(.redirect)
        _ = try pending.grant(
            from: URL(string: "com.example.app:/callback?code=secret-code&state=\(query[.state]!)")!,
            recording: &verdict
        )
        var identity = Verdict(.identity)
        _ = try response(pending).validated(by: Fixtures.keys, now: Fixtures.now, recording: &identity)
        var text = ""
        dump(verdict, to: &text)
        dump(identity, to: &text)
        for secret in [query[.state]!, query[.nonce]!, "secret-code", "alice", Fixtures.accessToken] {
            #expect(!text.contains(secret))
        }
        #expect(text.contains("sha256:"))
    }

    @Test("The names of all rules differ")
    func names() {
        let names = (IDTokenCheck.rules.map(\.name) + UserInfoCheck.signedRules.map(\.name)).sorted()
        #expect(Set(names).count == names.count)
    }
}
