import Ostiary

extension CurityError.Code {
    // The general table.
    /// The discovery document cannot be used.
    public static let invalidDiscoveryDocument = Self(rawValue: -2)
    /// The user closed the browser.
    public static let userCanceledAuthorizationFlow = Self(rawValue: -3)
    /// The app ended the flow, or no response came within the time limit.
    public static let programCanceledAuthorizationFlow = Self(rawValue: -4)
    /// No response came.
    public static let networkError = Self(rawValue: -5)
    /// The server failed.
    public static let serverError = Self(rawValue: -6)
    /// The response is not JSON of the required form.
    public static let jsonDeserializationError = Self(rawValue: -7)
    /// The token response is not of the right form.
    public static let tokenResponseConstructionError = Self(rawValue: -8)
    /// The browser could not be opened.
    public static let browserOpenError = Self(rawValue: -10)
    /// There is nothing to renew the tokens with.
    public static let tokenRefreshError = Self(rawValue: -11)
    /// The registration response is not of the right form.
    public static let registrationResponseConstructionError = Self(rawValue: -12)
    /// The ID token cannot be read.
    public static let idTokenParsingError = Self(rawValue: -14)
    /// The ID token, or another response, failed a check.
    public static let idTokenFailedValidationError = Self(rawValue: -15)
    /// A redirect went to another place.
    public static let redirectURIMismatch = Self(rawValue: -16)
    /// A flow is in progress already.
    public static let invalidAuthorizationFlow = Self(rawValue: -17)

    // The tables of server errors, which share their numbers.
    /// An error that the client found in a response, such as a wrong `state`.
    public static let clientError = Self(rawValue: -0xEFFF)
    /// An error that the table does not have.
    public static let other = Self(rawValue: -0xF000)

    /// The number of an OAuth error.
    static func oauth(_ code: OAuthError.Code) -> Self { numbers[code].map(Self.init(rawValue:)) ?? .other }

    private static let numbers: [OAuthError.Code: Int] = [
        .invalidRequest: -2, .unauthorizedClient: -3, .accessDenied: -4, .unsupportedResponseType: -5,
        .invalidScope: -6, .serverError: -7, .temporarilyUnavailable: -8, .invalidClient: -9, .invalidGrant: -10,
        .unsupportedGrantType: -11, .invalidRedirectURI: -12, .invalidClientMetadata: -13,
    ]
}

extension CurityError {
    /// Returns the table and number of an error.
    static func place(of error: SignInError) -> (Domain, Code) {
        switch error.reason {
        case .cancelled: (.general, .userCanceledAuthorizationFlow)
        case .timedOut: (.general, .programCanceledAuthorizationFlow)
        case .alreadyInProgress: (.general, .invalidAuthorizationFlow)
        case .refused(let refusal): (domain(of: error.stage), .oauth(refusal.code))
        case .server(let status):
            status >= 500 ? (.general, .serverError) : (.http, Code(rawValue: status))
        case .transport: (.general, .networkError)
        case .mismatch(let check): mismatch(check, at: error.stage)
        case .malformed: malformed(at: error.stage)
        case .unsupported: (.general, .invalidDiscoveryDocument)
        case .signInRequired, .keyLost, .stepUpRequired: (.general, .tokenRefreshError)
        case .storage(let failure): (.storage, storageCode(of: failure))
        case .presentation: (.general, .browserOpenError)
        case .configuration: configuration(at: error.stage)
        @unknown default: (.general, .clientError)
        }
    }

    private static func domain(of stage: SignInError.Stage) -> Domain {
        switch stage {
        case .registration: .registration
        case .authorization, .redirect, .endSession: .authorization
        case .userInfo: .resourceServer
        default: .token
        }
    }

    private static func mismatch(_ check: SignInError.Check, at stage: SignInError.Stage) -> (Domain, Code) {
        switch (stage, check) {
        case (.discovery, _): (.general, .invalidDiscoveryDocument)
        case (.registration, _): (.general, .registrationResponseConstructionError)
        case (_, .redirectURI): (.general, .redirectURIMismatch)
        case (.redirect, .issuer): (.general, .idTokenFailedValidationError)
        case (.redirect, _), (.endSession, _): (.authorization, .clientError)
        case (.token, _), (.refresh, _): (.general, .tokenResponseConstructionError)
        default: (.general, .idTokenFailedValidationError)
        }
    }

    private static func malformed(at stage: SignInError.Stage) -> (Domain, Code) {
        switch stage {
        case .discovery, .keys: (.general, .invalidDiscoveryDocument)
        case .registration: (.general, .registrationResponseConstructionError)
        case .redirect, .authorization, .endSession: (.authorization, .clientError)
        case .identity: (.general, .idTokenParsingError)
        case .token, .refresh: (.general, .tokenResponseConstructionError)
        default: (.general, .jsonDeserializationError)
        }
    }

    private static func configuration(at stage: SignInError.Stage) -> (Domain, Code) {
        switch stage {
        case .discovery: (.general, .invalidDiscoveryDocument)
        case .registration: (.registration, .clientError)
        case .authorization: (.general, .browserOpenError)
        default: (.token, .clientError)
        }
    }

    private static func storageCode(of failure: StorageFailure) -> Code {
        switch failure {
        case .locked: Code(rawValue: 1)
        case .unavailable: Code(rawValue: 2)
        case .corrupted: Code(rawValue: 3)
        case .notEntitled: Code(rawValue: 4)
        case .cancelled: Code(rawValue: 5)
        case .notRecognized: Code(rawValue: 6)
        case .invalidated: Code(rawValue: 7)
        }
    }
}
