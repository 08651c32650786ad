#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection to this machine on which every byte is the test's own.
final class LoopbackConnection {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []
    private(set) var isEnded = false

    /// Connects.
    ///
    /// - Throws: `Refused` when no server listens.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard connected == 0 else {
            close(descriptor)
            throw Refused()
        }
        #if canImport(Darwin)
            var isSilent: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isSilent, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close(descriptor) }

    struct Refused: Error {}

    /// The received octets, as text.
    var text: String { String(decoding: received, as: UTF8.self) }

    /// Sends bytes; nothing when the other end has gone.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #if canImport(Glibc)
            _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        #else
            _ = bytes.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
        #endif
    }

    /// Takes what has come, without waiting.
    func poll() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !isEnded {
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            guard count > 0 else {
                isEnded = count == 0 || errno != EAGAIN
                return
            }
            received += chunk.prefix(count)
        }
    }

    /// Lets others go on until something holds of what has come, or the other end has closed the connection.
    func wait(until isDone: (LoopbackConnection) -> Bool) async {
        poll()
        while !isDone(self), !isEnded {
            await Task.yield()
            poll()
        }
    }
}
