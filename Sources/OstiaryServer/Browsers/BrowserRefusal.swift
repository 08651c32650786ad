import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

/// The rejection of a browser's request without a session, with its response.
public struct BrowserRefusal: Error, Sendable, Hashable {
    /// The cause.
    public enum Reason: Sendable, Hashable {
        /// The request has no session's cookie, or more than one.
        case noSession
        /// The session has ended, or the handle belongs to an app's session, which needs a key.
        case ended
        /// A page that is not one of the service's own caused the request.
        case foreignPage
        /// The store could not be read.
        case storeUnavailable(StorageFailure)
    }

    /// The cause.
    public let reason: Reason
    /// 401, 403 or 503, as JSON.
    public let response: ServerResponse

    /// The refusal of a request whose session turned out to have ended.
    public static let ended = BrowserRefusal(.ended)

    init(_ reason: Reason, adding fields: HTTPFields = [:]) {
        self.reason = reason
        response =
            switch reason {
            case .noSession, .ended:
                .json(
                    ["error": "sign_in_required"],
                    status: .unauthorized,
                    fields: fields.adding([.wwwAuthenticate: "Cookie realm=\"sign-in\""])
                )
                .because(RefusalReason(reason == .noSession ? "browser_no_session" : "session_ended"))
            case .foreignPage:
                .json(["error": "access_denied"], status: .forbidden, fields: fields).because(
                    RefusalReason(
                        "browser_origin",
                        detail:
                            "A page of another origin sent this request. "
                            + "Name its origin among those of the sign-in if it is one of yours."
                    )
                )
            case .storeUnavailable(let failure):
                .json(
                    ["error": "temporarily_unavailable"],
                    status: .serviceUnavailable,
                    fields: fields.adding([.retryAfter: "1"])
                )
                .because(RefusalReason(failure))
            }
    }
}

/// A sentence for the user, who sees it in the browser.
enum BrowserPage {
    static func response(
        _ status: HTTPResponse.Status,
        _ sentence: String,
        _ fields: HTTPFields = [:],
        because reason: RefusalReason
    ) -> ServerResponse {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return ServerResponse(status: status, fields: fields, body: Array((sentence + "\n").utf8), reason: reason)
    }

    /// A redirect by GET, without a referrer.
    static func redirect(to place: String, _ fields: [HTTPField] = []) -> ServerResponse {
        var all: HTTPFields = [.location: place, .cacheControl: "no-store", .referrerPolicy: "no-referrer"]
        for field in fields { all.append(field) }
        return ServerResponse(status: .seeOther, fields: all)
    }

    static let unavailable = "Signing in is not possible right now. Reload this page in a moment."
}
