public import OstiaryJOSE
public import OstiaryOAuth

/// ID tokens that an app got from its platform's issuer and sends to its backend.
extension IDTokenPolicy {
    /// Google's ID tokens. (https://developers.google.com/identity/sign-in/web/backend-auth)
    ///
    /// `iss` is `https://accounts.google.com` or `accounts.google.com`. The authorized party (`azp`) must be one of the
    /// client identifiers as well: an Android or iOS app that requests a token for its backend is named there.
    ///
    /// - Parameters:
    ///   - clientIDs: The identifiers of the backend and its apps.
    ///   - nonce: Whether the app passes on a nonce of the backend. Default: yes.
    ///   - claims: Claims that must have exactly these values, such as `hd` for one organization. Default: none.
    /// - Returns: The policy.
    /// - Throws: `configuration` at stage `identity` without a client identifier.
    public static func google(
        clientIDs: [String],
        nonce: NonceRule = .required,
        claims: [String: JSONValue] = [:]
    ) throws(SignInError) -> IDTokenPolicy {
        var policy = try IDTokenPolicy(
            issuer: Issuer("https://accounts.google.com"),
            audiences: clientIDs,
            algorithms: [.rs256],
            claims: claims,
            nonce: nonce
        )
        policy.otherIssuers = ["accounts.google.com"]
        return policy
    }

    /// Apple's identity tokens of Sign in with Apple.
    /// (https://developer.apple.com/documentation/signinwithapple/verifying-a-user)
    ///
    /// The nonce is compared as the app passed it to Apple: if the app hashed the backend's nonce first, give the hash.
    ///
    /// - Parameters:
    ///   - clientIDs: The bundle identifiers of the apps, and the service identifiers of web pages.
    ///   - nonce: Whether the app passes on a nonce of the backend. Default: yes.
    /// - Returns: The policy.
    /// - Throws: `configuration` at stage `identity` without a client identifier.
    public static func apple(
        clientIDs: [String],
        nonce: NonceRule = .required
    ) throws(SignInError) -> IDTokenPolicy {
        try IDTokenPolicy(
            issuer: Issuer("https://appleid.apple.com"),
            audiences: clientIDs,
            algorithms: [.rs256],
            nonce: nonce
        )
    }

    /// Firebase's ID tokens, which have no nonce and say when the user authenticated.
    /// (https://firebase.google.com/docs/auth/admin/verify-id-tokens)
    ///
    /// - Parameter projectID: The project's identifier: the last part of `iss`, and `aud`.
    /// - Returns: The policy.
    /// - Throws: `configuration` at stage `identity` for an invalid identifier.
    public static func firebase(projectID: String) throws(SignInError) -> IDTokenPolicy {
        let isName = projectID.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard isName, !projectID.isEmpty else {
            throw SignInError(
                .identity,
                .configuration(
                    "A Firebase project identifier has lower-case letters, digits and hyphens: "
                        + "give the identifier, not the name."
                )
            )
        }
        return try IDTokenPolicy(
            issuer: Issuer("https://securetoken.google.com/\(projectID)"),
            audiences: [projectID],
            algorithms: [.rs256],
            authenticationTime: .stated
        )
    }
}
