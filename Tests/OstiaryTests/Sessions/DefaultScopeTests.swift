import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Scopes that the client adds by itself")
struct DefaultScopeTests {
    private func scope(pushedTo world: World) -> String? {
        world.network.requests.last { $0.path == "/par" }?.request.form[.scope]
    }

    @Test("A default scope that scopes_supported does not list is left out, and the verdict records it")
    func leftOut() async throws {
        let world = try World(scenario: .offlineAccessUnknown)
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(scope(pushedTo: world) == "openid profile")
        let entries = world.events.events.compactMap { event -> Verdict.Entry? in
            guard case .checked(let verdict) = event, verdict.stage == .authorization else { return nil }
            return verdict.entries.first
        }
        #expect(entries.map(\.name) == ["request.scope"] && entries.allSatisfy(\.holds))
        #expect(entries.first?.expected == "openid profile")
        #expect(entries.first?.found?.contains("offline_access") == true)
    }

    @Test("A scope that the app names is sent, whether or not scopes_supported lists it")
    func named() async throws {
        let world = try World(scenario: .offlineAccessUnknown)
        let client = try world.client()
        let request = AuthorizationRequest(scopes: AuthorizationRequest.defaultScopes)
        let error = await failure { () throws(SignInError) in _ = try await client.signIn(request) }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .invalidScope)
    }

    @Test("A server that lists no scopes gets all the default ones", arguments: [nil, []] as [JSONValue?])
    func unlisted(value: JSONValue?) async throws {
        let world = try World(
            scenario: Scenario(name: "no scopes") { $0.metadata = { $0["scopes_supported"] = value } }
        )
        let session = try await world.client().signIn()
        #expect(session.isRefreshable && scope(pushedTo: world) == "openid profile offline_access")
    }

    @Test("A default request sends openid, even where scopes_supported does not list it")
    func openID() async throws {
        let world = try World(
            scenario: Scenario(name: "other scopes") { $0.metadata = { $0["scopes_supported"] = ["email"] } }
        )
        let session = try await world.client().signIn()
        #expect(session.identity != nil && scope(pushedTo: world) == "openid")
    }

    @Test("A request whose scopes the app changed no longer has default scopes")
    func changed() {
        var request = AuthorizationRequest()
        #expect(request.hasDefaultScopes && request.scopes == AuthorizationRequest.defaultScopes)
        request.scopes.append(.email)
        #expect(!request.hasDefaultScopes)
        #expect(!AuthorizationRequest(scopes: [.openID]).hasDefaultScopes)
    }

    @Test("A device request leaves out the default scopes that scopes_supported does not list")
    func device() async throws {
        let world = try World(scenario: .offlineAccessUnknown, client: { $0.grantTypes.insert(.deviceCode) })
        _ = try await world.client().signInOnOtherDevice { await world.allow($0) }
        let request = world.network.requests.first { $0.path == "/device_authorization" }?.request
        #expect(request?.form[.scope] == "openid profile")
    }
}
