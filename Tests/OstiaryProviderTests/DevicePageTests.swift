import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The pages for devices")
struct DevicePageTests {
    @Test("The person sees who asks, for what, and the code to compare")
    func consent() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let page = try await device.consentPage(in: world.browser())
        #expect(page.clientName == "The Television")
        #expect(page.userName == "alice")
        #expect(page.userCode == device.userCode)
        #expect(page.scopes.map(\.scope) == ["openid", "profile", "offline_access"])
    }

    @Test("Case and punctuation of a typed code do not matter")
    func typed() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let typed = " " + device.userCode.lowercased().map(String.init).joined(separator: ".") + " "
        #expect(try await device.enter(typed, in: world.browser()).loginPage?.clientName == "The Television")
    }

    @Test("An address with the code fills it in, and the person still has to go on")
    func complete() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let response = await browser.send(.get, "/device", Parameters([.userCode: device.userCode]))
        let page = try #require(response.userCodePage)
        #expect(page.userCode == device.userCode)
        #expect(await device.poll().error == "authorization_pending")
    }

    @Test("What is no code is not put on the page")
    func attack() async throws {
        let response = await (try World()).browser().send(.get, "/device", Parameters([.userCode: "<script>"]))
        #expect(response.userCodePage?.userCode == "")
    }

    @Test("Who is signed in is asked at once, even for a client that needs no consent")
    func signedIn() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        let device = try await Device(at: world)
        let page = try #require(try await device.enter(in: browser).deviceConsentPage)
        let done = await browser.submit(page.form)
        #expect(done.deviceDoneSentence == "Done. Go back to your device.")
        #expect(await device.poll().status == .ok)
    }

    @Test(
        "A wrong code is refused, and the page stays",
        arguments: ["", "BBBB-BBBB", "AAAA-AAAA", "BBBB-BBB", "BBBB-BBBBB", String(repeating: "-", count: 100)]
    )
    func wrong(code: String) async throws {
        let world = try World()
        let response = try await Device(at: world).enter(code, in: world.browser())
        #expect(response.userCodePage?.failure == "The code is wrong, too old or used.")
    }

    @Test("A code that is too old or used is refused")
    func old() async throws {
        let world = try World()
        let device = try await Device(at: world)
        try await device.decide(.accept)
        #expect(try await device.enter(in: world.browser()).userCodePage?.failure != nil)
        let other = try await Device(at: world)
        world.clock.advance(by: 600)
        #expect(try await other.enter(in: world.browser()).userCodePage?.failure != nil)
    }

    @Test("After ten wrong codes nobody can enter any for a while, whoever typed them")
    func throttle() async throws {
        let world = try World()
        let device = try await Device(at: world)
        for _ in 0..<10 { _ = try await device.enter("BBBB-BBBB", in: world.browser()) }
        let closed = try await device.enter(in: world.browser())
        #expect(closed.status == .tooManyRequests)
        #expect(closed.fields[.retryAfter] == "300")
        world.clock.advance(by: 300)
        #expect(try await device.enter(in: world.browser()).loginPage != nil)
    }

    @Test("A right code does not start the count again")
    func countGoesOn() async throws {
        let world = try World()
        let device = try await Device(at: world)
        for _ in 0..<9 { _ = try await device.enter("BBBB-BBBB", in: world.browser()) }
        _ = try await device.enter(in: world.browser())
        _ = try await device.enter("BBBB-BBBB", in: world.browser())
        #expect(try await device.enter(in: world.browser()).status == .tooManyRequests)
    }

    @Test("A person who does not sign in allows nothing")
    func noSignIn() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let login = try #require(try await device.enter(in: browser).loginPage)
        _ = await browser.submit(login.form, [:], .refuse)
        #expect(await device.poll().error == "access_denied")
    }

    @Test("A person who cancels before the code is known decides nothing")
    func cancel() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let page = try #require(await browser.send(.get, "/device").userCodePage)
        #expect(await browser.submit(page.form, [.userCode: device.userCode], .refuse).deviceDoneSentence != nil)
        #expect(await device.poll().error == "authorization_pending")
    }

    @Test("A wrong password leads back to the sign-in page")
    func wrongPassword() async throws {
        let world = try World()
        let browser = world.browser()
        let login = try #require(try await Device(at: world).enter(in: browser).loginPage)
        let again = await browser.submit(login.form, ["username": "alice", "password": "wrong"])
        #expect(again.loginPage?.failure == "The name or the password is wrong.")
        #expect(again.loginPage?.form.action == Fixtures.issuer + "/device/login")
    }

    @Test("No other site and no other browser can answer for the person")
    func forged() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let page = try await device.consentPage(in: browser)
        #expect(await browser.submit(page.form, change: { $0["csrf"] = "forged" }).status == .forbidden)
        let thief = world.browser()
        _ = try await thief.signIn()
        #expect(await thief.submit(page.form).status == .forbidden)
        let entry = try #require(await browser.send(.get, "/device").userCodePage)
        #expect(await browser.submit(entry.form, change: { $0["csrf"] = nil }).status == .forbidden)
        #expect(await device.poll().error == "authorization_pending")
    }

    @Test("Of two people who saw the code the first one decides")
    func first() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let one = world.browser()
        let other = world.browser()
        let first = try await device.consentPage(in: one)
        let second = try await device.consentPage(in: other)
        _ = await one.submit(first.form, [:], .refuse)
        #expect(await other.submit(second.form).errorSentence != nil)
        #expect(await device.poll().error == "access_denied")
    }

    @Test("The pages are whole without a template")
    func html() async throws {
        let world = try World()
        let browser = world.browser()
        let device = try await Device(at: world)
        let entry = String(decoding: world.provider.body(of: await browser.send(.get, "/device")), as: UTF8.self)
        #expect(entry.contains("<label for=\"code\">"))
        #expect(entry.contains("method=\"post\" action=\"http://127.0.0.1:8080/device\""))
        let page = try await device.consentPage(in: browser)
        let consent = PlainPageRenderer().html(for: .deviceConsent(page))
        #expect(consent.contains("<strong>\(device.userCode)</strong>"))
        #expect(consent.contains("The Television") && consent.contains("<code>offline_access</code>"))
    }

    @Test("A code that is too old is refused, even while it is still kept")
    func keptTooLong() async throws {
        let world = try World()
        let device = try await Device(at: world)
        // What has expired is forgotten once a minute.
        world.clock.advance(by: 550)
        #expect(try await device.enter(in: world.browser()).loginPage != nil)
        world.clock.advance(by: 50)
        #expect(try await device.enter(in: world.browser()).userCodePage?.failure != nil)
    }
}
