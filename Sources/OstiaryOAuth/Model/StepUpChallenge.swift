import HTTPTypes

/// What a resource server wants of the person before it answers: to authenticate in another way, or again, or to allow
/// more (RFC 9470 section 3, RFC 6750 section 3.1).
///
/// ``AuthorizationRequest/init(stepUp:scopes:)`` makes a sign-in of it whose answer is checked against it.
public struct StepUpChallenge: Sendable, Hashable {
    /// How the person has to authenticate: one of these values of `acr`, the best first; empty for any.
    public var acrValues: [String]
    /// How long ago the person may have authenticated, in seconds; `nil` for any time.
    public var maximumAge: Int?
    /// What has to be allowed; empty when nothing is missing.
    public var scopes: [Scope]

    /// Makes a challenge.
    public init(acrValues: [String] = [], maximumAge: Int? = nil, scopes: [Scope] = []) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.scopes = scopes
    }

    /// The challenge of a response; `nil` when it has none.
    ///
    /// At most 20 values of at most 200 bytes are read; an age that is no whole number of seconds counts as 0, the strictest.
    public init?(_ response: EndpointResponse) {
        guard [.unauthorized, .forbidden].contains(response.status) else { return nil }
        for challenge in AuthenticateChallenge.list(in: response.fields)
        where ["bearer", "dpop"].contains(challenge.scheme) {
            switch challenge.error?.code {
            case .insufficientUserAuthentication:
                self.init(
                    acrValues: Self.words(challenge.parameters["acr_values"]),
                    maximumAge: challenge.parameters["max_age"].map { Int($0).flatMap { $0 >= 0 ? $0 : nil } ?? 0 },
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

extension AuthorizationRequest {
    /// Asks for what a resource server wants of the person (RFC 9470 section 4).
    ///
    /// The ID token has to show it: one with another `acr`, or of somebody who authenticated too long ago, is refused. So a
    /// resource server that is never satisfied leads to at most one sign-in that fails, and to no loop.
    ///
    /// - Parameter scopes: What is asked for besides what the challenge wants.
    public init(
        stepUp challenge: StepUpChallenge,
        scopes: [Scope] = [.openID, .profile, .offlineAccess]
    ) {
        self.init(
            scopes: scopes + challenge.scopes.filter { !scopes.contains($0) },
            maximumAge: challenge.maximumAge,
            authenticationContext: challenge.acrValues.isEmpty ? .any : .required(challenge.acrValues)
        )
    }
}
