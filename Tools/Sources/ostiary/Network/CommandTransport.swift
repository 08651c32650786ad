import Foundation
import HTTPTypes
import OstiaryAsyncHTTPClient
import OstiaryOAuth
import Synchronization

/// The transport of every request of the command line.
///
/// It goes through a proxy where one is set, remembers what failed for the command's message, and with `--record` or
/// `--trace` it records.
let commandTransport: any HTTPTransport = CommandRecording.recording(
    WireTrace.tracing(ObservedTransport(next: CommandNetwork.current.transport))
)

/// The transport of a request beside the command's own exchange: it is in a trace, and in no recording or message.
let sideTransport: any HTTPTransport = WireTrace.tracing(CommandNetwork.current.transport)

/// The last exchange that failed, for the message of the command.
enum LastFailure {
    /// An exchange without a usable response.
    struct Exchange: Sendable {
        let request: EndpointRequest
        let result: Result<EndpointResponse, TransportFailure>
    }

    private static let exchange = Mutex<Exchange?>(nil)
    private static let metadataIssuer = Mutex<(document: String, issuer: String)?>(nil)

    /// The last exchange with a failure or a status of 400 and above; `nil` for none.
    static var current: Exchange? { exchange.withLock { $0 } }

    /// The last metadata document, and the issuer that it names.
    static var namedIssuer: (document: String, issuer: String)? { metadataIssuer.withLock { $0 } }

    fileprivate static func note(_ made: Exchange) {
        switch made.result {
        case .success(let response) where response.status.code < 400:
            guard made.request.url.path.contains("/.well-known/"),
                let issuer = JSONFile.member("issuer", of: response.body)
            else { return }
            metadataIssuer.withLock { noted in
                // Both documents are fetched at once: the message names the same one in each run.
                guard noted == nil || made.request.url.path.hasSuffix("/openid-configuration") else { return }
                noted = (made.request.url.absoluteString, issuer)
            }
        default: exchange.withLock { $0 = made }
        }
    }
}

/// A transport that remembers the last failure.
private struct ObservedTransport: HTTPTransport {
    let next: any HTTPTransport

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        do throws(TransportFailure) {
            let response = try await next.send(request)
            LastFailure.note(.init(request: request, result: .success(response)))
            return response
        } catch {
            LastFailure.note(.init(request: request, result: .failure(error)))
            throw error
        }
    }
}
