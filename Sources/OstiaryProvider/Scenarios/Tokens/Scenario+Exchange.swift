import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Faults of token exchange (RFC 8693) and of introspection (RFC 7662).
extension Scenario {
    /// The exchanged token comes without `issued_token_type`.
    public static let missingIssuedTokenType = exchange("exchange-missing-issued-token-type") {
        $0["issued_token_type"] = nil
    }
    /// The exchanged token is declared to be of another type than the requested one.
    public static let otherIssuedTokenType = exchange("exchange-other-issued-token-type") {
        $0["issued_token_type"] = "urn:ietf:params:oauth:token-type:saml2"
    }
    /// The exchanged access token is said to be none: `token_type` is `N_A`.
    public static let exchangedTokenNotForUse = exchange("exchange-access-token-n-a") { $0["token_type"] = "N_A" }

    /// The introspection response lacks `active`.
    public static let missingActive = introspection("introspection-missing-active") { $0["active"] = nil }
    /// `active` is a string.
    public static let textualActive = introspection("introspection-textual-active") {
        $0["active"] = $0["active"] == true ? "true" : "false"
    }
    /// The introspection response is not JSON.
    public static let introspectionNotJSON = Scenario(name: "introspection-not-json") {
        $0.response = { request, response in
            guard request.path.hasSuffix(Route.introspection.rawValue), response.status == .ok else { return }
            response.fields[.contentType] = "text/plain"
            response.content = .bytes(Array("active".utf8))
        }
    }

    private static func exchange(_ name: String, _ change: @escaping @Sendable (inout JSONObject) -> Void) -> Scenario {
        Scenario(name: name) {
            $0.tokenResponse = { response, occasion in if occasion == .tokenExchange { change(&response) } }
        }
    }

    private static func introspection(
        _ name: String,
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> Scenario {
        Scenario(name: name) { $0.introspection = change }
    }
}
