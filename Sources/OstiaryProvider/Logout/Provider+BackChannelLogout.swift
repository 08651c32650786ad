import HTTPTypes
import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The pauses before the second and each further attempt to deliver a logout token.
    private static let pauses: [Duration] = [.seconds(1), .seconds(4), .seconds(15), .seconds(40)]
    /// The time after a logout in which its tokens are delivered, in seconds: a token is valid as long.
    private static let deadline: Double = 120
    /// The largest number of logout tokens under way.
    private static let maximumDeliveries = 1000
    /// The largest number of logout tokens under way to one client, which may be slow to respond.
    private static let maximumDeliveriesOfClient = 50
    private static let limits = EndpointRequest.Limits(maximumBodyBytes: 16_384, deadline: .seconds(5))

    /// The logout tokens for those of a login's clients that take them.
    func pendingLogouts(of clients: [RegisteredClient], _ session: String, _ subject: String) -> [PendingLogout] {
        guard configuration.outbound != nil else { return [] }
        return clients.filter { $0.backChannelLogout != nil }.map { client in
            PendingLogout(
                id: random.identifier(),
                clientID: client.id,
                session: session,
                subject: subject,
                expires: now.addingTimeInterval(Self.deadline)
            )
        }
    }

    /// Delivers the logout tokens that a former process with the same storage has left, in the background.
    ///
    /// Call it once the provider responds to requests: a client that receives a token reads the key set.
    ///
    /// - Throws: ``ProviderStorageFailure``; no token has been sent.
    public func resumeLogouts() async throws(ProviderStorageFailure) {
        guard configuration.outbound != nil else { return }
        for record in try await storage.records(.pendingLogout) {
            guard let pending = PendingLogout(record), pending.expires > now else { continue }
            await deliverInBackground(pending)
        }
    }

    /// Delivers a logout token in the background, and reports the outcome.
    ///
    /// (OpenID Connect Back-Channel Logout section 2.5)
    func deliverInBackground(_ pending: PendingLogout) async {
        guard let transport = configuration.outbound, let client = try? await client(pending.clientID),
            let logout = client.backChannelLogout
        else { return }
        let isWithinBound = deliveries.withLock { underWay in
            let own = underWay[client.id] ?? []
            guard !own.contains(pending.id) else { return Bool?.none }
            guard own.count < Self.maximumDeliveriesOfClient,
                underWay.values.reduce(0, { $0 + $1.count }) < Self.maximumDeliveries
            else { return false }
            underWay[client.id] = own.union([pending.id])
            return true
        }
        guard let isWithinBound else { return }
        guard isWithinBound else {
            try? await storage.remove(.key(.pendingLogout, pending.id))
            return send(failure(logout, of: client, "Too many logout tokens are under way.", nil))
        }
        Task {
            await deliver(pending, logout, to: client, by: transport)
            deliveries.withLock { underWay in
                let rest = (underWay[client.id] ?? []).subtracting([pending.id])
                underWay[client.id] = rest.isEmpty ? nil : rest
            }
        }
    }

    private func deliver(
        _ pending: PendingLogout,
        _ logout: ClientLogout,
        to client: RegisteredClient,
        by transport: any OutboundTransport
    ) async {
        var last = (reason: "", status: Int?.none)
        for attempt in 0...Self.pauses.count {
            if attempt > 0 {
                // The process ends: the next one goes on.
                guard (try? await transport.wait(Self.pauses[attempt - 1])) != nil else { return }
                guard now < pending.expires else { break }
            }
            let request: EndpointRequest
            do { request = try await self.request(delivering: pending, logout, client) } catch {
                last = ("The logout token could not be made.", nil)
                continue
            }
            do throws(OutboundFailure) {
                let status = try await transport.status(of: request, reach: logout.uri.reach)
                guard status.kind != .successful else {
                    try? await storage.remove(.key(.pendingLogout, pending.id))
                    let delivery = delivery(of: client, logout, attempt + 1, status.code)
                    record(request, delivering: pending, at: logout.uri, of: client, delivery)
                    return send(delivery)
                }
                last = ("The client responded with status \(status.code).", status.code)
            } catch {
                last = (error.description, nil)
            }
            let failure = failure(logout, of: client, last.reason, last.status)
            record(request, delivering: pending, at: logout.uri, of: client, failure)
            // The client has refused the token itself (section 2.8): another one fares no better.
            guard last.status != HTTPResponse.Status.badRequest.code else { break }
        }
        try? await storage.remove(.key(.pendingLogout, pending.id))
        send(failure(logout, of: client, last.reason, last.status))
    }

    /// The request with a new logout token: a client that has seen an attempt refuses the same token again.
    private func request(
        delivering pending: PendingLogout,
        _ logout: ClientLogout,
        _ client: RegisteredClient
    ) async throws -> EndpointRequest {
        let name = try await subject(pending.subject, for: client)
        let token = try await logoutToken(for: client.id, subject: name, sessionID: pending.session)
        return EndpointRequest(
            url: logout.uri.url,
            method: .post,
            form: Parameters([.logoutToken: token]),
            limits: Self.limits
        )
    }

    private func delivery(
        of client: RegisteredClient,
        _ logout: ClientLogout,
        _ attempt: Int,
        _ status: Int
    ) -> ProviderEvent {
        ProviderEvent(
            .delivered,
            path: routes.path(.endSession),
            clientID: client.id,
            status: status,
            reason: "\(logout.uri.text.logged) took the logout token at attempt \(attempt)."
        )
    }

    private func failure(
        _ logout: ClientLogout,
        of client: RegisteredClient,
        _ reason: String,
        _ status: Int?
    ) -> ProviderEvent {
        ProviderEvent(
            .undelivered,
            path: routes.path(.endSession),
            clientID: client.id,
            status: status,
            reason: "\(logout.uri.text.logged) did not take the logout token. \(reason)",
            mend: "Check backchannel_logout_uri of the client, and that it responds with status 200."
        )
    }
}

extension Parameters.Name {
    /// The logout token (OpenID Connect Back-Channel Logout section 2.5).
    static let logoutToken = Self(rawValue: "logout_token")
}
