import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A form that an app posts to one of the tenant's endpoints.
struct FormPost<Output: Sendable>: Exchange {
    let stage: SignInError.Stage
    let endpoint: String
    let form: Parameters
    let read: @Sendable (EndpointResponse) throws(SignInError) -> Output

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = URL(string: endpoint) else {
            throw SignInError(stage, .configuration("An endpoint is a URL from the tenant's metadata."))
        }
        return EndpointRequest(url: url, method: .post, fields: [.accept: "application/json"], form: form)
    }

    func output(from response: EndpointResponse) throws(SignInError) -> Output {
        guard response.status.kind == .successful else {
            guard let object = try? JSONObject(parsing: response.body), let code = object["error"]?.string else {
                throw SignInError(stage, .server(status: response.status.code))
            }
            let error = OAuthError(
                code: OAuthError.Code(rawValue: code),
                description: object["error_description"]?.string,
                uri: object["error_uri"]?.string
            )
            throw SignInError(stage, .refused(error))
        }
        return try read(response)
    }
}

extension LogtoCore.TokenResponse {
    /// Reads a token response; optional members may be missing (RFC 6749 section 5.1).
    init(_ response: EndpointResponse, at stage: SignInError.Stage) throws(SignInError) {
        guard response.mediaType == "application/json", let object = try? JSONObject(parsing: response.body),
            let token = object["access_token"]?.string, !token.isEmpty,
            object["token_type"]?.string?.lowercased() == "bearer"
        else { throw SignInError(stage, .malformed("the token response")) }
        accessToken = Secret(token)
        refreshToken = object["refresh_token"]?.string.map(Secret.init)
        idToken = object["id_token"]?.string.map(Secret.init)
        scope = object["scope"]?.string
        expiresIn =
            object["expires_in"]?.number.flatMap { Int64(exactly: $0.rounded(.down)) }
            ?? object["expires_in"]?.string.flatMap(Int64.init)
    }
}
