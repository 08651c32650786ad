import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the server API remembers.
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

        /// What its sender may know of it.
        var status: JSONObject {
            [
                "id": .string(id), "campaign_id": content["campaign_id"] ?? .null,
                "idempotency_key": content["idempotency_key"] ?? .null, "status": "sent",
            ]
        }
    }

    /// How many messages and events are remembered; the oldest go first.
    private static let room = 10_000

    private(set) var tokens: [String: Token] = [:]
    private(set) var notifications: [Notification] = []
    private(set) var events: [JSONObject] = []
    /// How many events were forgotten, so that a place in the list stays the same place.
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
