import HTTPTypes
import Ostiary

/// A person at a Forge.
public struct ForgeUser: Sendable, Hashable {
    /// The number that stays the same when the name changes: what an app keeps.
    public let id: Int
    /// The name that the person signs in with, and can change.
    public let login: String
    /// The name that the person is called by, if they gave one.
    public let name: String?
}

/// Asks whose access token it is.
struct ForgeUserRequest: Exchange {
    let host: ForgeHost
    let token: Secret

    var stage: SignInError.Stage { .userInfo }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        EndpointRequest(
            url: host.user,
            fields: [.accept: "application/vnd.forge+json", .authorization: "Bearer " + token.reveal()]
        )
    }

    func output(from response: EndpointResponse) throws(SignInError) -> ForgeUser {
        guard response.status == .ok else { throw response.failure(at: stage) }
        let object = try response.jsonObject(at: stage)
        guard let id = object["id"]?.integer else { throw SignInError(stage, .malformed("the user's id")) }
        guard let login = object["login"]?.string, !login.isEmpty else {
            throw SignInError(stage, .malformed("the user's login"))
        }
        return ForgeUser(id: id, login: login, name: object["name"]?.string)
    }
}
