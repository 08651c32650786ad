import Foundation

/// A trial of the command line: a command is disturbed while the response to its refresh is in transit, and must keep
/// its session.
struct CommandTrial: Sendable {
    var name: String
    var body: @Sendable (inout CommandStage) async throws -> Void
    /// Whether the store lies on a disk of its own.
    var hasDisk = false

    static let all: [CommandTrial] = [
        CommandTrial(name: "signals") { try await $0.signals() },
        CommandTrial(name: "disk-full-after-sending", body: { try await $0.fullDisk() }, hasDisk: true),
        CommandTrial(name: "descriptors") { try await $0.descriptors() },
        CommandTrial(name: "keyring-restarted") { try await $0.restartedKeyring() },
    ]
}

/// A trial that this machine cannot run.
struct TrialUnavailable: Error {
    let reason: String
}
