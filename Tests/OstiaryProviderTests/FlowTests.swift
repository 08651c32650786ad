import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("From the request to the tokens")
struct FlowTests {
    @Test("A user signs in and the client gets tokens")
    func signIn() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        #expect(tokens.response["token_type"] == "Bearer")
        #expect(tokens.response["expires_in"] == 900)
        #expect(tokens.response["scope"] == "openid profile offline_access")
        #expect(tokens.refresh != nil)
        #expect(await world.userInfo(tokens.access).json?["sub"] == "subject-of-alice")
    }
}
