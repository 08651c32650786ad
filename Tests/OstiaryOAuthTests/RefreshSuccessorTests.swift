import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The refresh token that the response to a refresh leaves")
struct RefreshSuccessorTests {
    private typealias Successor = RefreshSuccessor

    private let time = Int(Fixtures.now.timeIntervalSince1970)
    private let successor = Successor.new(Secret("refresh-2"))

    /// Tokens whose identity names everything that a refresh has to continue.
    private static func tokens() throws -> TokenSet {
        try Fixtures.signIn(changing: {
            $0["auth_time"] = .integer(1_799_999_000)
            $0["azp"] = "app"
        })
    }

    private static func answer(
        to tokens: TokenSet,
        presenting refreshToken: Secret? = nil,
        key: SigningKey = Fixtures.key,
        idToken hasIDToken: Bool = true,
        status: Int = 200,
        changing change: (inout JSONObject) -> Void = { _ in },
        response changeMembers: (inout JSONObject) -> Void = { _ in }
    ) throws -> RefreshAnswer {
        var claims = Fixtures.claims()
        claims["azp"] = tokens.identity?.claims["azp"]
        change(&claims)
        var members = Fixtures.goodMembers(idToken: hasIDToken ? try key.sign(claims: claims) : nil)
        members["refresh_token"] = "refresh-2"
        changeMembers(&members)
        var response = Fixtures.tokenResponse(members)
        response.status = .init(code: status)
        let token = try #require(refreshToken ?? tokens.refreshToken)
        let exchange = RefreshExchange(
            RefreshGrant(token, of: tokens, for: .signIn),
            client: Fixtures.client(),
            server: Fixtures.server
        )
        return try exchange.output(from: response)
    }

    private static func checked(_ answer: RefreshAnswer, choosing choice: KeyChoice = .named) throws -> CheckedResponse
    {
        guard case .response(let response) = answer else {
            Issue.record("\(answer)")
            throw SignInError(.refresh, .cancelled)
        }
        return response.checked(
            by: Fixtures.keys,
            choosing: choice,
            now: Fixtures.now,
            requested: nil,
            received: nil
        )
    }

    private func failure(_ checked: CheckedResponse) -> SignInError? {
        if case .failure(let error) = checked.tokens { error } else { nil }
    }

    @Test(
        "The refresh token is kept when the ID token fails any check but iss and sub",
        arguments: [
            ("auth_time", .integer(1_799_998_000), .authenticationTime), ("azp", "other", .authorizedParty),
            ("azp", nil, .authorizedParty), ("aud", "other", .audience), ("aud", ["app", "api"], .audience),
            ("nonce", "other", .nonce), ("at_hash", "other", .accessTokenHash), ("exp", .integer(1), .expiry),
            ("exp", nil, .expiry), ("iat", .integer(1), .issuedAt), ("nbf", .integer(9_999_999_999), .notBefore),
            ("iss", nil, .issuer), ("sub", nil, .subject),
        ] as [(String, JSONValue?, SignInError.Check)]
    )
    func kept(_ claim: String, _ value: JSONValue?, _ check: SignInError.Check) throws {
        let checked = try Self.checked(try Self.answer(to: try Self.tokens(), changing: { $0[claim] = value }))
        #expect(failure(checked) == mismatch(.identity, check))
        #expect(checked.successor == successor)
    }

    @Test("The refresh token is kept when the ID token is forged, unsigned or malformed")
    func unreadable() throws {
        let tokens = try Self.tokens()
        let forged = try Self.checked(try Self.answer(to: tokens, key: Fixtures.otherKey))
        #expect(failure(forged) == mismatch(.identity, .key) && forged.successor == successor)
        let unsigned = "eyJhbGciOiJub25lIn0." + Base64URL.encode(Fixtures.claims().encoded()) + "."
        let none = try Self.checked(try Self.answer(to: tokens, response: { $0["id_token"] = .string(unsigned) }))
        #expect(failure(none) == mismatch(.identity, .algorithm) && none.successor == successor)
        guard case .malformed(_, let left) = try Self.answer(to: tokens, response: { $0["id_token"] = "x" }) else {
            Issue.record("An ID token of one part was read.")
            return
        }
        #expect(left == successor)
    }

    @Test(
        "A response about another issuer or user leaves no refresh token, whichever key signed it",
        arguments: [("iss", .issuer), ("sub", .subject)] as [(String, SignInError.Check)],
        [Fixtures.key, Fixtures.otherKey]
    )
    func foreign(_ claim: (String, SignInError.Check), _ key: SigningKey) throws {
        for value in ["https://other.example.com", "ALICE", 1, ["alice"]] as [JSONValue] {
            let checked = try Self.checked(
                try Self.answer(to: try Self.tokens(), key: key, changing: { $0[claim.0] = value })
            )
            #expect(failure(checked) == mismatch(.identity, claim.1))
            #expect(checked.successor == .foreign)
        }
    }

    @Test(
        "The refresh token of a malformed response is kept",
        arguments: [
            ("token_type", nil), ("token_type", "mac"), ("token_type", 1), ("access_token", nil), ("access_token", ""),
            ("expires_in", "soon"), ("id_token", 1),
        ] as [(String, JSONValue?)]
    )
    func malformed(_ member: String, _ value: JSONValue?) throws {
        let answer = try Self.answer(to: try Self.tokens(), response: { $0[member] = value })
        guard case .malformed(_, let left) = answer else {
            Issue.record("It was taken for a token response.")
            return
        }
        #expect(left == successor)
    }

    @Test("A malformed response about another user leaves no refresh token")
    func malformedForeign() throws {
        let answer = try Self.answer(
            to: try Self.tokens(),
            changing: { $0["sub"] = "bob" },
            response: { $0["token_type"] = nil }
        )
        guard case .malformed(_, .foreign) = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test("A response whose additional members name another user leaves no refresh token, malformed or not")
    func foreignMembers() throws {
        let tokens = try Fixtures.signIn(response: { $0["sub"] = "did:plc:alice" })
        let read = try Self.checked(try Self.answer(to: tokens, response: { $0["sub"] = "did:plc:bob" }))
        #expect(failure(read) == mismatch(.identity, .subject) && read.successor == .foreign)
        let malformed = try Self.answer(
            to: tokens,
            response: {
                $0["sub"] = "did:plc:bob"
                $0["token_type"] = nil
            }
        )
        guard case .malformed(_, let left) = malformed else {
            Issue.record("A response without a token_type was read.")
            return
        }
        #expect(left == .foreign)
    }

    @Test("A malformed response without a new refresh token leaves the one that was presented")
    func unchanged() throws {
        let answer = try Self.answer(
            to: try Self.tokens(),
            response: {
                $0["refresh_token"] = nil
                $0["token_type"] = nil
            }
        )
        guard case .malformed(_, .unchanged) = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test("A response without any token, or with an error and no refresh token, is an error")
    func noAnswer() throws {
        let tokens = try Self.tokens()
        let empty = signInError {
            _ = try Self.answer(
                to: tokens,
                response: {
                    $0["refresh_token"] = nil
                    $0["access_token"] = nil
                }
            )
        }
        #expect(empty?.stage == .refresh)
        let refused = signInError {
            _ = try Self.answer(to: tokens, status: 400, response: { $0["error"] = "invalid_grant" })
        }
        #expect(refused?.endsSession == true)
    }

    @Test("A refresh token that came with status 201 is kept, and the response is not used")
    func created() throws {
        guard case .malformed(let error, let left) = try Self.answer(to: try Self.tokens(), status: 201) else {
            Issue.record("Status 201 was taken for 200.")
            return
        }
        #expect(error == SignInError(.refresh, .server(status: 201)) && left == successor)
    }

    // MARK: Proof

    /// The response to a refresh with a refresh token of a response that failed a check.
    private static func unproven(idToken: Bool) throws -> TokenResponse {
        let answer = try answer(to: try tokens(), presenting: Secret("candidate"), idToken: idToken)
        guard case .response(let response) = answer else { throw SignInError(.refresh, .cancelled) }
        return response
    }

    @Test("After a failed check, a response without an ID token is handed out only when user info names the user")
    func proof() throws {
        let response = try Self.unproven(idToken: false)
        #expect(response.needsProof)
        #expect(
            signInError { _ = try response.validated(by: Fixtures.keys, now: Fixtures.now) }
                == mismatch(.identity, .idToken)
        )
        let request = try #require(response.proofRequest)
        #expect(try request.request().fields[.authorization] == "Bearer \(Fixtures.accessToken)")
        func info(_ subject: String) throws -> UserInfo {
            let claims: JSONObject = ["sub": .string(subject)]
            return try request.output(from: Fixtures.tokenResponse(claims)).validated(
                by: Fixtures.keys,
                now: Fixtures.now
            )
        }
        #expect(signInError { _ = try info("bob") } == mismatch(.userInfo, .subject))
        let proven = response.proven(by: try info("alice"))
        let tokens = try proven.validated(by: Fixtures.keys, now: Fixtures.now)
        #expect(tokens.identity?.subject == "alice" && tokens.refreshToken == Secret("refresh-2"))
        #expect(!tokens.isUnproven)
    }

    @Test("After a failed check, an ID token that passes every check needs no user info")
    func provenByIDToken() throws {
        let response = try Self.unproven(idToken: true)
        #expect(!response.needsProof)
        #expect(try !response.validated(by: Fixtures.keys, now: Fixtures.now).isUnproven)
    }

    @Test("Where tokens are not rotated, the refresh token that was presented is the one that remains")
    func notRotated() throws {
        let answer = try Self.answer(
            to: try Self.tokens(),
            presenting: Secret("candidate"),
            response: { $0["refresh_token"] = nil }
        )
        guard case .success(let tokens) = try Self.checked(answer).tokens else {
            Issue.record("\(answer)")
            return
        }
        #expect(tokens.refreshToken == Secret("candidate"))
    }

    @Test("An unproven refresh token and an imported session's claimed identity are stored with the tokens")
    func stored() throws {
        let rotated = try Self.tokens().rotated(to: Secret("candidate"))
        #expect(try TokenSet(stored: try rotated.stored()) == rotated && rotated.isUnproven)
        let imported = try TokenSet(
            importing: Secret("refresh-1"),
            from: Fixtures.issuer,
            for: Fixtures.client(),
            scopes: [],
            claimedIdentity: ["sub": "alice"]
        )
        #expect(try TokenSet(stored: try imported.stored()) == imported)
    }

    // MARK: Imported sessions

    private static func refresh(
        claiming claims: JSONObject?,
        changing change: (inout JSONObject) -> Void
    ) throws -> CheckedResponse {
        let tokens = try TokenSet(
            importing: Secret("refresh-1"),
            from: Fixtures.issuer,
            for: Fixtures.client(),
            scopes: [],
            claimedIdentity: claims
        )
        return try checked(try answer(to: tokens, changing: change))
    }

    @Test("An imported session accepts the nonce that a server repeats, and compares it where it knows one")
    func importedNonce() throws {
        let accepted = [
            try Self.refresh(claiming: nil, changing: { $0["nonce"] = "n" }),
            try Self.refresh(claiming: ["nonce": "n"], changing: { $0["nonce"] = "n" }),
            try Self.refresh(claiming: ["nonce": "n"], changing: { _ in }),
        ]
        for checked in accepted { #expect(failure(checked) == nil) }
        let other = try Self.refresh(claiming: ["nonce": "n"]) { $0["nonce"] = "m" }
        #expect(failure(other) == mismatch(.identity, .nonce) && other.successor == successor)
    }

    @Test("An imported session is of the user whom its old ID token names, who may have authenticated again")
    func importedIdentity() throws {
        let claims: JSONObject = ["sub": "alice", "auth_time": 1_799_999_000]
        let later = try Self.refresh(claiming: claims, changing: { $0["auth_time"] = 1_799_999_001 })
        #expect(failure(later) == nil)
        let earlier = try Self.refresh(claiming: claims) { $0["auth_time"] = 1_799_998_999 }
        #expect(failure(earlier) == mismatch(.identity, .authenticationTime) && earlier.successor == successor)
        let other = try Self.refresh(claiming: claims) { $0["sub"] = "bob" }
        #expect(failure(other) == mismatch(.identity, .subject) && other.successor == .foreign)
    }

    @Test("A verified ID token replaces an imported session's claimed identity")
    func claimsForgotten() throws {
        guard case .success(let tokens) = try Self.refresh(claiming: ["sub": "alice"], changing: { _ in }).tokens else {
            Issue.record("The refresh failed.")
            return
        }
        #expect(tokens.claimedIdentity == nil && tokens.identity?.subject == "alice")
    }

    // MARK: Keys

    @Test("Every fitting key is tried, whatever kid says, up to eight; keys for other algorithms are not")
    func everyKey() throws {
        let token = try UnverifiedJWT(try Fixtures.key.sign(claims: Fixtures.claims()))
        func isVerified(_ keys: [SigningKey]) -> Bool {
            (try? token.verified(byAnyOf: JSONWebKeySet(keys.map(\.publicKey)), algorithms: [.es256])) != nil
        }
        let renamed = try SigningKey(
            privateJWK: try Fixtures.key.privateJWK().merging(["kid": "another name"]),
            algorithm: .es256
        )
        let others = try (0..<8).map { _ in try SigningKey.generate(.es256) }
        #expect(isVerified([renamed]) && !isVerified(others))
        #expect(isVerified(Array(others.prefix(7)) + [renamed]) && !isVerified(others + [renamed]))
        let unfitting = try (0..<20).map { _ in try SigningKey.generate(.es384) }
        #expect(isVerified(unfitting + [renamed]))
        #expect(throws: JOSEError.noMatchingKey(keyID: "key-1")) {
            try token.verified(byAnyOf: JSONWebKeySet([]), algorithms: [.es256])
        }
        #expect(throws: JOSEError.algorithmNotAllowed("ES256")) {
            try token.verified(byAnyOf: JSONWebKeySet([renamed.publicKey]), algorithms: [.rs256])
        }
    }
}

extension JSONObject {
    fileprivate func merging(_ others: JSONObject) -> JSONObject {
        var merged = self
        for member in others.members { merged[member.name] = member.value }
        return merged
    }
}
