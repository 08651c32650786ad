import HTTPTypes

extension AuthenticateChallenge {
    /// A resource server's request for another or a newer authentication, or for more scopes (RFC 9470 section 3, RFC
    /// 6750 section 3.1).
    ///
    /// ``AuthorizationRequest/init(stepUp:scopes:)`` makes a sign-in from it whose response is checked against it.
    public struct StepUp: Sendable, Hashable {
        /// The accepted `acr` values, the best first; empty for any.
        public var acrValues: [String]
        /// The maximum age of the user's authentication; `nil` for any age.
        public var maximumAge: Duration?
        /// The required scopes; empty when none is missing.
        public var scopes: [Scope]

        /// Makes a challenge.
        public init(acrValues: [String] = [], maximumAge: Duration? = nil, scopes: [Scope] = []) {
            self.acrValues = acrValues
            self.maximumAge = maximumAge
            self.scopes = scopes
        }

        /// Reads the challenge of a response; `nil` when it has none.
        ///
        /// At most 20 values of at most 200 bytes are read. An age that is not a whole number of seconds counts as 0,
        /// the strictest.
        public init?(_ response: EndpointResponse) {
            guard [.unauthorized, .forbidden].contains(response.status) else { return nil }
            for challenge in AuthenticateChallenge.list(in: response.fields)
            where ["bearer", "dpop"].contains(challenge.scheme) {
                switch challenge.error?.code {
                case .insufficientUserAuthentication:
                    self.init(
                        acrValues: Self.words(challenge.parameters["acr_values"]),
                        maximumAge: challenge.parameters["max_age"].map { .seconds(max(Int($0) ?? 0, 0)) },
                        scopes: Self.words(challenge.parameters["scope"]).map { Scope(rawValue: $0) }
                    )
                    return
                case .insufficientScope:
                    let scopes = Self.words(challenge.parameters["scope"]).map { Scope(rawValue: $0) }
                    guard !scopes.isEmpty else { return nil }
                    self.init(scopes: scopes)
                    return
                default: continue
                }
            }
            return nil
        }

        private static func words(_ text: String?) -> [String] {
            (text ?? "").split(separator: " ").filter { $0.utf8.count <= 200 }.prefix(20).map(String.init)
        }
    }
}

extension AuthorizationRequest {
    /// Makes a request that meets a resource server's challenge (RFC 9470 section 4).
    ///
    /// An ID token with another `acr`, or of a user who authenticated too long ago, is rejected. So a resource server
    /// that is never satisfied causes at most one failed sign-in, and no loop.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of the resource server.
    ///   - scopes: The scopes to request besides those of the challenge.
    public init(
        stepUp challenge: AuthenticateChallenge.StepUp,
        scopes: [Scope] = [.openID, .profile, .offlineAccess]
    ) {
        self.init(
            scopes: scopes + challenge.scopes.filter { !scopes.contains($0) },
            maximumAge: challenge.maximumAge,
            authenticationContext: challenge.acrValues.isEmpty ? .any : .required(challenge.acrValues)
        )
    }
}
