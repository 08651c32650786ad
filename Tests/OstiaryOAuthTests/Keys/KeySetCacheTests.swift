import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

/// A cache, and the time since its keys were stored.
struct CacheAt {
    static let jwks = Fixtures.server.jwksURI!

    var cache = KeySetCache()

    /// A cache with the keys of the fixtures, stored at second 0 for an hour unless told otherwise.
    static func full(
        _ keys: JSONWebKeySet = Fixtures.keys,
        validity: KeySetRequest.Answer.Validity = .unsaid,
        entityTag: String? = nil,
        jitter: Double = 0.5
    ) throws -> CacheAt {
        var world = CacheAt()
        try world.store(.init(.keys(keys), validity: validity, entityTag: entityTag), jitter: jitter)
        return world
    }

    static func time(_ seconds: Double) -> Date { Fixtures.now.addingTimeInterval(seconds) }

    mutating func store(_ answer: KeySetRequest.Answer, at seconds: Double = 0, jitter: Double = 0.5)
        throws(SignInError)
    {
        let ticket = cache.ticket(for: Self.jwks)
        try cache.store(answer, for: ticket, at: Self.time(seconds), jitter: jitter)
    }

    mutating func fail(at seconds: Double, retryAfter: Duration? = nil) {
        cache.recordFailure(of: nil, at: Self.time(seconds), retryAfter: retryAfter)
    }

    mutating func answer(_ keyID: String? = "key-1", at seconds: Double = 0) -> KeySetCache.Answer {
        cache.answer(keyID: keyID, algorithm: .es256, at: Self.time(seconds))
    }

    func state(at seconds: Double) -> KeySetCache.State { cache.state(at: Self.time(seconds)) }
    func isRefreshDue(at seconds: Double) -> Bool { cache.isRefreshDue(at: Self.time(seconds)) }
}

@Suite("The key cache")
struct KeySetCacheTests {
    private let hit = KeySetCache.Answer.hit(Fixtures.keys)
    private let refusal = KeySetCache.Answer.refuse(Fixtures.keys)
    private let other = JSONWebKeySet([Fixtures.otherKey.publicKey])

    @Test("An empty key set cache requests a fetch, and its state is missing")
    func empty() {
        var world = CacheAt()
        #expect(world.answer() == .fetch && world.state(at: 0) == .missing && world.isRefreshDue(at: 0))
    }

    @Test("Cached keys are used for their lifetime, and fetched after it")
    func lifetime() throws {
        var world = try CacheAt.full()
        #expect(world.answer(at: 3600) == hit && world.state(at: 3600) == .fresh)
        #expect(world.answer(at: 3601) == .fetch && world.state(at: 3601) == .stale(since: CacheAt.time(3600)))
    }

    @Test("A key set's lifetime is the issuer's, between five minutes and a day, and an hour by default")
    func lifetimes() throws {
        func lifetime(_ validity: KeySetRequest.Answer.Validity) throws -> Duration? {
            try CacheAt.full(validity: validity).cache.snapshot?.lifetime
        }
        #expect(try lifetime(.unsaid) == .seconds(3600))
        #expect(try lifetime(.lasting(.zero)) == .seconds(300))
        #expect(try lifetime(.lasting(.seconds(301))) == .seconds(301))
        #expect(try lifetime(.lasting(.seconds(86_399))) == .seconds(86_399))
        #expect(try lifetime(.lasting(.seconds(1e12))) == .seconds(86_400))
        #expect(try lifetime(.until(CacheAt.time(900))) == .seconds(900))
        #expect(try lifetime(.until(CacheAt.time(-900))) == .seconds(300))
    }

    @Test(
        "Cached keys are refreshed at 80 percent of their lifetime, five percent earlier or later",
        arguments: [(0, 2700), (0.5, 2880), (1, 3060), (-7, 2700), (7, 3060)] as [(Double, Double)]
    )
    func refreshAhead(_ jitter: Double, _ age: Double) throws {
        let world = try CacheAt.full(jitter: jitter)
        #expect(!world.isRefreshDue(at: age - 1) && world.isRefreshDue(at: age))
    }

    @Test("A bad signature by a known key causes no fetch, however often it comes")
    func knownKey() throws {
        var world = try CacheAt.full()
        for _ in 0..<100 { #expect(world.answer() == hit) }
    }

    @Test("An unsupported algorithm causes no fetch, even from an empty cache")
    func unknownAlgorithm() throws {
        var world = try CacheAt.full()
        #expect(world.cache.answer(keyID: "new", algorithm: nil, at: Fixtures.now) == refusal)
        var empty = KeySetCache()
        #expect(empty.answer(keyID: "new", algorithm: nil, at: Fixtures.now) == .refuse(JSONWebKeySet([])))
    }

    @Test("An unchanged key set keeps its keys and starts a new lifetime")
    func unchanged() throws {
        var world = try CacheAt.full(entityTag: #""1""#)
        let ticket = world.cache.ticket(for: CacheAt.jwks)
        #expect(ticket.entityTag == #""1""#)
        try world.cache.store(
            .init(.unchanged, validity: .lasting(.seconds(600))),
            for: ticket,
            at: CacheAt.time(3601),
            jitter: 0
        )
        #expect(world.answer(at: 3601 + 600) == hit && world.state(at: 3601 + 601) != .fresh)
        #expect(world.cache.ticket(for: CacheAt.jwks).entityTag == #""1""#)
    }

    @Test("An unchanged response without a matching entity tag is malformed")
    func unchangedWithoutTag() throws {
        let failure = SignInError(.keys, .malformed("the server reports an unchanged key set, and none is cached"))
        var world = try CacheAt.full()
        #expect(throws: failure) { try world.store(.init(.unchanged)) }
        var newer = try CacheAt.full(entityTag: #""1""#)
        let first = newer.cache.ticket(for: CacheAt.jwks)
        let second = newer.cache.ticket(for: CacheAt.jwks)
        try newer.cache.store(
            .init(.keys(other), entityTag: #""2""#),
            for: first,
            at: Fixtures.now,
            jitter: 0
        )
        #expect(throws: failure) {
            try newer.cache.store(.init(.unchanged), for: second, at: Fixtures.now, jitter: 0)
        }
    }

    @Test("An entity tag is sent to the URL that it came from, and to no other")
    func movedTag() throws {
        var world = try CacheAt.full(entityTag: #""1""#)
        #expect(world.cache.ticket(for: URL(string: "https://id.example.com/other")!).entityTag == nil)
    }

    @Test(
        "A key set without a usable key is malformed, and replaces nothing",
        arguments: [false, true]
    )
    func noUsableKey(_ isFirst: Bool) throws {
        var encryption = Fixtures.otherKey.publicKey.jsonObject
        encryption["use"] = "enc"
        let failure = SignInError(.keys, .malformed("the key set has no usable key"))
        for useless in [JSONWebKeySet([]), JSONWebKeySet([try JSONWebKey(encryption)])] {
            var world = isFirst ? CacheAt() : try CacheAt.full()
            #expect(throws: failure) { try world.store(.init(.keys(useless)), at: 1) }
            #expect(world.cache.keys == (isFirst ? nil : Fixtures.keys))
        }
    }

    @Test("A new key set replaces the cached keys")
    func replacement() throws {
        var world = try CacheAt.full()
        try world.store(.init(.keys(other)), at: 1)
        #expect(world.cache.keys == other)
    }

    @Test("A response to an older request is dropped, and so is its failure")
    func order() throws {
        var world = CacheAt()
        let first = world.cache.ticket(for: CacheAt.jwks)
        let second = world.cache.ticket(for: CacheAt.jwks)
        try world.cache.store(.init(.keys(other)), for: second, at: Fixtures.now, jitter: 0)
        let kept = try world.cache.store(.init(.keys(Fixtures.keys)), for: first, at: Fixtures.now, jitter: 0)
        #expect(kept == other && world.cache.keys == other)
        world.cache.recordFailure(of: first, at: Fixtures.now)
        #expect(world.cache.mayFetch(at: Fixtures.now))
    }

    @Test("After a failed fetch the next one waits five seconds")
    func retry() throws {
        var world = try CacheAt.full()
        world.fail(at: 100)
        #expect(!world.isRefreshDue(at: 104) && world.isRefreshDue(at: 105))
        try world.store(.init(.keys(Fixtures.keys)), at: 105)
        #expect(!world.isRefreshDue(at: 105))
    }

    @Test("Without keys, fetches are retried after a quarter of a second, and after twice as long each time")
    func retryWithoutKeys() throws {
        var world = CacheAt()
        var time = 0.0
        for pause in [0.25, 0.5, 1, 2, 4, 5, 5] {
            world.fail(at: time)
            #expect(!world.cache.mayFetch(at: CacheAt.time(time + pause - 0.125)))
            time += pause
            #expect(world.cache.mayFetch(at: CacheAt.time(time)))
        }
        for _ in 0..<200 { world.fail(at: time) }
        #expect(!world.cache.mayFetch(at: CacheAt.time(time + 4)) && world.cache.mayFetch(at: CacheAt.time(time + 5)))
        try world.store(.init(.keys(Fixtures.keys)), at: time)
        let old = time + 3600 + 86_401
        world.fail(at: old)
        #expect(world.state(at: old) == .missing && world.cache.mayFetch(at: CacheAt.time(old + 0.25)))
    }

    @Test(
        "A failure with Retry-After postpones the next fetch by that time, and by a minute at most",
        arguments: [(30, 30, 30), (3600, 60, 60), (1, 1, 5), (-1, 0.25, 5)] as [(Double, Double, Double)]
    )
    func retryAfter(_ requested: Double, _ withoutKeys: Double, _ withKeys: Double) throws {
        for (start, pause) in [(CacheAt(), withoutKeys), (try CacheAt.full(), withKeys)] {
            var world = start
            world.fail(at: 100, retryAfter: .seconds(requested))
            #expect(!world.cache.mayFetch(at: CacheAt.time(100 + pause - 0.125)))
            #expect(world.cache.mayFetch(at: CacheAt.time(100 + pause)))
            world.fail(at: 200)
            #expect(world.cache.mayFetch(at: CacheAt.time(205)))
        }
    }

    @Test("Keys that cannot be refreshed are used for a day beyond their lifetime, as stale")
    func stale() throws {
        var world = try CacheAt.full()
        world.fail(at: 3500)
        #expect(world.answer(at: 3600 + 86_400) == hit)
        #expect(world.state(at: 3600 + 86_400) == .stale(since: CacheAt.time(3600)))
        #expect(world.answer(at: 3600 + 86_401) == .fetch && world.state(at: 3600 + 86_401) == .missing)
    }

    @Test("While the issuer is down a key that is not cached is not reported as unknown")
    func unknownWhileDown() throws {
        var world = try CacheAt.full()
        world.fail(at: 10)
        #expect(world.answer("new", at: 11) == .fetch)
    }

    @Test("A clock that was set back causes a fetch, and keeps the keys in case that fails")
    func clockSetBack() throws {
        var world = try CacheAt.full()
        #expect(world.answer(at: -30) == hit && !world.isRefreshDue(at: -30))
        #expect(world.answer(at: -31) == .fetch && world.isRefreshDue(at: -31))
        world.fail(at: -31)
        #expect(world.answer(at: -31) == hit && world.state(at: -31) == .stale(since: CacheAt.time(-31)))
        #expect(world.state(at: -90_001) == .missing)
    }
}
