import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One pair of ceremonies of the specification's section "Test Vectors".
struct PasskeyVector: Sendable, CustomTestStringConvertible {
    let title: String
    let outcome: String
    let registration: JSONObject
    let authentication: JSONObject

    var testDescription: String { title }

    static let all: [PasskeyVector] = {
        let file = URL(filePath: #filePath).appending(path: "../../../Vectors/webauthn.json").standardized
        guard let bytes = try? Data(contentsOf: file), let document = try? JSONObject(parsing: Array(bytes)) else {
            return []
        }
        return document["vectors"]?.array?.compactMap(\.object).compactMap(PasskeyVector.init) ?? []
    }()

    private init?(_ object: JSONObject) {
        guard let title = object["title"]?.string, let outcome = object["outcome"]?.string,
            let registration = object["registration"]?.object, let authentication = object["authentication"]?.object
        else { return nil }
        self.title = title
        self.outcome = outcome
        self.registration = registration
        self.authentication = authentication
    }

    /// The expected failure; `nil` for none.
    var failure: PasskeyFailure? {
        switch outcome {
        case "crossOrigin": .crossOrigin
        case "publicKey": .publicKey
        default: nil
        }
    }

    /// A member in base64url.
    static func text(_ object: JSONObject, _ name: String) throws -> JSONValue {
        let hex = Array(try #require(object[name]?.string).utf8)
        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap {
            UInt8(String(decoding: hex[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        return .string(Base64URL.encode(bytes))
    }

    static func json(_ id: JSONValue, _ response: JSONObject) -> String {
        let object: JSONObject = ["id": id, "rawId": id, "type": "public-key", "response": .object(response)]
        return String(decoding: object.encoded(), as: UTF8.self)
    }
}

@Suite("The test vectors of Web Authentication Level 3")
struct PasskeyVectorTests {
    @Test("There are fifteen vectors")
    func count() { #expect(PasskeyVector.all.count == 15) }

    @Test("Registration and authentication have the expected outcome", arguments: PasskeyVector.all)
    func ceremonies(vector: PasskeyVector) throws {
        let relyingParty = try #require(RelyingParty(try Issuer("https://example.org")))
        func ceremony(_ object: JSONObject) throws -> PasskeyCeremony {
            let challenge = try #require(try PasskeyVector.text(object, "challenge").string)
            return PasskeyCeremony(relyingParty, challenge: challenge, userVerification: .preferred)
        }
        let id = try PasskeyVector.text(vector.registration, "id")
        let response: JSONObject = [
            "clientDataJSON": try PasskeyVector.text(vector.registration, "clientDataJSON"),
            "attestationObject": try PasskeyVector.text(vector.registration, "attestationObject"),
        ]
        let registration = try PasskeyRegistration(PasskeyVector.json(id, response))
        let creation = try ceremony(vector.registration)
        func passkey() throws(PasskeyFailure) -> Passkey {
            try registration.passkey(creation, of: "subject", userHandle: "dXNlcg", at: Date(timeIntervalSince1970: 0))
        }
        if let failure = vector.failure {
            #expect(throws: failure) { try passkey() }
            return
        }
        let made = try passkey()
        let answer: JSONObject = [
            "clientDataJSON": try PasskeyVector.text(vector.authentication, "clientDataJSON"),
            "authenticatorData": try PasskeyVector.text(vector.authentication, "authenticatorData"),
            "signature": try PasskeyVector.text(vector.authentication, "signature"),
            "userHandle": "dXNlcg",
        ]
        let assertion = try PasskeyAssertion(PasskeyVector.json(id, answer))
        let used = try assertion.verified(try ceremony(vector.authentication), by: made)
        #expect(used.id == made.id)
        #expect(throws: PasskeyFailure.challenge) { try assertion.verified(creation, by: made) }
    }
}
