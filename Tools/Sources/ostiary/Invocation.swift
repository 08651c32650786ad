import ArgumentParser
import Foundation
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
        // A closed pipe is an error of the write to it, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        exit(await run().rawValue)
    }

    private func run() async -> ExitStatus {
        var store: StoreLocation?
        do {
            var command = try OstiaryCommand.parseAsRoot(arguments)
            store = (command as? any SessionCommand)?.place.store
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .success
        } catch is OutputClosed {
            return .other
        } catch let error as SignInError {
            return tell(Failure(error, in: store))
        } catch let error as UsageError {
            return tell(Failure(error))
        } catch let error as ProviderServerError {
            return tell(Failure(misconfigured: error))
        } catch let error as ProviderConfigurationError {
            return tell(Failure(misconfigured: error))
        } catch let error as ProviderStorageFailure {
            return tell(Failure(error))
        } catch {
            return tellOfParsing(error)
        }
    }

    private func tell(_ failure: Failure) -> ExitStatus {
        if wantsJSON {
            try? console.print(failure.json + "\n")
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
