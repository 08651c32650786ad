import Foundation
import Synchronization

/// Forwards the signals that this program receives to the program that runs in its place.
///
/// A signal from the terminal, such as an interrupt, reaches both programs: it is not forwarded.
enum SignalForwarding {
    /// The forwarded signals.
    static let numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT]

    /// The end of the pipe that the handler writes to, since a handler can capture nothing.
    private static let wakeUp = Atomic<Int32>(-1)

    /// Whether SIGPIPE was ignored when this program was started.
    private static let pipeWasIgnored = Atomic(false)

    /// Begins before the program is started, so that no signal is missed.
    ///
    /// A signal that this program inherited as ignored, as with `nohup`, stays ignored in both programs.
    ///
    /// - Returns: The descriptor from which the signals are read, one byte each.
    static func begin() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeUp.store(ends[1], ordering: .sequentiallyConsistent)
        for number in numbers where !isIgnored(number) {
            var action = sigaction()
            let handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
                number,
                information,
                _ in
                guard let information, SignalForwarding.isSent(information.pointee) else { return }
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(SignalForwarding.wakeUp.load(ordering: .sequentiallyConsistent), &byte, 1)
            }
            #if canImport(Darwin)
                action.__sigaction_u.__sa_sigaction = handler
            #else
                action.__sigaction_handler.sa_sigaction = handler
            #endif
            action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_SIGINFO)) | Int32(SA_RESTART)
            sigaction(number, &action, nil)
        }
        return ends[0]
    }

    /// Forwards the signals from the pipe.
    ///
    /// `send` is called with the number of each signal.
    static func forward(from reading: Int32, _ send: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(reading, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return }
                send(Int32(byte))
            }
        }
    }

    /// Makes a closed pipe an error of the write to it, and not the end of this process.
    static func ignoreClosedPipes() {
        pipeWasIgnored.store(isIgnored(SIGPIPE), ordering: .sequentiallyConsistent)
        signal(SIGPIPE, SIG_IGN)
    }

    /// The signals that this program ignores for itself, and the one that runs in its place does not.
    static var ownIgnored: [Int32] { pipeWasIgnored.load(ordering: .sequentiallyConsistent) ? [] : [SIGPIPE] }

    /// Whether this program ignores a signal.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // Functions cannot be compared, and this one is a number.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Whether a process sent it, and not the terminal.
    private static func isSent(_ information: siginfo_t) -> Bool {
        #if canImport(Darwin)
            information.si_pid != 0
        #else
            information.si_code <= 0
        #endif
    }
}
