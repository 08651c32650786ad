/// Pages in plain, accessible HTML: headings, labels, buttons, no style, and no script but that of passkeys.
public struct PlainPageRenderer: PageRenderer {
    /// Makes a renderer.
    public init() {}

    /// The whole document.
    public func html(for page: Page) -> String {
        switch page {
        case .login(let page): document(.signIn, page.frame, login(page))
        case .accounts(let page): document(.chooseAccount, page.frame, accounts(page))
        case .oneTimePassword(let page): document(.enterOneTimeCode, page.frame, oneTimePassword(page))
        case .account(let page): document(.passkeys, page.frame, account(page))
        case .consent(let page): document(.allowAccess, page.frame, consent(page))
        case .signOut(let page): document(.signOut, page.frame, signOut(page))
        case .signedOut(let page): document(.signedOut, page.frame, signedOut(page))
        case .userCode(let page): document(.connectDevice, page.frame, userCode(page))
        case .deviceConsent(let page): document(.connectDevice, page.frame, deviceConsent(page))
        case .deviceDone(let page): document(.connectDevice, page.frame, paragraph(page.sentence))
        case .answer(let page): document(.backToApp, page.frame, answer(page))
        case .error(let page): document(.requestFailed, page.frame, error(page))
        case .front(let page): document(page.frame.providerName, page.frame, front(page))
        }
    }

    private func error(_ page: ErrorPage) -> String {
        let rest = [page.reason, page.mend].compactMap { $0.map { "<p lang=\"en\">\(escape($0))</p>" } }
        return (["<p role=\"alert\">\(escape(page.sentence))</p>"] + rest).joined(separator: "\n")
    }

    private func front(_ page: FrontPage) -> String {
        let clients = page.clients.map { client in
            "<li><code>\(escape(client.id))</code>, \(escape(client.authenticationMethod)): "
                + "\(escape(client.redirectURIs.joined(separator: ", ")))</li>"
        }
        return paragraph("The issuer is \(page.issuer), under the rules \(page.rules).") + "\n"
            + "<p><a href=\"\(escape(page.metadataURL))\">Metadata</a></p>\n"
            + (page.inspectorURL.map { "<p><a href=\"\(escape($0))\">Inspector</a></p>\n" } ?? "")
            + "<h2>Clients</h2>\n<ul>\n\(clients.joined(separator: "\n"))\n</ul>\n"
            + "<h2>Users</h2>\n" + paragraph(page.users.joined(separator: ", "))
    }

    private func login(_ page: LoginPage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        let choices = page.choices.map {
            "<button name=\"\(PageInput.name)\" value=\"\(escape($0))\">\(escape($0))</button>"
        }
        let choice = choices.isEmpty ? "" : "<p>\(choices.joined(separator: " "))</p>\n"
        let language = page.frame.language
        return paragraph(PageText.toContinue.text(in: language, page.clientName)) + "\n" + failure
            + (choices.isEmpty ? "" : plainForm(page.form, choice))
            + form(
                page.form,
                """
                <p><label for="name">\(escape(PageText.userName.text(in: language)))</label> \
                <input id="name" name="\(PageInput.name)" type="text" value="\(escape(page.userName))" \
                autocomplete="username\(page.passkey == nil ? "" : " webauthn")" autocapitalize="none" \
                spellcheck="false"></p>
                <p><label for="password">\(escape(PageText.password.text(in: language)))</label> \
                <input id="password" name="\(PageInput.password)" type="password" autocomplete="current-password"></p>
                """,
                accept: PageText.signIn.text(in: language),
                refuse: PageText.cancel.text(in: language)
            )
            + (page.passkey.map { prompt in
                passkeyForm(page.form, prompt, .signInWithPasskey, failed: .passkeyNotUsed, language)
            } ?? "")
    }

    private func accounts(_ page: AccountsPage) -> String {
        let language = page.frame.language
        let lines = page.accounts.map { account in
            let state: PageText = account.isSignedIn ? .signedInState : .signedOutState
            let label = PageText.forgetAccount.text(in: language, account.name)
            return "<li><button name=\"\(PageInput.account)\" value=\"\(escape(account.id))\">"
                + "\(escape(account.name))</button> \(escape(state.text(in: language))) "
                + "<button name=\"\(PageInput.forgottenAccount)\" value=\"\(escape(account.id))\" "
                + "aria-label=\"\(escape(label))\">\(escape(PageText.forget.text(in: language)))</button></li>"
        }
        let list = "<ul>\n\(lines.joined(separator: "\n"))\n</ul>"
        return paragraph(PageText.toContinue.text(in: language, page.clientName)) + "\n"
            + form(
                page.form,
                list,
                accept: PageText.anotherAccount.text(in: language),
                refuse: PageText.cancel.text(in: language)
            )
    }

    private func oneTimePassword(_ page: OneTimePasswordPage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        let language = page.frame.language
        return paragraph(PageText.toContinue.text(in: language, page.clientName)) + "\n"
            + paragraph(PageText.signingInAs.text(in: language, page.userName)) + "\n" + failure
            + form(
                page.form,
                """
                <p><label for="one-time-password">\(escape(PageText.oneTimeCode.text(in: language)))</label> \
                <input id="one-time-password" name="\(PageInput.oneTimePassword)" type="text" inputmode="numeric" \
                autocomplete="one-time-code" autocapitalize="none" spellcheck="false"></p>
                """,
                accept: PageText.continuing.text(in: language),
                refuse: PageText.cancel.text(in: language)
            )
    }

    private func account(_ page: AccountPage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        let language = page.frame.language
        let lines = page.passkeys.map { passkey in
            let name = PageText.passkeyNumber.text(in: language, passkey.name)
            let label = PageText.removePasskey.text(in: language, passkey.name)
            let state = passkey.isBackedUp ? " \(escape(PageText.backedUp.text(in: language)))" : ""
            return "<li>\(escape(name))\(state) "
                + "<button name=\"\(PageInput.removal)\" value=\"\(escape(passkey.key))\" "
                + "aria-label=\"\(escape(label))\">\(escape(PageText.remove.text(in: language)))</button></li>"
        }
        let list =
            lines.isEmpty
            ? paragraph(PageText.noPasskey.text(in: language)) + "\n"
            : plainForm(page.form, "<ul>\n\(lines.joined(separator: "\n"))\n</ul>\n")
        return paragraph(PageText.signedInAs.text(in: language, page.userName)) + "\n" + failure + list
            + "<p id=\"passkey-unsupported\">\(escape(PageText.passkeyUnsupported.text(in: language)))</p>\n"
            + passkeyForm(page.form, page.prompt, .addPasskey, failed: .passkeyNotAdded, language)
    }

    /// A second form of a page, which the script shows, and the script.
    private func passkeyForm(
        _ form: PageForm,
        _ prompt: PasskeyPrompt,
        _ label: PageText,
        failed: PageText,
        _ language: PageLanguage
    ) -> String {
        let hidden = form.hiddenFields.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        return """

            <form id="passkey-form" method="post" action="\(escape(form.action))" \
            data-ceremony="\(prompt.ceremony.rawValue)" data-options="\(escape(prompt.options))" hidden>
            \(hidden.joined(separator: "\n"))
            <input type="hidden" name="\(PageInput.passkey)" value="">
            <p><button>\(escape(label.text(in: language)))</button></p>
            </form>
            <p role="alert" id="passkey-status" data-failed="\(escape(failed.text(in: language)))" \
            data-known="\(escape(PageText.passkeyOnDevice.text(in: language)))" hidden></p>
            <script>\(PasskeyScript.source)</script>
            """
    }

    private func consent(_ page: ConsentPage) -> String {
        let lines = page.scopes.map { "<li>\(escape($0.sentence)) (<code>\(escape($0.scope))</code>)</li>" }
        let logo = page.logo.map { "<p><img src=\"\(escape($0))\" alt=\"\" width=\"64\" height=\"64\"></p>\n" } ?? ""
        let links = page.links.map {
            "<a href=\"\(escape($0.url))\" rel=\"noopener noreferrer\" target=\"_blank\">\(escape($0.label))</a>"
        }
        let language = page.frame.language
        return logo + paragraph(PageText.signedInAs.text(in: language, page.userName)) + "\n"
            + paragraph(PageText.asksTo.text(in: language, page.clientName)) + "\n"
            + (links.isEmpty ? "" : "<p>\(links.joined(separator: " "))</p>\n")
            + "<ul>\n\(lines.joined(separator: "\n"))\n</ul>\n" + decision(page.form, .allow, .deny, language)
    }

    private func signOut(_ page: SignOutPage) -> String {
        let language = page.frame.language
        let request = page.clientName.map { paragraph(PageText.asksToSignOut.text(in: language, $0)) + "\n" }
        return (request ?? "") + paragraph(PageText.signedInAs.text(in: language, page.userName)) + "\n"
            + decision(page.form, .signOut, .staySignedIn, language)
    }

    private func signedOut(_ page: SignedOutPage) -> String {
        let label = escape(PageText.continuing.text(in: page.frame.language))
        let link = page.continuation.map { "<p><a href=\"\(escape($0))\">\(label)</a></p>" }
        let frames = page.clientFrames.map {
            "<iframe src=\"\(escape($0))\" sandbox=\"allow-scripts allow-same-origin\" hidden></iframe>"
        }
        return ([paragraph(page.sentence)] + [link].compactMap(\.self) + frames).joined(separator: "\n")
    }

    private func userCode(_ page: UserCodePage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        let language = page.frame.language
        let task: PageText = page.userCode.isEmpty ? .enterCode : .compareCode
        return paragraph(task.text(in: language)) + "\n" + failure
            + form(
                page.form,
                """
                <p><label for="code">\(escape(PageText.code.text(in: language)))</label> \
                <input id="code" name="\(PageInput.userCode)" type="text" value="\(escape(page.userCode))" \
                autocomplete="off" autocapitalize="characters" spellcheck="false"></p>
                """,
                accept: PageText.continuing.text(in: language),
                refuse: PageText.cancel.text(in: language)
            )
    }

    private func deviceConsent(_ page: DeviceConsentPage) -> String {
        let lines = page.scopes.map { "<li>\(escape($0.sentence)) (<code>\(escape($0.scope))</code>)</li>" }
        let language = page.frame.language
        let (before, after) = PageText.deviceShowsCode.parts(in: language)
        return "<p>\(escape(before))<strong>\(escape(page.userCode))</strong>\(escape(after))</p>\n"
            + paragraph(PageText.signedInAs.text(in: language, page.userName)) + "\n"
            + paragraph(PageText.asksTo.text(in: language, page.clientName)) + "\n"
            + "<ul>\n\(lines.joined(separator: "\n"))\n</ul>\n" + decision(page.form, .allow, .deny, language)
    }

    private func answer(_ page: AnswerPage) -> String {
        let hidden = page.form.hiddenFields.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        return """
            <form method="post" action="\(escape(page.form.action))">
            \(hidden.joined(separator: "\n"))
            <p><button>\(escape(PageText.continuing.text(in: page.frame.language)))</button></p>
            </form>
            """
    }

    private func plainForm(_ form: PageForm, _ content: String) -> String {
        let hidden = form.hiddenFields.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        return
            "<form method=\"post\" action=\"\(escape(form.action))\">\n\(hidden.joined(separator: "\n"))\n\(content)</form>\n"
    }

    private func decision(
        _ form: PageForm,
        _ accept: PageText,
        _ refuse: PageText,
        _ language: PageLanguage
    ) -> String {
        self.form(form, "", accept: accept.text(in: language), refuse: refuse.text(in: language))
    }

    private func form(_ form: PageForm, _ inputs: String, accept: String, refuse: String) -> String {
        let hidden = form.hiddenFields.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        func button(_ decision: PageInput.Decision, _ label: String) -> String {
            "<button name=\"\(PageInput.decision)\" value=\"\(decision.rawValue)\">\(escape(label))</button>"
        }
        return """
            <form method="post" action="\(escape(form.action))">
            \((hidden + [inputs]).filter { !$0.isEmpty }.joined(separator: "\n"))
            <p>\(button(.accept, accept)) \(button(.refuse, refuse))</p>
            </form>
            """
    }

    private func document(_ title: PageText, _ frame: PageFrame, _ content: String) -> String {
        document(escape(title.text(in: frame.language)), frame, content)
    }

    private func document(_ title: String, _ frame: PageFrame, _ content: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(frame.language.rawValue)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title) – \(escape(frame.providerName))</title>
        </head>
        <body>
        <header><p>\(escape(frame.providerName)) <strong>\(escape(frame.developmentMark))</strong></p></header>
        <main>
        <h1>\(title)</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private func paragraph(_ text: String) -> String { "<p>\(escape(text))</p>" }

    private func escape(_ text: String) -> String { HTMLEscaping.escape(text) }
}
