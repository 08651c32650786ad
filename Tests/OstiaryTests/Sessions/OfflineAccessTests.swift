import Foundation
import Ostiary
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Sessions without a refresh token")
struct OfflineAccessTests {
    private func prompts(pushedTo world: World) -> [String?] {
        world.network.requests.filter { $0.path == "/par" }.map { $0.request.form[.prompt] }
    }

    private func reports(in world: World) -> [Session.Renewal.Reason] {
        world.events.events.compactMap { if case .notRenewable(let reason) = $0 { reason } else { nil } }
    }

    @Test("A session without a refresh token says why it cannot be renewed, and when it ends")
    func said() async throws {
        let world = try World(scenario: .offlineAccessIgnored)
        let session = try await world.client().signIn()
        #expect(session.renewal == .notRenewable(.offlineAccessNotGranted))
        #expect(session.expectedEnd == world.clock.now.addingTimeInterval(900))
        #expect(reports(in: world) == [.offlineAccessNotGranted])
        let restored = try #require(try await world.client().restoreSession())
        #expect(restored.renewal == .notRenewable(.offlineAccessNotGranted))
        let other = try World(scenario: .offlineAccessWithoutRefreshToken)
        #expect(try await other.client().signIn().renewal == .notRenewable(.refreshTokenNotIssued))
        #expect(reports(in: other) == [.refreshTokenNotIssued])
    }

    @Test("A refresh without a refresh token fails with the reason there is none")
    func refreshed() async throws {
        let world = try World(scenario: .offlineAccessIgnored)
        let session = try await world.client().signIn()
        let refresh = await failure { () throws(SignInError) in _ = try await session.refresh() }
        #expect(refresh == SignInError(.refresh, .signInRequired) && refresh?.recovery == .signInAgain)
        #expect(refresh?.message.contains("offline_access") == true)
        world.clock.advance(by: .seconds(3600))
        let expired = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(expired?.message == Session.Renewal.Reason.offlineAccessNotGranted.message)
        let other = try await World(scenario: .offlineAccessWithoutRefreshToken).client().signIn()
        let without = await failure { () throws(SignInError) in _ = try await other.refresh() }
        #expect(without?.message == Session.Renewal.Reason.refreshTokenNotIssued.message)
    }

    @Test("A refresh of a session that was signed out says that no stored session can be used")
    func signedOut() async throws {
        let session = try await World().client().signIn()
        try await session.signOut()
        let error = await failure { () throws(SignInError) in _ = try await session.refresh() }
        #expect(error?.message == "No stored session can be used: sign in.")
    }

    @Test("A session with a refresh token is renewable, and reports nothing")
    func renewable() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        #expect(session.renewal == .renewable && session.expectedEnd == nil && reports(in: world).isEmpty)
    }

    @Test("A session whose app requested no offline_access reports nothing")
    func notRequested() async throws {
        let world = try World()
        let session = try await world.client().signIn(AuthorizationRequest(scopes: [.openID, .profile]))
        #expect(session.renewal == .renewable || reports(in: world).isEmpty)
        #expect(reports(in: world).isEmpty)
    }

    @Test("A sign-in without offline_access in its response makes the next one send prompt=consent, in another process")
    func learned() async throws {
        let world = try World(scenario: .offlineAccessNeedsConsent)
        #expect(try await !world.client().signIn().isRefreshable)
        #expect(prompts(pushedTo: world) == [nil], "One sign-in shows one page.")
        #expect(try await world.client().signIn().isRefreshable)
        #expect(try await world.client().signIn().isRefreshable)
        #expect(prompts(pushedTo: world) == [nil, "consent", "consent"])
    }

    @Test("A prompt that the app sets is sent as it is, and teaches nothing")
    func prompted() async throws {
        let world = try World(scenario: .offlineAccessNeedsConsent)
        _ = try await world.client().signIn(AuthorizationRequest(prompt: [.login]))
        _ = try await world.client().signIn()
        _ = try await world.client().signIn(AuthorizationRequest(prompt: [.login]))
        #expect(prompts(pushedTo: world) == ["login", nil, "login"])
        let silent = try world.client()
        let error = await failure { () throws(SignInError) in
            _ = try await silent.signIn(AuthorizationRequest(prompt: [.none]))
        }
        #expect(error != nil && prompts(pushedTo: world).last == "none")
    }

    @Test("A prompt=consent that brings no refresh token either is not sent again")
    func useless() async throws {
        let world = try World(scenario: .offlineAccessIgnored)
        for _ in 0..<4 { _ = try await world.client().signIn() }
        #expect(prompts(pushedTo: world) == [nil, "consent", nil, nil])
    }

    @Test("A sign-in without the scope offline_access sends no prompt of its own")
    func otherScopes() async throws {
        let world = try World(scenario: .offlineAccessNeedsConsent)
        _ = try await world.client().signIn()
        _ = try await world.client().signIn(AuthorizationRequest(scopes: [.openID]))
        #expect(prompts(pushedTo: world) == [nil, nil])
    }

    @Test("A policy sends prompt=consent from the first sign-in on, or never")
    func policy() async throws {
        let world = try World(scenario: .offlineAccessNeedsConsent)
        var policy = SessionPolicy()
        policy.consentForOfflineAccess = .always
        #expect(try await world.client(policy: policy).signIn().isRefreshable)
        let other = try World(scenario: .offlineAccessNeedsConsent)
        policy.consentForOfflineAccess = .never
        for _ in 0..<2 { _ = try await other.client(policy: policy).signIn() }
        #expect(prompts(pushedTo: other) == [nil, nil])
    }
}
