import OstiaryJOSE

extension Verdict {
    /// Compares `iss` and `sub` of an ID token with the session that a refresh continues, before its signature is
    /// checked.
    ///
    /// A contradiction proves that the response is not about this session, whichever key signed it. A claim that is
    /// missing or unreadable contradicts nothing. (OpenID Connect Core section 12.2)
    ///
    /// - Throws: `mismatch(.issuer)` or `mismatch(.subject)` for a claim that differs.
    mutating func requireOwner(_ idToken: UnverifiedJWT?, continuing tokens: TokenSet) throws(SignInError) {
        guard let claims = idToken?.unverifiedClaims else { return }
        if let issuer = claims["iss"], !issuer.isNull {
            try self.require(
                "refresh.owner.iss",
                .issuer,
                "OpenID Connect Core section 12.2",
                expected: tokens.issuer.description,
                found: issuer.string.map { String($0.prefix(200)) },
                issuer.string.map(tokens.issuer.isNamed) ?? false
            )
        }
        if let subject = claims["sub"], !subject.isNull, let known = tokens.continuedClaims?["sub"] {
            try self.require(
                "refresh.owner.sub",
                .subject,
                "OpenID Connect Core section 12.2",
                expected: Verdict.fingerprint(known.string),
                found: Verdict.fingerprint(subject.string),
                subject == known
            )
        }
    }
}
