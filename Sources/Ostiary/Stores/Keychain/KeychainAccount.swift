import Crypto
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The account of the keychain item that keeps the value of a key.
///
/// A key of visible ASCII characters, such as a session's, is its own account, so that it can be found by whoever looks
/// into a keychain. Any other becomes its SHA-256, since nobody promises how a keychain compares what is not ASCII. This is
/// how items are found again, so it does not change.
package struct KeychainAccount: Sendable, Hashable {
    /// What accounts begin with that are no keys of an app.
    private static let reserved = ["sha256:", "ostiary:"]
    /// The item by which is found out whether the keychain can be opened, and which installation wrote into it.
    package static let canary = "ostiary:canary"

    /// The account.
    package let name: String

    package init(of key: StoreKey) {
        let key = key.description
        let isPlain =
            (1...500).contains(key.utf8.count) && key.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
            && !Self.reserved.contains { key.hasPrefix($0) }
        name = isPlain ? key : "sha256:" + Base64URL.encode(Array(SHA256.hash(data: Array(key.utf8))))
    }

    /// The account of one version of a value that a person guards.
    func version(_ number: Int) -> String { "\(name)#\(number)" }

    /// The account of what is known about a guarded value without asking the person.
    var companion: String { "\(name)#state" }
}
