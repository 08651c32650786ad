import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryOAuth
import ProviderServer

/// The outcome of a trial.
extension StressSession {
    /// Returns how often the processes found their session ended, by the reason.
    private func ends() throws -> [String: Int] {
        try FileManager.default.contentsOfDirectory(atPath: place.ends)
            // A name that begins with a dot is a writer's leftover, not a reason.
            .filter { !$0.hasPrefix(".") }
            .reduce(into: [:]) { $0[String($1.prefix { $0 != "-" }), default: 0] += 1 }
    }

    /// The trial in one line.
    func line(_ seconds: Double) -> String {
        var parts = [
            "\(witness.refreshes) refreshes by \(run.processes) processes with \(run.tasks) tasks in \(Int(seconds)) s"
        ]
        if trial.kills { parts.append("\(killed) kills") }
        if trial.disk != nil { parts.append("\(troubles) times without a write") }
        parts.append("\(witness.shownAgain) refresh tokens shown again")
        parts.append("\(signIns - 1) sessions lost")
        return "\(trial.name): " + parts.joined(separator: ", ")
    }

    /// Returns the places in which a token can be read: the logs of all processes, killed ones included, and their
    /// arguments and environments.
    private func secretsShown() -> [String] {
        witness.secrets.files(showingAny: place.folder).map { "a secret stands in \($0)" }
            + talkative.map { "a secret is in the arguments or the environment of process \($0)" }
    }

    /// Whether the output of the processes contains a word.
    private func isTold(of word: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.logs)) ?? []
        return names.contains { name in
            FileManager.default.contents(atPath: "\(place.logs)/\(name)")?.range(of: Data(word.utf8)) != nil
        }
    }

    /// Returns the violations of the rules; empty for none.
    func problems() async throws -> [String] {
        var problems: [String] = []
        if witness.refreshes < run.refreshes {
            problems.append("only \(witness.refreshes) refreshes before the deadline")
        }
        if trial.kills, killed < run.kills { problems.append("only \(killed) kills before the deadline") }
        problems += secretsShown()
        if trial.disk != nil, !isTold(of: "storage") { problems.append("no process reported the storage failure") }
        let ends = try ends()
        // The other processes learn of a lost session as removed or replaced.
        let allowed: Set<String> = trial.mayLose ? ["lostRotation", "removedElsewhere", "replaced"] : []
        for (reason, count) in ends where !allowed.contains(reason) { problems.append("\(count) ended: \(reason)") }
        let mayRepeat = trial.kills || trial.lostAnswers > 0
        if !mayRepeat, witness.shownAgain > 0 { problems.append("\(witness.shownAgain) refresh tokens shown again") }
        if !trial.mayLose, witness.refusals > 0 { problems.append("\(witness.refusals) refreshes refused") }
        // The stored tokens are the server's newest, and valid.
        let client = try place.client(
            issuer: server.issuer,
            transport: AsyncHTTPClientTransport(),
            userAgent: NoPerson(),
            log: log
        )
        guard let session = try await client.restoreSession() else {
            return trial.mayLose ? problems : problems + ["no session is stored"]
        }
        do {
            try await session.refresh()
        } catch {
            if !trial.mayLose { problems.append("the stored session is not good: \(error)") }
        }
        return problems
    }
}
