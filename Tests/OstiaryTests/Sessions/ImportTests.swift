import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryMigration
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Sessions of other SDKs")
struct ImportTests {
    // MARK: Reading

    private static let idToken =
        "eyJhbGciOiJub25lIn0." + Base64URL.encode(Array(#"{"iss":"https://id.example.test","sub":"alice"}"#.utf8))
        + ".x"

    /// The archive of a state, by the keys of AppAuth's own coding.
    private static func appAuth(
        refreshToken: ArchiveWriter.Value = .text("refresh-1"),
        error: ArchiveWriter.Value? = nil,
        wrapped: Bool = false
    ) -> [UInt8] {
        let discovery = ArchiveWriter.Value.dictionary([
            ("token_endpoint", .text("x")), ("issuer", .text("https://id.example.test")),
        ])
        let configuration = ArchiveWriter.Value.object(
            "OIDServiceConfiguration",
            [("tokenEndpoint", .url("https://id.example.test/token")), ("discoveryDocument", discovery)]
        )
        let request = ArchiveWriter.Value.object(
            "OIDAuthorizationRequest",
            [("configuration", configuration), ("client_id", .text("app")), ("scope", .text("openid offline_access"))]
        )
        var members: [(String, ArchiveWriter.Value)] = [
            ("lastAuthorizationResponse", .object("OIDAuthorizationResponse", [("request", request)])),
            ("lastTokenResponse", .object("OIDTokenResponse", [("id_token", .text(idToken))])),
            ("scope", .mutableText("openid profile")), ("refreshToken", refreshToken),
        ]
        if let error { members.append(("authorizationError", error)) }
        let state = ArchiveWriter.Value.object("OIDAuthState", members)
        return ArchiveWriter.archive(wrapped ? .object("GTMAuthSession", [("authState", state)]) : state)
    }

    @Test("An AppAuth state is read with its token, issuer, client, scopes and user", arguments: [false, true])
    func appAuth(wrapped: Bool) throws {
        let session = try ImportedSession(appAuthArchive: Self.appAuth(wrapped: wrapped))
        #expect(
            session
                == ImportedSession(
                    refreshToken: Secret("refresh-1"),
                    issuer: "https://id.example.test",
                    clientID: "app",
                    scopes: [.openID, .profile],
                    subject: "alice"
                )
        )
        var dumped = ""
        dump(session, to: &dumped)
        #expect(!dumped.contains("refresh-1") && !"\(session)".contains("refresh-1"))
    }

    @Test(
        "AppAuth and GTMAppAuth archives written by another program are read by their coding keys",
        arguments: [
            PropertyListArchives.appAuth, PropertyListArchives.appAuthConfigured, PropertyListArchives.gtmAppAuth,
        ]
    )
    func foreignArchive(_ text: String) throws {
        let archive = Array(try #require(Data(base64Encoded: text)))
        #expect(
            try ImportedSession(appAuthArchive: archive)
                == ImportedSession(
                    refreshToken: Secret("refresh-1"),
                    issuer: "https://id.example.test",
                    clientID: "app",
                    scopes: [.openID, .profile, .offlineAccess],
                    subject: "alice"
                )
        )
    }

    @Test("Auth0 archives written by another program are read, and one without a token is reported")
    func otherForeignArchives() throws {
        let credentials = Array(try #require(Data(base64Encoded: PropertyListArchives.auth0)))
        #expect(
            try ImportedSession(auth0CredentialsArchive: credentials)
                == ImportedSession(
                    refreshToken: Secret("refresh-2"),
                    issuer: "https://id.example.test",
                    scopes: [.openID, .profile],
                    subject: "alice"
                )
        )
        let empty = Array(try #require(Data(base64Encoded: PropertyListArchives.appAuthWithoutTokens)))
        #expect(throws: SessionImportError.noRefreshToken) { try ImportedSession(appAuthArchive: empty) }
        #expect(throws: SessionImportError.malformed) { try ImportedSession(auth0CredentialsArchive: empty) }
    }

    /// The archive of a registration, by the keys of AppAuth's own coding.
    private static func registration(_ changes: [String: ArchiveWriter.Value] = [:]) -> [UInt8] {
        var members: [String: ArchiveWriter.Value] = [
            "client_id": .text("c1"), "client_secret": .text("s1"), "client_id_issued_at": .date(1_700_000_000),
            "client_secret_expires_at": .date(1_800_000_000), "registration_access_token": .text("t1"),
            "registration_client_uri": .url("https://id.example.test/register/c1"),
            "token_endpoint_auth_method": .text("client_secret_basic"),
            "request": .object("OIDRegistrationRequest", []),
            "additionalParameters": .dictionary([
                ("scope", .text("openid")), ("id_token_signed_response_alg", .text("RS256")),
            ]),
        ]
        members.merge(changes) { $1 }
        let sorted = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return ArchiveWriter.archive(.object("OIDRegistrationResponse", sorted))
    }

    @Test("An archived registration of AppAuth gives its client, secret, times and management")
    func registrationArchive() throws {
        let issuer = try Issuer("https://id.example.test")
        let read = try ClientRegistration(appAuthArchive: Self.registration(), issuer: issuer)
        #expect(read.clientID == "c1" && read.clientSecret == Secret("s1") && read.issuer == issuer)
        #expect(read.issued == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(read.clientSecretExpiry == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(read.management?.token == Secret("t1"))
        #expect(read.management?.url.absoluteString == "https://id.example.test/register/c1")
        #expect(read.metadata.authenticationMethod == "client_secret_basic" && read.metadata.redirectURIs.isEmpty)
        #expect(read.metadata.members["scope"] == "openid")
        #expect(read.metadata.members["id_token_signed_response_alg"] == "RS256")
        // AppAuth archives "never" as the beginning of 1970.
        let endless = Self.registration(["client_secret_expires_at": .date(0)])
        #expect(try ClientRegistration(appAuthArchive: endless, issuer: issuer).clientSecretExpiry == nil)
    }

    @Test("An archive without a complete registration is malformed")
    func brokenRegistrationArchive() throws {
        let issuer = try Issuer("https://id.example.test")
        let archives = [
            Self.appAuth(), [], Self.registration(["client_id": .null]),
            Self.registration(["registration_access_token": .null]),
            Self.registration(["registration_client_uri": .url("http://id.example.test/register/c1")]),
        ]
        for archive in archives {
            #expect(throws: SessionImportError.malformed) {
                try ClientRegistration(appAuthArchive: archive, issuer: issuer)
            }
        }
    }

    @Test("An AppAuth state without a refresh token, or one that ended, is reported as such")
    func notSignedIn() {
        #expect(throws: SessionImportError.noRefreshToken) {
            try ImportedSession(appAuthArchive: Self.appAuth(refreshToken: .null))
        }
        #expect(throws: SessionImportError.ended) {
            try ImportedSession(appAuthArchive: Self.appAuth(error: .object("NSError", [])))
        }
        #expect((try? ImportedSession(appAuthArchive: Self.appAuth(error: .null))) != nil)
        #expect(throws: SessionImportError.malformed) {
            try ImportedSession(appAuthArchive: Self.appAuth(refreshToken: .text("re\u{F6}\n")))
        }
    }

    @Test("Auth0's credentials are read with their token and the ID token's issuer and subject")
    func auth0() throws {
        let archive = ArchiveWriter.archive(
            .object(
                "A0Credentials",
                [
                    ("accessToken", .text("a")), ("idToken", .text(Self.idToken)), ("refreshToken", .text("refresh-2")),
                    ("scope", .text("openid")), ("tokenType", .null),
                ]
            )
        )
        let session = try ImportedSession(auth0CredentialsArchive: archive)
        #expect(
            session
                == ImportedSession(
                    refreshToken: Secret("refresh-2"),
                    issuer: "https://id.example.test",
                    scopes: [.openID],
                    subject: "alice"
                )
        )
        #expect(throws: SessionImportError.malformed) {
            try ImportedSession(auth0CredentialsArchive: Self.appAuth())
        }
    }

    @Test("A Keychain item that is a bare token is read as the token")
    func keychainText() throws {
        let session = try ImportedSession(
            keychainText: Array("refresh-3".utf8),
            idTokenItem: Array(Self.idToken.utf8),
            clientID: "app"
        )
        #expect(session.refreshToken.reveal() == "refresh-3" && session.issuer == "https://id.example.test")
        #expect(session.subject == "alice" && session.clientID == "app")
        #expect(throws: SessionImportError.noRefreshToken) { try ImportedSession(keychainText: []) }
        #expect(throws: SessionImportError.malformed) { try ImportedSession(keychainText: [0xFF, 0xFE]) }
        #expect(throws: SessionImportError.malformed) { try ImportedSession(keychainText: Array("a\u{0}b".utf8)) }
    }

    @Test("An archive that is cut or changed in any byte is read or rejected without a trap")
    func changed() {
        let whole = Self.appAuth()
        for index in whole.indices {
            for bit in [0x01, 0x10, 0x80, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] ^= bit
                _ = try? ImportedSession(appAuthArchive: changed)
            }
        }
        for length in 0..<whole.count {
            #expect(throws: SessionImportError.malformed) {
                try ImportedSession(appAuthArchive: Array(whole.prefix(length)))
            }
        }
    }

    @Test("A property list that is recursive, oversized or inconsistent is rejected at once")
    func hostile() {
        // A dictionary whose only value is itself.
        var list = Array("bplist00".utf8) + [0xD1, 0, 1, 0, 0, 0x51, 0x61]
        list += [0, 0, 0, 8, 0, 0, 0, 13]
        list += [0, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]
        #expect(throws: SessionImportError.malformed) { try ImportedSession(appAuthArchive: list) }
        var huge = list
        huge.replaceSubrange(
            (huge.count - 24)..<(huge.count - 16),
            with: [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        )
        #expect(throws: SessionImportError.malformed) { try ImportedSession(appAuthArchive: huge) }
        let large = ArchiveWriter.archive(.text(String(repeating: "a", count: 1_100_000)))
        #expect(throws: SessionImportError.malformed) { try ImportedSession(appAuthArchive: large) }
    }

    // MARK: Continuing

    /// A refresh token that another SDK was given.
    private func given(_ world: World) async throws -> Secret {
        let client = try world.client()
        let session = try await client.signIn()
        let token = try #require(session.tokens.refreshToken)
        try await session.signOut(.local)
        return token
    }

    @Test("An adopted refresh token becomes a stored session with one refresh")
    func adopted() async throws {
        let world = try World()
        let token = try await given(world)
        let before = world.network.count(path: "/token")
        let client = try world.client()
        let session = try await client.adopt(refreshToken: token, subject: "alice-subject")
        #expect(world.network.count(path: "/token") == before + 1)
        #expect(session.identity?.subject == "alice-subject")
        let restored = try #require(try await world.client().restoreSession())
        try await restored.refresh()
        // A second call, or a second launch, finds the session and sends nothing.
        let after = world.network.count(path: "/token")
        _ = try await world.client().adopt(refreshToken: token)
        #expect(world.network.count(path: "/token") == after)
    }

    @Test("Two concurrent imports of one token continue one session with one refresh")
    func together() async throws {
        let world = try World()
        let token = try await given(world)
        let before = world.network.count(path: "/token")
        let late = LateStore(world.store)
        let slow = try world.client(store: late)
        async let one = slow.adopt(refreshToken: token)
        // It has seen that nothing is stored, and does not know it yet.
        await late.arrival()
        let other = try await world.client().adopt(refreshToken: token)
        late.open()
        let session = try await one
        #expect(try await session.accessToken() == other.accessToken())
        #expect(world.network.count(path: "/token") == before + 1)
        try await session.refresh()
        #expect(session.end == nil && other.end == nil)
    }

    @Test("An imported session of another issuer or client is refused, and nothing is sent")
    func foreign() async throws {
        let world = try World()
        let client = try world.client()
        let sessions: [(ImportedSession, SignInError.Check)] = [
            (ImportedSession(refreshToken: Secret("r"), issuer: World.issuer + "/"), .issuer),
            (ImportedSession(refreshToken: Secret("r"), clientID: "other"), .client),
        ]
        for (imported, check) in sessions {
            let error = await failure { () throws(SignInError) in _ = try await client.adopt(imported) }
            #expect(error == SignInError(.refresh, .mismatch(check)))
        }
        #expect(world.network.requests.isEmpty)
        #expect(try await client.restoreSession() == nil)
    }

    @Test("An imported session of another user is revoked")
    func otherPerson() async throws {
        let world = try World()
        let token = try await given(world)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in
            _ = try await client.adopt(refreshToken: token, subject: "bob-subject")
        }
        #expect(error == SignInError(.identity, .mismatch(.subject)))
        #expect(try await client.restoreSession() == nil)
        #expect(world.network.count(path: "/revoke") == 1)
    }

    @Test("An import without a network keeps the token, and the next launch continues")
    func offline() async throws {
        let world = try World()
        let token = try await given(world)
        world.network.lose(to: "/token", .beforeProcessing, with: .unreachable)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.adopt(refreshToken: token) }
        #expect(error?.reason == .transport(.unreachable))
        let session = try await world.client().adopt(refreshToken: token)
        #expect(session.identity?.subject == "alice-subject")
    }

    @Test("An unwritable store fails the import before the token is used")
    func readOnly() async throws {
        let world = try World()
        let token = try await given(world)
        let before = world.network.count(path: "/token")
        world.store.failAlways(.write)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.adopt(refreshToken: token) }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        #expect(world.network.count(path: "/token") == before)
        world.store.recover()
        _ = try await world.client().adopt(refreshToken: token)
    }

    @Test(
        "A session is imported from a server that repeats the nonce at a refresh",
        .failure("A session is imported, and the server repeats the nonce")
    )
    func repeatedNonce() async throws {
        let world = try World(scenario: .refreshRepeatedNonce)
        let token = try await given(world)
        let session = try await world.client().adopt(refreshToken: token, subject: "alice-subject")
        #expect(session.identity?.claims["nonce"] != nil)
        try await session.refresh()
        #expect(session.end == nil)
    }

    @Test("The ID token beside an imported refresh token gives the claims that the first refresh must continue")
    func claimedIdentity() throws {
        let claims = #"{"iss":"https://id.example.test","sub":"alice","nonce":"n","auth_time":1800000000}"#
        let idToken = "eyJhbGciOiJub25lIn0." + Base64URL.encode(Array(claims.utf8)) + ".x"
        let session = try ImportedSession(keychainText: Array("r".utf8), idTokenItem: Array(idToken.utf8))
        #expect(session.subject == "alice" && session.nonce == "n" && session.authenticationTime == 1_800_000_000)
    }

    @Test("An import of a revoked token fails with invalid_grant, and stores nothing")
    func over() async throws {
        let world = try World()
        let client = try world.client()
        let error = await failure { () throws(SignInError) in
            _ = try await client.adopt(refreshToken: Secret("never-issued"))
        }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .invalidGrant && error?.stage == .refresh)
        #expect(try await client.restoreSession() == nil)
    }

    @Test(
        "An import whose response fails a check is no session, and the next launch continues it",
        .failure("The response to an import fails a check"),
        arguments: [true, false]
    )
    func checked(_ isRotated: Bool) async throws {
        let isForged = Lock(false)
        var scenario = Scenario(name: "another audience, later")
        scenario.idToken = { draft in
            if isForged.withLock({ $0 }) { draft.claims["aud"] = "somebody else" }
        }
        if !isRotated { scenario.manners = { $0.refreshTokens = .kept } }
        let world = try World(scenario: scenario)
        let token = try await given(world)
        isForged.withLock { $0 = true }
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.adopt(refreshToken: token) }
        #expect(error == SignInError(.identity, .mismatch(.audience)))
        isForged.withLock { $0 = false }
        let session = try await world.client().adopt(refreshToken: token)
        #expect(session.identity?.subject == "alice-subject")
    }
}

/// A store whose first answer to a reader is late.
private final class LateStore: SecretStore {
    private let store: any SecretStore
    private let arrivals: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let gate: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    init(_ store: any SecretStore) {
        self.store = store
        arrivals = AsyncStream.makeStream()
        gate = AsyncStream.makeStream()
    }

    var processLock: (any ProcessLock)? { store.processLock }
    func arrival() async { for await _ in arrivals.stream { return } }
    func open() { gate.continuation.finish() }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        let value = try await store.read(key)
        arrivals.continuation.yield()
        for await _ in gate.stream {}
        return value
    }

    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await store.write(value, for: key)
    }

    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}
