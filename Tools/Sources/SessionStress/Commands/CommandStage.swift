import Foundation
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// A strict provider, a store, and the command line that uses both.
struct CommandStage {
    let trial: CommandTrial
    let run: StressRun
    let place: StressPlace
    let disk: SmallDisk?
    let witness: StressWitness
    let answers: HeldAnswers
    let server: RunningProvider
    /// Added to the environment of each command.
    var variables: [String: String] = [:]
    /// `file:` and the folder of the store, or `keyring`.
    var store: String
    /// The work that was done, for the trial's line.
    var figures: [String] = []
    var problems: [String] = []

    /// Runs a trial.
    static func run(_ trial: CommandTrial, of run: StressRun) async throws -> StressOutcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "session-stress-\(UUID().uuidString)").path
        let place = StressPlace(folder: folder)
        for path in [place.logs, folder + "/home", folder + "/data", folder + "/run"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = trial.hasDisk ? try SmallDisk(at: place.store) : nil
        defer { disk?.unmount() }
        let witness = StressWitness()
        let answers = HeldAnswers()
        let server = try await StressSession.provider(watchedBy: witness, accessTokenLifetime: 1) { path in
            if path == "/token" { await answers.pass() }
        }
        var stage = CommandStage(
            trial: trial,
            run: run,
            place: place,
            disk: disk,
            witness: witness,
            answers: answers,
            server: server,
            store: "file:" + place.store
        )
        let start = ContinuousClock.now
        do {
            try await trial.body(&stage)
        } catch {
            answers.release()
            await server.stop()
            throw error
        }
        await server.stop()
        return stage.outcome(start.duration(to: .now) / .seconds(1))
    }

    private func outcome(_ seconds: Double) -> StressOutcome {
        var problems = problems
        if witness.refusals > 0 { problems.append("\(witness.refusals) refreshes refused") }
        if witness.shownAgain > 0 { problems.append("\(witness.shownAgain) refresh tokens presented again") }
        problems += witness.secrets.files(showingAny: place.folder).map { "a secret stands in \($0)" }
        let counts =
            figures + ["\(witness.refreshes) refreshes in \(Int(seconds)) s", "\(witness.refusals) sessions lost"]
        return StressOutcome(line: "\(trial.name): " + counts.joined(separator: ", "), problems: problems)
    }

    /// Signs in; the session of an earlier sign-in is replaced.
    mutating func signIn() async throws {
        let running = try command(try signInArguments())
        let status = try await running.end()
        if status != 0 {
            throw TrialUnavailable(reason: "the sign-in ended with \(status): \(running.errorText)")
        }
    }

    /// The arguments of a sign-in without a page.
    func signInArguments() throws -> [String] {
        let password = place.folder + "/password"
        try Data((StressSession.password + "\n").utf8).write(to: URL(filePath: password))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password)
        return [
            "login", "--issuer", server.issuer.description, "--client-id", "app", "--user-agent", "http", "--http-user",
            "alice", "--http-password-file", password,
        ]
    }

    /// Checks that the session is there: the strict provider takes its refresh token.
    mutating func expectSession(after event: String) async throws {
        let running = try command(["refresh"])
        let status = try await running.end()
        if status != 0 {
            problems.append("after \(event) the next refresh ended with \(status): \(running.errorText)")
        }
        if status == 6 { try await signIn() }
    }

    /// Starts a command; its standard error is kept and searched for secrets.
    ///
    /// `descriptors` is the number of descriptors that it may have; `nil` for as many as this process.
    func command(_ arguments: [String], descriptors: Int? = nil) throws -> RunningOstiary {
        var arguments = arguments
        arguments.insert(contentsOf: ["--store", store], at: arguments.firstIndex(of: "--") ?? arguments.count)
        let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
        return try RunningOstiary(
            ["/bin/sh", "-c", limit + #"exec "$0" "$@""#, try Self.executable] + arguments,
            environment: ["HOME": place.folder + "/home", "PATH": "/usr/bin:/bin"].merging(variables) { $1 },
            error: place.logs + "/\(arguments[0])-\(UInt64.random(in: 0...UInt64.max))"
        )
    }

    /// The command line, which is built beside this program.
    private static var executable: String {
        get throws {
            let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            let path = own.deletingLastPathComponent().appending(path: "ostiary").path
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw TrialUnavailable(reason: "\(path) is missing: swift build --package-path Tools --product ostiary")
            }
            return path
        }
    }
}
