public import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth

/// A `WWW-Authenticate` challenge of a resource server.
///
/// It is sent to unauthenticated clients, so it consists of the policy and fixed sentences, and repeats nothing of the
/// request. (RFC 6750 section 3, RFC 9449 section 7.1, RFC 9470 section 3, RFC 9728 section 5.1)
public struct AccessTokenChallenge: Sendable, Hashable {
    /// The scheme by which the token must be presented.
    public var scheme: AccessTokenScheme
    /// The realm; `nil` sends none.
    public var realm: String?
    /// The error; `nil` when the request had no token (RFC 6750 section 3.1).
    public var error: OAuthError.Code?
    /// The error's description for developers.
    public var errorDescription: String?
    /// The required scopes; empty sends no `scope`.
    public var scopes: [Scope]
    /// The accepted authentication contexts; empty sends no `acr_values`.
    public var authenticationContexts: [String]
    /// The longest time since the user authenticated; `nil` sends no `max_age`.
    ///
    /// `max_age` is a whole number of seconds: a fraction is dropped.
    public var maximumAge: Duration?
    /// The URL of the resource server's metadata; `nil` sends no `resource_metadata`.
    public var resourceMetadata: String?
    /// The accepted signature algorithms of proofs; empty sends no `algs`.
    public var algorithms: [SignatureAlgorithm]

    /// Makes a challenge.
    public init(
        scheme: AccessTokenScheme = .bearer,
        realm: String? = nil,
        error: OAuthError.Code? = nil,
        errorDescription: String? = nil,
        scopes: [Scope] = [],
        authenticationContexts: [String] = [],
        maximumAge: Duration? = nil,
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

    /// The value of `WWW-Authenticate`, without the characters that RFC 6750 section 3 forbids.
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
        add("max_age", maximumAge.map { String(Int64($0.inSeconds)) })
        add("algs", algorithms.isEmpty ? nil : algorithms.map(\.rawValue).joined(separator: " "))
        add("resource_metadata", resourceMetadata)
        // A scheme must be followed by a parameter.
        if parameters.isEmpty { add("realm", "") }
        return "\(scheme.rawValue) " + parameters.joined(separator: ", ")
    }

    /// `WWW-Authenticate` with this challenge.
    public var fields: HTTPFields { [.wwwAuthenticate: fieldValue] }

    /// Whether a character may stand in a parameter: printable ASCII without `"` and `\`, so nothing needs an escape
    /// and no value can end the field.
    private static func isAllowed(_ character: Character) -> Bool {
        guard let ascii = character.asciiValue else { return false }
        // A line break of two characters, CR and LF, is one `Character`, and counts as LF.
        return (0x20...0x7E).contains(ascii) && ascii != UInt8(ascii: "\"") && ascii != UInt8(ascii: "\\")
    }
}
