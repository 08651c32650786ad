import Foundation

/// An IP address that a host's name resolves to.
package struct RemoteAddress: Sendable, Hashable {
    /// Four or sixteen octets, in network order.
    package let octets: [UInt8]

    package init(octets: [UInt8]) { self.octets = octets }

    /// The address as a text, such as `192.0.2.1` or `2001:db8::1`.
    var text: String {
        if octets.count == 4 { return octets.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Whether it is an address of this machine: 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        octets.count == 4 ? octets[0] == 127 : octets == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether it is an address of the public internet: globally reachable by the registries of special-purpose
    /// addresses (RFC 6890), and no address that a gateway turns into another one.
    package var isPublic: Bool {
        octets.count == 4
            ? !Self.special4.contains { $0.contains(octets) }
            : Self.global6.contains(octets) && !Self.special6.contains { $0.contains(octets) }
    }

    private struct Block {
        let octets: [UInt8]
        let bits: Int

        init(_ octets: [UInt8], _ bits: Int) {
            self.octets = octets
            self.bits = bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            (0..<bits).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                let own = bit / 8 < octets.count ? octets[bit / 8] : 0
                return own & mask == address[bit / 8] & mask
            }
        }
    }

    private static let special4: [Block] = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        Block([224], 4), Block([240], 4),
    ]
    /// Global unicast; addresses with an IPv4 address in them, such as ::ffff:127.0.0.1, lie outside.
    private static let global6 = Block([0x20], 3)
    private static let special6: [Block] = [
        Block([0x20, 0x01, 0x00], 23), Block([0x20, 0x01, 0x0d, 0xb8], 32), Block([0x20, 0x02], 16),
        Block([0x3f, 0xff, 0x00], 20),
    ]
}

extension RemoteAddress {
    /// The addresses of a host's name by the system's resolver; empty for an unknown host.
    static func addresses(of host: String) async -> [RemoteAddress] {
        await withCheckedContinuation { continuation in
            // The resolver blocks its thread.
            DispatchQueue.global().async { continuation.resume(returning: resolved(host)) }
        }
    }

    private static func resolved(_ host: String) -> [RemoteAddress] {
        var hints = addrinfo()
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [RemoteAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr, let found = RemoteAddress(address, entry.ai_family) {
                addresses.append(found)
            }
            next = entry.ai_next
        }
        return addresses
    }

    private init?(_ address: UnsafeMutablePointer<sockaddr>, _ family: Int32) {
        switch family {
        case AF_INET:
            octets = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            octets = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }
}

/// The resolver of host names.
package typealias HostResolver = @Sendable (_ host: String) async -> [RemoteAddress]
