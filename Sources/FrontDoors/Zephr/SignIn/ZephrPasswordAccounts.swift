public import Ostiary

extension Zephr {
    /// Accounts with a password of the site's own.
    ///
    /// The password passes through the app, which social sign-in avoids; it is neither stored nor displayed here.
    public var passwordAccounts: ZephrPasswordAccounts { ZephrPasswordAccounts(zephr: self) }
}

/// Registers users and signs them in with a password that they enter in the app.
public struct ZephrPasswordAccounts: Sendable {
    let zephr: Zephr

    /// Registers a user.
    ///
    /// - Parameters:
    ///   - emailAddress: The address by which the site knows the user.
    ///   - password: The password that the user will sign in with.
    ///   - attributes: The attributes that the site requires; any JSON.
    /// - Returns: The session, already stored.
    /// - Throws: `userAlreadyExists`; `emailDomainRefused`; `badRequest` for a weak password or a missing attribute.
    public func register(
        emailAddress: String,
        password: Secret,
        attributes: JSONObject = [:]
    ) async throws(ZephrError) -> ZephrSession {
        try await zephr.begin(
            try await zephr.api.register(emailAddress: emailAddress, password: password, attributes: attributes)
        )
    }

    /// Signs a user in.
    ///
    /// - Returns: The session, already stored.
    /// - Throws: `userNotFound`; `wrongPassword`; `emailVerificationRequired` when the address was never confirmed.
    public func signIn(emailAddress: String, password: Secret) async throws(ZephrError) -> ZephrSession {
        try await zephr.begin(try await zephr.api.logIn(emailAddress: emailAddress, password: password))
    }
}
