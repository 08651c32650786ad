public import OstiaryJOSE
public import OstiaryOAuth

/// What a signed statement about a person has to be: an ID token, or another system's of that kind.
///
/// It is for a backend that gets the statement from the issuer itself, over TLS and for its own client, and needs to know that it
/// is whole, its own and fresh.
public struct IdentityPolicy: Sendable, Hashable {
    /// Who makes it (`iss`).
    public let issuer: Issuer
    /// Whom it is for (`aud`).
    public let audience: String
    /// What it may be signed with. (RFC 8725 section 3.1)
    public let algorithms: Set<SignatureAlgorithm>
    /// Claims that have to have exactly these values.
    public let claims: [String: JSONValue]
    /// The ways in which the person has to have authenticated (`amr`), all of them.
    public let methods: Set<String>
    /// How long ago the person may have authenticated, in seconds; `nil` for any time.
    ///
    /// `auth_time` has to be there all the same.
    public let maximumAge: Int?
    /// How far the clocks may be apart, in seconds.
    public let clockTolerance: Double
    /// The longest statement that is read, in bytes.
    public let maximumBytes: Int

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - issuer: Who makes it.
    ///   - audience: Whom it is for: this client's identifier.
    ///   - algorithms: What it may be signed with: name what the issuer was agreed to use.
    ///   - claims: Claims that have to have exactly these values. Default: none.
    ///   - methods: The values that `amr` has to have. Default: none.
    ///   - maximumAge: How long ago the person may have authenticated, in seconds. Default: any time.
    ///   - clockTolerance: Seconds, 0 to 60. Default 30.
    ///   - maximumBytes: Default 16 KiB.
    /// - Throws: `configuration` at stage `identity`, with a sentence that names the fix.
    public init(
        issuer: Issuer,
        audience: String,
        algorithms: Set<SignatureAlgorithm>,
        claims: [String: JSONValue] = [:],
        methods: Set<String> = [],
        maximumAge: Int? = nil,
        clockTolerance: Double = 30,
        maximumBytes: Int = 16_384
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.identity, .configuration(sentence)) }
        guard !audience.isEmpty else { throw wrong("An audience is not empty: give this client's identifier.") }
        guard !algorithms.isEmpty else {
            throw wrong("With no algorithm everything is refused: name the one that the issuer signs with.")
        }
        guard (0...60).contains(clockTolerance) else { throw wrong("A clock tolerance is 0 to 60 seconds.") }
        guard maximumAge.map({ $0 >= 0 }) ?? true else { throw wrong("A maximum age is 0 seconds or more.") }
        self.issuer = issuer
        self.audience = audience
        self.algorithms = algorithms
        self.claims = claims
        self.methods = methods
        self.maximumAge = maximumAge
        self.clockTolerance = clockTolerance
        self.maximumBytes = maximumBytes
    }
}
