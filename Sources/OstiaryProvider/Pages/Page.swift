/// A page for the user: a template's values, as plain strings that are not escaped yet.
public enum Page: Sendable, Hashable {
    /// The sign-in page.
    case login(LoginPage)
    /// The account chooser.
    case accounts(AccountsPage)
    /// The page for a one-time password.
    case oneTimePassword(OneTimePasswordPage)
    /// May this client have this?
    case consent(ConsentPage)
    /// Do you want to sign out?
    case signOut(SignOutPage)
    /// You are signed out.
    case signedOut(SignedOutPage)
    /// The page for a device's code.
    case userCode(UserCodePage)
    /// May this device have this?
    case deviceConsent(DeviceConsentPage)
    /// Go back to your device.
    case deviceDone(DeviceDonePage)
    /// The page that returns to the app with the response in a form (OAuth 2.0 Form Post Response Mode).
    case answer(AnswerPage)
    /// The page at the issuer's URL.
    case front(FrontPage)
    /// The user's passkeys.
    case account(AccountPage)
    /// This cannot be done.
    case error(ErrorPage)
}

/// The content of every page: the provider's name, and a notice that it is for development only.
public struct PageFrame: Sendable, Hashable {
    /// The provider's name.
    public var providerName: String
    /// A short mark that this is a development provider.
    public var developmentMark: String
    /// The language of the page, in which a renderer has its own texts.
    public var language: PageLanguage = .english
}

/// A form of a page: its target and its hidden fields.
public struct PageForm: Sendable, Hashable {
    /// A name and a value that go along with a form.
    public struct HiddenField: Sendable, Hashable {
        /// The input's name.
        public var name: String
        /// The input's value.
        public var value: String
    }

    /// The URL that the form is posted to.
    public var action: String
    /// The inputs that go along unseen; the token against forged forms is one of them.
    public var hiddenFields: [HiddenField]

    /// The token that proves that the form came from this page; the value of the hidden field `csrf`.
    public var csrfToken: String { hiddenFields.first { $0.name == PageInput.csrf }?.value ?? "" }
}

/// The names and values of the inputs that a page's form sends.
public enum PageInput {
    /// The hidden field that says which interaction this is.
    public static let interaction = "interaction"
    /// The hidden field with the token against forged forms.
    public static let csrf = "csrf"
    /// The text field for the user's name.
    public static let name = "username"
    /// The password field.
    public static let password = "password"
    /// The text field for a one-time password.
    public static let oneTimePassword = "one_time_password"
    /// The buttons that choose an account.
    public static let account = "account"
    /// The buttons that forget an account.
    public static let forgottenAccount = "forget"
    /// The buttons; the values are ``Decision``'s.
    public static let decision = "decision"
    /// The text field for a device's code.
    public static let userCode = "user_code"
    /// The hidden field for the browser's response about a passkey, in JSON.
    public static let passkey = "passkey"
    /// The buttons that remove a passkey.
    public static let removal = "remove"

    /// The values of the buttons.
    public enum Decision: String, Sendable, Hashable {
        /// Go on: sign in, allow, sign out.
        case accept
        /// Go back: cancel, deny, stay signed in.
        case refuse
    }
}

/// The sign-in page: name, password, sign in, cancel.
public struct LoginPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The form; its inputs are ``PageInput/name``, ``PageInput/password`` and ``PageInput/decision``.
    public var form: PageForm
    /// The client that the user signs in to.
    public var clientName: String
    /// The name to start with; empty for none.
    public var userName: String
    /// The error of the last attempt, in one sentence; `nil` before the first.
    public var failure: String?
    /// The users who sign in with a button alone; empty where a password is needed.
    ///
    /// The button's name is ``PageInput/name``, its value the user's name.
    public var choices: [String] = []
    /// The form for signing in with a passkey; `nil` where there are none.
    ///
    /// The field for the name has `webauthn` in its `autocomplete` then.
    public var passkey: PasskeyPrompt? = nil
}

/// The consent page: allow, deny.
public struct ConsentPage: Sendable, Hashable {
    /// A scope, or a resource to use it at, with its description.
    public struct ScopeLine: Sendable, Hashable {
        /// The scope value, or the resource's identifier.
        public var scope: String
        /// The description of the client's access.
        public var sentence: String
        /// The text that the sentence is; `nil` for a sentence of the configuration, which is not translated.
        var text: PageText?
        /// The name in the text; empty for none.
        var name = ""
    }

    /// A page about the client.
    public struct Link: Sendable, Hashable {
        /// The label.
        public var label: String
        /// The URL.
        public var url: String
    }

    /// The content of every page.
    public var frame: PageFrame
    /// The form; its input is ``PageInput/decision``.
    public var form: PageForm
    /// The name of the client.
    public var clientName: String
    /// The name of the user.
    public var userName: String
    /// The requested scopes.
    public var scopes: [ScopeLine]
    /// The pages about the client.
    public var links: [Link] = []
    /// The URL of the client's logo, which the policy of the response allows; `nil` for none.
    public var logo: String?
}

/// The page that asks for confirmation of a sign-out.
public struct SignOutPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The form; its input is ``PageInput/decision``.
    public var form: PageForm
    /// The user who would be signed out.
    public var userName: String
    /// The client that requests the sign-out; `nil` when the request names none.
    public var clientName: String?
}

/// The page after signing out.
public struct SignedOutPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The result, in one sentence.
    public var sentence: String
    /// The clients' logout pages, to load in frames that are not seen (OpenID Connect Front-Channel Logout section 3).
    public var clientFrames: [String] = []
    /// The URL to go on to, which the browser opens by itself when the frames had time to load; `nil` for none.
    public var continuation: String?
}

/// The page whose form carries the authorization response to the client's redirect URI.
public struct AnswerPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The form; its hidden fields are the parameters of the response.
    public var form: PageForm
}

/// The page for an error, when there is no client to redirect the user to.
public struct ErrorPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The error, in one sentence, for a developer.
    public var sentence: String
    /// The reason, where it is more precise than the sentence; `nil` for none.
    public var reason: String?
    /// The change that makes the request right; `nil` where the sentence says it.
    public var mend: String?
}

/// The page at the issuer's URL: the settings that a developer of a client needs, without a secret.
public struct FrontPage: Sendable, Hashable {
    /// A client, as the page shows it.
    public struct Client: Sendable, Hashable {
        /// The client identifier.
        public var id: String
        /// The name of its authentication method.
        public var authenticationMethod: String
        /// The redirect URIs.
        public var redirectURIs: [String]
        /// The scopes that it may request, with spaces between them.
        public var scope: String
    }

    /// The content of every page.
    public var frame: PageFrame
    /// The issuer identifier.
    public var issuer: String
    /// The URL of the metadata.
    public var metadataURL: String
    /// The name of the rules.
    public var rules: String
    /// The name of the fault that the provider plays; `nil` for none.
    public var scenario: String?
    /// The clients.
    public var clients: [Client]
    /// The names of the users who can sign in.
    public var users: [String]
    /// The resources that tokens can be for.
    public var resources: [String]
    /// Whether a client can register itself.
    public var isRegistrationOpen: Bool
    /// The URL of the page for passkeys; `nil` where there are none.
    public var accountURL: String?
    /// A command that reads the metadata.
    public var command: String
    /// The URL of the inspector; `nil` where there is none.
    public var inspectorURL: String?
}
