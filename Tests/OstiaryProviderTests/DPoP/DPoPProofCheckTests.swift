import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("The check of a DPoP proof")
struct DPoPProofCheckTests {
    private let prover: Prover
    private let check = DPoPProofCheck()
    private let url = Fixtures.issuer + "/token"

    init() throws { prover = try Prover(MovableClock()) }

    private func checked(
        _ proof: String,
        method: HTTPRequest.Method = .post,
        url: String? = nil,
        token: String? = nil
    ) throws(DPoPProofCheck.Failure) -> DPoPProofCheck.Proof {
        try check.proof(
            proof,
            method: method,
            url: url ?? self.url,
            accessToken: token.map { Secret($0) },
            now: prover.clock.now
        )
    }

    @Test("A valid DPoP proof gives its key, jti, nonce and time", arguments: SignatureAlgorithm.allCases)
    func good(algorithm: SignatureAlgorithm) throws {
        let prover = try Prover(prover.clock, algorithm)
        let proof = try checked(prover.proof(nonce: "n") { $0["jti"] = "j" })
        #expect(proof.thumbprint == prover.thumbprint)
        #expect(proof.jti == "j")
        #expect(proof.nonce == "n")
        #expect(proof.issuedAt == prover.clock.now)
        #expect(try checked(prover.proof()).nonce == nil)
    }

    @Test(
        "A DPoP proof with a wrong claim fails with the claim's check",
        arguments: [
            (.identifier, { @Sendable in $0["jti"] = nil }),
            (.identifier, { $0["jti"] = "" }),
            (.identifier, { $0["jti"] = 7 }),
            (.identifier, { $0["jti"] = .string(String(repeating: "a", count: 257)) }),
            (.method, { $0["htm"] = nil }),
            (.method, { $0["htm"] = "post" }),
            (.method, { $0["htm"] = "GET" }),
            (.url, { $0["htu"] = nil }),
            (.url, { $0["htu"] = "/token" }),
            (.time, { $0["iat"] = nil }),
            (.time, { $0["iat"] = "1800000000" }),
            (.nonce, { $0["nonce"] = 7 }),
            (.nonce, { $0["nonce"] = .null }),
        ] as [(DPoPProofCheck.Failure, @Sendable (inout JSONObject) -> Void)]
    )
    func claims(failure: DPoPProofCheck.Failure, change: @Sendable (inout JSONObject) -> Void) throws {
        let proof = try prover.proof(change: change)
        #expect(throws: failure) { try checked(proof) }
    }

    @Test("A DPoP proof with a jti of 256 bytes is accepted")
    func longestIdentifier() throws {
        _ = try checked(try prover.proof { $0["jti"] = .string(String(repeating: "a", count: 256)) })
    }

    @Test("A DPoP proof with another typ than dpop+jwt is rejected", arguments: [nil, "JWT", "at+jwt", "DPoP+JWT"])
    func type(type: String?) throws {
        let proof = try prover.proof(type: type)
        #expect(throws: DPoPProofCheck.Failure.type) { try checked(proof) }
    }

    @Test("A DPoP proof with an algorithm that is not accepted, or with none, is rejected")
    func algorithm() throws {
        let proof = try prover.proof()
        var narrow = check
        narrow.algorithms = [.edDSA]
        #expect(throws: DPoPProofCheck.Failure.algorithm) {
            try narrow.proof(proof, method: .post, url: url, now: prover.clock.now)
        }
        for name in ["none", "HS256"] {
            let header: JSONObject = [
                "typ": "dpop+jwt", "alg": .string(name), "jwk": .object(prover.key.publicKey.jsonObject),
            ]
            let parts = proof.split(separator: ".")
            let forged = "\(Base64URL.encode(header.encoded())).\(parts[1]).\(name == "none" ? "" : parts[2])"
            #expect(throws: DPoPProofCheck.Failure.algorithm) { try checked(forged) }
        }
    }

    @Test("A DPoP proof without a key, or with a key that cannot verify it, is rejected")
    func key() throws {
        let keyless = try prover.key.sign(claims: ["jti": "j"], type: "dpop+jwt")
        #expect(throws: DPoPProofCheck.Failure.key) { try checked(keyless) }
        let other = try prover.proof(jwk: try SigningKey.generate(.edDSA).publicKey.jsonObject)
        #expect(throws: DPoPProofCheck.Failure.key) { try checked(other) }
        let broken = try prover.proof(jwk: ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"])
        #expect(throws: DPoPProofCheck.Failure.key) { try checked(broken) }
    }

    @Test("A DPoP proof whose header has a private or symmetric key is rejected")
    func privateKey() throws {
        let leaking = try prover.proof(jwk: prover.key.privateJWK())
        #expect(throws: DPoPProofCheck.Failure.privateKey) { try checked(leaking) }
        let shared = try prover.proof(jwk: ["kty": "oct", "k": "AAAA"])
        #expect(throws: DPoPProofCheck.Failure.privateKey) { try checked(shared) }
    }

    @Test("A DPoP proof signed by another key is rejected")
    func signature() throws {
        let stolen = try prover.proof(jwk: try Prover(prover.clock).key.publicKey.jsonObject)
        #expect(throws: DPoPProofCheck.Failure.signature) { try checked(stolen) }
    }

    @Test("A DPoP proof that is no token, or too long, is rejected")
    func form() throws {
        #expect(throws: DPoPProofCheck.Failure.form) { try checked("") }
        #expect(throws: DPoPProofCheck.Failure.form) { try checked("a.b") }
        let long = try prover.proof { $0["padding"] = .string(String(repeating: "a", count: 9_000)) }
        #expect(throws: DPoPProofCheck.Failure.form) { try checked(long) }
    }

    @Test(
        "A DPoP proof's htu matches in any case and with the default port, without query and fragment",
        arguments: [
            "https://api.example:443/a", "HTTPS://API.Example/a", "https://api.example/a?q=1",
            "https://api.example/a#f",
            "https://api.example/a",
        ]
    )
    func sameURL(htu: String) throws {
        let proof = try prover.proof { $0["htu"] = .string(htu) }
        _ = try checked(proof, url: "https://api.example/a")
        _ = try checked(proof, url: "https://api.example/a?other=2")
    }

    @Test(
        "A DPoP proof's htu of another URL is rejected",
        arguments: [
            "http://api.example/a", "http://api.example:443/a", "https://api.example:444/a", "https://api.example/A",
            "https://api.example/a/",
            "https://api.example/%61", "https://api.example.evil/a", "https://user@api.example/a", "https:/a", "a", "",
            "https://api.example/b/../a",
        ]
    )
    func otherURL(htu: String) throws {
        let proof = try prover.proof { $0["htu"] = .string(htu) }
        #expect(throws: DPoPProofCheck.Failure.url) { try checked(proof, url: "https://api.example/a") }
    }

    @Test("A DPoP proof is accepted for a minute, and up to ten seconds before its time")
    func time() throws {
        let proof = try prover.proof()
        prover.clock.advance(by: .seconds(-10))
        _ = try checked(proof)
        prover.clock.advance(by: .seconds(-1))
        #expect(throws: DPoPProofCheck.Failure.time) { try checked(proof) }
        prover.clock.advance(by: .seconds(71))
        _ = try checked(proof)
        prover.clock.advance(by: .seconds(1))
        #expect(throws: DPoPProofCheck.Failure.time) { try checked(proof) }
    }

    @Test("A DPoP proof with another token's ath, or without one, is rejected")
    func accessTokenHash() throws {
        _ = try checked(try prover.proof(token: "t"), token: "t")
        let (other, none) = (try prover.proof(token: "u"), try prover.proof())
        #expect(throws: DPoPProofCheck.Failure.accessTokenHash) { try checked(other, token: "t") }
        #expect(throws: DPoPProofCheck.Failure.accessTokenHash) { try checked(none, token: "t") }
    }
}
