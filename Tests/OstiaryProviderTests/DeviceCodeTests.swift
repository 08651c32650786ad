import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Device codes")
struct DeviceCodeTests {
    @Test("A device request gets two codes, an address and an interval")
    func answer() async throws {
        let device = try await Device(at: try World())
        #expect(device.userCode.contains(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/))
        #expect(device.response["verification_uri"]?.string == Fixtures.issuer + "/device")
        let complete = Fixtures.issuer + "/device?user_code=" + device.userCode
        #expect(device.response["verification_uri_complete"]?.string == complete)
        #expect(device.response["expires_in"] == 600)
        #expect(device.response["interval"] == 5)
    }

    @Test("Two devices get different codes")
    func different() async throws {
        let world = try World()
        let first = try await Device(at: world)
        let second = try await Device(at: world)
        #expect(first.code != second.code)
        #expect(first.userCode != second.userCode)
    }

    @Test(
        "A device request that cannot be granted is rejected",
        arguments: [
            ("app", "openid", "unauthorized_client"), ("tv", "", "invalid_scope"), ("tv", "unknown", "invalid_scope"),
            ("tv", "notes", "invalid_scope"), ("nobody", "openid", "invalid_client"),
        ]
    )
    func refused(client: String, scope: String, error: String) async throws {
        let form = Parameters([.clientID: client, .scope: scope])
        #expect(await (try World()).post("/device_authorization", form).error == error)
    }

    @Test("A confidential client authenticates at the device endpoint")
    func authentication() async throws {
        let world = try World { $0.clients[3].grantTypes.insert(.deviceCode) }
        var form = Parameters([.clientID: "poster", .scope: "openid"])
        #expect(await world.post("/device_authorization", form).error == "invalid_client")
        form[.clientSecret] = "posted"
        #expect(await world.post("/device_authorization", form).status == .ok)
    }

    @Test("A device waits until the user decides, then gets tokens without a nonce")
    func tokens() async throws {
        let world = try World()
        let device = try await Device(at: world)
        #expect(await device.poll().error == "authorization_pending")
        try await device.decide(.accept)
        world.clock.advance(by: .seconds(5))
        let tokens = try Tokens(await device.poll())
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        #expect(claims["sub"] == "subject-of-alice")
        #expect(claims["aud"] == "tv")
        #expect(claims["nonce"] == nil)
        #expect(await world.userInfo(tokens.access).json?["name"] == "Alice Adams")
        let refreshed = await world.refresh(try #require(tokens.refresh)) { $0[.clientID] = "tv" }
        #expect(refreshed.status == .ok)
    }

    @Test("A device code is redeemed once, and a second use revokes its tokens")
    func singleUse() async throws {
        let world = try World()
        let device = try await Device(at: world)
        try await device.decide(.accept)
        let tokens = try Tokens(await device.poll())
        world.clock.advance(by: .seconds(5))
        #expect(await device.poll().error == "invalid_grant")
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
    }

    @Test("A device that polls too often gets slow_down and waits five seconds longer for good")
    func slowDown() async throws {
        let world = try World()
        let device = try await Device(at: world)
        #expect(await device.poll().error == "authorization_pending")
        world.clock.advance(by: .seconds(4.9))
        #expect(await device.poll().error == "slow_down")
        world.clock.advance(by: .seconds(9.9))
        #expect(await device.poll().error == "slow_down")
        world.clock.advance(by: .seconds(15))
        #expect(await device.poll().error == "authorization_pending")
        world.clock.advance(by: .seconds(14))
        #expect(await device.poll().error == "slow_down")
    }

    @Test("A device gets access_denied after the user denies")
    func denied() async throws {
        let world = try World()
        let device = try await Device(at: world)
        #expect(try await device.decide(.refuse).deviceDoneSentence == "Nothing was allowed. You can close this page.")
        #expect(await device.poll().error == "access_denied")
    }

    @Test("A device gets expired_token after its code expired, even when the user allowed")
    func expired() async throws {
        let world = try World()
        let device = try await Device(at: world)
        try await device.decide(.accept)
        world.clock.advance(by: .seconds(600))
        #expect(await device.poll().error == "expired_token")
        world.clock.advance(by: .seconds(601))
        #expect(await device.poll().error == "invalid_grant")
    }

    @Test("A device code is rejected for another client, and so is an unknown code")
    func otherClient() async throws {
        let world = try World { $0.clients[0].grantTypes.insert(.deviceCode) }
        let device = try await Device(at: world)
        try await device.decide(.accept)
        #expect(await device.poll { $0[.clientID] = "app" }.error == "invalid_grant")
        #expect(await device.poll { $0[.deviceCode] = "unknown" }.error == "invalid_grant")
        #expect(await device.poll { $0[.deviceCode] = nil }.error == "invalid_request")
        #expect(await device.poll().status == .ok)
    }

    @Test("A device code is stored as a digest")
    func digest() async throws {
        let storage = MemoryProviderStorage()
        let device = try await Device(at: try World(storage: storage))
        for kind in ProviderRecord.Kind.allCases {
            for record in await storage.records(kind) {
                let text = record.key + String(decoding: record.value.encoded(), as: UTF8.self)
                #expect(!text.contains(device.code))
            }
        }
    }

    @Test("A device scenario decides the poll responses, whatever the user decided")
    func scenarios() async throws {
        func answers(_ scenario: Scenario) async throws -> [String] {
            let world = try World(scenario: scenario)
            let device = try await Device(at: world)
            try await device.decide(.accept)
            var answers: [String] = []
            for _ in 0..<4 {
                let response = await device.poll()
                answers.append(response.error ?? String(response.status.code))
                world.clock.advance(by: .seconds(10))
            }
            return answers
        }
        let pending = "authorization_pending"
        #expect(try await answers(.devicePending) == [pending, pending, pending, "200"])
        #expect(try await answers(.deviceSlowDown) == [pending, "slow_down", "200", "invalid_grant"])
        #expect(try await answers(.deviceUnavailable) == [pending, "503", "200", "invalid_grant"])
        #expect(try await answers(.deviceDenied) == [pending, pending, "access_denied", "access_denied"])
        #expect(try await answers(.deviceExpired) == [pending, pending, "expired_token", "expired_token"])
    }

    @Test("A scenario's slow_down lengthens the interval for good")
    func scenarioSlowDown() async throws {
        let world = try World(scenario: .deviceSlowDown)
        let device = try await Device(at: world)
        for _ in 0..<2 {
            _ = await device.poll()
            world.clock.advance(by: .seconds(5))
        }
        #expect(await device.poll().error == "slow_down")
    }

    @Test("A device scenario's 503 has a Retry-After")
    func scenarioUnavailable() async throws {
        let device = try await Device(at: try World(scenario: .deviceUnavailable))
        _ = await device.poll()
        #expect(await device.poll().fields[.retryAfter] == "7")
    }

    @Test(
        "A device scenario removes a member of the device response",
        arguments: [
            (Scenario.missingDeviceCode, "device_code"), (.missingUserCode, "user_code"),
            (.missingVerificationURI, "verification_uri"),
            (.missingCompleteVerificationURI, "verification_uri_complete"), (.missingDeviceLifetime, "expires_in"),
            (.missingPollInterval, "interval"),
        ]
    )
    func missingMembers(scenario: Scenario, member: String) async throws {
        let form = Parameters([.clientID: "tv", .scope: "openid"])
        let response = try #require(await World(scenario: scenario).post("/device_authorization", form).json)
        #expect(response[member] == nil)
        #expect(response.count == 5)
    }

    @Test("A device's tokens can be bound to a key and issued for a resource")
    func target() async throws {
        let world = try World {
            $0.resources = [ProviderResource(identifier: "https://api.example", name: "The API")]
        }
        let device = try await Device(at: world) { $0[.resource] = "https://api.example" }
        try await device.decide(.accept)
        let prover = try Prover(world.clock)
        var form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:device_code", .deviceCode: device.code, .clientID: "tv",
            .resource: "https://other.example",
        ])
        #expect(await world.post("/token", form, fields: try prover.field()).error == "invalid_target")
        form[.resource] = "https://api.example"
        let tokens = try Tokens(await world.post("/token", form, fields: try prover.field()))
        let claims = try await world.verifiedClaims(tokens.access)
        #expect(tokens.response["token_type"] == "DPoP")
        #expect(claims["cnf"] == ["jkt": .string(prover.thumbprint)])
        #expect(claims["aud"] == "https://api.example")
        let unknown = Parameters([.clientID: "tv", .scope: "openid", .resource: "https://other.example"])
        #expect(await world.post("/device_authorization", unknown).error == "invalid_target")
    }
}
