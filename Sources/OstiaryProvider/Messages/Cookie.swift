import OstiaryJOSE
import OstiaryOAuth

/// A cookie of the provider: for this host, every path, no script, and not sent along by forms of other sites.
struct Cookie {
    var name: String
    /// Empty removes the cookie.
    var value: String
    var isSecure: Bool

    /// The value of the `Set-Cookie` field.
    ///
    /// The cookie lives as long as the browser runs; the provider's record has the expiry.
    var text: String {
        let end = value.isEmpty ? "; Max-Age=0" : ""
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") + end
    }
}

/// The provider's cookies.
///
/// Cookies do not know ports, so their names carry a mark of the issuer: two providers on one machine would otherwise
/// end each other's sessions. The prefix `__Host-` keeps other hosts of a domain from planting one.
struct CookieNames: Sendable {
    /// The cookie of the login session.
    let session: String
    /// The cookie of the accounts, where a browser may have several logins.
    let accounts: String
    /// The cookie of the browser that an interaction belongs to.
    let browser: String
    let isSecure: Bool

    init(_ issuer: Issuer) {
        isSecure = issuer.description.hasPrefix("https:")
        let prefix = isSecure ? "__Host-" : ""
        let mark = SecretDigest(issuer.description).text.prefix(8)
        session = "\(prefix)ostiary-session-\(mark)"
        accounts = "\(prefix)ostiary-accounts-\(mark)"
        browser = "\(prefix)ostiary-browser-\(mark)"
    }

    func session(_ value: String) -> Cookie { Cookie(name: session, value: value, isSecure: isSecure) }

    func accounts(_ value: String) -> Cookie { Cookie(name: accounts, value: value, isSecure: isSecure) }

    /// The cookies of a browser's first visit: its own, and a second one under the name of the interaction.
    ///
    /// Two windows of a new browser may both open a page before the first cookie arrives. Each would replace the
    /// other's cookie, and the form of one would be refused; the second cookie keeps them apart.
    func firstVisit(_ value: String, interaction id: String) -> [Cookie] {
        [browser, firstVisit(id)].map { Cookie(name: $0, value: value, isSecure: isSecure) }
    }

    /// The name of the cookie of the visit that opened an interaction.
    func firstVisit(_ id: String) -> String { "\(browser)-\(SecretDigest(id).text.prefix(8))" }
}
