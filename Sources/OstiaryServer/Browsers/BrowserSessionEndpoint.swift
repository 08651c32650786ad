public import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An endpoint that pages read and write with the browser's session, from their own origin and from named ones.
public protocol BrowserEndpoint: ServerEndpoint {
    /// The methods that it answers, without OPTIONS.
    var methods: [HTTPRequest.Method] { get }
}

/// The endpoint that tells a page whose session the browser has.
///
/// `GET` returns `{"iss", "sub", "claims", "expires_in"}`, and 401 `{"error": "sign_in_required"}` without a session. No
/// token is in it.
public struct BrowserSessionEndpoint: BrowserEndpoint {
    let browser: BrowserSignIn

    /// GET.
    public var methods: [HTTPRequest.Method] { [.get] }
    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Tells whose session it is.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await browser.answer(request, methods: methods) { session throws(StorageFailure) in
            let found = try browser.sessions.claims(of: session)
            var claims = JSONObject()
            for name in browser.claims { claims[name] = found[name] }
            return .json([
                "iss": .string(session.issuer), "sub": .string(session.subject), "claims": .object(claims),
                "expires_in": .integer(browser.sessions.secondsLeft(of: session)),
            ])
        }
    }
}

/// The endpoint that lists the sessions of the user, and ends them.
///
/// `GET` returns `{"sessions": [{"id", "current", "kind", "created", "expires_in"}]}`, of which `kind` is `browser` or `app`.
/// `DELETE` with the query `id=…` ends one of them; without it every session of the user ends, on all devices.
public struct BrowserSessionList: BrowserEndpoint {
    let browser: BrowserSignIn

    /// GET and DELETE.
    public var methods: [HTTPRequest.Method] { [.get, .delete] }
    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Lists sessions, or ends one or all of them with 204.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await browser.answer(request, methods: methods) { session async throws(StorageFailure) in
            guard request.method == .delete else { return try await list(for: session) }
            let query = FormURLEncoding.decode(String(request.target.drop { $0 != "?" }.dropFirst()))
            let names = query?.values(of: "id") ?? []
            guard let query, query.names.allSatisfy({ $0 == "id" }), names.count <= 1 else {
                // A misspelled parameter must not sign the user out everywhere.
                return .json(["error": "invalid_request"], status: .badRequest).because(RefusalReason("browser_query"))
            }
            guard let name = names.first else {
                try await browser.sessions.endAll(like: session)
                return browser.ended
            }
            let listed = try await browser.sessions.list(like: session, in: browser.store)
            // Sessions of other users, too, are sessions that there are none of.
            guard let meant = listed.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                return .json(["error": "not_found"], status: .notFound).because(RefusalReason("session_unknown"))
            }
            try await browser.sessions.end(meant)
            return meant.name == session.name
                ? browser.ended : ServerResponse(status: .noContent, fields: [.cacheControl: "no-store"])
        }
    }

    private func list(for session: ServerSession) async throws(StorageFailure) -> ServerResponse {
        let entries = try await browser.sessions.list(like: session, in: browser.store).map { listed -> JSONValue in
            .object([
                "id": .string(listed.name), "current": .bool(listed.name == session.name),
                "kind": .string(listed.isOfBrowser ? "browser" : "app"),
                "created": .integer(Int(listed.created.timeIntervalSince1970)),
                "expires_in": .integer(browser.sessions.secondsLeft(of: listed)),
            ])
        }
        return .json(["sessions": .array(entries)])
    }
}

/// The endpoint that signs the user out of this service, and names the page that signs the user out of the issuer.
///
/// `POST` ends the session, revokes its refresh token, and removes the cookie. A script gets `{"end_session_url"}`, or `{}` for an
/// issuer without such a page, and sets the window's address to it; a form is redirected there, or to the landing page.
/// (OpenID Connect RP-Initiated Logout section 2)
public struct BrowserLogout: BrowserEndpoint {
    let browser: BrowserSignIn

    /// POST.
    public var methods: [HTTPRequest.Method] { [.post] }
    /// 1 KiB, which is not read.
    public var maximumBodyBytes: Int { 1024 }

    /// Ends the session.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await browser.answer(request, methods: methods) { session async throws(StorageFailure) in
            let url = await browser.sessions.endSessionURL(
                of: session,
                returningTo: browser.postLogoutRedirectURI
            )
            try await browser.sessions.end(session)
            let ended = browser.cookies.endedSessionField()
            guard request.fields[.secFetchMode] != "navigate" else {
                return BrowserPage.redirect(to: url?.absoluteString ?? browser.landing.text, [ended])
            }
            var members = JSONObject()
            members["end_session_url"] = url.map { .string($0.absoluteString) }
            return .json(members, fields: HTTPFields([ended]))
        }
    }
}

extension BrowserSignIn {
    /// Answers a request with a session, its preflight, and one without a session.
    fileprivate func answer(
        _ request: ServerRequest,
        methods: [HTTPRequest.Method],
        _ body: (ServerSession) async throws(StorageFailure) -> ServerResponse
    ) async -> ServerResponse {
        guard request.method != .options else { return preflight(request, methods: methods) }
        do throws(BrowserRefusal) {
            let session = try await session(of: request)
            var response: ServerResponse
            do throws(StorageFailure) {
                response = try await body(session)
            } catch {
                throw BrowserRefusal(.storeUnavailable(error), adding: sharing(with: request))
            }
            response.fields = response.fields.adding(sharing(with: request))
            return response
        } catch {
            return error.response
        }
    }

    /// The browser's own session has ended.
    fileprivate var ended: ServerResponse {
        ServerResponse(
            status: .noContent,
            fields: HTTPFields([cookies.endedSessionField()]).adding([.cacheControl: "no-store"])
        )
    }
}

extension ServerSessions {
    /// The time after which a session ends, however it is used, in whole seconds.
    fileprivate func secondsLeft(of session: ServerSession) -> Int {
        max(0, Int(session.expiry.timeIntervalSince(clock.now())))
    }
}
