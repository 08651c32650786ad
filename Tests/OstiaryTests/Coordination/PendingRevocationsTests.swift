import Foundation
import OstiaryOAuth
import Testing

@testable import Ostiary

@Suite("Refresh tokens that wait to be revoked")
struct PendingRevocationsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let maximumBytes = 786_432

    private func token(_ number: Int, bytes: Int) -> Secret {
        let name = "\(number)-"
        return Secret(name + String(repeating: "t", count: bytes - name.utf8.count))
    }

    @Test(
        "Sixteen pending revocations are stored so that they can be read, and the oldest dropped",
        arguments: [20, 100, 250]
    )
    func readable(kibibytes: Int) throws {
        var pending = PendingRevocations()
        for number in 1...16 { pending.add(token(number, bytes: kibibytes * 1024), of: "alice", now: Self.now) }
        let read = try PendingRevocations(pending.bytes)
        #expect(read.entries == pending.entries && pending.bytes.count <= Self.maximumBytes)
        #expect(read.entries.last?.token == token(16, bytes: kibibytes * 1024))
        #expect(read.entries.count == min(16, Self.maximumBytes / (kibibytes * 1024 + 100)))
    }

    @Test("An attempt that is counted does not make the tokens too large to be read")
    func countedAttempt() throws {
        func pending(padding: Int) -> (PendingRevocations, Secret) {
            var pending = PendingRevocations()
            let large = Secret(String(repeating: "t", count: padding))
            pending.add(Secret("old"), of: nil, now: Self.now)
            pending.add(large, of: nil, now: Self.now)
            for _ in 1...9 { pending.countAttempt(of: large) }
            return (pending, large)
        }
        var (full, large) = pending(padding: Self.maximumBytes - pending(padding: 0).0.bytes.count)
        #expect(full.bytes.count == Self.maximumBytes && full.entries.count == 2)
        full.countAttempt(of: large)
        #expect(try PendingRevocations(full.bytes).entries.map(\.token) == [large])
    }

    @Test("A token that is too large to be read again is not kept")
    func tooLarge() throws {
        var pending = PendingRevocations()
        pending.add(token(1, bytes: Self.maximumBytes), of: nil, now: Self.now)
        #expect(pending.entries.isEmpty)
    }
}
