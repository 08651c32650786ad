import OstiaryServer
import Testing

@Suite("Sealing what is stored")
struct SealingTests {
    private let place = StoreDigest("test", ["place"])
    private let value = Array("a secret".utf8)

    @Test("A sealed value opens for its own place and key alone, and is not readable")
    func roundTrip() throws {
        let keys = SealingKeys(try .random(id: "1"))
        let sealed = try keys.seal(value, for: place)
        #expect(try keys.open(sealed, for: place) == value)
        #expect(sealed != (try keys.seal(value, for: place)))
        #expect(throws: StorageFailure.corrupted) { try keys.open(sealed, for: StoreDigest("test", ["elsewhere"])) }
        #expect(throws: StorageFailure.corrupted) { try SealingKeys(.random(id: "1")).open(sealed, for: place) }
    }

    @Test("After a key rotation the old key still opens, and the new one seals")
    func rotation() throws {
        let (old, new) = (try SealingKeys.Key.random(id: "old"), try SealingKeys.Key.random(id: "new"))
        let sealed = try SealingKeys(old).seal(value, for: place)
        let both = SealingKeys(new, [old])
        #expect(try both.open(sealed, for: place) == value)
        #expect(try SealingKeys(new).open(both.seal(value, for: place), for: place) == value)
        #expect(throws: StorageFailure.corrupted) { try SealingKeys(new).open(sealed, for: place) }
    }

    @Test("A sealed value with any changed or missing byte is corrupted")
    func tampering() throws {
        let keys = SealingKeys(try .random(id: "1"))
        let sealed = try keys.seal(value, for: place)
        for position in sealed.indices {
            var changed = sealed
            changed[position] ^= 1
            #expect(throws: StorageFailure.corrupted) { try keys.open(changed, for: place) }
        }
        for count in 0..<sealed.count {
            #expect(throws: StorageFailure.corrupted) { try keys.open(Array(sealed.prefix(count)), for: place) }
        }
    }

    @Test("A sealing key has 32 bytes and a name")
    func keys() throws {
        #expect(throws: SignInError.self) { try SealingKeys.Key(id: "1", bytes: [1]) }
        #expect(throws: SignInError.self) { try SealingKeys.Key(id: "", bytes: [UInt8](repeating: 1, count: 32)) }
        #expect("\(SealingKeys(try .random(id: "visible")))" == "SealingKeys(visible)")
    }

    @Test("Replaced sealing keys are used from then on by every copy")
    func replaced() throws {
        let (old, new) = (try SealingKeys.Key.random(id: "old"), try SealingKeys.Key.random(id: "new"))
        let place = StoreDigest("place", [])
        let keys = SealingKeys(old)
        let copy = keys
        let sealed = try copy.seal([1], for: place)
        keys.replace(with: SealingKeys(new, [old]))
        #expect(try copy.open(sealed, for: place) == [1])
        let anew = try copy.seal([2], for: place)
        keys.replace(with: SealingKeys(new))
        #expect(try copy.open(anew, for: place) == [2])
        #expect(throws: StorageFailure.corrupted) { try copy.open(sealed, for: place) }
    }
}
