import Foundation
import Ostiary
import OstiaryOAuth

extension SignInError {
    /// The error in AppAuth's domains and codes, with this error as `NSUnderlyingErrorKey`.
    var appAuthError: NSError {
        var information = OIDErrorUtilities.information(message, underlying: self)
        if case .refused(let refusal) = reason {
            var fields = [OIDOAuthErrorFieldError: refusal.code.rawValue]
            fields[OIDOAuthErrorFieldErrorDescription] = refusal.description
            fields[OIDOAuthErrorFieldErrorURI] = refusal.uri
            information[OIDOAuthErrorResponseErrorKey] = fields
        }
        let (domain, code) = appAuthPlace
        return NSError(domain: domain, code: code, userInfo: information)
    }

    private var appAuthPlace: (String, Int) {
        func general(_ code: OIDErrorCode) -> (String, Int) { (OIDGeneralErrorDomain, code.rawValue) }
        switch reason {
        case .cancelled:
            return general(Task.isCancelled ? .programCanceledAuthorizationFlow : .userCanceledAuthorizationFlow)
        case .timedOut: return general(.programCanceledAuthorizationFlow)
        case .refused(let refusal):
            return (oauthDomain, OIDErrorUtilities.oAuthErrorCode(from: refusal.code.rawValue).rawValue)
        case .server: return general(stage == .discovery ? .networkError : .serverError)
        case .transport: return general(.networkError)
        case .mismatch(let check): return mismatchPlace(check)
        case .malformed(let part): return malformedPlace(part)
        case .unsupported: return general(.invalidDiscoveryDocument)
        case .signInRequired, .keyLost, .stepUpRequired, .storage: return general(.tokenRefreshError)
        case .presentation, .alreadyInProgress: return general(.ofPresentation)
        case .configuration: return configurationPlace
        @unknown default: return general(.invalidAuthorizationFlow)
        }
    }

    private var oauthDomain: String {
        switch stage {
        case .registration: OIDOAuthRegistrationErrorDomain
        case .authorization, .redirect, .endSession: OIDOAuthAuthorizationErrorDomain
        default: OIDOAuthTokenErrorDomain
        }
    }

    private func mismatchPlace(_ check: Check) -> (String, Int) {
        switch (stage, check) {
        case (.discovery, _): (OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue)
        case (.registration, _): (OIDGeneralErrorDomain, OIDErrorCode.registrationResponseConstructionError.rawValue)
        case (.redirect, .redirectURI), (.endSession, .redirectURI):
            (OIDGeneralErrorDomain, OIDErrorCode.urlMismatch.rawValue)
        case (.redirect, _), (.endSession, _):
            (OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
        case (.token, _), (.refresh, _):
            (OIDGeneralErrorDomain, OIDErrorCode.tokenResponseConstructionError.rawValue)
        default: (OIDGeneralErrorDomain, OIDErrorCode.idTokenFailedValidationError.rawValue)
        }
    }

    private func malformedPlace(_ part: String) -> (String, Int) {
        // The library's own words for a body that is not a JSON object.
        let isNoJSON = part.hasPrefix("the JSON ") || part.hasPrefix("the media type ")
        let code: OIDErrorCode =
            switch stage {
            case .discovery: .networkError
            case .redirect, .authorization, .endSession: .invalidAuthorizationFlow
            case .identity: .idTokenParsingError
            case .keys: .idTokenFailedValidationError
            case .registration: isNoJSON ? .jsonDeserializationError : .registrationResponseConstructionError
            default: isNoJSON ? .jsonDeserializationError : .tokenResponseConstructionError
            }
        guard code == .invalidAuthorizationFlow else { return (OIDGeneralErrorDomain, code.rawValue) }
        return (OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
    }

    private var configurationPlace: (String, Int) {
        switch stage {
        case .discovery: (OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue)
        case .registration: (OIDOAuthRegistrationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
        case .authorization, .redirect, .endSession:
            (OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
        default: (OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
        }
    }
}

extension OIDErrorCode {
    /// The code for a page that could not be presented on this platform.
    static var ofPresentation: OIDErrorCode {
        #if os(macOS) || os(Linux)
            .browserOpenError
        #else
            .safariOpenError
        #endif
    }
}

extension Error {
    /// Whether the grant has ended: the server refused it for good, or an app reports an OAuth error of its own making.
    ///
    /// A failure that may pass, such as `temporarily_unavailable`, ends nothing, although its domain is that of OAuth
    /// errors.
    func endsGrant(in domain: String) -> Bool {
        let error = self as NSError
        guard error.domain == domain else { return false }
        guard let cause = error.userInfo[NSUnderlyingErrorKey] as? SignInError else { return true }
        return domain == OIDOAuthAuthorizationErrorDomain || cause.endsSession
    }
}
