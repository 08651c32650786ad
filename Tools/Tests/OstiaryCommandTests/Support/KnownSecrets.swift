import Foundation
import OstiaryOAuth
import Synchronization

/// Every password, secret, code and token that a test's provider or the test itself has made: none may be printed.
final class KnownSecrets: Sendable {
    private let values = Mutex<Set<String>>([])

    func add(_ value: String?) {
        guard let value, !value.isEmpty else { return }
        values.withLock { _ = $0.insert(value) }
    }

    /// The names of those that stand in a text, as they are or percent-encoded.
    func found(in text: String) -> [String] {
        values.withLock { values in
            values.filter { text.contains($0) || text.contains(FormURLEncoding.escape($0)) }.map {
                String($0.prefix(6)) + "…"
            }
        }
    }

    /// The names of those that stand among some bytes.
    func found(in bytes: Data) -> [String] {
        values.withLock { values in
            values.filter { bytes.range(of: Data($0.utf8)) != nil }.map { String($0.prefix(6)) + "…" }
        }
    }
}
