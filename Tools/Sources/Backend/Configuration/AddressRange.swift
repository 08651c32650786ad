import NIOCore

/// A range of addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32`.
public struct AddressRange: Sendable, Hashable {
    /// Four bytes, or sixteen.
    private let bytes: [UInt8]
    /// The number of leading bits that its addresses have in common.
    private let length: Int

    /// Reads an address, with or without a prefix length; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = try? SocketAddress(ipAddress: String(first), port: 0),
            let bytes = address.addressBytes
        else { return nil }
        self.bytes = bytes
        guard parts.count == 2 else {
            length = bytes.count * 8
            return
        }
        guard let length = Int(parts[1]), (0...bytes.count * 8).contains(length) else { return nil }
        self.length = length
    }

    /// Reads a list of ranges.
    static func list(_ setting: Setting) throws(BackendConfigurationError) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for element in try setting.elements() {
            guard let range = AddressRange(try element.text()) else {
                throw element.wrong(
                    "Expected an address or a network, such as 10.0.0.0/8 or 2001:db8::/32; found \(element.found)."
                )
            }
            ranges.append(range)
        }
        return ranges
    }

    /// Whether an address is in the range.
    func contains(_ address: SocketAddress) -> Bool {
        guard let other = address.addressBytes, other.count == bytes.count else { return false }
        let whole = length / 8
        guard other.prefix(whole).elementsEqual(bytes.prefix(whole)) else { return false }
        let rest = length % 8
        return rest == 0 || (other[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }
}

extension SocketAddress {
    /// The bytes of the address; of an IPv4-mapped IPv6 address, as dual-stack sockets report it, the last four.
    ///
    /// `nil` for a path.
    var addressBytes: [UInt8]? {
        switch self {
        // The 4 bytes follow family and port. (RFC 3493 section 3.3 for the 16)
        case .v4(let address): return withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            let isMapped = bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
            return isMapped ? Array(bytes.suffix(4)) : bytes
        case .unixDomainSocket: return nil
        }
    }
}
