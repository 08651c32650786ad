public import OstiaryOAuth
public import OstiaryProvider

/// A fault of the provider in a sign-in, and the error with which every client has to reject it.
///
/// The lists are the contract of a front door, or of an app with its own client: each fault is a case of a test, and
/// nothing may be stored or handed out.
///
///     @Test("A faulty ID token is rejected", arguments: SignInFault.idToken)
///     func rejected(_ fault: SignInFault) async throws {
///         let world = try TestWorld(fault.scenario)
///         try await fault.check { _ = try await world.client().signIn() }
///     }
public struct SignInFault: Sendable, CustomStringConvertible {
    /// The fault, for a ``TestWorld`` or another provider.
    public let scenario: Scenario
    /// The error of the sign-in.
    public let error: SignInError

    init(_ scenario: Scenario, _ error: SignInError) {
        self.scenario = scenario
        self.error = error
    }

    private init(_ scenario: Scenario, _ stage: SignInError.Stage, _ check: SignInError.Check) {
        self.init(scenario, SignInError(stage, .mismatch(check)))
    }

    private init(_ scenario: Scenario, _ stage: SignInError.Stage, malformed: String) {
        self.init(scenario, SignInError(stage, .malformed(malformed)))
    }

    /// The name of the scenario.
    public var description: String { scenario.name }

    /// Whether the client has to reject the sign-in before it redeems the code.
    public var precedesToken: Bool { error.stage == .discovery || error.stage == .redirect }

    /// Runs a sign-in at a provider with the fault.
    ///
    /// An error of a type other than `SignInError`, such as that of a vendor's own SDK, is a rejection too.
    ///
    /// - Parameter signIn: The sign-in.
    /// - Throws: ``BrokenPromise`` when the sign-in succeeds or fails with another `SignInError`.
    public func check(_ signIn: () async throws -> Void) async throws(BrokenPromise) {
        let promise = "A sign-in under \(scenario.name) fails with \(error)."
        do {
            try await signIn()
        } catch let found as SignInError {
            guard found == error else { throw BrokenPromise(promise, found: "\(found)") }
            return
        } catch {
            return
        }
        throw BrokenPromise(promise, found: "the sign-in succeeded")
    }
}

extension SignInFault {
    /// Every fault of a sign-in: of metadata, of the redirect, of the token response and of the ID token.
    public static let all = metadata + redirect + tokenResponse + idToken

    /// Faults of the server's metadata (RFC 8414 section 3.3).
    public static let metadata = [SignInFault(.issuerMismatch, .discovery, .metadataIssuer)]

    /// Faults of the redirect (RFC 6749 section 4.1.2, RFC 9207).
    ///
    /// Those without `iss` are faults where the metadata announces it.
    public static let redirect = [
        SignInFault(.missingResponseIssuer, .redirect, .issuer),
        SignInFault(.invalidResponseIssuer, .redirect, .issuer),
        SignInFault(.missingState, .redirect, .state), SignInFault(.invalidState, .redirect, .state),
        SignInFault(.repeatedState, .redirect, .repeatedParameter),
        SignInFault(.repeatedCode, .redirect, .repeatedParameter),
        SignInFault(.missingCode, .redirect, malformed: "code"),
    ]

    /// Faults of the token response (RFC 6749 section 5.1).
    public static let tokenResponse = [
        SignInFault(.otherTokenType, .token, .tokenType),
        SignInFault(.htmlInsteadOfJSON, .token, malformed: "the media type is not application/json"),
        SignInFault(.truncatedJSON, .token, malformed: "the JSON is broken"),
        SignInFault(.repeatedMember, .token, malformed: "the JSON has a member twice"),
        SignInFault(.hugeBody, SignInError(.token, .transport(.tooLarge))),
        SignInFault(.redirectingTokenEndpoint, SignInError(.token, .transport(.redirectRefused))),
        SignInFault(.missingTokenType, .token, malformed: "the token response's token_type"),
        SignInFault(.missingAccessToken, .token, malformed: "the token response's access_token"),
    ]

    /// Faults of the ID token (OpenID Connect Core section 3.1.3.7).
    public static let idToken = [
        SignInFault(.missingIDToken, .identity, .idToken), SignInFault(.invalidIssuer, .identity, .issuer),
        SignInFault(.missingIssuer, .identity, .issuer), SignInFault(.invalidAudience, .identity, .audience),
        SignInFault(.missingAudience, .identity, .audience), SignInFault(.secondAudience, .identity, .audience),
        SignInFault(.invalidAuthorizedParty, .identity, .authorizedParty),
        SignInFault(.missingSubject, .identity, .subject), SignInFault(.emptySubject, .identity, .subject),
        SignInFault(.missingIssuedAt, .identity, .issuedAt), SignInFault(.staleIssuedAt, .identity, .issuedAt),
        SignInFault(.futureIssuedAt, .identity, .issuedAt), SignInFault(.missingExpiry, .identity, .expiry),
        SignInFault(.expired, .identity, .expiry), SignInFault(.invalidNonce, .identity, .nonce),
        SignInFault(.missingNonce, .identity, .nonce),
        SignInFault(.invalidAccessTokenHash, .identity, .accessTokenHash),
        SignInFault(.invalidSignature, .identity, .signature), SignInFault(.unsigned, .identity, .algorithm),
        SignInFault(.symmetricSignature, .identity, .algorithm), SignInFault(.unknownKeyID, .identity, .key),
        SignInFault(.criticalHeader, .identity, .critical),
    ]
}
