import OstiaryJOSE
import Testing

@Suite("Base64url")
struct Base64URLTests {
    @Test(
        "The examples of RFC 4648 section 10 are encoded and decoded without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func examples(plain: String, encoded: String) throws {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(try Base64URL.decode(encoded) == Array(plain.utf8))
        #expect(try Base64URL.decode(Array(encoded.utf8)) == Array(plain.utf8))
        #expect(try Base64URL.decode(Substring(encoded)) == Array(plain.utf8))
    }

    @Test("Base64url uses the alphabet for URLs")
    func alphabet() throws {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(try Base64URL.decode("-_8") == [0xFB, 0xFF])
        let sequence: some Sequence<UInt8> = (0...2 as ClosedRange<UInt8>).lazy.map { $0 }
        #expect(Base64URL.encode(sequence) == "AAEC")
    }

    @Test("Base64url decodes what it encoded, for every length and byte")
    func roundTrip() throws {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        let all = Array(UInt8.min...UInt8.max)
        #expect(try Base64URL.decode(Base64URL.encode(all)) == all)
    }

    @Test("Base64url rejects every byte outside of its alphabet at every position")
    func foreignBytes() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
            for length in [2, 3, 4, 6, 7] {
                for position in 0..<length {
                    var text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
                    text[position] = byte
                    #expect(throws: JOSEError.base64URL) { try Base64URL.decode(text) }
                }
            }
        }
    }

    @Test(
        "Base64url rejects padding, white space, the standard alphabet and impossible lengths",
        arguments: ["Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9v", "+/8", "-/8", "A", "AAAAA", "=", "Zm9vé"]
    )
    func refused(text: String) {
        #expect(throws: JOSEError.base64URL) { try Base64URL.decode(text) }
    }

    @Test(
        "Base64url rejects unused bits that are not zero",
        arguments: ["Zh", "Zv", "Z_", "Zm9", "Zm-", "Zm9vYh", "Zm9vYmF"]
    )
    func trailingBits(text: String) {
        #expect(throws: JOSEError.base64URL) { try Base64URL.decode(text) }
    }

    @Test("The constant-time comparison compares bytes")
    func constantTime() {
        #expect(constantTimeEqual("state", "state"))
        #expect(constantTimeEqual("", ""))
        #expect(!constantTimeEqual("state", "statf"))
        #expect(!constantTimeEqual("state", "tate"))
        #expect(!constantTimeEqual("state", "stat"))
        #expect(!constantTimeEqual("e\u{301}", "\u{E9}"))
        #expect(!constantTimeEqual("\u{340}", "\u{300}"))
        #expect(constantTimeEqual([1, 2] as [UInt8], [1, 2]))
        #expect(!constantTimeEqual([1, 2] as [UInt8], [3, 2]))
    }
}
