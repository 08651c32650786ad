import ArgumentParser
import OstiaryJOSE

/// A command that ends with one answer.
protocol AnsweringCommand: AsyncParsableCommand, Sendable {
    var output: OutputOptions { get }
    /// Does the work.
    ///
    /// - Parameter trace: Told what happens on the way.
    func answer(on console: Console, telling trace: Trace) async throws -> Answer
}

/// A command about a store: when that fails, it is told what is missing.
protocol StoreCommand: AnsweringCommand {
    var location: StoreLocation { get }
}

/// A command about a session that is kept somewhere.
protocol SessionCommand: StoreCommand, PlacedCommand {}

/// A command that is told a profile and a store.
protocol PlacedCommand: Sendable {
    var place: SessionOptions { get }
}

extension SessionCommand {
    var location: StoreLocation { place.store }
}

/// A command that can tell what it asks and checks.
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
    /// Adds what is not there yet.
    fileprivate mutating func add(_ other: JSONObject) {
        for member in other.members where self[member.name] == nil { self[member.name] = member.value }
    }
}

/// A command that has said all it has to say, and ends with a status.
struct EndedWith: Error {
    let status: Int32
}
