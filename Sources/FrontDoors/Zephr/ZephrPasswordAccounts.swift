public import Ostiary

extension Zephr {
    /// Accounts with a password of the site's own.
    ///
    /// The password passes through the app, which social sign-in avoids; it is neither kept nor shown anywhere here.
    public var passwordAccounts: ZephrPasswordAccounts { ZephrPasswordAccounts(zephr: self) }
}

/// Registers people and signs them in with a password that they type into the app.
public struct ZephrPasswordAccounts: Sendable {
    let zephr: Zephr

    /// Registers somebody.
    ///
    /// - Parameters:
    ///   - emailAddress: The address, by which the site knows the person.
    ///   - password: What the person will sign in with.
    ///   - attributes: What the site asks for; any JSON.
    /// - Returns: The session, stored by then.
    /// - Throws: `userAlreadyExists`, `emailDomainRefused`, or `badRequest` for a weak password or a missing attribute.
    public func register(
        emailAddress: String,
        password: Secret,
        attributes: JSONObject = [:]
    ) async throws(ZephrError) -> ZephrSession {
        try await zephr.begin(
            try await zephr.api.register(emailAddress: emailAddress, password: password, attributes: attributes)
        )
    }

    /// Signs somebody in.
    ///
    /// - Returns: The session, stored by then.
    /// - Throws: `userNotFound`, `wrongPassword`, or `emailVerificationRequired` when the address was never confirmed.
    public func signIn(emailAddress: String, password: Secret) async throws(ZephrError) -> ZephrSession {
        try await zephr.begin(try await zephr.api.logIn(emailAddress: emailAddress, password: password))
    }
}
