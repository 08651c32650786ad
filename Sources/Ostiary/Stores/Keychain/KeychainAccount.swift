import Crypto
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The account of the keychain item that holds the value of a key.
///
/// A key of 1 to 500 visible ASCII characters, such as a session's, is its own account, so that a developer who
/// inspects a keychain finds it. Any other key, and one with `#` or a reserved prefix, becomes its SHA-256 digest,
/// since no document says how a keychain compares non-ASCII text. The rule must not change, since items are found by
/// it.
package struct KeychainAccount: Sendable, Hashable {
    /// Prefixes of accounts that are not the key itself.
    private static let reserved = ["sha256:", "ostiary:"]
    /// The item that shows whether the keychain can be opened, and which installation wrote to it.
    package static let probe = "ostiary:canary"

    /// The account.
    package let name: String

    package init(of key: StoreKey) {
        let key = key.description
        let isPlain =
            (1...500).contains(key.utf8.count) && key.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
            && !Self.reserved.contains { key.hasPrefix($0) }
        name = isPlain ? key : "sha256:" + Base64URL.encode(Array(SHA256.hash(data: Array(key.utf8))))
    }

    /// The account of one version of a guarded value.
    func version(_ number: Int) -> String { "\(name)#\(number)" }

    /// The account of the facts about a guarded value that are read without asking the user.
    var companion: String { "\(name)#state" }
}
