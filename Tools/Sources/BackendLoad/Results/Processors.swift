import Foundation

/// The processor time of the other processes: the instances, the database, the proxy, and this process, which is
/// clients and provider.
///
/// The time per request shows the capacity of separate machines, though all share one here.
struct Processors: Sendable {
    /// Process identifiers by name; the children of a process count with it.
    let processes: [(name: String, identifier: Int)]

    /// - Parameter arguments: Such as `database=4711`; several may have one name.
    init(_ arguments: [String]) {
        processes = arguments.compactMap { argument in
            let parts = argument.split(separator: "=")
            guard parts.count == 2, let identifier = Int(parts[1]) else { return nil }
            return (String(parts[0]), identifier)
        }
    }

    /// The seconds of processor time that each has used since it began.
    func seconds() -> [String: Double] {
        guard !processes.isEmpty else { return [:] }
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let running = all.compactMap { Int($0).flatMap(Self.process) }
        let own = Int(ProcessInfo.processInfo.processIdentifier)
        var seconds: [String: Double] = [:]
        for (name, identifier) in processes + [("clients and provider", own)] {
            let ticks = running.filter { $0.identifier == identifier || $0.parent == identifier }.reduce(0) {
                $0 + $1.ticks
            }
            seconds[name, default: 0] += Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
        return seconds
    }

    /// Returns the figures of a phase, with the processor time that each used meanwhile.
    func report(_ figures: Figures, of phase: () async -> Void) async -> Figures.Report {
        let before = seconds()
        await phase()
        var report = figures.report()
        report.processorSeconds = seconds().merging(before) { $0 - $1 }
        return report
    }

    /// A process's parent and processor time, with that of its children that have ended. (proc(5), `/proc/PID/stat`)
    private static func process(_ identifier: Int) -> (identifier: Int, parent: Int, ticks: Int)? {
        guard let line = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8),
            // The name may hold anything; what follows its last parenthesis does not.
            let end = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[end...].split(separator: " ").dropFirst().map(String.init)
        guard fields.count > 14, let parent = Int(fields[1]) else { return nil }
        return (identifier, parent, fields[11...14].compactMap { Int($0) }.reduce(0, +))
    }
}
