import HTTPTypes
import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Deletes one access token of an app, which authenticates with its secret.
struct ForgeTokenDeletion: Exchange {
    private let token: Secret
    private let client: Client
    private let secret: Secret
    private let host: ForgeHost

    init(_ token: Secret, of client: Client, secret: Secret, at host: ForgeHost) {
        self.token = token
        self.client = client
        self.secret = secret
        self.host = host
    }

    var stage: SignInError.Stage { .revocation }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        let credentials = FormURLEncoding.escape(client.id) + ":" + FormURLEncoding.escape(secret.reveal())
        let body: JSONObject = ["access_token": .string(token.reveal())]
        return EndpointRequest(
            url: host.token(of: client.id),
            method: .delete,
            fields: [
                .accept: "application/vnd.forge+json",
                .authorization: "Basic " + Data(credentials.utf8).base64EncodedString(),
            ],
            content: EndpointRequest.Content(mediaType: "application/json", bytes: body.encoded())
        )
    }

    /// Accepts a token that no longer exists as deleted.
    func output(from response: EndpointResponse) throws(SignInError) {
        guard response.status == .noContent || response.status == .notFound else { throw response.failure(at: stage) }
    }
}
