public import OstiaryJOSE
public import OstiaryOAuth

/// What a signed statement about a person has to be: an ID token, or another system's of that kind.
///
/// It is for a backend that gets the statement from the issuer itself, over TLS and for its own client, or that gets an app's ID token
/// from the app, and needs to know that it is whole, its own and fresh.
public struct IDTokenPolicy: Sendable, Hashable {
    /// Who makes it (`iss`).
    public let issuer: Issuer
    /// The accepted client identifiers; `aud` has to contain one of them.
    public let audiences: [String]
    /// Whether it has to answer a nonce that the backend gave out.
    public let nonce: NonceRule
    /// What it may be signed with. (RFC 8725 section 3.1)
    public let algorithms: Set<SignatureAlgorithm>
    /// Claims that have to have exactly these values.
    public let claims: [String: JSONValue]
    /// The ways in which the person has to have authenticated (`amr`), all of them.
    public let methods: Set<String>
    /// Whether it has to say when the person authenticated.
    public let authenticationTime: AuthenticationTimeRule
    /// How far the clocks may be apart, in seconds.
    public let clockTolerance: Double
    /// The longest statement that is read, in bytes.
    public let maximumBytes: Int
    /// Values of `iss` besides the issuer's own name.
    var otherIssuers: [String] = []

    /// Whether a statement has to answer a nonce. (OpenID Connect Core section 3.1.3.7 rule 11)
    public enum NonceRule: Sendable, Hashable {
        /// Each check names the nonce that the backend gave out, and the statement has to have it.
        case required
        /// The issuer has no nonces, or freshness is proven otherwise. A nonce that a check names is compared all the same.
        case unused
    }

    /// Whether a statement has to say when the person authenticated (`auth_time`).
    public enum AuthenticationTimeRule: Sendable, Hashable {
        /// It may say nothing.
        case unchecked
        /// It has to name a time that is past.
        case stated
        /// It has to name a time no longer ago than this, in seconds, 0 or more.
        case within(seconds: Int)
    }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - issuer: Who makes it.
    ///   - audiences: Whom it is for: the client's identifiers, at least one; an app has one for each platform at some issuers.
    ///   - algorithms: What it may be signed with: name what the issuer was agreed to use.
    ///   - claims: Claims that have to have exactly these values. Default: none.
    ///   - methods: The values that `amr` has to have. Default: none.
    ///   - nonce: Whether it has to answer a nonce. Default: ``NonceRule/unused``.
    ///   - authenticationTime: Whether it has to say when the person authenticated. Default: ``AuthenticationTimeRule/unchecked``.
    ///   - clockTolerance: Seconds, 0 to 60. Default 30.
    ///   - maximumBytes: Default 16 KiB.
    /// - Throws: `configuration` at stage `identity`, with a sentence that names the fix.
    public init(
        issuer: Issuer,
        audiences: [String],
        algorithms: Set<SignatureAlgorithm>,
        claims: [String: JSONValue] = [:],
        methods: Set<String> = [],
        nonce: NonceRule = .unused,
        authenticationTime: AuthenticationTimeRule = .unchecked,
        clockTolerance: Double = 30,
        maximumBytes: Int = 16_384
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.identity, .configuration(sentence)) }
        guard !audiences.isEmpty, audiences.allSatisfy({ !$0.isEmpty }) else {
            throw wrong("An audience is not empty: give this client's identifier.")
        }
        guard !algorithms.isEmpty else {
            throw wrong("With no algorithm everything is refused: name the one that the issuer signs with.")
        }
        guard (0...60).contains(clockTolerance) else { throw wrong("A clock tolerance is 0 to 60 seconds.") }
        if case .within(let seconds) = authenticationTime, seconds < 0 {
            throw wrong("A maximum age is 0 seconds or more.")
        }
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.claims = claims
        self.methods = methods
        self.nonce = nonce
        self.authenticationTime = authenticationTime
        self.clockTolerance = clockTolerance
        self.maximumBytes = maximumBytes
    }
}
