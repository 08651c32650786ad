import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The promises about revoked tokens.
extension ServerStoreCheck {
    func checkRevocations() async throws {
        try await checkRevocationOrder()
        try await checkRevocationPages()
    }

    private func revoke(_ name: String, _ revoked: Double, until expiry: Double, _ promise: String) async throws {
        try await asked(promise) { try await store.revoke(revocation(name, revoked, expiry)) }
    }

    func revocation(_ name: String, _ revoked: Double, _ expiry: Double) -> RevocationRecord {
        RevocationRecord(name: digest(name), revokedAt: at(revoked), expiry: at(expiry))
    }

    /// Another instance sees what this one wrote.
    private func read(
        since start: Double,
        after last: StoreDigest? = nil,
        limit: Int = 100,
        _ now: Double,
        _ promise: String
    ) async throws -> [RevocationRecord] {
        try await asked(promise) {
            try await instances[instances.count - 1].revocations(
                since: at(start),
                after: last,
                limit: limit,
                now: at(now)
            )
        }
    }

    private func checkRevocationOrder() async throws {
        let promise = "Revocations come in the order of their times, once each, until they have expired."
        try expect(try await read(since: -1000, 0, promise), [], promise)
        try await revoke("second", 1.5, until: 60, promise)
        try await revoke("first", 0, until: 90, promise)
        let (first, second) = (revocation("first", 0, 90), revocation("second", 1.5, 60))
        try expect(try await read(since: -1000, 2, promise), [first, second], promise)
        try expect(try await read(since: 0, 2, promise), [first, second], promise)
        try expect(try await read(since: 1, 2, promise), [second], promise)
        try expect(try await read(since: 1.75, 2, promise), [], promise)
        try expect(try await read(since: 0, 59.999, promise), [first, second], promise)
        try expect(try await read(since: 0, 60, promise), [first], promise)
        try await revoke("first", 5, until: 95, promise)
        try expect(try await read(since: 0, 5, promise), [second, revocation("first", 5, 95)], promise)
        // A slow writer takes nothing back.
        try await revoke("first", 4, until: 94, promise)
        try expect(try await read(since: 2, 5, promise), [revocation("first", 5, 95)], promise)
    }

    private func checkRevocationPages() async throws {
        let promise = "Revocations can be read in pages, those of one moment by their names."
        let names = (0..<5).map { "page \($0)" }
        for name in names { try await revoke(name, 10, until: 60, promise) }
        try await revoke("next page", 11, until: 60, promise)
        let expected =
            names.map { revocation($0, 10, 60) }
            .sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) } + [revocation("next page", 11, 60)]
        var found: [RevocationRecord] = []
        var (start, last): (Double, StoreDigest?) = (10, nil)
        for _ in 0..<10 {
            let page = try await read(since: start, after: last, limit: 2, 12, promise)
            guard let end = page.last else { break }
            found += page
            (start, last) = (end.revokedAt.timeIntervalSince(at(0)), end.name)
        }
        try expect(found, expected, promise)
    }
}
