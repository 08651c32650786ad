import HTTPTypes
import OstiaryJOSE

extension EndpointResponse {
    /// The error that a response with a failure status means: an OAuth error in its body (RFC 6749 section 5.2), an
    /// error in another form that servers send, an error in `WWW-Authenticate` (RFC 6750 section 3), or the status
    /// alone.
    ///
    /// A resource server's challenge takes precedence over its body, which need not be an OAuth error.
    public func failure(at stage: SignInError.Stage) -> SignInError {
        let body = (try? jsonObject(at: stage)).flatMap { ErrorMembers($0, isOtherwiseEmpty: true) }
        return error(at: stage, reason: reason(body, at: stage), words: body?.words)
    }

    /// The error in the body of a response with a success status; `nil` for none.
    ///
    /// `expected` are members that were requested. If one of them is present, only `error` and `"ok": false` are an
    /// error; otherwise `errorCode` and `errorSummary` are as well.
    func refusal(in object: JSONObject, expecting expected: [String], at stage: SignInError.Stage) -> SignInError? {
        let isOtherwiseEmpty = expected.allSatisfy { object[$0] == nil }
        guard let body = ErrorMembers(object, isOtherwiseEmpty: isOtherwiseEmpty) else { return nil }
        return error(at: stage, reason: body.error(status: status).map { .refused($0) }, words: body.words)
    }

    /// The JSON object of a response with a success status.
    ///
    /// - Throws: The errors of ``jsonObject(at:mediaTypes:limits:)``, and the error that the object holds.
    func answer(expecting expected: [String], at stage: SignInError.Stage) throws(SignInError) -> JSONObject {
        let object = try jsonObject(at: stage)
        if let refusal = refusal(in: object, expecting: expected, at: stage) { throw refusal }
        return object
    }

    /// Every OAuth error code of a failure, in its body and in its challenges.
    var errorCodes: Set<OAuthError.Code> {
        var codes = Set(AuthenticateChallenge.list(in: fields).compactMap { $0.error?.code })
        let body = (try? jsonObject(at: .token)).flatMap { ErrorMembers($0, isOtherwiseEmpty: true) }
        if let code = body?.code { codes.insert(OAuthError.Code(rawValue: code)) }
        return codes
    }

    private func reason(_ body: ErrorMembers?, at stage: SignInError.Stage) -> SignInError.Reason? {
        let challenge = AuthenticateChallenge.list(in: fields).lazy.compactMap(\.error).first?.inconclusive
        if [.resource, .userInfo].contains(stage), let challenge { return .refused(challenge) }
        // A server error without an OAuth error means what its status means: the next request may succeed.
        if let body, body.isStandard || !status.isOfBusyServer, let error = body.error(status: status) {
            return .refused(error)
        }
        return challenge.map { .refused($0) }
    }

    private func error(at stage: SignInError.Stage, reason: SignInError.Reason?, words: String?) -> SignInError {
        var error = SignInError(
            stage,
            reason ?? .server(status: status.code),
            retryAfter: retryAfter,
            requestID: requestID
        )
        if reason == nil { error.serverMessage = words.map(OAuthError.printable) }
        return error
    }

    /// The server's identifier of this request; `nil` when it is not a short line of printable ASCII.
    private var requestID: String? {
        let body = (try? jsonObject(at: .token))?["request_id"]?.string
        guard let id = fields[.xRequestID] ?? body, (1...100).contains(id.utf8.count),
            id.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        return id
    }
}

extension ErrorMembers {
    /// The error, if the server named a code.
    fileprivate func error(status: HTTPResponse.Status) -> OAuthError? {
        guard let code else { return nil }
        var error = OAuthError(code: .init(rawValue: code), description: words, uri: uri)
        error.interval = interval
        guard isStandard, status.kind == .clientError else { return error.inconclusive }
        return error
    }
}

extension OAuthError {
    /// The error without consequences for a session, since it is not an error response of RFC 6749 section 5.2.
    fileprivate var inconclusive: OAuthError {
        guard code == .invalidGrant else { return self }
        var error = self
        error.consequence = .none
        return error
    }
}

extension HTTPField.Name {
    /// `X-Request-Id`, which no RFC defines and many servers send.
    fileprivate static let xRequestID = Self("X-Request-Id") ?? .date
}
