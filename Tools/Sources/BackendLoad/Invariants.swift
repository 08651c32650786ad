import Backend
import Foundation
import OstiaryServer

/// What must hold after a run, whatever was killed in it.
struct Invariants {
    /// One line for each.
    var lines: [String] = []
    var hold = true

    init(
        provider: LoadProvider.Counts,
        answered: [String],
        reports: [Figures.Report],
        configuration: BackendConfiguration
    ) async throws {
        check("every code was shown to the provider at most once", provider.shownTwice, isNone: true)
        let forOthers = reports.reduce(0) { $0 + ($1.kinds["200 for somebody else"] ?? 0) }
        check("no app was given another person's answer", forOthers, isNone: true)
        let store = try BackendStore(configuration.store)
        var missing = 0
        for subject in answered where try await store.store.verification(of: subject)?.verified != true {
            missing += 1
        }
        await store.close()
        check("each of \(answered.count) answered exchanges is in the store", missing, isNone: true)
        let accepted = reports.first { $0.name == "proofs shown again" }?.kinds["200"] ?? 0
        check("no proof that was shown again was accepted", accepted, isNone: true)
        check("some exchanges were answered", answered.count, isNone: false)
    }

    private mutating func check(_ sentence: String, _ count: Int, isNone: Bool) {
        let isGood = (count == 0) == isNone
        hold = hold && isGood
        lines.append("\(isGood ? "holds" : "BROKEN (\(count))"): \(sentence)")
    }
}
