import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension BackendConfiguration.ClientAddress {
    /// Who a request is from; `nil` when nobody knows.
    func name(_ request: Request, _ context: BackendContext) -> String? {
        let peer = context.remoteAddress?.networkName
        switch self {
        case .connection: return peer
        case .forwarded:
            // What stands before the last entry is what the client wrote, and no more true than it. A request whose last entry is no
            // address did not come by the proxy, or by one that is set up wrongly: it counts for whoever it came from.
            guard let field = HTTPField.Name("X-Forwarded-For"), let line = request.headers[values: field].last,
                let last = line.split(separator: ",", omittingEmptySubsequences: false).last
            else { return peer }
            let entry = last.filter { $0 != " " && $0 != "\t" }
            return (try? SocketAddress(ipAddress: entry, port: 0))?.networkName ?? peer
        }
    }
}

extension SocketAddress {
    /// The address without the port, and of an IPv6 address the 64 bits that one customer of a network has.
    var networkName: String? {
        switch self {
        case .v4: return ipAddress
        case .v6(let address):
            // Family, port and flow stand before the 16 bytes, on every platform. (RFC 3493 section 3.3)
            let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            // An IPv4 address in the form that a socket for both shows it in.
            if bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
                return bytes.suffix(4).map(String.init).joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        case .unixDomainSocket: return nil
        }
    }
}
