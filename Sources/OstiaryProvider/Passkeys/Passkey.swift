package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A user's passkey, as the provider keeps it: a credential record. (Web Authentication Level 3 section 4)
package struct Passkey: Sendable, Hashable {
    /// The most passkeys of one user.
    package static let maximumPerUser = 50

    /// The credential ID, in base64url.
    package let id: String
    /// The user.
    package let subject: String
    /// The user handle that the authenticator keeps, in base64url: it names the user at a sign-in.
    package let userHandle: String
    /// The public key; its `alg` is the only algorithm.
    package let publicKey: JSONWebKey
    /// The signature counter of the last response; 0 where the authenticator has none.
    package var signatureCounter: UInt32
    /// Whether it can be backed up, such as to the user's other devices.
    package let isBackupEligible: Bool
    /// Whether it is backed up.
    package var isBackedUp: Bool
    /// The time of its registration.
    package let added: Date

    /// The methods of a sign-in with it, as the claim `amr` has them. (RFC 8176 section 2)
    ///
    /// A passkey that leaves its device is a key in software. Of another one, the attestation that would prove its
    /// hardware is not asked for. The provider requires the user's verification, so device and user are two factors.
    var methods: [String] { [isBackupEligible ? "swk" : "hwk", Self.possession, "user", LoginSession.multiFactor] }

    /// The method of a sign-in with a passkey: the proof of possession of a key.
    static let possession = "pop"
}

extension Passkey {
    /// The record's key: an identifier may have 1023 bytes.
    static func key(ofID id: String) -> String { SecretDigest(id).text }

    var record: ProviderRecord {
        ProviderRecord(
            kind: .passkey,
            key: Self.key(ofID: id),
            value: [
                "id": .string(id), "sub": .string(subject), "user_handle": .string(userHandle),
                "jwk": .object(publicKey.jsonObject), "counter": .integer(Int(signatureCounter)),
                "backup_eligible": .bool(isBackupEligible), "backed_up": .bool(isBackedUp),
                "added": .number(added.timeIntervalSince1970),
            ],
            expires: nil
        )
    }

    init?(_ record: ProviderRecord) {
        let value = record.value
        guard let id = value["id"]?.string, let subject = value["sub"]?.string,
            let userHandle = value["user_handle"]?.string,
            let publicKey = value["jwk"]?.object.flatMap({ try? JSONWebKey($0) }),
            let counter = value["counter"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let isBackupEligible = value["backup_eligible"]?.bool, let isBackedUp = value["backed_up"]?.bool,
            let added = value["added"]?.time
        else { return nil }
        self.init(
            id: id,
            subject: subject,
            userHandle: userHandle,
            publicKey: publicKey,
            signatureCounter: counter,
            isBackupEligible: isBackupEligible,
            isBackedUp: isBackedUp,
            added: added
        )
    }
}
