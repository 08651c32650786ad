import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last nonce of each server, by origin and by the server's role (RFC 9449 sections 8 and 9).
///
/// One origin may be both an authorization server and a resource server, with nonces of their own.
final class DPoPNonces: Sendable {
    /// The role in which a server responds.
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

    private let state = Lock(State())

    func nonce(for url: URL, as role: Role) -> String? {
        guard let place = Self.place(url, role) else { return nil }
        return state.withLock { $0.nonces[place] }
    }

    /// Stores the nonce of any response, also of a successful one (RFC 9449 section 8.2).
    ///
    /// - Returns: Whether the response had a valid nonce: at most 512 bytes, of the characters that a nonce may have.
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

    /// The newest nonces, the oldest of them first, to begin another process with.
    func newest(_ count: Int) -> [KeptNonce] {
        state.withLock { state in
            state.order.suffix(count).compactMap { place in
                state.nonces[place].map {
                    KeptNonce(scheme: place.scheme, host: place.host, port: place.port, role: place.role, value: $0)
                }
            }
        }
    }

    /// Takes nonces of an earlier process, where no newer one is known.
    ///
    /// - Parameter kept: As ``newest(_:)`` returns them, the oldest first; they count as older than those known now.
    func restore(_ kept: [KeptNonce]) {
        state.withLock { state in
            // The newest first: each one goes before those that are newer, and where there is no room the oldest are
            // left out.
            for nonce in kept.reversed() where Self.isUsable(nonce.value) {
                let place = Place(scheme: nonce.scheme, host: nonce.host, port: nonce.port, role: nonce.role)
                guard state.nonces[place] == nil, state.order.count < Self.kept else { continue }
                state.nonces[place] = nonce.value
                state.order.insert(place, at: 0)
            }
        }
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

/// The last nonce of a server, as it is kept for another process (RFC 9449 section 8.2).
package struct KeptNonce: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: Int?
    let role: DPoPNonces.Role
    let value: String
}

extension KeptNonce {
    func stored() -> JSONObject {
        var object: JSONObject = [
            "scheme": .string(scheme), "host": .string(host), "nonce": .string(value),
            "resource_server": .bool(role == .resourceServer),
        ]
        object["port"] = port.map { .integer($0) }
        return object
    }

    init?(stored object: JSONObject) {
        guard let scheme = object["scheme"]?.string, let host = object["host"]?.string,
            let value = object["nonce"]?.string
        else { return nil }
        self.init(
            scheme: scheme,
            host: host,
            port: object["port"]?.integer,
            role: object["resource_server"]?.bool == true ? .resourceServer : .authorizationServer,
            value: value
        )
    }
}
