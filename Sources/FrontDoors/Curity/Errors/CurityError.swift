public import Ostiary

/// An error in the four fields that the samples display and log: domain, code, `error` and `error_description`.
///
/// Domain and code are those of AppAuth's table of errors, where support looks them up. No field holds a secret.
public struct CurityError: Error, Sendable, Hashable {
    /// The error that it was made of, with the stage and the exact reason.
    public let cause: SignInError
    /// The table of the code.
    public let domain: Domain
    /// The number in that table.
    public let code: Code
    /// The OAuth `error`, when the server sent one.
    public let error: String?
    /// The OAuth `error_description`, or a sentence when the server sent none.
    public let errorDescription: String
    /// The OAuth `error_uri`, when the server sent one.
    public let errorURI: String?
    /// The pause that the server requests.
    public var retryAfter: Duration? { cause.retryAfter }

    /// Finds the fields of an error.
    public init(_ cause: SignInError) {
        self.cause = cause
        (domain, code) = Self.place(of: cause)
        guard case .refused(let refusal) = cause.reason else {
            error = nil
            errorDescription = cause.message
            errorURI = nil
            return
        }
        error = refusal.code.rawValue
        errorDescription = refusal.description ?? cause.message
        errorURI = refusal.uri
    }

    /// A table of codes.
    public struct Domain: RawRepresentable, Sendable, Hashable {
        /// The domain's name.
        public let rawValue: String
        /// Takes any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Errors of the app, of the network, or of a response's form.
        public static let general = Domain(rawValue: "org.openid.appauth.general")
        /// Errors of the authorization endpoint.
        public static let authorization = Domain(rawValue: "org.openid.appauth.oauth_authorization")
        /// Errors of the token endpoint.
        public static let token = Domain(rawValue: "org.openid.appauth.oauth_token")
        /// Errors of the registration endpoint.
        public static let registration = Domain(rawValue: "org.openid.appauth.oauth_registration")
        /// Errors of a resource server, such as the UserInfo endpoint.
        public static let resourceServer = Domain(rawValue: "org.openid.appauth.resourceserver")
        /// A status without an explanation; the code is the status.
        public static let http = Domain(rawValue: "org.openid.appauth.remote-http")
        /// Errors of the store, for which AppAuth has no table.
        public static let storage = Domain(rawValue: "ostiary.storage")
    }

    /// A number of a table.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number.
        public let rawValue: Int
        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
}

extension CurityError: PresentableError {
    /// The action that may resolve the error.
    public var recovery: SignInError.Recovery { cause.recovery }
    /// The next step of the user.
    public var advice: SignInAdvice { cause.advice }
    /// The server's identifier of the request that failed.
    public var supportReference: String? { cause.requestID }
}

extension CurityError: CustomStringConvertible {
    /// The four fields in one line.
    public var description: String {
        "\(domain.rawValue) / \(code.rawValue) / \(error ?? "-") / \(errorDescription)"
    }
}
