/// Pages in plain, accessible HTML: headings, labels, buttons, no style and no script.
public struct PlainPageRenderer: PageRenderer {
    /// Makes a renderer.
    public init() {}

    /// The whole document.
    public func html(for page: Page) -> String {
        switch page {
        case .login(let page): document("Sign in", page.frame, login(page))
        case .accounts(let page): document("Choose an account", page.frame, accounts(page))
        case .oneTimePassword(let page):
            document("Enter your one-time code", page.frame, oneTimePassword(page))
        case .consent(let page): document("Allow access", page.frame, consent(page))
        case .signOut(let page): document("Sign out", page.frame, signOut(page))
        case .signedOut(let page): document("Signed out", page.frame, signedOut(page))
        case .userCode(let page): document("Connect a device", page.frame, userCode(page))
        case .deviceConsent(let page): document("Connect a device", page.frame, deviceConsent(page))
        case .deviceDone(let page): document("Connect a device", page.frame, paragraph(page.sentence))
        case .answer(let page): document("Back to the app", page.frame, answer(page))
        case .error(let page):
            document("The request failed", page.frame, error(page))
        case .front(let page): document(page.frame.providerName, page.frame, front(page))
        }
    }

    private func error(_ page: ErrorPage) -> String {
        let rest = [page.reason, page.mend].compactMap { $0.map(paragraph) }
        return (["<p role=\"alert\">\(escape(page.sentence))</p>"] + rest).joined(separator: "\n")
    }

    private func front(_ page: FrontPage) -> String {
        let clients = page.clients.map { client in
            "<li><code>\(escape(client.id))</code>, \(escape(client.authenticationMethod)): "
                + "\(escape(client.redirectURIs.joined(separator: ", ")))</li>"
        }
        return paragraph("The issuer is \(page.issuer), under the rules \(page.rules).") + "\n"
            + "<p><a href=\"\(escape(page.metadataURL))\">Metadata</a></p>\n"
            + "<h2>Clients</h2>\n<ul>\n\(clients.joined(separator: "\n"))\n</ul>\n"
            + "<h2>Users</h2>\n" + paragraph(page.users.joined(separator: ", "))
    }

    private func login(_ page: LoginPage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        let choices = page.choices.map {
            "<button name=\"\(PageInput.name)\" value=\"\(escape($0))\">\(escape($0))</button>"
        }
        let choice = choices.isEmpty ? "" : "<p>\(choices.joined(separator: " "))</p>\n"
        return paragraph("To continue to \(page.clientName).") + "\n" + failure
            + (choices.isEmpty ? "" : plainForm(page.form, choice))
            + form(
                page.form,
                """
                <p><label for="name">Name</label> \
                <input id="name" name="\(PageInput.name)" type="text" value="\(escape(page.userName))" \
                autocomplete="username" autocapitalize="none" spellcheck="false"></p>
                <p><label for="password">Password</label> \
                <input id="password" name="\(PageInput.password)" type="password" autocomplete="current-password"></p>
                """,
                accept: "Sign in",
                refuse: "Cancel"
            )
    }

    private func accounts(_ page: AccountsPage) -> String {
        let lines = page.accounts.map { account in
            "<li><button name=\"\(PageInput.account)\" value=\"\(escape(account.id))\">\(escape(account.name))</button> "
                + "\(account.isSignedIn ? "Signed in" : "Signed out") "
                + "<button name=\"\(PageInput.forgottenAccount)\" value=\"\(escape(account.id))\" "
                + "aria-label=\"Forget \(escape(account.name))\">Forget</button></li>"
        }
        let list = "<ul>\n\(lines.joined(separator: "\n"))\n</ul>"
        return paragraph("To continue to \(page.clientName).") + "\n"
            + form(page.form, list, accept: "Use another account", refuse: "Cancel")
    }

    private func oneTimePassword(_ page: OneTimePasswordPage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        return paragraph("To continue to \(page.clientName). You are signing in as \(page.userName).") + "\n" + failure
            + form(
                page.form,
                """
                <p><label for="one-time-password">Code from your authenticator app</label> \
                <input id="one-time-password" name="\(PageInput.oneTimePassword)" type="text" inputmode="numeric" \
                autocomplete="one-time-code" autocapitalize="none" spellcheck="false"></p>
                """,
                accept: "Continue",
                refuse: "Cancel"
            )
    }

    private func consent(_ page: ConsentPage) -> String {
        let lines = page.scopes.map { "<li>\(escape($0.sentence)) (<code>\(escape($0.scope))</code>)</li>" }
        let logo = page.logo.map { "<p><img src=\"\(escape($0))\" alt=\"\" width=\"64\" height=\"64\"></p>\n" } ?? ""
        let links = page.links.map {
            "<a href=\"\(escape($0.url))\" rel=\"noopener noreferrer\" target=\"_blank\">\(escape($0.label))</a>"
        }
        return logo + paragraph("\(page.clientName) asks \(page.userName) to be allowed to:") + "\n"
            + (links.isEmpty ? "" : "<p>\(links.joined(separator: " "))</p>\n")
            + "<ul>\n\(lines.joined(separator: "\n"))\n</ul>\n" + form(page.form, "", accept: "Allow", refuse: "Deny")
    }

    private func signOut(_ page: SignOutPage) -> String {
        let asker = page.clientName.map { "\($0) asks you" } ?? "You are asked"
        return paragraph("\(asker) to sign out. You are signed in as \(page.userName).") + "\n"
            + form(page.form, "", accept: "Sign out", refuse: "Stay signed in")
    }

    private func signedOut(_ page: SignedOutPage) -> String {
        let link = page.continuation.map { "<p><a href=\"\(escape($0))\">Continue</a></p>" }
        let frames = page.clientFrames.map {
            "<iframe src=\"\(escape($0))\" sandbox=\"allow-scripts allow-same-origin\" hidden></iframe>"
        }
        return ([paragraph(page.sentence)] + [link].compactMap(\.self) + frames).joined(separator: "\n")
    }

    private func userCode(_ page: UserCodePage) -> String {
        let failure = page.failure.map { "<p role=\"alert\" id=\"failure\">\(escape($0))</p>\n" } ?? ""
        let task =
            page.userCode.isEmpty
            ? "Enter the code that your device shows." : "Compare the code with the one that your device shows."
        return paragraph(task) + "\n" + failure
            + form(
                page.form,
                """
                <p><label for="code">Code</label> \
                <input id="code" name="\(PageInput.userCode)" type="text" value="\(escape(page.userCode))" \
                autocomplete="off" autocapitalize="characters" spellcheck="false"></p>
                """,
                accept: "Continue",
                refuse: "Cancel"
            )
    }

    private func deviceConsent(_ page: DeviceConsentPage) -> String {
        let lines = page.scopes.map { "<li>\(escape($0.sentence)) (<code>\(escape($0.scope))</code>)</li>" }
        return paragraph("\(page.clientName) on the device that shows") + "\n"
            + "<p><strong>\(escape(page.userCode))</strong></p>\n"
            + paragraph("asks \(page.userName) to be allowed to:") + "\n"
            + "<ul>\n\(lines.joined(separator: "\n"))\n</ul>\n"
            + paragraph("Deny it if that is not a device in front of you.") + "\n"
            + form(page.form, "", accept: "Allow", refuse: "Deny")
    }

    private func answer(_ page: AnswerPage) -> String {
        let hidden = page.form.hiddenFields.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        return """
            <form method="post" action="\(escape(page.form.action))">
            \(hidden.joined(separator: "\n"))
            <p><button>Continue</button></p>
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

    private func form(_ form: PageForm, _ inputs: String, accept: String, refuse: String) -> String {
        let hidden = form.hiddenFields.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        func button(_ decision: PageInput.Decision, _ label: String) -> String {
            "<button name=\"\(PageInput.decision)\" value=\"\(decision.rawValue)\">\(label)</button>"
        }
        return """
            <form method="post" action="\(escape(form.action))">
            \((hidden + [inputs]).filter { !$0.isEmpty }.joined(separator: "\n"))
            <p>\(button(.accept, accept)) \(button(.refuse, refuse))</p>
            </form>
            """
    }

    private func document(_ title: String, _ frame: PageFrame, _ content: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
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
