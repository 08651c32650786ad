import HTTPTypes
import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transport with the vendor's specifics: built-in metadata for an issuer that publishes none, and request ids under
/// the usual field name.
struct LogiTransport: HTTPTransport {
    private let carrier: any HTTPTransport
    private let document: String
    private let metadata: [UInt8]

    init(_ carrier: any HTTPTransport, issuer: Issuer) {
        self.carrier = carrier
        document = LogiPreset.url("/.well-known/openid-configuration", below: issuer)?.absoluteString ?? ""
        metadata = LogiPreset.metadata(of: issuer, tokenIssuer: issuer).encoded()
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var response = try await carrier.send(request)
        // Only a missing document is replaced: an invalid one, or an issuer that does not respond, remains an error.
        if response.status == .notFound, request.method == .get, request.url.absoluteString == document {
            return EndpointResponse(fields: [.contentType: "application/json"], body: metadata)
        }
        if let id = response.fields[.logiRequestID] { response.fields[.requestID] = id }
        return response
    }
}

extension HTTPField.Name {
    /// The vendor's field name.
    fileprivate static let logiRequestID = Self("X-Logi-Request-Id") ?? .eTag
    /// The usual field name.
    fileprivate static let requestID = Self("X-Request-Id") ?? .eTag
}
