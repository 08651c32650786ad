import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary refresh`: new tokens now.
struct Refresh: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Refresh the access token now.",
        discussion: "Prints a fingerprint of the new token: eight digits of its SHA-256."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup(title: "Issuer") var server: ServerOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await StoredSignIn.with(place, accepting: server, telling: trace) { signIn in
            guard signIn.session.isRefreshable else { throw ExplainedError(notRefreshable: signIn.session, place) }
            let token = try await signIn.session.refresh()
            return Answer(renewed: signIn.session, token.fingerprint)
        }
    }
}

extension ExplainedError {
    /// A session without a refresh token.
    fileprivate init(notRefreshable session: Session, _ place: SessionOptions) {
        let end = session.accessTokenExpiry.map { " The current token is valid until \($0.internetTime)." } ?? ""
        let scopes = session.scopes.filter { $0 != .offlineAccess } + [.offlineAccess]
        self.init(
            SignInError(.refresh, .signInRequired),
            "The session has no refresh token, so it cannot be refreshed.\(end)",
            advice: "Run: \(LoginLine(place).text) --scope \(LoginLine.shell([scopes.text]))"
        )
    }
}

extension Answer {
    fileprivate init(renewed session: Session, _ fingerprint: String) {
        members = [
            "fingerprint": .string(fingerprint),
            "scope": .string(session.scopes.text),
            "tokenType": .string(session.tokenType),
            "expiresAt": session.accessTokenExpiry.json,
            "refreshable": .bool(session.isRefreshable),
        ]
        var table = ClaimsTable()
        table.add("access token", fingerprint)
        table.add("scope", session.scopes.text)
        if let expiry = session.accessTokenExpiry { table.add("expires", expiry.internetTime) }
        text = "Renewed\n\n" + table.text
    }
}
