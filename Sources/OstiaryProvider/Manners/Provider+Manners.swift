import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The response modes of the authorization endpoint for clients under these rules.
    func responseModes(under rules: ProviderRules) -> [String] {
        let modes = manners.responseModes
        return rules.formPost == .accepted && !modes.contains("form_post") ? modes + ["form_post"] : modes
    }
}

extension ProviderManners {
    /// The response modes of the authorization endpoint.
    var responseModes: [String] { formPostScopes.isEmpty ? ["query"] : ["query", "form_post"] }
}

extension ProviderManners.RefreshTokens {
    /// Whether a refresh brings another refresh token.
    var replaces: Bool {
        switch self {
        case .once, .renewed: true
        case .repeated, .kept: false
        }
    }
}

extension Provider {
    /// Changes the metadata according to the manners.
    func writeManners(_ metadata: inout JSONObject) {
        if manners.responseIssuer == .absent { metadata["authorization_response_iss_parameter_supported"] = nil }
        if manners.clientSecrets == .signed {
            metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
        }
        metadata["response_modes_supported"] = .strings(responseModes(under: rules))
        for name in manners.absentMetadata { metadata[name] = nil }
    }

    /// Whether a sign-in brings a refresh token, and outlives the user's login here.
    func givesRefreshToken(for authorization: CheckedAuthorization) -> Bool {
        switch manners.refreshTokenCondition {
        case .offlineAccess: configuration.dialect.givesRefreshTokens(for: authorization.scopes)
        case .always: true
        case .accessType: authorization.hasOfflineAccessType
        case .confidentialClient: authorization.client.isConfidential && authorization.scopes.contains(.offlineAccess)
        }
    }

    /// The resources that an access token of a grant is for.
    ///
    /// A request that names none gets a token for all of the grant's, unless the grant has `openid`: that token is for
    /// user info. (RFC 8707 section 2.1)
    func resources(of grant: IssuedGrant, in form: Parameters) throws(Refusal) -> [ProviderResource] {
        switch manners.audienceParameter {
        case .resource:
            let named = try grant.resources(in: form, at: configuration)
            guard named.isEmpty, !grant.scopes.contains(.openID) else { return named }
            return configuration.resources.filter { grant.resources.contains($0.identifier) }
        case .audience:
            return configuration.resources.filter { grant.resources.contains($0.identifier) }
        }
    }

    /// Refuses a token request of a page, where the manners say so.
    func refuseOtherOrigins(_ request: ProviderRequest) throws(Refusal) {
        guard manners.crossOrigin == .documentsAndNoTokens, request.fields[.origin] != nil else { return }
        throw .json(.invalidRequest, "The client is not registered for token requests of pages.")
    }

    /// The `expires_in` of a token.
    func lifetime(until end: Date) -> JSONValue {
        let seconds = Int(end.timeIntervalSince(now))
        return manners.expiresIn == .text ? .string(String(seconds)) : .integer(seconds)
    }

    /// The `auth_time` of an ID token; `nil` for none.
    func authenticationTime(of grant: IssuedGrant) async throws -> Date? {
        switch manners.authenticationTime {
        case .ofSignIn: return grant.authenticated
        case .onRequest: return grant.isAskedForAuthenticationTime ? grant.authenticated : nil
        case .ofSession:
            let logins = try await storage.records(.loginSession).compactMap(LoginSession.init)
            let times = logins.filter { $0.id == grant.session }.map(\.authenticated)
            return times.reduce(grant.authenticated, max)
        }
    }

    /// Adds the claims about a user that scopes open (OpenID Connect Core section 5.4), and those that the request
    /// named.
    func writeUserClaims(
        _ claims: inout JSONObject,
        of user: ProviderUser,
        _ scopes: [Scope],
        named requested: [String] = []
    ) {
        for name in configuration.scopes.filter({ scopes.contains($0.scope) }).flatMap(\.claims) {
            claims[name] = user.claims[name]
        }
        // A claim of the protocol is never the user's.
        for name in requested where claims[name] == nil { claims[name] = user.claims[name] }
    }

    /// Whether a client's ID tokens have the claims that scopes open.
    func hasUserClaimsInIDToken(_ client: RegisteredClient) -> Bool {
        if let own = client.userClaimsInIDToken { return own }
        return manners.userClaimsInIDToken == .present || rules(for: client).userClaims == .userInfoAndIDToken
    }

    /// Turns Boolean claims into strings, where the manners say so.
    func writeTextualClaims(_ claims: inout JSONObject) {
        for name in manners.textualClaims {
            guard let value = claims[name]?.bool else { continue }
            claims[name] = .string(String(value))
        }
    }

    /// Changes the body of an error response according to the manners.
    func writeErrorBody(_ object: inout JSONObject) {
        switch manners.errorBody {
        case .standard: break
        case .withoutDescription: object["error_description"] = nil
        case .traced:
            let (trace, correlation) = (random.identifier(), random.identifier())
            let time = now.formatted(.iso8601)
            object["error_description"] = .string(
                "OSTIARY1: \(object["error_description"]?.string ?? "")\r\nTrace ID: \(trace)\r\n"
                    + "Correlation ID: \(correlation)\r\nTimestamp: \(time)"
            )
            object["error_codes"] = [1]
            object["timestamp"] = .string(time)
            object["trace_id"] = .string(trace)
            object["correlation_id"] = .string(correlation)
        case .coded:
            object["code"] = .string("oidc.\(object["error"]?.string ?? "")")
            object["message"] = object["error_description"]
        }
    }

    /// Changes a refusal of user info according to the manners.
    ///
    /// `code` is the error code; `nil` for a request without a token.
    func userInfoRefusal(
        _ challenge: String,
        _ status: HTTPResponse.Status,
        _ code: OAuthError.Code?,
        _ sentence: String
    ) -> Refusal {
        let code = code ?? .invalidToken
        switch manners.userInfoRefusal {
        case .challenge: return .challenge(challenge, status)
        case .challengeAndBody:
            return .json(OAuthError(code: code, description: sentence), status, challenge: challenge)
        case .body: return .json(OAuthError(code: code, description: sentence), status)
        case .other(let other):
            let isInvalid = code == .invalidToken
            let own = isInvalid ? OAuthError.Code(rawValue: other) : code
            let text = challenge.replacing("\"\(code.rawValue)\"", with: "\"\(own.rawValue)\"")
            return .json(OAuthError(code: own, description: sentence), status, challenge: text)
        }
    }

    /// Reads a sign-out request in the form that the manners say.
    func readEndSession(_ parameters: inout Parameters) throws(Refusal) {
        switch manners.endSession {
        case .standard, .asksUser: break
        case .requiresIDTokenHint:
            guard parameters[.idTokenHint] != nil else { throw .page("The id_token_hint is missing.") }
        case .logoutURI:
            guard parameters[.clientID] != nil else { throw .page("The client_id is missing.") }
            guard let uri = parameters[.logoutURI] else { throw .page("The logout_uri is missing.") }
            parameters[.postLogoutRedirectURI] = uri
            parameters[.state] = nil
        }
    }
}
