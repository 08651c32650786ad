import Foundation
import HTTPTypes
import Logging
import OstiaryOAuth
import OstiaryServer

/// A part of an API that apps reach with their sessions: a request is sent on with the session's access token, which no app
/// ever has.
///
/// Only fields that say something of the content pass, in both directions: neither the handle nor a cookie reaches the
/// API, and nothing that it says of its own credentials reaches the app.
struct SessionForward: ServerEndpoint {
    static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

    let settings: ForwardSettings
    let sessions: ServerSessions
    let transport: any HTTPTransport
    let logger: Logger

    /// 1 MiB, as much as an answer may have.
    var maximumBodyBytes: Int { 1_048_576 }

    func respond(to request: ServerRequest) async -> ServerResponse {
        guard let url = url(of: request) else { return ServerResponse(status: .notFound) }
        do throws(SessionRefusal) {
            let session = try await sessions.session(of: request)
            return await answer(to: request, at: url, for: session)
        } catch {
            return error.response
        }
    }

    private func answer(to request: ServerRequest, at url: URL, for session: ServerSession) async -> ServerResponse {
        let token: Secret
        do throws(SignInError) {
            token = try await sessions.accessToken(of: session)
        } catch {
            return Self.refusal(error, logger)
        }
        do throws(TransportFailure) {
            return Self.passed(on: try await transport.send(sent(request, to: url, with: token)))
        } catch {
            guard error != .invalidRequest else { return ServerResponse(status: .badRequest) }
            logger.warning("forward", metadata: ["failure": .string(error.rawValue)])
            return ServerResponse(
                status: error == .timedOut ? .gatewayTimeout : .badGateway,
                fields: [.cacheControl: "no-store"]
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

    /// Where a request is sent; `nil` for what might leave the part of the API that is meant.
    private func url(of request: ServerRequest) -> URL? {
        guard request.path == settings.path || request.path.hasPrefix(settings.path + "/") else { return nil }
        let rest = request.path.dropFirst(settings.path.count)
        let plain = rest.lowercased().replacing("%2e", with: ".")
        guard !plain.contains("%2f"), !plain.contains("%5c"), !plain.contains("\\"),
            !plain.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
        return URL(string: settings.target + rest + request.target.dropFirst(request.path.count))
    }

    /// What the app is told of an API's answer.
    private static func passed(on response: EndpointResponse) -> ServerResponse {
        // It refused the access token, or is somewhere else: neither is about the app's session.
        let isOwnMatter = response.status == .unauthorized || response.status.isRedirection
        guard !isOwnMatter else {
            return ServerResponse(status: .badGateway, fields: [.cacheControl: "no-store"])
        }
        var fields = response.fields.only(responseFields)
        fields[.cacheControl] = fields[.cacheControl] ?? "no-store"
        return ServerResponse(status: response.status, fields: fields, body: response.body)
    }

    private static func refusal(_ error: SignInError, _ logger: Logger) -> ServerResponse {
        switch error.reason {
        case .signInRequired: return .sessionEnded
        case _ where error.endsSession: return .sessionEnded
        default:
            logger.warning("refresh", metadata: ["failure": .string(error.message)])
            return .unavailable
        }
    }

    private static let requestFields: [HTTPField.Name] = [
        .accept, .acceptLanguage, .contentType, .contentLanguage, .ifMatch, .ifNoneMatch, .ifModifiedSince,
        .ifUnmodifiedSince,
    ]
    private static let responseFields: [HTTPField.Name] = [
        .contentType, .contentLanguage, .cacheControl, .eTag, .lastModified, .retryAfter, .vary,
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
