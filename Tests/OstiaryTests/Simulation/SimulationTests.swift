import Foundation
import Ostiary
import OstiaryProvider
import Testing

@Suite("The refresh machine in a simulated world")
struct SimulationTests {
    /// `OSTIARY_SEEDS=100000` for more; `OSTIARY_SEED=17` for one.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["OSTIARY_SEED"].flatMap(UInt64.init) { return one..<one + 1 }
        return 0..<(environment["OSTIARY_SEEDS"].flatMap(UInt64.init) ?? 2000)
    }()

    @Test("The refresh machine breaks no rule under any faults", .failure("Any of these at once, in any order"))
    func faults() {
        var broken: [String] = []
        for seed in Self.seeds {
            var simulation = Simulation(seed: seed)
            if Self.seeds.count == 1 { simulation.tracing = { print($0) } }
            broken += simulation.run().map { "seed \(seed): \($0)" }
        }
        let report = broken.prefix(40).joined(separator: "\n")
        #expect(broken.isEmpty, "\(broken.count) rules broken, the first of them:\n\(report)")
    }

    @Test("Without faults the refresh machine signs no user out and sends no refresh token twice")
    func kind() {
        for seed in Self.seeds.prefix(200) {
            var simulation = Simulation(seed: seed, faults: SimulatedFaults.none, grace: 0)
            #expect(simulation.run().isEmpty)
            #expect(simulation.processes.allSatisfy { $0.machine?.end == nil && $0.machine != nil })
        }
    }

    @Test("With repeatable refreshes neither crashes nor lost responses end a session")
    func grace() {
        var faults = SimulatedFaults()
        faults.answerLost = 0.3
        faults.requestLost = 0.1
        faults.crash = 0.05
        faults.serverError = 0.1
        faults.keysMissing = 0.3
        faults.keysUnreachable = 0.3
        faults.writeFails = 0.1
        var broken: [String] = []
        for seed in Self.seeds.prefix(500) {
            var simulation = Simulation(seed: seed, faults: faults, grace: .infinity)
            broken += simulation.run().map { "seed \(seed): \($0)" }
            if simulation.processes.contains(where: { $0.machine?.end != nil }) {
                broken.append("seed \(seed): an end")
            }
        }
        #expect(broken.isEmpty, "\(broken.count) rules broken: \(broken.prefix(10))")
    }

    @Test(
        "With the refresh tokens of each described provider, only its refusal ends a session",
        arguments: ProviderManners.all
    )
    func manners(_ manners: ProviderManners) {
        let provider = SimulatedProvider(manners)
        var broken: [String] = []
        for seed in Self.seeds.prefix(max(1, Self.seeds.count / 20)) {
            var simulation = Simulation(seed: seed, provider: provider)
            broken += simulation.run().map { "seed \(seed): \($0)" }
            guard provider.grace == .infinity else { continue }
            var lossy = SimulatedFaults()
            (lossy.answerLost, lossy.requestLost, lossy.crash, lossy.writeFails) = (0.3, 0.1, 0.05, 0.1)
            (lossy.serverError, lossy.keysMissing, lossy.keysUnreachable, lossy.answerUnusable) = (0.1, 0.3, 0.3, 0.2)
            var other = Simulation(seed: seed, faults: lossy, provider: provider)
            broken += other.run().map { "seed \(seed), lossy: \($0)" }
            if other.processes.contains(where: { $0.machine?.end != nil }) { broken.append("seed \(seed): an end") }
        }
        #expect(broken.isEmpty, "\(broken.count) rules broken: \(broken.prefix(10))")
    }

    @Test("A run is the same each time that its seed is used")
    func replay() {
        for seed in [3, 17, 99] as [UInt64] {
            var one = Simulation(seed: seed)
            var other = Simulation(seed: seed)
            #expect(one.run() == other.run())
            #expect(one.time == other.time && one.provider.refreshes == other.provider.refreshes)
            #expect(one.store == other.store)
        }
    }

    @Test(
        "Every known mistake in the refresh machine is caught by a seed",
        arguments: SimulatedMistake.allCases.filter { $0 != .none }
    )
    func mistakes(_ mistake: SimulatedMistake) {
        let seed = (0..<2000 as Range<UInt64>).first { seed in
            var simulation = Simulation(seed: seed, mistake: mistake)
            return !simulation.run().isEmpty
        }
        #expect(seed != nil, "2,000 seeds do not show it.")
    }
}
