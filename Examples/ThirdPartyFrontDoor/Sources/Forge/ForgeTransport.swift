import HTTPTypes
import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Translates the responses of Forge's token endpoint into those of RFC 6749.
///
/// It leaves every other response as it is: the client reads it as strictly as any other.
struct ForgeTransport: HTTPTransport {
    private let tokenPath: String?
    private let transport: any HTTPTransport

    init(for host: ForgeHost, over transport: any HTTPTransport) {
        tokenPath = host.server.tokenEndpoint?.path()
        self.transport = transport
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var response = try await transport.send(request)
        guard request.url.path() == tokenPath, response.status == .ok,
            var object = try? JSONObject(parsing: response.body)
        else { return response }
        if let error = object["error"]?.string {
            // Error responses come with status 200.
            response.status = .badRequest
            object["error"] = .string(Self.codes[error] ?? error)
        }
        if let scope = object["scope"]?.string {
            object["scope"] = .string(scope.split(separator: ",").joined(separator: " "))
        }
        response.body = object.encoded()
        return response
    }

    private static let codes = [
        "bad_verification_code": "invalid_grant", "redirect_uri_mismatch": "invalid_grant",
        "incorrect_client_credentials": "invalid_client",
    ]
}
