import Foundation
import HTTPTypes
import OstiaryOAuth
import OstiaryServer

/// Forwards requests to an API with the session's access token, which the app never gets.
///
/// Only fields that describe the content pass in either direction: neither the handle nor a cookie reaches the API, and
/// the API's challenges do not reach the app.
struct SessionForward: ServerEndpoint {
    static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

    let settings: ForwardSettings
    let sessions: ServerSessions
    /// The browser sign-in whose sessions are used; `nil` where apps present proofs with their keys.
    var browser: BrowserSignIn?
    let transport: any HTTPTransport

    /// 1 MiB, which is also the limit of a response.
    var maximumBodyBytes: Int { 1_048_576 }

    func respond(to request: ServerRequest) async -> ServerResponse {
        let body = request.body
        return await respond(to: request) { .success(body) }
    }

    /// Authenticates the session before it reads the body.
    func respond(
        to request: ServerRequest,
        readingBody read: @Sendable () async -> Result<[UInt8], RequestFault>
    ) async -> ServerResponse {
        guard let url = url(of: request) else {
            return shared(ServerResponse(status: .notFound, reason: RefusalReason("path")), with: request)
        }
        if let browser, request.method == .options { return browser.preflight(request, methods: Self.methods) }
        do throws(Refused) {
            let session = try await session(of: request)
            var request = request
            switch await read() {
            case .success(let body): request.body = body
            case .failure(let fault): return shared(refusalAndEnd(fault), with: request)
            }
            return shared(await answer(to: request, at: url, for: session), with: request)
        } catch {
            return error.response
        }
    }

    /// Adds the CORS fields that let a page of a configured origin read a response.
    private func shared(_ response: ServerResponse, with request: ServerRequest) -> ServerResponse {
        var response = response
        for field in browser?.sharing(with: request) ?? [:] { response.fields.append(field) }
        return response
    }

    private struct Refused: Error {
        let response: ServerResponse
    }

    private func session(of request: ServerRequest) async throws(Refused) -> ServerSession {
        guard let browser else {
            do throws(SessionRefusal) { return try await sessions.session(of: request) } catch {
                throw Refused(response: error.response)
            }
        }
        do throws(BrowserRefusal) { return try await browser.session(of: request) } catch {
            throw Refused(response: error.response)
        }
    }

    private func answer(to request: ServerRequest, at url: URL, for session: ServerSession) async -> ServerResponse {
        do throws(SignInError) {
            // While a body arrives, another request may end the session.
            let token =
                request.body.isEmpty
                ? try await sessions.accessToken(ofPresented: session) : try await sessions.accessToken(of: session)
            let first = await answer(to: request, at: url, with: token)
            guard first.hasRefusedToken else { return first.response }
            // Revoked early, or without a lifetime. The API did not perform a request whose token it rejected, so it
            // may be repeated.
            let another = try await sessions.accessToken(of: session, insteadOf: token)
            guard another != token else { return first.response }
            return await answer(to: request, at: url, with: another).response
        } catch {
            return refusal(error)
        }
    }

    /// A response of the API, and whether it rejected the access token.
    private func answer(
        to request: ServerRequest,
        at url: URL,
        with token: Secret
    ) async -> (response: ServerResponse, hasRefusedToken: Bool) {
        do throws(TransportFailure) {
            let response = try await transport.send(sent(request, to: url, with: token))
            return (passed(on: response), response.status == .unauthorized)
        } catch {
            guard error != .invalidRequest else {
                return (ServerResponse(status: .badRequest, reason: RefusalReason("request_form")), false)
            }
            return (
                ServerResponse(
                    status: error == .timedOut ? .gatewayTimeout : .badGateway,
                    fields: [.cacheControl: "no-store"],
                    reason: RefusalReason(
                        "api_\(error.rawValue)",
                        detail: "\(settings.target) did not respond: compare forward.to with the API's URL.",
                        concern: .operator
                    )
                ), false
            )
        }
    }

    private func sent(_ request: ServerRequest, to url: URL, with token: Secret) -> EndpointRequest {
        var fields = request.fields.only(Self.requestFields)
        let mediaType = fields[.contentType]
        fields[.contentType] = nil
        fields[.authorization] = "Bearer " + token.reveal()
        return EndpointRequest(
            url: url,
            method: request.method,
            fields: fields,
            content: request.body.isEmpty
                ? nil : .init(mediaType: mediaType ?? "application/octet-stream", bytes: request.body),
            limits: .init(maximumBodyBytes: maximumBodyBytes, deadline: .seconds(15))
        )
    }

    /// The URL of the API's request; `nil` for a path that might leave the configured part of the API.
    private func url(of request: ServerRequest) -> URL? {
        guard request.path == settings.path || request.path.hasPrefix(settings.path + "/") else { return nil }
        let rest = request.path.dropFirst(settings.path.count)
        let plain = rest.lowercased().replacing("%2e", with: ".").replacing("%3b", with: ";")
        // Some servers treat `..;` as `..`, and decode twice.
        guard !["%2f", "%5c", "\\", "%00", "%25"].contains(where: { plain.contains($0) }),
            !plain.split(separator: "/").contains(where: { [".", ".."].contains($0.prefix { $0 != ";" }) })
        else { return nil }
        return URL(string: settings.target + rest + request.target.dropFirst(request.path.count))
    }

    /// The app's response for the API's response.
    private func passed(on response: EndpointResponse) -> ServerResponse {
        // A rejected token or a redirection of the API does not concern the app's session.
        let isOwnMatter = response.status == .unauthorized || response.status.isRedirection
        guard !isOwnMatter else {
            let detail =
                response.status == .unauthorized
                ? "The API rejected the session's access token: compare the token's audience with the API's."
                : "The API redirects, which is not followed: set forward.to to the URL that it redirects to."
            return ServerResponse(
                status: .badGateway,
                fields: [.cacheControl: "no-store"],
                reason: RefusalReason("api_status_\(response.status.code)", detail: detail, concern: .operator)
            )
        }
        var fields = response.fields.only(Self.responseFields)
        if browser == nil { fields[.cacheControl] = fields[.cacheControl] ?? "no-store" }
        let passed = ServerResponse(status: response.status, fields: fields, body: response.body)
        return browser == nil ? passed : BrowserSignIn.contained(passed)
    }

    private func refusal(_ error: SignInError) -> ServerResponse {
        let reason = RefusalReason(error)
        let ended = browser == nil ? ServerResponse.sessionEnded : BrowserRefusal.ended.response
        return switch error.reason {
        case .signInRequired: ended.because(reason)
        case _ where error.endsSession: ended.because(reason)
        default: .unavailable(for: error.retryAfter ?? .seconds(1)).because(reason)
        }
    }

    private static let requestFields: [HTTPField.Name] = [
        .accept, .acceptLanguage, .contentType, .contentLanguage, .ifMatch, .ifNoneMatch, .ifModifiedSince,
        .ifUnmodifiedSince,
    ]
    private static let responseFields: [HTTPField.Name] = [
        .contentType, .contentLanguage, .contentDisposition, .contentSecurityPolicy, .xContentTypeOptions,
        .cacheControl, .eTag, .lastModified, .retryAfter, .vary,
    ]
}

extension HTTPResponse.Status {
    fileprivate var isRedirection: Bool { kind == .redirection && self != .notModified }
}

extension HTTPFields {
    fileprivate func only(_ names: [HTTPField.Name]) -> HTTPFields {
        HTTPFields(filter { names.contains($0.name) })
    }
}
