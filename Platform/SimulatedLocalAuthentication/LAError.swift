import Foundation

public let LAErrorDomain = "com.apple.LocalAuthentication"

public struct LAError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1, userCancel = -2, userFallback = -3, systemCancel = -4, passcodeNotSet = -5
        case biometryNotAvailable = -6, biometryNotEnrolled = -7, biometryLockout = -8
        case appCancel = -9, invalidContext = -10, notInteractive = -1004
    }
    public let code: Code
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { LAErrorDomain }
    public var errorCode: Int { code.rawValue }
}
