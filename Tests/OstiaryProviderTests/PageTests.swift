import HTTPTypes
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Pages")
struct PageTests {
    @Test("Outside text is escaped in a page")
    func escaping() async throws {
        let world = try World()
        let attack = "\"><script>alert('x')</script>&"
        let response = await world.browser().authorize(
            .authorization {
                $0[.clientID] = "stranger"
                $0[.loginHint] = attack
            }
        )
        let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
        #expect(!html.contains("<script"))
        #expect(html.contains("value=\"&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;\""))
        #expect(html.contains("&lt;b&gt;Stranger&lt;/b&gt;"))
    }

    @Test("The sign-in page has a label for every field, a mark, a language and no script")
    func login() async throws {
        let world = try World()
        let html = String(decoding: world.provider.body(of: await world.browser().authorize()), as: UTF8.self)
        #expect(html.contains("<html lang=\"en\">"))
        #expect(html.contains("<label for=\"name\">") && html.contains("<label for=\"password\">"))
        #expect(html.contains("autocomplete=\"current-password\""))
        #expect(html.contains("DEVELOPMENT"))
        #expect(html.contains("method=\"post\" action=\"http://127.0.0.1:8080/login\""))
        #expect(!html.contains("<script"))
    }

    @Test("A sign-in failure is announced as an alert")
    func failure() async throws {
        let world = try World()
        let response = try await world.browser().signIn(password: "wrong")
        let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
        #expect(html.contains("<p role=\"alert\" id=\"failure\">The name or the password is wrong.</p>"))
        #expect(!html.contains("wrong\" type=\"password\""))
    }

    @Test("A custom page renderer is used")
    func ownRenderer() async throws {
        let clock = MovableClock()
        let provider = Provider(
            configuration: try Fixtures.configuration(),
            clock: clock.device,
            random: CountingGenerator(),
            renderer: OneWordRenderer()
        )
        let response = await provider.respond(to: ProviderRequest(path: "/authorize"))
        #expect(provider.body(of: response) == Array("word".utf8))
    }
}

private struct OneWordRenderer: PageRenderer {
    func html(for page: Page) -> String { "word" }
}
