import ArgumentParser
import OstiaryJOSE

/// A command with a single answer.
protocol AnsweringCommand: AsyncParsableCommand, Sendable {
    var output: OutputOptions { get }
    /// Does the work.
    ///
    /// `trace` records the requests and checks of the command.
    func answer(on console: Console, telling trace: Trace) async throws -> Answer
}

/// A command about a store: when it fails, the error names the problem of the store.
protocol StoreCommand: AnsweringCommand {
    var location: StoreLocation { get }
}

/// A command about a session that is kept somewhere.
protocol SessionCommand: StoreCommand, PlacedCommand {}

/// A command with a profile and a store.
protocol PlacedCommand: Sendable {
    var place: SessionOptions { get }
}

extension SessionCommand {
    var location: StoreLocation { place.store }
}

/// A command that can explain its requests and checks.
protocol ExplainingCommand: AnsweringCommand {
    var explanation: ExplanationOptions { get }
}

extension AnsweringCommand {
    mutating func run() async throws {
        let console = Console.standard
        let command = self
        let trace = Trace(explains ? .everything : .clock, on: output.json ? nil : console)
        var answer: Answer
        do {
            answer = try await Interruption.cancelling(telling: console) {
                try await command.answer(on: console, telling: trace)
            }
        } catch let failure as TracedFailure {
            var members = failure.members
            members.add(trace.members)
            throw TracedFailure(cause: failure.cause, members: members)
        } catch {
            throw TracedFailure(cause: error, members: trace.members)
        }
        answer.members.add(trace.members)
        CommandRecording.note((try? JSONObject(parsing: Array(answer.json.utf8))) ?? [:])
        if !output.json, let content = answer.content, !console.isOutputWatched {
            try console.print(content)
        } else {
            try console.print(output.json ? answer.json + "\n" : answer.text)
        }
        guard answer.status == .success else { throw EndedWith(status: answer.status.rawValue) }
    }

    private var explains: Bool { (self as? any ExplainingCommand)?.explanation.explain ?? false }
}

extension JSONObject {
    /// Adds the missing members.
    fileprivate mutating func add(_ other: JSONObject) {
        for member in other.members where self[member.name] == nil { self[member.name] = member.value }
    }
}

/// Ends a command, whose output is complete, with a status.
struct EndedWith: Error {
    let status: Int32
}
