import HTTPTypes
import OstiaryJOSE
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last nonce of each server, by origin and by what it answered as (RFC 9449 sections 8 and 9).
///
/// One origin may be both an authorization server and a resource server, with nonces of their own.
final class DPoPNonces: Sendable {
    /// What a server answers as.
    enum Role: Sendable, Hashable {
        case authorizationServer, resourceServer
    }

    private struct Place: Hashable {
        let scheme: String
        let host: String
        let port: Int?
        let role: Role
    }

    private struct State {
        var nonces: [Place: String] = [:]
        /// The least recently changed first.
        var order: [Place] = []
    }

    private let state = Mutex(State())

    func nonce(for url: URL, as role: Role) -> String? {
        guard let place = Self.place(url, role) else { return nil }
        return state.withLock { $0.nonces[place] }
    }

    /// Remembers the nonce of any answer, also of a success (RFC 9449 section 8.2).
    ///
    /// - Returns: Whether there was one that can be used: at most 512 bytes, of the characters that a nonce may have.
    @discardableResult
    func remember(_ response: EndpointResponse, to url: URL, as role: Role) -> Bool {
        let values = response.fields[values: .dpopNonce]
        guard values.count == 1, NamedCheck.holds("dpop.nonce", Self.isUsable(values[0])),
            let place = Self.place(url, role)
        else { return false }
        state.withLock { state in
            state.order.removeAll { $0 == place }
            state.order.append(place)
            state.nonces[place] = values[0]
            if state.order.count > Self.kept { state.nonces[state.order.removeFirst()] = nil }
        }
        return true
    }

    /// `1*NQCHAR` (RFC 9449 section 8.1), and not absurdly long.
    private static func isUsable(_ nonce: String) -> Bool {
        (1...512).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    private static func place(_ url: URL, _ role: Role) -> Place? {
        guard let parts = URIParts(url), let host = parts.authority?.host else { return nil }
        return Place(scheme: parts.scheme, host: host, port: parts.effectivePort, role: role)
    }

    private static let kept = 100
}
