import OstiaryJOSE

/// The browser's response when a passkey has signed its user in.
package struct PasskeyAssertion: Sendable {
    private let response: PasskeyResponse

    /// Reads an `AuthenticationResponseJSON`. (Web Authentication Level 3 section 5.1.1)
    ///
    /// - Throws: `malformed` for anything else.
    package init(_ text: String) throws(PasskeyFailure) { response = try PasskeyResponse(text) }

    /// The credential ID, in base64url.
    package var id: String { response.id }

    /// The passkey as it is after the sign-in, once the response has passed the checks of an authentication.
    /// (Web Authentication Level 3 section 7.2)
    ///
    /// Steps 1 to 4 are the browser's and the reader's of the response. Step 5 has nothing to check: the options name no
    /// passkey, so that the authenticator's user chooses one. Then:
    /// - 6: the user handle has to be there, and be that of the passkey, by which the caller found the passkey.
    /// - 7 reads the parts of the response.
    /// - 8 to 14: ``PasskeyCeremony`` checks the client data: JSON, `type`, `challenge`, `origin`, `crossOrigin` and
    ///   `topOrigin`.
    /// - 15 to 18: ``PasskeyCeremony`` checks the authenticator data: RP ID hash, UP, UV, BE and BS.
    /// - 19: BE is as it was at the registration.
    /// - 20 and 21: the signature over the authenticator data and the hash of the client data.
    /// - 22: the signature counter has to advance, unless both are 0.
    /// - 23: outputs of extensions are ignored.
    /// - 24: the counter and BS are updated in the returned passkey.
    ///
    /// - Parameters:
    ///   - ceremony: The expectations.
    ///   - passkey: The passkey with the credential ID of the response.
    /// - Returns: The passkey with the counter and BS of the response.
    /// - Throws: ``PasskeyFailure``, at the first step that does not hold.
    package func verified(
        _ ceremony: PasskeyCeremony,
        by passkey: Passkey
    ) throws(PasskeyFailure) -> Passkey {
        guard response.id.utf8.elementsEqual(passkey.id.utf8) else { throw .credentialID }
        guard let handle = response.text("userHandle"), handle.utf8.elementsEqual(passkey.userHandle.utf8) else {
            throw .userHandle
        }
        let clientData = try response.bytes("clientDataJSON")
        let bytes = try response.bytes("authenticatorData")
        let signature = try response.bytes("signature")
        try ceremony.check(clientData, of: .assertion)
        let data = try AuthenticatorData(bytes)
        try ceremony.check(data)
        guard data.flags.contains(.backupEligible) == passkey.isBackupEligible else { throw .backupEligibility }
        let signed = bytes + HashAlgorithm.sha256.hash(clientData)
        guard passkey.publicKey.isValidPasskeySignature(signature, for: signed) else { throw .signature }
        let (received, stored) = (data.signatureCounter, passkey.signatureCounter)
        guard received > stored || (received == 0 && stored == 0) else {
            throw .signatureCounter(received: received, stored: stored)
        }
        var passkey = passkey
        passkey.signatureCounter = received
        passkey.isBackedUp = data.flags.contains(.backedUp)
        return passkey
    }
}
