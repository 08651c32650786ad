import HTTPTypes
import OstiarySSAFY
import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Requests a token of the server API, with JSON in both directions.
struct SSAFYAPITokenRequest: Exchange {
    let configuration: SSAFYServerConfiguration
    let scope: String

    var stage: SignInError.Stage { .token }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = configuration.url(below: "/v1/server/token"), let secret = configuration.clientSecret else {
            throw SignInError(.token, .unsupported("a token_endpoint"))
        }
        let body: JSONObject = [
            "grant_type": "client_credentials", "client_id": .string(configuration.clientID),
            "client_secret": .string(secret.reveal()), "scope": .string(scope),
        ]
        return EndpointRequest(
            url: url,
            method: .post,
            fields: [.accept: "application/json", .cacheControl: "no-store"],
            content: EndpointRequest.Content(mediaType: "application/json", bytes: body.encoded())
        )
    }

    func output(from response: EndpointResponse) throws(SignInError) -> (value: Secret, lifetime: Double) {
        let object = try response.enveloped(at: .token)
        guard let token = object["access_token"]?.string, !token.isEmpty else {
            throw SignInError(.token, .malformed("the response's access_token"))
        }
        guard object["token_type"]?.string?.lowercased() == "bearer" else {
            throw SignInError(.token, .mismatch(.tokenType))
        }
        return (Secret(token), object["expires_in"]?.number.map { min(max($0, 0), 86_400) } ?? 600)
    }
}

/// One call of the server API.
struct SSAFYAPIExchange: Exchange {
    let url: URL
    let method: HTTPRequest.Method
    let body: JSONObject?
    let token: Secret

    var stage: SignInError.Stage { .userInfo }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        EndpointRequest(
            url: url,
            method: method,
            fields: [.accept: "application/json", .authorization: "Bearer " + token.reveal()],
            content: body.map { EndpointRequest.Content(mediaType: "application/json", bytes: $0.encoded()) },
            limits: EndpointRequest.Limits(maximumBodyBytes: 1_048_576)
        )
    }

    /// The API's response.
    enum Answer: Sendable {
        case found(JSONObject)
        /// Status 404, and the refusal that it stands for.
        case missing(SignInError)
    }

    func output(from response: EndpointResponse) throws(SignInError) -> Answer {
        do throws(SignInError) {
            return .found(try response.enveloped(at: .userInfo))
        } catch {
            guard response.status == .notFound else { throw error }
            return .missing(error)
        }
    }
}

extension EndpointResponse {
    /// The `data` of an envelope, or the object itself where there is no envelope.
    ///
    /// - Throws: `server` for a failure that may be retried, `refused` with the service's code for one that may not,
    ///   `malformed`.
    fileprivate func enveloped(at stage: SignInError.Stage) throws(SignInError) -> JSONObject {
        let isSuccess = status.kind == .successful
        // 500 profiles with more members than the service documents.
        let limits = JSONLimits(maximumBytes: 1_048_576, maximumMembers: 50_000)
        let object = isSuccess ? try jsonObject(at: stage, limits: limits) : JSONObject()
        guard isSuccess, object["ok"] != false else {
            let refusal = SSAFYServiceRefusal(self)
            let mayBeRepeated = status == .unauthorized || status == .tooManyRequests || status.kind == .serverError
            let reason: SignInError.Reason =
                if !mayBeRepeated, let code = refusal.code {
                    .refused(OAuthError(code: OAuthError.Code(rawValue: code.rawValue)))
                } else {
                    .server(status: status.code)
                }
            throw SignInError(stage, reason, retryAfter: retryAfter, requestID: refusal.requestID?.rawValue)
        }
        return object["data"]?.object ?? object
    }
}
