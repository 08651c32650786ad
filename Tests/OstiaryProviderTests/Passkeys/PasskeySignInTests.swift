import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

/// A provider with passkeys at localhost.
enum PasskeyWorld {
    static let issuer = "http://localhost:8080"

    static func world(
        storage: any ProviderStorage = MemoryProviderStorage(),
        clock: MovableClock = MovableClock(),
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World(issuer: issuer, storage: storage, clock: clock) {
            $0.passkeys = .accepted
            change(&$0)
        }
    }

    /// The options of a page's form for passkeys.
    static func options(_ prompt: PasskeyPrompt?) throws -> JSONObject {
        try JSONObject(parsing: Array(try #require(prompt).options.utf8))
    }

    static func challenge(_ prompt: PasskeyPrompt?) throws -> String {
        try #require(try options(prompt)["challenge"]?.string)
    }

    /// Signs a user in on the page for passkeys.
    static func account(_ browser: Browser, name: String = "alice", password: String = "correct horse") async throws
        -> AccountPage
    {
        let login = try #require(await browser.send(.get, "/account").loginPage)
        let answer = await browser.submit(login.form, ["username": name, "password": password])
        #expect(answer.redirect?.place == issuer + "/account")
        return try #require(await browser.send(.get, "/account").accountPage)
    }

    /// Adds the passkey of an authenticator, which remembers the user.
    @discardableResult
    static func add(
        _ authenticator: inout SoftAuthenticator,
        _ browser: Browser,
        _ page: AccountPage
    ) async throws -> ProviderResponse {
        let options = try options(page.prompt)
        authenticator.userHandle = options["user"]?.object?["id"]?.string
        let response = authenticator.registration(try challenge(page.prompt))
        return await browser.submit(page.form, ["passkey": response])
    }

    /// An authenticator with a registered passkey of alice.
    static func registered(_ world: World) async throws -> SoftAuthenticator {
        var authenticator = try SoftAuthenticator()
        let browser = world.browser()
        try await add(&authenticator, browser, try await account(browser))
        return authenticator
    }
}

@Suite("Signing in with a passkey")
struct PasskeySignInTests {
    private func tokens(_ world: World, _ response: ProviderResponse) async throws -> Tokens {
        let code = try #require(response.redirect?.parameters[.code])
        return try Tokens(await world.post("/token", .codeGrant(code)))
    }

    @Test("A user adds a passkey after a password, and signs in with it in another browser")
    func whole() async throws {
        let world = try PasskeyWorld.world()
        let authenticator = try await PasskeyWorld.registered(world)
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        let answer = await browser.submit(page.form, ["passkey": assertion])
        let claims = try await world.verifiedClaims(try #require(try await tokens(world, answer).id))
        #expect(claims["sub"] == "subject-of-alice")
        #expect(claims["amr"] == ["hwk", "pop", "user", "mfa"])
        #expect(claims["acr"] == "urn:ostiary:passkey")
    }

    @Test("The sign-in page asks for any passkey of the issuer's host, with the user's verification")
    func options() async throws {
        let world = try PasskeyWorld.world()
        let page = try #require(await world.browser().authorize().loginPage)
        let options = try PasskeyWorld.options(page.passkey)
        #expect(options["rpId"] == "localhost")
        #expect(options["userVerification"] == "required")
        #expect(options["allowCredentials"] == nil)
        #expect(try Base64URL.decode(try PasskeyWorld.challenge(page.passkey)).count == 32)
        let other = try #require(await world.browser().authorize().loginPage)
        #expect(try PasskeyWorld.challenge(page.passkey) != PasskeyWorld.challenge(other.passkey))
    }

    @Test("A passkey that is backed up is a key in software, and a password is a password")
    func methods() async throws {
        let world = try PasskeyWorld.world()
        var authenticator = try SoftAuthenticator()
        authenticator.flags = 0x1D
        let owner = world.browser()
        try await PasskeyWorld.add(&authenticator, owner, try await PasskeyWorld.account(owner))
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        let answer = await browser.submit(page.form, ["passkey": assertion])
        let first = try await tokens(world, answer)
        #expect(try await world.verifiedClaims(try #require(first.id))["amr"] == ["swk", "pop", "user", "mfa"])
        let refreshed = try Tokens(await world.refresh(try #require(first.refresh)))
        #expect(try await world.verifiedClaims(try #require(refreshed.id))["amr"] == ["swk", "pop", "user", "mfa"])
        let claims = try await world.verifiedClaims(try #require(try await world.tokens().id))
        #expect(claims["amr"] == ["pwd"] && claims["acr"] == "urn:ostiary:password")
    }

    @Test("A response is valid for the page that asked for it alone")
    func replay() async throws {
        let world = try PasskeyWorld.world()
        let authenticator = try await PasskeyWorld.registered(world)
        let browser = world.browser()
        let first = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(first.passkey))
        let second = try #require(await browser.authorize().loginPage)
        let elsewhere = await browser.submit(second.form, ["passkey": assertion])
        #expect(elsewhere.loginPage?.failure == "The passkey was not accepted. Try again.")
        #expect(world.log.refusal?.reason == "The passkey signed another challenge than that of the page.")
        #expect(await browser.submit(first.form, ["passkey": assertion]).redirect?.parameters[.code] != nil)
        #expect(await browser.submit(first.form, ["passkey": assertion]).errorSentence != nil)
    }

    @Test("An unknown passkey is refused, and the log says so")
    func unknown() async throws {
        let world = try PasskeyWorld.world()
        var authenticator = try SoftAuthenticator()
        authenticator.userHandle = "dXNlcg"
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        let answer = await browser.submit(page.form, ["passkey": assertion])
        #expect(answer.loginPage?.failure?.hasPrefix("This passkey is not known here.") == true)
        let event = try #require(world.log.refusal)
        #expect(event.reason == "No user has this passkey." && event.clientID == "app" && event.path == "/login")
        #expect(browser.cookie("session") == nil)
    }

    @Test("A signature of another authenticator is refused")
    func forged() async throws {
        let world = try PasskeyWorld.world()
        var authenticator = try await PasskeyWorld.registered(world)
        authenticator.key = try SigningKey.generate(.es256)
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        #expect(await browser.submit(page.form, ["passkey": assertion]).loginPage?.failure != nil)
        #expect(world.log.refusal?.reason == "The passkey's signature is wrong.")
        #expect(browser.cookie("session") == nil)
    }

    @Test("A counter that goes back is refused, and page and log say that a copy may be in use")
    func counter() async throws {
        let world = try PasskeyWorld.world()
        var authenticator = try SoftAuthenticator()
        authenticator.counter = 1
        let owner = world.browser()
        try await PasskeyWorld.add(&authenticator, owner, try await PasskeyWorld.account(owner))
        func signIn(_ counter: UInt32) async throws -> ProviderResponse {
            authenticator.counter = counter
            let browser = world.browser()
            let page = try #require(await browser.authorize().loginPage)
            let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
            return await browser.submit(page.form, ["passkey": assertion])
        }
        #expect(try await signIn(7).redirect?.parameters[.code] != nil)
        let copied = try await signIn(7)
        #expect(copied.loginPage?.failure?.hasPrefix("A copy of this passkey may be in use.") == true)
        #expect(world.log.refusal?.reason == "The passkey's signature counter is 7, and was 7: a copy may be in use.")
        #expect(try await signIn(8).redirect?.parameters[.code] != nil)
    }

    /// Signs alice in with a counter, while something else happens to her passkey.
    private func signIn(
        counter: UInt32,
        during interruption: @escaping InterruptedStorage.Interruption
    ) async throws -> (ProviderResponse, InterruptedStorage, Browser) {
        let storage = InterruptedStorage()
        let world = try PasskeyWorld.world(storage: storage)
        var authenticator = try await PasskeyWorld.registered(world)
        authenticator.counter = counter
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        storage.interruption.withLock { $0 = interruption }
        return (await browser.submit(page.form, ["passkey": assertion]), storage, browser)
    }

    @Test("A passkey that is removed while it signs in stays removed")
    func removedMeanwhile() async throws {
        let (answer, storage, browser) = try await signIn(counter: 5) { passkey, memory in
            await memory.remove(.key(.passkey, passkey.key))
        }
        #expect(answer.loginPage?.failure?.hasPrefix("This passkey is not known here.") == true)
        #expect(await storage.memory.records(.passkey).isEmpty && browser.cookie("session") == nil)
    }

    @Test("The counter of each of two sign-ins at once with a passkey has to advance", arguments: [5, 6])
    func counterMeanwhile(other: Int) async throws {
        let (answer, storage, _) = try await signIn(counter: 6) { passkey, memory in
            var used = passkey
            used.value["counter"] = .integer(other)
            await memory.put(used)
        }
        let isCopy = answer.loginPage?.failure?.hasPrefix("A copy of this passkey may be in use.") == true
        #expect(isCopy == (other == 6) && (answer.redirect?.parameters[.code] != nil) == (other == 5))
        #expect(await storage.memory.records(.passkey).map { $0.value["counter"] } == [6])
    }

    @Test("A form with a passkey that is sent twice was answered before, and no copy is suspected")
    func twice() async throws {
        let world = try PasskeyWorld.world()
        var authenticator = try await PasskeyWorld.registered(world)
        authenticator.counter = 5
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        #expect(await browser.submit(page.form, ["passkey": assertion]).redirect?.parameters[.code] != nil)
        let again = await browser.submit(page.form, ["passkey": assertion])
        #expect(again.errorSentence?.hasPrefix("This page was answered before.") == true)
        #expect(world.log.events.allSatisfy { !$0.reason.contains("copy") })
    }

    @Test("The passkey of a removed user is unknown, also to a new user of the same name and subject")
    func removedUser() async throws {
        let world = try PasskeyWorld.world { $0.administrationToken = SecretDigest(of: Secret("a-token-of-the-tests")) }
        let authenticator = try await PasskeyWorld.registered(world)
        #expect(await world.send(.delete, "/admin/users/alice", bearer: "a-token-of-the-tests").status == .noContent)
        let alice: JSONObject = ["password": "new", "sub": "subject-of-alice"]
        #expect(await world.send(.put, "/admin/users/alice", alice, bearer: "a-token-of-the-tests").status == .created)
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        #expect(await browser.submit(page.form, ["passkey": assertion]).loginPage?.failure != nil)
        #expect(world.log.refusal?.reason == "No user has this passkey.")
    }

    @Test("The sign-in page for a device takes a passkey")
    func device() async throws {
        let world = try PasskeyWorld.world()
        let authenticator = try await PasskeyWorld.registered(world)
        let device = try await Device(at: world)
        let browser = world.browser()
        let page = try #require(try await device.enter(in: browser).loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        let answer = await browser.submit(page.form, ["passkey": assertion])
        let consent = try #require(try await browser.follow(answer).deviceConsentPage)
        #expect(await browser.submit(consent.form).deviceDoneSentence == "Done. Go back to your device.")
        let tokens = try Tokens(await device.poll())
        #expect(try await world.verifiedClaims(try #require(tokens.id))["amr"] == ["hwk", "pop", "user", "mfa"])
    }

    @Test("Without the setting a form with a passkey is one with a wrong password, and no page has a script")
    func off() async throws {
        let storage = MemoryProviderStorage()
        let clock = MovableClock()
        let authenticator = try await PasskeyWorld.registered(try PasskeyWorld.world(storage: storage, clock: clock))
        let world = try World(issuer: PasskeyWorld.issuer, storage: storage, clock: clock)
        let browser = world.browser()
        let response = await browser.authorize()
        let page = try #require(response.loginPage)
        #expect(page.passkey == nil)
        #expect(response.fields[.contentSecurityPolicy]?.contains("script-src") == false)
        let assertion = try authenticator.assertion("Y2hhbGxlbmdl")
        let answer = await browser.submit(page.form, ["passkey": assertion])
        #expect(answer.loginPage?.failure == "The name or the password is wrong.")
        #expect(await browser.send(.get, "/account").status == .notFound)
        let metadata = try #require(await world.get("/.well-known/openid-configuration").json)
        #expect(metadata["acr_values_supported"] == ["urn:ostiary:password"])
    }

    @Test("At an IP address the setting has no effect, and a warning says so")
    func address() async throws {
        let world = try World { $0.passkeys = .accepted }
        #expect(await world.browser().authorize().loginPage?.passkey == nil)
        #expect(await world.browser().send(.get, "/account").status == .notFound)
        let warnings = world.provider.configuration.warnings.filter { $0.contains("Passkeys need an issuer") }
        #expect(warnings.count == 1)
        #expect(try !PasskeyWorld.world().provider.configuration.warnings.contains { $0.contains("Passkeys") })
    }

    @Test("The sign-in page allows its own script by hash and no other, and names it for autofill")
    func script() async throws {
        let world = try PasskeyWorld.world()
        let response = await world.browser().authorize()
        let policy = try #require(response.fields[.contentSecurityPolicy])
        let hash = Base64URL.encode(HashAlgorithm.sha256.hash(Array(PasskeyScript.source.utf8)))
            .replacing("-", with: "+").replacing("_", with: "/")
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(policy.hasSuffix("; script-src 'sha256-\(hash)='"))
        let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
        #expect(html.contains("<script>\(PasskeyScript.source)</script>"))
        #expect(html.contains("autocomplete=\"username webauthn\""))
        #expect(html.contains("data-ceremony=\"get\" data-options=\"{&quot;challenge&quot;:"))
        let metadata = try #require(await world.get("/.well-known/openid-configuration").json)
        #expect(metadata["acr_values_supported"] == ["urn:ostiary:password", "urn:ostiary:passkey"])
    }
}

/// A storage in which something else happens to a passkey, once, just after it is read.
private final class InterruptedStorage: StorageOverMemory {
    typealias Interruption = @Sendable (ProviderRecord, MemoryProviderStorage) async -> Void

    let memory = MemoryProviderStorage()
    let interruption = Lock<Interruption?>(nil)

    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure) { await memory.put(record) }
    func record(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord? {
        guard let record = await memory.record(kind, key) else { return nil }
        guard kind == .passkey else { return record }
        let now = interruption.withLock { next in
            defer { next = nil }
            return next
        }
        await now?(record, memory)
        return record
    }
}
