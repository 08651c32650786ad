public import OstiaryJOSE
public import OstiaryOAuth

/// The requirements of an ID token, or of another signed statement about a user.
///
/// Use it in a backend that gets the token from the issuer over TLS for its own client, or that gets an app's ID token
/// from the app, and must verify that it is authentic, issued for the client, and fresh.
public struct IDTokenPolicy: Sendable, Hashable {
    /// The issuer (`iss`).
    public let issuer: Issuer
    /// The accepted client identifiers; `aud` must contain one of them.
    public let audiences: [String]
    /// Whether the token must contain a nonce that the backend issued.
    public let nonce: NonceRule
    /// The accepted signature algorithms. (RFC 8725 section 3.1)
    public let algorithms: Set<SignatureAlgorithm>
    /// Claims that must have exactly these values.
    public let claims: [String: JSONValue]
    /// The required authentication methods (`amr`), all of them.
    public let methods: Set<String>
    /// The requirement of the authentication time.
    public let authenticationTime: AuthenticationTimeRule
    /// The accepted clock skew.
    public let clockTolerance: Duration
    /// The longest token that is read, in bytes.
    public let maximumBytes: Int
    /// Values of `iss` besides the issuer's own name.
    var otherIssuers: [String] = []

    /// Whether a token must contain a nonce. (OpenID Connect Core section 3.1.3.7 rule 11)
    public enum NonceRule: Sendable, Hashable {
        /// Every check names the nonce that the backend issued, and the token must contain it.
        case required
        /// The issuer has no nonces, or freshness is proven otherwise. A nonce that a check names is compared
        /// nevertheless.
        case unused
    }

    /// The requirement of the authentication time (`auth_time`).
    public enum AuthenticationTimeRule: Sendable, Hashable {
        /// The claim may be missing.
        case unchecked
        /// The claim must be present, and its time in the past.
        case stated
        /// The claim must be present, and its time no longer ago than this, 0 or more.
        case within(Duration)
    }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - audiences: The client's identifiers, at least one; at some issuers an app has one for each platform.
    ///   - algorithms: The algorithms agreed with the issuer.
    ///   - claims: Claims that must have exactly these values. Default: none.
    ///   - methods: The values that `amr` must have. Default: none.
    ///   - nonce: Whether the token must contain a nonce. Default: ``NonceRule/unused``.
    ///   - authenticationTime: The requirement of the authentication time. Default:
    ///     ``AuthenticationTimeRule/unchecked``.
    ///   - clockTolerance: The accepted clock skew: 0 to 60 seconds. Default 30 seconds.
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
        clockTolerance: Duration = .seconds(30),
        maximumBytes: Int = 16_384
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.identity, .configuration(sentence)) }
        guard !audiences.isEmpty, audiences.allSatisfy({ !$0.isEmpty }) else {
            throw wrong("An audience must not be empty: give this client's identifier.")
        }
        guard !algorithms.isEmpty else {
            throw wrong("Without an algorithm every token would be rejected: name the one that the issuer signs with.")
        }
        guard (.zero ... .seconds(60)).contains(clockTolerance) else {
            throw wrong("clockTolerance is \(clockTolerance), and must be 0 to 60 seconds: correct the clock instead.")
        }
        if case .within(let age) = authenticationTime, age < .zero {
            throw wrong("within(_:) is \(age), and must be 0 or more.")
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
