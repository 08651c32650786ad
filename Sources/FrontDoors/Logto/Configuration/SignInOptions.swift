public import OstiaryOAuth

extension LogtoCore {
    /// What a sign-in asks the person to do.
    public struct Prompt: RawRepresentable, Sendable, Hashable {
        /// The words as they are sent, joined by spaces.
        public let rawValue: String
        /// Takes any words.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Joins several.
        public init(_ prompts: [Prompt]) { rawValue = prompts.map(\.rawValue).joined(separator: " ") }

        /// Allow what the app asks for; needed for a refresh token.
        public static let consent = Prompt(rawValue: "consent")
        /// Sign in again; alone, it gives no refresh token.
        public static let login = Prompt(rawValue: "login")
        /// Nothing: fail when something would have to be asked.
        public static let none = Prompt(rawValue: "none")

        var words: [String] { rawValue.split(separator: " ").map(String.init) }
    }
}

/// Where a sign-in goes at once, past the sign-in page: a social connector's provider or an enterprise's.
public struct DirectSignInOptions: Sendable, Hashable {
    /// What the target is.
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

/// How a sign-in goes on at once.
public enum DirectSignInMethod: String, Sendable, Hashable {
    /// At a social connector's provider.
    case social
    /// At an enterprise's provider.
    case sso
}

/// The page that a sign-in starts with.
public struct FirstScreen: RawRepresentable, Sendable, Hashable {
    /// The name as it is sent: with underscores, whatever page of the documentation shows a hyphen.
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

/// What a person is known by on the first page.
public enum SignInIdentifier: String, Sendable, Hashable {
    /// The e-mail address.
    case email
    /// The telephone number.
    case phone
    /// The user name.
    case username
}

/// What one sign-in asks for besides what the configuration says.
public struct LogtoSignInOptions: Sendable, Hashable {
    /// What the person is asked to do; `nil` for what the configuration says.
    public var prompt: LogtoCore.Prompt?
    /// Who will sign in, as far as the app knows.
    public var loginHint: String?
    /// Where the sign-in goes at once.
    public var directSignIn: DirectSignInOptions?
    /// The page that it starts with.
    public var firstScreen: FirstScreen?
    /// What the first page takes; only with an identifier's page or the one for a new password.
    public var identifiers: [SignInIdentifier]
    /// Languages, the best first (RFC 5646).
    public var uiLocales: [String]
    /// The organization whose looks the pages have.
    public var organizationID: String?
    /// The token of a magic link.
    public var oneTimeToken: Secret?
    /// Any other parameter of Logto's.
    ///
    /// What the request sets itself is refused, as is what another option sets.
    public var extraParameters: Parameters

    /// Makes options.
    public init(
        prompt: LogtoCore.Prompt? = nil,
        loginHint: String? = nil,
        directSignIn: DirectSignInOptions? = nil,
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
