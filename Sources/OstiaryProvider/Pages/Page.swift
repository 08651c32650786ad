/// A page for a person: what a template needs, as plain strings that are not escaped yet.
public enum Page: Sendable, Hashable {
    /// Who are you?
    case login(LoginPage)
    /// May this client have this?
    case consent(ConsentPage)
    /// Do you want to sign out?
    case signOut(SignOutPage)
    /// You are signed out.
    case signedOut(SignedOutPage)
    /// Which code does your device show?
    case userCode(UserCodePage)
    /// May this device have this?
    case deviceConsent(DeviceConsentPage)
    /// Go back to your device.
    case deviceDone(DeviceDonePage)
    /// Go back to the app, with the answer in the form (OAuth 2.0 Form Post Response Mode).
    case answer(AnswerPage)
    /// This cannot be done.
    case error(ErrorPage)
}

/// What every page shows: whose it is, and that it is not for real people.
public struct PageFrame: Sendable, Hashable {
    /// The provider's name.
    public var providerName: String
    /// A short mark that this is a development provider.
    public var developmentMark: String
}

/// A form of a page: where it goes, and what goes along unseen.
public struct PageForm: Sendable, Hashable {
    /// A name and a value that go along with a form.
    public struct HiddenField: Sendable, Hashable {
        /// The input's name.
        public var name: String
        /// The input's value.
        public var value: String
    }

    /// Where the form is posted to.
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
    /// The text field for the person's name.
    public static let name = "username"
    /// The password field.
    public static let password = "password"
    /// The buttons; the values are ``Decision``'s.
    public static let decision = "decision"
    /// The text field for the code that a device shows.
    public static let userCode = "user_code"

    /// What the buttons say.
    public enum Decision: String, Sendable, Hashable {
        /// Go on: sign in, allow, sign out.
        case accept
        /// Go back: cancel, deny, stay signed in.
        case refuse
    }
}

/// The sign-in page: name, password, sign in, cancel.
public struct LoginPage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// The form; its inputs are ``PageInput/name``, ``PageInput/password`` and ``PageInput/decision``.
    public var form: PageForm
    /// Who the person signs in to.
    public var clientName: String
    /// The name to start with; empty for none.
    public var userName: String
    /// What went wrong with the last try, in one sentence; `nil` before the first.
    public var failure: String?
}

/// The consent page: allow, deny.
public struct ConsentPage: Sendable, Hashable {
    /// A scope, or a resource to use it at, and what it means.
    public struct ScopeLine: Sendable, Hashable {
        /// The scope value, or the resource's identifier.
        public var scope: String
        /// What the client may do with it, or where.
        public var sentence: String
    }

    /// What every page shows.
    public var frame: PageFrame
    /// The form; its input is ``PageInput/decision``.
    public var form: PageForm
    /// Who asks.
    public var clientName: String
    /// Who is asked.
    public var userName: String
    /// What is asked for.
    public var scopes: [ScopeLine]
}

/// The page that asks before signing out.
public struct SignOutPage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// The form; its input is ``PageInput/decision``.
    public var form: PageForm
    /// Who would be signed out.
    public var userName: String
    /// Who asks; `nil` when it did not say.
    public var clientName: String?
}

/// The page after signing out.
public struct SignedOutPage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// What happened, in one sentence.
    public var sentence: String
}

/// The page whose form brings the answer of a sign-in to the client's redirect URI.
public struct AnswerPage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// The form; its hidden fields are the parameters of the answer.
    public var form: PageForm
}

/// The page that says what is wrong, when there is nobody to send the person back to.
public struct ErrorPage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// What is wrong, in one sentence, for a developer.
    public var sentence: String
}
