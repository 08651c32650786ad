import OstiaryJOSE
public import OstiaryOAuth

/// The SHA-256 of a secret that is long and random: a code, a token, a session, a client's secret.
///
/// Storage keeps these alone, so a stolen database opens nothing. A password is neither long nor random: it has a
/// ``PasswordHash``.
public struct SecretDigest: Sendable, Hashable {
    /// The digest in base64url.
    public let text: String

    /// Digests a secret.
    public init(of secret: Secret) { self.init(secret.reveal()) }

    /// Takes a digest that was written down.
    public init(text: String) { self.text = text }

    package init(_ secret: String) { text = Base64URL.encode(HashAlgorithm.sha256.hash(Array(secret.utf8))) }

    /// Whether a secret has this digest, in a time that does not reveal how much of it was right.
    public func matches(_ secret: Secret) -> Bool { matches(secret.reveal()) }

    /// Whether a secret has this digest, in a time that does not reveal how much of it was right.
    package func matches(_ secret: String) -> Bool { constantTimeEqual(SecretDigest(secret).text, text) }
}
