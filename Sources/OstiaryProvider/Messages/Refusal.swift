import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// The reason a request is rejected, and the form of the error response.
enum Refusal: Error {
    /// A page: there is no client to which the browser could be redirected.
    case page(String, HTTPResponse.Status = .badRequest)
    /// Back to the client (RFC 6749 section 4.1.2.1).
    case redirect(OAuthError, ReturnAddress)
    /// JSON (RFC 6749 section 5.2), with a challenge when the client could authenticate.
    case json(OAuthError, HTTPResponse.Status = .badRequest, challenge: String? = nil)
    /// A challenge alone (RFC 6750 section 3).
    case challenge(String, HTTPResponse.Status)
    /// Another refusal, with these fields besides its own.
    indirect case with(HTTPFields, Refusal)
}

extension Refusal {
    static func json(_ code: OAuthError.Code, _ sentence: String) -> Refusal {
        .json(OAuthError(code: code, description: sentence))
    }
}

/// The redirect URI and state that a checked authorization request names for its response.
struct ReturnAddress: Sendable {
    var redirectURI: String
    var state: String?
    /// Whether the response is a form that the user agent posts (OAuth 2.0 Form Post Response Mode).
    var isPosted = false
}
