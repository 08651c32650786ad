import Crypto
import DeviceCheck
import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting

/// An app's own backend: checks what App Attest says, as Apple describes ("Validating apps that connect to your server"),
/// and vouches for the instance then.
final class AppAttestBackend: Sendable {
    struct Refused: Error { let why: String }
    struct KnownKey { let key: P256.Signing.PublicKey; var counter: UInt32 }

    struct State {
        var challenges: Set<String> = []
        var keys: [String: KnownKey] = [:]
        var accepted: [AppAttestEvidence.Kind] = []
    }

    let key = try! SigningKey.generate(.es256, keyID: "attester")
    private let app: String
    private let clock: TestClock
    private let state = Lock(State())

    init(app: String = "TEAM000001.com.example.app", clock: TestClock) {
        self.app = app
        self.clock = clock
    }

    var accepted: [AppAttestEvidence.Kind] { state.withLock { $0.accepted } }
    func forgetKeys() { state.withLock { $0.keys = [:] } }

    func challenge() -> [UInt8] {
        let challenge = (0..<16).map { _ in UInt8.random(in: 0...255) }
        state.withLock { _ = $0.challenges.insert(Base64URL.encode(challenge)) }
        return challenge
    }

    /// The client attestation of an instance that is the app.
    func exchange(_ evidence: AppAttestEvidence) throws(SignInError) -> Secret {
        do {
            return try attestation(of: try check(evidence))
        } catch {
            throw SignInError(.token, .refused(OAuthError(code: .invalidClient, description: "\(error)")))
        }
    }

    private func attestation(of key: JSONWebKey) throws -> Secret {
        let now = Int(clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "sub": "app", "iat": .integer(now), "exp": .integer(now + 3600),
            "cnf": ["jwk": .object(key.jsonObject)],
        ]
        return Secret(try self.key.sign(claims: claims, type: "oauth-client-attestation+jwt"))
    }

    private func check(_ evidence: AppAttestEvidence) throws -> JSONWebKey {
        let data = try JSONObject(parsing: evidence.clientData)
        guard let challenge = data["challenge"]?.string,
            state.withLock({ $0.challenges.remove(challenge) }) != nil
        else { throw Refused(why: "challenge") }
        guard data["client_id"]?.string == "app", let jwk = data["jwk"]?.object else {
            throw Refused(why: "client data")
        }
        let key = try JSONWebKey(jwk)
        let hash = Data(SHA256.hash(data: evidence.clientData))
        switch evidence.kind {
        case .attestation: try checkAttestation(evidence, hash)
        case .assertion: try checkAssertion(evidence, hash)
        }
        state.withLock { $0.accepted.append(evidence.kind) }
        return key
    }

    private func checkAttestation(_ evidence: AppAttestEvidence, _ hash: Data) throws {
        let object = try ReadCBOR.map(Data(evidence.object))
        guard case .text("apple-appattest")? = object["fmt"], case .bytes(let authData)? = object["authData"],
            case .map(let statement)? = object["attStmt"], case .array(let chain)? = statement["x5c"],
            chain.count == 2, case .bytes(let leaf) = chain[0], case .bytes(let intermediate) = chain[1]
        else { throw Refused(why: "form") }
        let authority = try ReadCertificate(intermediate)
        let certificate = try ReadCertificate(leaf)
        guard authority.isSigned(by: SimulatedCertificateAuthority.rootKey) else { throw Refused(why: "root") }
        guard certificate.isSigned(by: try authority.key()) else { throw Refused(why: "chain") }
        let nonce = Data(SHA256.hash(data: authData + hash))
        guard leaf.range(of: Data([0xA1, 0x22, 0x04, 0x20]) + nonce) != nil else { throw Refused(why: "nonce") }
        let publicKey = try certificate.key()
        let identifier = Data(SHA256.hash(data: publicKey.x963Representation))
        guard identifier.base64EncodedString() == evidence.keyID else { throw Refused(why: "key") }
        try checkApp(authData)
        guard counter(authData) == 0 else { throw Refused(why: "counter") }
        let rest = Array(authData.dropFirst(37))
        guard rest.starts(with: Array("appattestdevelop".utf8)), Data(rest[18..<50]) == identifier else {
            throw Refused(why: "credential")
        }
        state.withLock { $0.keys[evidence.keyID] = KnownKey(key: publicKey, counter: 0) }
    }

    private func checkAssertion(_ evidence: AppAttestEvidence, _ hash: Data) throws {
        guard let known = state.withLock({ $0.keys[evidence.keyID] }) else { throw Refused(why: "unknown key") }
        let object = try ReadCBOR.map(Data(evidence.object))
        guard case .bytes(let signature)? = object["signature"],
            case .bytes(let authData)? = object["authenticatorData"]
        else { throw Refused(why: "form") }
        let nonce = Data(SHA256.hash(data: authData + hash))
        let made = try P256.Signing.ECDSASignature(derRepresentation: signature)
        guard known.key.isValidSignature(made, for: nonce) else { throw Refused(why: "signature") }
        try checkApp(authData)
        guard counter(authData) > known.counter else { throw Refused(why: "counter") }
        state.withLock { $0.keys[evidence.keyID]?.counter = counter(authData) }
    }

    private func checkApp(_ authData: Data) throws {
        guard authData.count >= 37, authData.prefix(32) == Data(SHA256.hash(data: Data(app.utf8))) else {
            throw Refused(why: "app")
        }
    }

    private func counter(_ authData: Data) -> UInt32 {
        authData.dropFirst(33).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
