import HTTPTypes
public import Ostiary
import OstiaryOAuth

#if canImport(FoundationNetworking)
    public import Foundation
    import FoundationNetworking
#else
    public import Foundation
#endif

/// Requests to an app's own APIs, under the names of Logto's SDK.
///
///     let orders: [Order] = try await LogtoRequest.get(
///         useSession: .shared, endpoint: endpoint, headers: ["Authorization": "Bearer \(accessToken)"])
///
/// They go to https URLs and loopback hosts only. Redirects are not followed, and only a status of 200 to 299 is a
/// success.
public enum LogtoRequest {
    /// The method of a request.
    public enum HttpMethod: String, Sendable, Hashable {
        /// Reads.
        case get = "GET"
        /// Sends a body.
        case post = "POST"
    }

    /// The body of a successful response, or the error.
    public typealias Outcome = Result<Data, any Error>

    /// Sends a GET.
    ///
    /// - Parameters:
    ///   - session: The session that loads the request.
    ///   - endpoint: A URL.
    ///   - headers: Header fields by name.
    /// - Returns: The body of a successful response; ``LogtoErrors/Response`` for another status.
    @discardableResult
    public static func get(
        useSession session: any NetworkSession = URLSessionTransport(),
        endpoint: String,
        headers: [String: String] = [:]
    ) async -> Outcome {
        outcome(await load(useSession: session, method: .get, endpoint: endpoint, headers: headers))
    }

    /// Sends a GET, and decodes the response; `snake_case` members are read into `camelCase` properties.
    ///
    /// - Throws: ``LogtoErrors/Response`` for a status other than success; `DecodingError` for another body than `T`'s;
    ///   `TransportFailure` when no response came.
    public static func get<T: Decodable>(
        useSession session: any NetworkSession = URLSessionTransport(),
        endpoint: String,
        headers: [String: String] = [:]
    ) async throws -> T {
        try decoded(await load(useSession: session, method: .get, endpoint: endpoint, headers: headers))
    }

    /// Sends a GET to a URL, and decodes the response.
    ///
    /// - Throws: As `get(useSession:endpoint:headers:)`.
    public static func get<T: Decodable>(
        useSession session: any NetworkSession = URLSessionTransport(),
        url: URL,
        headers: [String: String] = [:]
    ) async throws -> T {
        try decoded(await load(useSession: session, method: .get, url: url, headers: headers))
    }

    /// Sends a POST, and decodes the response.
    ///
    /// - Parameters:
    ///   - session: The session that loads the request.
    ///   - endpoint: A URL.
    ///   - headers: Header fields by name; `Content-Type` says the body's media type.
    ///   - body: The request's body.
    /// - Returns: The decoded body of the response.
    /// - Throws: As `get(useSession:endpoint:headers:)`.
    public static func post<T: Decodable>(
        useSession session: any NetworkSession = URLSessionTransport(),
        endpoint: String,
        headers: [String: String] = [:],
        body: Data? = nil
    ) async throws -> T {
        try decoded(await load(useSession: session, method: .post, endpoint: endpoint, headers: headers, body: body))
    }

    /// Sends a POST whose response has no content.
    ///
    /// - Throws: As `get(useSession:endpoint:headers:)`.
    public static func post(
        useSession session: any NetworkSession = URLSessionTransport(),
        endpoint: String,
        headers: [String: String] = [:],
        body: Data? = nil
    ) async throws {
        if let error = await load(
            useSession: session,
            method: .post,
            endpoint: endpoint,
            headers: headers,
            body: body
        ).1 {
            throw error
        }
    }

    /// Sends a request.
    ///
    /// - Returns: The body of a successful response, or the error.
    public static func load(
        useSession session: any NetworkSession,
        method: HttpMethod,
        endpoint: String,
        headers: [String: String] = [:],
        body: Data? = nil
    ) async -> (Data?, (any Error)?) {
        guard let url = URL(string: endpoint) else { return (nil, LogtoErrors.UrlConstruction.unableToConstructUrl) }
        return await load(useSession: session, method: method, url: url, headers: headers, body: body)
    }

    /// Sends a request to a URL.
    ///
    /// - Returns: The body of a successful response, or the error.
    public static func load(
        useSession session: any NetworkSession,
        method: HttpMethod,
        url: URL,
        headers: [String: String] = [:],
        body: Data? = nil
    ) async -> (Data?, (any Error)?) {
        await load(
            with: SessionTransport.of(session),
            method: method == .get ? .get : .post,
            url: url,
            headers: headers,
            body: body
        )
    }

    static func load(
        with transport: any HTTPTransport,
        method: HTTPRequest.Method,
        url: URL,
        headers: [String: String],
        body: Data?
    ) async -> (Data?, (any Error)?) {
        var request = EndpointRequest(url: url, method: method)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { return (nil, TransportFailure.invalidRequest) }
            request.fields[name] = value
        }
        if let body {
            let mediaType = request.fields[.contentType] ?? "application/octet-stream"
            request.content = EndpointRequest.Content(mediaType: mediaType, bytes: Array(body))
        }
        do throws(SignInError) {
            let response = try await transport.perform(AppRequest(request: request), in: ExchangeContext())
            let data = Data(response.body)
            guard response.status.kind != .successful else { return (data, nil) }
            guard let httpResponse = HTTPURLResponse(response, at: url) else { return (nil, TransportFailure.notHTTP) }
            return (
                nil,
                LogtoErrors.Response.withCode(code: response.status.code, httpResponse: httpResponse, data: data)
            )
        } catch {
            switch error.reason {
            case .transport(let failure): return (nil, failure)
            case .cancelled: return (nil, TransportFailure.cancelled)
            default: return (nil, TransportFailure.notHTTP)
            }
        }
    }

    static func outcome(_ loaded: (Data?, (any Error)?)) -> Outcome {
        if let error = loaded.1 { return .failure(error) }
        return loaded.0.map { .success($0) } ?? .failure(TransportFailure.notHTTP)
    }

    private static func decoded<T: Decodable>(_ loaded: (Data?, (any Error)?)) throws -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(T.self, from: try outcome(loaded).get())
    }
}

/// A request of the app's own.
private struct AppRequest: Exchange {
    let request: EndpointRequest

    var stage: SignInError.Stage { .userInfo }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest { request }

    func output(from response: EndpointResponse) throws(SignInError) -> EndpointResponse { response }
}

extension HTTPURLResponse {
    fileprivate convenience init?(_ response: EndpointResponse, at url: URL) {
        var fields: [String: String] = [:]
        for name in Set(response.fields.map(\.name)) { fields[name.rawName] = response.fields[name] }
        self.init(url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}
