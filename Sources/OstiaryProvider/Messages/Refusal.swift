import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Why a request is not done, and in which form it is told.
enum Refusal: Error {
    /// A page: nobody is known to whom the browser could be sent back.
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

/// Where a checked authorization request wants its answer.
struct ReturnAddress: Sendable {
    var redirectURI: String
    var state: String?
    /// Whether the answer is a form that the user agent posts (OAuth 2.0 Form Post Response Mode).
    var isPosted = false
}
