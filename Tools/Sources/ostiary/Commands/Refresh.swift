import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary refresh`: new tokens now.
struct Refresh: AnsweringCommand {
    static let configuration = CommandConfiguration(
        abstract: "Renew the access token now.",
        discussion: "Prints a fingerprint of the new token: eight digits of its SHA-256."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console) async throws -> Answer {
        let session = try await StoredSignIn(place).session
        try await session.refresh()
        let fingerprint = try await session.accessToken(minimumValidity: 0).fingerprint
        var table = ClaimsTable()
        table.add("access token", fingerprint)
        table.add("scope", session.scopes.text)
        if let expiry = session.accessTokenExpiry { table.add("expires", expiry.internetTime) }
        return Answer(
            members: [
                "fingerprint": .string(fingerprint),
                "scope": .string(session.scopes.text),
                "tokenType": .string(session.tokenType),
                "expiresAt": session.accessTokenExpiry.json,
                "refreshable": .bool(session.isRefreshable),
            ],
            text: "Renewed\n\n" + table.text
        )
    }
}
