import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Registration of passkeys")
struct PasskeyRegistrationTests {
    private static let challenge = "Y2hhbGxlbmdlLW9mLXRoaXMtcGFnZQ"
    private static let now = Date(timeIntervalSince1970: 1000)
    private let authenticator: SoftAuthenticator
    private let ceremony: PasskeyCeremony

    init() throws {
        authenticator = try SoftAuthenticator()
        let relyingParty = try #require(RelyingParty(try Issuer("http://localhost:8080")))
        ceremony = PasskeyCeremony(relyingParty, challenge: Self.challenge)
    }

    private func passkey(_ response: String) throws -> Passkey {
        try PasskeyRegistration(response).passkey(ceremony, of: "subject", userHandle: "dXNlcg", at: Self.now)
    }

    private func expect(_ failure: PasskeyFailure, _ response: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(throws: failure, sourceLocation: location) { try passkey(response) }
    }

    @Test("A registration makes a passkey with the key and the facts of the response")
    func accepted() throws {
        var authenticator = authenticator
        authenticator.counter = 258
        authenticator.flags = 0x1D
        let passkey = try passkey(authenticator.registration(Self.challenge))
        #expect(passkey.id == Base64URL.encode(authenticator.id))
        #expect(passkey.subject == "subject" && passkey.userHandle == "dXNlcg" && passkey.added == Self.now)
        #expect(passkey.publicKey.jsonObject["x"] == authenticator.key.publicKey.jsonObject["x"])
        #expect(passkey.publicKey.algorithm == .es256)
        #expect(passkey.signatureCounter == 258)
        #expect(passkey.isBackupEligible && passkey.isBackedUp)
    }

    @Test(
        "Passkeys with keys for ES256, EdDSA and RS256 are accepted",
        arguments: [SignatureAlgorithm.es256, .edDSA, .rs256]
    )
    func algorithms(algorithm: SignatureAlgorithm) throws {
        let response = try SoftAuthenticator(algorithm).registration(Self.challenge)
        #expect(try passkey(response).publicKey.algorithm == algorithm)
    }

    @Test("A response that is not the JSON of a passkey is rejected")
    func responseForm() {
        expect(.malformed("response"), "")
        expect(.malformed("response"), "[]")
        expect(.malformed("response"), authenticator.registration(Self.challenge) { $0["type"] = "password" })
        expect(.malformed("response"), authenticator.registration(Self.challenge) { $0["id"] = "not base64url!" })
        expect(.malformed("response"), authenticator.registration(Self.challenge) { $0["rawId"] = "b3RoZXI" })
        expect(.malformed("response"), authenticator.registration(Self.challenge) { $0["response"] = nil })
        expect(.malformed("clientDataJSON"), authenticator.registration(Self.challenge) { $0["response"] = [:] })
        let half: JSONObject = [
            "clientDataJSON": .string(
                Base64URL.encode(authenticator.clientData("webauthn.create", Self.challenge))
            )
        ]
        expect(
            .malformed("attestationObject"),
            authenticator.registration(Self.challenge) { $0["response"] = .object(half) }
        )
    }

    @Test("Client data that is not a JSON object with its members is rejected (steps 5 and 6)")
    func clientDataForm() {
        expect(.malformed("client data"), authenticator.registration(Self.challenge, clientData: Array("{".utf8)))
        for name in ["type", "challenge", "origin"] {
            let data = authenticator.clientData("webauthn.create", Self.challenge) { $0[name] = nil }
            expect(.malformed("client data"), authenticator.registration(Self.challenge, clientData: data))
        }
    }

    @Test("A byte order mark before the client data is left out (step 5)")
    func byteOrderMark() throws {
        let data = [0xEF, 0xBB, 0xBF] + authenticator.clientData("webauthn.create", Self.challenge)
        _ = try passkey(authenticator.registration(Self.challenge, clientData: data))
    }

    @Test("Client data of another ceremony is rejected (step 7)")
    func type() {
        let data = authenticator.clientData("webauthn.get", Self.challenge)
        expect(.type("webauthn.get"), authenticator.registration(Self.challenge, clientData: data))
    }

    @Test("A challenge of another page is rejected (step 8)")
    func challenge() { expect(.challenge, authenticator.registration("b3RoZXI")) }

    @Test(
        "An origin other than that of the issuer is rejected (step 9)",
        arguments: [
            "http://localhost:8081", "http://localhost", "https://localhost:8080", "http://localhost:8080/",
            "http://evil.localhost:8080", "null",
        ]
    )
    func origin(origin: String) {
        var authenticator = authenticator
        authenticator.origin = origin
        let failure = PasskeyFailure.origin(origin, expected: "http://localhost:8080")
        expect(failure, authenticator.registration(Self.challenge))
    }

    @Test("A page in a frame of another origin is rejected (steps 10 and 11)")
    func frames() {
        let members: [(String, JSONValue)] = [
            ("crossOrigin", true), ("crossOrigin", "false"), ("topOrigin", "http://localhost:8080"),
            ("topOrigin", .null),
        ]
        for (name, value) in members {
            let data = authenticator.clientData("webauthn.create", Self.challenge) { $0[name] = value }
            expect(.crossOrigin, authenticator.registration(Self.challenge, clientData: data))
        }
    }

    @Test("Client data without crossOrigin is accepted (step 10)")
    func noCrossOrigin() throws {
        let data = authenticator.clientData("webauthn.create", Self.challenge) { $0["crossOrigin"] = nil }
        _ = try passkey(authenticator.registration(Self.challenge, clientData: data))
    }

    @Test("An attestation object that is not CBOR with its members is rejected (step 13)")
    func attestationObject() {
        let members: [(CBOR, CBOR)] = [
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([])),
            (.text("authData"), .bytes(authenticator.data(flags: 0x45))),
        ]
        let failure = PasskeyFailure.malformed("attestation object")
        for index in members.indices {
            var rest = members
            rest.remove(at: index)
            expect(failure, authenticator.registration(Self.challenge, attestation: .map(rest)))
            var other = members
            other[index].1 = .integer(1)
            expect(failure, authenticator.registration(Self.challenge, attestation: .map(other)))
        }
        expect(failure, authenticator.registration(Self.challenge, attestation: .raw([])))
        expect(failure, authenticator.registration(Self.challenge, attestation: .array([])))
        let trailing = CBOR.raw(CBOR.map(members).encoded + [0])
        expect(failure, authenticator.registration(Self.challenge, attestation: trailing))
    }

    @Test("Authenticator data that ends early, or goes on behind its end, is rejected (step 13)")
    func authenticatorData() {
        let failure = PasskeyFailure.malformed("authenticator data")
        let whole = authenticator.data(flags: 0x45)
        for count in [0, 31, 36, 52, 54, 60, whole.count - 1] {
            let data = Array(whole.prefix(count))
            expect(failure, authenticator.registration(Self.challenge, authenticatorData: data))
        }
        expect(failure, authenticator.registration(Self.challenge, authenticatorData: whole + [0]))
        // Extensions: announced and absent, no map, and a map that is not announced.
        for (flags, rest) in [(0xC5, []), (0xC5, [0x01]), (0x45, [0xA0])] as [(UInt8, [UInt8])] {
            let data = authenticator.data(flags: flags, rest: rest)
            expect(failure, authenticator.registration(Self.challenge, authenticatorData: data))
        }
    }

    @Test("Outputs of extensions are ignored (step 28)")
    func extensions() throws {
        let data = authenticator.data(flags: 0xC5, rest: CBOR.map([(.text("credProtect"), .integer(2))]).encoded)
        _ = try passkey(authenticator.registration(Self.challenge, authenticatorData: data))
    }

    @Test("A registration without a passkey is rejected (step 13)")
    func noCredential() {
        let data = authenticator.data(flags: 0x05)
        expect(.noCredential, authenticator.registration(Self.challenge, authenticatorData: data))
    }

    @Test(
        "A passkey for another relying party is rejected (step 14)",
        arguments: ["localhost:8080", "", "example.org"]
    )
    func relyingParty(id: String) {
        var authenticator = authenticator
        authenticator.relyingPartyID = id
        expect(.relyingParty(expected: "localhost"), authenticator.registration(Self.challenge))
    }

    @Test("A registration without the user's presence is rejected (step 15)")
    func userPresence() {
        var authenticator = authenticator
        authenticator.flags = 0x04
        expect(.userPresence, authenticator.registration(Self.challenge))
    }

    @Test("A registration without the user's verification is rejected where it is required (step 16)")
    func userVerification() throws {
        var authenticator = authenticator
        authenticator.flags = 0x01
        let response = authenticator.registration(Self.challenge)
        expect(.userVerification, response)
        let lenient = PasskeyCeremony(ceremony.relyingParty, challenge: Self.challenge, userVerification: .preferred)
        _ = try PasskeyRegistration(response).passkey(lenient, of: "subject", userHandle: "dXNlcg", at: Self.now)
    }

    @Test("A passkey that is backed up and cannot be is rejected (step 17)")
    func backupState() {
        var authenticator = authenticator
        authenticator.flags = 0x15
        expect(.backupState, authenticator.registration(Self.challenge))
    }

    @Test("A key of another algorithm, type or curve, or with other parameters, is rejected (step 20)")
    func publicKey() throws {
        let key = authenticator.publicKey
        func expectRejected(_ members: [(CBOR, CBOR)], _ location: SourceLocation = #_sourceLocation) {
            let data = authenticator.data(flags: 0x45, publicKey: .map(members))
            expect(.publicKey, authenticator.registration(Self.challenge, authenticatorData: data), location)
        }
        for index in key.indices {
            var rest = key
            rest.remove(at: index)
            expectRejected(rest)
            var other = key
            other[index].1 = .integer(-99)
            expectRejected(other)
        }
        expectRejected(key + [(.integer(4), .array([.integer(2)]))])
        expectRejected([])
        // ES384, and the key of ES256 under the name of EdDSA.
        expectRejected(key.map { label, value in label.encoded == [3] ? (label, .integer(-35)) : (label, value) })
        expectRejected(key.map { label, value in label.encoded == [3] ? (label, .integer(-8)) : (label, value) })
        // A point off the curve, a compressed one, and one that is too short.
        expectRejected(key.dropLast() + [(.integer(-3), .bytes([UInt8](repeating: 1, count: 32)))])
        expectRejected(key.dropLast() + [(.integer(-3), .raw([0xF5]))])
        expectRejected(key.dropLast() + [(.integer(-3), .bytes([1]))])
        // A key of RSA that can be factored.
        let weak: [(CBOR, CBOR)] = [
            (.integer(1), .integer(3)), (.integer(3), .integer(-257)),
            (.integer(-1), .bytes([UInt8](repeating: 0xFF, count: 128))), (.integer(-2), .bytes([1, 0, 1])),
        ]
        expectRejected(weak)
        let data = authenticator.data(flags: 0x45, publicKey: .integer(1))
        expect(.publicKey, authenticator.registration(Self.challenge, authenticatorData: data))
    }

    @Test("A statement of the format none that is not empty is rejected (step 22)")
    func noneStatement() {
        let attestation = CBOR.map([
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([(.text("sig"), .bytes([1]))])),
            (.text("authData"), .bytes(authenticator.data(flags: 0x45))),
        ])
        expect(.attestation, authenticator.registration(Self.challenge, attestation: attestation))
    }

    @Test("A statement of another format is ignored, whatever it says (step 22)")
    func otherStatement() throws {
        let attestation = CBOR.map([
            (.text("fmt"), .text("packed")), (.text("attStmt"), .map([(.text("sig"), .bytes([1]))])),
            (.text("authData"), .bytes(authenticator.data(flags: 0x45))),
        ])
        _ = try passkey(authenticator.registration(Self.challenge, attestation: attestation))
    }

    @Test("An identifier has 1 to 1023 bytes (step 25)")
    func identifierLength() throws {
        var authenticator = authenticator
        authenticator.id = [UInt8](repeating: 1, count: 1023)
        _ = try passkey(authenticator.registration(Self.challenge))
        for count in [0, 1024] {
            authenticator.id = [UInt8](repeating: 1, count: count)
            expect(.credentialIDLength(count), authenticator.registration(Self.challenge))
        }
    }

    @Test("A response under another identifier than its authenticator data is rejected (step 25)")
    func identifier() {
        let response = authenticator.registration(Self.challenge) {
            $0["id"] = "b3RoZXI"
            $0["rawId"] = "b3RoZXI"
        }
        expect(.credentialID, response)
    }
}

@Suite("The relying party of passkeys")
struct RelyingPartyTests {
    @Test(
        "The relying party is the issuer's host, and its origin is as browsers write it",
        arguments: [
            ("https://id.example.com", "id.example.com", "https://id.example.com"),
            ("https://id.example.com:443/tenants/a", "id.example.com", "https://id.example.com"),
            ("https://id.example.com:8443", "id.example.com", "https://id.example.com:8443"),
            ("http://localhost:4455", "localhost", "http://localhost:4455"),
        ]
    )
    func valid(issuer: String, id: String, origin: String) throws {
        let relyingParty = try #require(RelyingParty(try Issuer(issuer)))
        #expect(relyingParty.id == id)
        #expect(relyingParty.origin == origin)
    }

    @Test(
        "An IP address is no relying party",
        arguments: ["http://127.0.0.1:4455", "http://[::1]:4455", "https://10.0.0.1"]
    )
    func address(issuer: String) throws { #expect(RelyingParty(try Issuer(issuer)) == nil) }
}
