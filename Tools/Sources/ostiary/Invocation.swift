import ArgumentParser
import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// One run of the command line: arguments in, output and an exit status out.
struct Invocation {
    private let arguments: [String]
    private let console: Console

    init(_ arguments: [String], console: Console) {
        self.arguments = arguments
        self.console = console
    }

    /// Runs the command and ends the process.
    func runAndExit() async -> Never {
        SignalForwarding.ignoreClosedPipes()
        exit(await run())
    }

    private func run() async -> Int32 {
        var store: StoreLocation?
        do {
            var command = try OstiaryCommand.parseAsRoot(arguments)
            store = (command as? any StoreCommand)?.location
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
            return await end(with: error.cause, of: store, telling: error.members).rawValue
        } catch {
            return await end(with: error, of: store).rawValue
        }
    }

    private func end(
        with error: any Error,
        of store: StoreLocation?,
        telling members: JSONObject = [:]
    ) async -> ExitStatus {
        switch error {
        case let error as SignInError:
            tell(Failure(error, in: store, because: await store?.problem(behind: error)), members)
        case let error as UsageError: tell(Failure(error), members)
        case let error as any FrontDoorFailure: tell(Failure(error), members)
        case let error as ProjectProblems: tell(Failure(misconfigured: error), members)
        case let error as ProviderServerError: tell(Failure(misconfigured: error), members)
        case let error as ProviderConfigurationError: tell(Failure(misconfigured: error), members)
        case let error as ProviderStorageFailure: tell(Failure(error), members)
        case is OutputClosed: .other
        default: tellOfParsing(error)
        }
    }

    private func tell(_ failure: Failure, _ members: JSONObject = [:]) -> ExitStatus {
        if wantsJSON {
            try? console.print(failure.json(with: members) + "\n")
        } else {
            for line in failure.lines { console.note(line) }
        }
        return failure.status
    }

    /// What the parser throws: a mistake, or the help or version that was asked for.
    private func tellOfParsing(_ error: any Error) -> ExitStatus {
        switch OstiaryCommand.exitCode(for: error) {
        case .success:
            do { try console.print(OstiaryCommand.fullMessage(for: error) + "\n") } catch { return .other }
            return .success
        case .validationFailure:
            if wantsJSON { return tell(Failure(UsageError(OstiaryCommand.message(for: error)))) }
            console.note(
                OstiaryCommand.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false).map {
                    String($0).printable
                }.joined(separator: "\n")
            )
            return .usage
        default:
            return tell(Failure(error))
        }
    }

    /// Whether `--json` is among the arguments, also where they could not be understood.
    private var wantsJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }
}
