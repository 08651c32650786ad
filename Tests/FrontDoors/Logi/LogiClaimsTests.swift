import Foundation
import Ostiary
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Account states in logi's claims, and the app's next step")
struct LogiClaimsTests {
    static func claims(_ text: String) throws -> LogiClaims { try LogiClaims(JSONObject(parsing: Array(text.utf8))) }

    @Test(
        "Absorbed accounts are read as identifiers, as objects, and side by side",
        .covers(.logi, rows: 45)
    )
    func linkedSubjects() throws {
        let strings = try Self.claims(#"{"sub":"a","linked_subs":["b","c"]}"#)
        #expect(strings.linkedSubs == ["b", "c"])
        #expect(strings.linkedAccounts == [LinkedAccount(sub: "b"), LinkedAccount(sub: "c")])
        let objects = try Self.claims(
            #"""
            {"sub":"a","linked_subs":[{"sub":"b","merged_canonical_sub":"a","merged_via":"t2_email_match",
            "occurred_at":"2026-05-01T00:00:00Z","source_event_id":"evt_1"},{"sub":"c","merged_via":"t9_new"}]}
            """#
        )
        #expect(objects.linkedSubs == ["b", "c"])
        #expect(
            objects.linkedAccounts.first
                == LinkedAccount(
                    sub: "b",
                    mergedCanonicalSub: "a",
                    reason: .emailMatch,
                    occurredAt: "2026-05-01T00:00:00Z",
                    sourceEventID: "evt_1"
                )
        )
        #expect(objects.linkedAccounts.last?.reason?.rawValue == "t9_new")
        #expect(try Self.claims(#"{"sub":"a","linked_subs":["b",{"sub":"c"}]}"#).linkedSubs == ["b", "c"])
        for none in [#"{"sub":"a"}"#, #"{"sub":"a","linked_subs":null}"#, #"{"sub":"a","linked_subs":[]}"#] {
            #expect(try Self.claims(none).linkedSubs == nil)
        }
    }

    @Test("The effective subject is the canonical one where there is one", .covers(.logi, rows: 45))
    func effectiveSubject() throws {
        #expect(try Self.claims(#"{"sub":"a"}"#).effectiveSub == "a")
        #expect(try Self.claims(#"{"sub":"a","canonical_sub":"z","is_canonical":false}"#).effectiveSub == "z")
        let whole = try Self.claims(
            #"{"sub":"a","canonical_sub":"a","is_canonical":true,"email":"a@b","email_verified":true,"anonymous":false,"previously_anonymous":true}"#
        )
        #expect(whole.effectiveSub == "a" && whole.isCanonical == true && whole.email == "a@b")
        #expect(whole.emailVerified == true && whole.anonymous == false && whole.previouslyAnonymous == true)
    }

    @Test("Text of every script survives", .covers(.logi, rows: 45))
    func unicode() throws {
        #expect(try Self.claims(#"{"sub":"사용자-é-😀"}"#).sub == "사용자-é-😀")
    }

    @Test(
        "An account claim of the wrong type, or one that contradicts another, is refused by its name",
        .covers(.logi, rows: 45),
        arguments: [
            (#"{}"#, "the claim sub"), (#"{"sub":""}"#, "the claim sub"), (#"{"sub":1}"#, "the claim sub"),
            (#"{"sub":"a","canonical_sub":1}"#, "the claim canonical_sub"),
            (#"{"sub":"a","is_canonical":"true"}"#, "the claim is_canonical"),
            (#"{"sub":"a","canonical_sub":"b","is_canonical":true}"#, "is_canonical contradicts canonical_sub"),
            (#"{"sub":"a","canonical_sub":"a","is_canonical":false}"#, "is_canonical contradicts canonical_sub"),
        ]
    )
    func malformed(text: String, part: String) {
        #expect(throws: SignInError(.identity, .malformed(part))) { try Self.claims(text) }
    }

    @Test(
        "A claim that only informs about the account, of another type than documented, counts as absent",
        .covers(.logi, rows: 45),
        arguments: [
            #""linked_subs":"b""#, #""linked_subs":[1,{"merged_via":"x"},{"sub":7},""]"#, #""anonymous":0"#,
            #""email":"""#, #""email":false"#, #""email_verified":"true""#, #""previously_anonymous":1"#,
        ]
    )
    func informational(member: String) throws {
        #expect(try Self.claims("{\"sub\":\"a\",\(member)}") == Self.claims(#"{"sub":"a"}"#))
    }

    @Test("The identifier and time of an account merge are read as text and as numbers", .covers(.logi, rows: 45))
    func numbersOfMerges() throws {
        let claims = try Self.claims(
            #"{"sub":"a","linked_subs":[{"sub":"b","occurred_at":1746057600,"source_event_id":17,"merged_via":[]}]}"#
        )
        #expect(claims.linkedAccounts == [LinkedAccount(sub: "b", occurredAt: "1746057600", sourceEventID: "17")])
    }

    @Test("JSONDecoder decodes the claims of the document, with the same checks", .covers(.logi, rows: 45))
    func decodable() throws {
        let text = #"""
            {"sub":"a","canonical_sub":"z","is_canonical":false,"linked_subs":["b",{"sub":"c","source_event_id":17}],
            "previously_anonymous":true,"email":"a@b","email_verified":true,"anonymous":false,"other":[1.5,null]}
            """#
        let decoded = try JSONDecoder().decode(LogiClaims.self, from: Data(text.utf8))
        #expect(try decoded == Self.claims(text))
        #expect(throws: SignInError(.identity, .malformed("the claim sub"))) {
            try JSONDecoder().decode(LogiClaims.self, from: Data("{}".utf8))
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LogiClaims.self, from: Data("[]".utf8)) }
    }

    @Test(
        "A subject longer than a kilobyte is refused, and of merges the first thousand are read",
        .covers(.logi, rows: 45)
    )
    func bounds() throws {
        let text = String(repeating: "x", count: 1024)
        #expect(try Self.claims("{\"sub\":\"\(text)\"}").sub == text)
        #expect(throws: SignInError(.identity, .malformed("the claim sub"))) {
            try Self.claims("{\"sub\":\"\(text)x\"}")
        }
        let links = Array(repeating: "\"b\"", count: 1000).joined(separator: ",")
        #expect(try Self.claims("{\"sub\":\"a\",\"linked_subs\":[\(links)]}").linkedSubs?.count == 1000)
        #expect(try Self.claims("{\"sub\":\"a\",\"linked_subs\":[\(links),\"c\"]}").linkedSubs?.count == 1000)
    }

    @Test("The first sign-in on a device migrates no local data", .covers(.logi, rows: 45))
    func first() throws {
        let transition = AccountTransition(from: nil, to: try Self.claims(#"{"sub":"a","canonical_sub":"z"}"#))
        #expect(transition.account == LogiAccount(id: "z", sub: "a"))
        #expect(transition.migration == nil && transition.reassignments.isEmpty && !transition.isPromoted)
    }

    @Test(
        "Local data migrates to the effective subject with the evidence that both accounts are one user's",
        .covers(.logi, rows: 45)
    )
    func migration() throws {
        func migration(_ previous: LogiAccount, _ text: String) throws -> AccountTransition.Migration? {
            AccountTransition(from: previous, to: try Self.claims(text)).migration
        }
        #expect(try migration(LogiAccount(id: "a"), #"{"sub":"a"}"#) == nil)
        let merged = try migration(LogiAccount(id: "a", sub: "a"), #"{"sub":"a","canonical_sub":"z"}"#)
        #expect(merged?.from == "a" && merged?.to == "z" && merged?.evidence == .sameSubject)
        #expect(
            try migration(LogiAccount(id: "y", sub: "a"), #"{"sub":"a","canonical_sub":"z"}"#)?.evidence == .sameSubject
        )
        #expect(
            try migration(LogiAccount(id: "b"), #"{"sub":"a","is_canonical":true,"linked_subs":["b"]}"#)?.evidence
                == .merged
        )
        #expect(
            try migration(
                LogiAccount(id: "1042", kind: .anonymous),
                #"{"sub":"a","anonymous":false,"previously_anonymous":true}"#
            )?.evidence == .promotion
        )
        let stranger = try migration(LogiAccount(id: "b"), #"{"sub":"a"}"#)
        #expect(
            stranger?.from == "b" && stranger?.to == "a"
                && stranger?.evidence == AccountTransition.Migration.Evidence.none
        )
    }

    @Test(
        "Only the surviving account takes the data of the absorbed accounts",
        .covers(.logi, rows: 45)
    )
    func reassignment() throws {
        func reassigned(_ text: String) throws -> [String] {
            AccountTransition(from: nil, to: try Self.claims(text)).reassignments.map { "\($0.from)>\($0.to)" }
        }
        #expect(
            try reassigned(#"{"sub":"a","is_canonical":true,"linked_subs":["b","a",{"sub":"c"}]}"#) == ["b>a", "c>a"]
        )
        #expect(try reassigned(#"{"sub":"a","is_canonical":false,"linked_subs":["b"]}"#).isEmpty)
        #expect(try reassigned(#"{"sub":"a","linked_subs":["b"]}"#).isEmpty)
    }

    @Test(
        "Data of an anonymous account is uploaded once, when the account becomes a named one",
        .covers(.logi, rows: 45)
    )
    func promotion() throws {
        let anonymous = AccountTransition(from: nil, to: try Self.claims(#"{"sub":"a","anonymous":true}"#))
        #expect(anonymous.account.kind == .anonymous && !anonymous.isPromoted)
        let unsaid = AccountTransition(from: anonymous.account, to: try Self.claims(#"{"sub":"a"}"#))
        #expect(unsaid.account.kind == .anonymous && !unsaid.isPromoted)
        let named = AccountTransition(from: unsaid.account, to: try Self.claims(#"{"sub":"a","anonymous":false}"#))
        #expect(named.account.kind == .named && named.isPromoted)
        let again = AccountTransition(from: named.account, to: try Self.claims(#"{"sub":"a","anonymous":false}"#))
        #expect(!again.isPromoted && again.migration == nil)
    }

    @Test(
        "Without evidence that two accounts belong to one user, nothing is inherited or uploaded",
        .covers(.logi, rows: 45)
    )
    func otherUser() throws {
        let anonymous = LogiAccount(id: "1042", kind: .anonymous)
        let other = AccountTransition(from: anonymous, to: try Self.claims(#"{"sub":"a","anonymous":false}"#))
        #expect(other.migration?.evidence == AccountTransition.Migration.Evidence.none && !other.isPromoted)
        let unsaid = AccountTransition(from: anonymous, to: try Self.claims(#"{"sub":"a"}"#))
        #expect(unsaid.account.kind == .named)
        let promoted = #"{"sub":"a","anonymous":false,"previously_anonymous":true}"#
        #expect(AccountTransition(from: anonymous, to: try Self.claims(promoted)).isPromoted)
    }

    @Test("Identifiers are compared octet by octet", .covers(.logi, rows: 45))
    func octets() throws {
        let composed = "caf\u{E9}"
        let transition = AccountTransition(
            from: LogiAccount(id: composed),
            to: try Self.claims("{\"sub\":\"cafe\u{301}\"}")
        )
        #expect(transition.migration?.evidence == AccountTransition.Migration.Evidence.none)
    }

    @Test(
        "A merge at the server shows in the claims after the next refresh, in both shapes",
        .covers(.logi, rows: 45, 46),
        arguments: [LogiDialect.Options.LinkedSubjects.strings, .objects]
    )
    func merge(shape: LogiDialect.Options.LinkedSubjects) async throws {
        let world = try LogiWorld(options: .init(linkedSubjects: shape))
        let logi = try world.logi()
        let session = try await logi.signIn()
        let before = LogiAccount(try session.logiClaims())
        let junsStore = MemoryStore()
        let other = try world.logi(browser: LogiBrowser(world.network, world.clock, "jun"), store: junsStore)
        _ = try await other.signIn()
        let key = try await logi.deviceExchange().key(for: session, on: .iOS)
        _ = try await logi.merge(.oneTimeCode(Secret("424242"), userID: 2), with: key)
        #expect(try session.logiClaims().linkedSubs == nil)
        try await session.refresh()
        let transition = AccountTransition(from: before, to: try session.logiClaims())
        #expect(transition.reassignments.map(\.from) == ["5b7e9d31-jun"])
        #expect(transition.migration == nil)

        // The absorbed account's session, from before the merge, is restored and refreshed.
        let kept = try #require(try await other.restoreSession())
        #expect(try kept.logiClaims().effectiveSub == "5b7e9d31-jun")
        try await kept.refresh()
        #expect(try kept.logiClaims().effectiveSub == "8c1f0a52-mina" && kept.end == nil)

        // The absorbed user signs in on a device of their own.
        let absorbed = try world.logi(browser: LogiBrowser(world.network, world.clock, "jun"), store: MemoryStore())
        let claims = try await absorbed.signIn().logiClaims()
        #expect(claims.sub == "5b7e9d31-jun" && claims.effectiveSub == "8c1f0a52-mina" && claims.isCanonical == false)
        let moved = AccountTransition(from: LogiAccount(id: "5b7e9d31-jun", sub: "5b7e9d31-jun"), to: claims)
        #expect(moved.migration?.to == "8c1f0a52-mina" && moved.migration?.evidence == .sameSubject)
    }
}
