import OstiaryCommand
import OstiaryOAuth
import Testing

// The testing library has a type of this name, too.
typealias Status = OstiaryCommand.ExitStatus

@Suite("Exit status", .fewAtOnce)
struct ExitStatusTests {
    private static let others: [(SignInError, Status)] =
        [
            (SignInError(.authorization, .cancelled), .cancelled),
            (SignInError(.authorization, .timedOut), .timedOut),
            (SignInError(.discovery, .server(status: 404)), .configuration),
            (SignInError(.discovery, .server(status: 503)), .server),
            (SignInError(.token, .server(status: 500)), .server),
            (SignInError(.keys, .server(status: 500)), .server),
            (SignInError(.registration, .server(status: 401)), .configuration),
            (SignInError(.registration, .server(status: 403)), .configuration),
            (SignInError(.registration, .server(status: 400)), .server),
            (SignInError(.userInfo, .server(status: 401)), .server),
            (SignInError(.device, .unsupported("a device_authorization_endpoint")), .configuration),
            (SignInError(.device, .timedOut), .timedOut),
            (SignInError(.discovery, .malformed("the metadata")), .configuration),
            (SignInError(.token, .malformed("access_token")), .server),
            (SignInError(.keys, .malformed("keys")), .server),
            (SignInError(.authorization, .unsupported("an authorization_endpoint")), .configuration),
            (SignInError(.userInfo, .unsupported("a userinfo_endpoint")), .configuration),
            (SignInError(.discovery, .configuration("An issuer is a whole URL.")), .configuration),
            (SignInError(.authorization, .configuration("The port is taken.")), .configuration),
            (SignInError(.refresh, .signInRequired), .signInRequired),
            (SignInError(.storage, .signInRequired), .signInRequired),
            (SignInError(.storage, .storage(.locked)), .storage),
            (SignInError(.storage, .storage(.unavailable)), .storage),
            (SignInError(.storage, .storage(.corrupted)), .storage),
        ]

    private static let transports: [(SignInError, Status)] = [
        (SignInError(.token, .transport(.unreachable)), .network),
        (SignInError(.discovery, .transport(.unknownHost)), .network),
        (SignInError(.token, .transport(.tls)), .network),
        (SignInError(.token, .transport(.interrupted)), .network),
        (SignInError(.token, .transport(.notHTTP)), .network),
        (SignInError(.token, .transport(.timedOut)), .timedOut),
        (SignInError(.token, .transport(.tooLarge)), .server),
        (SignInError(.discovery, .transport(.tooLarge)), .configuration),
        (SignInError(.token, .transport(.redirectRefused)), .server),
        (SignInError(.discovery, .transport(.redirectRefused)), .configuration),
        (SignInError(.token, .transport(.insecureURL)), .configuration),
        (SignInError(.token, .transport(.invalidRequest)), .configuration),
        (SignInError(.token, .transport(.cancelled)), .cancelled),
    ]

    private static let refusals: [(SignInError, Status)] = [
        (refused(.redirect, .accessDenied), .cancelled),
        (refused(.refresh, .invalidGrant), .signInRequired),
        (refused(.token, .invalidGrant), .server),
        (refused(.redirect, .loginRequired), .signInRequired),
        (refused(.redirect, .interactionRequired), .signInRequired),
        (refused(.redirect, .consentRequired), .signInRequired),
        (refused(.token, .invalidClient), .configuration),
        (refused(.refresh, .invalidClient), .configuration),
        (refused(.token, .unauthorizedClient), .configuration),
        (refused(.redirect, .invalidScope), .configuration),
        (refused(.redirect, .invalidRequest), .configuration),
        (refused(.token, .unsupportedGrantType), .configuration),
        (refused(.redirect, .unsupportedResponseType), .configuration),
        (refused(.revocation, .unsupportedTokenType), .configuration),
        (refused(.userInfo, .insufficientScope), .configuration),
        (refused(.userInfo, .invalidToken), .server),
        (refused(.registration, .invalidToken), .configuration),
        (refused(.device, .accessDenied), .cancelled),
        (refused(.device, .expiredToken), .timedOut),
        (refused(.introspection, .invalidClient), .configuration),
        (refused(.token, .invalidTarget), .configuration),
        (refused(.registration, .invalidRedirectURI), .configuration),
        (refused(.registration, .invalidClientMetadata), .configuration),
        (refused(.registration, .invalidSoftwareStatement), .configuration),
        (refused(.registration, .unapprovedSoftwareStatement), .configuration),
        (refused(.userInfo, .insufficientUserAuthentication), .signInRequired),
        (refused(.token, .invalidDPoPProof), .server),
        (refused(.redirect, .serverError), .server),
        (refused(.redirect, .temporarilyUnavailable), .server),
        (refused(.token, OAuthError.Code(rawValue: "something_new")), .server),
    ]

    private static let mismatches: [(SignInError, Status)] = SignInError.Check.allCases.map { check in
        (SignInError(.identity, .mismatch(check)), .refusedForSecurity)
    }

    private static func refused(_ stage: SignInError.Stage, _ code: OAuthError.Code) -> SignInError {
        SignInError(stage, .refused(OAuthError(code: code)))
    }

    @Test("Every error maps to its exit status", arguments: others + transports + refusals + mismatches)
    func status(_ error: SignInError, _ status: Status) {
        #expect(Status(of: error) == status)
    }

    @Test("The exit statuses are fixed")
    func numbers() {
        #expect(Status.allCases.map(\.rawValue) == Array(0...10))
    }
}
