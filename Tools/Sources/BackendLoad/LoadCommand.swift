import ArgumentParser
import AsyncHTTPClient
import Backend
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryServer
import Synchronization

/// Loads a running service, and checks its invariants from the outside.
@main
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary-backend-load",
        abstract: "Load a running service, and check its invariants from the outside.",
        discussion: """
            The command acts as the provider, as the apps and as an attacker who replays
            requests; scripts/scale.sh starts the rest. It exits with 1 when an invariant
            does not hold.
            """
    )

    @Option(help: "The URL of the service, or of the proxy before it.") var url: String
    @Option(help: "The service's origin, as clients know it.") var origin: String
    @Option(help: "The service's configuration file, for its store and its client.") var config: String
    @Option(help: "The URL of an instance; the load begins and ends when each is ready.") var instance: [String] = []
    @Option(help: "The port of the provider.") var providerPort: Int
    @Option(help: "The port of the API behind the sessions.") var apiPort: Int
    @Option(help: "The file with the client's secret.") var secretFile: String
    @Option(help: "The name of the run.") var name = "run"
    @Option(help: "The number of codes to redeem.") var exchanges = 1000
    @Option(help: "The number of calls with access tokens.") var calls = 10_000
    @Option(help: "The number of access tokens, half of them bound to a key.") var holders = 200
    @Option(help: "The number of sessions to sign in.") var sessions = 200
    @Option(help: "The number of calls with sessions.") var sessionCalls = 10_000
    @Option(help: "The number of concurrent requests.") var atOnce = 64
    @Option(help: "The folder of the files begun, may-end and over, which tell a script when to kill instances.")
    var signs: String?
    @Option(help: "The longest wait of an app for a response, and for one that it requests again, in seconds.")
    var patience = 15.0
    @Option(help: "The delayed responses of the provider, in per cent.") var slowShare = 0
    @Option(help: "Their delay, in seconds.") var slowSeconds = 2.0
    @Option(help: "A fault of the provider, one after the other while there is load: refuses, limits, drops or hangs.")
    var fault: [Fault] = []
    @Option(help: "The duration of each fault, in seconds.") var faultSeconds = 20.0
    @Flag(help: "Whether the provider accepts a refresh token again, as one with a grace period does.")
    var takesRepetitions = false
    @Flag(help: "Whether sessions may end, such as when instances are killed while they refresh.")
    var mayEndSessions = false
    @Option(help: "A process whose processor time is counted, such as database=4711.") var process: [String] = []
    @Option(
        help: """
            Whether the kinds of request follow one another (apart), all come at once (together), or \
            sessions and codes are used while the provider has faults (faulty), or browsers use a gateway \
            with cookies (gateway).
            """
    )
    var order = Order.apart

    enum Order: String, ExpressibleByArgument, CaseIterable { case apart, together, faulty, gateway }

    func run() async throws {
        let secret = try String(contentsOfFile: secretFile, encoding: .utf8)
        let provider = try LoadProvider(
            port: providerPort,
            apiPort: apiPort,
            clientSecret: secret,
            slowShare: slowShare,
            slowSeconds: slowSeconds,
            takesRepetitions: takesRepetitions
        )
        try await provider.start()
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(3)))
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = atOnce
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let isGood =
                order == .gateway ? try await loadGateway(provider, client) : try await load(provider, client)
            try await client.shutdown()
            guard isGood else { throw ExitCode.failure }
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private func load(_ provider: LoadProvider, _ client: HTTPClient) async throws -> Bool {
        try await untilReady(client)
        let signs = Signs(signs)
        func goal(_ count: Int) -> Goal { Goal(count) { signs.mayEnd } }
        let exchanges = Exchanges(
            provider: provider,
            client: client,
            url: url + "/ssafy/verify",
            redirectURI: "https://app.example.com/callback",
            patience: patience
        )
        let calls = try Calls(
            provider: provider,
            client: client,
            origin: url,
            externalOrigin: origin,
            patience: patience,
            audience: "https://api.example.com",
            holders: holders
        )
        let sessions = try Sessions(
            self.sessions,
            provider: provider,
            client: client,
            origin: url,
            externalOrigin: origin,
            patience: patience
        )
        try signs.begin()
        var reports: [Figures.Report] = []
        var faults: [FaultReport] = []
        var answered: [String] = []
        switch order {
        case .apart:
            let processors = Processors(process)
            func measured(_ figures: Figures, _ phase: () async -> Void) async {
                reports.append(await processors.report(figures, of: phase))
            }
            await measured(exchanges.figures) {
                answered = await exchanges.run(goal(self.exchanges), atOnce: atOnce, run: name)
            }
            await measured(calls.bearer) { await calls.run(.bearer, goal(self.calls / 2), atOnce: atOnce) }
            await measured(calls.bound) { await calls.run(.bound, goal(self.calls / 2), atOnce: atOnce) }
            await measured(sessions.signIns) { await sessions.begin(atOnce: atOnce) }
            await measured(sessions.figures.current) { await sessions.run(goal(sessionCalls), atOnce: atOnce) }
        case .together:
            let share = max(1, atOnce / 4)
            async let bearer: Void = calls.run(.bearer, goal(self.calls / 2), atOnce: share)
            async let bound: Void = calls.run(.bound, goal(self.calls / 2), atOnce: share)
            async let refreshed: Void = {
                await sessions.begin(atOnce: share)
                await sessions.run(goal(sessionCalls), atOnce: share)
            }()
            answered = await exchanges.run(goal(self.exchanges), atOnce: share, run: name)
            reports.append(exchanges.figures.report())
            _ = await (bearer, bound, refreshed)
            reports += [calls.bearer, calls.bound, sessions.signIns].map { $0.report() } + sessions.figures.reports()
        case .faulty:
            await calls.run(.bearer, Goal(self.calls / 2), atOnce: atOnce)
            await sessions.begin(atOnce: atOnce)
            let isOver = Atomic<Bool>(false)
            let callGoal = Goal(sessionCalls) { isOver.load(ordering: .relaxed) }
            let codeGoal = Goal(self.exchanges) { isOver.load(ordering: .relaxed) }
            async let called: Void = sessions.run(callGoal, atOnce: atOnce)
            async let redeemed = exchanges.run(codeGoal, atOnce: max(1, atOnce / 8), run: name)
            let all = Faults(
                provider: provider,
                sessions: sessions,
                signs: signs,
                kinds: fault,
                duration: .seconds(faultSeconds)
            )
            let outcome: Result<[FaultReport], any Error>
            do { outcome = .success(try await all.run()) } catch { outcome = .failure(error) }
            isOver.store(true, ordering: .relaxed)
            await called
            answered = await redeemed
            faults = try outcome.get()
            reports += [exchanges.figures, calls.bearer, sessions.signIns].map { $0.report() }
            reports += sessions.figures.reports()
        case .gateway: break
        }
        reports += [calls.thefts.report(), sessions.thefts.report()]
        try await signs.settle()
        try await untilReady(client)
        let invariants = try await Invariants(
            provider: provider.counts,
            answered: answered,
            missingSessions: sessions.missing(allowingLostAnswers: mayEndSessions),
            mayEndSessions: mayEndSessions,
            reports: reports,
            faults: faults,
            configuration: BackendConfiguration(contentsOf: config)
        )
        try show(reports, faults, provider.counts)
        for line in invariants.lines { print(line) }
        return invariants.hold
    }

    /// Loads a gateway instead of the service; only its figures count.
    private func loadGateway(_ provider: LoadProvider, _ client: HTTPClient) async throws -> Bool {
        let gateway = GatewaySessions(sessions, provider: provider, client: client, url: url, patience: patience)
        let processors = Processors(process)
        let reports = [
            await processors.report(gateway.signIns) { await gateway.begin(atOnce: atOnce) },
            await processors.report(gateway.figures) { await gateway.run(sessionCalls, atOnce: atOnce) },
        ]
        try show(reports, [], provider.counts)
        return reports.allSatisfy { $0.kinds["200", default: 0] > 0 }
    }

    private func show(
        _ reports: [Figures.Report],
        _ faults: [FaultReport],
        _ counts: LoadProvider.Counts
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        for report in reports { print(String(decoding: try encoder.encode(report), as: UTF8.self)) }
        for fault in faults { print(String(decoding: try encoder.encode(fault), as: UTF8.self)) }
        print(String(decoding: try encoder.encode(counts), as: UTF8.self))
    }

    private func untilReady(_ client: HTTPClient) async throws {
        // A proxy that checks no readiness sends requests to an instance without keys.
        for url in instance + [url] {
            var isReady = false
            for _ in 0..<300 where !isReady {
                isReady = await client.ask(.GET, url + "/ready").status == 200
                if !isReady { try await Task.sleep(for: .milliseconds(100)) }
            }
            guard isReady else { throw ValidationError("The service at \(url) is not ready.") }
        }
    }
}
