public import OstiaryOAuth

extension LogtoCore {
    /// The interaction that a sign-in requires.
    public struct Prompt: RawRepresentable, Sendable, Hashable {
        /// The value on the wire: words joined by spaces.
        public let rawValue: String
        /// Takes any words.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Joins several.
        public init(_ prompts: [Prompt]) { rawValue = prompts.map(\.rawValue).joined(separator: " ") }

        /// The user's consent to the requested scopes; required for a refresh token.
        public static let consent = Prompt(rawValue: "consent")
        /// Sign in again; alone, it gives no refresh token.
        public static let login = Prompt(rawValue: "login")
        /// No interaction: the server returns an error if it would need one.
        public static let none = Prompt(rawValue: "none")

        var words: [String] { rawValue.split(separator: " ").map(String.init) }
    }
}

extension LogtoCore {
    /// The target of a sign-in that skips the sign-in page: a social connector's provider or an enterprise's.
    public struct DirectSignInOptions: Sendable, Hashable {
        /// The kind of the target.
        public var method: DirectSignInMethod
        /// The social connector's target, such as `github`, or the enterprise connector's identifier.
        public var target: String

        /// Names a target; white space around it does not count, and an empty one is left out of the request.
        public init(method: DirectSignInMethod, target: String) {
            self.method = method
            self.target = target
        }

        var text: String? {
            let target = target.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
            return target.isEmpty ? nil : method.rawValue + ":" + String(target)
        }
    }

    /// The kind of a direct sign-in.
    public enum DirectSignInMethod: String, Sendable, Hashable {
        /// At a social connector's provider.
        case social
        /// At an enterprise's provider.
        case sso
    }
}

/// The page that a sign-in starts with.
public struct FirstScreen: RawRepresentable, Sendable, Hashable {
    /// The name on the wire: with underscores, although a page of the documentation has hyphens.
    public let rawValue: String
    /// Takes any name.
    public init(rawValue: String) { self.rawValue = String(rawValue.map { $0 == "-" ? "_" : $0 }) }

    /// Sign in.
    public static let signIn = FirstScreen(rawValue: "sign_in")
    /// Make an account.
    public static let register = FirstScreen(rawValue: "register")
    /// Get a new password.
    public static let resetPassword = FirstScreen(rawValue: "reset_password")
    /// Sign in at an enterprise's provider.
    public static let singleSignOn = FirstScreen(rawValue: "single_sign_on")
    /// Sign in, with the identifiers that the options name.
    public static let identifierSignIn = FirstScreen(rawValue: "identifier:sign_in")
    /// Make an account, with the identifiers that the options name.
    public static let identifierRegister = FirstScreen(rawValue: "identifier:register")

    var takesIdentifiers: Bool { rawValue.hasPrefix("identifier:") || self == .resetPassword }
}

/// The kind of identifier that the user enters on the first page.
public enum SignInIdentifier: String, Sendable, Hashable {
    /// The e-mail address.
    case email
    /// The telephone number.
    case phone
    /// The user name.
    case username
}

/// The options of one sign-in, besides the configuration.
public struct LogtoSignInOptions: Sendable, Hashable {
    /// The interaction that the sign-in requires; `nil` for the configuration's.
    public var prompt: LogtoCore.Prompt?
    /// A hint about the user who will sign in.
    public var loginHint: String?
    /// The target of a direct sign-in.
    public var directSignIn: LogtoCore.DirectSignInOptions?
    /// The page that it starts with.
    public var firstScreen: FirstScreen?
    /// The identifiers that the first page accepts; only with an identifier's page or the one for a new password.
    public var identifiers: [SignInIdentifier]
    /// Languages, the best first (RFC 5646).
    public var uiLocales: [String]
    /// The organization whose looks the pages have.
    public var organizationID: String?
    /// The token of a magic link.
    public var oneTimeToken: Secret?
    /// Any other parameter of Logto's.
    ///
    /// A parameter that the request or another option sets is rejected.
    public var extraParameters: Parameters

    /// Makes options.
    public init(
        prompt: LogtoCore.Prompt? = nil,
        loginHint: String? = nil,
        directSignIn: LogtoCore.DirectSignInOptions? = nil,
        firstScreen: FirstScreen? = nil,
        identifiers: [SignInIdentifier] = [],
        uiLocales: [String] = [],
        organizationID: String? = nil,
        oneTimeToken: Secret? = nil,
        extraParameters: Parameters = Parameters()
    ) {
        self.prompt = prompt
        self.loginHint = loginHint
        self.directSignIn = directSignIn
        self.firstScreen = firstScreen
        self.identifiers = identifiers
        self.uiLocales = uiLocales
        self.organizationID = organizationID
        self.oneTimeToken = oneTimeToken
        self.extraParameters = extraParameters
    }
}
