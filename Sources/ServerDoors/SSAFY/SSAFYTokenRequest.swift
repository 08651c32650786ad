import HTTPTypes
import OstiarySSAFY
import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Redeems a code for a verification token: a grant type of the service's own, without `redirect_uri`.
struct SSAFYTokenRequest: Exchange {
    /// The longest verification token, in bytes.
    static let maximumTokenBytes = 8192

    /// The service's response.
    enum Answer: Sendable {
        case token(Secret)
        case refused(SSAFYServiceRefusal)
    }

    let request: VerificationExchangeRequest
    let configuration: SSAFYServerConfiguration

    var stage: SignInError.Stage { .token }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = configuration.server.tokenEndpoint else {
            throw SignInError(.token, .unsupported("a token_endpoint"))
        }
        var form = Parameters([
            .grantType: "verification_code", .clientID: configuration.clientID, .code: request.code.reveal(),
            .codeVerifier: request.codeVerifier.reveal(),
        ])
        form[.clientSecret] = configuration.clientSecret?.reveal()
        return EndpointRequest(
            url: url,
            method: .post,
            fields: [.accept: "application/json", .cacheControl: "no-store"],
            form: form,
            limits: EndpointRequest.Limits(maximumBodyBytes: 32_768)
        )
    }

    func output(from response: EndpointResponse) throws(SignInError) -> Answer {
        guard response.status == .ok else { return .refused(SSAFYServiceRefusal(response)) }
        let object = try response.jsonObject(at: .token)
        guard let token = object["verification_token"]?.string,
            (32...Self.maximumTokenBytes).contains(token.utf8.count)
        else { throw SignInError(.token, .malformed("the response's verification_token")) }
        if let scope = object["scope"], !scope.isNull {
            guard let text = scope.string, text.unicodeScalars.count <= 1000 else {
                throw SignInError(.token, .malformed("the response's scope"))
            }
        }
        return .token(Secret(token))
    }
}
