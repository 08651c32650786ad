import Foundation
import Ostiary
import OstiaryLogto
import OstiaryMigration
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Logto: a session that Logto's own SDK kept")
struct LogtoAdoptionTests {
    /// The two texts that Logto's SDK keeps in the keychain.
    private func items(_ world: LogtoWorld) async throws -> (refreshToken: [UInt8], idToken: [UInt8]) {
        let other = try world.client(store: MemoryStore())
        try await other.signInWithBrowser(redirectUri: LogtoWorld.callback)
        return (
            Array(try #require(other.refreshToken).reveal().utf8), Array(try #require(other.idToken).reveal().utf8)
        )
    }

    @Test("A user whose tokens are adopted stays signed in, also after a restart", .covers(.logto, rows: 53))
    func adopted() async throws {
        let world = try LogtoWorld()
        let items = try await items(world)
        let pages = world.pages.urls.count
        let imported = try ImportedSession(keychainText: items.refreshToken, idTokenItem: items.idToken)
        let session = try await world.logto().adopt(imported)
        #expect(session.claims?.sub == "user-alice" && session.isRefreshable)
        #expect(try await world.logto().restoreSession()?.claims?.sub == "user-alice")
        #expect(world.pages.urls.count == pages)
        // A second start finds the session here, and presents the old token no more.
        let refreshes = world.count("/token")
        #expect(try await world.logto().adopt(imported).claims?.sub == "user-alice")
        #expect(world.count("/token") == refreshes)
    }

    @Test("LogtoClient is authenticated once it has adopted a session", .covers(.logto, rows: 53))
    func client() async throws {
        let world = try LogtoWorld()
        let items = try await items(world)
        let client = try world.client()
        #expect(!client.isAuthenticated)
        try await client.adopt(ImportedSession(keychainText: items.refreshToken, idTokenItem: items.idToken))
        #expect(client.isAuthenticated)
        #expect(try client.getIdTokenClaims().sub == "user-alice")
    }

    @Test("Tokens of another tenant or app are not adopted, and nothing is sent", .covers(.logto, rows: 53))
    func others() async throws {
        let world = try LogtoWorld()
        let items = try await items(world)
        let other = try LogtoWorld(endpoint: "https://other.logto.test")
        let imported = try ImportedSession(keychainText: items.refreshToken, idTokenItem: items.idToken)
        let elsewhere = try other.logto()
        let tenant = await thrownError { () throws(SignInError) in _ = try await elsewhere.adopt(imported) }
        #expect(tenant == SignInError(.refresh, .mismatch(.issuer)) && other.network.requests.isEmpty)
        var foreign = imported
        foreign.clientID = "logto-third-party"
        let logto = try world.logto()
        let app = await thrownError { () throws(SignInError) in _ = try await logto.adopt(foreign) }
        #expect(app == SignInError(.refresh, .mismatch(.client)))
    }
}
