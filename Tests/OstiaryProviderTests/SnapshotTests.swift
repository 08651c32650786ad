import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Snapshots of the provider's state", .timeLimit(.minutes(2)))
struct SnapshotTests {
    private static let token = "a-token-of-the-administration"

    private func world(
        storage: any ProviderStorage = MemoryProviderStorage(),
        issuer: String = Fixtures.issuer,
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World(issuer: issuer, storage: storage) {
            $0.administrationToken = SecretDigest(of: Secret(Self.token))
            $0.signingAlgorithms = [.es256]
            $0.signingKeys = []
            $0.clients = [$0.clients[0]]
            change(&$0)
        }
    }

    private func send(
        _ world: World,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ object: JSONObject? = nil
    ) async -> ProviderResponse {
        await world.send(method, "/admin/\(path)", object, bearer: Self.token)
    }

    /// The snapshot by the administration.
    private func snapshot(_ world: World) async throws -> JSONObject {
        let response = await send(world, .get, "snapshot")
        #expect(response.status == .ok && response.fields[.cacheControl] == "no-store")
        return try #require(response.json)
    }

    private func restore(_ world: World, _ snapshot: JSONObject) async -> ProviderResponse {
        await send(world, .put, "snapshot", snapshot)
    }

    @Test("A provider with a snapshot of another has its users, clients, logins, tokens, codes, keys and settings")
    func everything() async throws {
        let first = try world()
        let browser = first.browser()
        let tokens = try await first.tokens(in: browser)
        let used = try await first.code()
        _ = try Tokens(await first.post("/token", .codeGrant(used)))
        let unused = try await first.code()
        let added = await send(first, .post, "clients", ["redirect_uris": [.string(Fixtures.redirectURI)]])
        let id = try #require(added.json?["client_id"]?.string)
        _ = await send(first, .put, "users/carol", ["password": "secret", "claims": ["name": "Carol"]])
        let app: JSONObject = [
            "secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "algorithm": "SHA256", "digits": 8, "period": 60,
        ]
        _ = await send(first, .put, "users/dora", ["password": "secret", "one_time_password": .object(app)])
        _ = await send(first, .delete, "users/bob")
        let changes: JSONObject = [
            "rules": "oidc", "allow": ["emptyMetadata"], "refresh_tokens": "kept", "lifetimes": ["access_token": 60],
            "throttle": ["failures": 3, "seconds": 9],
        ]
        _ = await send(first, .patch, "settings", changes)
        _ = await send(first, .patch, "clients/\(id)", ["rules": "mcp"])
        _ = await send(first, .post, "clock", ["advance": 7])
        let settings = await send(first, .get, "settings").json
        let snapshot = try await snapshot(first)

        let second = try world()
        #expect(await restore(second, snapshot).status == .noContent)
        #expect(await second.get("/jwks").json == first.get("/jwks").json)
        #expect(await send(second, .get, "settings").json == settings)
        #expect(await send(second, .get, "clients/\(id)").json?["rules"] == "mcp")
        #expect(await send(second, .get, "clock").json?["advanced"] == 7)
        let names = await send(second, .get, "users").json?["users"]?.array?.map { $0.object?["name"] }
        #expect(names == ["alice", "carol", "dora"])
        #expect(try await self.snapshot(second)["users"] == snapshot["users"])
        #expect(snapshot["users"]?.array?.last?.object?["one_time_password"] == .object(app))
        #expect(await second.userInfo(tokens.access).json?["sub"] == "subject-of-alice")
        #expect(await second.refresh(try #require(tokens.refresh)).status == .ok)
        #expect(await second.post("/token", .codeGrant(used)).error == "invalid_grant")
        #expect(await second.post("/token", .codeGrant(unused)).status == .ok)
        let same = second.browser()
        same.takeSession(of: browser)
        #expect(await same.authorize(.authorization { $0[.prompt] = "none" }).redirect?.parameters[.code] != nil)
        let carol = try await second.browser().signIn(.authorization(), name: "carol", password: "secret")
        #expect(carol.redirect?.parameters[.code] != nil)
    }

    @Test("A provider that returns to a snapshot forgets what came after it, and its clock goes back")
    func back() async throws {
        let world = try world()
        let early = try await world.tokens()
        let snapshot = try await snapshot(world)
        let keys = await world.get("/jwks").json
        let late = try await world.tokens()
        #expect(await send(world, .post, "keys").status == .ok)
        _ = await send(world, .patch, "settings", ["signing_algorithms": ["EdDSA"]])
        _ = await send(world, .post, "clock", ["advance": 86_400])
        _ = await send(world, .delete, "users/alice")
        for _ in 1...11 { _ = try await world.browser().signIn(.authorization(), name: "alice", password: "wrong") }
        #expect(await restore(world, snapshot).status == .noContent)
        #expect(await world.userInfo(early.access).status == .ok)
        #expect(await world.userInfo(late.access).status == .unauthorized)
        #expect(await world.get("/jwks").json == keys)
        #expect(await send(world, .get, "clock").json?["advanced"] == 0)
        let tokens = try await world.tokens()
        #expect(try await world.verifiedClaims(try #require(tokens.id))["iat"] == 1_800_000_000)
    }

    @Test("An expired token is not in a snapshot, and one that is restored after its end is expired")
    func expired() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        world.clock.advance(by: .seconds(901))
        let snapshot = try await snapshot(world)
        let kinds = snapshot["records"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(kinds.contains("refresh_token") && !kinds.contains("access_token"))
        world.clock.advance(by: .seconds(31 * 86_400))
        #expect(await restore(world, snapshot).status == .noContent)
        #expect(await world.refresh(try #require(tokens.refresh)).error == "invalid_grant")
    }

    @Test("A snapshot has no token and no password as a client or user knows it")
    func secrets() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        let text = String(decoding: try await world.provider.snapshot(), as: UTF8.self)
        #expect(!text.contains(try #require(tokens.refresh)) && !text.contains(tokens.access))
        #expect(!text.contains("correct horse"))
    }

    @Test("A key is made for an algorithm that a snapshot has no key for")
    func otherAlgorithms() async throws {
        let snapshot = try await snapshot(try world())
        let world = try world { $0.signingAlgorithms = [.es384, .es256] }
        #expect(await restore(world, snapshot).status == .noContent)
        let id = try #require(try await world.tokens().id)
        #expect(try UnverifiedJWT(id).header.algorithmName == "ES384")
        _ = try await world.verifiedClaims(id)
        #expect(await world.get("/jwks").json?["keys"]?.array?.count == 2)
    }

    @Test("A snapshot of another issuer is refused")
    func otherIssuer() async throws {
        let snapshot = try await snapshot(try world(issuer: "http://127.0.0.1:9"))
        let response = await restore(try world(), snapshot)
        #expect(response.status == .conflict)
        #expect(response.json?["error_description"]?.string?.contains("of the issuer http://127.0.0.1:9.") == true)
    }

    /// The snapshots that cannot be restored, as a change of a good one, with the cause.
    private static let faults: [(change: JSONObject, cause: String)] = [
        (["version": 2], "version of the snapshot is not 1"), (["issuer": 1], "issuer of the snapshot"),
        (["advanced": -1], "advanced of the snapshot"), (["advanced": 315_360_001], "advanced of the snapshot"),
        (["users": 1], "users of the snapshot is not a list"), (["users": [1]], "users[0] of the snapshot"),
        (["users": [["name": "a", "sub": "a", "claims": [:]]]], "users[0] of the snapshot"),
        (
            ["users": [["name": "a", "sub": "ä", "password_hash": .string(hash), "claims": [:]]]],
            "users[0] of the snapshot"
        ),
        (
            [
                "users": [
                    ["name": "a", "sub": "1", "password_hash": .string(hash), "claims": [:]],
                    ["name": "b", "sub": "1", "password_hash": .string(hash), "claims": [:]],
                ]
            ], "a name or a sub twice"
        ),
        (["settings": 1], "settings of the snapshot is not an object"),
        (["settings": ["rules": "lax"]], "settings of the snapshot are wrong. rules is not one of"),
        (["settings": ["colour": "red"]], "settings of the snapshot are wrong. There is a member besides"),
        (["settings": ["clients": ["app": ["rules": "lax"]]]], "rules is not one of"),
        (["settings": ["rules": "fapi2", "signing_algorithms": ["RS256"]]], "No signing key may have an algorithm"),
        (["records": [["kind": "wish", "key": "a", "value": [:]]]], "records[0] of the snapshot"),
        (["records": [["kind": "consent", "key": "a"]]], "records[0] of the snapshot"),
        (["records": [["kind": "consent", "key": "a", "value": [:], "expires": "x"]]], "records[0] of the snapshot"),
        (["records": [["kind": "consent", "key": "a", "value": [:], "used": 1]]], "records[0] of the snapshot"),
        (["records": [["kind": "grant", "key": "a", "value": [:]]]], "records[0] of the snapshot"),
        (["records": [["kind": "signing_key", "key": "a", "value": ["alg": "ES256"]]]], "records[0] of the snap"),
        (
            [
                "records": [
                    ["kind": "consent", "key": "a", "value": [:]], ["kind": "consent", "key": "a", "value": [:]],
                ]
            ],
            "a key of a kind twice"
        ),
    ]
    private static let hash = "$scrypt$ln=4,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43)

    @Test("A snapshot that is wrong is refused with the member, and nothing changes", arguments: faults.indices)
    func wrong(index: Int) async throws {
        let world = try world()
        let tokens = try await world.tokens()
        let good = try await snapshot(world)
        var bad = good
        for member in Self.faults[index].change.members { bad[member.name] = member.value }
        let response = await restore(world, bad)
        #expect(response.status == .badRequest && response.error == "invalid_request")
        let description = response.json?["error_description"]?.string ?? ""
        #expect(description.contains(Self.faults[index].cause), "\(description)")
        #expect(try await snapshot(world) == good)
        #expect(await world.userInfo(tokens.access).status == .ok)
    }

    /// Records with a time, besides those of a sign-in, given a public key.
    private static func records(_ key: JSONValue) -> [JSONValue] {
        [
            [
                "kind": "registered_client", "key": "client",
                "value": [
                    "metadata": ["client_name": "A client"], "issued": 1_800_000_000, "access_token": "digest",
                    "secret": "digest", "secret_expires": 1_900_000_000,
                ],
            ],
            [
                "kind": "passkey", "key": "passkey",
                "value": [
                    "id": "AA", "sub": "subject-of-alice", "user_handle": "AA", "jwk": key, "counter": 0,
                    "backup_eligible": true, "backed_up": true, "added": 1_800_000_000,
                ],
            ],
            [
                "kind": "device_code", "key": "device",
                "value": ["client_id": "app", "scope": "openid", "user_code": "BCDFGHJK", "exp": 1_900_000_000],
            ],
            [
                "kind": "device_polling", "key": "device",
                "value": ["interval": 5, "count": 1, "last": 1_800_000_000],
            ],
            [
                "kind": "interaction", "key": "interaction",
                "value": [
                    "purpose": "authorization", "parameters": "", "browser": "digest", "needs_login": true,
                    "pending": ["sub": "subject-of-alice", "amr": ["pwd"], "auth_time": 1_800_000_000],
                ],
            ],
        ]
    }

    /// The members of a record with a time, by its kind; `expires` of any is beside the content.
    private static let times: [(kind: String, member: String)] = [
        ("login_session", "expires"), ("login_session", "auth_time"), ("grant", "auth_time"), ("grant", "exp"),
        ("authorization_code", "exp"), ("refresh_token", "exp"), ("access_token", "exp"),
        ("registered_client", "issued"), ("registered_client", "secret_expires"), ("passkey", "added"),
        ("device_code", "exp"), ("device_polling", "last"), ("interaction", "auth_time"),
    ]

    @Test(
        "A snapshot with a time that no calendar has is refused, and nothing changes",
        arguments: [1e300, -1e300, 253_402_300_800, -62_167_219_201]
    )
    func outsideTimes(time: Double) async throws {
        let world = try world()
        _ = try await world.tokens()
        _ = try await world.code()
        let key = try #require(await world.get("/jwks").json?["keys"]?.array?.first)
        var good = try await snapshot(world)
        let records = try #require(good["records"]?.array) + Self.records(key)
        good["records"] = .array(records)
        #expect(await restore(world, good).status == .noContent)
        let before = try await snapshot(world)
        for (kind, member) in Self.times {
            let place = try #require(records.lastIndex { $0.object?["kind"]?.string == kind })
            var record = try #require(records[place].object)
            var value = try #require(record["value"]?.object)
            if member == "expires" {
                record[member] = .number(time)
            } else if var pending = value["pending"]?.object {
                pending[member] = .number(time)
                value["pending"] = .object(pending)
            } else {
                #expect(value[member] != nil)
                value[member] = .number(time)
            }
            record["value"] = .object(value)
            var bad = good
            bad["records"] = .array(records.enumerated().map { $0.offset == place ? .object(record) : $0.element })
            let response = await restore(world, bad)
            #expect(response.status == .badRequest, "\(kind) \(member)")
            let description = response.json?["error_description"]?.string
            #expect(description == "records[\(place)] of the snapshot cannot be read.", "\(kind) \(member)")
        }
        #expect(try await snapshot(world) == before)
    }

    @Test("A snapshot with a number of polls that cannot be counted on is refused", arguments: [-1, Int.max])
    func polls(count: Int) async throws {
        let world = try world()
        var snapshot = try await snapshot(world)
        snapshot["records"] = [
            ["kind": "device_polling", "key": "a", "value": ["interval": 5, "count": .integer(count)]]
        ]
        #expect(await restore(world, snapshot).status == .badRequest)
    }

    @Test("A body that is no JSON object, or not sent as JSON, is refused")
    func wrongBody() async throws {
        let world = try world()
        var request = ProviderRequest(method: .put, path: "/admin/snapshot", body: Array("[]".utf8))
        request.fields[.authorization] = "Bearer \(Self.token)"
        request.fields[.contentType] = "application/json"
        #expect(await world.provider.respond(to: request).status == .badRequest)
        request.body = try await world.provider.snapshot()
        #expect(await world.provider.respond(to: request).status == .noContent)
        request.fields[.contentType] = "text/plain"
        #expect(await world.provider.respond(to: request).status == .badRequest)
    }

    @Test("A snapshot that the storage cannot keep leaves the state as it was")
    func unstored() async throws {
        let storage = FailingStorage()
        let world = try world(storage: storage)
        let tokens = try await world.tokens()
        var snapshot = try await snapshot(world)
        snapshot["users"] = []
        storage.fail(after: 0)
        #expect(await restore(world, snapshot).status == .internalServerError)
        storage.fail(after: nil)
        #expect(await send(world, .get, "users").json?["users"]?.array?.count == 2)
        #expect(await world.userInfo(tokens.access).status == .ok)
    }

    @Test("A body of up to 16 MiB is read for a snapshot with the token alone, and no larger snapshot is made")
    func size() async throws {
        let world = try world()
        var request = ProviderRequest(method: .put, path: "/admin/snapshot")
        #expect(world.provider.maximumBodyBytes(of: request) == 65_536)
        request.fields[.authorization] = "Bearer wrong"
        #expect(world.provider.maximumBodyBytes(of: request) == 65_536)
        request.fields[.authorization] = "Bearer \(Self.token)"
        #expect(world.provider.maximumBodyBytes(of: request) == 16_777_216)
        request.path = "/admin/settings"
        #expect(world.provider.maximumBodyBytes(of: request) == 65_536)
        let large = try self.world { $0.users[0].claims["text"] = .string(String(repeating: "a", count: 16_777_216)) }
        #expect(await send(large, .get, "snapshot").status == .conflict)
        let long = Array(String(repeating: " ", count: 16_777_217).utf8)
        await #expect(throws: ProviderSnapshotError.tooLarge) { try await large.provider.restore(long) }
    }
}
