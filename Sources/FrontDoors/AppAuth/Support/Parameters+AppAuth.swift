import Foundation
import Ostiary
import OstiaryOAuth

extension Parameters {
    /// Adds an app's parameters in the order of their names: a dictionary has none.
    mutating func append(_ additional: [String: String]) {
        for (name, value) in additional.sorted(by: { $0.key < $1.key }) { append(value, for: Name(rawValue: name)) }
    }
}

extension URL {
    /// The URL with parameters behind those of its own query.
    func appending(_ parameters: Parameters) -> URL {
        guard !parameters.pairs.isEmpty else { return self }
        let text = absoluteString
        let separator = query(percentEncoded: true) == nil ? "?" : "&"
        return URL(string: text + separator + FormURLEncoding.encode(parameters)) ?? self
    }

    /// Whether a browser may be sent there: https, or this machine.
    var isSecureOrLoopback: Bool {
        let hosts: Set<String> = ["127.0.0.1", "::1", "[::1]", "localhost"]
        return scheme?.lowercased() == "https"
            || scheme?.lowercased() == "http" && hosts.contains(host()?.lowercased() ?? "")
    }

    /// The name and value of each parameter of the query; of a repeated name, the last value.
    var queryParameters: [String: String] {
        let pairs = FormURLEncoding.decode(query(percentEncoded: true) ?? "")?.pairs ?? []
        return Dictionary(pairs.map { ($0.name.rawValue, $0.value) }) { _, last in last }
    }
}

extension Scope {
    /// Whether every character may be in a scope (RFC 6749 section 3.3).
    var isAllowed: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy { $0 == 0x21 || 0x23...0x5B ~= $0 || 0x5D...0x7E ~= $0 }
    }
}
