import ArgumentParser
import Foundation
import OstiaryOAuth

/// Many processes and tasks share one rotating session, while something happens to them.
@main
struct SessionStress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-stress",
        abstract: "Lets processes share one session while they are killed, cut off, interrupted, and out of disk.",
        subcommands: [StressRun.self, StressChild.self],
        defaultSubcommand: StressRun.self
    )
}

/// Runs the trials one after the other.
struct StressRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run the trials.")

    @Option(help: "Number of refreshes in each trial.")
    var refreshes = 2000
    @Option(help: "Number of processes that share the session.")
    var processes = 8
    @Option(help: "Number of tasks of all processes together.")
    var tasks = 200
    @Option(help: "Number of processes to kill, in trials that kill some.")
    var kills = 200
    @Option(help: "Number of times that each signal is sent to each command; 0 sends each command one signal.")
    var repetitions = 10
    @Option(help: "Longest time in seconds for which the disk is full after a command has sent its request.")
    var outage = 60.0
    @Option(help: "Run this trial alone.")
    var only: String?

    func run() async throws {
        var isBroken = false
        for trial in StressTrial.all where only == nil || only == trial.name {
            do {
                let outcome = try await StressSession.run(trial, of: self)
                tell([outcome.line] + outcome.problems.map { "  BROKEN: \($0)" })
                isBroken = isBroken || !outcome.problems.isEmpty
            } catch let missing as SmallDisk.Unavailable {
                tell(["\(trial.name): SKIPPED, since it needs root to mount a small disk (\(missing.reason))"])
            }
        }
        for trial in CommandTrial.all where only == nil || only == trial.name {
            do {
                let outcome = try await CommandStage.run(trial, of: self)
                tell([outcome.line] + outcome.problems.map { "  BROKEN: \($0)" })
                isBroken = isBroken || !outcome.problems.isEmpty
            } catch let missing as SmallDisk.Unavailable {
                tell(["\(trial.name): SKIPPED, since it needs root to mount a small disk (\(missing.reason))"])
            } catch let missing as TrialUnavailable {
                tell(["\(trial.name): SKIPPED (\(missing.reason))"])
            }
        }
        if isBroken { throw ExitCode.failure }
    }

    private func tell(_ lines: [String]) {
        // Not with print, which buffers lines when the output is not a terminal.
        FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}

/// A trial: the faults that the processes suffer.
struct StressTrial: Sendable {
    var name: String
    /// Seconds for which the server takes a used refresh token for a repetition.
    var grace: Double = 0
    var kills = false
    /// The share of responses, in per cent, that are lost after the server has carried out the request.
    var lostAnswers = 0
    /// Seconds by which the clock of every third process is fast, and of every other third slow.
    var clockError: Double = 0
    /// The repeated, temporary fault of the disk.
    var disk: DiskTrouble?
    /// Whether a session may end by a loss, and a new one begin.
    var mayLose = false

    static let all: [StressTrial] = [
        StressTrial(name: "undisturbed"),
        StressTrial(name: "killed", grace: 30, kills: true),
        StressTrial(name: "killed-without-grace", kills: true, mayLose: true),
        StressTrial(name: "answers-lost", grace: 30, lostAnswers: 10),
        StressTrial(name: "wrong-clocks", clockError: 86_400),
        StressTrial(name: "full-disk", disk: .full),
        StressTrial(name: "read-only-store", disk: .readOnly),
    ]

    /// A fault of a disk.
    enum DiskTrouble: Sendable {
        case full
        /// Writers are shut out, during a write or between two writes.
        case readOnly
    }
}

/// The outcome of a trial.
struct StressOutcome {
    var line: String
    var problems: [String]
}
