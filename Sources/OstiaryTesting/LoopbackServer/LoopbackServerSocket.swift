import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A TCP socket of a ``LoopbackServer``, closed with its last reference.
final class SocketDescriptor: Sendable {
    private let descriptor: Int32

    /// The time in milliseconds after which a waiting call checks whether to continue.
    private static let patience: Int32 = 20

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = systemClose(descriptor) }

    /// Takes a port.
    init(onLoopback: Void) throws {
        #if canImport(Darwin) || canImport(Musl)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Self.systemError }
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else { throw Self.systemError }
    }

    func startListening() throws {
        guard listen(descriptor, 128) == 0 else { throw Self.systemError }
    }

    func localPort() throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard named == 0 else { throw Self.systemError }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits for a connection; `nil` when it is not to go on.
    func accept(while goesOn: () -> Bool) -> SocketDescriptor? {
        while goesOn() {
            guard isReady(for: POLLIN) else { continue }
            let accepted = systemAccept(descriptor)
            guard accepted >= 0 else { continue }
            let socket = SocketDescriptor(accepted)
            socket.keepLittleUnsent()
            return socket
        }
        return nil
    }

    /// Reads the available bytes; empty when the other side closed, `nil` when the caller stopped it.
    func read(while goesOn: () -> Bool) -> [UInt8]? {
        while goesOn() {
            guard isReady(for: POLLIN) else { continue }
            return readNow()
        }
        return nil
    }

    /// Writes all bytes, and returns the number that the system accepted before the connection closed or the caller
    /// stopped it.
    func write(_ bytes: [UInt8], while goesOn: () -> Bool) -> Int {
        var written = 0
        while written < bytes.count, goesOn() {
            guard isReady(for: POLLOUT) else { continue }
            let count = bytes[written...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Self.sendFlags)
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        return written
    }

    /// Waits until the other side closes, at most so long.
    func isClosed(within duration: Duration, while goesOn: () -> Bool) -> Bool {
        let end = ContinuousClock.now + duration
        while goesOn() {
            let left = end - ContinuousClock.now
            guard left > .zero else { return false }
            let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            let wait = max(1, min(Int64(Self.patience), milliseconds))
            // The bytes that a client sends meanwhile are ignored; only the end of the connection counts.
            if isReady(for: POLLIN, within: Int32(wait)), readNow().isEmpty { return true }
        }
        return false
    }

    private func readNow() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    private func isReady(for events: Int32, within milliseconds: Int32 = patience) -> Bool {
        var query = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&query, 1, milliseconds) > 0
    }

    /// A small send buffer makes the number of written bytes close to the number that was read.
    private func keepLittleUnsent() {
        var size: Int32 = 65_536
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var yes: Int32 = 1
        #if canImport(Darwin)
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static var systemError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    private static var sendFlags: Int32 {
        #if canImport(Darwin)
            0
        #else
            Int32(MSG_NOSIGNAL)
        #endif
    }
}

// The methods above have the names of the system's functions.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
