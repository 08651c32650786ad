import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The check of a client secret that the client made from a key: a JSON Web Token that is used until it expires.
///
/// The claims and the longest lifetime are those of Sign in with Apple
/// (https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret).
struct SignedSecret: Sendable {
    /// The longest validity of a secret, in seconds: half a year.
    static let longestLifetime: Double = 15_777_000

    let clientID: String
    /// The developer whose key it is, `iss`.
    let developer: String
    let audience: Issuer
    let keys: JSONWebKeySet

    /// Whether a secret is signed by one of the keys, for this client and issuer, and valid.
    func accepts(_ secret: String, now: Date) -> Bool {
        guard let token = try? UnverifiedJWT(secret, maximumBytes: 8192),
            let claims = try? token.verified(by: keys, algorithms: [.es256]).claims,
            let iss = claims["iss"]?.string, iss.utf8.elementsEqual(developer.utf8),
            let sub = claims["sub"]?.string, sub.utf8.elementsEqual(clientID.utf8),
            let aud = claims["aud"]?.string, aud.utf8.elementsEqual(audience.description.utf8),
            let issued = claims["iat"]?.number, let expiry = claims["exp"]?.number
        else { return false }
        let seconds = now.timeIntervalSince1970
        return issued <= seconds && expiry > seconds && expiry - issued <= Self.longestLifetime
    }
}
