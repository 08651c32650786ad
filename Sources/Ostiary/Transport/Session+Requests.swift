public import Foundation
public import HTTPTypes
public import OstiaryOAuth

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension EndpointRequest.Limits {
    /// The limits of a request for the app's own data: 16 MiB and 60 seconds.
    public static var resource: EndpointRequest.Limits {
        EndpointRequest.Limits(maximumBodyBytes: 16_777_216, deadline: .seconds(60))
    }
}

extension Session {
    /// Sends a Foundation request to a resource server with an access token, as ``data(for:resource:)`` does.
    ///
    /// In place of `URLSession.data(for:)`: of the request, its URL, method, header fields and `httpBody` are sent. Its
    /// `timeoutInterval` limits the whole exchange, from a second to a day.
    ///
    /// - Parameters:
    ///   - request: The request; an `Authorization` field of its own is replaced.
    ///   - resource: The resource server that the token is for (RFC 8707); `nil` for the token of the sign-in itself.
    ///   - maximumBodyBytes: The largest response body in bytes. Default: 16 MiB.
    /// - Returns: The body and the head of the server's response, whatever its status.
    /// - Throws: As ``data(for:resource:)``; `configuration` at stage `resource` for a request without a URL, with an
    ///   `httpBodyStream`, with a body that its method does not send, or with a header field that HTTP forbids, and
    ///   nothing is sent.
    public func data(
        for request: URLRequest,
        resource: ResourceIndicator? = nil,
        maximumBodyBytes: Int = EndpointRequest.Limits.resource.maximumBodyBytes
    ) async throws(SignInError) -> (Data, HTTPURLResponse) {
        let sent = try EndpointRequest(request, maximumBodyBytes: maximumBodyBytes)
        let response = try await data(for: sent, resource: resource)
        var fields: [String: String] = [:]
        for name in Set(response.fields.map(\.name)) { fields[name.rawName] = response.fields[name] }
        guard
            let head = HTTPURLResponse(
                url: sent.url,
                statusCode: response.status.code,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
        else { throw SignInError(.resource, .transport(.notHTTP)) }
        return (Data(response.body), head)
    }

    /// Sends a request of HTTPTypes to a resource server with an access token, as ``data(for:resource:)`` does.
    ///
    /// - Parameters:
    ///   - request: The request; an `Authorization` field of its own is replaced.
    ///   - body: The body; its media type is the `Content-Type` field of the request.
    ///   - resource: The resource server that the token is for (RFC 8707); `nil` for the token of the sign-in itself.
    ///   - limits: The largest response body and the time limit. Default: 16 MiB and 60 seconds.
    /// - Returns: The body and the head of the server's response, whatever its status.
    /// - Throws: As ``data(for:resource:)``; `configuration` at stage `resource` for a request without scheme,
    ///   authority or path, or with a body that its method does not send, and nothing is sent.
    public func data(
        for request: HTTPRequest,
        body: [UInt8]? = nil,
        resource: ResourceIndicator? = nil,
        limits: EndpointRequest.Limits = .resource
    ) async throws(SignInError) -> (body: [UInt8], response: HTTPResponse) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path,
            let url = URL(string: "\(scheme)://\(authority)\(path)")
        else { throw Self.unsendable("it has no scheme, authority or path that make a URL") }
        let sent = try EndpointRequest(url, request.method, request.headerFields, body, limits)
        let response = try await data(for: sent, resource: resource)
        return (response.body, HTTPResponse(status: response.status, headerFields: response.fields))
    }

    fileprivate static func unsendable(_ fault: String) -> SignInError {
        SignInError(.resource, .configuration("The request cannot be sent: \(fault)."))
    }
}

extension EndpointRequest {
    fileprivate init(_ request: URLRequest, maximumBodyBytes: Int) throws(SignInError) {
        guard let url = request.url else { throw Session.unsendable("it has no URL") }
        guard request.httpBodyStream == nil else {
            throw Session.unsendable("its body is a stream. Set httpBody instead")
        }
        guard let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
            throw Session.unsendable("its method is not one of HTTP")
        }
        var fields = HTTPFields()
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw Session.unsendable("HTTP forbids one of its header fields")
            }
            fields[name] = value
        }
        try self.init(
            url,
            method,
            fields,
            request.httpBody.map { [UInt8]($0) },
            Limits(maximumBodyBytes: maximumBodyBytes, deadline: Self.deadline(request.timeoutInterval))
        )
    }

    /// An interval as a time that `Duration` can hold; apps write infinity and the largest number for "no limit".
    private static func deadline(_ interval: Double) -> Duration {
        interval.isNaN ? .seconds(60) : .seconds(min(max(interval, 1), 86_400))
    }

    fileprivate init(
        _ url: URL,
        _ method: HTTPRequest.Method,
        _ fields: HTTPFields,
        _ body: [UInt8]?,
        _ limits: Limits
    ) throws(SignInError) {
        guard let body else {
            self.init(url: url, method: method, fields: fields, limits: limits)
            return
        }
        guard method != .get, method != .head else {
            throw Session.unsendable("a \(method.rawValue) has no body")
        }
        var fields = fields
        let mediaType = fields[.contentType] ?? "application/octet-stream"
        fields[.contentType] = nil
        self.init(
            url: url,
            method: method,
            fields: fields,
            content: Content(mediaType: mediaType, bytes: body),
            limits: limits
        )
    }
}
