import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY
import OstiaryZephr

/// An error of a front door with its own description.
protocol FrontDoorFailure: Error, CustomStringConvertible {
    var status: ExitStatus { get }
    var name: String { get }
    var recovery: SignInError.Recovery { get }
}

extension VerificationError: FrontDoorFailure {
    var status: ExitStatus {
        switch reason {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .mismatch: .refusedForSecurity
        case .configuration, .presentationFailed: .configuration
        case .storage: .storage
        case .unavailable, .rateLimited, .refused, .tokenInvalid, .forbidden, .conflict, .invalidAnswer, .missingCode:
            .server
        default: .other
        }
    }

    var name: String { Self.name(of: reason) }

    private static func name(of reason: Reason) -> String {
        String("\(reason)".prefix { $0 != "(" })
    }
}

extension ZephrError: FrontDoorFailure {
    var status: ExitStatus {
        switch reason {
        case .cancelled, .refused: .cancelled
        case .timedOut: .timedOut
        case .mismatch, .illegalOutcome, .untrustedPage, .sessionNotConfirmed, .otherAccount: .refusedForSecurity
        case .configuration, .presentationFailed, .unknownProvider, .providerNotConfigured: .configuration
        case .storage: .storage
        case .sessionExpired: .signInRequired
        case .transport: .network
        case .server, .malformed, .rateLimited, .badRequest: .server
        default: .other
        }
    }

    var name: String { String("\(reason)".prefix { $0 != "(" }) }
}
