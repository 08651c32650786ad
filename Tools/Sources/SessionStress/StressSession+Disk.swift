import Foundation

extension StressSession {
    /// Keeps everybody from writing for a while.
    mutating func make(_ trouble: StressTrial.DiskTrouble, of disk: SmallDisk) async throws {
        switch trouble {
        case .full:
            disk.fill()
            try await Self.aWhile()
            disk.empty()
        // Both ways, since a disk whose files are open cannot be made read-only, and one that is lets nobody lock.
        case .readOnly where Bool.random():
            guard try await disk.makeReadOnly() else { return }
            try await Self.aWhile()
            try disk.makeWritable()
        case .readOnly:
            guard try disk.freeze() else { return }
            try await Self.aWhile()
            try disk.thaw()
        }
        troubles += 1
        try await Task.sleep(for: .milliseconds(150))
    }

    private static func aWhile() async throws { try await Task.sleep(for: .milliseconds(Int.random(in: 10...400))) }
}
