/// An error code of SSAFY Verify or of a partner's backend: capital letters, digits and underscores, at most 96.
///
/// Any other text is discarded, so that an attacker's text in a URL is never used.
public struct VerificationErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as it was sent.
    public let rawValue: String

    /// Takes a code; `nil` for a text that does not match `^[A-Z0-9_]{1,96}$`.
    public init?(rawValue: String) {
        let isCode = rawValue.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isCode, (1...96).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) { self.rawValue = rawValue }

    /// The code.
    public var description: String { rawValue }
}

/// The codes of the service and of partners' backends.
extension VerificationErrorCode {
    /// The user cancelled.
    public static let cancelled = Self(known: "VERIFY_CANCELLED")
    /// The user denied consent.
    public static let consentDenied = Self(known: "CONSENT_DENIED")
    /// Too many tries.
    public static let rateLimited = Self(known: "VERIFY_RATE_LIMITED")
    /// The code or the token was refused.
    public static let tokenInvalid = Self(known: "VERIFY_TOKEN_INVALID")
    /// The token could not be obtained.
    public static let tokenFailed = Self(known: "VERIFY_TOKEN_FAILED")
    /// The backend does not take requests from here.
    public static let requestForbidden = Self(known: "VERIFY_REQUEST_FORBIDDEN")
    /// The callback came from another issuer.
    public static let callbackIssuerMismatch = Self(known: "CALLBACK_ISSUER_MISMATCH")
    /// The redirect URI is not a registered one.
    public static let redirectURIMismatch = Self(known: "REDIRECT_URI_MISMATCH")
    /// The request is wrong.
    public static let invalidRequest = Self(known: "INVALID_REQUEST")
    /// The user is not a member.
    public static let memberNotFound = Self(known: "MEMBER_NOT_FOUND")
    /// The member belongs to another account.
    public static let memberConflict = Self(known: "SSAFY_MEMBER_CONFLICT")
    /// The member has no profile.
    public static let profileNotFound = Self(known: "PROFILE_NOT_FOUND")
    /// The member has an account that requires a sign-in with its Mattermost e-mail address.
    public static let emailLoginRequired = Self(known: "MM_EMAIL_LOGIN_REQUIRED")
}

/// The codes that clients make themselves.
extension VerificationErrorCode {
    /// The page could not be presented.
    public static let popupFailed = Self(known: "VERIFY_POPUP_FAILED")
    /// The browser did not let the page open.
    public static let popupBlocked = Self(known: "SSAFY_VERIFY_POPUP_BLOCKED")
    /// The user closed the page.
    public static let popupClosed = Self(known: "SSAFY_VERIFY_POPUP_CLOSED")
    /// The app has set no configuration yet.
    public static let sdkNotReady = Self(known: "SDK_NOT_READY")
    /// No callback came in time.
    public static let callbackTimeout = Self(known: "SSAFY_VERIFY_CALLBACK_TIMEOUT")
    /// The redirect URI cannot be one.
    public static let redirectURIInvalid = Self(known: "SSAFY_VERIFY_REDIRECT_URI_INVALID")
    /// The redirect URI belongs to another origin.
    public static let redirectOriginMismatch = Self(known: "SSAFY_VERIFY_REDIRECT_ORIGIN_MISMATCH")
    /// The callback belongs to another verification.
    public static let stateMismatch = Self(known: "SSAFY_VERIFY_STATE_MISMATCH")
    /// There are no random numbers.
    public static let cryptoUnavailable = Self(known: "SSAFY_VERIFY_CRYPTO_UNAVAILABLE")
    /// The callback belongs to no pending verification.
    public static let sessionMissing = Self(known: "SSAFY_VERIFY_REDIRECT_SESSION_MISSING")
    /// The backend could not be reached.
    public static let networkFailed = Self(known: "VERIFY_NETWORK_FAILED")
    /// The backend's response violates the contract.
    public static let responseInvalid = Self(known: "VERIFY_RESPONSE_INVALID")
}

/// The number by which support finds a request: letters, digits and `_.:-`, at most 120.
public struct VerificationRequestID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number as it was sent.
    public let rawValue: String

    /// Takes a number; `nil` for a text that does not match `^[A-Za-z0-9_.:-]{1,120}$`.
    public init?(rawValue: String) {
        let isNumber = rawValue.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_.:-".utf8.contains($0)
            }
        }
        guard isNumber, (1...120).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    /// The number.
    public var description: String { rawValue }
}
