import Foundation
import Ostiary
import OstiaryTesting
import OstiaryZephr
import Testing

@Suite("Zephr: the redirect", .timeLimit(.minutes(5)))
struct ZephrCallbackTests {
    /// The outcome of a sign-in whose redirect carries this query.
    private func outcome(_ query: String, at place: String? = nil) async throws -> ZephrError? {
        let world = try ZephrWorld()
        let zephr = try world.zephr(userAgent: ZephrWorld.answering(query, at: place))
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(world.store.calls(of: .write) == 0)
        return error
    }

    @Test(
        "A redirect with another combination of action and status is rejected",
        .covers(.zephr, rows: 5, 49, cites: "Z-6"),
        arguments: [
            "", "status=success&session_id=1", "action=login&session_id=1", "action=login&status=partial&state_key=1",
            "action=register&status=success&session_id=1", "action=register&status=failure&message=x",
            "action=LOGIN&status=success&session_id=1", "action=login&status=unknown", "action=logout&status=success",
            "action=login%00&status=success&session_id=1", "action=&status=",
        ]
    )
    func illegal(_ query: String) async throws {
        #expect(try await outcome(query) == ZephrError(.illegalOutcome("action and status")))
    }

    @Test(
        "A redirect with a missing member, or one of another outcome, is rejected",
        .covers(.zephr, rows: 5, 49, cites: "Z-6"),
        arguments: [
            ("action=login&status=success&tracking_id=1", "session_id"),
            ("action=login&status=success&session_id=", "session_id"),
            ("action=login&status=success&session_id=a%20b", "session_id"),
            ("action=login&status=success&session_id=a%3Bb", "session_id"),
            ("action=login&status=success&session_id=a%0D%0AX%3A1", "session_id"),
            ("action=login&status=success&session_id=a%22", "session_id"),
            ("action=login&status=success&session_id=%C3%A9", "session_id"),
            ("action=login&status=success&session_id=1&state_key=2", "state_key"),
            ("action=login&status=success&session_id=1&identifier=a%40b", "identifier"),
            ("action=login&status=success&session_id=1&message=x", "message"),
            ("action=register&status=partial&identifier=a%40b", "state_key"),
            ("action=register&status=partial&state_key=", "state_key"),
            ("action=register&status=partial&state_key=1&session_id=2", "session_id"),
            ("action=register&status=partial&state_key=1&message=x", "message"),
            ("action=login&status=failure&session_id=1", "session_id"),
            ("action=login&status=failure&state_key=1", "state_key"),
        ]
    )
    func members(_ query: String, _ member: String) async throws {
        #expect(try await outcome(query) == ZephrError(.illegalOutcome(member)))
    }

    @Test("A redirect with a session id over 4,096 characters is rejected", .covers(.zephr, rows: 5))
    func longSession() async throws {
        let id = String(repeating: "a", count: 4097)
        #expect(
            try await outcome("action=login&status=success&session_id=\(id)")
                == ZephrError(.illegalOutcome("session_id"))
        )
    }

    @Test(
        "A redirect with a repeated member is rejected",
        .covers(.zephr, rows: 5),
        arguments: [
            "action=login&action=login&status=success&session_id=1",
            "action=login&status=success&session_id=1&session_id=2",
            "action=login&status=success&status=failure&session_id=1",
            "action=register&status=partial&state_key=1&state_key=2",
            "action=login&status=success&session_id=1&tracking_id=1&tracking_id=2",
        ]
    )
    func repeated(_ query: String) async throws {
        #expect(try await outcome(query) == ZephrError(.mismatch(.repeatedParameter)))
    }

    @Test(
        "A redirect to another place is rejected by the Zephr front door",
        .covers(.zephr, rows: 21, 22, cites: "Z-1"),
        arguments: [
            "https://app.example.com/oauthredirect-evil", "https://app.example.com/oauthredirect/",
            "https://evil.example/oauthredirect", "http://app.example.com/oauthredirect", "my-app:/oauthredirect",
            "https://user@app.example.com/oauthredirect", "https://app.example.com:444/oauthredirect",
            "https://app.example.com/oauth%72edirect",
        ]
    )
    func otherPlace(_ place: String) async throws {
        let error = try await outcome("action=login&status=success&session_id=1", at: place)
        #expect(error == ZephrError(.mismatch(.redirectURI)))
    }

    @Test(
        "A failure's message is kept only when it is an error code",
        .covers(.zephr, rows: 61, cites: "Z-4"),
        arguments: [
            ("access_denied", ZephrFailureCode.accessDenied), ("Call+0123", nil), ("%3Cb%3E", nil), ("", nil),
            (String(repeating: "a", count: 65), nil), ("A%CC%81", nil),
        ]
    )
    func message(_ text: String, _ code: ZephrFailureCode?) async throws {
        let error = try await outcome("action=login&status=failure&message=\(text)")
        #expect(error == ZephrError(.refused(code)))
    }

    @Test("A failure without a message is refused without a code", .covers(.zephr, rows: 20))
    func noMessage() async throws {
        #expect(try await outcome("action=login&status=failure") == ZephrError(.refused(nil)))
    }

    @Test(
        "A ZephrError shows no part of the redirect",
        .covers(.zephr, rows: 61, cites: "Z-3", "Z-5")
    )
    func errorsAreSilent() async throws {
        for query in [
            "action=login&status=unknown&session_id=HUSH", "action=login&status=success&session_id=HUSH%20HUSH",
            "action=login&status=failure&message=HUSH%20HUSH",
            "action=register&status=partial&state_key=HUSH&session_id=1&identifier=HUSH%40reader.example",
        ] {
            let error = try #require(try await outcome(query))
            var dumped = ""
            dump(error, to: &dumped)
            for text in ["\(error)", dumped, String(reflecting: error)] { #expect(!text.contains("HUSH")) }
        }
    }
}
