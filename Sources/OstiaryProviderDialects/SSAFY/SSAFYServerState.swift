import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of the server API.
struct SSAFYServerState: Sendable {
    /// A token, by its digest.
    struct Token: Sendable {
        let clientID: String
        let scopes: [Scope]
        let expires: Date
    }

    /// A message that was sent.
    struct Notification: Sendable {
        let id: String
        let clientID: String
        let content: JSONObject

        /// The status that its sender may see.
        var status: JSONObject {
            [
                "id": .string(id), "campaign_id": content["campaign_id"] ?? .null,
                "idempotency_key": content["idempotency_key"] ?? .null, "status": "sent",
            ]
        }
    }

    /// The number of stored messages and events; the oldest are removed first.
    private static let room = 10_000

    private(set) var tokens: [String: Token] = [:]
    private(set) var notifications: [Notification] = []
    private(set) var events: [JSONObject] = []
    /// The number of removed events, so that a position in the list stays the same.
    private(set) var firstEvent = 0

    mutating func add(_ token: Token, as digest: String, now: Date) {
        tokens = tokens.filter { $0.value.expires > now }
        tokens[digest] = token
    }

    mutating func add(_ notification: Notification) {
        notifications.append(notification)
        if notifications.count > Self.room { notifications.removeFirst() }
    }

    mutating func add(event: JSONObject) {
        events.append(event)
        guard events.count > Self.room else { return }
        events.removeFirst()
        firstEvent += 1
    }
}
