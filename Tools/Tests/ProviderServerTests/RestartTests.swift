import NIOHTTP1
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("A provider that was stopped and started again")
struct RestartTests {
    @Test("After a restart the keys, the sign-in and the refresh token are still valid")
    func restart() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/provider.sqlite"
            let issuer: Issuer
            let port: Int
            var browser: Browser
            let refreshToken: String
            let keys: String
            do {
                let storage = try SQLiteProviderStorage(path: path)
                (issuer, port, browser, refreshToken, keys) = try await Fixtures.withProvider(storage: storage) {
                    running in
                    var browser = Browser(running.issuer)
                    let tokens = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
                    let keys = try await RawHTTP.send(.GET, "\(running.issuer)/jwks").text
                    let refreshToken = try SignIn.member("refresh_token", of: tokens)
                    return (running.issuer, running.port, browser, refreshToken, keys)
                }
                try storage.close()
            }
            let storage = try SQLiteProviderStorage(path: path)
            try await Fixtures.withProvider(storage: storage, port: port) { running in
                #expect(running.issuer == issuer)
                #expect(try await RawHTTP.send(.GET, "\(issuer)/jwks").text == keys)

                let renewed = try await SignIn.refresh(refreshToken, at: issuer)
                #expect(renewed.status == 200)

                // A user with a session who has allowed the client is asked nothing.
                let silent = try await browser.open(SignIn.location(["prompt": "none", "scope": "openid"]))
                #expect(try !SignIn.code(in: silent).isEmpty)

                // The old refresh token was used: its whole family ends.
                #expect(try await SignIn.refresh(refreshToken, at: issuer).status == 400)
                let family = try SignIn.member("refresh_token", of: renewed)
                #expect(try await SignIn.refresh(family, at: issuer).status == 400)
            }
        }
    }
}
