#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket on this machine that says nothing.
final class SilentSocket {
    let port: Int
    private let descriptor: Int32

    /// Takes the port.
    ///
    /// - Parameters:
    ///   - purpose: Whether connections come about.
    ///   - host: An address of this machine. Default: 127.0.0.1.
    ///   - wanted: The port. Default: a free one.
    /// - Throws: `NoPort` where the port cannot be taken.
    init(_ purpose: Purpose, at host: String = "127.0.0.1", port wanted: Int = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = UInt16(wanted).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        guard bound, purpose == .reserving || listen(descriptor, 8) == 0 else { throw NoPort() }
    }

    enum Purpose {
        case reserving
        /// Connections come about, and no server answers on them.
        case listening
    }

    deinit { close(descriptor) }
}

enum FreePort {
    static func find() throws -> Int { try SilentSocket(.reserving).port }
}

struct NoPort: Error {}
