import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

/// The inspector of a provider: a page that draws each flow while it runs, the exchanges, and their exports.
struct Inspector: Sendable {
    /// The paths below the issuer.
    private enum Resource: String {
        case page = "/inspector"
        case style = "/inspector/style.css"
        case script = "/inspector/script.js"
        case parameters = "/inspector/parameters.json"
        case events = "/inspector/events"
        case export = "/inspector/export"
    }

    private let provider: Provider
    private let basePath: String
    private let origin: String
    private let access: InspectorAccess
    private let feed: InspectorFeed

    /// Makes the inspector; `nil` where the provider's configuration has none.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - isLoopback: Whether only this machine can connect.
    init?(of provider: Provider, isLoopback: Bool) {
        guard provider.configuration.inspector == .present else { return nil }
        // Its path may be longer than that of the server's issuer, as that of the manners of some providers is.
        let issuer = provider.configuration.issuer
        self.provider = provider
        basePath = issuer.basePath
        origin = issuer.origin
        access = InspectorAccess(
            issuer: issuer,
            isLoopback: isLoopback,
            token: provider.configuration.administrationToken
        )
        feed = InspectorFeed(of: provider, origin: issuer.origin)
    }

    /// Responds to a request; `nil` for a path that is not the inspector's.
    func response(to request: Request, path: String, query: String?) -> Response? {
        guard path.hasPrefix(basePath), let resource = Resource(rawValue: String(path.dropFirst(basePath.count))) else {
            return nil
        }
        guard [.get, .head].contains(request.method) else {
            return .sentence("The inspector only reads.", .methodNotAllowed, [.allow: "GET, HEAD"])
        }
        switch resource {
        case .page: return page(PackageResources.inspector_html, "text/html; charset=utf-8")
        case .style: return page(PackageResources.inspector_css, "text/css; charset=utf-8")
        case .script: return page(PackageResources.inspector_js, "text/javascript; charset=utf-8")
        case .parameters: return page(Self.parameters, "application/json")
        case .events, .export: break
        }
        if let refusal = access.refusal(of: request.headers) { return Self.response(to: refusal) }
        do throws(InspectorQueryError) {
            var members = try Self.members(query)
            if resource == .events { return try events(members, request) }
            guard let form = InspectorExport(rawValue: members.removeValue(forKey: "form") ?? "") else {
                throw .value("form")
            }
            let flows = try ExchangeFilter(members).exchanges(of: provider.recordedExchanges().exchanges)
            var fields = Self.fields(form.mediaType)
            fields[.contentDisposition] = "attachment; filename=\"flows.\(form.rawValue)\""
            let bytes = form.bytes(flows, origin: origin)
            return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        } catch {
            return .sentence(error.sentence, .badRequest)
        }
    }

    private func events(_ members: [String: String], _ request: Request) throws(InspectorQueryError) -> Response {
        if let name = members.keys.first(where: { $0 != "after" }) { throw .name(name) }
        guard let number = Int(members["after"] ?? "0"), number >= 0 else { throw .value("after") }
        let fields = Self.fields("text/event-stream")
        guard request.method == .get else { return Response(status: .ok, headers: fields) }
        guard let body = feed.body(after: number, for: request) else {
            let sentence = "\(InspectorFeed.maximumStreams) inspectors are open. Close one of them."
            return .sentence(sentence, .serviceUnavailable, [.retryAfter: "5"])
        }
        return Response(status: .ok, headers: fields, body: body)
    }

    private func page(_ bytes: [UInt8], _ mediaType: String) -> Response {
        Response(
            status: .ok,
            headers: Self.fields(mediaType),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    private static func response(to refusal: InspectorAccess.Refusal) -> Response {
        switch refusal {
        case .foreign: .sentence("Open the inspector at its own address.", .forbidden)
        case .unauthorized:
            .sentence(
                "The inspector needs the token of the administration.",
                .unauthorized,
                [.wwwAuthenticate: "Bearer"]
            )
        case .closed:
            .sentence(
                "Beyond this machine the inspector needs a token: start the provider with --admin-token-file.",
                .forbidden
            )
        }
    }

    /// The meanings of parameters, for the page.
    private static let parameters: [UInt8] = {
        var object = JSONObject()
        for parameter in RecordedParameter.all {
            object[parameter.name] = ["meaning": .string(parameter.meaning), "source": .string(parameter.source)]
        }
        return object.encoded()
    }()

    /// The fields of every response.
    ///
    /// Script and style are the provider's own files, and nothing may become markup.
    private static func fields(_ mediaType: String) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: mediaType, .cacheControl: "no-store",
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
            trusted-types 'none'
            """,
        ]
        for (name, value) in protections {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }

    private static let protections = [
        "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]

    /// The members of a query, each of them once.
    private static func members(_ query: String?) throws(InspectorQueryError) -> [String: String] {
        var members: [String: String] = [:]
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = texts[0], let value = texts.count == 2 ? texts[1] : "", members[name] == nil else {
                throw .malformed
            }
            members[name] = value
        }
        return members
    }
}
