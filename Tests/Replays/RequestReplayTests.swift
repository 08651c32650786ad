import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryTesting
import Testing

/// Requests that a server refused when they were recorded: the client sends others today.
@Suite("Requests that recorded servers refused")
struct RequestReplayTests {
    @Test("A client assertion names the token endpoint when its audience is set so, as Hydra requires")
    func assertionAudience() async throws {
        let stage = try Stage("hydra/private-key-jwt")
        stage.audience = .tokenEndpoint
        try await stage.runToItsRefusal()
        let form = try #require(stage.replay.requests.last { $0.request.form["grant_type"] != nil }?.request.form)
        let assertion = try #require(form["client_assertion"]).split(separator: ".")
        let claims = try JSONObject(parsing: try Base64URL.decode(assertion[1]))
        #expect(claims["aud"] == "http://127.0.0.1:4740/oauth2/token")
    }

    @Test("A device authorization request carries a code challenge, which Keycloak can demand")
    func deviceChallenge() async throws {
        let stage = try Stage("keycloak/device")
        try await stage.runToItsRefusal()
        let request = try #require(stage.replay.requests.first { $0.request.method == .post }?.request)
        #expect(request.url.path().hasSuffix("/auth/device"))
        #expect(request.form["code_challenge_method"] == "S256" && request.form["code_challenge"]?.count == 43)
    }

    @Test("The update of a registration does not repeat the client secret, which Hydra refuses")
    func updateWithoutSecret() async throws {
        let stage = try Stage("hydra/registration")
        for step in stage.replay.recording.steps where step.arguments.first == "register" {
            stage.replay.skip(toStep: step.name ?? "")
            _ = try? await stage.run(step)
        }
        let update = try #require(stage.replay.requests.first { $0.request.method == .put }?.request)
        let members = try JSONObject(parsing: try #require(update.body))
        #expect(members["client_id"] != nil && members["client_secret"] == nil)
    }

    @Test("A request is pushed where the metadata offers it, as a client of node-oidc-provider may have to")
    func pushing() async throws {
        let stage = try Stage("oidc-provider/pushed-request-required")
        stage.pushes = true
        try await stage.runToItsRefusal()
        let pushed = try #require(stage.replay.unansweredRequests.first { $0.method == .post })
        #expect(pushed.url.path() == "/request" && pushed.form["code_challenge"] != nil)
    }

    @Test("A registration with a loopback redirect URI says that the application is native, as Solid servers require")
    func nativeApplication() async throws {
        let stage = try Stage("solid/as-the-manual-says")
        _ = try await stage.run(try #require(stage.replay.recording.steps.first))
        let request = try #require(stage.replay.requests.first { $0.request.method == .post }?.request)
        #expect(try JSONObject(parsing: try #require(request.body))["application_type"] == "native")
    }

    @Test("An introspection goes to an endpoint given by hand where Hydra's metadata names none")
    func endpointByHand() async throws {
        let stage = try Stage("hydra/introspection-is-not-public")
        let steps = stage.replay.recording.steps.filter { $0.arguments.first == "introspect" }
        #expect(steps.count == 2)
        for step in steps {
            stage.replay.skip(toStep: step.name ?? "")
            await #expect(throws: SignInError(.introspection, .transport(.unreachable))) {
                _ = try await stage.run(step)
            }
        }
        let requests = stage.replay.unansweredRequests.filter { $0.method == .post }
        #expect(requests.map(\.url) == [stage.introspectionEndpoint, stage.introspectionEndpoint])
        #expect(requests.allSatisfy { $0.form["token"] != nil })
    }
}

extension Stage {
    /// Carries out the first step, which ends with the recorded refusal or with a request that was not recorded.
    fileprivate func runToItsRefusal() async throws {
        let step = try #require(replay.recording.steps.first)
        await #expect(throws: SignInError.self) { _ = try await run(step) }
    }
}
