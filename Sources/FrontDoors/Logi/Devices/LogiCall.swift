import HTTPTypes
import Ostiary
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request to the vendor's `/api/v1`, with JSON in both directions.
struct LogiCall: Exchange {
    let stage: SignInError.Stage
    let url: URL
    var method: HTTPRequest.Method = .post
    var bearer: Secret?
    var body: JSONObject?

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var fields: HTTPFields = [.accept: "application/json"]
        if let bearer {
            let token = bearer.reveal()
            guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw SignInError(stage, .configuration("The access key has characters that no key has."))
            }
            fields[.authorization] = "Bearer " + token
        }
        return EndpointRequest(
            url: url,
            method: method,
            fields: fields,
            content: body.map { EndpointRequest.Content(mediaType: "application/json", bytes: $0.encoded()) },
            limits: EndpointRequest.Limits(maximumBodyBytes: 65_536, deadline: .seconds(15))
        )
    }

    func output(from response: EndpointResponse) throws(SignInError) -> LogiAnswer {
        let limits = JSONLimits(maximumBytes: 65_536, maximumDepth: 8)
        let object =
            response.mediaType == "application/json" ? try? JSONObject(parsing: response.body, limits: limits) : nil
        let named = HTTPField.Name("X-Request-Id").flatMap { response.fields[$0] } ?? object?["request_id"]?.string
        return LogiAnswer(
            stage: stage,
            status: response.status,
            object: object,
            retryAfter: response.retryAfter,
            requestID: named.flatMap { id in
                (1...100).contains(id.utf8.count) && id.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? id : nil
            }
        )
    }
}

/// A response of the vendor's `/api/v1`.
struct LogiAnswer: Sendable {
    let stage: SignInError.Stage
    let status: HTTPResponse.Status
    let object: JSONObject?
    let retryAfter: Duration?
    let requestID: String?

    /// The JSON of a success.
    ///
    /// - Throws: `refused` with the vendor's code, `server` without one, `malformed` for a success without JSON.
    func success() throws(SignInError) -> JSONObject {
        guard status.kind == .successful else { throw failure }
        guard let object else {
            throw SignInError(stage, .malformed("the response is not a JSON object"), requestID: requestID)
        }
        return object
    }

    var failure: SignInError {
        let reason: SignInError.Reason =
            if let code = object?["error"]?.string, !code.isEmpty {
                .refused(
                    OAuthError(
                        code: OAuthError.Code(rawValue: code),
                        description: object?["error_description"]?.string,
                        uri: object?["error_uri"]?.string
                    )
                )
            } else {
                .server(status: status.code)
            }
        return SignInError(stage, reason, retryAfter: retryAfter, requestID: requestID)
    }
}

extension JSONObject {
    /// Returns a required text, which must not be empty.
    func text(_ name: String, at stage: SignInError.Stage) throws(SignInError) -> String {
        guard let text = self[name]?.string, !text.isEmpty else { throw SignInError(stage, .malformed(name)) }
        return text
    }

    /// Returns a required whole number.
    func number(_ name: String, at stage: SignInError.Stage) throws(SignInError) -> Int {
        guard let number = self[name]?.integer else { throw SignInError(stage, .malformed(name)) }
        return number
    }
}

extension Logi {
    /// Sends one request to the vendor's `/api/v1`.
    func call(
        _ path: String,
        method: HTTPRequest.Method = .post,
        body: JSONObject? = nil,
        bearer: Secret? = nil,
        at stage: SignInError.Stage
    ) async throws(SignInError) -> LogiAnswer {
        guard let url = LogiPreset.url(path, below: configuration.issuer) else {
            throw SignInError(stage, .configuration("The issuer is not a URL that a path can be added to."))
        }
        let call = LogiCall(stage: stage, url: url, method: method, bearer: bearer, body: body)
        return try await transport.perform(call, in: context)
    }
}
