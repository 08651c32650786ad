import Ostiary
import OstiaryTesting
import Testing

@Suite("Modules of the OpenID Foundation's suite, replayed to the client")
struct SuiteReplayTests {
    static let modules = Recordings.names(of: "oidf")

    @Test("All 92 recorded modules are there") func count() { #expect(Self.modules.count == 92) }

    @Test("A recorded module ends with the check that its head names, or succeeds", arguments: modules)
    func module(_ name: String) async throws {
        let stage = try Stage(name)
        for step in stage.replay.recording.steps { await stage.expect(step, ends: Self.ending(of: step, in: name)) }
    }

    /// The ending of a step: as its head says, except for three modules with another ending now.
    private static func ending(of step: Recording.Step, in module: String) -> Ending {
        switch (module, step.arguments.first) {
        // Before the page is opened: the metadata offers no signature but HS256.
        case ("oidf/all-dynamic/oidcc-client-test-invalid-sig-hs256", "login"):
            return .refused(stage: "authorization", reason: "unsupported", check: nil, code: nil)
        // The suite has no revocation endpoint, which does not fail a sign-out.
        case (let module, "logout") where module.hasPrefix("oidf/rp-logout/"):
            var answer = step.answer ?? [:]
            answer["revocation"] = "notOffered"
            return .well(answer)
        default: return Ending(of: step)
        }
    }

    @Test("The modules that are attacks name their checks")
    func checks() throws {
        let checks = try Self.modules.compactMap { name -> String? in
            try Recordings.named(name).steps.last?.answer?["error"]?.object?["check"]?.string
        }
        #expect(
            Set(checks).isSuperset(of: ["alg", "aud", "iat", "iss", "issuer", "nonce", "signature", "state", "sub"])
        )
    }
}
