import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The pages for devices")
struct DevicePageTests {
    @Test("The device consent page shows the client, the user, the scopes and the code to compare")
    func consent() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let page = try await device.consentPage(in: world.browser())
        #expect(page.clientName == "The Television")
        #expect(page.userName == "alice")
        #expect(page.userCode == device.userCode)
        #expect(page.scopes.map(\.scope) == ["openid", "profile", "offline_access"])
    }

    @Test("A typed user code is read without case and punctuation")
    func typed() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let typed = " " + device.userCode.lowercased().map(String.init).joined(separator: ".") + " "
        #expect(try await device.enter(typed, in: world.browser()).loginPage?.clientName == "The Television")
    }

    @Test("A device URL with the user code fills it in, and the user still has to continue")
    func complete() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let response = await browser.send(.get, "/device", Parameters([.userCode: device.userCode]))
        let page = try #require(response.userCodePage)
        #expect(page.userCode == device.userCode)
        #expect(await device.poll().error == "authorization_pending")
    }

    @Test("A user code with other characters is not put on the page")
    func attack() async throws {
        let response = await (try World()).browser().send(.get, "/device", Parameters([.userCode: "<script>"]))
        #expect(response.userCodePage?.userCode == "")
    }

    @Test("A signed-in user gets the device consent page at once, also for a client without consent")
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
        "A wrong user code is rejected, and the page stays",
        arguments: ["", "BBBB-BBBB", "AAAA-AAAA", "BBBB-BBB", "BBBB-BBBBB", String(repeating: "-", count: 100)]
    )
    func wrong(code: String) async throws {
        let world = try World()
        let response = try await Device(at: world).enter(code, in: world.browser())
        #expect(response.userCodePage?.failure == "The code is wrong, too old or used.")
    }

    @Test("An expired or used user code is rejected")
    func old() async throws {
        let world = try World()
        let device = try await Device(at: world)
        try await device.decide(.accept)
        #expect(try await device.enter(in: world.browser()).userCodePage?.failure != nil)
        let other = try await Device(at: world)
        world.clock.advance(by: .seconds(600))
        #expect(try await other.enter(in: world.browser()).userCodePage?.failure != nil)
    }

    @Test("After ten wrong user codes all codes are rejected for five minutes")
    func throttle() async throws {
        let world = try World()
        let device = try await Device(at: world)
        for _ in 0..<10 { _ = try await device.enter("BBBB-BBBB", in: world.browser()) }
        let closed = try await device.enter(in: world.browser())
        #expect(closed.status == .tooManyRequests)
        #expect(closed.fields[.retryAfter] == "300")
        #expect(closed.userCodePage?.failure == "Too many wrong codes. Try again in 5 minutes.")
        world.clock.advance(by: .seconds(300))
        #expect(try await device.enter(in: world.browser()).loginPage != nil)
    }

    @Test("A right user code does not reset the count of wrong ones")
    func countGoesOn() async throws {
        let world = try World()
        let device = try await Device(at: world)
        for _ in 0..<9 { _ = try await device.enter("BBBB-BBBB", in: world.browser()) }
        _ = try await device.enter(in: world.browser())
        _ = try await device.enter("BBBB-BBBB", in: world.browser())
        #expect(try await device.enter(in: world.browser()).status == .tooManyRequests)
    }

    @Test("A user who cancels the device sign-in denies the device")
    func noSignIn() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let login = try #require(try await device.enter(in: browser).loginPage)
        _ = await browser.submit(login.form, [:], .refuse)
        #expect(await device.poll().error == "access_denied")
    }

    @Test("A user who cancels before entering the code decides nothing")
    func cancel() async throws {
        let world = try World()
        let device = try await Device(at: world)
        let browser = world.browser()
        let page = try #require(await browser.send(.get, "/device").userCodePage)
        #expect(await browser.submit(page.form, [.userCode: device.userCode], .refuse).deviceDoneSentence != nil)
        #expect(await device.poll().error == "authorization_pending")
    }

    @Test("A wrong password at the device sign-in leads back to the sign-in page")
    func wrongPassword() async throws {
        let world = try World()
        let browser = world.browser()
        let login = try #require(try await Device(at: world).enter(in: browser).loginPage)
        let again = await browser.submit(login.form, ["username": "alice", "password": "wrong"])
        #expect(again.loginPage?.failure == "The name or the password is wrong.")
        #expect(again.loginPage?.form.action == Fixtures.issuer + "/device/login")
    }

    @Test("A device form from another site or browser is rejected")
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

    @Test("The first of two users with the same device code decides")
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

    @Test("The device pages render without a template")
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

    @Test("An expired user code is rejected, even while its record is still stored")
    func keptTooLong() async throws {
        let world = try World()
        let device = try await Device(at: world)
        // What has expired is forgotten once a minute.
        world.clock.advance(by: .seconds(550))
        #expect(try await device.enter(in: world.browser()).loginPage != nil)
        world.clock.advance(by: .seconds(50))
        #expect(try await device.enter(in: world.browser()).userCodePage?.failure != nil)
    }
}
