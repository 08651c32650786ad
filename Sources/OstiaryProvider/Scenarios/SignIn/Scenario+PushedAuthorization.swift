import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Faults of pushed authorization requests (RFC 9126) and resource indicators (RFC 8707).
extension Scenario {
    /// The response to a pushed request has the status 200 instead of 201.
    public static let pushedWithOK = pushed("par-status-200") { $0.status = .ok }
    /// The response to a pushed request is a page, with the status 400.
    public static let pushedWithPage = pushed("par-html-error") { response in
        response.status = .badRequest
        response.fields[.contentType] = "text/html; charset=utf-8"
        response.content = .bytes(Array("<!DOCTYPE html><title>Bad Request</title>".utf8))
    }
    /// A pushed request is refused, in the words of RFC 9126 section 2.3.
    public static let pushedRefused = pushed("par-invalid-request") { response in
        response = .json(["error": "invalid_request", "error_description": "No."], status: .badRequest)
    }
    /// The response to a pushed request has no `request_uri`.
    public static let missingRequestURI = pushedAnswer("par-missing-request-uri") { $0["request_uri"] = nil }
    /// The response to a pushed request has an empty `request_uri`.
    public static let emptyRequestURI = pushedAnswer("par-empty-request-uri") { $0["request_uri"] = "" }
    /// The response to a pushed request has no `expires_in`.
    public static let missingRequestLifetime = pushedAnswer("par-missing-expires-in") { $0["expires_in"] = nil }
    /// The pushed request ends at once.
    public static let zeroRequestLifetime = pushedAnswer("par-zero-expires-in") { $0["expires_in"] = 0 }
    /// The pushed request ended before it was pushed.
    public static let negativeRequestLifetime = pushedAnswer("par-negative-expires-in") { $0["expires_in"] = -1 }
    /// The token endpoint knows none of the resources.
    public static let invalidTarget = Scenario(name: "invalid-target") {
        $0.response = { request, response in
            guard request.path.hasSuffix(Route.token.rawValue) else { return }
            response = .json(["error": "invalid_target"], status: .badRequest)
        }
    }

    private static func pushedAnswer(
        _ name: String,
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> Scenario {
        Scenario(name: name) { $0.pushedAuthorization = change }
    }

    private static func pushed(
        _ name: String,
        _ change: @escaping @Sendable (inout ProviderResponse) -> Void
    ) -> Scenario {
        Scenario(name: name) {
            $0.response = { request, response in
                if request.path.hasSuffix(Route.pushedAuthorization.rawValue) { change(&response) }
            }
        }
    }
}
