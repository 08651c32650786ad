import HTTPTypes
import OstiaryHummingbird

/// Says who is signed in: for the app that holds a session's handle and the key that it belongs to.
struct MeEndpoint: ServerEndpoint {
    let sessions: ServerSessions

    var method: HTTPRequest.Method { .get }
    var maximumBodyBytes: Int { 0 }

    func respond(to request: ServerRequest) async -> ServerResponse {
        do throws(SessionRefusal) {
            let session = try await sessions.session(of: request)
            return .json(["sub": .string(session.subject)])
        } catch {
            // 401 with a challenge, or 503.
            return error.response
        }
    }
}
