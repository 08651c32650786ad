import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of a signed UserInfo response whose signature is valid (OpenID Connect Core sections 5.3.2 and 5.3.4).
enum UserInfoCheck {
    struct Facts {
        let token: VerifiedJWT
        let request: UserInfoRequest
        let now: Date
    }

    /// The rules for signed responses: issuer and audience are optional there, and must be correct if present.
    static let signedRules: [Rule<Facts, SignInError.Check>] = [
        Rule("userinfo.typ", .type, "RFC 8725 section 3.11") {
            $0.token.header.type?.lowercased().hasSuffix("+jwt") != true
        },
        Rule("userinfo.iss", .issuer, "OpenID Connect Core section 5.3.2") { facts in
            guard let issuer = facts.token.claims["iss"] else { return true }
            return issuer.string.map(facts.request.server.issuer.isNamed) ?? false
        },
        Rule("userinfo.aud", .audience, "OpenID Connect Core section 5.3.2") {
            guard $0.token.claims["aud"] != nil else { return true }
            return $0.token.claims.audience?.contains(.string($0.request.client.id)) ?? false
        },
        Rule("userinfo.exp", .expiry, "RFC 7519 section 4.1.4") {
            guard let expiry = $0.token.claims["exp"] else { return true }
            let time = $0.now.timeIntervalSince1970 - $0.request.client.validation.clockTolerance.inSeconds
            return expiry.number.map { time < $0 } ?? false
        },
    ]
}
