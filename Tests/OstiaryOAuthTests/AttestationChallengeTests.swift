import HTTPTypes
import Testing

@testable import OstiaryOAuth

@Suite("Challenges of an authorization server for attested clients")
struct AttestationChallengeTests {
    private let attestations = Attestations()
    private let issuer = Fixtures.server.issuer

    private func remember(_ challenges: String...) -> Bool {
        var response = EndpointResponse()
        for challenge in challenges {
            response.fields.append(HTTPField(name: .clientAttestationChallenge, value: challenge))
        }
        return attestations.remember(response, of: issuer)
    }

    @Test("An attestation challenge of 512 visible ASCII characters is kept for its issuer")
    func kept() throws {
        let challenge = String(repeating: "!", count: 511) + "~"
        #expect(remember(challenge))
        #expect(attestations.challenge(of: issuer) == challenge)
        #expect(attestations.challenge(of: try Issuer("https://other.example.com")) == nil)
    }

    @Test(
        "An attestation challenge that is empty, too long or not visible ASCII is ignored, and the earlier one stays",
        arguments: ["", String(repeating: "c", count: 513), "a b", "caf\u{E9}"]
    )
    func unusable(challenge: String) {
        #expect(remember("c-1"))
        #expect(!attestations.remember(challenge, of: issuer))
        #expect(attestations.challenge(of: issuer) == "c-1")
    }

    @Test("Two attestation challenges in one response are both ignored")
    func repeated() {
        #expect(!remember("c-1", "c-2"))
        #expect(attestations.challenge(of: issuer) == nil)
    }
}
