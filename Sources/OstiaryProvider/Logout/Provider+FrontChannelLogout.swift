import HTTPTypes
import OstiaryOAuth

extension Provider {
    /// The largest number of clients that a page notifies.
    static let maximumFrames = 20

    /// The URI that a page loads so that a client's page ends the login (OpenID Connect Front-Channel Logout section 2);
    /// `nil` for a client without.
    func frontChannelURI(of client: RegisteredClient, _ session: String) -> ClientURI? {
        guard let logout = client.frontChannelLogout else { return nil }
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
