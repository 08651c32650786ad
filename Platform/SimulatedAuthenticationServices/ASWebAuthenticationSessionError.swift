import Foundation

public let ASWebAuthenticationSessionErrorDomain = "com.apple.AuthenticationServices.WebAuthenticationSession"

/// documentation/authenticationservices/aswebauthenticationsessionerror
public struct ASWebAuthenticationSessionError: CustomNSError, Sendable {
    public enum Code: Int, Sendable, Equatable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public let code: Code
    let reason: String?

    init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }

    public static var errorDomain: String { ASWebAuthenticationSessionErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { reason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:] }
    public static var canceledLogin: Code { .canceledLogin }
    public static var presentationContextNotProvided: Code { .presentationContextNotProvided }
    public static var presentationContextInvalid: Code { .presentationContextInvalid }
}

/// `case ASWebAuthenticationSessionError.canceledLogin = error`
public func ~= (code: ASWebAuthenticationSessionError.Code, error: any Error) -> Bool {
    (error as? ASWebAuthenticationSessionError)?.code == code
}
