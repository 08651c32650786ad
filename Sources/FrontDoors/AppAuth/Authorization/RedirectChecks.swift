import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

extension OIDAuthorizationResponse {
    /// Checks a redirect in the library's order: the place, repeated parameters, `state`, `iss`, and only then what it
    /// says.
    ///
    /// - Throws: At stage `redirect`, as `PendingAuthorization.grant(from:)`.
    convenience init(
        _ request: OIDAuthorizationRequest,
        redirect url: URL,
        to redirectURI: RedirectURI
    ) throws(SignInError) {
        let redirect = try AuthorizationRedirect(url, to: redirectURI)
        try redirect.requireState(of: request.state, at: .redirect, alone: [.state, .issuer, .code, .error])
        try redirect.requireIssuer(of: request.configuration)
        guard !redirect.contains(["response", "id_token", "access_token", "token"]) else {
            throw SignInError(.redirect, .mismatch(.unexpectedParameter))
        }
        if let error = redirect.error {
            guard !redirect.contains([.code]) else { throw SignInError(.redirect, .mismatch(.unexpectedParameter)) }
            throw SignInError(.redirect, .refused(error))
        }
        guard let code = redirect.single(.code), !code.isEmpty else { throw SignInError(.redirect, .malformed("code")) }
        self.init(request, members: JSONObject(query: url))
    }
}

extension OIDEndSessionResponse {
    /// Checks a redirect: the place, and exactly one equal `state`.
    ///
    /// - Throws: `mismatch` at stage `endSession`.
    convenience init(
        _ request: OIDEndSessionRequest,
        redirect url: URL,
        to redirectURI: RedirectURI
    ) throws(SignInError) {
        let redirect = try AuthorizationRedirect(url, to: redirectURI)
        try redirect.requireState(of: request.state, at: .endSession, alone: [.state])
        if let error = redirect.error { throw SignInError(.endSession, .refused(error)) }
        self.init(request, members: JSONObject(query: url))
    }
}

extension AuthorizationRedirect {
    fileprivate func requireState(
        of sent: String?,
        at stage: SignInError.Stage,
        alone names: [Parameters.Name]
    ) throws(SignInError) {
        guard !repeats(names) else { throw SignInError(stage, .mismatch(.repeatedParameter)) }
        guard let sent, let state = single(.state), constantTimeEqual(sent, state) else {
            throw SignInError(stage, .mismatch(.state))
        }
    }

    /// The response's issuer is the server's, where the response names one or the metadata promises one (RFC 9207).
    fileprivate func requireIssuer(of configuration: OIDServiceConfiguration) throws(SignInError) {
        let document = configuration.discoveryDocument
        let isPromised = document?.flag("authorization_response_iss_parameter_supported") ?? false
        guard let named = single(.issuer) else {
            guard !isPromised else { throw SignInError(.redirect, .mismatch(.issuer)) }
            return
        }
        guard let issuer = configuration.issuerName else { return }
        guard issuer.utf8.elementsEqual(named.utf8) else { throw SignInError(.redirect, .mismatch(.issuer)) }
    }
}

extension JSONObject {
    /// The parameters of a query as strings.
    fileprivate init(query url: URL) {
        self.init()
        for (name, value) in url.queryParameters.sorted(by: { $0.key < $1.key }) { self[name] = .string(value) }
    }
}
