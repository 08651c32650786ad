import Ostiary
import OstiaryJOSE
import OstiaryTesting
import Testing

@Suite("Recordings of servers, replayed to the client")
struct ServerReplayTests {
    @Test("Every recorded scenario of a server exists", arguments: Recordings.servers.sorted { $0.key < $1.key })
    func count(server: String, scenarios: Int) {
        #expect(Recordings.names(of: server).count == scenarios)
    }

    @Test(
        "A recorded scenario ends today as it should",
        arguments: Recordings.servers.keys.sorted().flatMap(Recordings.names)
    )
    func scenario(_ name: String) async throws {
        let stage = try Stage(name)
        for step in stage.replay.recording.steps {
            if step.name == "copy the session" { try await stage.copySession() }
            guard !step.arguments.isEmpty else { continue }
            guard let ending = Endings.ending(of: step, in: name) else { continue }
            await stage.expect(step, ends: ending)
        }
    }
}

/// The endings of steps that the recorded client carried out wrongly, or that end otherwise now.
enum Endings {
    static func ending(of step: Recording.Step, in recording: String) -> Ending? {
        switch (recording, step.name) {
        // The server sent no logout token: there is none to verify.
        case ("oidc-provider/back-channel-logout", "its signature is good"): return nil
        // The recording holds the refusal of a request that is no longer sent. RequestReplayTests look at what is.
        case ("hydra/private-key-jwt", _), ("keycloak/device", _), ("oidc-provider/pushed-request-required", _),
            ("solid/as-the-manual-says", _), ("hydra/registration", "change it"):
            return nil
        // The endpoint is given by hand today, and the request to it was not recorded.
        case ("hydra/introspection-is-not-public", "ask about it"),
            ("hydra/introspection-is-not-public", "ask about it again"):
            return .refused(stage: "introspection", reason: "transport", check: nil, code: nil)
        // User info that is refused with invalid_token is requested again with a new access token. The recorded client
        // did not, so that the second response is not in the recording, and the later refresh is used up.
        case ("keycloak/introspection", "read user info with it"), ("logto/introspection", "read user info with it"),
            ("spring/introspection", "read user info with it"):
            return .refused(stage: "userinfo", reason: "transport", check: nil, code: nil)
        case ("keycloak/introspection", "the session goes on"), ("logto/introspection", "the session goes on"),
            ("spring/introspection", "the session goes on"):
            return nil
        // Here the revocation ended the grant.
        case ("oidc-provider/introspection", "read user info with it"):
            return .refused(stage: "refresh", reason: "refused", check: nil, code: "invalid_grant")
        case ("oidc-provider/introspection", "the session goes on"):
            return .refused(stage: "storage", reason: "signInRequired", check: nil, code: nil)
        // The browser's end-session page was not recorded.
        case ("logto/confidential-client", "sign out"), ("logto/native-client", "sign out"):
            return .well(["revocation": "revoked"])
        case ("logto/front-door", "sign out"): return .well(nil)
        case ("spring/native-client", "sign out"): return .well(["endSession": "ended", "revocation": "notOffered"])
        default:
            let wasWrong = step.members["outcome"]?.string == "failed" || recording == "logto/token-exchange"
            return wasWrong ? .well(nil) : Ending(of: step)
        }
    }
}

extension Stage {
    /// Puts what is stored into a second store.
    func copySession() async throws {
        for key in try await store.keys() {
            if let value = try await store.read(key) { try await copy.write(value, for: key) }
        }
    }
}
