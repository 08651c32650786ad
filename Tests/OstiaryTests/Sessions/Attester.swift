import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryTesting

/// An app's own backend, which vouches for every key that it gets.
final class Attester: Sendable {
    let key = try! SigningKey.generate(.es256, keyID: "attester")
    private let clock: TestClock
    private let state = Lock(State())

    struct State {
        var asked = 0
        var failure: SignInError?
        var change: @Sendable (inout JSONObject) -> Void = { _ in }
        var type = "oauth-client-attestation+jwt"
    }

    init(clock: TestClock) { self.clock = clock }

    var asked: Int { state.withLock { $0.asked } }
    func with(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    var keys: JSONWebKeySet { JSONWebKeySet([key.publicKey]) }

    var attester: ClientAttester {
        ClientAttester { (request) throws(SignInError) in try self.attest(request) }
    }

    /// The claims of an attestation for an hour.
    func claims(for key: JSONWebKey, clientID: String = "app") -> JSONObject {
        let now = Int(clock.now.timeIntervalSince1970)
        return [
            "iss": "https://attester.example.test", "sub": .string(clientID), "iat": .integer(now),
            "exp": .integer(now + 3600), "cnf": ["jwk": .object(key.jsonObject)],
        ]
    }

    func sign(_ claims: JSONObject, type: String? = "oauth-client-attestation+jwt") -> String {
        try! key.sign(claims: claims, type: type)
    }

    private func attest(_ request: ClientAttester.Request) throws(SignInError) -> Secret {
        let (failure, change, type) = state.withLock { state in
            state.asked += 1
            return (state.failure, state.change, state.type)
        }
        if let failure { throw failure }
        var claims = claims(for: request.publicKey, clientID: request.clientID)
        change(&claims)
        return Secret(sign(claims, type: type))
    }
}
