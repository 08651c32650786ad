import Foundation
import HTTPTypes
import Ostiary
import OstiaryCurity
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("Curity: the API behind the app")
struct CurityServerTests {
    @Test(
        "A resource server accepts the app's access token, and rejects an ID token or another audience",
        .covers(.curity, rows: 58)
    )
    func accessTokens() async throws {
        let world = try CurityWorld()
        let token = try await world.start().signIn().accessToken()
        let issuer = try Issuer(CurityWorld.issuer)
        let clock = world.clock
        let orders = try ProtectedResource(
            policy: AccessTokenPolicy(issuer: issuer, audience: issuer.description, requiredScopes: [.profile]),
            keys: KeySource(issuer: issuer, transport: world.network, clock: clock.device),
            clock: clock.device
        )
        guard
            case .granted(let verified, _) = await orders.authorize(
                fields: [.authorization: "Bearer " + token.reveal()]
            )
        else {
            Issue.record("The app's own token was refused.")
            return
        }
        #expect(verified.subject == "alice-subject" && verified.scopes == [.openID, .profile])
        #expect(try await world.start().registration()?.clientID == verified.clientID)
        clock.advance(by: .seconds(961))
        guard
            case .refused(let refusal) = await orders.authorize(
                fields: [.authorization: "Bearer " + token.reveal()]
            )
        else {
            Issue.record("An old token was taken.")
            return
        }
        #expect(refusal.status == .unauthorized)
    }
}
