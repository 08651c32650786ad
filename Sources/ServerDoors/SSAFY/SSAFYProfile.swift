public import OstiarySSAFY
import OstiaryServer

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A member's profile in the server API; some responses nest it in `profile`, others do not.
public struct SSAFYProfile: Sendable, Hashable {
    /// Every member.
    public let members: JSONObject

    private let issuer: Issuer

    init(_ object: JSONObject, issuer: Issuer) {
        members = object["profile"]?.object ?? object
        self.issuer = issuer
    }

    /// The member's subject identifier, which is this client's alone.
    public var subject: String? { text("sub") }
    /// The cohort; `0` is the staff.
    public var cohort: String? { text("ssafy_cohort") ?? text("cohort") }
    /// The campus.
    public var campus: String? { text("ssafy_campus") ?? text("campus") }
    /// The name.
    public var name: String? { text("name") }
    /// The picture's URL, resolved against the issuer where it is relative; `nil` without one, and for one that is not
    /// https.
    public var picture: URL? {
        guard let text = text("picture"), !text.isEmpty else { return nil }
        let place = issuer.description
        let base = URL(string: place.hasSuffix("/") ? place : place + "/")
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL, url.scheme == "https",
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }

    private func text(_ name: String) -> String? { members[name]?.string }
}

extension SSAFYProfile: CustomStringConvertible, CustomReflectable {
    /// The type's name alone, since a profile contains a member's data.
    public var description: String { "SSAFYProfile" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A message to a member, by Mattermost.
public struct SSAFYNotification: Sendable, Hashable {
    /// The recipient of a message.
    public enum Target: Sendable, Hashable {
        /// A member of this client (`sub`).
        case member(String)
        /// A Mattermost account.
        case mattermostUser(String)
    }

    /// The JSON that is sent.
    let members: JSONObject

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The message's identifier; a message with the same key is not sent twice.
    ///   - campaignID: The identifier that groups messages.
    ///   - purpose: The purpose of the message.
    ///   - target: The recipient.
    ///   - templateID: The identifier of the text.
    ///   - variables: The values inserted into the text.
    public init(
        idempotencyKey: String,
        campaignID: String,
        purpose: String,
        target: Target,
        templateID: String,
        variables: [String: String] = [:]
    ) {
        let named: JSONObject =
            switch target {
            case .member(let subject): ["sub": .string(subject)]
            case .mattermostUser(let id): ["ssafy_mattermost_user_id": .string(id)]
            }
        var values = JSONObject()
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) { values[name] = .string(value) }
        members = [
            "idempotency_key": .string(idempotencyKey), "campaign_id": .string(campaignID),
            "purpose": .string(purpose), "target": .object(named),
            "template": .object(["id": .string(templateID), "variables": .object(values)]),
        ]
    }
}
