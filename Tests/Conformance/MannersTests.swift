import Foundation
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@testable import Ostiary

/// The modules, and whole sign-ins, at providers with the manners of those in the field.
@Suite("Conformance under manners")
struct MannersTests {
    @Test(
        "Every conformance module ends with its expected result under the manners of each described provider",
        arguments: ProviderManners.all
    )
    func modules(_ manners: ProviderManners) async throws {
        let modules = Self.distinct.filter { manners.canPlay($0) }
        let found = try await withThrowingTaskGroup(of: String?.self, returning: [String].self) { group in
            for module in modules { group.addTask { try await Self.fault(of: module, manners) } }
            return try await group.reduce(into: []) { if let fault = $1 { $0.append(fault) } }
        }
        #expect(found.isEmpty, "\(found.count) of \(modules.count):\n\(found.sorted().joined(separator: "\n"))")
        #expect(modules.count > 80)
    }

    /// The modules, each fault once: several plans of the suite play the same ones.
    private static let distinct: [Module] = {
        var names: Set<String> = []
        return (Module.certified + Module.own).filter { module in
            let fault = module.scenario.name == Scenario.none.name ? module.name : module.scenario.name
            return names.insert(fault).inserted
        }
    }()

    /// The rule that a module breaks; `nil` for none.
    private static func fault(of module: Module, _ manners: ProviderManners) async throws -> String? {
        let outcome = try await Journey(module, manners: manners).runAndGoOn()
        let name = "\(module.plan.rawValue) \(module.name)"
        if !manners.agrees(outcome.reached, with: module) { return "\(name): \(outcome.reached.sentence)" }
        if outcome.isSignedOut { return "\(name): the session is gone" }
        if let error = outcome.laterError, !manners.endsSession(after: module.expectation) {
            return "\(name): the session cannot go on: \(error)"
        }
        if !outcome.furtherPaths.isEmpty { return "\(name): \(outcome.furtherPaths) is sent" }
        if outcome.keptSomething { return "\(name): something of the answer is kept" }
        if outcome.isStillPending { return "\(name): somebody waits" }
        return nil
    }

    @Test(
        "A user signs in, stays signed in over changes of keys and other sign-ins, and signs out",
        arguments: ProviderManners.all
    )
    func journey(_ manners: ProviderManners) async throws {
        let module = Module(.own, "none", "", .none, .accepted)
        let journey = try Journey(module, manners: manners)
        let report = try await journey.signInAndOut()
        #expect(report.isRefreshable)
        #expect(report.refreshes == 3)
        #expect(report.subject == "alice-subject")
        #expect(report.ended == nil, "Nothing but the user ends the session.")
        let hasRevocation = !manners.absentEndpoints.contains(.revocation)
        let unsupported = SignInError(.revocation, .unsupported("a revocation_endpoint"))
        #expect(report.revocationFailure == (hasRevocation ? nil : unsupported))
        switch manners.endSession {
        case _ where manners.absentEndpoints.contains(.endSession):
            #expect(report.endSessionFailure == SignInError(.endSession, .unsupported("an end_session_endpoint")))
        case .logoutURI, .standard, .asksUser, .requiresIDTokenHint: #expect(report.endSessionFailure == nil)
        }
    }
}

extension ProviderManners {
    /// Whether a module's client can sign in at all at such a provider.
    fileprivate func canPlay(_ module: Module) -> Bool {
        if module.registersItself { return !absentEndpoints.contains(.registration) && clientSecrets == .registered }
        guard module.isFAPI else { return true }
        return responseIssuer == .announced && !absentEndpoints.contains(.pushedAuthorization)
            && absentMetadata.isEmpty && clientSecrets == .registered && clientAssertionAudience == .issuer
            && offlineAccess != .unknown
    }

    /// Whether the end of a module is the one that it has, or the one that it has where this provider lacks the place
    /// of the fault.
    fileprivate func agrees(_ reached: Module.Expectation, with module: Module) -> Bool {
        switch (module.expectation, reached) {
        case (.accepted, .accepted): true
        case (.refused(let expected), .refused(let error)):
            error == expected || hasNoPage(for: error)
                || Self.code(of: error) != nil && Self.code(of: error) == Self.code(of: expected)
        case (.refused(let expected), .accepted): !isPlayed(module.scenario, expected)
        case (.accepted, .refused(let error)): hasNoPage(for: error)
        }
    }

    /// Whether an error says that the provider's own session cannot be ended in the standard's way; the client's is
    /// over.
    private func hasNoPage(for error: SignInError) -> Bool {
        error.stage == .endSession && absentEndpoints.contains(.endSession)
    }

    /// Whether the answer that is refused uses up the refresh token: one about another issuer or user brings none that
    /// the client may present, and the one before may be used once.
    fileprivate func endsSession(after expectation: Module.Expectation) -> Bool {
        guard case .once = refreshTokens, case .refused(let error) = expectation else { return false }
        return error.reason == .mismatch(.issuer) || error.reason == .mismatch(.subject)
    }

    private static func code(of error: SignInError) -> OAuthError.Code? {
        if case .refused(let answer) = error.reason { answer.code } else { nil }
    }

    /// Whether the provider has the place in which a scenario plays its fault.
    private func isPlayed(_ scenario: Scenario, _ expected: SignInError) -> Bool {
        if expected.stage == .userInfo { return hasUserInfo }
        if scenario.name == Scenario.missingResponseIssuer.name { return responseIssuer == .announced }
        // Such a server takes no `state` and returns none.
        if scenario.name == Scenario.endSessionMissingState.name { return endSession != .logoutURI }
        guard scenario.name.contains("refresh") else { return true }
        let isCompared =
            scenario.name != Scenario.refreshInvalidAuthenticationTime.name || authenticationTime != .onRequest
        return idTokenAtRefresh == .present && isCompared
    }
}

extension Journey {
    /// The outcome of a session.
    struct Report {
        var isRefreshable = false
        var refreshes = 0
        var subject: String?
        var ended: Session.End?
        var revocationFailure: SignInError?
        var endSessionFailure: SignInError?
    }

    /// Signs in; refreshes three times, of which the second follows a change of keys and the third another sign-in in
    /// the same browser; asks for user info; signs out.
    func signInAndOut() async throws -> Report {
        var report = Report()
        let person = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "alice", password: Secret("wonderland"))
        )
        let client = try await client(person, over: network)
        let request = manners.request(module.setting.request)
        let session = try await client.signIn(request)
        report.isRefreshable = session.isRefreshable
        report.subject = session.identity?.subject
        for round in 0..<3 {
            clock.advance(by: .seconds(60))
            if round == 1 { try await network.provider.rotateSigningKeys() }
            if round == 2 { try await signInElsewhere(person) }
            try await session.refresh()
            report.refreshes += 1
            if manners.hasUserInfo { #expect(try await session.userInfo().subject == report.subject) }
        }
        if case .ended(let reason) = session.state { report.ended = reason }
        let end = try await session.signOut(endingProviderSessionAt: try RedirectURI("com.example.app:/bye"))
        report.revocationFailure = end.revocationFailure
        report.endSessionFailure = end.endSessionFailure
        return report
    }

    /// The same user types the password once more in the same browser, for a client that stores its session elsewhere.
    private func signInElsewhere(_ person: HTTPUserAgent) async throws {
        var request = manners.request(module.setting.request)
        request.prompt = [.login]
        _ = try await client(person, over: network, storing: MemoryStore()).signIn(request)
    }
}
