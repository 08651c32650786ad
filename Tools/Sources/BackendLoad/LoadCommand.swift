import ArgumentParser
import AsyncHTTPClient
import Backend
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import OstiaryServer

/// Loads a running service, and checks from the outside what must never happen.
@main
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary-backend-load",
        abstract: "Load a running service, and check from the outside what must never happen.",
        discussion: """
            It is the provider, the apps and the thieves of a run; scripts/scale.sh sets the
            rest up. It ends with status 1 when a promise was broken.
            """
    )

    @Option(help: "Where the service, or the proxy before it, listens.") var url: String
    @Option(help: "What the world calls the service.") var origin: String
    @Option(help: "The service's configuration: its store, and the provider's place and secret.") var config: String
    @Option(help: "Where the provider listens.") var providerPort: Int
    @Option(help: "The file with the client's secret.") var secretFile: String
    @Option(help: "The name of the run.") var name = "run"
    @Option(help: "How many codes are handed in.") var exchanges = 1000
    @Option(help: "How many calls are made.") var calls = 10_000
    @Option(help: "How many are under way at once.") var atOnce = 64
    @Option(help: "Of a hundred answers of the provider, how many come late.") var slowShare = 0
    @Option(help: "How late, in seconds.") var slowSeconds = 2.0
    @Option(help: "Do exchanges and calls one after the other, for figures, or at once, as in life.") var order = Order
        .apart

    enum Order: String, ExpressibleByArgument, CaseIterable { case apart, together }

    func run() async throws {
        let secret = try String(contentsOfFile: secretFile, encoding: .utf8)
        let provider = try LoadProvider(
            port: providerPort,
            clientSecret: secret,
            slowShare: slowShare,
            slowSeconds: slowSeconds
        )
        let (running, isRunning) = AsyncStream<Void>.makeStream()
        let port = providerPort
        let serving = Task { try await provider.serve(port: port) { isRunning.finish() } }
        for await _ in running {}
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(3)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = atOnce
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let isGood = try await load(provider, client)
            try await client.shutdown()
            serving.cancel()
            guard isGood else { throw ExitCode.failure }
        } catch {
            try? await client.shutdown()
            serving.cancel()
            throw error
        }
    }

    private func load(_ provider: LoadProvider, _ client: HTTPClient) async throws -> Bool {
        try await untilReady(client)
        let exchanges = Exchanges(
            provider: provider,
            client: client,
            url: url + "/ssafy/verify",
            redirectURI: "https://app.example.com/callback"
        )
        let calls = try Calls(
            provider: provider,
            client: client,
            origin: url,
            externalOrigin: origin,
            audience: "https://api.example.com",
            bearerPath: "/bearer",
            boundPath: "/bound"
        )
        var reports: [Figures.Report] = []
        let answered: [String]
        switch order {
        case .apart:
            answered = await exchanges.run(self.exchanges, atOnce: atOnce, run: name)
            reports.append(exchanges.figures.report())
            let apart = calls.beginningNow()
            await apart.run(self.calls, atOnce: atOnce)
            reports += [apart.figures.report(), apart.thefts.report()]
        case .together:
            async let called: Void = calls.run(self.calls, atOnce: max(1, atOnce / 2))
            answered = await exchanges.run(self.exchanges, atOnce: max(1, atOnce / 2), run: name)
            reports.append(exchanges.figures.report())
            await called
            reports += [calls.figures.report(), calls.thefts.report()]
        }
        let invariants = try await Invariants(
            provider: provider.counts,
            answered: answered,
            reports: reports,
            configuration: BackendConfiguration(contentsOf: config)
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        for report in reports { print(String(decoding: try encoder.encode(report), as: UTF8.self)) }
        print(String(decoding: try encoder.encode(provider.counts), as: UTF8.self))
        for line in invariants.lines { print(line) }
        return invariants.hold
    }

    private func untilReady(_ client: HTTPClient) async throws {
        for _ in 0..<300 {
            if let answer = try? await client.get(url: url + "/ready").get(), answer.status == .ok { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ValidationError("The service at \(url) is not ready.")
    }
}
