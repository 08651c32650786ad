public import OstiaryOAuth

/// The reason that a request was not served, for the operator's logs and metrics.
///
/// It is never sent.
public struct RefusalReason: Sendable, Hashable {
    /// The party that can resolve the problem.
    public enum Concern: String, Sendable, Hashable, CaseIterable {
        /// The client that sent the request.
        case client
        /// The operator of the backend, or one of its dependencies.
        case `operator`
    }

    /// The failed check: one of a few words in lower case, for metrics and alerts.
    public let name: String
    /// The value that was found and the next step; never a secret.
    ///
    /// `nil` when the name is sufficient.
    public let detail: String?
    /// The party that can resolve the problem.
    public let concern: Concern

    /// Makes a reason.
    ///
    /// - Parameters:
    ///   - name: One of a few words: it becomes a label of metrics.
    ///   - detail: A sentence, without secrets.
    ///   - concern: The party that can resolve the problem. Default: the client.
    public init(_ name: String, detail: String? = nil, concern: Concern = .client) {
        self.name = name
        self.detail = detail
        self.concern = concern
    }

    /// The reason of a failed sign-in or refresh: its stage and cause, the values that a check compared, and the next
    /// step.
    public init(_ error: SignInError) {
        var sentences = [error.message]
        if case .mismatch = error.reason, let evidence = error.evidence {
            sentences.append("Expected: \(evidence.expected ?? "-"); found: \(evidence.found ?? "-").")
        }
        if let hint = error.hint { sentences.append(hint) }
        if let id = error.requestID { sentences.append("The server's request: \(id).") }
        self.init(
            "\(error.stage.rawValue)_\(error.reason.name)",
            detail: sentences.joined(separator: " "),
            concern: error.isOfClient ? .client : .operator
        )
    }

    /// The reason of an unavailable store.
    public init(_ failure: StorageFailure) { self.init("store_\(failure)", concern: .operator) }
}

extension SignInError {
    /// Whether the client sent the invalid value.
    fileprivate var isOfClient: Bool {
        switch reason {
        case .mismatch, .malformed: stage == .redirect
        case .signInRequired, .cancelled: true
        default: false
        }
    }

    /// A cause that the operator of the backend can resolve.
    fileprivate var hint: String? {
        switch reason {
        case .refused(let error):
            switch error.code {
            case .invalidClient, .unauthorizedClient:
                "Compare the client identifier, the client secret and the authentication method with "
                    + "the client's registration."
            case .invalidGrant where stage == .token:
                "A code is valid once, for a short time, and for its own redirect URI: "
                    + "compare that URI with the client's registration."
            case .invalidScope: "Compare the scopes with those that the client may request."
            default: nil
            }
        case .transport(.tls): "Check the server's certificate, and the authorities that this machine trusts."
        case .transport(.unknownHost): "Check the issuer's host name, and this machine's resolver."
        case .mismatch(.metadataIssuer): "Write the issuer exactly as its metadata does, including a trailing slash."
        case .mismatch(.issuedAt), .mismatch(.notBefore), .mismatch(.expiry): "Compare the clocks of both machines."
        default: nil
        }
    }
}

extension SignInError.Reason {
    /// One of a few words, whatever a server sends.
    var name: String {
        switch self {
        case .cancelled: "cancelled"
        case .timedOut: "timed_out"
        case .refused(let error) where OAuthError.Code.known.contains(error.code): error.code.rawValue
        case .refused: "refused"
        case .server(let status): (100..<600).contains(status) ? "status_\(status)" : "status"
        case .mismatch(let check): "mismatch_\(check.rawValue)"
        case .malformed: "malformed"
        case .transport(let failure): failure.rawValue
        case .unsupported: "unsupported"
        case .configuration: "configuration"
        case .signInRequired: "sign_in_required"
        case .storage(let failure): "store_\(failure)"
        default: "other"
        }
    }
}

extension OAuthError.Code {
    /// The codes that may become a label; a server's own codes are unbounded.
    fileprivate static let known: Set<Self> = [
        .accessDenied, .invalidClient, .invalidGrant, .invalidRequest, .invalidScope, .invalidToken, .serverError,
        .temporarilyUnavailable, .unauthorizedClient,
    ]
}
