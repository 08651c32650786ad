import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import ProviderServer

/// A partner's backend, in the demo's own process: the backend kit's hand-off, with a database in memory.
struct SSAFYDemoBackend: VerificationBackend {
    static let clientID = "ssafy-partner"

    private let stage: DemoStage
    private let store = MemoryServerStore()
    private let handOff: SSAFYHandOff

    init(stage: DemoStage) throws {
        self.stage = stage
        handOff = try SSAFYHandOff(
            SSAFYServerConfiguration(
                clientID: Self.clientID,
                clientSecret: stage.development.backendSecret,
                redirectURIs: ["http://127.0.0.1/ssafy/callback"],
                issuer: stage.issuer.description
            ),
            store: store,
            sealing: SealingKeys(.random()),
            transport: commandTransport
        )
    }

    func verify(_ request: VerificationExchangeRequest) async throws(VerificationError) -> VerificationResult {
        stage.narration.step("The app hands code, codeVerifier, redirectUri and iss to its backend.")
        let response = await handOff.respond(
            to: ServerRequest(method: .post, fields: [.contentType: "application/json"], body: request.body)
        )
        guard response.status == .ok else {
            let refusal = VerificationRefusal(parsing: response.body)
            throw VerificationError(.refused, code: refusal?.code, requestID: refusal?.requestID)
        }
        stage.narration.step("The backend has checked the token's signature, issuer, audience, times and assurance.")
        let result = try VerificationResult(parsing: response.body)
        let record = try? await store.verification(of: result.subject)
        if record != nil {
            stage.narration.step("It keeps that the person is verified, whose record it is, cohort, campus and time.")
        }
        return result
    }
}
