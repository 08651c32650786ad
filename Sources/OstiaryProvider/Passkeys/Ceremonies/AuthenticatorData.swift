package import OstiaryJOSE

/// The part of a response that the authenticator made. (Web Authentication Level 3 section 6.1)
package struct AuthenticatorData: Sendable {
    /// The facts about the user and the passkey.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// UP: the user was present.
        package static let userPresent = Flags(rawValue: 0x01)
        /// UV: the authenticator verified the user.
        package static let userVerified = Flags(rawValue: 0x04)
        /// BE: the passkey can be backed up.
        package static let backupEligible = Flags(rawValue: 0x08)
        /// BS: the passkey is backed up.
        package static let backedUp = Flags(rawValue: 0x10)
        /// AT: there is a new passkey.
        package static let attestedCredential = Flags(rawValue: 0x40)
        /// ED: there are outputs of extensions.
        package static let extensions = Flags(rawValue: 0x80)
    }

    /// A new passkey. (Web Authentication Level 3 section 6.5.1)
    package struct Credential: Sendable {
        /// The credential ID.
        package let id: [UInt8]
        /// The credential public key.
        package let publicKey: JSONWebKey
    }

    /// The SHA-256 of the relying party's identifier.
    package let relyingPartyIDHash: [UInt8]
    /// The facts.
    package let flags: Flags
    /// The signature counter; 0 where the authenticator has none.
    package let signatureCounter: UInt32
    /// The new passkey; `nil` in a response that signs in.
    package let credential: Credential?

    /// Reads authenticator data to its last byte.
    ///
    /// - Throws: `malformed` for bytes that end too early, extensions other than a map, and bytes behind the end;
    ///   `credentialIDLength`; `publicKey` as ``COSEKey/jsonWebKey(_:)`` does.
    package init(_ bytes: [UInt8]) throws(PasskeyFailure) {
        var rest = bytes[...]
        relyingPartyIDHash = Array(try Self.take(32, of: &rest))
        flags = Flags(rawValue: try Self.number(1, of: &rest, as: UInt8.self))
        signatureCounter = try Self.number(4, of: &rest)
        credential = flags.contains(.attestedCredential) ? try Self.credential(from: &rest) : nil
        if flags.contains(.extensions) {
            guard try Self.value(from: &rest).map != nil else { throw Self.malformed }
        }
        guard rest.isEmpty else { throw Self.malformed }
    }

    private static func credential(from rest: inout ArraySlice<UInt8>) throws(PasskeyFailure) -> Credential {
        // The model of the authenticator, of which nothing is asked.
        _ = try take(16, of: &rest)
        let count = Int(try number(2, of: &rest, as: UInt16.self))
        guard (1...1023).contains(count) else { throw .credentialIDLength(count) }
        let id = Array(try take(count, of: &rest))
        return Credential(id: id, publicKey: try COSEKey.jsonWebKey(try value(from: &rest)))
    }

    private static let malformed = PasskeyFailure.malformed("authenticator data")

    private static func value(from rest: inout ArraySlice<UInt8>) throws(PasskeyFailure) -> CBORValue {
        do throws(CBORError) { return try CBORReader.value(from: &rest) } catch { throw malformed }
    }

    private static func take(
        _ count: Int,
        of rest: inout ArraySlice<UInt8>
    ) throws(PasskeyFailure) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw malformed }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }

    private static func number<Number: FixedWidthInteger>(
        _ count: Int,
        of rest: inout ArraySlice<UInt8>,
        as type: Number.Type = Number.self
    ) throws(PasskeyFailure) -> Number {
        try take(count, of: &rest).reduce(0) { $0 << 8 | Number($1) }
    }
}
