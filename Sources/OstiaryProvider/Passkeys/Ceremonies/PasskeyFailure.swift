/// The reason a passkey was not registered, or did not sign its user in.
package enum PasskeyFailure: Error, Sendable, Hashable {
    /// The response of the browser, or the named part of it, cannot be read.
    case malformed(String)
    /// The client data is of another ceremony; the text is its `type`.
    case type(String)
    /// The challenge is not that of the page.
    case challenge
    /// The page that used the passkey is of another origin than the issuer.
    case origin(String, expected: String)
    /// The page was in a frame of another origin.
    case crossOrigin
    /// The passkey belongs to another relying party.
    case relyingParty(expected: String)
    /// The user was not present.
    case userPresence
    /// The authenticator did not verify the user.
    case userVerification
    /// The flags say that a passkey is backed up which cannot be.
    case backupState
    /// The passkey could be backed up at its registration and cannot now, or the other way round.
    case backupEligibility
    /// The registration has no passkey.
    case noCredential
    /// The public key is of no algorithm that was offered, or malformed, weak or off its curve.
    case publicKey
    /// The attestation statement is not that of its format.
    case attestation
    /// The identifier of the passkey has no byte, or more than 1023.
    case credentialIDLength(Int)
    /// The identifier outside of the signed data is another one than inside.
    case credentialID
    /// The passkey is registered already.
    case taken
    /// The user has as many passkeys as one may have.
    case tooMany
    /// No user has this passkey; it may have been removed.
    case unknown
    /// The response names another user than that of the passkey, or none.
    case userHandle
    /// The signature was not made with the passkey's key.
    case signature
    /// The signature counter did not advance: a copy of the authenticator may be in use.
    case signatureCounter(received: UInt32, stored: UInt32)
}

extension PasskeyFailure {
    /// The reason in one sentence, for the provider's log.
    package var reason: String {
        switch self {
        case .malformed(let part): "The passkey's \(part) cannot be read."
        case .type(let type): "The passkey's client data has the type \(type.logged)."
        case .challenge: "The passkey signed another challenge than that of the page."
        case .origin(let origin, let expected):
            "The passkey was used on a page of \(origin.logged); the issuer's origin is \(expected)."
        case .crossOrigin: "The passkey was used in a frame of another origin."
        case .relyingParty(let expected): "The passkey is not for \(expected)."
        case .userPresence: "The authenticator did not see the user."
        case .userVerification: "The authenticator did not verify the user."
        case .backupState: "The passkey is backed up, and its flags say that it cannot be."
        case .backupEligibility: "The passkey's backup eligibility is another one than at its registration."
        case .noCredential: "The registration has no passkey."
        case .publicKey: "The passkey's key is not a valid one for ES256, EdDSA or RS256."
        case .attestation: "The attestation statement of the format none is not empty."
        case .credentialIDLength(let count): "The passkey's identifier has \(count) bytes, not 1 to 1023."
        case .credentialID: "The response and its authenticator data name different passkeys."
        case .taken: "The passkey is registered already."
        case .tooMany: "The user has \(Passkey.maximumPerUser) passkeys, the most there may be."
        case .unknown: "No user has this passkey."
        case .userHandle: "The response does not name the user of the passkey."
        case .signature: "The passkey's signature is wrong."
        case .signatureCounter(let received, let stored):
            "The passkey's signature counter is \(received), and was \(stored): a copy may be in use."
        }
    }

    /// The sentence for the user, one of the pages' texts in English.
    var sentence: String {
        switch self {
        case .unknown: PageText.passkeyUnknown.english
        case .userVerification: PageText.passkeyUnverified.english
        case .taken: PageText.passkeyTaken.english
        case .tooMany: PageText.tooManyPasskeys.text(in: .english, String(Passkey.maximumPerUser))
        case .signatureCounter: PageText.passkeyCopied.english
        default: PageText.passkeyRefused.english
        }
    }
}
