import HTTPTypes
import OstiaryOAuth

extension Provider {
    /// The largest number of clients that a page notifies.
    private static let maximumFrames = 20

    /// The URIs that a page loads so that clients' pages end a login; a client whose page it cannot load is reported.
    func frames(
        of clients: [RegisteredClient],
        _ session: String,
        _ request: ProviderRequest
    ) -> [ClientURI] {
        var frames: [ClientURI] = []
        for client in clients {
            guard let logout = client.frontChannelLogout else { continue }
            if let uri = frontChannelURI(logout, session), uri.isLoadableByPages, frames.count < Self.maximumFrames {
                frames.append(uri)
            } else {
                reportOmission(of: logout, client, request)
            }
        }
        return frames
    }

    /// Reports a client whose page is not loaded.
    private func reportOmission(of logout: ClientLogout, _ client: RegisteredClient, _ request: ProviderRequest) {
        let reason: String
        let mend: String
        if logout.uri.isLoadableByPages {
            reason = "A page loads the logout pages of at most \(Self.maximumFrames) clients."
            mend = "Give the client a backchannel_logout_uri."
        } else {
            reason = "Its host is an IPv6 address, which no content security policy can name."
            mend = "Have the client's pages at a host name, such as \(logout.uri.originAtLocalhost)."
        }
        send(
            ProviderEvent(
                .undelivered,
                path: routes.path(.endSession),
                clientID: client.id,
                reason: "\(logout.uri.text.logged) was not loaded. \(reason)",
                mend: mend
            ),
            of: request
        )
    }

    /// The URI that a page loads so that a client's page ends the login (OpenID Connect Front-Channel Logout
    /// section 2); `nil` for one that is too long with its parameters.
    private func frontChannelURI(_ logout: ClientLogout, _ session: String) -> ClientURI? {
        guard logout.isSessionRequired else { return logout.uri }
        let parameters = Parameters([.issuer: configuration.issuer.description, "sid": session])
        return try? ClientURI(Self.extend(logout.uri.text, with: parameters), reach: logout.uri.reach)
    }
}

extension ProviderResponse {
    /// The page after signing out, which loads the clients' logout pages in frames and then goes on.
    ///
    /// Its policy allows frames of these clients' origins alone.
    static func signedOut(_ page: SignedOutPage, frames: [ClientURI]) -> ProviderResponse {
        var response = ProviderResponse.page(.signedOut(page))
        guard !frames.isEmpty else { return response }
        let origins = frames.map(\.origin).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let policy = response.fields[.contentSecurityPolicy] ?? ""
        response.fields[.contentSecurityPolicy] = "\(policy); frame-src \(origins.joined(separator: " "))"
        // No page runs a script, so a time has to tell when the frames have loaded.
        response.fields[.refresh] = page.continuation.map { "3; url=\($0)" }
        return response
    }
}

extension HTTPField.Name {
    static let refresh = Self("Refresh") ?? .location
}
