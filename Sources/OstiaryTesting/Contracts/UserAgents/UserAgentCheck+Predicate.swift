import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension UserAgentCheck {
    /// Checks how the user agent treats a URL that the predicate does not accept.
    func checkPredicate() async throws {
        switch reception {
        case .oneURL: try await checkHandingOver()
        case .listening(let deliver): try await checkListening(deliver)
        }
    }

    private func checkHandingOver() async throws {
        let promise = "A user agent that gets one URL returns it, whether or not the predicate accepts it."
        let attempt = try await attempt(of: make(User()), at: redirectURI, promise)
        let page = Page(redirectURI: attempt.redirectURI, state: "one")
        let refusing = RedirectPredicate { _ in false }
        try expect(try await open(page, in: attempt, accepting: refusing, promise), page.redirect, promise)
    }

    private func checkListening(_ deliver: @Sendable (URL) async throws -> Void) async throws {
        let promise = "A URL that the predicate does not accept does not end an attempt that can go on listening."
        let user = User(.waiting)
        let attempt = try await attempt(of: make(user), at: redirectURI, promise)
        let page = Page(redirectURI: attempt.redirectURI, state: "new")
        let older = Page(redirectURI: attempt.redirectURI, state: "old")
        async let answer = open(page, in: attempt, promise)
        await user.looked()
        try await deliver(older.redirect)
        user.act()
        try expect(try await answer, page.redirect, promise)
    }
}
