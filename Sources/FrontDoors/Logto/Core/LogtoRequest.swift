public import HTTPTypes
public import Ostiary
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The HTTP transport, under the name of Logto's SDK.
public typealias NetworkSession = HTTPTransport

/// Requests to an app's own APIs, under the names of Logto's SDK.
///
///     await LogtoRequest.get(
///         useSession: session, endpoint: endpoint, headers: ["Authorization": "Bearer \(accessToken)"])
///
/// They go to https URLs and loopback hosts only. Redirects are not followed, and the outcome is a success or an error.
public enum LogtoRequest {
    /// The outcome of a request.
    public typealias Outcome = Result<Data, LogtoErrors.Response>

    /// Sends a GET.
    ///
    /// - Parameters:
    ///   - session: The HTTP transport used for the request.
    ///   - endpoint: A URL.
    ///   - headers: Header fields by name.
    /// - Returns: The body of a successful response, otherwise the error.
    @discardableResult
    public static func get(
        useSession session: any NetworkSession = URLSessionTransport(),
        endpoint: String,
        headers: [String: String] = [:]
    ) async -> Outcome {
        await load(useSession: session, method: .get, endpoint: endpoint, headers: headers)
    }

    /// Sends a POST.
    ///
    /// - Parameters:
    ///   - session: The HTTP transport used for the request.
    ///   - endpoint: A URL.
    ///   - headers: Header fields by name.
    ///   - body: The request body, with its media type.
    /// - Returns: The body of a successful response, otherwise the error.
    @discardableResult
    public static func post(
        useSession session: any NetworkSession = URLSessionTransport(),
        endpoint: String,
        headers: [String: String] = [:],
        body: EndpointRequest.Content? = nil
    ) async -> Outcome {
        await load(useSession: session, method: .post, endpoint: endpoint, headers: headers, body: body)
    }

    /// Sends a request of any method.
    ///
    /// - Returns: The body of a successful response, otherwise the error.
    @discardableResult
    public static func load(
        useSession session: any NetworkSession = URLSessionTransport(),
        method: HTTPRequest.Method,
        endpoint: String,
        headers: [String: String] = [:],
        body: EndpointRequest.Content? = nil
    ) async -> Outcome {
        guard let url = URL(string: endpoint) else { return .failure(.noResponse(.invalidRequest)) }
        var request = EndpointRequest(url: url, method: method, content: body)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { return .failure(.noResponse(.invalidRequest)) }
            request.fields[name] = value
        }
        let exchange = AppRequest(request: request)
        do throws(SignInError) {
            return try await session.perform(exchange, in: ExchangeContext())
        } catch {
            switch error.reason {
            case .transport(let failure): return .failure(.noResponse(failure))
            case .cancelled: return .failure(.noResponse(.cancelled))
            default: return .failure(.noResponse(.notHTTP))
            }
        }
    }
}

/// A request of the app's own.
private struct AppRequest: Exchange {
    let request: EndpointRequest

    var stage: SignInError.Stage { .userInfo }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest { request }

    func output(from response: EndpointResponse) throws(SignInError) -> LogtoRequest.Outcome {
        guard response.status.kind == .successful else { return .failure(.withCode(response.status.code)) }
        return .success(Data(response.body))
    }
}
