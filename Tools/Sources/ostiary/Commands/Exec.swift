import ArgumentParser
import Foundation
import Ostiary
import OstiaryOAuth

/// `ostiary exec`: another program, with an access token.
struct Exec: AsyncParsableCommand, PlacedCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Run a command with an access token.",
        discussion: """
            The command gets the token in the environment variable
            OSTIARY_ACCESS_TOKEN, in a file, or from a descriptor; never as an argument.
            While the command runs, the file always holds a valid token, and the
            descriptor provides each new token as a line. On Linux the file has no name
            and disappears with ostiary. Elsewhere the next ostiary removes the file of one
            that was killed.

            ostiary passes signals on to the command. The command ignores those that
            ostiary was started to ignore, as with nohup.
            ostiary ends with the command's status, or 128 and the number of the signal
            that ended it.
            The status is 125 when ostiary itself fails, 126 when the command cannot be
            run, and 127 when it does not exist.

            EXAMPLES
              ostiary exec -- ./deploy.sh
              ostiary exec --env API_TOKEN -- npm publish
              ostiary exec --file-env TOKEN_FILE -- ./long-job
              ostiary exec --fd 3 -- sh -c 'read -r token <&3; ...'
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup(title: "Network") var network: NetworkOptions
    @OptionGroup var explanation: ExplanationOptions

    @Option(help: ArgumentHelp("The variable that the token is in. (default: OSTIARY_ACCESS_TOKEN)", valueName: "name"))
    var env: String?

    @Option(
        help: ArgumentHelp("The variable that names a file with the token, which is kept current.", valueName: "name")
    )
    var fileEnv: String?

    @Option(
        name: .customLong("fd"),
        help: ArgumentHelp("The descriptor from which the command reads tokens.", valueName: "number")
    )
    var descriptor: Int32?

    @Option(
        help: ArgumentHelp(
            "The resource server that the token is for. (default: the token of the sign-in)",
            valueName: "uri"
        )
    )
    var resource: String?

    @Option(
        help: ArgumentHelp(
            "The seconds for which each token is at least valid; a token with less than twice that lifetime is refreshed at half of it.",
            valueName: "seconds"
        )
    )
    var minValid: Int = 60

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    mutating func validate() throws {
        if command.isEmpty { throw ValidationError("Give a command after --.") }
        if [env != nil, fileEnv != nil, descriptor != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --env, --file-env and --fd.")
        }
        if let name = env ?? fileEnv, !Self.isVariable(name) {
            throw ValidationError("The name of a variable is made of letters, digits and underscores: \(name).")
        }
        if let descriptor, !(3...255).contains(descriptor) { throw ValidationError("--fd is 3 to 255.") }
        if minValid < 0 { throw ValidationError("--min-valid is 0 seconds or more.") }
    }

    private static func isVariable(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
    }

    mutating func run() async throws {
        let console = Console.standard
        let command = self
        let trace = Trace(explanation.explain ? .everything : .clock, on: console)
        let status: Int32
        do {
            status = try await command.run(on: console, telling: trace)
        } catch let failure as RunningCommand.Failure {
            let isMissing = failure == .notFound
            console.note("ostiary: \(command.command[0].printable) \(isMissing ? "was not found." : "cannot be run.")")
            status = isMissing ? 127 : 126
        } catch let error as SignInError {
            let problem = await place.store.problem(behind: error)
            let failure = Failure(error, in: place.store, because: problem, login: LoginLine(place))
            for line in failure.lines { console.note(line) }
            status = 125
        } catch let error as ExplainedError {
            for line in Failure(error).lines { console.note(line) }
            status = 125
        } catch let error as EndedSession {
            for line in Failure(error, login: LoginLine(place)).lines { console.note(line) }
            status = 125
        } catch let error as LeftBehind {
            for line in Failure(error, login: LoginLine(place)).lines { console.note(line) }
            status = 125
        } catch let error as UsageError {
            for line in Failure(error).lines { console.note(line) }
            status = 125
        }
        throw EndedWith(status: status)
    }

    private func run(on console: Console, telling trace: Trace) async throws -> Int32 {
        let target = try resource.map { (text) throws(SignInError) in try ResourceIndicator(text) }
        let (signIn, token) = try await Interruption.cancelling(telling: console) {
            try await StoredSignIn.with(place, telling: trace) { signIn in
                (signIn, try await signIn.accessToken(for: target, minimumValidity: .seconds(minValid)))
            }
        }
        let delivery = try delivery()
        defer { delivery.end() }
        try delivery.deliver(token)
        let signals = SignalForwarding.begin()
        // One that came before is for this program: the command has not begun.
        guard !Interruption.hasCome else { throw SignInError(.authorization, .cancelled) }
        let running = try RunningCommand(
            self.command,
            adding: delivery.variables(for: token),
            passing: delivery.passing
        )
        let settlement = Settlement(telling: console)
        if let signals {
            SignalForwarding.forward(from: signals) { signal in
                guard running.hasEnded else { return running.send(signal) }
                if [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(signal) { settlement.hurry() }
            }
        }
        guard delivery.takesLaterTokens else { return try await running.status() }
        let renewal = Renewal(
            session: signIn.session,
            target: target,
            minimumValidity: .seconds(minValid),
            clock: IssuerClock(of: signIn.client)
        )
        let renewing = Task {
            await renewal.run(from: token, telling: console) { (token) throws(UsageError) in
                try delivery.deliver(token)
            }
        }
        defer { renewing.cancel() }
        let status = try await running.status()
        renewing.cancel()
        // A renewal may be in progress when the command ends.
        if await !settlement.wait() {
            for line in Failure(LeftBehind(isInterrupted: true), login: LoginLine(place)).lines { console.note(line) }
        }
        return status
    }

    private func delivery() throws(UsageError) -> TokenDelivery {
        if let fileEnv { return .file(variable: fileEnv, try TokenFile()) }
        if let descriptor { return .descriptor(descriptor, try TokenPipe()) }
        return .environment(env ?? "OSTIARY_ACCESS_TOKEN")
    }
}
