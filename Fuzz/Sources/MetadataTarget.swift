import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension FuzzTarget {
    /// A metadata document.
    static let metadata = FuzzTarget(name: "metadata") { bytes in
        for form in ServerMetadataRequest.Form.allCases {
            let discovery = ServerMetadataRequest(World.issuer, form: form)
            let response = EndpointResponse(fields: [.contentType: "application/json; charset=utf-8"], body: bytes)
            let server: AuthorizationServer
            do throws(SignInError) {
                server = try discovery.output(from: response)
            } catch {
                demand(error.stage == .discovery, "the stage is discovery")
                // Its error names the issuer that was found: the developer has to compare both.
                guard error != SignInError(.discovery, .mismatch(.metadataIssuer)) else { return }
                demandDiscreet(error)
                return
            }
            demand(server.issuer == World.issuer, "the issuer is the one that was asked for")
            for endpoint in [
                server.authorizationEndpoint, server.tokenEndpoint, server.jwksURI, server.userInfoEndpoint,
                server.revocationEndpoint, server.endSessionEndpoint, server.introspectionEndpoint,
                server.registrationEndpoint, server.deviceAuthorizationEndpoint,
                server.pushedAuthorizationRequestEndpoint,
            ].compactMap({ $0 }) {
                demandSafe(endpoint)
            }
            let again = EndpointResponse(
                fields: [.contentType: "application/json"],
                body: server.metadata.encoded()
            )
            demand((try? discovery.output(from: again)) == server, "what is written is read as the same")
        }
    }

    /// Demands what is sent goes where the text says: the policy was decided on the text, the transport uses the URL.
    static func demandSafe(_ url: URL) {
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        switch url.scheme?.lowercased() {
        case "https": demand(!host.isEmpty, "an https URL has a host: \(url)")
        case "http": demand(["127.0.0.1", "::1", "[::1]", "localhost"].contains(host), "http stays here: \(url)")
        default: demand(false, "an endpoint is a web address: \(url)")
        }
        demand(url.fragment == nil, "an endpoint has no fragment: \(url)")
    }
}
