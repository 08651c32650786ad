import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension BackendConfiguration {
    /// Who a request is from; `nil` when nobody knows.
    func sender(of request: Request, _ context: BackendContext) -> String? {
        let peer = context.remoteAddress?.networkName
        guard clientAddress == .forwarded else { return peer }
        // What stands before the entries of one's own proxies is what the client wrote, and no more true than it. A request whose
        // last entry is no address did not come by the proxy, or by one that is set up wrongly: it counts for whoever it came from.
        let entries = request.headers[values: .xForwardedFor].flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let proxies = trustedProxies ?? []
        var found: SocketAddress?
        for entry in entries.reversed() {
            let text = entry.filter { $0 != " " && $0 != "\t" }
            guard let address = try? SocketAddress(ipAddress: text, port: 0) else { break }
            found = address
            guard proxies.contains(where: { $0.contains(address) }) else { break }
        }
        return found?.networkName ?? peer
    }
}

extension SocketAddress {
    /// The address without the port, and of an IPv6 address the 64 bits that one customer of a network has.
    var networkName: String? {
        guard let bytes = addressBytes else { return nil }
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}
