import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The languages of the pages")
struct PageLanguageTests {
    private func world(
        _ languages: [PageLanguage] = PageLanguage.allCases,
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World {
            $0.languages = languages
            change(&$0)
        }
    }

    private func page(
        _ world: World,
        locales: String? = nil,
        field: String? = nil
    ) async -> ProviderResponse {
        let query = FormURLEncoding.encode(.authorization { $0[.uiLocales] = locales })
        var fields: HTTPFields = [:]
        fields[.acceptLanguage] = field
        return await world.get("/authorize", query: query, fields: fields)
    }

    @Test(
        "Every text is there in every language, and has its place for a name or a number in each",
        arguments: PageText.allCases
    )
    func complete(text: PageText) {
        for language in PageLanguage.allCases {
            let translation = text.text(in: language)
            #expect(!translation.isEmpty)
            #expect(translation.components(of: "{}") == text.english.components(of: "{}"), "\(language)")
            // A Japanese text without a Japanese letter, and any other with one, is in the wrong place.
            let isJapanese = translation.unicodeScalars.contains { (0x3040...0x9FFF).contains($0.value) }
            #expect(isJapanese == (language == .japanese), "\(translation)")
        }
    }

    @Test(
        "The language is the first known one of ui_locales, or else the best of Accept-Language, or else the provider's",
        arguments: [
            ("de", nil, "de"), ("it de-AT fr", nil, "de"), ("DE", "fr", "de"), ("it", "fr", "fr"), (nil, "ja", "ja"),
            (nil, "it, es;q=0.5, fr;q=0.8", "fr"), (nil, "de;q=0, es", "es"), (nil, "it", "en"), (nil, "*", "en"),
            (nil, "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"), (nil, nil, "en"), (nil, "de;q=x, fr", "fr"),
            ("", "", "en"), (nil, "de ; q=0.2 , ja ; q=0.3", "ja"),
            (nil, String(repeating: "it,", count: 40) + "de", "en"),
            (String(repeating: "it ", count: 40) + "de", nil, "en"),
        ] as [(String?, String?, String)]
    )
    func negotiation(locales: String?, field: String?, expected: String) async throws {
        let response = await page(try world(), locales: locales, field: field)
        #expect(response.loginPage?.frame.language.rawValue == expected)
        #expect(response.fields[.contentLanguage] == expected)
    }

    @Test("A provider with one language keeps it, and says nothing about languages by default")
    func one() async throws {
        let english = await page(try world([.english]), locales: "de", field: "de")
        #expect(english.loginPage?.frame.language == .english && english.fields[.contentLanguage] == nil)
        let metadata = await (try World()).get("/.well-known/openid-configuration").json
        #expect(metadata?["ui_locales_supported"] == nil)
        let german = try world([.german])
        #expect(await page(german, locales: "en").loginPage?.frame.language == .german)
        let own = await german.get("/.well-known/openid-configuration").json
        #expect(own?["ui_locales_supported"] == ["de"])
        let all = await (try world()).get("/.well-known/openid-configuration").json
        #expect(all?["ui_locales_supported"] == ["en", "de", "fr", "es", "ja"])
    }

    @Test("Every page of a sign-in is in the language of its request, failures included")
    func wholeSignIn() async throws {
        let world = try world { $0.frontPage = .present }
        let browser = world.browser()
        let request = Parameters.authorization {
            $0[.clientID] = "stranger"
            $0[.uiLocales] = "de"
        }
        let wrong = try #require(try await browser.signIn(request, password: "wrong").loginPage)
        #expect(wrong.failure == "Der Name oder das Passwort ist falsch.")
        #expect(wrong.frame.developmentMark == "ENTWICKLUNG")
        let next = await browser.submit(wrong.form, ["username": "alice", "password": "correct horse"])
        let consent = try #require(try await browser.follow(next).consentPage)
        #expect(consent.frame.language == .german)
        #expect(consent.scopes.map(\.sentence).contains("Ihren Namen und Ihr Profil sehen"))
        _ = await browser.submit(consent.form)
        let used = await browser.submit(consent.form)
        #expect(used.errorSentence?.hasPrefix("Diese Seite wurde schon beantwortet.") == true)
    }

    @Test("A number stays in a translated failure")
    func number() async throws {
        let world = try world([.german])
        for _ in 0..<10 { _ = try await world.browser().signIn(password: "wrong") }
        let closed = try await world.browser().signIn()
        let failure = "Zu viele falsche Passwörter für diesen Namen. Versuchen Sie es in 5 Minuten noch einmal."
        #expect(closed.loginPage?.failure == failure)
    }

    @Test("An error for a developer stays English beside a sentence for the user, and the log has it")
    func developerError() async throws {
        let world = try world([.french])
        let response = await world.get("/authorize", query: "client_id=unknown")
        guard case .error(let page) = response.page else { throw Missing() }
        #expect(page.sentence == "L’application a fait une erreur.")
        #expect(page.reason == "There is no client with this client_id." && page.mend?.hasPrefix("Known") == true)
        #expect(world.log.refusal?.reason == "There is no client with this client_id.")
        let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
        #expect(html.contains("<html lang=\"fr\">"))
        #expect(html.contains("<p lang=\"en\">There is no client with this client_id.</p>"))
    }

    @Test("A sentence of the configuration and a resource's name stay as they are")
    func ownSentence() async throws {
        let world = try world([.spanish]) {
            $0.resources = [ProviderResource(identifier: "https://api.example.com", name: "The API")]
            $0.clients[1].allowedScopes = [.openID, "notes"]
        }
        let browser = world.browser()
        let next = try await browser.signIn(
            .authorization {
                $0[.clientID] = "stranger"
                $0[.scope] = "openid notes"
                $0[.resource] = "https://api.example.com"
            }
        )
        let page = try #require(try await browser.follow(next).consentPage)
        let sentences = ["Saber quién es usted", "Read your notes", "Usar estos permisos en The API"]
        #expect(page.scopes.map(\.sentence) == sentences)
    }

    @Test("A configured sentence that begins like a text of the pages stays as it is")
    func likeText() async throws {
        let sentences = ["Forget your history", "See your e-mail address", "Use these permissions at home"]
        let world = try world([.german]) {
            $0.additionalScopes =
                zip(["history", "mail", "home"], sentences).map { ProviderScope(Scope(rawValue: $0), sentence: $1) }
                + [ProviderScope(.email, sentence: "Read your mail")]
            $0.clients[1].allowedScopes = [.openID] + $0.additionalScopes.map(\.scope)
            $0.clients[4].allowedScopes = [.openID] + $0.additionalScopes.map(\.scope)
        }
        let expected = ["Wissen, wer Sie sind", "Ihre E-Mail-Adresse sehen"] + sentences + ["Read your mail"]
        let browser = world.browser()
        let next = try await browser.signIn(
            .authorization {
                $0[.clientID] = "stranger"
                $0[.scope] = "openid history mail home email"
            }
        )
        #expect(try await browser.follow(next).consentPage?.scopes.map(\.sentence) == expected)
        let device = try await Device(at: world) { $0[.scope] = "openid history mail home email" }
        #expect(try await device.enter(in: browser).deviceConsentPage?.scopes.map(\.sentence) == expected)
    }

    @Test("The device and sign-out pages are in the browser's language")
    func others() async throws {
        let world = try world()
        let german: HTTPFields = [.acceptLanguage: "de"]
        let device = await world.get("/device", fields: german)
        #expect(device.userCodePage?.frame.language == .german)
        let signedOut = await world.get("/end-session", fields: german)
        guard case .signedOut(let page) = signedOut.page else { throw Missing() }
        #expect(page.sentence == "Sie sind abgemeldet.")
        let missing = await world.get("/nothing", fields: german)
        #expect(missing.errorSentence == "Diese Seite gibt es nicht.")
    }

    @Test("The plain pages in Japanese have no English text")
    func literals() async throws {
        let password = try Authenticator.password()
        let world = try world([.japanese]) {
            $0.name = "1"
            $0.accounts = .several
            $0.users[0].oneTimePassword = password
            $0.users[0].name = "2"
            for index in $0.clients.indices { $0.clients[index].name = "3" }
        }
        let browser = world.browser()
        let request = Parameters.authorization { $0[.clientID] = "stranger" }
        var responses = [await browser.authorize(request)]
        let form = try #require(responses[0].loginPage).form
        responses.append(await browser.submit(form, ["username": "2", "password": "wrong"]))
        let next = await browser.submit(form, ["username": "2", "password": "correct horse"])
        responses.append(try await browser.follow(next))
        let page = try #require(responses[2].oneTimePasswordPage)
        responses.append(await browser.enter("000000", page))
        responses.append(try await browser.follow(await browser.enter(try world.oneTimePassword(), page)))
        responses.append(await browser.authorize(.authorization { $0[.prompt] = "select_account" }))
        let device = try await Device(at: world)
        responses.append(await browser.send(.get, "/device"))
        responses.append(try await device.enter("BBBB-BBBB", in: browser))
        responses.append(try await device.enter(in: browser))
        guard case .accounts(let chooser) = responses[8].page else { throw Missing() }
        responses.append(
            await browser.submit(chooser.form) {
                $0[Parameters.Name(rawValue: PageInput.account)] = chooser.accounts[0].id
            }
        )
        let decision = try #require(responses[9].deviceConsentPage).form
        responses.append(await browser.submit(decision))
        responses.append(await browser.send(.get, "/end-session"))
        responses.append(await browser.submit(try #require(responses[11].signOutPage).form))
        responses.append(await browser.send(.get, "/nothing"))
        for response in responses {
            let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
            let labels = html.split(separator: "aria-label=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
            let content = html.replacing(device.userCode, with: "").split(separator: "<").compactMap { piece in
                piece.hasPrefix("code>") ? nil : piece.split(separator: ">", maxSplits: 1).dropFirst().first
            }
            for text in labels + content {
                #expect(!text.contains { $0.isASCII && $0.isLetter }, "\(text)")
            }
        }
    }

    @Test("The page at the issuer's URL is English")
    func front() async throws {
        let response = await (try world([.german]) { $0.frontPage = .present }).get("/")
        guard case .front(let page) = response.page else { throw Missing() }
        #expect(page.frame.language == .english && response.fields[.contentLanguage] == "en")
    }
}

extension String {
    /// The number of times that a text occurs in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
