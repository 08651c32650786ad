import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

/// The endpoint to which the user's browser posts an issuer's authorization response, and which redirects to the app.
/// (OAuth 2.0 Form Post Response Mode section 2)
///
/// The post comes from a page of the issuer, without cookies, so its sender is unknown, and the endpoint trusts nothing
/// in it: it seals the response and redirects to the app's redirect URI with the sealed response as `code`, and with
/// `state`. The app sends both to ``BackendSignIn/finish``, which opens the response and makes every check. An issuer's
/// error is passed to the app unchanged.
///
/// It stores nothing, so a page that is reloaded gets another redirect to the same response.
public struct SignInResponse: ServerEndpoint {
    let sessions: ServerSessions
    /// The app's redirect URI.
    let app: RedirectURI
    let limit: RateLimit
    let store: any BackendSignIn.Store

    /// 16 KiB.
    public var maximumBodyBytes: Int { 16_384 }

    /// Redirects to the app with status 303, and rejects any other request than an authorization response with 400.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        do throws(SessionRefusal) {
            let sender = StoreDigest("sign-in responses", [request.sender ?? ""])
            if let wait = try await sessions.wait(limit, for: sender, in: store) {
                return page(
                    .tooManyRequests,
                    "Too many sign-ins. Wait a minute, then start again in the app.",
                    [.retryAfter: wait.retryAfter]
                )
                .because(RefusalReason("limited", detail: "One client address sends too many requests."))
            }
        } catch {
            return unavailable.because(error.reason.logged)
        }
        guard request.mediaType == "application/x-www-form-urlencoded", let form = Self.form(request.body),
            let state = form[.state], (1...512).contains(state.utf8.count),
            form[.code] == nil || form[.error] == nil
        else { return unreadable }
        var answer = Parameters()
        if let code = form[.error] {
            guard let error = Self.error(code, form) else { return unreadable }
            answer[.error] = error.code.rawValue
            answer[.errorDescription] = error.description
            answer[.issuer] = form[.issuer]
        } else {
            guard let posted = PostedResponse(form) else { return unreadable }
            do throws(StorageFailure) {
                answer[.code] = try posted.reference(state: state, sealing: sessions.sealing)
            } catch {
                return unavailable.because(RefusalReason(error))
            }
        }
        answer[.state] = state
        let base = app.description
        let place = base + (base.contains("?") ? "&" : "?") + FormURLEncoding.encode(answer)
        return ServerResponse(
            status: .seeOther,
            fields: [.location: place, .cacheControl: "no-store", .referrerPolicy: "no-referrer"]
        )
    }

    /// The parameters of an authorization response; each of them may occur once. (RFC 6749 sections 3.1 and 4.1.2, RFC 9207
    /// section 2, Sign in with Apple: `user`)
    private static let names: [Parameters.Name] = [
        .code, .state, .issuer, .error, .errorDescription, .errorURI, .user,
    ]
    /// Tokens that the library never requests in an authorization response. (RFC 9700 section 2.1.2)
    private static let tokens: [Parameters.Name] = ["response", "id_token", "access_token", "token"]

    /// Reads a body; `nil` when it is not a form, repeats a parameter, or contains a token.
    private static func form(_ body: [UInt8]) -> Parameters? {
        guard let text = String(utf8: body),
            let form = FormURLEncoding.decode(text, maximumBytes: 16_384, maximumPairs: 32),
            names.allSatisfy({ form.values(of: $0).count < 2 }), tokens.allSatisfy({ form[$0] == nil })
        else { return nil }
        return form
    }

    /// The issuer's error; `nil` for a code outside the characters of RFC 6749 section 4.1.2.1, or one that is too long.
    private static func error(_ code: String, _ form: Parameters) -> OAuthError? {
        func isAllowed(_ text: String, upTo length: Int) -> Bool {
            (1...length).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        guard isAllowed(code, upTo: 128), (form[.issuer]?.utf8.count ?? 0) <= 512 else { return nil }
        let description = form[.errorDescription].flatMap { isAllowed($0, upTo: 512) ? $0 : nil }
        return OAuthError(code: .init(rawValue: code), description: description)
    }

    private var unreadable: ServerResponse {
        page(.badRequest, "This page is not the response to a sign-in. Go back to the app and start again.")
            .because(RefusalReason("authorization_response"))
    }

    private var unavailable: ServerResponse {
        page(
            .serviceUnavailable,
            "Signing in is not possible right now. Reload this page in a moment.",
            [.retryAfter: "1"]
        )
    }

    /// A sentence for the user, who sees it in the browser.
    private func page(
        _ status: HTTPResponse.Status,
        _ sentence: String,
        _ fields: HTTPFields = [:]
    ) -> ServerResponse {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return ServerResponse(status: status, fields: fields, body: Array((sentence + "\n").utf8))
    }
}

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    static let referrerPolicy = Self("Referrer-Policy")!
}
