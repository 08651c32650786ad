import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The browser's response when it has made a passkey.
package struct PasskeyRegistration: Sendable {
    private let response: PasskeyResponse

    /// Reads a `RegistrationResponseJSON`. (Web Authentication Level 3 section 5.1.1)
    ///
    /// - Throws: `malformed` for anything else.
    package init(_ text: String) throws(PasskeyFailure) { response = try PasskeyResponse(text) }

    /// The passkey, once the response has passed the checks of a registration. (Web Authentication Level 3 section 7.1)
    ///
    /// Steps 1 to 4 are the browser's and the reader's of the response. Then:
    /// - 5 to 11: ``PasskeyCeremony`` checks the client data: JSON, `type`, `challenge`, `origin`, `crossOrigin` and
    ///   `topOrigin`.
    /// - 12 is for attestation statements, of which none is asked for.
    /// - 13: the attestation object is read; a passkey has to be in it.
    /// - 14 to 17: ``PasskeyCeremony`` checks the authenticator data: RP ID hash, UP, UV, BE and BS.
    /// - 18 and 19: BE and BS are kept with the passkey.
    /// - 20: the key is for one of the offered algorithms.
    /// - 21 to 24: the statement of the format `none` has to be empty (section 8.7). Any other is ignored, so a passkey
    ///   proves nothing about its authenticator.
    /// - 25: the credential ID has at most 1023 bytes, and is the one of the response.
    /// - 26 is the storage's: it adds a passkey that is not there yet.
    /// - 27 makes the credential record. Outputs of extensions, step 28, are ignored.
    ///
    /// - Parameters:
    ///   - ceremony: The expectations.
    ///   - subject: The user.
    ///   - userHandle: The user handle that the options of the ceremony have.
    ///   - now: The time to keep with it.
    /// - Returns: The passkey to keep.
    /// - Throws: ``PasskeyFailure``, at the first step that does not hold.
    package func passkey(
        _ ceremony: PasskeyCeremony,
        of subject: String,
        userHandle: String,
        at now: Date
    ) throws(PasskeyFailure) -> Passkey {
        try ceremony.check(response.bytes("clientDataJSON"), of: .creation)
        let attestation = try Self.attestation(try response.bytes("attestationObject"))
        let data = try AuthenticatorData(attestation.authenticatorData)
        try ceremony.check(data)
        guard let credential = data.credential else { throw .noCredential }
        guard attestation.isComplete else { throw .attestation }
        guard Base64URL.encode(credential.id).utf8.elementsEqual(response.id.utf8) else { throw .credentialID }
        return Passkey(
            id: response.id,
            subject: subject,
            userHandle: userHandle,
            publicKey: credential.publicKey,
            signatureCounter: data.signatureCounter,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            added: now
        )
    }

    /// Reads an attestation object. (Web Authentication Level 3 section 6.5.4)
    private static func attestation(
        _ bytes: [UInt8]
    ) throws(PasskeyFailure) -> (authenticatorData: [UInt8], isComplete: Bool) {
        let malformed = PasskeyFailure.malformed("attestation object")
        let value: CBORValue
        do throws(CBORError) { value = try CBORReader.value(of: bytes) } catch { throw malformed }
        guard let map = value.map, let format = map["fmt"]?.text, let statement = map["attStmt"]?.map,
            let data = map["authData"]?.bytes
        else { throw malformed }
        return (data, format != "none" || statement.count == 0)
    }
}
