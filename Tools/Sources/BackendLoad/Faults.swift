import ArgumentParser
import Foundation
import Synchronization

/// A fault of the issuer, as its clients meet it.
enum Fault: String, Sendable, Codable, CaseIterable, ExpressibleByArgument {
    /// Nothing listens at its port.
    case refuses
    /// It rejects every request with 429 and `Retry-After`.
    case limits
    /// Packets to it are lost, also those of open connections.
    case drops
    /// It accepts connections and requests, and never responds.
    case hangs
}

/// The figures of one fault.
struct FaultReport: Sendable, Codable {
    var fault: Fault
    /// The duration of the fault.
    var seconds: Double
    /// The requests with a refresh token that the issuer received meanwhile.
    var refreshes: Int
    /// The time from the end of the fault to the first refresh, repeated or not; `nil` when none came in time.
    var recoverySeconds: Double?
}

/// Puts a provider through its faults while there is load.
struct Faults: Sendable {
    let provider: LoadProvider
    let sessions: Sessions
    let signs: Signs
    let kinds: [Fault]
    /// The duration of each fault, and of each time without one.
    let duration: Duration
    /// The longest wait for the first refresh after a fault: the service's back-off, and a request that waits for its
    /// time limit.
    private static let recovery = Duration.seconds(60)

    func run() async throws -> [FaultReport] {
        var reports: [FaultReport] = []
        try await Task.sleep(for: duration / 2)
        for kind in kinds {
            sessions.figures.begin("session calls: \(kind.rawValue)")
            let began = ContinuousClock.now
            try await begin(kind)
            let before = provider.counts.sessions.refreshRequests
            try await Task.sleep(for: duration)
            let refreshes = provider.counts.sessions.refreshRequests - before
            try await end(kind)
            let ended = ContinuousClock.now
            sessions.figures.begin("session calls: after \(kind.rawValue)")
            let recovered = try await untilRefreshed(since: ended)
            try await Task.sleep(for: duration / 2)
            reports.append(
                FaultReport(
                    fault: kind,
                    seconds: (ended - began) / .seconds(1),
                    refreshes: refreshes,
                    recoverySeconds: recovered.map { $0 / .seconds(1) }
                )
            )
        }
        sessions.figures.begin("session calls")
        return reports
    }

    private func begin(_ fault: Fault) async throws {
        switch fault {
        case .refuses: await provider.stopIssuer()
        case .drops: try await signs.order("drop")
        case .limits, .hangs: provider.fault = fault
        }
    }

    private func end(_ fault: Fault) async throws {
        switch fault {
        case .refuses: try await provider.startIssuer()
        case .drops: try await signs.order("pass")
        case .limits, .hangs: provider.fault = nil
        }
    }

    private func untilRefreshed(since end: ContinuousClock.Instant) async throws -> Duration? {
        func refreshes() -> Int {
            let counts = provider.counts.sessions
            return counts.refreshes + counts.repeatedRefreshes
        }
        let before = refreshes()
        while ContinuousClock.now - end < Self.recovery {
            if refreshes() > before { return ContinuousClock.now - end }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }
}

/// Figures of one kind of request in phases that follow one another.
final class PhasedFigures: Sendable {
    private let phases: Mutex<[Figures]>

    init(_ name: String) { phases = Mutex([Figures(name)]) }

    /// The figures of the current phase.
    var current: Figures { phases.withLock { $0[$0.count - 1] } }

    /// Ends the current phase, and begins another.
    func begin(_ name: String) {
        let next = Figures(name)
        phases.withLock { phases in
            phases.last?.end()
            phases.append(next)
        }
    }

    /// The figures of each phase with a request.
    func reports() -> [Figures.Report] {
        let all = phases.withLock { $0 }.map { $0.report() }
        return all.count == 1 ? all : all.filter { $0.count > 0 || !$0.kinds.isEmpty }
    }
}
