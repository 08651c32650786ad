import OstiaryJOSE
import Testing

@Suite("Token hashes")
struct HashTests {
    @Test("SHA-256, SHA-384 and SHA-512 give the examples of FIPS 180-4")
    func hashes() {
        // FIPS 180-4 examples for "abc".
        let abc = Array("abc".utf8)
        #expect(HashAlgorithm.sha256.hash(abc).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
        #expect(HashAlgorithm.sha384.hash(abc).prefix(4) == [0xCB, 0x00, 0x75, 0x3F])
        #expect(HashAlgorithm.sha512.hash(abc).prefix(4) == [0xDD, 0xAF, 0x35, 0xA1])
        #expect(HashAlgorithm.allCases.map { $0.hash(abc).count } == [32, 48, 64])
    }

    @Test("at_hash is the left half of the hash (OpenID Connect Core appendix A.3)")
    func leftHalf() {
        #expect(
            SignatureAlgorithm.rs256.leftHalfHash(of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
                == "77QmUPtjPfzWtF2AnpK9RQ"
        )
        #expect(
            SignatureAlgorithm.rs256.leftHalfHash(of: "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
                == "LDktKdoQak3Pk0cnXxCltA"
        )
    }

    @Test("EdDSA's at_hash uses SHA-512, and SHA-256 can be chosen")
    func edDSA() {
        #expect(SignatureAlgorithm.edDSA.leftHalfHash(of: "t") == HashAlgorithm.sha512.leftHalf(of: "t"))
        #expect(HashAlgorithm.sha256.leftHalf(of: "t") == SignatureAlgorithm.es256.leftHalfHash(of: "t"))
        #expect(SignatureAlgorithm.ps384.leftHalfHash(of: "t").count == 32)
    }
}
