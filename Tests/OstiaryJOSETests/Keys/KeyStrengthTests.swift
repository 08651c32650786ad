import OstiaryJOSE
import Testing

@Suite("Strength of keys")
struct KeyStrengthTests {
    /// A modulus of so many bits, or so many bytes, that ends in the byte.
    static func modulus(bytes: Int, first: UInt8 = 0x80, last: UInt8 = 0x01) -> JSONValue {
        .string(Base64URL.encode([first] + [UInt8](repeating: 0x55, count: bytes - 2) + [last]))
    }

    static func rsa(_ changes: [(String, JSONValue?)]) throws -> JSONWebKey {
        try JSONWebKeyTests.key(RFCVectors.RFC7638.key, changes)
    }

    @Test("An RSA key of less than 2048 bits is weak")
    func shortModulus() throws {
        #expect(throws: JOSEError.weakKey) { try Self.rsa([("n", .string(Fixtures.modulusOf1024Bits))]) }
        #expect(throws: JOSEError.weakKey) { try Self.rsa([("n", Self.modulus(bytes: 256, first: 0x7F))]) }
        #expect(throws: Never.self) { try Self.rsa([("n", Self.modulus(bytes: 256))]) }
        #expect(throws: Never.self) { try Self.rsa([("n", Self.modulus(bytes: 512))]) }
    }

    @Test("An RSA key of more than 16,384 bits is too large")
    func longModulus() {
        #expect(throws: JOSEError.tooLarge) { try Self.rsa([("n", Self.modulus(bytes: 2049))]) }
    }

    @Test("An RSA key with the factorable form of CVE-2017-15361 is weak, and a modulus next to it is not")
    func factorableModulus() throws {
        // Two primes of 1024 bits, each a power of 65537 modulo the product of the first 126 primes.
        let modulus = """
            t4XYchItOdXbqMycDxxCfhcsh8ZB0ukFMmQx66iOu5uwK5aMStutccPjf6MXDVi1URfv3vJxujtyDYPULVjw7IDZpbh2YLs6rQ4vRgaa9M1Xjk\
            NnXuAJThIk3rALsYwQwtBDaB0_6nnk16R3w1ts3MiHfBQiAbn158Xrjn8iiKUh_QMTgQvmoFGq6jjUcYLYiwaO5ObrEaT-GIkp0DntbCXxnBer\
            rfp5Vdvyd07kHoNUzZQr1nQMqY59DPjR8xiU6Lqklt-VVPWhRVoMNlGgaWYlc9n7TlE3jUMG_z1YKHCZj6HuMJYFO1nwWu-q58dRrts4ueCp-c\
            -gm6MSBpXktQ
            """
        #expect(throws: JOSEError.weakKey) { try Self.rsa([("n", .string(modulus))]) }
        var bytes = try Base64URL.decode(modulus)
        bytes[255] ^= 0x02
        #expect(throws: Never.self) { try Self.rsa([("n", .string(Base64URL.encode(bytes)))]) }
    }

    @Test("An even modulus is weak")
    func evenModulus() {
        #expect(throws: JOSEError.weakKey) { try Self.rsa([("n", Self.modulus(bytes: 256, last: 0x02))]) }
    }

    @Test(
        "An exponent that is 1, even or longer than 64 bits is weak",
        arguments: ["AQ", "Ag", "BA", "AQAA", "AQAAAAAAAAAB"]
    )
    func exponent(text: String) {
        #expect(throws: JOSEError.weakKey) { try Self.rsa([("e", .string(text))]) }
    }

    @Test("An RSA key with exponent 3 is accepted")
    func exponentOfThree() {
        #expect(throws: Never.self) { try Self.rsa([("e", "Aw")]) }
    }

    @Test("An RSA modulus or exponent with a leading zero byte is rejected")
    func leadingZeros() {
        #expect(throws: JOSEError.malformed("n")) { try Self.rsa([("n", Self.modulus(bytes: 257, first: 0))]) }
        #expect(throws: JOSEError.malformed("e")) { try Self.rsa([("e", "AAEAAQ")]) }
        #expect(throws: JOSEError.malformed("e")) { try Self.rsa([("e", "AA")]) }
    }

    @Test("An elliptic curve point that is not on its curve is rejected")
    func offCurve() throws {
        let ec = RFCVectors.RFC7515A3.key
        let y = try #require(Fixtures.object(ec)["y"]?.string)
        var bytes = try Base64URL.decode(y)
        bytes[31] ^= 1
        #expect(throws: JOSEError.keyFailure) {
            try JSONWebKeyTests.key(ec, [("y", .string(Base64URL.encode(bytes)))])
        }
        let zero = JSONValue.string(Base64URL.encode([UInt8](repeating: 0, count: 32)))
        #expect(throws: JOSEError.keyFailure) { try JSONWebKeyTests.key(ec, [("x", zero), ("y", zero)]) }
    }

    @Test(
        "Coordinates of another length than the curve's are rejected",
        arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA]
    )
    func coordinateLengths(algorithm: SignatureAlgorithm) throws {
        let object = try Fixtures.signingKey(algorithm).publicKey.jsonObject
        for name in ["x", "y"] {
            guard let text = object[name]?.string else { continue }
            let bytes = try Base64URL.decode(text)
            for wrong in [[0] + bytes, Array(bytes.dropFirst()), bytes + [0], []] {
                var changed = object
                changed[name] = .string(Base64URL.encode(wrong))
                #expect(throws: JOSEError.malformed(name)) { try JSONWebKey(changed) }
            }
        }
    }

    @Test("An Ed25519 point of small order is weak, with either sign")
    func smallOrder() throws {
        let identity: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        for sign: UInt8 in [0, 0x80] {
            var point = identity
            point[31] |= sign
            #expect(throws: JOSEError.weakKey) {
                try JSONWebKeyTests.key(JSONWebKeyTests.okp, [("x", .string(Base64URL.encode(point)))])
            }
        }
    }
}
