public import OstiaryJOSE

/// The binding of tokens to their client, so that an attacker cannot use a stolen token (RFC 9700 section 2.2.1).
///
/// An open set: each kind makes the key that a session is bound to.
public struct SenderConstraint: Sendable {
    /// The name, such as `dpop`.
    public let name: String
    let makeKey: @Sendable () throws(SignInError) -> DPoPKey?

    /// Bearer tokens, which any holder can use.
    public static let none = SenderConstraint(name: "none") { () throws(SignInError) in nil }

    /// DPoP with a new key for each session (RFC 9449).
    ///
    /// A response with a bearer token is then rejected; there is no fallback.
    public static let dpop = dpop(.es256)

    /// DPoP with a new key for each session, made for an algorithm (RFC 9449).
    public static func dpop(_ algorithm: SignatureAlgorithm) -> SenderConstraint {
        SenderConstraint(name: "dpop") { () throws(SignInError) in try DPoPKey.generate(algorithm) }
    }

    /// DPoP with a key that the app makes for each session, for example in other hardware (RFC 9449).
    ///
    /// - Parameter makeKey: Called once for each sign-in; it blocks its caller, so it must not wait for the user.
    /// - Returns: The sender constraint.
    public static func dpop(making makeKey: @escaping @Sendable () throws(SignInError) -> DPoPKey) -> SenderConstraint {
        SenderConstraint(name: "dpop") { () throws(SignInError) in try makeKey() }
    }

    /// DPoP with one key that the app keeps (RFC 9449).
    public static func dpop(_ key: DPoPKey) -> SenderConstraint {
        SenderConstraint(name: "dpop") { () throws(SignInError) in key }
    }
}

extension SenderConstraint: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
