import ArgumentParser
import OstiaryOAuth

/// A command that ends with one answer.
protocol AnsweringCommand: AsyncParsableCommand, Sendable {
    var output: OutputOptions { get }
    /// Does the work.
    func answer(on console: Console) async throws -> Answer
}

/// A command about a session that is kept somewhere.
protocol SessionCommand: AnsweringCommand {
    var place: SessionOptions { get }
}

extension AnsweringCommand {
    mutating func run() async throws {
        let console = Console.standard
        let command = self
        let answer: Answer = try await Interruption.cancelling { try await command.answer(on: console) }
        try console.print(output.json ? answer.json + "\n" : answer.text)
    }
}
