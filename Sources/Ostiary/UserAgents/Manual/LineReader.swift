#if os(Linux) || os(macOS)
    import Foundation
    import OstiaryCompatibility

    /// Reads one line of a descriptor without blocking a thread of the pool, and stops when the task is cancelled.
    struct LineReader {
        /// The number of bytes that are kept of a line; a longer line is read to its end.
        private static let maximumBytes = 65_537

        let descriptor: Int32

        /// Returns the line without its end; `nil` at the end of the input, and when the task is cancelled.
        func line() async -> String? {
            let answer = OneAnswer<String?>()
            guard let pipe = LoopbackSocket.wakePipe() else { return nil }
            let waking = WakeEnd(pipe.write)
            let hasStarted = DispatchSemaphore(value: 0)
            let thread = Thread { [descriptor] in
                // On Linux a thread can name itself only after start() has returned.
                hasStarted.wait()
                Thread.current.name = "Ostiary line"
                let line = Self.read(descriptor, until: pipe.read)
                waking.close()
                LoopbackSocket.close(pipe.read)
                answer.set(line)
            }
            thread.stackSize = 1 << 18
            thread.start()
            hasStarted.signal()
            return await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                waking.wake()
            }
        }

        /// Reads byte by byte: the bytes after the line belong to the next reader.
        private static func read(_ descriptor: Int32, until wake: Int32) -> String? {
            var line: [UInt8] = []
            while true {
                var polled = [
                    pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&polled, 2, -1) > 0 else { continue }
                if polled[0].revents != 0 { return nil }
                var byte: UInt8 = 0
                let count = Foundation.read(descriptor, &byte, 1)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count == 1 else { return line.isEmpty ? nil : text(of: line) }
                if byte == UInt8(ascii: "\n") { return text(of: line) }
                if line.count < maximumBytes { line.append(byte) }
            }
        }

        /// Decodes a line, which on other systems may end with a carriage return and a line feed.
        private static func text(of line: [UInt8]) -> String {
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
        }
    }

    /// The end of a pipe that wakes a thread, until that thread has closed it.
    private final class WakeEnd: Sendable {
        private let descriptor: Lock<Int32?>

        init(_ descriptor: Int32) { self.descriptor = Lock(descriptor) }

        func wake() { descriptor.withLock { $0.map(LoopbackSocket.wake) } }

        func close() {
            descriptor.withLock { descriptor in
                descriptor.map(LoopbackSocket.close)
                descriptor = nil
            }
        }
    }
#endif
