import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// One trial: a provider, a stored session, and the processes that share it.
struct StressSession {
    let trial: StressTrial
    let run: StressRun
    let place: StressPlace
    let disk: SmallDisk?
    let witness: StressWitness
    let server: RunningProvider
    let log: StressLog
    var children: [Process] = []
    var killed = 0
    var signIns = 0
    /// The number of periods in which no process could write.
    var troubles = 0
    /// The processes whose arguments or environment contained a secret.
    var talkative: Set<Int32> = []

    static let password = "correct horse battery"

    /// Runs a trial.
    static func run(_ trial: StressTrial, of run: StressRun) async throws -> StressOutcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "session-stress-\(UUID().uuidString)").path
        let place = StressPlace(folder: folder)
        for path in [place.ends, place.logs] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = trial.disk == nil ? nil : try SmallDisk(at: place.store)
        defer { disk?.unmount() }
        let witness = StressWitness()
        let server = try await provider(watchedBy: witness, reuse: trial.grace)
        var session = StressSession(
            trial: trial,
            run: run,
            place: place,
            disk: disk,
            witness: witness,
            server: server,
            log: try StressLog(named: "driver", in: place)
        )
        let outcome = try await session.outcome()
        await server.stop()
        return outcome
    }

    /// Starts a provider.
    ///
    /// `reuse` is the time in seconds for which it accepts a used refresh token as a repetition, by default none.
    /// `accessTokenLifetime` is in seconds. `delay` is awaited before each response.
    static func provider(
        watchedBy witness: StressWitness,
        reuse: Double = 0,
        accessTokenLifetime: Double = 900,
        delay: @escaping @Sendable (_ path: String) async -> Void = { _ in }
    ) async throws -> RunningProvider {
        var random = SecureRandom()
        let hash = try PasswordHash(Secret(password), cost: .insecureForTests, using: &random)
        return try await ProviderServer.start(delay: delay) { issuer in
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
                    lifetimes: .init(accessToken: .seconds(accessTokenLifetime), refreshTokenReuse: .seconds(reuse))
                ),
                clock: .system,
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
        disk: SmallDisk?,
        witness: StressWitness,
        server: RunningProvider,
        log: StressLog
    ) {
        self.trial = trial
        self.run = run
        self.place = place
        self.disk = disk
        self.witness = witness
        self.server = server
        self.log = log
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
        _ = try await place.client(issuer: server.issuer, transport: transport, userAgent: person, log: log)
            .signIn()
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
        try StressLog(named: "\(number)", in: place).take(from: child)
        try child.run()
        return child
    }

    /// Lets the trial go on until there were enough refreshes.
    private mutating func disturb() async throws {
        let deadline = ContinuousClock.now + .seconds(60 + Double(run.refreshes))
        while witness.refreshes < run.refreshes || trial.kills && killed < run.kills {
            guard ContinuousClock.now < deadline else { return }
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...60)))
            if trial.kills, let number = children.indices.randomElement() {
                try await waitForRefreshes(Int.random(in: 0...8))
                stop(children[number])
                killed += 1
                children[number] = try child(number)
            }
            if let trouble = trial.disk, let disk { try await make(trouble, of: disk) }
            talkative.formUnion(children.map(\.processIdentifier).filter(witness.secrets.isShown(byProcess:)))
            if trial.mayLose, try await isSignedOut() { try await signIn() }
        }
    }

    /// Waits for some refreshes, at most two seconds, so that on a busy machine no process is killed before its first
    /// one.
    private func waitForRefreshes(_ count: Int) async throws {
        let wanted = witness.refreshes + count
        let deadline = ContinuousClock.now + .seconds(2)
        while witness.refreshes < wanted, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...10)))
        }
    }

    /// Lets every process finish its current operation: killing one now would be another trial.
    private func finish() async throws {
        _ = FileManager.default.createFile(atPath: place.stop, contents: nil)
        let deadline = ContinuousClock.now + .seconds(60)
        while children.contains(where: \.isRunning), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        for child in children where child.isRunning { stop(child) }
    }

    private func isSignedOut() async throws -> Bool {
        let client = try place.client(
            issuer: server.issuer,
            transport: AsyncHTTPClientTransport(),
            userAgent: NoPerson(),
            log: log
        )
        return try await client.restoreSession() == nil
    }

    private func stop(_ child: Process) {
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
    }
}
