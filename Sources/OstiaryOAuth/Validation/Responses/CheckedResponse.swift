package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A token response after its checks: its tokens or the failed check and, independently, the refresh token to keep.
package struct CheckedResponse: Sendable {
    /// The tokens when every check holds; otherwise the failed check, and no token may be handed out.
    package let tokens: Result<TokenSet, SignInError>
    /// The refresh token to keep when no token may be handed out.
    package let successor: RefreshSuccessor
    /// Every check that was made.
    package let verdict: Verdict

    /// Whether outdated keys may be the only reason for the failure.
    var mayNeedNewerKeys: Bool {
        guard case .failure(let error) = tokens, successor != .foreign else { return false }
        return error.reason == .mismatch(.signature) || error.reason == .mismatch(.key)
    }
}

extension TokenResponse {
    /// Makes every check.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - choice: The keys to check the signature with.
    ///   - now: The time to compare with.
    ///   - requested: The time of the request; the lifetime counts from it.
    ///   - received: The same time by the device's own clock.
    /// - Returns: The response, with every check that was made.
    package func checked(
        by keys: JSONWebKeySet,
        choosing choice: KeyChoice = .named,
        now: Date,
        requested: Date?,
        received: Date?
    ) -> CheckedResponse {
        if let contradiction { return contradiction }
        var verdict = Verdict(.identity)
        let tokens: Result<TokenSet, SignInError>
        do throws(SignInError) {
            let validated = try validated(
                by: keys,
                now: now,
                requested: requested,
                received: received,
                recording: &verdict,
                choosing: choice
            )
            tokens = .success(validated)
        } catch {
            tokens = .failure(error)
        }
        return CheckedResponse(tokens: tokens, successor: successor, verdict: verdict)
    }

    /// The outcome for a response that contradicts the session that was refreshed; `nil` for any other response.
    package var contradiction: CheckedResponse? {
        guard case .refresh(let previous, _) = expectation else { return nil }
        var verdict = Verdict(.identity)
        do throws(SignInError) {
            try verdict.requireOwner(idToken, continuing: previous)
            try content.requireSameUser(as: expectation, recording: &verdict)
            return nil
        } catch {
            return CheckedResponse(tokens: .failure(error), successor: .foreign, verdict: verdict)
        }
    }

    /// The refresh token to keep, unless the response is about another session.
    package var successor: RefreshSuccessor { refreshToken.map { .new(Secret($0)) } ?? .unchanged }

    /// Whether the client accepts the ID token's algorithm but the server's metadata does not list it, so that newer
    /// metadata may list it.
    var mayNeedNewerMetadata: Bool {
        guard let algorithm = signature?.algorithm, !client.idTokenAlgorithms(at: server).contains(algorithm) else {
            return false
        }
        var unrestricted = server
        unrestricted.idTokenSigningAlgorithms = nil
        return client.idTokenAlgorithms(at: unrestricted).contains(algorithm)
    }

    /// Whether the response belongs to a refresh.
    var isOfRefresh: Bool { if case .refresh = expectation { true } else { false } }
}
