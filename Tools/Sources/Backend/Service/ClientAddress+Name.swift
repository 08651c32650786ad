import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension BackendConfiguration {
    /// The client address of a request; `nil` when it is unknown.
    func sender(of request: Request, _ context: BackendContext) -> String? {
        let peer = context.remoteAddress?.networkName
        guard clientAddress == .forwarded else { return peer }
        // Entries before those of trusted proxies were written by the client and cannot be trusted. A request whose
        // last entry is not an address did not pass the proxy, or the proxy is misconfigured: the peer of the
        // connection counts.
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
    /// The address without its port; of an IPv6 address the 64-bit prefix, which one customer of a network usually has.
    var networkName: String? {
        guard let bytes = addressBytes else { return nil }
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}
