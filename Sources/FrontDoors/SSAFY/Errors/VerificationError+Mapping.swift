import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension VerificationError.Reason {
    /// Makes the reason for a code, or for the status of a backend's response if the code decides nothing.
    init(_ code: VerificationErrorCode?, status: Int?) {
        switch code {
        case .cancelled, .consentDenied, .popupClosed: self = .cancelled
        case .callbackTimeout: self = .timedOut
        case .popupFailed, .popupBlocked: self = .presentationFailed
        case .rateLimited: self = .rateLimited
        case .tokenInvalid: self = .tokenInvalid
        case .callbackIssuerMismatch: self = .mismatch(.issuer)
        case .redirectURIMismatch, .redirectOriginMismatch: self = .mismatch(.redirectURI)
        case .stateMismatch: self = .mismatch(.state)
        case .requestForbidden: self = .forbidden
        case .emailLoginRequired, .memberConflict: self = .conflict
        case .tokenFailed, .networkFailed: self = .unavailable
        default:
            switch status {
            case 403: self = .forbidden
            case 409: self = .conflict
            case 429: self = .rateLimited
            case .some(500...): self = .unavailable
            default: self = .refused
            }
        }
    }
}

extension VerificationError {
    /// An error in the developer's settings.
    init(configuring error: SignInError) { self.init(.configuration(error.message)) }

    /// Makes the error for a failure before the code was received.
    ///
    /// `redirect` is the callback, if one came; its URI has been checked, and its `state` if the error concerns a later
    /// check.
    init(_ error: SignInError, redirect: AuthorizationRedirect?) {
        switch error.reason {
        case .cancelled: self.init(.cancelled)
        case .timedOut: self.init(.timedOut, code: .callbackTimeout)
        case .mismatch(.state): self.init(.mismatch(.state), code: .stateMismatch)
        case .mismatch(.issuer): self.init(.mismatch(.issuer), code: .callbackIssuerMismatch)
        case .mismatch(let check): self.init(.mismatch(check))
        case .refused: self.init(callback: redirect)
        case .malformed where redirect?.contains([.errorCode]) == true: self.init(callback: redirect)
        case .malformed: self.init(.missingCode)
        case .presentation(.associatedDomainMissing): self.init(.configuration(error.message))
        case .presentation: self.init(.presentationFailed, code: .popupFailed)
        case .configuration(let sentence): self.init(.configuration(sentence))
        case .unsupported(let feature): self.init(.configuration("There is no \(feature)."))
        case .storage(let failure): self.init(.storage(failure))
        default: self.init(.unavailable)
        }
    }

    /// The error that a callback carries.
    ///
    /// Without a code that matches its pattern it counts as given up, as it does for the service's own web client.
    private init(callback redirect: AuthorizationRedirect?) {
        let code = redirect?.single(.errorCode).flatMap(VerificationErrorCode.init) ?? .cancelled
        self.init(
            Reason(code, status: nil),
            code: code,
            requestID: redirect?.single(.requestID).flatMap(VerificationRequestID.init)
        )
    }
}

extension Parameters.Name {
    /// `error_code`, the service's own code beside `error`.
    static let errorCode: Self = "error_code"
    /// `request_id`.
    static let requestID: Self = "request_id"
}
