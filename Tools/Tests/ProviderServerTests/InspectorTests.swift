import Foundation
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

/// Expects a status of a response.
private func expect(
    _ status: Int,
    _ answer: @autoclosure () async throws -> RawAnswer,
    at location: SourceLocation = #_sourceLocation
) async throws {
    let found = try await answer().status
    #expect(found == status, sourceLocation: location)
}

@Suite("The inspector", .timeLimit(.minutes(2)))
struct InspectorTests {
    private func withInspector(
        paths: [String] = [""],
        change: @escaping @Sendable (inout ProviderConfiguration) -> Void = { _ in },
        _ body: (RunningProvider) async throws -> Void
    ) async throws {
        let running = try await ProviderServer.start(paths: paths) { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.inspector = .present
            change(&configuration)
            return try await Provider.forPeople(configuration)
        }
        do { try await body(running) } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    private static let files = [
        ("", "text/html; charset=utf-8"), ("/style.css", "text/css; charset=utf-8"),
        ("/script.js", "text/javascript; charset=utf-8"), ("/parameters.json", "application/json"),
    ]

    @Test("The page, its script and its style come from the provider, and nothing else may run or be loaded")
    func page() async throws {
        try await withInspector { running in
            for (path, mediaType) in Self.files {
                let file = try await RawHTTP.send(.GET, "\(running.issuer)/inspector\(path)")
                #expect(file.status == 200 && file.fields["content-type"] == [mediaType])
                let policy = file.fields.first(name: "content-security-policy") ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("trusted-types 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(file.fields["cache-control"] == ["no-store"] && file.fields["x-frame-options"] == ["DENY"])
                #expect(file.fields["x-content-type-options"] == ["nosniff"])
                #expect(!file.text.contains("://"), "\(path)")
            }
            let html = try await RawHTTP.send(.GET, "\(running.issuer)/inspector").text
            #expect(!html.contains(/\son[a-z]+=|\sstyle=|<style|<script>/))
            let script = try await RawHTTP.send(.GET, "\(running.issuer)/inspector/script.js").text
            #expect(!script.contains(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(/))
        }
    }

    @Test("The front page leads to the inspector")
    func frontPage() async throws {
        try await withInspector(change: { $0.frontPage = .present }) { running in
            let page = try await RawHTTP.send(.GET, "\(running.issuer)/").text
            #expect(page.contains("<a href=\"\(running.issuer)/inspector\">"))
        }
    }

    @Test("Without an inspector in the configuration its paths are not there")
    func absent() async throws {
        try await Fixtures.withProvider { running in
            for path in Self.files.map(\.0) + ["/events", "/export?form=har"] {
                try await expect(404, try await RawHTTP.send(.GET, "\(running.issuer)/inspector\(path)"))
            }
        }
    }

    @Test("A parameter of the page's table has its meaning and source")
    func parameters() async throws {
        try await withInspector { running in
            let text = try await RawHTTP.send(.GET, "\(running.issuer)/inspector/parameters.json").text
            let object = try JSONObject(parsing: Array(text.utf8))
            #expect(object.count == RecordedParameter.all.count)
            #expect(object["code_verifier"]?.object?["source"] == "RFC 7636 section 4.5")
        }
    }

    @Test("A sign-in appears on an open stream while it runs, as one flow, without a secret")
    func live() async throws {
        try await withInspector { running in
            var stream = try await EventStream("\(running.issuer)/inspector/events")
            #expect(stream.status == 200 && stream.fields["content-type"] == ["text/event-stream"])
            let first = try #require(try await stream.event())
            #expect(first["exchanges"] == [] && first["first"] == 1 && first["instance"]?.string?.isEmpty == false)
            var browser = Browser(running.issuer)
            let code = try await SignIn.code(&browser)
            let tokens = try await SignIn.redeem(code, at: running.issuer)
            let exchanges = try await stream.exchanges(5)
            let endpoints = exchanges.compactMap { $0["endpoint"]?.string }
            #expect(endpoints == ["authorize", "login", "consent", "consent", "token"])
            #expect(exchanges.allSatisfy { $0["flow"] == 1 && $0["curl"]?.string?.hasPrefix("curl ") == true })
            #expect(exchanges.map { $0["number"] } == (1...5).map { .integer($0) })
            let text = String(decoding: exchanges.flatMap { $0.encoded() }, as: UTF8.self)
            let secrets = [
                code, Fixtures.password, Fixtures.verifier, try SignIn.member("access_token", of: tokens),
                try SignIn.member("refresh_token", of: tokens),
            ]
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test("A stream begins after the number that its reader knows, and has at most 200 exchanges in an event")
    func batches() async throws {
        try await withInspector { running in
            for _ in 1...250 { _ = try await RawHTTP.send(.GET, "\(running.issuer)/jwks") }
            var stream = try await EventStream("\(running.issuer)/inspector/events?after=10")
            let counts = [try await stream.event(), try await stream.event()].map { $0?["exchanges"]?.array?.count }
            #expect(counts == [200, 40])
        }
    }

    @Test("A server that stops ends the streams, and does not wait for their readers")
    func stopped() async throws {
        let clock = ContinuousClock()
        var stream: EventStream?
        var began = clock.now
        try await withInspector { running in
            stream = try await EventStream("\(running.issuer)/inspector/events")
            #expect(try await stream?.event() != nil)
            began = clock.now
        }
        // Five seconds later the server would break the connection off.
        #expect(clock.now - began < .seconds(4))
        #expect(try await stream?.event() == nil)
    }

    @Test("At most 16 streams are open at a time, and one that ends makes room for another")
    func streams() async throws {
        try await withInspector { running in
            var open: [EventStream] = []
            for _ in 1...16 {
                var stream = try await EventStream("\(running.issuer)/inspector/events")
                _ = try await stream.event()
                open.append(stream)
            }
            let refused = try await RawHTTP.send(.GET, "\(running.issuer)/inspector/events")
            #expect(refused.status == 503 && refused.fields["retry-after"] == ["5"])
            open = []
            var status = 503
            while status == 503 { status = try await EventStream("\(running.issuer)/inspector/events").status }
            #expect(status == 200)
        }
    }

    @Test(
        "A query that is unknown, malformed or repeated is refused with the cause",
        arguments: [
            ("events?before=1", "The query has before"), ("events?after=-1", "after cannot"),
            ("events?after=1&after=2", "names something twice"), ("export", "form cannot"),
            ("export?form=pdf", "form cannot"), ("export?form=har&flow=a", "flow cannot"),
            ("export?form=har&endpoint=tokens", "endpoint cannot"), ("export?form=har&refused=1", "refused cannot"),
            ("export?form=har&text=%FF", "cannot be read"), ("export?form=har&color=red", "The query has color"),
        ]
    )
    func queries(query: String, cause: String) async throws {
        try await withInspector { running in
            let answer = try await RawHTTP.send(.GET, "\(running.issuer)/inspector/\(query)")
            #expect(answer.status == 400 && answer.text.contains(cause))
        }
    }

    @Test("The inspector has no method but GET and HEAD", arguments: [HTTPMethod.POST, .DELETE, .OPTIONS])
    func methods(method: HTTPMethod) async throws {
        try await withInspector { running in
            for path in ["", "/events", "/export"] {
                try await expect(405, try await RawHTTP.send(method, "\(running.issuer)/inspector\(path)"))
            }
            try await expect(200, try await RawHTTP.send(.HEAD, "\(running.issuer)/inspector/events"))
        }
    }

    @Test("The printed inspector is served under --like with an issuer path", arguments: [ProviderManners.keycloak])
    func manners(manners: ProviderManners) async throws {
        let running = try await ProviderServer.start { origin in
            var configuration = try Fixtures.configuration(try manners.issuer(at: origin))
            configuration.manners = manners
            configuration.inspector = .present
            return try await Provider.forPeople(configuration)
        }
        do {
            let url = try #require(running.provider.inspectorURL)
            #expect(url == "http://127.0.0.1:\(running.port)/realms/demo/inspector")
            for (path, mediaType) in Self.files {
                let file = try await RawHTTP.send(.GET, url + path)
                #expect(file.status == 200 && file.fields["content-type"] == [mediaType])
            }
            let keys = "/realms/demo/jwks"
            _ = try await RawHTTP.send(.GET, "http://127.0.0.1:\(running.port)\(keys)")
            #expect(try await RawHTTP.send(.GET, url + "/export?form=jsonl").text.contains(keys))
            try await expect(404, try await RawHTTP.send(.GET, "http://127.0.0.1:\(running.port)/inspector"))
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    @Test("An issuer with a path has an inspector below it, with its own exchanges alone")
    func issuers() async throws {
        try await withInspector(paths: ["/a", "/b"]) { running in
            let origin = "http://127.0.0.1:\(running.port)"
            _ = try await RawHTTP.send(.GET, "\(origin)/a/jwks")
            try await expect(200, try await RawHTTP.send(.GET, "\(origin)/b/inspector"))
            #expect(try await RawHTTP.send(.GET, "\(origin)/a/inspector/export?form=jsonl").text.contains("/a/jwks"))
            #expect(try await RawHTTP.send(.GET, "\(origin)/b/inspector/export?form=jsonl").text.isEmpty)
        }
    }
}

@Suite("Access to the inspector", .timeLimit(.minutes(2)))
struct InspectorAccessTests {
    private static let token = "a-token-of-the-administration"
    private static let bearer: HTTPHeaders = ["authorization": "Bearer \(token)"]

    private func withInspector(
        issuer: String? = nil,
        isLoopback: Bool = true,
        token: String? = nil,
        _ body: (_ place: String) async throws -> Void
    ) async throws {
        let running = try await ProviderServer.start(
            at: isLoopback ? .loopback() : .allowingOtherMachines(host: "127.0.0.1", port: 0),
            issuer: try issuer.map { (text) throws(SignInError) in try Issuer(text) }
        ) { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.inspector = .present
            configuration.administrationToken = token.map { SecretDigest(of: Secret($0)) }
            return try await Provider.forPeople(configuration)
        }
        do { try await body("http://127.0.0.1:\(running.port)/inspector/export?form=har") } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    @Test("On this machine exchanges are shown without a token, to no other host name")
    func loopback() async throws {
        try await withInspector { place in
            try await expect(200, try await RawHTTP.send(.GET, place))
            try await expect(421, try await RawHTTP.send(.GET, place, fields: ["host": "evil.example"]))
        }
    }

    @Test("A request that another site's page sends is refused", arguments: ["cross-site", "same-site", "odd"])
    func foreign(site: String) async throws {
        try await withInspector(token: Self.token) { place in
            var fields = Self.bearer
            fields.add(name: "sec-fetch-site", value: site)
            try await expect(403, try await RawHTTP.send(.GET, place, fields: fields))
            for site in ["same-origin", "none"] {
                try await expect(200, try await RawHTTP.send(.GET, place, fields: ["sec-fetch-site": site]))
            }
        }
    }

    @Test("A request that a proxy forwards needs the token", arguments: ["X-Forwarded-For", "Forwarded"])
    func forwarded(name: String) async throws {
        try await withInspector { place in
            try await expect(403, try await RawHTTP.send(.GET, place, fields: [name: "for=192.0.2.1"]))
        }
        try await withInspector(token: Self.token) { place in
            try await expect(401, try await RawHTTP.send(.GET, place, fields: [name: "for=192.0.2.1"]))
        }
    }

    @Test(
        "Beyond this machine exchanges need the token of the administration",
        arguments: [("https://idp.example.com", true), ("https://idp.example.com", false)]
    )
    func beyond(issuer: String, isLoopback: Bool) async throws {
        try await withInspector(issuer: issuer, isLoopback: isLoopback) { place in
            let answer = try await RawHTTP.send(.GET, place, fields: Self.bearer)
            #expect(answer.status == 403 && answer.text.contains("--admin-token-file"))
        }
        try await withInspector(issuer: issuer, isLoopback: isLoopback, token: Self.token) { place in
            let missing = try await RawHTTP.send(.GET, place)
            #expect(missing.status == 401 && missing.fields["www-authenticate"] == ["Bearer"])
            for field in ["Bearer wrong", "Basic \(Self.token)", Self.token] {
                try await expect(401, try await RawHTTP.send(.GET, place, fields: ["authorization": field]))
            }
            try await expect(200, try await RawHTTP.send(.GET, place, fields: Self.bearer))
        }
    }

    @Test("A listener for other machines needs the token, though its issuer is this machine")
    func otherMachines() async throws {
        try await withInspector(issuer: "http://127.0.0.1:9", isLoopback: false, token: Self.token) { place in
            try await expect(401, try await RawHTTP.send(.GET, place))
        }
    }
}

@Suite("Exports of the inspector", .timeLimit(.minutes(2)))
struct InspectorExportTests {
    private static let hostile = "a'b\"c;$(touch x)`d`<script>#%%{x}\nend"

    /// A sign-in, a request of a client that is not known, and one for the key set.
    private func withFlows(_ body: (_ origin: String, _ export: (String) async throws -> String) async throws -> Void)
        async throws
    {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.inspector = .present
            return try await Provider.forPeople(configuration)
        }
        do {
            var browser = Browser(running.issuer)
            _ = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
            _ = try await browser.open(SignIn.location(["client_id": Self.hostile, "scope": Self.hostile]))
            _ = try await RawHTTP.send(.GET, "\(running.issuer)/jwks", fields: ["authorization": "Basic c2VjcmV0"])
            try await body(running.issuer.description) { query in
                let answer = try await RawHTTP.send(.GET, "\(running.issuer)/inspector/export?\(query)")
                #expect(answer.status == 200)
                #expect(answer.fields.first(name: "content-disposition")?.hasPrefix("attachment; filename=") == true)
                return answer.text
            }
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    private func lines(_ text: String) throws -> [JSONObject] {
        try text.split(separator: "\n").map { try JSONObject(parsing: Array($0.utf8)) }
    }

    @Test("JSON Lines have an exchange a line, in the order of their numbers")
    func jsonLines() async throws {
        try await withFlows { _, export in
            let all = try lines(try await export("form=jsonl"))
            #expect(all.map { $0["number"] } == (1...7).map { .integer($0) })
            #expect(all.map { $0["flow"] } == [1, 1, 1, 1, 1, 6, 7])
        }
    }

    @Test(
        "A filter chooses whole flows that have an exchange like it",
        arguments: [
            ("flow=1", [1, 2, 3, 4, 5]), ("flow=2", []), ("client_id=app", [1, 2, 3, 4, 5]), ("client_id=ap", []),
            ("user=alice", [1, 2, 3, 4, 5]), ("user=bob", []), ("endpoint=jwks", [7]),
            ("endpoint=authorize", [1, 2, 3, 4, 5, 6]), ("refused=true", [6]), ("refused=true&endpoint=token", []),
            ("text=AUTHORIZATION_CODE", [1, 2, 3, 4, 5]), ("text=known+clients", [6]), ("text=%3Cscript", [6]),
            ("refused=false&text=", [1, 2, 3, 4, 5, 6, 7]),
        ]
    )
    func filter(query: String, numbers: [Int]) async throws {
        try await withFlows { _, export in
            let found = try lines(try await export("form=jsonl&\(query)"))
            #expect(found.compactMap { $0["number"]?.integer } == numbers)
        }
    }

    @Test("A HAR has the members that HTTP Archive 1.2 requires, a page for each flow, and no secret")
    func archive() async throws {
        try await withFlows { origin, export in
            let text = try await export("form=har")
            #expect(
                !text.contains(Fixtures.verifier) && !text.contains(Fixtures.password) && !text.contains("c2VjcmV0")
            )
            let log = try #require(try JSONObject(parsing: Array(text.utf8))["log"]?.object)
            #expect(log["version"] == "1.2")
            #expect(Set(log["creator"]?.object?.names ?? []) == ["name", "version"])
            let pages = try #require(log["pages"]?.array).compactMap(\.object)
            #expect(pages.map { $0["id"] } == ["flow 1", "flow 6", "flow 7"])
            for page in pages { #expect(Set(page.names) == ["startedDateTime", "id", "title", "pageTimings"]) }
            let entries = try #require(log["entries"]?.array).compactMap(\.object)
            #expect(entries.count == 7)
            for entry in entries {
                let required: Set = ["startedDateTime", "time", "request", "response", "cache", "timings"]
                #expect(required.isSubset(of: entry.names))
                #expect(entry["startedDateTime"]?.string?.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) == true)
                let request = try #require(entry["request"]?.object)
                let ofRequest: Set = [
                    "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
                ]
                #expect(ofRequest.isSubset(of: request.names))
                #expect(request["url"]?.string.flatMap(URL.init(string:)) != nil)
                let response = try #require(entry["response"]?.object)
                let ofResponse: Set = [
                    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                    "headersSize", "bodySize",
                ]
                #expect(ofResponse.isSubset(of: response.names))
                #expect(Set(["size", "mimeType"]).isSubset(of: response["content"]?.object?.names ?? []))
                #expect(entry["timings"] == ["send": 0, "wait": 0, "receive": 0])
            }
            let token = try #require(entries[4]["request"]?.object)
            #expect(token["url"] == .string("\(origin)/token"))
            let form = try #require(token["postData"]?.object)
            #expect(form["mimeType"] == "application/x-www-form-urlencoded")
            #expect(form["params"]?.array?.contains(["name": "code", "value": "[redacted]"]) == true)
            #expect(entries[0]["request"]?.object?["queryString"]?.array?.isEmpty == false)
            #expect(entries[5]["comment"]?.string?.hasPrefix("refused ") == true)
            #expect(
                entries[6]["request"]?.object?["headers"] == [["name": "Authorization", "value": "Basic [redacted]"]]
            )
        }
    }

    @Test("A Mermaid diagram has participants, messages and notes alone, whatever a client sends")
    func mermaid() async throws {
        try await withFlows { _, export in
            let text = try await export("form=mmd")
            let lines = text.split(separator: "\n").map(String.init)
            #expect(lines.first == "sequenceDiagram")
            let word = /([A-Za-z0-9 .\/_\-?=,()]|#[0-9]+;)+/
            let party = "(app|browser|provider|backend|resource)"
            let statement = try Regex(
                "^    (participant \(party) as [A-Z][a-z]+|\(party)-?->>\(party): .+|Note over provider: .+)$"
            )
            for line in lines.dropFirst() {
                #expect(line.wholeMatch(of: statement) != nil, "\(line)")
                let message = line.contains(": ") ? String(line.split(separator: ": ", maxSplits: 1)[1]) : "none"
                #expect(message.wholeMatch(of: word) != nil, "\(message)")
            }
            #expect(lines.contains("    browser->>provider: GET /authorize"))
            #expect(lines.contains("    app->>provider: POST /token"))
            #expect(
                lines.contains { $0.hasPrefix("    browser->>app: GET http#58;//127.0.0.1#58;49152/callback code, ") }
            )
            #expect(lines.contains { $0.hasPrefix("    Note over provider: refused#58; ") })
            #expect(lines.contains("    Note over provider: Flow 1, client app, user alice"))
        }
    }

    @Test("A curl command gives curl the values that the client sent, and variables in place of secrets")
    func curl() async throws {
        try await withFlows { origin, _ in
            var stream = try await EventStream("\(origin)/inspector/events")
            let commands = try await stream.exchanges(7).compactMap { $0["curl"]?.string }
            // `client_id` as the log shows it: a control character is escaped there.
            let shown = Self.hostile.replacing("\n", with: "\\u{a}")
            let words = try Self.words(commands[5])
            #expect(words.starts(with: ["curl", "--include", "--globoff", "--get", "\(origin)/authorize"]))
            #expect(words.contains("client_id=\(shown)") && words.contains("scope=\(shown)"))
            let token = try Self.words(commands[4], ["CODE": "the code", "CODE_VERIFIER": "$x"])
            #expect(token.starts(with: ["curl", "--include", "--globoff", "\(origin)/token", "--data-urlencode"]))
            #expect(token.contains("code=the code") && token.contains("code_verifier=$x"))
            #expect(token.contains("grant_type=authorization_code"))
            let keys = try Self.words(commands[6], ["CREDENTIALS": "a'b"])
            #expect(
                keys == ["curl", "--include", "--globoff", "\(origin)/jwks", "--header", "Authorization: Basic a'b"]
            )
        }
    }

    @Test("The command of a form with unknown parameters alone is still a POST")
    func otherMethods() async throws {
        try await withFlows { origin, _ in
            let form: HTTPHeaders = ["content-type": "application/x-www-form-urlencoded"]
            _ = try await RawHTTP.send(.POST, "\(origin)/token", fields: form, body: "foo=bar")
            _ = try await RawHTTP.send(.HEAD, "\(origin)/token?scope=a")
            _ = try await RawHTTP.send(.DELETE, "\(origin)/token?foo=bar&scope=a")
            var stream = try await EventStream("\(origin)/inspector/events")
            let commands = try await stream.exchanges(10).suffix(3).compactMap { $0["curl"]?.string }
            let words = try commands.map { Array(try Self.words($0).dropFirst(3)) }
            #expect(
                words == [
                    ["--request", "POST", "\(origin)/token"],
                    ["--get", "--head", "\(origin)/token", "--data-urlencode", "scope=a"],
                    ["--get", "--request", "DELETE", "\(origin)/token", "--data-urlencode", "scope=a"],
                ]
            )
        }
    }

    /// The host of a client, which takes a logout token or cannot be reached.
    private struct ClientHost: OutboundTransport {
        let isReachable: Bool

        func send(
            _ request: EndpointRequest,
            reach: OutboundReach
        ) async throws(OutboundFailure) -> EndpointResponse {
            guard isReachable else { throw .transport(.unreachable) }
            return EndpointResponse()
        }

        func wait(_ duration: Duration) async throws { throw CancellationError() }
    }

    @Test("Exports and commands have a logout token as a message from provider to client", arguments: [true, false])
    func logoutToken(isReachable: Bool) async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.inspector = .present
            configuration.outbound = ClientHost(isReachable: isReachable)
            configuration.clients[0].backChannelLogout = ClientLogout(try ClientURI("http://127.0.0.1:9/signed-out"))
            return try await Provider.forPeople(configuration)
        }
        do {
            var stream = try await EventStream("\(running.issuer)/inspector/events")
            var browser = Browser(running.issuer)
            let tokens = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
            let idToken = try SignIn.member("id_token", of: tokens)
            _ = try await browser.open("/end-session?id_token_hint=\(idToken)")
            let all = try await stream.exchanges(7)
            let delivery = try #require(all.first { $0["from"] == "provider" })
            #expect(delivery["to"] == "app" && delivery["flow"] == 1 && delivery["refused"] == .bool(!isReachable))
            #expect(delivery["status"] == (isReachable ? 200 : nil))
            #expect(
                delivery["curl"] == """
                    curl --include --globoff http://127.0.0.1:9/signed-out --data-urlencode "logout_token=$LOGOUT_TOKEN"
                    """
            )
            func export(_ query: String) async throws -> String {
                try await RawHTTP.send(.GET, "\(running.issuer)/inspector/export?\(query)").text
            }
            let diagram = try await export("form=mmd&text=127.0.0.1:9/signed").split(separator: "\n").map(String.init)
            #expect(diagram.contains("    provider->>app: POST http#58;//127.0.0.1#58;9/signed-out"))
            #expect(diagram.contains("    app-->>provider: " + (isReachable ? "200" : "no response")))
            let archive = try JSONObject(parsing: Array(try await export("form=har").utf8))
            let entries = archive["log"]?.object?["entries"]?.array?.compactMap(\.object) ?? []
            let entry = try #require(
                entries.first { entry in
                    entry["request"]?.object?["url"] == "http://127.0.0.1:9/signed-out"
                }
            )
            #expect(entry["response"]?.object?["status"] == (isReachable ? 200 : 0))
            let form = entry["request"]?.object?["postData"]?.object
            #expect(form?["params"] == [["name": "logout_token", "value": "[redacted]"]])
            #expect(try await export("form=jsonl&refused=true").isEmpty == isReachable)
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    /// The words that a shell makes of a command.
    private static func words(_ command: String, _ variables: [String: String] = [:]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "printf '%s\\0' " + command]
        process.environment = variables
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
            .dropLast()
            .map(String.init)
    }
}
