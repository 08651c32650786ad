import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// One trial: a provider, a stored session, and the processes that share it.
struct StressSession {
    let trial: StressTrial
    let run: StressRun
    let place: StressPlace
    let witness: StressWitness
    let server: RunningProvider
    private var children: [Process] = []
    private var killed = 0
    private var signIns = 0

    private static let password = "correct horse battery"

    /// Runs a trial.
    static func run(_ trial: StressTrial, of run: StressRun) async throws -> StressOutcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "session-stress-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/ends", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let witness = StressWitness()
        let server = try await provider(for: trial, watchedBy: witness)
        var session = StressSession(
            trial: trial,
            run: run,
            place: StressPlace(folder: folder),
            witness: witness,
            server: server
        )
        let outcome = try await session.outcome()
        await server.stop()
        return outcome
    }

    private static func provider(
        for trial: StressTrial,
        watchedBy witness: StressWitness
    ) async throws -> RunningProvider {
        var random = SecureRandom()
        let hash = try PasswordHash(Secret(password), cost: .insecureForTests, using: &random)
        return try await ProviderServer.start { issuer in
            let provider = Provider(
                configuration: ProviderConfiguration(
                    issuer: issuer,
                    clients: [
                        RegisteredClient(
                            id: "app",
                            name: "The app",
                            redirectURIs: [try RedirectURI("http://127.0.0.1/callback")],
                            requiresConsent: false
                        )
                    ],
                    users: [ProviderUser(name: "alice", passwordHash: hash, subject: "alice-subject", claims: [:])],
                    signingAlgorithms: [.es256],
                    signingKeys: [try SigningKey.generate(.es256, keyID: "key")],
                    lifetimes: .init(refreshTokenReuse: trial.grace)
                ),
                now: { .now },
                random: SecureRandom(),
                scenario: witness.scenario
            )
            try await provider.prepare()
            return provider
        }
    }

    private init(
        trial: StressTrial,
        run: StressRun,
        place: StressPlace,
        witness: StressWitness,
        server: RunningProvider
    ) {
        self.trial = trial
        self.run = run
        self.place = place
        self.witness = witness
        self.server = server
    }

    private mutating func outcome() async throws -> StressOutcome {
        try await signIn()
        let start = ContinuousClock.now
        for number in 0..<run.processes { children.append(try child(number)) }
        try await disturb()
        try await finish()
        let seconds = start.duration(to: .now) / .seconds(1)
        return StressOutcome(line: line(seconds), problems: try await problems())
    }

    private mutating func signIn() async throws {
        let transport = AsyncHTTPClientTransport()
        let person = HTTPUserAgent(
            transport: transport,
            credentials: .init(name: "alice", password: Secret(Self.password))
        )
        _ = try await place.client(issuer: server.issuer, transport: transport, userAgent: person).signIn()
        signIns += 1
    }

    private func child(_ number: Int) throws -> Process {
        let child = Process()
        child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = [
            "child", "--folder", place.folder, "--issuer", server.issuer.description,
            "--tasks", "\(max(1, run.tasks / run.processes))", "--lost-answers", "\(trial.lostAnswers)",
            "--clock-error", "\([0, trial.clockError, -trial.clockError][number % 3])",
        ]
        child.standardOutput = FileHandle.nullDevice
        try child.run()
        return child
    }

    /// Lets the trial go on until there were enough refreshes.
    private mutating func disturb() async throws {
        let deadline = ContinuousClock.now + .seconds(60 + Double(run.refreshes) / 4)
        while witness.refreshes < run.refreshes || trial.kills && killed < run.kills {
            guard ContinuousClock.now < deadline else { return }
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...60)))
            if trial.kills, let number = children.indices.randomElement() {
                stop(children[number])
                killed += 1
                children[number] = try child(number)
            }
            if trial.fullDisk { try await fillDisk() }
            if trial.mayLose, try await isSignedOut() { try await signIn() }
        }
    }

    /// Lets everybody end what is under way: to kill somebody now would be a trial of its own.
    private func finish() async throws {
        FileManager.default.createFile(atPath: place.stop, contents: nil)
        let deadline = ContinuousClock.now + .seconds(60)
        while children.contains(where: \.isRunning), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        for child in children where child.isRunning { stop(child) }
    }

    /// Keeps everybody from writing for a while; what is under way ends before the requests are counted.
    private func fillDisk() async throws {
        FileManager.default.createFile(atPath: place.flag, contents: nil)
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...800)))
        try FileManager.default.removeItem(atPath: place.flag)
        try await Task.sleep(for: .milliseconds(200))
    }

    private func isSignedOut() async throws -> Bool {
        let client = try place.client(
            issuer: server.issuer,
            transport: AsyncHTTPClientTransport(),
            userAgent: NoPerson()
        )
        return try await client.restoreSession() == nil
    }

    private func stop(_ child: Process) {
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
    }

    /// How often the processes found that their session had ended, by its reason.
    private func ends() throws -> [String: Int] {
        try FileManager.default.contentsOfDirectory(atPath: place.ends)
            .reduce(into: [:]) { $0[String($1.prefix { $0 != "-" }), default: 0] += 1 }
    }

    private func line(_ seconds: Double) -> String {
        var parts = [
            "\(witness.refreshes) refreshes by \(run.processes) processes with \(run.tasks) tasks in \(Int(seconds)) s"
        ]
        if trial.kills { parts.append("\(killed) kills") }
        parts.append("\(witness.shownAgain) refresh tokens shown again")
        parts.append("\(signIns - 1) sessions lost")
        return "\(trial.name): " + parts.joined(separator: ", ")
    }

    private func problems() async throws -> [String] {
        var problems: [String] = []
        if witness.refreshes < run.refreshes {
            problems.append("only \(witness.refreshes) refreshes before the deadline")
        }
        if trial.kills, killed < run.kills { problems.append("only \(killed) kills before the deadline") }
        let ends = try ends()
        // Of a lost session the others learn that somebody removed it, or signed in anew.
        let allowed: Set<String> = trial.mayLose ? ["lostRotation", "removedElsewhere", "replaced"] : []
        for (reason, count) in ends where !allowed.contains(reason) { problems.append("\(count) ended: \(reason)") }
        let mayRepeat = trial.kills || trial.lostAnswers > 0
        if !mayRepeat, witness.shownAgain > 0 { problems.append("\(witness.shownAgain) refresh tokens shown again") }
        if !trial.mayLose, witness.refusals > 0 { problems.append("\(witness.refusals) refreshes refused") }
        // What is stored last is what the server gave last: it is good.
        let client = try place.client(
            issuer: server.issuer,
            transport: AsyncHTTPClientTransport(),
            userAgent: NoPerson()
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
