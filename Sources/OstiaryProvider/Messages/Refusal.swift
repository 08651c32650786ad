package import HTTPTypes
import OstiaryJOSE
package import OstiaryOAuth

/// The reason a request is rejected, and the form of the error response.
package enum Refusal: Error {
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
    /// Another refusal, with a note for the provider's log.
    indirect case noted(RefusalNote, Refusal)
}

/// The part of a refusal that its response does not have, or has in other words.
package struct RefusalNote: Sendable {
    /// The client whose request is refused; `nil` for the one that the request names.
    var clientID: String?
    /// The reason, where the response is less precise.
    var reason: String?
    /// The rule that the request breaks; other rules serve it.
    var rule: ProviderRule?
    /// The change that makes the request right.
    var mend: String?
}

extension Refusal {
    package static func json(_ code: OAuthError.Code, _ sentence: String) -> Refusal {
        .json(OAuthError(code: code, description: sentence))
    }

    /// The same refusal of a request that a rule refuses and another serves.
    func breaking(_ rule: ProviderRule?) -> Refusal { rule == nil ? self : .noted(RefusalNote(rule: rule), self) }

    /// The same refusal, with the change that makes the request right.
    func mended(by mend: String?) -> Refusal { mend == nil ? self : .noted(RefusalNote(mend: mend), self) }

    /// The same refusal, with a reason that the response does not give.
    func since(_ reason: String, by clientID: String? = nil) -> Refusal {
        .noted(RefusalNote(clientID: clientID, reason: reason), self)
    }

    /// The notes, the outer ones first in effect.
    var note: RefusalNote {
        switch self {
        case .with(_, let refusal): return refusal.note
        case .noted(let note, let refusal):
            var all = refusal.note
            all.clientID = note.clientID ?? all.clientID
            all.reason = note.reason ?? all.reason
            all.rule = note.rule ?? all.rule
            all.mend = note.mend ?? all.mend
            return all
        case .redirect(_, let address): return RefusalNote(clientID: address.clientID)
        case .page, .json, .challenge: return RefusalNote()
        }
    }

    /// The refusal as JSON, for a request that no browser brought.
    var asJSON: Refusal {
        switch self {
        case .page(let sentence, _): .json(.invalidRequest, sentence)
        case .redirect(let error, let address): Refusal.json(error).noting(client: address.clientID)
        case .with(let fields, let refusal): .with(fields, refusal.asJSON)
        case .noted(let note, let refusal): .noted(note, refusal.asJSON)
        case .json, .challenge: self
        }
    }

    /// The same refusal, of a request of this client.
    func noting(client: String?) -> Refusal { .noted(RefusalNote(clientID: client), self) }
}

/// The redirect URI and state that a checked authorization request names for its response.
package struct ReturnAddress: Sendable {
    var redirectURI: String
    var state: String?
    /// Whether the response is a form that the user agent posts (OAuth 2.0 Form Post Response Mode).
    var isPosted = false
    /// The client, for the provider's log.
    var clientID: String?
}
