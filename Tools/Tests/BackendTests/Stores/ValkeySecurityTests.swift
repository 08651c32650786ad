import Foundation
import OstiaryOAuth
import OstiaryServer
import OstiaryValkey
import Testing

@Suite("The way to Valkey, and servers that would forget", .timeLimit(.minutes(5)))
struct ValkeySecurityTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func insert(into store: ValkeyStore) async throws -> ReplayAnswer {
        let name = StoreDigest("proof", [UUID().uuidString])
        return try await store.insert(name, owner: StoreDigest("owner", []), until: now + 60, now: now)
    }

    @Test("A password is presented, and a wrong or missing one is named at the check and is a refusal of every call")
    func password() async throws {
        let server = try await ValkeyServer("requirepass \"pass word'\\\\\"")
        let right = ValkeyStore(try server.configuration { $0.password = ValkeyServer.password })
        #expect(try await right.check())
        #expect(try await insert(into: right) == .inserted)
        for (password, word) in [(Secret("wrong"), "WRONGPASS"), (nil, "NOAUTH")] as [(Secret?, String)] {
            let store = ValkeyStore(
                try server.configuration {
                    $0.password = password
                    $0.timeLimit = .seconds(1)
                }
            )
            let failure = await #expect(throws: ValkeyFailure.self) { try await store.check() }
            #expect(failure == .rejected(word))
            #expect("\(failure as Any)".contains("Compare user and password"))
            await #expect(throws: StorageFailure.self) { try await insert(into: store) }
        }
    }

    @Test("A user of the access control list works with the commands and keys that docs/backend.md names")
    func user() async throws {
        let server = try await ValkeyServer(
            "user ostiary on \">pass word'\\\\\" ~ostiary:* +@connection +info +eval +get +set +zadd +zcount +zremrangebyscore +pttl +pexpire"
        )
        let store = ValkeyStore(
            try server.configuration {
                $0.user = "ostiary"
                $0.password = ValkeyServer.password
            }
        )
        try await store.check()
        #expect(try await insert(into: store) == .inserted)
        #expect(try await store.take(RateLimit(1, per: .seconds(60)), for: StoreDigest("a", []), now: now) == .allowed)
        let failures = ValkeyFailures()
        let other = ValkeyStore(
            try server.configuration {
                $0.user = "ostiary"
                $0.password = ValkeyServer.password
                $0.keyPrefix = "other:"
            },
            events: failures.add
        )
        await #expect(throws: StorageFailure.unavailable) { try await insert(into: other) }
        #expect("\(failures.all)".contains("NOPERM") || "\(failures.all)".contains("ERR"))
    }

    @Test("A Unix socket is a host that begins with a slash")
    func socket() async throws {
        let server = try await ValkeyServer()
        let store = ValkeyStore(
            try ValkeyConfiguration(host: server.folder.appending(path: "socket").path, security: .none)
        )
        #expect(try await store.check())
        #expect(try await insert(into: store) == .inserted)
    }

    @Test("A certificate of the named authority for the host's name is accepted, and any other is refused")
    func certificates() async throws {
        let tls = try FreePort.find()
        let server = try await ValkeyServer(
            "tls-port \(tls)",
            "tls-cert-file certificate.pem",
            "tls-key-file key.pem",
            "tls-auth-clients no"
        )
        func store(_ host: String, _ authority: String) throws -> ValkeyStore {
            let file = server.folder.appending(path: authority).path
            var configuration = try ValkeyConfiguration(
                host: host,
                port: tls,
                security: .verified(certificateAuthorities: file)
            )
            configuration.timeLimit = .seconds(2)
            return ValkeyStore(configuration)
        }
        let right = try store("localhost", "certificate.pem")
        #expect(try await right.check())
        #expect(try await insert(into: right) == .inserted)
        let wrong = [("localhost", "other.pem"), ("127.0.0.1", "certificate.pem"), ("localhost", "missing.pem")]
        for (host, authority) in wrong {
            let store = try store(host, authority)
            await #expect(throws: ValkeyFailure.self) { try await store.check() }
            await #expect(throws: StorageFailure.self) { try await insert(into: store) }
        }
    }

    @Test(
        "A server that removes entries when its memory is full is refused, and one that refuses writes fails the call"
    )
    func memory() async throws {
        let server = try await ValkeyServer("maxmemory 100mb", "maxmemory-policy allkeys-lru")
        let failures = ValkeyFailures()
        let store = ValkeyStore(try server.configuration(), events: failures.add)
        await #expect(throws: ValkeyFailure.evicts(policy: "allkeys-lru")) { try await store.check() }
        #expect(ValkeyFailure.evicts(policy: "a").description.contains("maxmemory-policy noeviction"))
        try await server.run("config set maxmemory-policy noeviction")
        #expect(try await store.check())
        try await server.run("config set maxmemory 1")
        await #expect(throws: StorageFailure.unavailable) { try await insert(into: store) }
        #expect("\(failures.all)".contains("OOM"))
    }

    @Test("A server that writes no file is allowed, and the check says so")
    func file() async throws {
        let server = try await ValkeyServer()
        try await server.run("config set appendonly no")
        #expect(try await ValkeyStore(try server.configuration()).check() == false)
    }

    @Test("A server of a cluster is refused")
    func cluster() async throws {
        // The default, the server's port plus 10,000, can be beyond the last port that there is.
        let server = try await ValkeyServer("cluster-enabled yes", "cluster-port \(try FreePort.find())")
        await #expect(throws: ValkeyFailure.isCluster) { try await ValkeyStore(try server.configuration()).check() }
    }

    @Test("A server that has become a replica fails the call, and serves again once it is none")
    func replica() async throws {
        let server = try await ValkeyServer()
        let failures = ValkeyFailures()
        let store = ValkeyStore(try server.configuration(), events: failures.add)
        #expect(try await insert(into: store) == .inserted)
        try await server.run("replicaof 127.0.0.1 \(try FreePort.find())")
        await #expect(throws: StorageFailure.unavailable) { try await insert(into: store) }
        #expect("\(failures.all)".contains("READONLY"))
        try await server.run("replicaof no one")
        #expect(try await insert(into: store) == .inserted)
    }
}
