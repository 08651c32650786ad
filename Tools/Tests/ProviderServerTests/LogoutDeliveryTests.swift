import Foundation
import Hummingbird
import Logging
import NIOHTTP1
import OstiaryAsyncHTTPClient
import OstiaryHummingbird
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import ProviderServer
import Synchronization
import Testing

/// A provider and a backend of this kit, each at a port of this machine.
@Suite("Logout tokens from the provider's server", .timeLimit(.minutes(2)))
struct LogoutDeliveryTests {
    /// The events of a provider, to wait for.
    private struct Events {
        let stream: AsyncStream<ProviderEvent>
        let continuation: AsyncStream<ProviderEvent>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func first(_ outcome: ProviderEvent.Outcome) async -> ProviderEvent? { await firstOf([outcome]) }

        func firstOf(_ outcomes: Set<ProviderEvent.Outcome>) async -> ProviderEvent? {
            for await event in stream where outcomes.contains(event.outcome) { return event }
            return nil
        }
    }

    /// Starts a backend that ends sessions at `/signed-out`; its port, and the task that runs it.
    private static func backend(_ issuer: Issuer, _ store: MemoryServerStore) async throws -> (Int, Task<Void, Never>) {
        let keys = try KeySource(issuer: issuer, transport: AsyncHTTPClientTransport())
        let verifier = LogoutTokenVerifier(keys: keys, clientID: Fixtures.clientID, replays: store)
        let router = Router()
        router.add(BackChannelLogout(verifier: verifier, sessions: store), at: "/signed-out")
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "backend", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let task = Task { _ = try? await application.run() }
        return (await ports.first { _ in true } ?? 0, task)
    }

    @Test("A sign-out at the provider ends the user's session at a backend of this kit, and the log says so")
    func backChannel() async throws {
        let events = Events()
        let store = MemoryServerStore()
        let backend = Mutex<Task<Void, Never>?>(nil)
        let running = try await ProviderServer.start { issuer in
            let (port, task) = try await Self.backend(issuer, store)
            backend.withLock { $0 = task }
            var configuration = try Fixtures.configuration(issuer)
            configuration.outbound = OutboundConnections()
            configuration.clients[0].backChannelLogout = ClientLogout(
                try ClientURI("http://127.0.0.1:\(port)/signed-out"),
                isSessionRequired: true
            )
            return Provider(
                configuration: configuration,
                clock: .server,
                random: SystemRandomNumberGenerator(),
                events: { events.continuation.yield($0) }
            )
        }
        var browser = Browser(running.issuer)
        let tokens = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
        let idToken = try SignIn.member("id_token", of: tokens)
        _ = try await store.insert(
            ServerSessionRecord(
                id: StoreDigest("test", ["alice"]),
                issuer: running.issuer.description,
                subject: "subject-of-alice",
                sessionID: try Self.claim("sid", of: idToken),
                keyThumbprint: nil,
                created: .now,
                absoluteExpiry: .now.addingTimeInterval(1000),
                idleExpiry: .now.addingTimeInterval(1000),
                sealed: []
            )
        )
        let page = try await browser.open("/end-session?id_token_hint=\(idToken)")
        #expect(page.status == 200 && page.text.contains("You are signed out."))
        let event = await events.first(.delivered)
        #expect(event?.clientID == Fixtures.clientID && event?.status == 200)
        #expect(try await store.session(StoreDigest("test", ["alice"]), now: .now) == nil)
        backend.withLock { $0?.cancel() }
        await running.stop()
    }

    /// The host of a client that takes a logout token only if it can read the provider's key set.
    private struct KeyReader: OutboundTransport {
        let issuer: Issuer

        func send(
            _ request: EndpointRequest,
            reach: OutboundReach
        ) async throws(OutboundFailure) -> EndpointResponse {
            guard let answer = try? await RawHTTP.send(.GET, "\(issuer)/jwks"), answer.status == 200 else {
                throw .transport(.unreachable)
            }
            return EndpointResponse()
        }

        func wait(_ duration: Duration) async throws {}
    }

    @Test("A logout token that a former process has left is sent when the provider responds, not while it starts")
    func resumed() async throws {
        let events = Events()
        let storage = MemoryProviderStorage()
        await storage.put(
            ProviderRecord(
                kind: .pendingLogout,
                key: "left",
                value: ["client_id": .string(Fixtures.clientID), "sid": "s", "sub": "subject-of-alice"],
                expires: .now.addingTimeInterval(100)
            )
        )
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.outbound = KeyReader(issuer: issuer)
            configuration.clients[0].backChannelLogout = ClientLogout(try ClientURI("http://127.0.0.1:49152/out"))
            let provider = Provider(
                configuration: configuration,
                storage: storage,
                clock: .server,
                random: SystemRandomNumberGenerator(),
                events: { events.continuation.yield($0) }
            )
            try await provider.prepare()
            // Time for a delivery that would begin too early.
            for _ in 0..<20 {
                let answer = try await RawHTTP.send(.GET, "\(issuer)/jwks")
                #expect(answer.status == 503)
            }
            return provider
        }
        let event = await events.firstOf([.delivered, .undelivered])
        #expect(event?.outcome == .delivered && event?.reason.hasSuffix("at attempt 1.") == true)
        await running.stop()
    }

    private static func claim(_ name: String, of token: String) throws -> String? {
        let payload = try Base64URL.decode(String(token.split(separator: ".")[1]))
        return try JSONObject(parsing: payload)[name]?.string
    }

    @Test("The page after signing out has a frame for a client's logout page in HTML, and its policy allows it")
    func frontChannel() async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.clients[0].frontChannelLogout = ClientLogout(
                try ClientURI("http://127.0.0.1:49152/out?a=1&b=2")
            )
            return try await Provider.forPeople(configuration)
        }
        var browser = Browser(running.issuer)
        let tokens = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
        let idToken = try SignIn.member("id_token", of: tokens)
        let page = try await browser.open("/end-session?id_token_hint=\(idToken)")
        #expect(page.text.contains("<iframe src=\"http://127.0.0.1:49152/out?a=1&amp;b=2\" title="))
        #expect(
            page.fields.first(name: "content-security-policy")?.contains("frame-src http://127.0.0.1:49152") == true
        )
        await running.stop()
    }

    @Test(
        "A host that resolves to this machine is out of reach for clients that registered themselves: nothing is sent"
    )
    func rebinding() async throws {
        try await Fixtures.withProvider { running in
            let request = EndpointRequest(url: try #require(URL(string: "http://localhost:\(running.port)/health")))
            await #expect(throws: OutboundFailure.addressOutOfReach) {
                try await OutboundConnections().send(request, reach: .publicHosts)
            }
            #expect(try await OutboundConnections().send(request, reach: .publicHostsAndLoopback).status == .ok)
            #expect(try await OutboundConnections().send(request, reach: .anywhere).status == .ok)
        }
    }

    @Test("A request goes to the address that was checked, whatever the name resolves to afterwards")
    func pinned() async throws {
        try await Fixtures.withProvider { running in
            let asked = Mutex(0)
            let connections = OutboundConnections(resolve: { host in
                asked.withLock { $0 += 1 }
                return host == "client.test" ? [RemoteAddress(octets: [127, 0, 0, 1])] : []
            })
            let url = try #require(URL(string: "http://client.test:\(running.port)/health"))
            let request = EndpointRequest(url: url)
            #expect(try await connections.send(request, reach: .publicHostsAndLoopback).status == .ok)
            #expect(asked.withLock { $0 } == 1)
        }
    }

    @Test("A name whose look-up never ends keeps a request no longer than its deadline")
    func hangingLookUp() async throws {
        let connections = OutboundConnections(resolve: { _ in await withUnsafeContinuation { _ in } })
        let request = EndpointRequest(
            url: try #require(URL(string: "https://client.test/")),
            limits: EndpointRequest.Limits(deadline: .milliseconds(10))
        )
        await #expect(throws: OutboundFailure.transport(.timedOut)) {
            try await connections.send(request, reach: .publicHosts)
        }
        await #expect(throws: OutboundFailure.transport(.timedOut)) {
            try await connections.status(of: request, reach: .publicHosts)
        }
    }

    @Test("The status of a client decides about a logout token, however long the body behind it is")
    func longBody() async throws {
        let events = Events()
        let (ports, port) = AsyncStream<Int>.makeStream()
        let router = Router()
        router.post("/signed-out") { _, _ in String(repeating: "a", count: 1_000_000) }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "backend", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let task = Task { _ = try? await application.run() }
        let uri = try ClientURI("http://127.0.0.1:\(await ports.first { _ in true } ?? 0)/signed-out")
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.outbound = OutboundConnections()
            configuration.clients[0].backChannelLogout = ClientLogout(uri)
            return Provider(
                configuration: configuration,
                clock: .server,
                random: SystemRandomNumberGenerator(),
                events: { events.continuation.yield($0) }
            )
        }
        var browser = Browser(running.issuer)
        let tokens = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
        let idToken = try SignIn.member("id_token", of: tokens)
        _ = try await browser.open("/end-session?id_token_hint=\(idToken)")
        let event = await events.firstOf([.delivered, .undelivered])
        #expect(event?.outcome == .delivered && event?.status == 200)
        task.cancel()
        await running.stop()
    }

    @Test("A private address among those of a name keeps a request from being sent")
    func mixedAddresses() async throws {
        let connections = OutboundConnections(resolve: { _ in
            [RemoteAddress(octets: [93, 184, 215, 14]), RemoteAddress(octets: [10, 0, 0, 1])]
        })
        let request = EndpointRequest(url: try #require(URL(string: "https://client.test/")))
        await #expect(throws: OutboundFailure.addressOutOfReach) {
            try await connections.send(request, reach: .publicHosts)
        }
    }

    @Test(
        "An address is public unless a registry of special-purpose addresses has it",
        arguments: [
            ([8, 8, 8, 8], true), ([93, 184, 215, 14], true), ([172, 32, 0, 1], true), ([100, 128, 0, 1], true),
            ([0, 0, 0, 0], false), ([10, 1, 2, 3], false), ([100, 64, 0, 1], false), ([127, 0, 0, 1], false),
            ([169, 254, 169, 254], false), ([172, 16, 0, 1], false), ([172, 31, 255, 255], false),
            ([192, 168, 1, 1], false), ([198, 19, 0, 1], false), ([224, 0, 0, 1], false),
            ([255, 255, 255, 255], false),
            ([0x2a, 0, 0x14, 0x50] + [UInt8](repeating: 1, count: 12), true),
            ([UInt8](repeating: 0, count: 15) + [1], false),
            ([UInt8](repeating: 0, count: 10) + [0xff, 0xff, 127, 0, 0, 1], false),
            ([0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1], false),
            ([0xfd, 0] + [UInt8](repeating: 0, count: 13) + [1], false),
            ([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 12), false),
            ([0x20, 0x02, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 10), false),
            ([0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8) + [10, 0, 0, 1], false),
        ] as [([UInt8], Bool)]
    )
    func publicAddresses(octets: [UInt8], isPublic: Bool) {
        #expect(RemoteAddress(octets: octets).isPublic == isPublic)
    }
}
