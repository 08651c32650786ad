import Mustache
public import OstiaryOAuth
public import OstiaryProvider

/// The provider's pages, from the templates in `Pages`.
///
/// They run no script but that of passkeys, where there are any, and work with the keyboard alone. They load a style sheet and an icon of the same origin, a
/// client's logo, and the pages of front-channel logout.
public struct MustachePageRenderer: PageRenderer {
    private let library: MustacheLibrary
    /// The prefix of a file's path; empty when the issuer has no path.
    private let base: String
    private let texts: [PageLanguage: [String: String]]
    /// The parts before and behind the place for a name or a number in a text.
    private let surroundings: [PageLanguage: [String: [String: String]]]

    /// Reads the templates.
    ///
    /// - Parameter issuer: The pages load their files from below it.
    /// - Throws: The error of Mustache for a malformed template, which the tests rule out.
    public init(issuer: Issuer) throws {
        precondition(HTMLText.isRegistered)
        base = issuer.basePath
        texts = Dictionary(uniqueKeysWithValues: PageLanguage.allCases.map { ($0, $0.texts) })
        surroundings = Dictionary(uniqueKeysWithValues: PageLanguage.allCases.map { ($0, $0.surroundings) })
        library = MustacheLibrary(
            templates: try PageFile.templates.mapValues { try MustacheTemplate(string: HTMLText.pragma + $0) }
        )
    }

    /// The whole document, with every string of the page escaped.
    public func html(for page: Page) -> String {
        let (template, frame, values) = content(of: page)
        var context = values
        context["base"] = base
        context["frame"] = [
            "providerName": frame.providerName, "developmentMark": frame.developmentMark,
            "language": frame.language.rawValue,
        ]
        context["text"] = texts[frame.language]
        context["around"] = surroundings[frame.language]
        context["input"] = Self.inputNames
        return library.render(context, withTemplate: template) ?? PlainPageRenderer().html(for: page)
    }

    private func content(of page: Page) -> (template: String, frame: PageFrame, values: [String: Any]) {
        switch page {
        case .login(let page):
            ("login", page.frame, with(page.form, page.values))
        case .accounts(let page):
            ("accounts", page.frame, with(page.form, page.values))
        case .oneTimePassword(let page):
            ("one-time-password", page.frame, with(page.form, page.values))
        case .consent(let page):
            ("consent", page.frame, with(page.form, page.values))
        case .signOut(let page):
            ("sign-out", page.frame, with(page.form, page.values))
        case .signedOut(let page):
            ("signed-out", page.frame, page.values)
        case .userCode(let page):
            ("user-code", page.frame, with(page.form, page.values))
        case .deviceConsent(let page):
            ("device-consent", page.frame, with(page.form, page.values))
        case .deviceDone(let page):
            ("device-done", page.frame, ["sentence": page.sentence])
        case .account(let page):
            ("account", page.frame, with(page.form, page.values))
        case .answer(let page):
            ("answer", page.frame, with(page.form, [:]))
        case .front(let page):
            ("front", page.frame, page.values)
        case .error(let page):
            ("error", page.frame, page.values)
        }
    }

    private func with(_ form: PageForm, _ values: [String: Any]) -> [String: Any] {
        let hidden = form.hiddenFields.map { ["name": $0.name, "value": $0.value] }
        let form: [String: Any] = ["action": form.action, "hiddenFields": hidden]
        return values.merging(["form": form]) { value, _ in value }
    }

    private static let inputNames = [
        "name": PageInput.name,
        "password": PageInput.password,
        "oneTimePassword": PageInput.oneTimePassword,
        "account": PageInput.account,
        "forgottenAccount": PageInput.forgottenAccount,
        "decision": PageInput.decision,
        "userCode": PageInput.userCode,
        "passkey": PageInput.passkey,
        "removal": PageInput.removal,
        "accept": PageInput.Decision.accept.rawValue,
        "refuse": PageInput.Decision.refuse.rawValue,
    ]
}

extension PageLanguage {
    /// The texts by their names.
    fileprivate var texts: [String: String] {
        Dictionary(uniqueKeysWithValues: PageText.allCases.map { ($0.rawValue, $0.text(in: self)) })
    }

    fileprivate var surroundings: [String: [String: String]] {
        let pairs = PageText.allCases.map { text in
            let (before, after) = text.parts(in: self)
            return (text.rawValue, ["before": before, "after": after])
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

extension LoginPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = ["clientName": clientName, "userName": userName, "hasUserName": !userName.isEmpty]
        values["failure"] = failure
        values["hasChoices"] = !choices.isEmpty
        values["choices"] = choices.map { ["name": $0] }
        values["hasPasskey"] = passkey != nil
        values["passkey"] = passkey?.values
        return values
    }
}

extension PasskeyPrompt {
    fileprivate var values: [String: Any] {
        ["ceremony": ceremony.rawValue, "options": options, "script": PasskeyScript.source]
    }
}

extension AccountPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = [
            "userName": userName, "passkey": prompt.values, "hasPasskeys": !passkeys.isEmpty,
            "passkeys": passkeys.map { passkey -> [String: Any] in
                ["key": passkey.key, "name": passkey.name, "isBackedUp": passkey.isBackedUp]
            },
        ]
        values["failure"] = failure
        return values
    }
}

extension AccountsPage {
    fileprivate var values: [String: Any] {
        let accounts = accounts.map { account -> [String: Any] in
            ["id": account.id, "name": account.name, "isSignedIn": account.isSignedIn]
        }
        return ["clientName": clientName, "accounts": accounts]
    }
}

extension OneTimePasswordPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = ["clientName": clientName, "userName": userName]
        values["failure"] = failure
        return values
    }
}

extension ErrorPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = ["sentence": sentence, "isExplained": reason != nil || mend != nil]
        values["reason"] = reason
        values["mend"] = mend
        return values
    }
}

extension FrontPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = [
            "issuer": issuer, "metadataURL": metadataURL, "rules": rules, "command": command,
            "isRegistrationOpen": isRegistrationOpen, "users": users.map { ["name": $0] },
            "hasResources": !resources.isEmpty, "resources": resources.map { ["name": $0] },
            "clients": clients.map { client -> [String: Any] in
                [
                    "id": client.id, "method": client.authenticationMethod, "scope": client.scope,
                    "redirectURIs": client.redirectURIs.map { ["uri": $0] },
                ]
            },
        ]
        values["scenario"] = scenario
        values["inspectorURL"] = inspectorURL
        values["accountURL"] = accountURL
        return values
    }
}

extension ConsentPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = [
            "clientName": clientName,
            "userName": userName,
            "scopes": scopes.map { ["scope": $0.scope, "sentence": $0.sentence] },
            "hasLinks": !links.isEmpty,
            "links": links.map { ["label": $0.label, "url": $0.url] },
        ]
        values["logo"] = logo
        return values
    }
}

extension UserCodePage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = ["userCode": userCode, "hasUserCode": !userCode.isEmpty]
        values["failure"] = failure
        return values
    }
}

extension DeviceConsentPage {
    fileprivate var values: [String: Any] {
        [
            "clientName": clientName,
            "userName": userName,
            "userCode": userCode,
            "scopes": scopes.map { ["scope": $0.scope, "sentence": $0.sentence] },
        ]
    }
}

extension SignedOutPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = ["sentence": sentence, "clientFrames": clientFrames.map { ["uri": $0] }]
        values["continuation"] = continuation
        return values
    }
}

extension SignOutPage {
    fileprivate var values: [String: Any] {
        var values: [String: Any] = ["userName": userName]
        values["clientName"] = clientName
        return values
    }
}
