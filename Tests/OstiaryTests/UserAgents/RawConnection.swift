import Foundation

/// A connection to this machine that sends octets as they are, as no HTTP client would.
final class RawConnection: Sendable {
    struct Refused: Error {}

    private let descriptor: Int32

    init(port: Int, host: String = "127.0.0.1") throws {
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let isIPv6 = host == "::1"
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        // A test that gets no reply fails instead of waiting for ever.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let connected: Int32
        if isIPv6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = UInt16(port).bigEndian
            name.sin6_addr = in6addr_loopback
            connected = Self.connect(descriptor, &name)
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = UInt16(port).bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            connected = Self.connect(descriptor, &name)
        }
        guard connected == 0 else { throw Refused() }
    }

    deinit { _ = Foundation.close(descriptor) }

    /// Sends text.
    ///
    /// - Parameter isLast: Whether nothing will follow, which the other side learns.
    func send(_ text: String, ending isLast: Bool = false) {
        let bytes = Array(text.utf8)
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            // The last octets leave together with the end: who reads them early would not see it.
            let flags = Int32(MSG_NOSIGNAL) | (isLast ? Int32(MSG_MORE) : 0)
        #endif
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
        if isLast { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Everything that comes until the other side ends.
    func response() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    if count < 0, errno == EAGAIN { bytes += Array("(nothing for 20 seconds)".utf8) }
                    guard count > 0 else { break }
                    bytes += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    private static func connect<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
        withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }
}
