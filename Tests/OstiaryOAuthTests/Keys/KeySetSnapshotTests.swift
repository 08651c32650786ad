import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("A snapshot of keys")
struct KeySetSnapshotTests {
    private func snapshot() throws -> KeySetCache.Snapshot {
        try #require(try CacheAt.full(validity: .lasting(.seconds(900)), entityTag: #""1""#).cache.snapshot)
    }

    private func object() throws -> JSONObject { try JSONObject(parsing: try snapshot().encoded()) }

    @Test("An encoded key set snapshot is read back, and also reads as a key set")
    func roundTrip() throws {
        let snapshot = try snapshot()
        #expect(try KeySetCache.Snapshot(parsing: snapshot.encoded()) == snapshot)
        #expect(try JSONWebKeySet(parsing: snapshot.encoded()) == Fixtures.keys)
    }

    @Test("A cache restored from a snapshot keeps its lifetime, refresh time and entity tag")
    func restored() throws {
        var world = CacheAt(cache: KeySetCache(restoring: try snapshot(), jitter: 0.5))
        #expect(world.answer(at: 900) == .hit(Fixtures.keys) && world.isRefreshDue(at: 720))
        #expect(world.state(at: 901) == .stale(since: CacheAt.time(900)) && world.answer(at: 901) == .fetch)
        #expect(world.cache.ticket(for: CacheAt.jwks).entityTag == #""1""#)
    }

    @Test(
        "A snapshot's lifetime is limited to the range from five minutes to a day",
        arguments: [(1, 300), (1_000_000, 86_400)]
    )
    func lifetime(_ written: Int, _ read: Double) throws {
        var object = try object()
        object["lifetime"] = .integer(written)
        #expect(try KeySetCache.Snapshot(parsing: object.encoded()).lifetime == .seconds(read))
    }

    @Test("Unusable keys of a snapshot are left out, and a snapshot without a key is malformed")
    func unusableKeys() throws {
        var object = try object()
        var weak = Fixtures.otherKey.publicKey.jsonObject
        weak["use"] = "enc"
        object["keys"] = .array([.object(weak), .object(Fixtures.key.publicKey.jsonObject)])
        #expect(try KeySetCache.Snapshot(parsing: object.encoded()).keys.keys == Fixtures.keys.keys)
        object["keys"] = .array([.object(weak)])
        #expect(throws: SignInError(.keys, .malformed("the key set snapshot: keys"))) {
            try KeySetCache.Snapshot(parsing: object.encoded())
        }
    }

    @Test(
        "A missing or wrong member of a snapshot is named in the error",
        arguments: [
            ("keys", nil), ("keys", "none"), ("jwks_uri", nil), ("jwks_uri", "http://id.example.com/jwks"),
            ("jwks_uri", "jwks"), ("fetched", nil), ("fetched", "now"), ("fetched", -1), ("fetched", .integer(.max)),
            ("lifetime", nil), ("lifetime", 0.5), ("etag", 7), ("etag", "a\r\nb: c"),
        ] as [(String, JSONValue?)]
    )
    func malformed(_ name: String, _ value: JSONValue?) throws {
        var object = try object()
        object[name] = value
        #expect(throws: SignInError(.keys, .malformed("the key set snapshot: \(name)"))) {
            try KeySetCache.Snapshot(parsing: object.encoded())
        }
    }

    @Test("A snapshot that is no JSON is malformed")
    func noJSON() {
        #expect(throws: SignInError(.keys, .malformed("the key set snapshot: the JSON"))) {
            try KeySetCache.Snapshot(parsing: Array("{".utf8))
        }
    }
}
