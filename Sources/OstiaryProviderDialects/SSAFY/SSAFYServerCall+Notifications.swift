import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

// Messages by Mattermost; none is delivered here.
extension SSAFYServerCall {
    /// The number of messages that one request may send.
    private static let batch = 25
    private static let texts = ["idempotency_key", "campaign_id", "purpose"]

    /// Sends a message, once for each idempotency key.
    func notify(_ content: JSONObject) throws(SSAFYRefusal) -> JSONObject {
        try check(content)
        let clientID = clientID
        let new = SSAFYServerState.Notification(
            id: provider.random.identifier(),
            clientID: clientID,
            content: content
        )
        let sent = dialect.server.withLock { state in
            let earlier = state.notifications.first {
                $0.clientID == clientID && $0.content["idempotency_key"] == content["idempotency_key"]
            }
            if earlier == nil { state.add(new) }
            return earlier ?? new
        }
        guard sent.content == content else { throw SSAFYRefusal(.conflict) }
        return sent.status
    }

    /// Sends several; one that is wrong keeps none of the others from being sent.
    func notifyAll() throws(SSAFYRefusal) -> JSONObject {
        let body = try body()
        let contents = body["notifications"]?.array?.compactMap(\.object) ?? []
        guard body.names == ["notifications"], (1...Self.batch).contains(contents.count),
            contents.count == body["notifications"]?.array?.count
        else { throw SSAFYRefusal(.invalidRequest) }
        var results: [JSONValue] = []
        for content in contents {
            do throws(SSAFYRefusal) {
                results.append(.object(try notify(content)))
            } catch {
                results.append(.object(["error_code": .string(error.code.rawValue)]))
            }
        }
        return ["results": .array(results)]
    }

    func notification(_ id: String) throws(SSAFYRefusal) -> JSONObject {
        guard let found = own.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw SSAFYRefusal(.notificationNotFound)
        }
        return found.status
    }

    func campaign() throws(SSAFYRefusal) -> JSONObject {
        guard let campaign = try query(["campaign_id"])["campaign_id"], !campaign.isEmpty else {
            throw SSAFYRefusal(.invalidRequest)
        }
        let found = own.filter { $0.content["campaign_id"] == .string(campaign) }
        return ["notifications": .array(found.map { .object($0.status) })]
    }

    /// The messages of this client.
    private var own: [SSAFYServerState.Notification] {
        let clientID = clientID
        return dialect.server.withLock { $0.notifications.filter { $0.clientID == clientID } }
    }

    private func check(_ content: JSONObject) throws(SSAFYRefusal) {
        let target = content["target"]?.object ?? [:]
        let template = content["template"]?.object ?? [:]
        guard content.names.count == 5, template.names.allSatisfy(["id", "variables"].contains),
            Self.texts.allSatisfy({ (1...200).contains(content[$0]?.string?.utf8.count ?? 0) }),
            template["id"]?.string?.isEmpty == false,
            template["variables"] == nil || template["variables"]?.object != nil, target.names.count == 1
        else { throw SSAFYRefusal(.invalidRequest) }
        let person: ProviderUser? =
            if let subject = target["sub"]?.string {
                member(subject)
            } else if let id = target["ssafy_mattermost_user_id"]?.string {
                self.person(id)
            } else {
                throw SSAFYRefusal(.invalidRequest)
            }
        guard person != nil else { throw SSAFYRefusal(.memberNotFound) }
    }
}
