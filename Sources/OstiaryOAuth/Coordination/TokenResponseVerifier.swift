import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Checks token responses with an issuer's keys and metadata, and reads them once more before it rejects a response.
///
/// A key may have changed under the same `kid`, and an algorithm may be newer than the cached metadata.
/// ``ForcedFetches`` limits how often responses cause such a request.
package struct TokenResponseVerifier: Sendable {
    private let keys: IssuerKeys
    private let metadata: IssuerMetadata
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let now: @Sendable () -> Date

    /// Makes a verifier.
    ///
    /// `now` returns the time that claims are compared with.
    package init(
        keys: IssuerKeys,
        metadata: IssuerMetadata,
        transport: any HTTPTransport,
        context: ExchangeContext,
        now: @escaping @Sendable () -> Date
    ) {
        self.keys = keys
        self.metadata = metadata
        self.transport = transport
        self.context = context
        self.now = now
    }

    /// Makes every check of a response; `nil` if the checks need a request.
    package func checkAtOnce(_ unchecked: UncheckedResponse) -> CheckedResponse? {
        let response = unchecked.response
        if let contradiction = response.contradiction { return contradiction }
        guard !response.needsProof, !response.mayNeedNewerMetadata else { return nil }
        var keySet = JSONWebKeySet([])
        if let signature = response.signature {
            guard let algorithm = signature.algorithm,
                let found = keys.cachedKeys(keyID: signature.keyID, algorithm: algorithm)
            else { return nil }
            keySet = found
        }
        let checked = check(response, of: unchecked, by: keySet)
        return checked.mayNeedNewerKeys ? nil : checked
    }

    /// Makes every check of a response, and requests keys, metadata or user info for them if necessary.
    ///
    /// At a refresh it tries every fitting key when the named one fails; at a sign-in `kid` decides.
    ///
    /// - Throws: The error of the request for keys, metadata or user info. The response is then still unchecked.
    package func check(_ unchecked: UncheckedResponse) async throws(SignInError) -> CheckedResponse {
        var response = unchecked.response
        if let contradiction = response.contradiction { return contradiction }
        if response.mayNeedNewerMetadata { response.server = try await metadata.serverReadAnew() }
        if response.needsProof {
            do throws(SignInError) {
                response = try await proven(response)
            } catch {
                guard case .mismatch = error.reason else { throw error }
                return CheckedResponse(
                    tokens: .failure(error),
                    successor: response.successor,
                    verdict: Verdict(.userInfo)
                )
            }
        }
        guard let signature = response.signature else { return check(response, of: unchecked, by: JSONWebKeySet([])) }
        let keySet = try await keys.keys(keyID: signature.keyID, algorithm: signature.algorithm)
        let checked = check(response, of: unchecked, by: keySet)
        guard checked.mayNeedNewerKeys else { return checked }
        let newer = try await keys.keys(afterFetches: unchecked.keyFetches)
        let again = check(response, of: unchecked, by: newer)
        guard response.isOfRefresh, again.mayNeedNewerKeys else { return again }
        let withEvery = check(response, of: unchecked, by: newer, choosing: .every)
        return withEvery.mayNeedNewerKeys ? again : withEvery
    }

    private func check(
        _ response: TokenResponse,
        of unchecked: UncheckedResponse,
        by keys: JSONWebKeySet,
        choosing choice: KeyChoice = .named
    ) -> CheckedResponse {
        response.checked(
            by: keys,
            choosing: choice,
            now: now(),
            requested: unchecked.requested,
            received: unchecked.requestedOnDevice
        )
    }

    /// Returns the response with its user confirmed by user info.
    ///
    /// Without a user info endpoint it returns the response unchanged, which then fails its check.
    private func proven(_ response: TokenResponse) async throws(SignInError) -> TokenResponse {
        guard let request = response.proofRequest else { return response }
        let answer = try await transport.perform(request, in: context)
        var keySet = JSONWebKeySet([])
        if let signature = answer.signature {
            keySet = try await keys.keys(keyID: signature.keyID, algorithm: signature.algorithm)
        }
        return response.proven(by: try answer.validated(by: keySet, now: now()))
    }
}
