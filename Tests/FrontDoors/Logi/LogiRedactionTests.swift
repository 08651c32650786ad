import Foundation
import HTTPTypes
import Ostiary
import OstiaryLogi
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Nothing secret is shown")
struct LogiRedactionTests {
    /// Everything that printing, dumping and reflecting a value shows.
    private func shown(_ value: Any) -> String {
        var text = String(describing: value) + String(reflecting: value)
        dump(value, to: &text)
        return text
    }

    @Test(
        "Printing, dumping or reflecting shows no token, code, state, key or user",
        .covers(.logi, rows: 61, cites: "L-12")
    )
    func values() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn(scopes: LogiPreset.scopes + [.profileWrite])
        let words = try LogiSession(session)
        let key = try await logi.deviceExchange().key(for: session, on: .iOS)
        let ticket = try await logi.mergeTicket(with: key)
        let start = try LogiStartURL(
            try #require(URL(string: "https://api.1pass.dev/oauth/authorize?state=the-secret-state"))
        )
        let browser = ScriptedUserAgent { (_, uri) async throws(SignInError) -> URL in
            URL(string: "\(uri)?code=the-secret-code&state=the-secret-state") ?? uri.url
        }
        let callback = try await world.logi(browser: browser).authorize(start)
        let secrets = [
            words.accessToken.reveal(), words.idToken.reveal(), try #require(words.refreshToken).reveal(),
            key.value.reveal(),
            ticket.token.reveal(), "the-secret-code", "the-secret-state", "mina@example.com", "8c1f0a52-mina",
        ]
        let identity = LogiForeignIdentity(
            provider: "apple",
            token: Secret("the-secret-code"),
            rawNonce: Secret("the-secret-state")
        )
        let values: [Any] = [
            session, words, key, ticket, start, callback, words.claims, identity,
            LogiMergeProof.ticket(ticket.token), LogiMergeProof.oneTimeCode(Secret("the-secret-code"), userID: 2),
            Logi.SignOut.disconnecting(key),
        ]
        for value in values {
            let text = shown(value)
            for secret in secrets { #expect(!text.contains(secret), "\(type(of: value))") }
        }
        for event in world.events.values {
            let text = shown(event)
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test(
        "An error shows nothing of what was sent, or of an answer's body",
        .covers(.logi, rows: 56, 61, cites: "L-12")
    )
    func errors() async throws {
        let world = try LogiWorld()
        let page = EndpointResponse(status: .badRequest, fields: [:], body: Array("the body of the page".utf8))
        world.wire.answer { $0.url.path() == "/oauth/token" ? page : nil }
        let logi = try world.logi(browser: LogiCodeBrowser())
        let error = try #require(await thrownError { () async throws(SignInError) in _ = try await logi.signIn() })
        let form = try #require(world.wire.requests(to: "/oauth/token").first).form
        let text = shown(error) + shown(LogiAuthError(error)) + error.localizedDescription
        for secret in ["the body", "a-code", try #require(form[.codeVerifier])] { #expect(!text.contains(secret)) }
    }
}
