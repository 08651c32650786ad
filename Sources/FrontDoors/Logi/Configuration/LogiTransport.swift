import HTTPTypes
import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The transport with what is the vendor's own: built-in metadata where an issuer publishes none, and request ids under
/// the name that everybody reads.
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
        // Only "there is none" is filled in: a document that is wrong, or an issuer that does not answer, stays an error.
        if response.status == .notFound, request.method == .get, request.url.absoluteString == document {
            return EndpointResponse(fields: [.contentType: "application/json"], body: metadata)
        }
        if let id = response.fields[.logiRequestID] { response.fields[.requestID] = id }
        return response
    }
}

extension HTTPField.Name {
    /// What the vendor calls it.
    fileprivate static let logiRequestID = Self("X-Logi-Request-Id") ?? .eTag
    /// What everybody calls it.
    fileprivate static let requestID = Self("X-Request-Id") ?? .eTag
}
