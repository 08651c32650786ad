import Foundation
import OstiaryOAuth
import ProviderServer

/// Signals that arrive while a response is in transit.
extension CommandStage {
    /// A command that sends a token request, and the status that it ends with when it is interrupted.
    private struct Interrupted {
        var arguments: [String]
        var status: Int32 = 5
        /// Whether it sends one only when the access token has expired, which takes a second.
        var needsExpiry = true
    }

    private var commands: [Interrupted] {
        get throws {
            let userInfo = server.issuer.description + "/userinfo"
            return [
                Interrupted(arguments: ["refresh"], needsExpiry: false),
                Interrupted(arguments: ["token"]),
                Interrupted(arguments: ["userinfo"]),
                Interrupted(arguments: ["request", "GET", userInfo, "--allow-origin", server.issuer.description]),
                Interrupted(arguments: ["exec", "--", "true"], status: 125, needsExpiry: false),
                Interrupted(arguments: ["revoke"]),
                // The sign-in is done when its code has been redeemed.
                Interrupted(arguments: try signInArguments(), status: 0, needsExpiry: false),
            ]
        }
    }

    /// Interrupts every command with every signal, and signs in under each signal.
    mutating func signals() async throws {
        try await signIn()
        let signals = [SIGINT, SIGTERM, SIGHUP]
        // A signal that this program ignores from its start, as a script's background job ignores SIGINT, the commands
        // would ignore.
        for number in signals { signal(number, SIG_DFL) }
        var sent = 0
        for _ in 0..<max(1, run.repetitions) {
            for (number, command) in try commands.enumerated() {
                for signal in run.repetitions == 0 ? [signals[number % 3]] : signals {
                    try await interrupt(command, by: signal)
                    sent += 1
                }
            }
        }
        figures.append("\(sent) commands interrupted")
    }

    private mutating func interrupt(_ command: Interrupted, by signal: Int32) async throws {
        if command.needsExpiry { try await Task.sleep(for: .milliseconds(1100)) }
        let event = "signal \(signal) to \(command.arguments[0])"
        guard let running = try await held(command.arguments) else {
            return problems.append("\(command.arguments[0]) sent no token request")
        }
        running.send(signal)
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...600)))
        if !running.isRunning { problems.append("after \(event) it did not wait for the answer") }
        answers.release()
        let end = try await running.end()
        // On a busy machine the response may arrive before the signal is noticed: the command then succeeds.
        if end != command.status, end != 0 {
            problems.append(
                "after \(event) it ended with \(end) in place of \(command.status): \(running.errorText)"
            )
        }
        try await expectSession(after: event)
    }

    /// Starts a command, and waits until the response to its refresh is held back.
    ///
    /// - Returns: `nil` when it ended without a refresh.
    func held(_ arguments: [String]) async throws -> RunningOstiary? {
        let before = answers.arrivals
        answers.hold()
        let running = try command(arguments)
        while answers.arrivals == before {
            guard running.isRunning else {
                answers.release()
                return nil
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return running
    }
}
