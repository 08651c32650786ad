import Foundation
import Subjects

/// Processor time of one operation, of several contenders measured in turn.
struct Measurement {
    let name: String
    let nanoseconds: Double

    /// The number of slices of each contender.
    static let rounds = 7

    /// Runs every contender in short slices, one after the other, and keeps the best slice of each, so that other load
    /// on the machine affects all of them alike.
    static func compare(
        iterations: Int,
        _ contenders: [(name: String, body: @Sendable () async throws -> Void)],
        _ peers: [Peer] = []
    ) async throws -> [Measurement] {
        var names = contenders.map(\.name) + peers.map { _ in "" }
        var best = [Double](repeating: .infinity, count: names.count)
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                let start = processorTime()
                for _ in 0..<iterations { try await contender.body() }
                best[index] = min(best[index], (processorTime() - start) / Double(iterations))
            }
            for (index, peer) in peers.enumerated() {
                let place = contenders.count + index
                let (name, time) = try peer.measured()
                (names[place], best[place]) = (name, min(best[place], time))
            }
        }
        return zip(names, best).map { Measurement(name: $0, nanoseconds: $1) }
    }

    /// Measures the rows of a subject, and of `others` and `peers`, and prints their table.
    static func show(
        _ subject: Subject,
        iterations: Int,
        beside others: [(name: String, body: @Sendable () async throws -> Void)] = [],
        _ peers: [Peer] = []
    ) async throws {
        let rows: [(name: String, body: @Sendable () async throws -> Void)] = subject.rows.map { row in
            (row.name, { try row.operation() })
        }
        show(subject.title, try await compare(iterations: iterations, rows + others, peers))
    }

    /// Prints a table; the first contender is the measure.
    static func show(_ title: String, _ measurements: [Measurement]) {
        print(title)
        let base = measurements[0].nanoseconds
        for measurement in measurements {
            let time = String(format: "%10.2f us", measurement.nanoseconds / 1000)
            let ratio = String(format: "%6.2f x", measurement.nanoseconds / base)
            print("  \(measurement.name.padding(toLength: 46, withPad: " ", startingAt: 0)) \(time) \(ratio)")
        }
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
