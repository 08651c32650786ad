import Foundation
import OstiaryOAuth
import Synchronization

/// A program that runs in place of this one: with its input and output, its signals, and its exit status.
struct RunningCommand: Sendable {
    private let process: pid_t
    private let ended = Race<Int32>()
    private let life = Life()

    /// Whether it runs: once it does not, another process may have its number.
    private final class Life: Sendable {
        let isOver = Atomic(false)
    }

    /// The reason a program cannot be started.
    enum Failure: Error {
        case notFound
        case cannotRun
    }

    /// Starts a program that is found in `PATH`.
    ///
    /// `variables` are added to this program's own environment. The number of `descriptor` is the one that the program
    /// knows a descriptor of this one by; `nil` for none.
    init(
        _ command: [String],
        adding variables: [String: String],
        passing descriptor: (own: Int32, number: Int32)? = nil
    ) throws(Failure) {
        process = try Self.spawn(command, variables, descriptor)
        let (process, ended, life) = (process, ended, life)
        Thread.detachNewThread {
            var status: Int32 = 0
            var result: pid_t
            repeat { result = waitpid(process, &status, 0) } while result < 0 && errno == EINTR
            life.isOver.store(true, ordering: .sequentiallyConsistent)
            // One that was ended by a signal counts as failed with its number, as shells have it.
            let signal = status & 0x7F
            ended.finish(.success(result < 0 ? 125 : signal == 0 ? status >> 8 & 0xFF : 128 + signal))
        }
    }

    /// Its exit status; 128 and the signal's number when a signal ended it.
    func status() async throws -> Int32 { try await ended.result() }

    /// Whether it has ended.
    var hasEnded: Bool { life.isOver.load(ordering: .sequentiallyConsistent) }

    /// Sends it a signal.
    func send(_ signal: Int32) { kill(process, signal) }

    private static func spawn(
        _ command: [String],
        _ variables: [String: String],
        _ descriptor: (own: Int32, number: Int32)?
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        guard let program = command.first, posix_spawn_file_actions_init(&actions) == 0 else { throw .cannotRun }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { throw .cannotRun }
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of this program block signals, and it handles some and ignores one. The other program starts with
        // all signals as this one did; handlers are reset in another program automatically.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in SignalForwarding.ownIgnored { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor.own, descriptor.number) }
        var arguments = command.map { strdup($0) } + [nil]
        let merged = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        var environment = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process: pid_t = 0
        switch posix_spawnp(&process, program, &actions, &attributes, &arguments, &environment) {
        case 0: return process
        case ENOENT: throw .notFound
        default: throw .cannotRun
        }
    }
}
