import Foundation

/// Processor time of one operation, of several contenders measured in turn.
struct Measurement {
    let name: String
    let nanoseconds: Double

    /// Runs every contender in short slices, one after the other, and keeps the best slice of each, so that other load
    /// on the machine affects all of them alike.
    static func compare(
        rounds: Int = 7,
        iterations: Int,
        _ contenders: [(name: String, body: @Sendable () async throws -> Void)]
    ) async throws -> [Measurement] {
        var best = [Double](repeating: .infinity, count: contenders.count)
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                let start = processorTime()
                for _ in 0..<iterations { try await contender.body() }
                best[index] = min(best[index], (processorTime() - start) / Double(iterations))
            }
        }
        return zip(contenders, best).map { Measurement(name: $0.name, nanoseconds: $1) }
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
