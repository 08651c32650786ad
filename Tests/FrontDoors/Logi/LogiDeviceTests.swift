import Foundation
import HTTPTypes
import Ostiary
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Credentials of a device")
struct LogiDeviceTests {
    private static func refused(
        _ code: OAuthError.Code,
        _ error: SignInError?,
        _ stage: SignInError.Stage = .registration
    ) -> Bool {
        guard case .refused(let refusal) = error?.reason else { return false }
        return refusal.code == code && error?.stage == stage && error?.requestID?.hasPrefix("req_") == true
    }

    /// The store's content for a device.
    private func stored(_ purpose: String, _ world: LogiWorld) async throws -> JSONObject? {
        let parts = ["logi", purpose, LogiPreset.issuer, LogiDevelopment.clientID]
        let key = StoreKey(parts.map(FormURLEncoding.escape).joined(separator: "/"))
        return try await world.store.read(key).map { try JSONObject(parsing: $0) }
    }

    // MARK: - POST /api/v1/devices

    @Test(
        "A device registers its identifier and platform once, stores its secret, and presents it from then on",
        .covers(.logi, rows: 43, 53)
    )
    func bootstrap() async throws {
        let world = try LogiWorld()
        let device = try world.logi().deviceBootstrap()
        let first = try await device.run(on: "linux")
        let second = try await device.run(on: "linux")
        #expect(first.value != second.value && first.value.reveal().hasPrefix("logi_pak_"))
        let bodies = world.wire.bodies(to: "/api/v1/devices")
        #expect(bodies.map(\.names) == [["device_uuid", "platform"], ["device_uuid", "platform", "device_secret"]])
        #expect(bodies[0]["device_uuid"] == bodies[1]["device_uuid"])
        #expect(bodies[1]["device_secret"]?.string == (try await stored("bootstrap", world))?["secret"]?.string)
        let uuid = try #require(bodies[0]["device_uuid"]?.string)
        #expect(uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(world.wire.requests(to: "/api/v1/devices").allSatisfy { $0.fields[.authorization] == nil })
        // Another process: what was stored is enough.
        _ = try await world.logi().deviceBootstrap().run(on: "linux")
        #expect(world.wire.bodies(to: "/api/v1/devices").last?["device_secret"] == bodies[1]["device_secret"])
    }

    @Test(
        "A device secret that the server rejects is removed and reported, and the next call registers anew",
        .covers(.logi, rows: 43, cites: "L-9")
    )
    func bootstrapRefused() async throws {
        let world = try LogiWorld()
        let device = try world.logi().deviceBootstrap()
        _ = try await device.run(on: .iOS)
        try await spoil("bootstrap", world)
        let first = await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
        #expect(first?.reason == .server(status: 401))
        #expect(world.wire.requests(to: "/api/v1/devices").count == 2)
        let kept = try await stored("bootstrap", world)
        #expect(kept?["secret"] == nil && kept?["device"]?.string?.isEmpty == false)
        let second = await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
        #expect(second?.reason == .server(status: 401))
        #expect(world.wire.requests(to: "/api/v1/devices").count == 3)
        try await device.reset()
        #expect(try await device.run(on: .iOS).value.reveal().hasPrefix("logi_pak_"))
    }

    @Test(
        "The device secret is kept after a 401 with another error, a 403 or a 500",
        .covers(.logi, rows: 43),
        arguments: [(401, #"{"error":"invalid_request"}"#), (403, ""), (500, "")]
    )
    func otherRefusal(status: Int, body: String) async throws {
        let world = try LogiWorld()
        let device = try world.logi().deviceBootstrap()
        _ = try await device.run(on: .iOS)
        let before = try await stored("bootstrap", world)
        world.wire.answer { _ in
            EndpointResponse(
                status: .init(code: status),
                fields: [.contentType: "application/json"],
                body: Array(body.utf8)
            )
        }
        #expect(await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) } != nil)
        #expect(try await stored("bootstrap", world) == before)
    }

    @Test(
        "The device secret is kept after a 401 without a code at the device-key exchange",
        .covers(.logi, rows: 43)
    )
    func bareRefusalOfExchange() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let device = logi.deviceExchange()
        _ = try await device.key(for: session, on: .iOS)
        let before = try await stored("device", world)
        world.wire.answer { $0.url.path().hasSuffix("/exchange") ? EndpointResponse(status: .unauthorized) : nil }
        let error = await thrownError { () async throws(SignInError) in _ = try await device.key(for: session, on: .iOS)
        }
        #expect(error == SignInError(.registration, .server(status: 401)))
        #expect(try await stored("device", world) == before)
    }

    @Test(
        "A device of the vendor's SDK is continued with its identifier and secret, and replaces no stored device",
        .covers(.logi, rows: 43)
    )
    func adopted() async throws {
        let world = try LogiWorld()
        let first = try world.logi().deviceBootstrap()
        _ = try await first.run(on: .iOS)
        let known = try #require(try await stored("bootstrap", world))
        let uuid = try #require(known["device"]?.string)
        let secret = try #require(known["secret"]?.string)

        let moved = try world.logi(store: MemoryStore()).deviceBootstrap()
        #expect(try await moved.adopt(device: uuid, secret: Secret(secret)))
        #expect(try await moved.run(on: .iOS).value.reveal().hasPrefix("logi_pak_"))
        #expect(world.wire.bodies(to: "/api/v1/devices").last?["device_uuid"] == .string(uuid))
        #expect(try await !moved.adopt(device: "another", secret: nil))
        let error = await thrownError { () async throws(SignInError) in
            try await moved.adopt(device: "", secret: nil)
        }
        #expect(error?.recovery == .fixConfiguration)
    }

    @Test("Concurrent calls register one device and share its response", .covers(.logi, rows: 43))
    func coalesced() async throws {
        let world = try LogiWorld()
        let device = try world.logi().deviceBootstrap()
        let sent = AsyncStream<Void>.makeStream()
        let released = AsyncStream<Void>.makeStream()
        let once = LogiOnce(EndpointResponse())
        world.wire.answer { _ in
            guard once.take() != nil else { return nil }
            sent.continuation.yield()
            var gate = released.stream.makeAsyncIterator()
            _ = await gate.next()
            return nil
        }
        let started = AsyncStream<Void>.makeStream()
        let keys = try await withThrowingTaskGroup(of: LogiAccessKey.self) { group in
            group.addTask { try await device.run(on: .iOS) }
            var observed = sent.stream.makeAsyncIterator()
            _ = await observed.next()
            for _ in 0..<20 {
                group.addTask {
                    started.continuation.yield()
                    return try await device.run(on: .iOS)
                }
            }
            var starts = started.stream.makeAsyncIterator()
            for _ in 0..<20 { _ = await starts.next() }
            for _ in 0..<100 { await Task.yield() }
            released.continuation.yield()
            return try await group.reduce(into: [LogiAccessKey]()) { $0.append($1) }
        }
        let bodies = world.wire.bodies(to: "/api/v1/devices")
        #expect(Set(bodies.map { $0["device_uuid"] }).count == 1)
        #expect(bodies.count { $0["device_secret"] == nil } == 1)
        #expect(keys.count == 21 && bodies.count < 21)
        #expect(Set(keys).count == bodies.count)
    }

    @Test(
        "A device secret that could not be stored is presented by the next call, and not returned meanwhile",
        .covers(.logi, rows: 43, 53, cites: "L-8")
    )
    func unsaved() async throws {
        let world = try LogiWorld()
        let device = try world.logi().deviceBootstrap()
        world.store.fail(.write, call: 2, with: .locked)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
                == SignInError(.storage, .storage(.locked))
        )
        #expect(try await stored("bootstrap", world)?["secret"] == nil)
        _ = try await device.run(on: .iOS)
        #expect(world.wire.bodies(to: "/api/v1/devices").last?["device_secret"] != nil)
        #expect(try await stored("bootstrap", world)?["secret"] != nil)
    }

    @Test(
        "A device identifier is stored before it is sent, and an unreadable store sends nothing",
        .covers(.logi, rows: 43, 53)
    )
    func storeFirst() async throws {
        let world = try LogiWorld()
        let device = try world.logi().deviceBootstrap()
        world.store.fail(.write, with: .unavailable)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
                == SignInError(.storage, .storage(.unavailable))
        )
        world.store.fail(.read, with: .locked)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
                == SignInError(.storage, .storage(.locked))
        )
        #expect(world.wire.requests(to: "/api/v1/devices").isEmpty)
        world.network.lose(to: "/api/v1/devices", .afterProcessing)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
                == SignInError(.registration, .transport(.interrupted))
        )
        let uuid = try #require(try await stored("bootstrap", world)?["device"])
        _ = await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
        #expect(world.wire.bodies(to: "/api/v1/devices").map { $0["device_uuid"] } == [uuid, uuid])
    }

    @Test("A corrupted device record fails as corrupted, and is left in place", .covers(.logi, rows: 53))
    func corrupted() async throws {
        let world = try LogiWorld()
        let key = StoreKey("of an earlier installation")
        for text in ["rubbish", "{}", #"{"version":2,"device":"d"}"#, #"{"version":1,"device":""}"#] {
            try await world.store.write(Array(text.utf8), for: key)
            let device = try world.logi().deviceBootstrap(storedAt: key)
            #expect(
                await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
                    == SignInError(.storage, .storage(.corrupted))
            )
            #expect(try await world.store.read(key) == Array(text.utf8))
        }
    }

    @Test(
        "A device response without a key, or without JSON, is malformed",
        .covers(.logi, rows: 43),
        arguments: [
            ("application/json", "{}", "access_token"), ("text/html", "<html>", "the response is not a JSON object"),
        ]
    )
    func malformed(type: String, text: String, part: String) async throws {
        let world = try LogiWorld()
        world.wire.answer { _ in EndpointResponse(fields: [.contentType: type], body: Array(text.utf8)) }
        let device = try world.logi().deviceBootstrap()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await device.run(on: .iOS) }
                == SignInError(.registration, .malformed(part))
        )
    }

    // MARK: - POST /api/v1/auth/anonymous_bootstrap

    @Test(
        "An anonymous account belongs to this device, and is opened again with its secret",
        .covers(.logi, rows: 44)
    )
    func anonymous() async throws {
        let world = try LogiWorld()
        let device = try world.logi().anonymousDevice()
        let first = try await device.bootstrap(on: .iOS, deviceName: "Mina's phone")
        #expect(first.isAnonymous && first.nickname == "Mina's phone" && first.tokenType == "Bearer")
        #expect(first.lifetime == .seconds(2_592_000))
        let second = try await device.bootstrap(on: .iOS)
        #expect(second.userID == first.userID && second.key != first.key)
        #expect(
            world.wire.bodies(to: "/api/v1/auth/anonymous_bootstrap").map(\.names) == [
                ["device_id", "device_platform", "device_name"], ["device_id", "device_platform", "device_secret"],
            ]
        )
    }

    @Test(
        "An anonymous account on another platform is refused before anything is sent",
        .covers(.logi, rows: 44),
        arguments: ["android", "linux", ""]
    )
    func platform(name: String) async throws {
        let world = try LogiWorld()
        let device = try world.logi().anonymousDevice()
        #expect(
            await thrownError { () async throws(SignInError) in
                _ = try await device.bootstrap(on: LogiPlatform(rawValue: name))
            } == SignInError(.registration, .configuration("Anonymous accounts are for ios and macos."))
        )
        #expect(world.wire.requests.isEmpty)
    }

    @Test(
        "An anonymous account's rejected secret is removed, and the call repeated once with the same identifier",
        .covers(.logi, rows: 44)
    )
    func anonymousRetry() async throws {
        let world = try LogiWorld()
        let device = try world.logi().anonymousDevice()
        let first = try await device.bootstrap(on: .iOS)
        try await spoil("anonymous", world)
        let second = try await device.bootstrap(on: .iOS)
        #expect(second.userID != first.userID)
        let bodies = world.wire.bodies(to: "/api/v1/auth/anonymous_bootstrap")
        #expect(bodies.map { $0["device_secret"] != nil } == [false, true, false])
        #expect(Set(bodies.map { $0["device_id"] }).count == 1)
    }

    @Test(
        "A second rejection of the anonymous account's secret is not retried",
        .covers(.logi, rows: 44)
    )
    func retriedOnce() async throws {
        let world = try LogiWorld()
        let device = try world.logi().anonymousDevice()
        _ = try await device.bootstrap(on: .iOS)
        let refusal = EndpointResponse(
            status: .unauthorized,
            fields: [.contentType: "application/json"],
            body: Array(#"{"error":"invalid_device_secret","request_id":"req_1"}"#.utf8)
        )
        world.wire.answer { _ in refusal }
        let error = await thrownError { () async throws(SignInError) in _ = try await device.bootstrap(on: .iOS) }
        #expect(Self.refused(.invalidDeviceSecret, error))
        #expect(world.wire.requests(to: "/api/v1/auth/anonymous_bootstrap").count == 3)
    }

    @Test(
        "An anonymous account under the same store key continues, and another key has another account",
        .covers(.logi, rows: 44, 53)
    )
    func legacyKey() async throws {
        let world = try LogiWorld()
        let key = StoreKey("dev.1pass.LogiAuth.anonymous.\(LogiDevelopment.clientID)")
        let before = try await world.logi().anonymousDevice(storedAt: key).bootstrap(on: .iOS)
        #expect(try await world.logi().anonymousDevice(storedAt: key).bootstrap(on: .iOS).userID == before.userID)
        #expect(try await world.logi().anonymousDevice().bootstrap(on: .iOS).userID != before.userID)
    }

    // MARK: - POST /api/v1/me/device_keys/exchange

    @Test(
        "An access token is exchanged for a device key, wherever the response names the device record",
        .covers(.logi, rows: 43),
        arguments: [LogiDialect.Options.DeviceRecord.topLevelNumber, .topLevelText, .device, .user]
    )
    func exchange(form: LogiDialect.Options.DeviceRecord) async throws {
        let world = try LogiWorld(options: .init(deviceRecord: form))
        let logi = try world.logi()
        let session = try await logi.signIn()
        let device = logi.deviceExchange()
        #expect(try await device.storedDeviceRecordID() == nil)
        let key = try await device.key(for: session, on: .iOS)
        #expect(key.value.reveal().hasPrefix("logi_pak_") && key.scopes.text == "profile:basic email")
        let record = try #require(key.deviceRecordID)
        #expect(Int(record) != nil)
        #expect(try await logi.deviceExchange().storedDeviceRecordID() == record)
        let request = try #require(world.wire.requests(to: "/api/v1/me/device_keys/exchange").first)
        #expect(request.fields[.authorization] == "Bearer " + session.tokens.accessToken.reveal())
        #expect(request.limits.deadline == .seconds(15))
        let again = try await device.key(for: session, on: .iOS)
        #expect(again.deviceRecordID == record)
        #expect(
            world.wire.bodies(to: "/api/v1/me/device_keys/exchange").map { $0["device_secret"] != nil } == [
                false, true,
            ]
        )
    }

    @Test(
        "A device claimed by another user is reported, and its stored secret is kept",
        .covers(.logi, rows: 43)
    )
    func claimed() async throws {
        let world = try LogiWorld()
        let mina = try world.logi()
        let device = mina.deviceExchange()
        _ = try await device.key(for: try await mina.signIn(), on: .iOS)
        let before = try await stored("device", world)
        let jun = try world.logi(browser: LogiBrowser(world.network, world.clock, "jun"))
        let session = try await jun.signIn()
        let other = jun.deviceExchange()
        let error = await thrownError { () async throws(SignInError) in _ = try await other.key(for: session, on: .iOS)
        }
        #expect(Self.refused(.deviceClaimedByOtherUser, error))
        #expect(try await stored("device", world) == before)
        try await other.reset()
        #expect(try await other.key(for: session, on: .iOS).deviceRecordID != nil)
    }

    @Test(
        "A rejected secret at the device-key exchange is removed, and a new one requested once",
        .covers(.logi, rows: 43)
    )
    func exchangeRetry() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let device = logi.deviceExchange()
        let first = try await device.key(for: session, on: .iOS)
        try await spoil("device", world)
        let second = try await device.key(for: session, on: .iOS)
        #expect(second.deviceRecordID == first.deviceRecordID)
        #expect(
            world.wire.bodies(to: "/api/v1/me/device_keys/exchange").map { $0["device_secret"] != nil }
                == [false, true, false]
        )
    }

    @Test(
        "The device-key limit of an hour is rejected as rate limited, with the time to wait",
        .covers(.logi, rows: 43, 56)
    )
    func rateLimit() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let device = logi.deviceExchange()
        for _ in 0..<10 { _ = try await device.key(for: session, on: .iOS) }
        world.clock.advance(by: .seconds(600))
        let error = await thrownError { () async throws(SignInError) in _ = try await device.key(for: session, on: .iOS)
        }
        #expect(Self.refused(.rateLimited, error))
        #expect(error?.retryAfter == .seconds(3000))
        world.clock.advance(by: .seconds(3000))
        _ = try await device.key(for: session, on: .iOS)
    }

    @Test(
        "Concurrent device-key exchanges of two users run one after the other",
        .covers(.logi, rows: 43)
    )
    func people() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let mina = try await logi.signIn()
        let jun = try await world.logi(
            browser: LogiBrowser(world.network, world.clock, "jun"),
            store: MemoryStore()
        ).signIn()
        let device = logi.deviceExchange()
        let sent = AsyncStream<Void>.makeStream()
        let released = AsyncStream<Void>.makeStream()
        let once = LogiOnce(EndpointResponse())
        world.wire.answer { request in
            guard request.url.path().hasSuffix("/exchange"), once.take() != nil else { return nil }
            sent.continuation.yield()
            var gate = released.stream.makeAsyncIterator()
            _ = await gate.next()
            return nil
        }
        async let first = device.key(for: mina, on: .iOS)
        var observed = sent.stream.makeAsyncIterator()
        _ = await observed.next()
        let other = Task { () async -> SignInError? in
            await thrownError { () async throws(SignInError) in _ = try await device.key(for: jun, on: .iOS) }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(world.wire.requests(to: "/api/v1/me/device_keys/exchange").count == 1)
        released.continuation.yield()
        #expect(try await first.deviceRecordID != nil)
        #expect(Self.refused(.deviceClaimedByOtherUser, await other.value))
    }

    @Test("A session that has ended exchanges no device key", .covers(.logi, rows: 43))
    func ended() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        try await logi.signOut(session)
        let device = logi.deviceExchange()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await device.key(for: session, on: .iOS) }
                == SignInError(.refresh, .signInRequired)
        )
    }

    /// Replaces the stored secret with one that the server does not know.
    private func spoil(_ purpose: String, _ world: LogiWorld) async throws {
        let parts = ["logi", purpose, LogiPreset.issuer, LogiDevelopment.clientID]
        let key = StoreKey(parts.map(FormURLEncoding.escape).joined(separator: "/"))
        var object = try #require(try await stored(purpose, world))
        object["secret"] = "another"
        try await world.store.write(object.encoded(), for: key)
    }
}
