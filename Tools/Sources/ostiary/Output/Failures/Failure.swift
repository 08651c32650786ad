import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

/// The reason a command failed, for programs and for the user.
struct Failure {
    let status: ExitStatus
    private let stage: SignInError.Stage?
    private let reason: String
    private let check: SignInError.Check?
    private let code: OAuthError.Code?
    private var message: String
    private let recovery: SignInError.Recovery
    private var advice: String?
    /// The store's own description of the problem.
    private let problem: String?

    /// A failure of a sign-in or of a session.
    ///
    /// `store` is the store of the session, which the message names. `problem` is the store's own description of the
    /// problem. `login` is the command line for a next sign-in.
    init(
        _ error: SignInError,
        in store: StoreLocation? = nil,
        because problem: String? = nil,
        login: LoginLine = LoginLine()
    ) {
        status = ExitStatus(of: error)
        stage = error.stage
        reason = error.reason.name
        if case .mismatch(let failed) = error.reason { check = failed } else { check = nil }
        if case .refused(let refusal) = error.reason { code = refusal.code } else { code = nil }
        let words = CommandWords(error)
        message = words?.message ?? error.message
        recovery = error.recovery
        self.problem = problem
        if let problem {
            advice = problem
        } else if let own = words?.advice {
            advice = own
        } else if case .storage = error.reason, let folder = store?.files?.folder.path {
            advice = "The store is \(folder)"
        } else {
            advice = Self.advice(for: error, login)
        }
    }

    /// An error with the command's own words.
    init(_ explained: ExplainedError) {
        self.init(explained.cause)
        message = explained.message
        advice = explained.advice
    }

    /// A session that the issuer ended.
    init(_ ended: EndedSession, login: LoginLine) {
        self.init(ended.cause, login: login)
        switch ended.end {
        case .lostRotation:
            message = """
                The session is lost: the issuer has replaced its refresh token, and the answer with the new one was not \
                stored (\(code?.rawValue ?? "invalid_grant")).
                """
        case .expired: message = "The refresh token has expired (\(code?.rawValue ?? "invalid_grant"))."
        default: break
        }
    }

    /// A command that ended before a response was stored.
    init(_ left: LeftBehind, login: LoginLine) {
        self.init(
            left.isInterrupted ? .cancelled : .storage,
            reason: left.isInterrupted ? "cancelled" : "storage",
            message: """
                ostiary ended before the issuer's answer was stored: the session may be lost. If the next command says \
                so, sign in again: \(login.text)
                """,
            recovery: .signInAgain
        )
    }

    /// A session that was removed, since it could not be read: its tokens are not revoked.
    init(removed error: SignInError) {
        self.init(error)
        message = "The stored session could not be read, so its tokens were not revoked. It has been removed."
    }

    /// A mistake in the arguments.
    init(_ error: UsageError) {
        self.init(.usage, reason: "usage", message: error.message, recovery: .fixConfiguration)
    }

    /// A development provider with an invalid configuration, or a project in which a sign-in cannot work.
    init(misconfigured error: some Error & CustomStringConvertible) {
        self.init(.configuration, reason: "configuration", message: error.description, recovery: .fixConfiguration)
    }

    /// A development provider whose records cannot be kept.
    init(_ error: ProviderStorageFailure) {
        let message = "The provider's store: could not \(error.operation)."
        self.init(.storage, reason: "storage", message: message, recovery: .none)
    }

    /// An error of a front door with its own description.
    ///
    /// `login` is the command line for a next sign-in.
    init(_ error: any FrontDoorFailure, login: LoginLine) {
        self.init(error.status, reason: error.name, message: error.description, recovery: error.recovery)
        if error.recovery == .signInAgain, !CommandArguments.isSigningIn { advice = "Run: \(login.text)" }
    }

    /// Anything else; by a name of its own, so that no other error becomes this one.
    init(other error: any Error) {
        self.init(.other, reason: "other", message: "\(error)", recovery: .none)
    }

    private init(_ status: ExitStatus, reason: String, message: String, recovery: SignInError.Recovery) {
        self.status = status
        stage = nil
        self.reason = reason
        check = nil
        code = nil
        self.message = message
        self.recovery = recovery
        advice = nil
        problem = nil
    }

    /// Returns the output for programs.
    ///
    /// `members` were collected before the failure.
    func json(with members: JSONObject) -> String {
        var answer: JSONObject = ["ok": false, "error": .object(object)]
        for member in members.members { answer[member.name] = member.value }
        return answer.printable
    }

    /// The error as an object.
    var object: JSONObject {
        [
            "stage": stage.map { .string($0.rawValue) } ?? .null,
            "reason": .string(reason),
            "check": check.map { .string($0.rawValue) } ?? .null,
            "code": code.map { .string($0.rawValue) } ?? .null,
            // A program has no second line to read.
            "message": .string([message, problem].compactMap(\.self).joined(separator: " ")),
            "recovery": .string(recovery.rawValue),
        ]
    }

    /// The lines for the user.
    var lines: [String] {
        return ["ostiary: " + message.printable] + (advice.map { ["  " + $0.printable] } ?? [])
    }

    private static func advice(for error: SignInError, _ login: LoginLine) -> String? {
        if case .stepUpRequired(let challenge) = error.reason { return advice(for: challenge, login) }
        if case .refused(let refusal) = error.reason, refusal.code == .invalidClient { return clientAdvice(login) }
        return switch error.recovery {
        case .retry: retryAdvice(for: error)
        case .signInAgain: CommandArguments.isSigningIn ? "Run the command again." : "Run: \(login.text)"
        default: nil
        }
    }
}

extension Failure {
    /// The next step for a failure that may pass; `nil` where trying again does not help, or is obvious.
    private static func retryAdvice(for error: SignInError) -> String? {
        switch error.reason {
        case .cancelled, .timedOut, .transport(.unknownHost), .transport(.tls), .transport(.notHTTP): nil
        case .refused(let refusal) where refusal.code == .accessDenied: "Run the command again to be asked again."
        default:
            ["login", "device"].contains(CommandArguments.current.first ?? "")
                ? "Try again." : "Try again. A stored session is kept."
        }
    }

    /// The next step for a client that the server does not accept.
    ///
    /// Servers rarely say that an assertion has the wrong audience, so the setting is named whatever the text says,
    /// where the command has a key.
    private static func clientAdvice(_ login: LoginLine) -> String {
        guard let line = login.withTokenEndpointAudience else { return "Check the client's identifier, secret or key." }
        return "Check the client's identifier and key. If the server expects its token endpoint as the audience of "
            + "assertions, run: \(line)"
    }

    /// The sign-in that would satisfy a resource server.
    private static func advice(for challenge: AuthenticateChallenge.StepUp, _ login: LoginLine) -> String {
        var words = ["Run: \(login.text)"]
        // The user may copy a server's text from there into a shell.
        let isHarmless = challenge.acrValues.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9:._\/-]+/) != nil }
        if !challenge.acrValues.isEmpty, isHarmless {
            words.append("--acr-values \"\(challenge.acrValues.joined(separator: " "))\"")
        }
        if let age = challenge.maximumAge { words.append("--max-age \(age.components.seconds)") }
        if !challenge.scopes.isEmpty { words.append("--scope \(LoginLine.shell([challenge.scopes.text]))") }
        return words.joined(separator: " ")
    }
}

extension SignInError.Reason {
    /// The case's name, as `--json` gives it.
    fileprivate var name: String {
        switch self {
        case .cancelled: "cancelled"
        case .timedOut: "timedOut"
        case .refused: "refused"
        case .server: "server"
        case .mismatch: "mismatch"
        case .malformed: "malformed"
        case .transport: "transport"
        case .unsupported: "unsupported"
        case .configuration: "configuration"
        case .signInRequired: "signInRequired"
        case .keyLost: "keyLost"
        case .storage: "storage"
        case .presentation: "presentation"
        case .alreadyInProgress: "alreadyInProgress"
        case .stepUpRequired: "stepUpRequired"
        @unknown default: "other"
        }
    }
}

/// A mistake in the command's arguments, found after they were parsed.
struct UsageError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
