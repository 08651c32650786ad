public import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Forge server: the public one, or a company's own.
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
                .configuration("The address of a Forge has no path: leave out the part after the host.")
            )
        }
    }

    /// The server's metadata, made by hand, since Forge publishes none.
    var server: AuthorizationServer {
        AuthorizationServer(
            issuer: issuer,
            authorizationEndpoint: url("/login/oauth/authorize"),
            tokenEndpoint: url("/login/oauth/access_token")
        )
    }

    /// The endpoint that names the user of an access token.
    var user: URL { url("/api/v3/user") }

    /// The endpoint at which an app deletes its tokens.
    func token(of clientID: String) -> URL {
        url("/api/v3/applications").appending(component: clientID).appending(path: "token")
    }

    private func url(_ path: String) -> URL { issuer.url.appending(path: path) }
}
