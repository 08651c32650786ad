import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// One run of the command line: arguments in, output and an exit status out.
struct Invocation {
    private let arguments: [String]
    private let console: Console
    private let hasArguments: Bool

    /// Takes the arguments as the system passes them, the name of the program first.
    init(_ arguments: [String], console: Console) {
        hasArguments = Self.isPassed(arguments)
        self.arguments = Array(arguments.dropFirst())
        self.console = console
    }

    /// Whether the system passed arguments.
    ///
    /// A program that is linked statically may be started with none at all, not even its name. An empty name alone is
    /// what Linux makes of an empty list.
    static func isPassed(_ arguments: [String]) -> Bool { !arguments.isEmpty && arguments != [""] }

    /// Runs the command and ends the process.
    func runAndExit() async -> Never {
        SignalForwarding.ignoreClosedPipes()
        guard hasArguments else {
            console.note(
                "ostiary: The system passed no arguments, not even the program's name. Start ostiary from a shell."
            )
            exit(ExitStatus.usage.rawValue)
        }
        let status = await run()
        do throws(UsageError) {
            try CommandRecording.end(status)
            try WireTrace.end(status, on: console)
        } catch {
            console.note("ostiary: " + error.message.printable)
            exit(ExitStatus.other.rawValue)
        }
        exit(status)
    }

    private func run() async -> Int32 {
        var store: StoreLocation?
        var login = LoginLine(repeating: arguments)
        do {
            let own = try begin()
            guard !own.isEmpty else {
                try console.print(OstiaryCommand.summary)
                return ExitStatus.success.rawValue
            }
            var command = try OstiaryCommand.parseAsRoot(own)
            store = (command as? any StoreCommand)?.location
            login = LoginLine((command as? any PlacedCommand)?.place, repeating: arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return ExitStatus.success.rawValue
        } catch is OutputClosed {
            return ExitStatus.other.rawValue
        } catch let end as EndedWith {
            return end.status
        } catch let error as TracedFailure {
            return await end(with: error.cause, of: store, login, telling: error.members).rawValue
        } catch {
            let status = await end(with: error, of: store, login)
            // Every status below 125 may be the command's own.
            return status == .usage && CommandArguments.begins(with: "exec") ? 125 : status.rawValue
        }
    }

    /// Takes the options of every command, and begins what they request.
    ///
    /// - Returns: The other arguments.
    private func begin() throws(UsageError) -> [String] {
        let (own, rest) = try GlobalArguments.taking(arguments)
        // A recording repeats the arguments, but not those of the network.
        CommandArguments.current = rest
        let others = try CommandRecording.begin(rest)
        CommandArguments.current = others
        try CommandSettings.check()
        try CommandTree.check(others)
        CommandNetwork.current = try CommandNetwork(
            own,
            settings: .current,
            environment: Environment.value
        )
        if let trace = own.trace { try WireTrace.begin(to: trace) }
        return others
    }

    private func end(
        with error: any Error,
        of store: StoreLocation?,
        _ login: LoginLine,
        telling members: JSONObject = [:]
    ) async -> ExitStatus {
        switch error {
        case let error as SignInError:
            tell(Failure(error, in: store, because: await store?.problem(behind: error), login: login), members)
        case let error as ExplainedError: tell(Failure(error), members)
        case let error as EndedSession: tell(Failure(error, login: login), members.adding(error))
        case let error as LeftBehind: tell(Failure(error, login: login), members)
        case let error as UsageError: tell(Failure(error), members)
        case let error as any FrontDoorFailure: tell(Failure(error, login: login), members)
        case let error as ProjectProblems: tell(Failure(misconfigured: error), members)
        case let error as IssuerProblems: tell(Failure(misconfigured: error), members)
        case let error as ProbeFailure: tell(Failure(misconfigured: error), members)
        case let error as UnprobableClient: tell(Failure(misconfigured: error), members)
        case let error as ProviderServerError: tell(Failure(misconfigured: error), members)
        case let error as ProviderConfigurationError: tell(Failure(misconfigured: error), members)
        case let error as ProviderStorageFailure: tell(Failure(error), members)
        case is OutputClosed: .other
        default: tellOfParsing(error)
        }
    }

    private func tell(_ failure: Failure, _ members: JSONObject = [:]) -> ExitStatus {
        CommandRecording.note(["ok": false, "error": .object(failure.object)])
        if wantsJSON {
            try? console.print(failure.json(with: members) + "\n")
        } else {
            for line in failure.lines { console.note(line) }
        }
        return failure.status
    }

    /// Handles an error of the parser: a mistake, or a request for the help or version.
    private func tellOfParsing(_ error: any Error) -> ExitStatus {
        switch OstiaryCommand.exitCode(for: error) {
        case .success:
            do { try console.print(OstiaryCommand.fullMessage(for: error) + "\n") } catch { return .other }
            return .success
        case .validationFailure:
            if wantsJSON { return tell(Failure(UsageError(Self.shortened(OstiaryCommand.message(for: error))))) }
            console.note(
                OstiaryCommand.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false).map {
                    Self.shortened(String($0)).printable
                }.joined(separator: "\n")
            )
            return .usage
        default:
            return tell(Failure(other: error))
        }
    }

    /// A line with the middle of each long word left out: an argument may be a token, or fill the screen.
    private static func shortened(_ line: String) -> String {
        line.split(separator: " ", omittingEmptySubsequences: false).map { String($0).shortened }.joined(separator: " ")
    }

    /// Whether `--json` is among the arguments, also where they could not be understood.
    private var wantsJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }
}

extension JSONObject {
    /// With the member that says why a session has ended.
    fileprivate func adding(_ ended: EndedSession) -> JSONObject {
        var object = self
        object["sessionEnd"] = .string(ended.end.rawValue)
        return object
    }
}
