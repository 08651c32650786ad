import HTTPTypes
import Ostiary

/// A user of a Forge.
public struct ForgeUser: Sendable, Hashable {
    /// The identifier, which stays the same when the name changes: store this one.
    public let id: Int
    /// The name that the user signs in with, and can change.
    public let login: String
    /// The display name, if the user has set one.
    public let name: String?
}

/// Requests the user of an access token.
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
