import HTTPTypes
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client's authentication at the token endpoint and its siblings (RFC 6749 section 2.3).
///
/// An open set: add a method by writing one more static member in a file of its own.
public struct ClientAuthentication: Sendable {
    /// The name in the IANA registry, such as `client_secret_basic`.
    public let method: String
    /// The signature algorithm of the client's assertions; `nil` when it signs none.
    public let algorithm: SignatureAlgorithm?
    /// The time at which the secret of the moment expires; `nil` for never.
    let expiry: @Sendable () -> Date?
    /// The audience of its assertions; `nil` when it signs none.
    public internal(set) var assertionAudience: AssertionAudience?
    let apply: Application

    /// Adds a proof to a request.
    public typealias Application =
        @Sendable (inout EndpointRequest, Client, AuthorizationServer, inout Freshness) throws(SignInError) -> Void

    /// Makes a method.
    ///
    /// - Parameters:
    ///   - method: The name in the IANA "OAuth Token Endpoint Authentication Methods" registry.
    ///   - algorithm: The signature algorithm of its assertions; `nil` when it signs none.
    ///   - apply: Adds the proof to a request. It may not put a secret into the URL.
    public init(
        method: String,
        algorithm: SignatureAlgorithm? = nil,
        apply: @escaping Application
    ) {
        self.init(method: method, algorithm: algorithm, expiry: { nil }, apply: apply)
    }

    init(
        method: String,
        algorithm: SignatureAlgorithm?,
        expiry: @escaping @Sendable () -> Date?,
        apply: @escaping Application
    ) {
        self.method = method
        self.algorithm = algorithm
        self.expiry = expiry
        self.apply = apply
    }

    /// A public client: only `client_id` is sent (RFC 6749 section 3.2.1).
    public static let none = ClientAuthentication(method: "none") { request, client, _, _ in
        request.form[.clientID] = client.id
    }
}

extension ClientAuthentication {
    /// Authentication with the current credentials, which are read anew for each request.
    ///
    /// A secret may change during a session (RFC 7592 section 5).
    ///
    /// - Parameter current: Returns the current authentication; its method must not change.
    /// - Returns: The method of authentication.
    public static func renewable(_ current: @escaping @Sendable () -> ClientAuthentication) -> ClientAuthentication {
        let first = current()
        var authentication = ClientAuthentication(
            method: first.method,
            algorithm: first.algorithm,
            expiry: { current().expiry() }
        ) { (request, client, server, fresh) throws(SignInError) in
            try current().apply(&request, client, server, &fresh)
        }
        authentication.assertionAudience = first.assertionAudience
        return authentication
    }
}

extension ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// The method's name.
    public var description: String { method }
    /// The method's name.
    public var customMirror: Mirror { Mirror(self, children: ["method": method]) }
}
