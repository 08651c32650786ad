import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Signing in with a pushed request")
struct PushedSignInTests {
    @Test("A server that requires it gets a pushed request, and the browser carries only the reference")
    func required() async throws {
        let world = try World(provider: { $0.requiresPushedAuthorizationRequests = true })
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/par") == 1)
        let opened = try #require(world.network.requests.first { $0.path == "/authorize" })
        let query = try #require(opened.request.url.query())
        #expect(query.contains("request_uri=") && !query.contains("state=") && !query.contains("code_challenge"))
    }

    @Test("The app can ask for it, and can refuse it")
    func asked() async throws {
        let world = try World()
        _ = try await world.client().signIn(AuthorizationRequest(pushing: .always))
        #expect(world.network.count(path: "/par") == 1)
        let demanding = try World(provider: { $0.requiresPushedAuthorizationRequests = true })
        let client = try demanding.client()
        let error = await failure { () throws(SignInError) in
            _ = try await client.signIn(AuthorizationRequest(pushing: .never))
        }
        guard case .configuration = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(demanding.network.count(path: "/authorize") == 0)
    }

    @Test("A refused push ends the sign-in; the plain request is not tried")
    func noFallBack() async throws {
        let world = try World(scenario: .pushedRefused)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in
            _ = try await client.signIn(AuthorizationRequest(pushing: .always))
        }
        #expect(error?.stage == .authorization)
        #expect(world.network.count(path: "/authorize") == 0)
        #expect(try await client.restoreSession() == nil)
    }

    @Test("Each sign-in is pushed anew")
    func anew() async throws {
        let world = try World(provider: { $0.requiresPushedAuthorizationRequests = true })
        let client = try world.client()
        _ = try await client.signIn()
        _ = try await client.signIn()
        #expect(world.network.count(path: "/par") == 2)
    }

    @Test("An endpoint that only the second document names is found")
    func secondDocument() async throws {
        let split = Scenario(name: "pushed endpoint in the OAuth document") {
            $0.response = { request, response in
                guard request.path == "/.well-known/openid-configuration", case .bytes(let bytes) = response.content,
                    var metadata = try? JSONObject(parsing: bytes)
                else { return }
                metadata["pushed_authorization_request_endpoint"] = nil
                response.content = .bytes(metadata.encoded())
            }
        }
        let world = try World(scenario: split, provider: { $0.requiresPushedAuthorizationRequests = true })
        _ = try await world.client().signIn()
        #expect(world.network.count(path: "/par") == 1)
    }
}
