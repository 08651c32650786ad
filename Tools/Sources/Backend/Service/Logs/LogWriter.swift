import Foundation
import Metrics
import OstiaryCompatibility

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes lines to a file descriptor on its own thread.
///
/// Logging never blocks: a full disk, or a collector that is gone or stopped reading, loses lines, and delays neither
/// the process nor a request. Lost lines are counted in `ostiary_log_lines_dropped_total`, and reported in the log once
/// it can be written again.
final class LogWriter: Sendable {
    private struct State {
        var bytes = 0
        var dropped = 0
    }

    /// Standard error.
    static let standardError = LogWriter(2)

    private let descriptor: Int32
    private let maximumBytes: Int
    private let queue = DispatchQueue(label: "ostiary.log")
    private let state = Lock(State())

    /// Makes a writer that buffers at most so many bytes of unwritten lines.
    init(_ descriptor: Int32, maximumBytes: Int = 4_194_304) {
        self.descriptor = descriptor
        self.maximumBytes = maximumBytes
        // Otherwise a closed pipe ends the process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The number of lines lost since the last one that was written.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Queues a line.
    func write(_ line: [UInt8]) {
        let isTaken = state.withLock { state -> Bool in
            guard state.bytes + line.count <= maximumBytes else {
                state.dropped += 1
                return false
            }
            state.bytes += line.count
            return true
        }
        guard isTaken else { return Self.count(1) }
        queue.async { self.write(now: line) }
    }

    /// Waits until the lines so far are written, at most for so many seconds.
    func flush(within seconds: Double) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + seconds)
    }

    private func write(now line: [UInt8]) {
        let isWritten = written(line)
        let lost = state.withLock { state -> Int in
            state.bytes -= line.count
            guard isWritten else {
                state.dropped += 1
                return 0
            }
            defer { state.dropped = 0 }
            return state.dropped
        }
        if !isWritten { Self.count(1) }
        guard lost > 0 else { return }
        _ = written(Array(#"{"level":"warning","message":"log lines were lost","lines":"\#(lost)"}"#.utf8) + [0x0A])
    }

    private func written(_ line: [UInt8]) -> Bool {
        var offset = 0
        while offset < line.count {
            let count = line.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, offset, line.count) }
            if count > 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Another process made the pipe non-blocking: only this thread waits.
                var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&wish, 1, 1000) > 0 else { return false }
            default: return false
            }
        }
        return true
    }

    private func systemWrite(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ offset: Int, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, base.map { $0 + offset }, count - offset)
        #elseif canImport(Musl)
            Musl.write(descriptor, base.map { $0 + offset }, count - offset)
        #else
            Darwin.write(descriptor, base.map { $0 + offset }, count - offset)
        #endif
    }

    private static func count(_ lines: Int) { Counter(label: "ostiary_log_lines_dropped").increment(by: lines) }
}
