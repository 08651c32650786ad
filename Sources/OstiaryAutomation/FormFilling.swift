import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Chooses a form of a page, fills it in, and chooses the button to press.
struct FormFilling {
    /// A form, filled in.
    struct Submission {
        var action: String
        var method: String
        var fields: Parameters
        /// The names of the fields that the user would see.
        var visibleNames: [String]
        var carriesPassword: Bool
        /// Whether the form is the one for a one-time password.
        var carriesOneTimePassword = false

        /// Returns the signature of a form, by which a form that was sent before is recognized.
        func signature(on page: URL) -> String {
            let target = URL(string: action, relativeTo: page)?.absoluteURL ?? page
            return ([target.withoutQuery] + visibleNames).joined(separator: "\n")
        }
    }

    let credentials: HTTPUserAgent.Credentials?
    let answer: HTTPUserAgent.Answer
    let isEndSession: Bool

    /// Returns the sign-in form of a page, filled in; `nil` when there is none.
    ///
    /// It is the form with a password or, for a server that requests one after the other, the form with a name.
    ///
    /// - Throws: `configuration` when there is such a form and there are no credentials.
    func login(on page: HTMLPage) throws(SignInError) -> Submission? {
        let forms = page.forms.filter { !ButtonWords(action: $0.action).isElsewhere || isEndSession }
        let withPassword = forms.first { form in form.controls.count { $0.kind == .password } == 1 }
        guard let form = withPassword ?? forms.first(where: { $0.controls.contains(where: Self.isNamed) }) else {
            return nil
        }
        guard let credentials else {
            throw SignInError(
                .authorization,
                .configuration("The sign-in page asks for a name and a password: give the user agent credentials.")
            )
        }
        let button = best(of: form.buttons)
        return submission(of: form, button: button) { control in
            switch control.kind {
            case .password: credentials.password.reveal()
            case .text, .email: control.name == userField(of: form) ? credentials.name : control.value
            case .checkbox: control.isChecked || control.isRequired ? control.value : nil
            case .radio: sendsRadio(control, in: form) ? control.value : nil
            default: control.value
            }
        }
    }

    /// Returns the form for a one-time password that follows the sign-in form, filled in; `nil` when there is none.
    ///
    /// - Throws: `configuration` when there is such a form and the credentials have no one-time password.
    func oneTimePassword(on page: HTMLPage) throws(SignInError) -> Submission? {
        let form = page.forms.first { form in
            form.controls.contains(where: Self.isOneTimePassword)
                && !form.controls.contains { $0.kind == .password && !Self.isOneTimePassword($0) }
        }
        guard let form else { return nil }
        guard let password = credentials?.oneTimePassword?() else {
            throw SignInError(
                .authorization,
                .configuration(
                    "The sign-in page asks for a one-time password: give the user agent's credentials oneTimePassword."
                )
            )
        }
        var submission = submission(of: form, button: best(of: form.buttons)) { control in
            Self.isOneTimePassword(control) ? password.reveal() : control.value
        }
        submission.carriesOneTimePassword = true
        return submission
    }

    /// Returns the form of an account chooser, with the account of the credentials chosen, or else another one; `nil`
    /// when there is none.
    func accountChoice(on page: HTMLPage) -> Submission? {
        for form in page.forms {
            let words = form.buttons.map(ButtonWords.init)
            // Chosen by its words or, in another language, by the names that the development provider has.
            let isChooser = form.buttons.contains { $0.name == "account" }
            guard isChooser || !words.contains(where: { $0.isAffirmative && !$0.isElsewhere }),
                let another = zip(form.buttons, words).first(where: { $1.isAnotherAccount })?.0
                    ?? (isChooser ? zip(form.buttons, words).first(where: { $1.isAffirmative })?.0 : nil)
            else { continue }
            let own = form.buttons.first { button in
                guard let credentials, !ButtonWords(button).isElsewhere else { return false }
                let label = button.label.drop(while: \.isWhitespace)
                return label.hasPrefix(credentials.name)
                    && label.dropFirst(credentials.name.count).first?.isWhitespace ?? true
            }
            return submission(of: form, button: own ?? another) { $0.value }
        }
        return nil
    }

    /// Returns the form that requests a decision, answered; a form that only a script would send is sent as it is.
    ///
    /// - Throws: `malformed` when there is none.
    func consent(on page: HTMLPage) throws(SignInError) -> Submission {
        var best: (score: Int, form: HTMLPage.Form, button: HTMLPage.Button?)?
        for form in page.forms {
            for candidate in candidates(in: form) where candidate.score > best?.score ?? 0 {
                best = (candidate.score, form, candidate.button)
            }
        }
        guard let best else {
            throw SignInError(.authorization, .malformed("the sign-in page has no form that can be filled"))
        }
        return submission(of: best.form, button: best.button) { control in
            switch control.kind {
            // The checkboxes of a consent page are the requested permissions.
            case .checkbox: control.isChecked || answer == .approve && !isNegative(control) ? control.value : nil
            case .radio: sendsRadio(control, in: best.form) ? control.value : nil
            default: control.value
            }
        }
    }

    // MARK: Fields

    private static func isNamed(_ control: HTMLPage.Control) -> Bool {
        guard control.kind == .text || control.kind == .email else { return false }
        let name = control.name.lowercased().filter { $0.isLetter || $0.isNumber }
        return ["user", "sub", "mail", "uid"].contains(name) || control.purpose.contains("username")
            || ["username", "userid", "useremail", "login", "email", "identifier", "account"].contains {
                name.contains($0)
            }
    }

    private static func isOneTimePassword(_ control: HTMLPage.Control) -> Bool {
        guard control.kind != .hidden else { return false }
        let name = control.name.lowercased().filter { $0.isLetter || $0.isNumber }
        return control.purpose.contains("one-time-code")
            || ["otp", "totp", "onetimepassword", "onetimecode"].contains(name)
    }

    /// Returns the name of the field for the account: one with such a name, or the only text field.
    private func userField(of form: HTMLPage.Form) -> String? {
        if let named = form.controls.first(where: Self.isNamed) { return named.name }
        let texts = form.controls.filter { $0.kind == .text || $0.kind == .email }
        return texts.count == 1 ? texts[0].name : nil
    }

    private func sendsRadio(_ control: HTMLPage.Control, in form: HTMLPage.Form) -> Bool {
        if control.isChecked { return true }
        let group = form.controls.filter { $0.kind == .radio && $0.name == control.name }
        guard control.isRequired, !group.contains(where: \.isChecked) else { return false }
        return group.first?.value == control.value
    }

    private func isNegative(_ control: HTMLPage.Control) -> Bool {
        ButtonWords(name: control.name, value: control.value, label: "").isNegative
    }

    private func submission(
        of form: HTMLPage.Form,
        button: HTMLPage.Button?,
        value: (HTMLPage.Control) -> String?
    ) -> Submission {
        var fields = Parameters()
        for control in form.controls {
            if let value = value(control) { fields.append(value, for: .init(rawValue: control.name)) }
        }
        if let button, let name = button.name { fields.append(button.value, for: .init(rawValue: name)) }
        return Submission(
            action: button?.action ?? form.action,
            method: button?.method ?? form.method,
            fields: fields,
            visibleNames: form.controls.filter { $0.kind != .hidden }.map(\.name),
            carriesPassword: form.controls.contains { $0.kind == .password }
        )
    }

    // MARK: Buttons

    /// Returns the button that sends a sign-in form.
    private func best(of buttons: [HTMLPage.Button]) -> HTMLPage.Button? {
        let scored = buttons.map { button in
            let words = ButtonWords(button)
            return (button, words.isNegative || words.isElsewhere ? 0 : words.isAffirmative ? 2 : 1)
        }
        return scored.reduce(nil as (HTMLPage.Button, Int)?) { best, next in next.1 > best?.1 ?? 0 ? next : best }?.0
            ?? buttons.first
    }

    /// Returns the buttons of a form that give the answer, each with a score of its certainty.
    private func candidates(in form: HTMLPage.Form) -> [(button: HTMLPage.Button?, score: Int)] {
        guard isEndSession || !ButtonWords(action: form.action).isElsewhere else { return [] }
        let isPost = form.method == "post"
        if form.buttons.isEmpty {
            let isHidden = !form.controls.isEmpty && form.controls.allSatisfy { $0.kind == .hidden }
            return isPost && isHidden ? [(nil, 1)] : []
        }
        let words = form.buttons.map(ButtonWords.init)
        return zip(form.buttons, words).compactMap { button, word in
            switch answer {
            case .approve:
                if word.isNegative || word.isElsewhere && !isEndSession { return nil }
                let isSure = word.isAffirmative || isEndSession && word.isElsewhere
                return isSure ? (button, isPost ? 4 : 3) : isPost ? (button, 2) : nil
            case .deny:
                if word.isNegative, !word.isElsewhere || isEndSession { return (button, isPost ? 4 : 3) }
                // Beside a button that approves, a button without words denies.
                return word.isSilent && words.contains(where: \.isAffirmative) ? (button, 2) : nil
            }
        }
    }
}

/// The meaning of a button, by its words.
struct ButtonWords {
    private static let anotherAccount = ["another account", "different account", "other account"]
    private static let negative = [
        "deny", "denied", "cancel", "reject", "refuse", "decline", "disagree", "disallow", "abort", "stay", "don ",
        "no ",
        "not ",
    ]
    private static let affirmative = [
        "allow", "accept", "approve", "authoriz", "authoris", "yes ", "confirm", "continue", "grant", "agree",
        "consent",
        "ok ", "login", "log in", "signin", "sign in", "submit", "next ", "proceed",
    ]
    private static let elsewhere = [
        "logout", "log out", "log me out", "signout", "sign out", "sign me out", "endsession", "end session", "forgot",
        "reset", "register", "registration", "signup", "sign up", "create", "back ", "switch", "another", "different",
        "help ", "resend",
    ]

    private let text: String

    init(_ button: HTMLPage.Button) { self.init(name: button.name ?? "", value: button.value, label: button.label) }

    /// Reads the words of the last path component of a form's URL.
    init(action: String) {
        let path = action.prefix { $0 != "?" && $0 != "#" }
        self.init(name: String(path.split(separator: "/").last ?? ""), value: "", label: "")
    }

    init(name: String, value: String, label: String) {
        var text = " "
        var wasLower = false
        for character in "\(name) \(value) \(label) " {
            if character.isLetter || character.isNumber {
                if character.isUppercase, wasLower { text += " " }
                text += character.lowercased()
            } else if text.last != " " {
                text += " "
            }
            wasLower = character.isLowercase
        }
        self.text = text
    }

    /// Whether the button denies.
    var isNegative: Bool { says(Self.negative) }
    /// Whether the button approves.
    var isAffirmative: Bool { !isNegative && says(Self.affirmative) }
    /// Whether the button leads away from the sign-in: to a sign-out, a registration or a forgotten password.
    var isElsewhere: Bool { says(Self.elsewhere) }
    /// Whether the button leads to a sign-in with another account.
    var isAnotherAccount: Bool { says(Self.anotherAccount) }
    /// Whether the button has no words.
    var isSilent: Bool { text == " " }

    /// Whether one of the phrases starts a word; a phrase that ends with a space is a whole word.
    private func says(_ phrases: [String]) -> Bool { phrases.contains { text.contains(" " + $0) } }
}
