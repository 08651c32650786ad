import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Time-based one-time passwords")
struct OneTimePasswordTests {
    @Test(
        "The passwords of RFC 6238, appendix B, are made",
        arguments: zip(
            [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000],
            [
                ["94287082", "46119246", "90693936"], ["07081804", "68084774", "25091201"],
                ["14050471", "67062674", "99943326"], ["89005924", "91819424", "93441116"],
                ["69279037", "90698825", "38618901"], ["65353130", "77737706", "47863826"],
            ]
        )
    )
    func vectors(seconds: Double, codes: [String]) throws {
        for (algorithm, code) in zip(OneTimePassword.Algorithm.allCases, codes) {
            let password = try OneTimePassword(secret: Self.secret(algorithm), algorithm: algorithm, digits: 8)
            #expect(password.code(at: Date(timeIntervalSince1970: seconds)).reveal() == code)
        }
    }

    @Test("A secret in lower case, with and without padding, is the same one")
    func spelling() throws {
        let time = Date(timeIntervalSince1970: 59)
        let texts = ["gezdgnbvgy3tqojqgezdgnbvgy", "GEZDGNBVGY3TQOJQGEZDGNBVGY======"]
        let codes = try texts.map { try OneTimePassword(secret: Secret($0)).code(at: time).reveal() }
        #expect(codes[0] == codes[1] && codes[0].count == 6)
    }

    @Test(
        "A secret that is not base32, or has not 16 to 128 bytes, is rejected",
        arguments: [
            "", "GEZDGNBVGY3TQOJQGEZDGNBV", "GEZDGNBVGY3TQOJQGEZDGNBVG0", "GEZDGNBVGY3TQOJQGEZDGNBVGY3",
            "GEZDGNBVGY3TQOJQGEZDGNBVGY=", "GEZDGNBV GY3TQOJQGEZDGNBVGY", String(repeating: "A", count: 208),
        ]
    )
    func wrongSecret(text: String) {
        #expect(throws: OneTimePassword.Failure.secret) { try OneTimePassword(secret: Secret(text)) }
    }

    @Test("Other numbers of digits and other time steps are rejected")
    func wrongForm() {
        let secret = Self.secret(.sha1)
        for digits in [5, 9] {
            #expect(throws: OneTimePassword.Failure.digits) { try OneTimePassword(secret: secret, digits: digits) }
        }
        for period: Duration in [.zero, .seconds(301), .milliseconds(1500)] {
            #expect(throws: OneTimePassword.Failure.period) { try OneTimePassword(secret: secret, period: period) }
        }
    }

    @Test("A one-time password in print has no secret")
    func print() throws {
        let password = try OneTimePassword(secret: Self.secret(.sha1))
        var dumped = ""
        dump(password, to: &dumped)
        #expect("\(password)" == "OneTimePassword(SHA1, 6 digits, 30 s)")
        #expect(!dumped.contains("49") && !dumped.contains("key"))
    }

    /// The secrets of the appendix: 20, 32 and 64 digits in ASCII.
    private static func secret(_ algorithm: OneTimePassword.Algorithm) -> Secret {
        switch algorithm {
        case .sha1: Secret("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        case .sha256: Secret("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====")
        case .sha512:
            Secret(
                "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                    + "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA="
            )
        }
    }
}
