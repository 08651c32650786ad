import Foundation
import HTTPTypes
import NIOHTTP1
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Pages")
struct PageTests {
    @Test("Every page is HTML that runs no script and lies in no frame")
    func header() async throws {
        try await Fixtures.withProvider { running in
            for path in [SignIn.location(), "/authorize", "/end-session", "/nothing", "/device"] {
                let page = try await RawHTTP.send(.GET, running.issuer.description + path)
                #expect(page.fields["content-type"] == ["text/html; charset=utf-8"])
                let policy = try #require(page.fields.first(name: "content-security-policy"))
                #expect(policy.contains("default-src 'none'"))
                #expect(policy.contains("style-src 'self'"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(page.fields["cache-control"] == ["no-store"])
                #expect(page.fields["x-content-type-options"] == ["nosniff"])
                #expect(page.text.hasPrefix("<!DOCTYPE html>"))
                #expect(page.text.contains("<html lang=\"en\">"))
                #expect(page.text.contains("DEVELOPMENT"))
                // Neither would load under that policy.
                #expect(!page.text.contains("<script"))
                #expect(!page.text.contains("style=\""))
                #expect(!page.text.contains("{{"))
            }
        }
    }

    @Test(
        "The files that the pages load are served",
        arguments: [("style.css", "text/css; charset=utf-8"), ("icon.svg", "image/svg+xml")]
    )
    func files(name: String, mediaType: String) async throws {
        try await Fixtures.withProvider { running in
            let page = try await RawHTTP.send(.GET, running.issuer.description + SignIn.location())
            #expect(page.text.contains("href=\"/\(name)\""))
            let file = try await RawHTTP.send(.GET, "\(running.issuer)/\(name)")
            #expect(file.status == 200)
            #expect(file.fields["content-type"] == [mediaType])
        }
    }

    @Test("The page that posts the answer of a sign-in has its parameters, escaped, and a button")
    func answer() async throws {
        try await Fixtures.withProvider(manners: .apple) { running in
            let request = ["response_mode": "form_post", "prompt": "none", "scope": "openid", "state": "\"<s>\""]
            let page = try await RawHTTP.send(.GET, running.issuer.description + SignIn.location(request))
            #expect(page.status == 200)
            #expect(page.text.contains(#"<form method="post" action="http://127.0.0.1:49152/callback">"#))
            #expect(page.text.contains(#"<input type="hidden" name="error" value="login_required">"#))
            #expect(page.text.contains(#"<input type="hidden" name="state" value="&quot;&lt;s&gt;&quot;">"#))
            #expect(page.text.contains("Continue</button>") && !page.text.contains("<script"))
        }
    }

    @Test("The page at the issuer's URL shows issuer, rules, clients and users, and no other page changes")
    func front() async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer, clientName: "<b>")
            configuration.frontPage = .present
            configuration.signIn = .choice
            configuration.rules = .oidc
            return try await Provider.forPeople(configuration)
        }
        let page = try await RawHTTP.send(.GET, "\(running.issuer)/").text
        for text in ["\(running.issuer)", "<strong>oidc</strong>", "http://127.0.0.1/callback", "<li>alice</li>"] {
            #expect(page.contains(text))
        }
        #expect(!page.contains("{{") && !page.contains("<script"))
        let login = try await RawHTTP.send(.GET, "\(running.issuer)\(SignIn.location())").text
        #expect(login.contains(#"<button name="username" value="alice">alice</button>"#))
        let error = try await RawHTTP.send(.GET, "\(running.issuer)/authorize?client_id=<ap>").text
        #expect(error.contains("Known clients: app, tv.") && !error.contains("<ap>"))
        #expect(error.contains("You did nothing wrong.") && !error.contains("try again"))
        await running.stop()
    }

    @Test("The sign-in page labels its fields, and describes them to a password manager")
    func login() async throws {
        try await Fixtures.withProvider { running in
            let page = try await RawHTTP.send(.GET, running.issuer.description + SignIn.location()).text
            #expect(page.contains(#"<label for="name">"#))
            #expect(page.contains(#"<label for="password">"#))
            #expect(page.contains(/<input id="name" [^>]*autocomplete="username"[^>]* autofocus>/))
            #expect(page.contains(/<input id="password" [^>]*autocomplete="current-password"/))
            #expect(page.contains("The App"))
            #expect(!page.contains("aria-describedby"))
        }
    }

    @Test("A wrong password is reported beside its fields, and the name stays")
    func wrongPassword() async throws {
        try await Fixtures.withProvider { running in
            var browser = Browser(running.issuer)
            let inputs = [
                PageInput.name: Fixtures.userName, PageInput.password: "wrong",
                PageInput.decision: PageInput.Decision.accept.rawValue,
            ]
            let page = try await browser.submit(try await browser.open(SignIn.location()), inputs).text
            #expect(page.contains("<title>Error: Sign in"))
            #expect(page.contains(/<p class="alert" role="alert" id="failure">[^<]+<\/p>/))
            #expect(page.contains(/<input id="name" [^>]*value="alice"[^>]*aria-describedby="failure">/))
            #expect(page.contains(/<input id="password" [^>]*aria-describedby="failure" autofocus>/))
            #expect(!page.contains("wrong\""))
        }
    }

    @Test("The page of a one-time password describes its field to an authenticator, and reports a wrong one beside it")
    func oneTimePassword() async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer, clientName: "<b>The App</b>")
            configuration.users[0].oneTimePassword = try OneTimePassword(secret: Secret("GEZDGNBVGY3TQOJQGEZDGNBVGY"))
            return try await Provider.forPeople(configuration)
        }
        var browser = Browser(running.issuer)
        let accept = [PageInput.decision: PageInput.Decision.accept.rawValue]
        let inputs = accept.merging([PageInput.name: Fixtures.userName, PageInput.password: Fixtures.password]) { $1 }
        let answer = try await browser.submit(try await browser.open(SignIn.location()), inputs)
        let page = try await browser.open(try #require(answer.fields.first(name: "location")))
        #expect(page.text.contains("<bdi>alice</bdi>") && page.text.contains("&lt;b&gt;The App"))
        #expect(page.text.contains(/<input id="one-time-password" [^>]*autocomplete="one-time-code"[^>]* autofocus>/))
        #expect(page.text.contains(#"<label for="one-time-password">"#) && !page.text.contains("{{"))
        let wrong = try await browser.submit(page, accept.merging([PageInput.oneTimePassword: "0"]) { $1 }).text
        #expect(wrong.contains("<title>Error: ") && wrong.contains(#"role="alert" id="failure""#))
        #expect(wrong.contains(/<input id="one-time-password" [^>]*aria-describedby="failure">/))
        await running.stop()
    }

    @Test("The account chooser has a button for each account, one to forget it, and one for another account")
    func accounts() async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.accounts = .several
            configuration.users[0].name = "<alice>"
            return try await Provider.forPeople(configuration)
        }
        var browser = Browser(running.issuer)
        let accept = [PageInput.decision: PageInput.Decision.accept.rawValue]
        let inputs = accept.merging([PageInput.name: "<alice>", PageInput.password: Fixtures.password]) { $1 }
        _ = try await browser.submit(try await browser.open(SignIn.location()), inputs)
        let page = try await browser.open(SignIn.location(["prompt": "select_account"])).text
        #expect(page.contains("<h1>Choose an account</h1>") && !page.contains("{{") && !page.contains("<alice>"))
        #expect(page.contains(/<button name="account" value="[a-z]+"><bdi>&lt;alice&gt;<\/bdi>/))
        #expect(page.contains(#"aria-label="Forget &lt;alice&gt;""#) && page.contains("Use another account</button>"))
        await running.stop()
    }

    @Test("A page is in the language of the request, and says so", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.languages = PageLanguage.allCases
            return try await Provider.forPeople(configuration)
        }
        let location = SignIn.location(["ui_locales": language.rawValue])
        let page = try await RawHTTP.send(.GET, running.issuer.description + location)
        await running.stop()
        #expect(page.fields["content-language"] == [language.rawValue])
        #expect(page.text.contains("<html lang=\"\(language.rawValue)\">"))
        for text: PageText in [.signIn, .userName, .password, .cancel, .footer, .developmentMark] {
            #expect(page.text.contains(text.text(in: language)))
        }
        #expect(page.text.contains(PageText.toContinue.text(in: language, "<strong><bdi>The App</bdi></strong>")))
    }

    /// The page at the issuer's URL is for developers, and English.
    private static let ofDevelopers = ["front.mustache"]

    @Test("No template has a text of its own, and each uses texts that exist")
    func literals() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/ProviderServer/Pages").standardizedFileURL
        let templates = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".mustache") && !Self.ofDevelopers.contains($0)
        }
        #expect(templates.count >= 13)
        for name in templates {
            let template = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for match in template.matches(of: /\{\{(?:text|around)\.([A-Za-z]+)/) {
                #expect(PageText(rawValue: String(match.1)) != nil, "\(name): \(match.1)")
            }
            let bare = template.replacing(/\{\{[^}]*\}\}/, with: "")
            let labels = bare.matches(of: /(?:aria-label|title|alt|placeholder)="([^"]*)"/).map { String($0.1) }
            let content = bare.replacing(/<[^>]*>/, with: "")
            for text in labels + [content] { #expect(!text.contains(/\p{L}/), "\(name): \(text)") }
        }
    }

    @Test("The consent page names the client, the user and the scopes, with Allow first")
    func consent() async throws {
        try await Fixtures.withProvider { running in
            var browser = Browser(running.issuer)
            let inputs = [
                PageInput.name: Fixtures.userName, PageInput.password: Fixtures.password,
                PageInput.decision: PageInput.Decision.accept.rawValue,
            ]
            let answer = try await browser.submit(try await browser.open(SignIn.location()), inputs)
            let page = try await browser.open(try #require(answer.fields.first(name: "location"))).text
            #expect(page.contains("<bdi>The App</bdi></strong> asks to:"))
            #expect(page.contains("<bdi>alice</bdi>"))
            #expect(page.contains(/<li><span>[^<]+<\/span> <code>offline_access<\/code><\/li>/))
            let buttons = page.matches(of: /<button[^>]*>([^<]+)<\/button>/).map { String($0.1) }
            #expect(buttons == ["Allow", "Deny"])
        }
    }

    @Test("The device pages show the code to compare, the client and the scopes, with Allow first")
    func device() async throws {
        try await Fixtures.withProvider { running in
            let answer = try await RawHTTP.send(
                .POST,
                running.issuer.description + "/device_authorization",
                fields: ["content-type": "application/x-www-form-urlencoded"],
                body: "client_id=tv&scope=openid%20profile"
            )
            let code = try SignIn.member("user_code", of: answer)
            var browser = Browser(running.issuer)
            let entry = try await browser.open("/device?user_code=\(code)")
            #expect(entry.text.contains("Compare the code with the one that your device shows."))
            var fresh = Browser(running.issuer)
            let empty = try await fresh.open("/device")
            #expect(empty.text.contains("Enter the code that your device shows."))
            #expect(!empty.text.contains("Compare the code"))
            #expect(entry.text.contains(#"<label for="code">Code</label>"#))
            #expect(entry.text.contains(/<input id="code" name="user_code" [^>]*aria-describedby="what">/))
            #expect(entry.text.contains("value=\"\(code)\""))
            let accept = [PageInput.decision: PageInput.Decision.accept.rawValue]
            func entered(_ code: String) -> [String: String] { accept.merging([PageInput.userCode: code]) { $1 } }
            let again = try await browser.submit(entry, entered("wrong")).text
            #expect(again.contains("<title>Error: Connect a device"))
            #expect(again.contains(/<p class="alert" role="alert" id="failure">[^<]+<\/p>/))
            #expect(again.contains(/<input id="code" [^>]*aria-describedby="failure what" aria-invalid="true">/))
            let login = try await browser.submit(entry, entered(code))
            let inputs = accept.merging(
                [PageInput.name: Fixtures.userName, PageInput.password: Fixtures.password]
            ) { $1 }
            let toConsent = try await browser.submit(login, inputs)
            let consent = try await browser.open(try #require(toConsent.fields.first(name: "location")))
            #expect(consent.text.contains("<strong>\(code)</strong>"))
            #expect(consent.text.contains("<bdi>The Television</bdi></strong> asks to:"))
            #expect(consent.text.contains(/<li><span>[^<]+<\/span> <code>profile<\/code><\/li>/))
            let buttons = consent.text.matches(of: /<button[^>]*>([^<]+)<\/button>/).map { String($0.1) }
            #expect(buttons == ["Allow", "Deny"])
            let done = try await browser.submit(consent, accept).text
            #expect(done.contains("Go back to your device."))
            #expect(!done.contains("{{"))
        }
    }

    @Test("A custom page renderer replaces the pages")
    func otherPages() async throws {
        struct Sign: PageRenderer {
            func html(for page: Page) -> String { "a page" }
        }
        let running = try await ProviderServer.start(pages: Sign()) { issuer in
            try await Provider.forPeople(try Fixtures.configuration(issuer))
        }
        let page = try await RawHTTP.send(.GET, "\(running.issuer)/nothing")
        await running.stop()
        #expect(page.text == "a page")
    }

    @Test("Markup in a client's name is text")
    func markup() async throws {
        try await Fixtures.withProvider(clientName: "<script>alert(1)</script> & 'Sons'") { running in
            let page = try await RawHTTP.send(.GET, running.issuer.description + SignIn.location()).text
            #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#39;Sons&#39;"))
            #expect(!page.contains("<script"))
        }
    }

    @Test(
        "A quote cannot end an attribute, not even behind a combining accent",
        arguments: ["\"", "\"\u{301}", "'\u{20DD}"]
    )
    func attribute(quote: String) async throws {
        try await Fixtures.withProvider { running in
            var browser = Browser(running.issuer)
            let inputs = [
                PageInput.name: "a\(quote) onfocus=alert(1) \(quote)", PageInput.password: "wrong",
                PageInput.decision: PageInput.Decision.accept.rawValue,
            ]
            let page = try await browser.submit(try await browser.open(SignIn.location()), inputs).text
            let input = try #require(page.firstMatch(of: /<input id="name"[^\n]*/)).0
            // Regex and == would see the quote and the accent as one character, as the bug did: look at code points.
            let quotes = input.unicodeScalars.count { $0 == "\"" }
            #expect(quotes.isMultiple(of: 2))
            #expect(!input.unicodeScalars.contains("'"))
            let value = input.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
            #expect(value.contains { $0.hasPrefix("a&") && $0.contains("onfocus=alert(1)") })
        }
    }
}

@Suite("Pages with passkeys")
struct PasskeyPageTests {
    private static let issuer = "http://localhost:8080"

    private func provider() throws -> Provider {
        let issuer = try Issuer(Self.issuer)
        var configuration = try Fixtures.configuration(issuer)
        configuration.passkeys = .accepted
        configuration.frontPage = .present
        return Provider(
            configuration: configuration,
            clock: DeviceClock(now: { .now }),
            random: SystemRandomNumberGenerator(),
            renderer: try MustachePageRenderer(issuer: issuer)
        )
    }

    private func html(_ response: ProviderResponse, of provider: Provider) -> String {
        String(decoding: provider.body(of: response), as: UTF8.self)
    }

    /// A form of a page, with the cookies that came with it.
    private func post(_ response: ProviderResponse, _ inputs: [String: String], _ form: PageForm) -> ProviderRequest {
        var pairs = form.hiddenFields.map { ($0.name, $0.value) }
        pairs += inputs.map { ($0.key, $0.value) }
        let body = pairs.map { "\(Browser.encode($0.0))=\(Browser.encode($0.1))" }.joined(separator: "&")
        let cookies = response.fields[values: .setCookie].map { $0.prefix { $0 != ";" } }.joined(separator: "; ")
        return ProviderRequest(
            method: .post,
            path: "/account",
            fields: [.contentType: "application/x-www-form-urlencoded", .cookie: cookies],
            body: Array(body.utf8)
        )
    }

    @Test("The sign-in page has a form for passkeys that its script shows, and suggests them in the name field")
    func login() async throws {
        let provider = try provider()
        let response = await provider.respond(to: ProviderRequest(path: "/account"))
        let page = html(response, of: provider)
        #expect(page.contains(/<input id="name" [^>]*autocomplete="username webauthn"[^>]* autofocus>/))
        #expect(page.contains(/<form id="passkey-form" [^>]*data-ceremony="get" data-options="\{&quot;[^>]*" hidden>/))
        #expect(page.contains("<input type=\"hidden\" name=\"passkey\" value=\"\">"))
        #expect(page.contains("<script>\(PasskeyScript.source)</script>"))
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(response.fields[.contentSecurityPolicy]?.contains("; script-src 'sha256-") == true)
    }

    @Test("The page for passkeys says that there is none, and what a browser without scripts sees")
    func account() async throws {
        let provider = try provider()
        let opened = await provider.respond(to: ProviderRequest(path: "/account"))
        guard case .page(.login(let login)) = opened.content else {
            Issue.record("There is no sign-in page.")
            return
        }
        let inputs = [PageInput.name: Fixtures.userName, PageInput.password: Fixtures.password]
        let answer = await provider.respond(to: post(opened, inputs, login.form))
        #expect(answer.status == .seeOther)
        let cookies = (opened.fields[values: .setCookie] + answer.fields[values: .setCookie]).map {
            $0.prefix { $0 != ";" }
        }
        let request = ProviderRequest(path: "/account", fields: [.cookie: cookies.joined(separator: "; ")])
        let page = html(await provider.respond(to: request), of: provider)
        #expect(page.contains("<h1>Passkeys</h1>") && page.contains("<bdi>alice</bdi>"))
        #expect(page.contains("You have no passkey yet.") && page.contains("This browser cannot add a passkey"))
        #expect(page.contains(/<form id="passkey-form" [^>]*data-ceremony="create" [^>]* hidden>/))
        #expect(page.contains("<script>\(PasskeyScript.source)</script>"))
        #expect(!page.contains("{{") && !page.contains("role=\"alert\" id=\"failure\""))
    }

    @Test("The front page links to the page for passkeys")
    func front() async throws {
        let provider = try provider()
        let page = html(await provider.respond(to: ProviderRequest(path: "/")), of: provider)
        #expect(page.contains("<a href=\"http://localhost:8080/account\">Add and remove passkeys</a>"))
    }
}
