public import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// What a resource server answers when it asks for an access token, or for a better one.
/// (RFC 6750 section 3, RFC 9449 section 7.1, RFC 9470 section 3, RFC 9728 section 5.1)
///
/// It is sent to anybody who asks, so it is made of the policy and fixed sentences, and of nothing in the request.
public struct AccessTokenChallenge: Sendable, Hashable {
    /// How the token has to be shown.
    public var scheme: AccessTokenScheme
    /// The name of what is protected; `nil` sends none.
    public var realm: String?
    /// What was wrong; `nil` when the request brought no token (RFC 6750 section 3.1).
    public var error: OAuthError.Code?
    /// The same for developers.
    public var errorDescription: String?
    /// The scopes that are needed; empty sends no `scope`.
    public var scopes: [Scope]
    /// The ways to authenticate of which the person has to use one; empty sends no `acr_values`.
    public var authenticationContexts: [String]
    /// How long ago the person may have authenticated, in seconds; `nil` sends no `max_age`.
    public var maximumAge: Int?
    /// Where the resource server describes itself; `nil` sends no `resource_metadata`.
    public var resourceMetadata: String?
    /// What proofs may be signed with; empty sends no `algs`.
    public var algorithms: [SignatureAlgorithm]

    /// Makes a challenge.
    public init(
        scheme: AccessTokenScheme = .bearer,
        realm: String? = nil,
        error: OAuthError.Code? = nil,
        errorDescription: String? = nil,
        scopes: [Scope] = [],
        authenticationContexts: [String] = [],
        maximumAge: Int? = nil,
        resourceMetadata: String? = nil,
        algorithms: [SignatureAlgorithm] = []
    ) {
        self.scheme = scheme
        self.realm = realm
        self.error = error
        self.errorDescription = errorDescription
        self.scopes = scopes
        self.authenticationContexts = authenticationContexts
        self.maximumAge = maximumAge
        self.resourceMetadata = resourceMetadata
        self.algorithms = algorithms
    }

    /// The value of `WWW-Authenticate`, without the characters that RFC 6750 section 3 does not allow.
    public var fieldValue: String {
        var parameters: [String] = []
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            parameters.append("\(name)=\"\(value.filter(Self.isAllowed))\"")
        }
        add("realm", realm)
        add("error", error?.rawValue)
        add("error_description", errorDescription)
        add("scope", scopes.isEmpty ? nil : scopes.text)
        add("acr_values", authenticationContexts.isEmpty ? nil : authenticationContexts.joined(separator: " "))
        add("max_age", maximumAge.map(String.init))
        add("algs", algorithms.isEmpty ? nil : algorithms.map(\.rawValue).joined(separator: " "))
        add("resource_metadata", resourceMetadata)
        // The scheme has to be followed by a parameter, even when there is nothing to say.
        if parameters.isEmpty { add("realm", "") }
        return "\(scheme.rawValue) " + parameters.joined(separator: ", ")
    }

    /// `WWW-Authenticate` with this challenge.
    public var fields: HTTPFields { [.wwwAuthenticate: fieldValue] }

    /// Whether a character may stand in a parameter: printable ASCII without `"` and `\`, so nothing needs an escape and
    /// no value can end the field.
    private static func isAllowed(_ character: Character) -> Bool {
        guard let ascii = character.asciiValue else { return false }
        // A line break of two characters, CR and LF, is one `Character`, and counts as LF.
        return (0x20...0x7E).contains(ascii) && ascii != UInt8(ascii: "\"") && ascii != UInt8(ascii: "\\")
    }
}
