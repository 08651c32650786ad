import OstiaryJOSE
public import OstiaryOAuth

/// The format of an issuer's access tokens: their `typ`, the claims that name client and scope, and the mark that
/// distinguishes them from the issuer's ID tokens.
///
/// ID tokens are signed with the same keys, and some have the same audience, so a token passes only with a ``Mark``
/// that an ID token never has. RFC 9068 is the default. The profiles of well-known servers follow the documents that
/// `docs/server.md` names; for another server define your own:
///
///     let profile = try AccessTokenProfile(
///         name: "example",
///         types: ["JWT"],
///         mark: .claim("token_use", oneOf: ["access"]),
///         clientClaims: ["client_id"])
public struct AccessTokenProfile: Sendable, Hashable {
    /// A value of the header parameter `typ`, or its absence. (RFC 7515 section 4.1.9)
    public enum HeaderType: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The header has no `typ`.
        case absent
        /// A media type without `application/`, such as `at+jwt`; compared without regard to case.
        case named(String)

        /// Names a type.
        public init(stringLiteral value: String) { self = .named(value) }
    }

    /// A claim that lists the granted scopes.
    public enum ScopeClaim: Sendable, Hashable {
        /// A string with spaces between the scopes. (RFC 8693 section 4.2)
        case text(String)
        /// An array of strings.
        case list(String)
    }

    /// Whether a token must name its audience.
    public enum Audience: Sendable, Hashable {
        /// A token without `aud` is rejected.
        case required
        /// A token may lack `aud`; a policy must then list the clients (``AbsentAudience/clients(_:)``).
        case optional
    }

    /// A claim that every token of the issuer has, besides `iss` and `exp`.
    public enum RequiredClaim: Sendable, Hashable, CaseIterable {
        /// When it was issued (`iat`).
        case issuedAt
        /// The subject (`sub`).
        case subject
        /// The token's own identifier.
        case tokenID
        /// The client that the token was issued to.
        case client
    }

    private let shared: Shared<Parts>

    private struct Parts: Sendable, Hashable {
        let name: String
        let types: Set<HeaderType>
        let mark: Mark
        let clientClaims: [String]
        let scopeClaims: [ScopeClaim]
        let audience: Audience
        let requiredClaims: Set<RequiredClaim>
        let manners: Manners
    }

    /// The name, which `--tokens` accepts for the profile of a well-known server.
    public var name: String { shared.value.name }
    /// The accepted values of `typ`.
    public var types: Set<HeaderType> { shared.value.types }
    /// The property that only an access token of the issuer has.
    public var mark: Mark { shared.value.mark }
    /// The claims that name the client; the first one that is present counts.
    ///
    /// Empty for tokens that name none.
    public var clientClaims: [String] { shared.value.clientClaims }
    /// The claims that list the granted scopes; the first one that is present in its format counts.
    public var scopeClaims: [ScopeClaim] { shared.value.scopeClaims }
    /// Whether a token must name its audience.
    public var audience: Audience { shared.value.audience }
    /// The claims that a token must have.
    public var requiredClaims: Set<RequiredClaim> { shared.value.requiredClaims }
    var manners: Manners { shared.value.manners }

    /// Describes the access tokens of an issuer.
    ///
    /// - Parameters:
    ///   - name: The name for logs: printable ASCII, at most 64 characters.
    ///   - types: The accepted values of `typ`, at least one; `.absent` for a header without one.
    ///   - mark: The property that an access token has, and an ID token of the same issuer never has.
    ///   - clientClaims: The claims that name the client. Default: `client_id`.
    ///   - scopeClaims: The claims that list the granted scopes. Default: the string `scope`.
    ///   - audience: Whether a token must have `aud`. Default: required.
    ///   - requiredClaims: The claims that a token must have. Default: all four, as in RFC 9068 section 2.2.
    /// - Throws: `configuration` at stage `token`, such as for a mark that ID tokens have as well.
    public init(
        name: String,
        types: Set<HeaderType>,
        mark: Mark,
        clientClaims: [String] = ["client_id"],
        scopeClaims: [ScopeClaim] = [.text("scope")],
        audience: Audience = .required,
        requiredClaims: Set<RequiredClaim> = Set(RequiredClaim.allCases)
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.token, .configuration(sentence)) }
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw wrong("A profile's name must have 1 to 64 printable ASCII characters without space.")
        }
        guard !types.isEmpty else {
            throw wrong("Without a typ every token would be rejected: name the accepted values, or .absent.")
        }
        if let claim = mark.sharedClaim {
            throw wrong(
                "ID tokens may have the claim \(claim) as well: "
                    + "mark the profile \(name) by a claim or value that only access tokens have."
            )
        }
        if requiredClaims.contains(.client), clientClaims.isEmpty {
            throw wrong("No claim names the client: give clientClaims, or remove .client from requiredClaims.")
        }
        if audience == .optional, clientClaims.isEmpty {
            throw wrong("A token without aud is accepted by its client: give clientClaims.")
        }
        self.init(
            name,
            types,
            mark,
            client: clientClaims,
            scope: scopeClaims,
            audience: audience,
            required: requiredClaims
        )
    }

    init(
        _ name: String,
        _ types: Set<HeaderType>,
        _ mark: Mark,
        client: [String],
        scope: [ScopeClaim],
        audience: Audience = .required,
        required: Set<RequiredClaim> = Set(RequiredClaim.allCases),
        manners: Manners = Manners()
    ) {
        shared = Shared(
            Parts(
                name: name,
                types: types,
                mark: mark,
                clientClaims: client,
                scopeClaims: scope,
                audience: audience,
                requiredClaims: required,
                manners: manners
            )
        )
    }

    /// Further properties of well-known servers' tokens.
    struct Manners: Sendable, Hashable {
        /// The path to the roles of the subject.
        var roles = ["roles"]
        /// The claim that lists the roles per client, as in Keycloak's tokens.
        var clientRoles: String?
        /// The claim with the groups of the subject.
        var groups = "groups"
        /// The claim with the token's own identifier.
        var tokenID = "jti"
        /// The tenant that must be in the path of the issuer.
        var tenant: String?
        /// The distinction between a token of the client itself and a user's.
        var clientsOwn = ClientsOwn.subjectIsClient
    }

    /// The distinction between a token of the client itself and a user's.
    enum ClientsOwn: Sendable, Hashable {
        /// The subject is the client. (RFC 9068 section 2.2)
        case subjectIsClient
        /// The subject is the client's identifier followed by this suffix.
        case subjectIsClientWith(suffix: String)
        /// A claim has this value.
        case claim(String, String)
    }
}
