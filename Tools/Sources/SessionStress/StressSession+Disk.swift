import Foundation

extension StressSession {
    /// Prevents all processes from writing for a while.
    mutating func make(_ trouble: StressTrial.DiskTrouble, of disk: SmallDisk) async throws {
        switch trouble {
        case .full:
            disk.fill()
            try await Self.aWhile()
            disk.empty()
        // Both ways: a disk with open files cannot be made read-only, and no lock can be taken on a read-only one.
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
