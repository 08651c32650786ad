import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The grant of an app's token request.
struct AppGrant: Grant {
    /// Written over by ``TokenCall``, whose request names its own.
    static var type: String { OIDGrantTypeAuthorizationCode }
    static var stage: SignInError.Stage { .token }
    let parameters: Parameters
    let expectation: TokenResponse.Expectation
    var dpopKey: DPoPKey? { nil }
}

/// The library's token request with an app's grant type and header fields.
struct TokenCall: Exchange {
    /// A response of the right form, unchecked, and the HTTP response that it was read from.
    struct Answer: Sendable {
        let response: TokenResponse
        let http: EndpointResponse
        let members: JSONObject
    }

    let grant: AppGrant
    let grantType: String
    let headers: [String: String]
    let client: Client
    let server: AuthorizationServer

    var stage: SignInError.Stage { .token }

    private var exchange: TokenRequest<AppGrant> { TokenRequest(grant, client: client, server: server) }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var request = try exchange.request(&fresh)
        request.form[.grantType] = grantType
        request.add(headers)
        return request
    }

    func output(from response: EndpointResponse) throws(SignInError) -> Answer {
        let checked = try exchange.output(from: response)
        return Answer(response: checked, http: response, members: try response.jsonObject(at: stage))
    }

    /// The same response as one of another server: the one that signs its ID token.
    func answer(_ answer: Answer, as server: AuthorizationServer) throws(SignInError) -> TokenResponse {
        try TokenCall(grant: grant, grantType: grantType, headers: headers, client: client, server: server)
            .exchange.output(from: answer.http)
    }
}

extension EndpointRequest {
    /// Adds header fields of an app's; names that HTTP has not are left out.
    mutating func add(_ headers: [String: String]) {
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
    }
}
