import OstiaryCompatibility
import OstiaryJOSE

/// The expectations of one registration or authentication ceremony. (Web Authentication Level 3 section 7)
package struct PasskeyCeremony: Sendable {
    /// Whether the authenticator has to verify the user, such as by a PIN or a fingerprint.
    package enum UserVerification: String, Sendable, Hashable {
        /// It has to.
        case required
        /// It need not.
        case preferred
    }

    /// The relying party.
    package let relyingParty: RelyingParty
    /// The challenge, in base64url.
    package let challenge: String
    /// The requirement on the user's verification.
    package let userVerification: UserVerification

    /// Makes the expectations.
    package init(_ relyingParty: RelyingParty, challenge: String, userVerification: UserVerification = .required) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.userVerification = userVerification
    }

    /// Checks client data: steps 5 to 11 of a registration (section 7.1), 8 to 14 of an authentication (section 7.2).
    ///
    /// - Parameters:
    ///   - bytes: The client data.
    ///   - ceremony: The ceremony that it has to be of.
    /// - Throws: `malformed`, `type`, `challenge`, `origin`, `crossOrigin`, in this order.
    func check(_ bytes: [UInt8], of ceremony: ClientData.Ceremony) throws(PasskeyFailure) {
        // Steps 5 and 6, or 8 and 9: the JSON.
        let data = try ClientData(bytes)
        // Step 7, or 10: the type.
        guard data.type.utf8.elementsEqual(ceremony.rawValue.utf8) else { throw .type(data.type) }
        // Step 8, or 11: the challenge.
        guard constantTimeEqual(data.challenge, challenge) else { throw .challenge }
        // Step 9, or 12: the origin.
        guard data.origin.utf8.elementsEqual(relyingParty.origin.utf8) else {
            throw .origin(data.origin, expected: relyingParty.origin)
        }
        // Steps 10 and 11, or 13 and 14: the provider's pages are in no frame.
        guard !data.isFramed else { throw .crossOrigin }
    }

    /// Checks authenticator data: steps 14 to 17 of a registration (section 7.1), 15 to 18 of an authentication
    /// (section 7.2).
    ///
    /// - Throws: `relyingParty`, `userPresence`, `userVerification`, `backupState`, in this order.
    func check(_ data: AuthenticatorData) throws(PasskeyFailure) {
        // Step 14, or 15: the hash of the RP ID.
        guard data.relyingPartyIDHash == HashAlgorithm.sha256.hash(Array(relyingParty.id.utf8)) else {
            throw .relyingParty(expected: relyingParty.id)
        }
        // Step 15, or 16: UP.
        guard data.flags.contains(.userPresent) else { throw .userPresence }
        // Step 16, or 17: UV.
        guard userVerification == .preferred || data.flags.contains(.userVerified) else { throw .userVerification }
        // Step 17, or 18: BS only with BE.
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else { throw .backupState }
    }
}
