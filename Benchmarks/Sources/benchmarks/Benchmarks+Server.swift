import Foundation
import JWTKit
import OstiaryJOSE
import OstiarySQLite
import OstiaryServer
import Subjects
import Synchronization

/// A request at a guarded route, and the end of a session among many.
extension Benchmarks {
    static func guardRoutes() async throws {
        let iterations = 1000
        for algorithm in [SignatureAlgorithm.rs256, .es256] {
            let key = try SigningKey.generate(algorithm, keyID: "k")
            let token = try Subject.accessToken(by: key)
            let kit = try await kitKeys(key)
            try await Measurement.show(
                Subject.guardedRoute(of: token, by: key, operations: Measurement.rounds * iterations),
                iterations: iterations,
                beside: [
                    ("jwt-kit: the signature, four claims", { _ = try await kit.verify(token, as: AccessClaims.self) })
                ]
            )
        }
    }

    /// A logout token names one session among a hundred times as many; every call ends another one.
    static func signOut() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        var contenders: [(name: String, body: @Sendable () async throws -> Void)] = []
        for count in [100, 1000, 10_000] {
            let store = try SQLiteServerStore(path: folder.appending(path: "\(count).sqlite").path)
            for number in 0..<count { _ = try await store.insert(session(number)) }
            let ended = Mutex(0)
            contenders.append(
                (
                    "sessions: \(count)",
                    {
                        let number = ended.withLock { ended in
                            ended += 1
                            return ended
                        }
                        let removed = try await store.removeSessions(
                            issuer: "https://id.example.com",
                            subject: nil,
                            sessionID: "session-\(count - number)"
                        )
                        precondition(removed.count == 1)
                    }
                )
            )
        }
        Measurement.show("Sign out by sid, SQLite", try await Measurement.compare(iterations: 5, contenders))
    }

    private static func session(_ number: Int) -> ServerSessionRecord {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        return ServerSessionRecord(
            id: StoreDigest("session", ["\(number)"]),
            issuer: "https://id.example.com",
            subject: "user-\(number)",
            sessionID: "session-\(number)",
            keyThumbprint: nil,
            created: now,
            absoluteExpiry: now + 86_400,
            idleExpiry: now + 3600,
            sealed: [UInt8](repeating: 7, count: 2000)
        )
    }

    private struct AccessClaims: JWTPayload {
        var iss: String
        var aud: String
        var scope: String
        var exp: Int
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }
}
