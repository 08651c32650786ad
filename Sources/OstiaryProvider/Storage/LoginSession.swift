import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A user's login in one browser.
struct LoginSession: Sendable {
    /// The public identifier, `sid`; the cookie's value is another one.
    var id: String
    var subject: String
    /// The time of the user's last authentication.
    var authenticated: Date
    /// The methods of that authentication, as the claim `amr` has them (RFC 8176 section 2).
    var methods = passwordMethods

    /// The methods of a sign-in with name and password.
    static let passwordMethods = ["pwd"]
    /// The method of a sign-in with more than one factor.
    static let multiFactor = "mfa"

    func record(secret: String, expires: Date) -> ProviderRecord {
        ProviderRecord(
            kind: .loginSession,
            key: SecretDigest(secret).text,
            session: id,
            value: [
                "sid": .string(id), "sub": .string(subject), "auth_time": .number(authenticated.timeIntervalSince1970),
                "amr": .strings(methods),
            ],
            expires: expires
        )
    }

    init(id: String, subject: String, authenticated: Date) {
        self.id = id
        self.subject = subject
        self.authenticated = authenticated
    }

    init?(_ record: ProviderRecord) {
        guard let id = record.value["sid"]?.string, let subject = record.value["sub"]?.string,
            let authenticated = record.value["auth_time"]?.time
        else { return nil }
        self.init(id: id, subject: subject, authenticated: authenticated)
        methods = record.value["amr"]?.array?.compactMap(\.string) ?? Self.passwordMethods
    }
}
