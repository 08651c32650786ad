import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer

/// The session endpoint of an app: GET returns the session's user, and DELETE ends the session.
///
/// Both present the handle as a DPoP token with a proof by the app's key.
struct SessionPlace: ServerEndpoint {
    static let methods: [HTTPRequest.Method] = [.get, .delete]

    let sessions: ServerSessions

    var maximumBodyBytes: Int { 0 }

    func respond(to request: ServerRequest) async -> ServerResponse {
        let session: ServerSession
        do throws(SessionRefusal) {
            session = try await sessions.session(of: request)
        } catch {
            return error.response
        }
        guard request.method == .delete else {
            let left = max(0, session.expiry.timeIntervalSince(.now))
            return .json(["sub": .string(session.subject), "expires_in": .integer(Int(left))])
        }
        do throws(StorageFailure) {
            try await sessions.end(session)
            return ServerResponse(status: .noContent, fields: [.cacheControl: "no-store"])
        } catch {
            return .unavailable(for: .seconds(1)).because(RefusalReason(error))
        }
    }
}

extension ServerResponse {
    /// The response for a temporary failure.
    static func unavailable(for wait: Duration) -> ServerResponse {
        .json(
            ["error": "temporarily_unavailable"],
            status: .serviceUnavailable,
            fields: [.retryAfter: String(Int((max(.seconds(1), min(wait, .seconds(3600))) / .seconds(1)).rounded(.up)))]
        )
    }

    /// The response for an ended session: the app signs in again.
    static var sessionEnded: ServerResponse {
        let challenge = AccessTokenChallenge(
            scheme: .dpop,
            error: .invalidToken,
            errorDescription: "The session has ended.",
            algorithms: SignatureAlgorithm.allCases
        )
        var fields = challenge.fields
        fields[.cacheControl] = "no-store"
        return ServerResponse(status: .unauthorized, fields: fields)
    }
}
