import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Authentication with passkeys")
struct PasskeyAssertionTests {
    private static let challenge = "Y2hhbGxlbmdlLW9mLXRoaXMtcGFnZQ"
    private var authenticator: SoftAuthenticator
    private let ceremony: PasskeyCeremony

    init() throws {
        authenticator = try SoftAuthenticator()
        authenticator.userHandle = "dXNlcg"
        let relyingParty = try #require(RelyingParty(try Issuer("http://localhost:8080")))
        ceremony = PasskeyCeremony(relyingParty, challenge: Self.challenge)
    }

    /// The passkey as it is registered.
    private func passkey(_ authenticator: SoftAuthenticator? = nil) throws -> Passkey {
        let registration = try PasskeyRegistration((authenticator ?? self.authenticator).registration(Self.challenge))
        return try registration.passkey(
            ceremony,
            of: "subject",
            userHandle: "dXNlcg",
            at: Date(timeIntervalSince1970: 0)
        )
    }

    private func expect(
        _ failure: PasskeyFailure,
        _ response: String,
        by passkey: Passkey? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let passkey = try passkey ?? self.passkey()
        #expect(throws: failure, sourceLocation: location) {
            try PasskeyAssertion(response).verified(ceremony, by: passkey)
        }
    }

    @Test("A signature of the passkey is accepted", arguments: [SignatureAlgorithm.es256, .edDSA, .rs256])
    func accepted(algorithm: SignatureAlgorithm) throws {
        var authenticator = try SoftAuthenticator(algorithm)
        authenticator.userHandle = "dXNlcg"
        authenticator.flags = 0x0D
        let passkey = try passkey(authenticator)
        authenticator.counter = 3
        authenticator.flags = 0x1D
        let assertion = try PasskeyAssertion(try authenticator.assertion(Self.challenge))
        #expect(assertion.id == passkey.id)
        let used = try assertion.verified(ceremony, by: passkey)
        #expect(used.signatureCounter == 3)
        #expect(used.isBackedUp && !passkey.isBackedUp)
    }

    @Test("A response without one of its parts is rejected (step 7)")
    func parts() throws {
        for name in ["clientDataJSON", "authenticatorData", "signature"] {
            let response = try authenticator.assertion(Self.challenge) { object in
                var response = object["response"]?.object ?? [:]
                response[name] = nil
                object["response"] = .object(response)
            }
            try expect(.malformed(name), response)
        }
    }

    @Test("A response under the identifier of another passkey is rejected (step 6)")
    func identifier() throws {
        var other = authenticator
        other.id = [9]
        try expect(.credentialID, try other.assertion(Self.challenge))
    }

    @Test("A response that names no user, or another one, is rejected (step 6)", arguments: [nil, "", "b3RoZXI"])
    func userHandle(handle: String?) throws {
        var other = authenticator
        other.userHandle = handle
        try expect(.userHandle, try other.assertion(Self.challenge))
    }

    @Test("Client data that cannot be read is rejected (steps 8 and 9)")
    func clientDataForm() throws {
        try expect(.malformed("client data"), try authenticator.assertion(Self.challenge, clientData: [0x7B]))
    }

    @Test("Client data of another ceremony is rejected (step 10)")
    func type() throws {
        let data = authenticator.clientData("webauthn.create", Self.challenge)
        try expect(.type("webauthn.create"), try authenticator.assertion(Self.challenge, clientData: data))
    }

    @Test("A challenge of another page is rejected (step 11)")
    func challenge() throws { try expect(.challenge, try authenticator.assertion("b3RoZXI")) }

    @Test("An origin other than that of the issuer is rejected (step 12)")
    func origin() throws {
        var other = authenticator
        other.origin = "https://evil.example"
        let failure = PasskeyFailure.origin("https://evil.example", expected: "http://localhost:8080")
        try expect(failure, try other.assertion(Self.challenge))
    }

    @Test("A page in a frame of another origin is rejected (steps 13 and 14)")
    func frames() throws {
        for (name, value) in [("crossOrigin", true), ("topOrigin", "https://evil.example")] as [(String, JSONValue)] {
            let data = authenticator.clientData("webauthn.get", Self.challenge) { $0[name] = value }
            try expect(.crossOrigin, try authenticator.assertion(Self.challenge, clientData: data))
        }
    }

    @Test("A response for another relying party is rejected (step 15)")
    func relyingParty() throws {
        var other = authenticator
        other.relyingPartyID = "example.org"
        try expect(.relyingParty(expected: "localhost"), try other.assertion(Self.challenge))
    }

    @Test("A response without the user's presence is rejected (step 16)")
    func userPresence() throws {
        var other = authenticator
        other.flags = 0x04
        try expect(.userPresence, try other.assertion(Self.challenge))
    }

    @Test("A response without the user's verification is rejected where it is required (step 17)")
    func userVerification() throws {
        var other = authenticator
        other.flags = 0x01
        let response = try other.assertion(Self.challenge)
        try expect(.userVerification, response)
        let lenient = PasskeyCeremony(ceremony.relyingParty, challenge: Self.challenge, userVerification: .preferred)
        _ = try PasskeyAssertion(response).verified(lenient, by: try passkey())
    }

    @Test("A passkey that is backed up and cannot be is rejected (step 18)")
    func backupState() throws {
        var other = authenticator
        other.flags = 0x15
        try expect(.backupState, try other.assertion(Self.challenge))
    }

    @Test("A passkey whose backup eligibility has changed is rejected (step 19)", arguments: [UInt8(0x05), 0x0D])
    func backupEligibility(registered: UInt8) throws {
        var other = authenticator
        other.flags = registered
        let passkey = try passkey(other)
        other.flags = registered ^ 0x08
        try expect(.backupEligibility, try other.assertion(Self.challenge), by: passkey)
    }

    @Test(
        "A signature of another key, over other data or of another form is rejected (step 21)",
        arguments: [SignatureAlgorithm.es256, .edDSA, .rs256]
    )
    func signature(algorithm: SignatureAlgorithm) throws {
        var own = try SoftAuthenticator(algorithm)
        own.userHandle = "dXNlcg"
        let passkey = try passkey(own)
        var other = own
        other.key = try SigningKey.generate(algorithm)
        try expect(.signature, try other.assertion(Self.challenge), by: passkey)
        let good = try own.signature(for: own.data(flags: 0x05) + SoftAuthenticator.hash.hash([1]))
        try expect(.signature, try own.assertion(Self.challenge, signature: good), by: passkey)
        try expect(.signature, try own.assertion(Self.challenge, signature: []), by: passkey)
        // The counter and the flags are signed.
        let data = own.data(flags: 0x05)
        let client = own.clientData("webauthn.get", Self.challenge)
        let made = try own.signature(for: data + SoftAuthenticator.hash.hash(client))
        own.counter = 9
        let response = try own.assertion(Self.challenge, signature: made)
        try expect(.signature, response, by: passkey)
    }

    @Test("A signature of ECDSA that is not in DER, or has bytes behind it, is rejected (step 21)")
    func signatureForm() throws {
        let signed =
            authenticator.data(flags: 0x05)
            + SoftAuthenticator.hash.hash(authenticator.clientData("webauthn.get", Self.challenge))
        let raw = try authenticator.key.signature(for: signed)
        try expect(.signature, try authenticator.assertion(Self.challenge, signature: raw))
        let longer = try authenticator.signature(for: signed) + [0]
        try expect(.signature, try authenticator.assertion(Self.challenge, signature: longer))
    }

    @Test(
        "A counter that does not advance is rejected (step 22)",
        arguments: [(5, 5), (5, 4), (5, 0), (4_294_967_295, 0)] as [(UInt32, UInt32)]
    )
    func counter(stored: UInt32, received: UInt32) throws {
        var other = authenticator
        other.counter = stored
        let passkey = try passkey(other)
        other.counter = received
        let failure = PasskeyFailure.signatureCounter(received: received, stored: stored)
        try expect(failure, try other.assertion(Self.challenge), by: passkey)
    }

    @Test("A counter that begins or advances, and one that is always 0, is accepted (step 22)")
    func advancingCounter() throws {
        for (stored, received) in [(0, 0), (0, 1), (5, 6), (5, 4_294_967_295)] as [(UInt32, UInt32)] {
            var other = authenticator
            other.counter = stored
            let passkey = try passkey(other)
            other.counter = received
            let assertion = try PasskeyAssertion(try other.assertion(Self.challenge))
            #expect(try assertion.verified(ceremony, by: passkey).signatureCounter == received)
        }
    }

    @Test("Outputs of extensions are ignored, and bytes behind them rejected (step 23)")
    func extensions() throws {
        let map = CBOR.map([(.text("appid"), .raw([0xF5]))]).encoded
        let data = authenticator.data(flags: 0x85, rest: map)
        let assertion = try PasskeyAssertion(try authenticator.assertion(Self.challenge, authenticatorData: data))
        _ = try assertion.verified(ceremony, by: try passkey())
        let longer = authenticator.data(flags: 0x85, rest: map + [0])
        let response = try authenticator.assertion(Self.challenge, authenticatorData: longer)
        try expect(.malformed("authenticator data"), response)
    }
}
