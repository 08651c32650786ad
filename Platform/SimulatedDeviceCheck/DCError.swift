import Foundation

public let DCErrorDomain = "com.apple.devicecheck.error"

public struct DCError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case unknownSystemFailure = 0, featureUnsupported = 1, invalidInput = 2, invalidKey = 3, serverUnavailable = 4
    }

    public let code: Code
    public init(_ code: Code) { self.code = code }

    public static var featureUnsupported: Code { .featureUnsupported }
    public static var invalidInput: Code { .invalidInput }
    public static var invalidKey: Code { .invalidKey }
    public static var serverUnavailable: Code { .serverUnavailable }
    public static var unknownSystemFailure: Code { .unknownSystemFailure }
    public static var errorDomain: String { DCErrorDomain }
    public var errorCode: Int { code.rawValue }
}
