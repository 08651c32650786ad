import OstiaryJOSE
import ProviderServer
import Testing

@Suite("Random numbers of a seed")
struct PredictableRandomTests {
    private func numbers(_ random: PredictableRandom) -> [UInt64] {
        var random = random
        return (0..<4).map { _ in random.next() }
    }

    @Test("The same seed and stream have the same numbers, others have others")
    func sequences() {
        let first = numbers(PredictableRandom(seed: 7))
        #expect(first == numbers(PredictableRandom(seed: 7)))
        #expect(Set(first).count == 4)
        let others = [PredictableRandom(seed: 8), PredictableRandom(seed: 7, stream: 1), PredictableRandom(seed: 0)]
        for other in others { #expect(Set(first).isDisjoint(with: numbers(other))) }
    }

    @Test("A key of a seed is the same each time, and verifies what it signs", arguments: SignatureAlgorithm.allCases)
    func keys(algorithm: SignatureAlgorithm) throws {
        var (first, second) = (PredictableRandom(seed: 7), PredictableRandom(seed: 7))
        guard let key = first.signingKey(algorithm) else {
            #expect(algorithm.curve == nil)
            return
        }
        #expect(second.signingKey(algorithm)?.keyID == key.keyID)
        #expect(first.signingKey(algorithm)?.keyID != key.keyID)
        let token = try UnverifiedJWT(try key.sign(claims: ["sub": "a"], type: nil))
        let verified = try token.verified(by: JSONWebKeySet([key.publicKey]), algorithms: [algorithm])
        #expect(verified.claims["sub"] == "a")
    }
}
