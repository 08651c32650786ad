#if os(Linux)
    import Foundation

    /// The two ends of a loopback connection, as the system's connection tables write them, and the user of the far
    /// end.
    ///
    /// Every user of a machine can connect to its loopback ports. The tables `/proc/net/tcp` and `/proc/net/tcp6` name
    /// the user that owns each end of a connection (proc_net_tcp(5)).
    struct LoopbackPeer {
        /// The user of the far end.
        enum Owner: Equatable {
            /// The user with this number.
            case user(UInt32)
            /// The far end has closed the connection, so the tables no longer name its user.
            case gone
            /// The tables do not list the connection.
            case unknown
        }

        /// The far end, in each spelling that it may have.
        private let far: Set<String>
        /// The near end, in each spelling that it may have.
        private let near: Set<String>

        /// Describes a connection.
        ///
        /// - Parameters:
        ///   - far: The octets and the port of the other program's address.
        ///   - near: The octets and the port of this program's address.
        init(far: (address: [UInt8], port: UInt16), near: (address: [UInt8], port: UInt16)) {
            self.far = Self.spellings(of: far.address, far.port)
            self.near = Self.spellings(of: near.address, near.port)
        }

        /// Describes an accepted connection; `nil` when the connection has no addresses any more.
        init?(of descriptor: Int32) {
            guard let far = LoopbackSocket.farEnd(of: descriptor), let near = LoopbackSocket.nearEnd(of: descriptor)
            else { return nil }
            self.init(far: far, near: near)
        }

        /// The user of the far end, read from the system's tables.
        func owner() -> Owner { owner(in: ["/proc/net/tcp", "/proc/net/tcp6"].lazy.map(Self.lines)) }

        /// The user of the far end.
        ///
        /// A program may connect to an IPv4 address with an IPv6 socket, so its end may be in either table. An end
        /// that is not established names no user: once its program has closed it, the system attributes it to user 0.
        func owner(in tables: some Sequence<[String]>) -> Owner {
            var isListed = false
            for table in tables {
                for line in table {
                    let columns = line.split(separator: " ", maxSplits: 8, omittingEmptySubsequences: true)
                    guard columns.count > 7 else { continue }
                    let (local, remote) = (String(columns[1]), String(columns[2]))
                    if near.contains(local), far.contains(remote) { isListed = true }
                    guard far.contains(local), near.contains(remote) else { continue }
                    guard columns[3] == "01", let user = UInt32(columns[7]) else { return .gone }
                    return .user(user)
                }
            }
            return isListed ? .gone : .unknown
        }

        /// An address with its port, as each table writes it: words of the machine's own order, in hexadecimal.
        private static func spellings(of address: [UInt8], _ port: UInt16) -> Set<String> {
            let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            let spellings = address.count == 4 ? [address, mapped + address] : [address]
            return Set(spellings.map { words($0) + ":" + hexadecimal(UInt32(port), digits: 4) })
        }

        private static func words(_ octets: [UInt8]) -> String {
            stride(from: 0, to: octets.count, by: 4).map { start -> String in
                let word: UInt32 = octets[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
                return hexadecimal(word, digits: 8)
            }.joined()
        }

        private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }

        /// Reads a table to its end: the system returns it in pieces, and the file has no size.
        private static func lines(of path: String) -> [String] {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while bytes.count < maximumBytes {
                let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        }

        /// The largest table that is read: some 100,000 connections.
        private static let maximumBytes = 16_777_216
    }
#endif
