/// The purpose of an access token: the sign-in itself, or a resource with the server's own parameters.
///
/// Tokens are cached by target: two equal targets share one token. The order of parameters with different names does
/// not matter; values are compared octet by octet.
public struct AccessTokenTarget: Sendable {
    /// The resource server that the token is for (RFC 8707 section 2.2); `nil` for none in particular.
    public let resource: ResourceIndicator?
    /// Parameters of a server's own, such as the tenant or the organization that the token acts for.
    public let parameters: Parameters
    /// The canonical form of the target: ASCII, so that no two spellings of a character are equal.
    private let identity: String

    /// The access token that the sign-in itself returned.
    public static let signIn = AccessTokenTarget(checked: nil, Parameters())

    /// Takes a resource; `nil` stands for the sign-in itself.
    public init(_ resource: ResourceIndicator?) {
        if let resource { self.init(checked: resource, Parameters()) } else { self = .signIn }
    }

    /// Takes a resource and parameters of a server's own.
    ///
    /// - Parameters:
    ///   - resource: The resource server; `nil` for none in particular.
    ///   - parameters: Sent with the refresh token, in this order, at most 32 of them and 8,192 bytes.
    /// - Throws: `configuration` at stage `refresh` for a parameter that the request sets itself, and for too many.
    public init(resource: ResourceIndicator? = nil, parameters: Parameters) throws(SignInError) {
        if let name = parameters.names.first(where: Self.ownParameters.contains) {
            throw SignInError(
                .refresh,
                .configuration("\(name.rawValue) is set by the request itself and cannot be an additional parameter.")
            )
        }
        self.init(checked: resource, parameters)
        guard parameters.pairs.count <= 32, identity.utf8.count <= 8_192 else {
            throw SignInError(
                .refresh,
                .configuration("An access token request may carry at most 32 parameters and 8,192 bytes.")
            )
        }
    }

    private init(checked resource: ResourceIndicator?, _ parameters: Parameters) {
        self.resource = resource
        self.parameters = parameters
        var all = Parameters()
        if let resource { all.append(resource.description, for: .resource) }
        for name in parameters.names.sorted(by: { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }) {
            for value in parameters.values(of: name) { all.append(value, for: name) }
        }
        identity = FormURLEncoding.encode(all)
    }

    /// Whether the target is the sign-in's own access token.
    public var isSignIn: Bool { identity.isEmpty }

    private static let ownParameters: Set<Parameters.Name> = [
        .grantType, .refreshToken, .resource, .scope, .clientID, .clientSecret, .clientAssertion, .clientAssertionType,
    ]
}

extension AccessTokenTarget: Hashable {
    /// Whether both targets request the same token.
    public static func == (left: AccessTokenTarget, right: AccessTokenTarget) -> Bool {
        left.identity == right.identity
    }
    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
