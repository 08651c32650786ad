import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY

/// The story of SSAFY Verify: the app presents the hosted page and passes the code to its backend, the only holder of a
/// token.
struct SSAFYStory {
    let stage: DemoStage

    /// Plays the story.
    ///
    /// - Returns: Its result.
    func tell() async throws -> JSONObject {
        let backend = try await SSAFYDemoBackend(stage: stage)
        do {
            let members = try await tell(backend)
            await backend.stop()
            return members
        } catch {
            await backend.stop()
            throw error
        }
    }

    private func tell(_ backend: SSAFYDemoBackend) async throws -> JSONObject {
        let narration = stage.narration
        let agent = stage.userAgent()
        let configuration = try SSAFYConfiguration(
            clientID: SSAFYDemoBackend.clientID,
            redirectURI: "http://127.0.0.1/ssafy/callback",
            scopes: [.ssafyAffiliation],
            issuer: stage.issuer.description
        )
        let store = MemoryStore()
        let verify = try SSAFYVerify(
            configuration,
            backend: JSONVerificationBackend(endpoint: backend.url, transport: commandTransport),
            userAgent: agent,
            store: store,
            events: { narration.step($0) }
        )
        narration.step("The hosted page: the app opens it in the system's browser, with state and code challenge.")
        let result = try await verify.verify()
        await UserAgentOptions.settle(agent)
        let answer = Answer(verified: result)
        narration.step("client-to-backend.json: the app has posted code, codeVerifier, redirectUri and iss.")
        narration.step("/verify/token: the backend has redeemed the code with grant_type=verification_code.")
        narration.show("backend-success.json: all that the backend tells the app", ClaimsTable(answer.members).text)

        if let kept = try await backend.record(of: result.subject) {
            narration.show("All that the backend keeps in its database", kept)
        }

        let keeper = VerificationRecordKeeper(configuration, in: store)
        try await keeper.keep(VerificationRecord(result))
        narration.step("The app keeps who it is, the cohort, the campus and the time: no token, no code, no verifier.")
        try await keeper.forget()
        narration.step("Signing out is forgetting that: the service has no session of the app's.")
        var members = answer.members
        members["record"] = "forgotten"
        return members
    }
}
