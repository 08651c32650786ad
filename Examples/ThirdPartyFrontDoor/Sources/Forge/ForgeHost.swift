public import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Forge: the public one, or one that a company runs for itself.
public struct ForgeHost: Sendable {
    let issuer: Issuer

    /// Takes the address, such as `https://forge.example`, without a path.
    ///
    /// - Throws: `configuration` for an address that is not https, or has a path.
    public init(_ origin: String) throws(SignInError) {
        issuer = try Issuer(origin)
        guard issuer.url.path().isEmpty else {
            throw SignInError(
                .discovery,
                .configuration("A Forge's address has no path: leave out what follows the host.")
            )
        }
    }

    /// What a metadata document would say, if there was one.
    var server: AuthorizationServer {
        AuthorizationServer(
            issuer: issuer,
            authorizationEndpoint: url("/login/oauth/authorize"),
            tokenEndpoint: url("/login/oauth/access_token")
        )
    }

    /// Who an access token is of.
    var user: URL { url("/api/v3/user") }

    /// Where an app deletes its tokens.
    func token(of clientID: String) -> URL {
        url("/api/v3/applications").appending(component: clientID).appending(path: "token")
    }

    private func url(_ path: String) -> URL { issuer.url.appending(path: path) }
}
