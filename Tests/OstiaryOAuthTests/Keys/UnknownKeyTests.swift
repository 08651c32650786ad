import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Tokens with unknown keys, and the fetches that they cause")
struct UnknownKeyTests {
    private let refusal = KeySetCache.Answer.refuse(Fixtures.keys)

    /// A cache whose keys live for a day, so that nothing but unknown keys causes a fetch.
    private func longLived() throws -> CacheAt { try CacheAt.full(validity: .lasting(.seconds(86_400))) }

    @Test("An unknown key causes one fetch in 30 seconds, and a known key is not delayed")
    func pause() throws {
        var world = try longLived()
        #expect(world.answer("new") == .fetch)
        for number in 0..<100 { #expect(world.answer("made-up-\(number)", at: 29) == refusal) }
        #expect(world.answer(at: 29) == .hit(Fixtures.keys))
        #expect(world.answer("new", at: 30) == .fetch)
    }

    @Test("A token without a kid whose algorithm no key has counts as an unknown key")
    func withoutKeyID() throws {
        var world = try longLived()
        let now = CacheAt.time(0)
        #expect(world.cache.answer(keyID: nil, algorithm: .rs256, at: now) == .fetch)
        #expect(world.cache.answer(keyID: nil, algorithm: .rs256, at: now) == refusal)
    }

    @Test("Unknown keys cause six fetches in ten minutes, and then one in a hundred seconds")
    func bucket() throws {
        var world = try longLived()
        func fetches(_ seconds: ClosedRange<Int>, _ world: inout CacheAt) -> [Int] {
            seconds.filter { world.answer("made-up-\($0)", at: Double($0)) == .fetch }
        }
        // Six at the start, and what flows in while those are taken.
        #expect(fetches(0...400, &world) == [0, 30, 60, 90, 120, 150, 180, 210, 300, 400])
    }

    @Test("The budget of fetches for unknown keys refills to six, and no further")
    func rest() throws {
        var world = try longLived()
        for number in 0..<20 { _ = world.answer("early-\(number)", at: Double(30 * number)) }
        let fetches = (0..<12).filter { world.answer("late-\($0)", at: 50_000 + Double(30 * $0)) == .fetch }
        #expect(fetches == [0, 1, 2, 3, 4, 5, 6, 7, 10])
    }

    @Test("A scheduled fetch does not wait for the budget of unknown keys")
    func scheduled() throws {
        var world = try CacheAt.full()
        for second in 0..<2880 { _ = world.answer("made-up-\(second)", at: Double(second)) }
        #expect(world.answer("made-up", at: 2879) == refusal)
        #expect(world.isRefreshDue(at: 2880) && world.answer("new", at: 2880) == .fetch)
    }

    @Test("A key that the issuer did not have is not fetched again for a minute, and another one is")
    func missing() throws {
        var world = try longLived()
        #expect(world.answer("gone") == .fetch)
        world.cache.recordMissing(keyID: "gone", algorithm: .es256, at: CacheAt.time(0))
        #expect(world.answer("gone", at: 59) == refusal)
        #expect(world.cache.answer(keyID: "gone", algorithm: .es384, at: CacheAt.time(31)) == .fetch)
        #expect(world.answer("gone", at: 61) == .fetch)
    }

    @Test("A key that was missing and has been published is found at once")
    func comeBack() throws {
        var world = try longLived()
        world.cache.recordMissing(keyID: "key-2", algorithm: .es256, at: CacheAt.time(0))
        let keys = JSONWebKeySet([Fixtures.otherKey.publicKey])
        try world.store(.init(.keys(keys)), at: 1)
        #expect(world.answer("key-2", at: 1) == .hit(keys))
    }

    @Test("A thousand missing keys are remembered, and the oldest is dropped for the next")
    func bounded() throws {
        var world = try longLived()
        for number in 0...1000 {
            world.cache.recordMissing(
                keyID: "gone-\(number)",
                algorithm: .es256,
                at: CacheAt.time(Double(number) / 100)
            )
        }
        #expect(world.answer("gone-1", at: 20) == refusal && world.answer("gone-1000", at: 20) == refusal)
        #expect(world.answer("gone-0", at: 20) == .fetch)
    }

    @Test("Key IDs that Unicode calls equivalent are two key IDs")
    func codePoints() throws {
        var world = try longLived()
        world.cache.recordMissing(keyID: "\u{212A}", algorithm: .es256, at: CacheAt.time(0))
        #expect(world.answer("K") == .fetch)
    }
}
