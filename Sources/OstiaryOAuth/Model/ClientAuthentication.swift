import HTTPTypes

/// How a client proves who it is at the token endpoint and its siblings (RFC 6749 section 2.3).
///
/// An open set: add a method by writing one more static member in a file of its own.
public struct ClientAuthentication: Sendable {
    /// The name in the IANA registry, such as `client_secret_basic`.
    public let method: String
    let apply: @Sendable (inout EndpointRequest, Client, AuthorizationServer) throws(SignInError) -> Void

    /// Makes a method.
    ///
    /// - Parameters:
    ///   - method: The name in the IANA "OAuth Token Endpoint Authentication Methods" registry.
    ///   - apply: Adds the proof to a request. It may not put a secret into the URL.
    public init(
        method: String,
        apply: @escaping @Sendable (inout EndpointRequest, Client, AuthorizationServer) throws(SignInError) -> Void
    ) {
        self.method = method
        self.apply = apply
    }

    /// A public client: only `client_id` is sent (RFC 6749 section 3.2.1).
    public static let none = ClientAuthentication(method: "none") { request, client, _ in
        request.form[.clientID] = client.id
    }
}

extension ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// The method's name.
    public var description: String { method }
    /// The method's name.
    public var customMirror: Mirror { Mirror(self, children: ["method": method]) }
}
