import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One attempt to obtain a code: the page, the callback and its checks.
struct VerificationAttempt {
    let observer = RedirectObserver()
    private let verifier: SSAFYVerify
    private let redirectURI: RedirectURI

    init(of verifier: SSAFYVerify, at redirectURI: RedirectURI) {
        self.verifier = verifier
        self.redirectURI = redirectURI
    }

    /// Presents the page and checks the callback.
    func codeHandoff(asking scopes: [Scope]?) async throws(VerificationError) -> CodeHandoff {
        let asked = scopes.map { [.ssafyVerify] + $0.filter { $0 != .ssafyVerify } } ?? verifier.configuration.scopes
        var request = AuthorizationRequest(scopes: asked)
        request.responseType = verifier.configuration.responseType
        do throws(SignInError) {
            let handoff = try await verifier.client(at: redirectURI, seenBy: observer).codeHandoff(request)
            try checkIssuer(in: observer.redirect, of: handoff)
            return handoff
        } catch {
            if observer.failedToPresent { throw VerificationError(.presentationFailed, code: .popupFailed) }
            throw VerificationError(error, redirect: observer.redirect.flatMap(taken))
        }
    }

    /// Checks a callback after a restart; returns `nil` when it belongs to no pending verification.
    func resumedHandoff(from url: URL) async throws(VerificationError) -> CodeHandoff? {
        do throws(SignInError) {
            let client = try verifier.client(at: redirectURI, seenBy: observer)
            guard let handoff = try await client.resumeCodeHandoff(from: url) else { return nil }
            try checkIssuer(in: url, of: handoff)
            return handoff
        } catch {
            throw VerificationError(error, redirect: taken(apart: url))
        }
    }

    /// Rejects a code without `iss` (RFC 9207 section 2.4): the service always sends it, and the backend requires it.
    ///
    /// An error is accepted without one, since it is not documented that errors carry it.
    private func checkIssuer(in redirect: URL?, of handoff: CodeHandoff) throws(SignInError) {
        let issuer = try redirect.map { (url) throws(SignInError) in
            try AuthorizationRedirect(url, to: handoff.redirectURI)
        }?.single(.issuer)
        guard let issuer, issuer.utf8.elementsEqual(handoff.issuer.description.utf8) else {
            throw SignInError(.redirect, .mismatch(.issuer))
        }
    }

    /// The callback's members; `nil` when it goes to none of the redirect URIs.
    private func taken(apart url: URL) -> AuthorizationRedirect? {
        let places = [observer.awaited, redirectURI, verifier.configuration.fallbackRedirectURI].compactMap { $0 }
        return places.lazy.compactMap { try? AuthorizationRedirect(url, to: $0) }.first
    }
}
