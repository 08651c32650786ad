/// A key of a key set that cannot be used here.
public struct IgnoredKey: Sendable, Hashable {
    /// The reason a key was left out.
    public enum Reason: Error, Sendable, Hashable {
        /// A symmetric key, which has no place in a public document.
        case symmetric
        /// The key includes its private half, so that any reader can sign with it.
        case privateMembers
        /// An RSA key that is too short, or whose numbers are unsafe.
        case weak
        /// The key type or curve is not supported.
        case unsupportedKey
        /// The key is bound to an algorithm that is not supported, such as one for encryption.
        case unsupportedAlgorithm
        /// `use` or `key_ops` say that the key is not for checking signatures.
        case notForVerification
        /// The key does not have the form that its type requires.
        case malformed
    }

    /// The position in the document, from 0.
    public let index: Int
    /// The key's identifier, cut to 64 characters.
    public let keyID: String?
    /// The reason the key was left out.
    public let reason: Reason
}

extension IgnoredKey.Reason {
    init(_ error: JOSEError) {
        self =
            switch error {
            case .symmetricKey: .symmetric
            case .privateKeyMaterial: .privateMembers
            case .weakKey, .tooLarge: .weak
            case .unsupportedKey: .unsupportedKey
            case .unsupportedAlgorithm: .unsupportedAlgorithm
            default: .malformed
            }
    }
}
