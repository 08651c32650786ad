import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A user who has authenticated on a sign-in page.
struct Authentication: Sendable {
    var user: ProviderUser
    /// The methods, as the claim `amr` has them (RFC 8176 section 2).
    var methods: [String]
}

/// A user who has passed a factor, and whose one-time password is missing.
struct PendingUser: Sendable {
    var subject: String
    /// The methods so far, as the claim `amr` has them.
    var methods: [String]
    /// The time of the first factor, where it was passed at an earlier request.
    var authenticated: Date?

    init(subject: String, methods: [String], authenticated: Date? = nil) {
        self.subject = subject
        self.methods = methods
        self.authenticated = authenticated
    }

    /// The methods with a one-time password besides.
    var methodsWithOneTimePassword: [String] { methods + ["otp", LoginSession.multiFactor] }

    /// Reads what ``json`` wrote; `nil` for anything else.
    init?(json: JSONValue?) {
        guard let object = json?.object, let subject = object["sub"]?.string, let methods = object["amr"]?.array,
            object.isTimeOrAbsent("auth_time")
        else { return nil }
        self.init(
            subject: subject,
            methods: methods.compactMap(\.string),
            authenticated: object["auth_time"]?.time
        )
    }

    /// The user for a record.
    var json: JSONValue {
        var object: JSONObject = ["sub": .string(subject), "amr": .strings(methods)]
        object["auth_time"] = authenticated.map { .number($0.timeIntervalSince1970) }
        return .object(object)
    }
}
