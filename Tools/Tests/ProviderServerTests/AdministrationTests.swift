import Foundation
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Administration over HTTP", .timeLimit(.minutes(2)))
struct AdministrationTests {
    private static let token = "a-token-of-the-administration"

    private func withProvider(
        storage: any ProviderStorage = MemoryProviderStorage(),
        _ body: (RunningProvider) async throws -> Void
    ) async throws {
        let running = try await ProviderServer.start { issuer in
            var configuration = try Fixtures.configuration(issuer)
            configuration.administrationToken = SecretDigest(of: Secret(Self.token))
            configuration.registration = .open
            return try await Provider.forPeople(configuration, storage: storage)
        }
        do { try await body(running) } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    private func send(
        _ running: RunningProvider,
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        token: String? = token
    ) async throws -> RawAnswer {
        var fields: HTTPHeaders = [:]
        if let token { fields.add(name: "Authorization", value: "Bearer \(token)") }
        if body != nil { fields.add(name: "Content-Type", value: "application/json") }
        return try await RawHTTP.send(method, "\(running.issuer)/admin\(path)", fields: fields, body: body)
    }

    /// The OpenAPI document of the administration.
    private static func document() throws -> JSONObject {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        return try JSONObject(parsing: Array(try Data(contentsOf: root.appending(path: "docs/provider-admin.json"))))
    }

    /// The operations of the document: path, method and the statuses of the responses.
    private static func operations() throws -> [(path: String, method: String, statuses: Set<String>)] {
        let paths = try #require(try document()["paths"]?.object)
        return paths.members.flatMap { path in
            (path.value.object?.members ?? []).compactMap { member in
                guard member.name != "parameters", let responses = member.value.object?["responses"]?.object else {
                    return nil
                }
                return (path.name, member.name.uppercased(), Set(responses.names))
            }
        }
    }

    @Test(
        "An operation of the OpenAPI document responds with a status that the document has, and 401 without the token"
    )
    func documented() async throws {
        try await withProvider { running in
            let operations = try Self.operations()
            #expect(operations.count == 26)
            for operation in operations {
                let path = operation.path.replacing(/\{[a-z]+\}/, with: "nobody")
                let method = HTTPMethod(rawValue: operation.method)
                let body = ["PUT", "POST", "PATCH"].contains(operation.method) ? "{}" : nil
                let answer = try await send(running, method, path, body)
                #expect(operation.statuses.contains(String(answer.status)), "\(operation.method) \(path)")
                let refused = try await send(running, method, path, body, token: nil)
                #expect(refused.status == 401 && operation.statuses.contains("401"))
            }
        }
    }

    @Test("A method that the OpenAPI document lacks is 405", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func undocumented(method: String) async throws {
        let operations = try Self.operations()
        let documented = Set(operations.filter { $0.method == method }.map(\.path))
        try await withProvider { running in
            for path in Set(operations.map(\.path)).subtracting(documented) {
                let place = path.replacing(/\{[a-z]+\}/, with: "nobody")
                let answer = try await send(running, HTTPMethod(rawValue: method), place, "{}")
                #expect(answer.status == 405, "\(method) \(path)")
            }
        }
    }

    @Test("Users, clients, sessions, keys and faults are changed over HTTP, and the members are those of the document")
    func changes() async throws {
        let schemas = try #require(try Self.document()["components"]?.object?["schemas"]?.object)
        func members(_ schema: String) -> Set<String> {
            Set(schemas[schema]?.object?["properties"]?.object?.names ?? [])
        }
        try await withProvider { running in
            var browser = Browser(running.issuer)
            _ = try await SignIn.redeem(try await SignIn.code(&browser), at: running.issuer)
            #expect(try await send(running, .PUT, "/users/carol", #"{"password": "secret"}"#).status == 201)
            let client = #"{"redirect_uris": ["http://127.0.0.1/cb"]}"#
            #expect(try await send(running, .POST, "/clients", client).status == 201)
            let lists = [
                ("users", "User", 2), ("clients", "Client", 3), ("sessions", "Session", 1),
            ]
            for (name, schema, count) in lists {
                let answer = try await send(running, .GET, "/\(name)")
                let list = try #require(try JSONObject(parsing: Array(answer.text.utf8))[name]?.array)
                #expect(answer.status == 200 && list.count == count)
                #expect(list.allSatisfy { Set($0.object?.names ?? []).isSubset(of: members(schema)) })
            }
            #expect(try await send(running, .DELETE, "/sessions").status == 204)
            let silent = try await browser.open(SignIn.location(["prompt": "none"]))
            #expect(silent.fields.first(name: "location")?.contains("login_required") == true)
            #expect(try await send(running, .POST, "/keys").text.contains(#""signs":false"#))
            #expect(try await send(running, .PUT, "/scenarios", #"{"turns": ["jwks:1=status-503"]}"#).status == 200)
            #expect(try await RawHTTP.send(.GET, "\(running.issuer)/jwks").status == 503)
            #expect(try await RawHTTP.send(.GET, "\(running.issuer)/jwks").status == 200)
        }
    }

    @Test("A recorded request, the settings and the clock have the members of the OpenAPI document")
    func requests() async throws {
        let schemas = try #require(try Self.document()["components"]?.object?["schemas"]?.object)
        func members(_ schema: String) throws -> (all: Set<String>, required: Set<String>) {
            let object = try #require(schemas[schema]?.object)
            let required = object["required"]?.array?.compactMap(\.string) ?? []
            return (Set(object["properties"]?.object?.names ?? []), Set(required))
        }
        func check(_ object: JSONObject, _ schema: String) throws {
            let (all, required) = try members(schema)
            let names = Set(object.names)
            #expect(names.isSubset(of: all) && names.isSuperset(of: required), "\(schema)")
        }
        try await withProvider { running in
            for (path, schema) in [("/settings", "Settings"), ("/clock", "Clock")] {
                let answer = try await send(running, .GET, path)
                try check(try JSONObject(parsing: Array(answer.text.utf8)), schema)
            }
            _ = try await RawHTTP.send(.POST, "\(running.issuer)/token")
            _ = try await RawHTTP.send(.HEAD, "\(running.issuer)/jwks")
            let answer = try await send(running, .GET, "/requests")
            let list = try #require(try JSONObject(parsing: Array(answer.text.utf8))["requests"]?.array)
            #expect(list.map { $0.object?["endpoint"] } == ["token", "jwks"])
            for entry in list { try check(try #require(entry.object), "Request") }
            let refused = try await send(running, .GET, "/requests?endpoint=token&refused=true")
            #expect(refused.text.contains("\"number\":1"))
        }
    }

    @Test("A snapshot larger than any other body is restored over HTTP with the token, and not read without it")
    func snapshot() async throws {
        try await withProvider { running in
            for number in 0..<4 {
                let claims = #"{"password": "p", "claims": {"text": "\#(String(repeating: "a", count: 50_000))"}}"#
                #expect(try await send(running, .PUT, "/users/user\(number)", claims).status == 201)
            }
            let taken = try await send(running, .GET, "/snapshot")
            #expect(taken.status == 200 && taken.text.utf8.count > 200_000)
            #expect(taken.fields["cache-control"] == ["no-store"])
            #expect(try await send(running, .POST, "/reset").status == 204)
            #expect(try await send(running, .PUT, "/snapshot", taken.text, token: nil).status == 413)
            #expect(try await send(running, .PUT, "/snapshot", taken.text).status == 204)
            #expect(try await send(running, .GET, "/users/user3").status == 200)
            #expect(try await send(running, .PUT, "/settings", taken.text).status == 413)
        }
    }

    /// Objects in one another.
    private static func nested(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    @Test("A registration as deep as a body may be is kept by the file store, listed and reset")
    func deepRegistration() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let storage = try SQLiteProviderStorage(path: folder + "/provider.sqlite")
            try await withProvider(storage: storage) { running in
                let keys = try await RawHTTP.send(.GET, "\(running.issuer)/jwks").text
                let key = try #require(try JSONObject(parsing: Array(keys.utf8))["keys"]?.array?.first?.object)
                let text = String(decoding: key.encoded(), as: UTF8.self).dropLast()
                func register(_ depth: Int) async throws -> RawAnswer {
                    let keys = #"{"keys": [\#(text), "more": \#(Self.nested(depth))}]}"#
                    return try await RawHTTP.send(
                        .POST,
                        "\(running.issuer)/register",
                        fields: ["Content-Type": "application/json"],
                        body: #"{"redirect_uris": ["http://127.0.0.1/cb"], "jwks": \#(keys)}"#
                    )
                }
                #expect(try await register(13).status == 400)
                let registered = try await register(12)
                #expect(registered.status == 201)
                let id = try SignIn.member("client_id", of: registered)
                let clients = try await send(running, .GET, "/clients")
                #expect(clients.status == 200 && clients.text.contains(id))
                #expect(try await send(running, .GET, "/snapshot").status == 200)
                #expect(try await send(running, .POST, "/reset").status == 204)
                #expect(try await !send(running, .GET, "/clients").text.contains(id))
            }
        }
    }

    @Test("A restored record as deep as a snapshot may be is kept by the file store, and nothing fails after it")
    func deepSnapshot() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let storage = try SQLiteProviderStorage(path: folder + "/provider.sqlite")
            try await withProvider(storage: storage) { running in
                let taken = try JSONObject(parsing: Array(try await send(running, .GET, "/snapshot").text.utf8))
                func restore(_ depth: Int) async throws -> Int {
                    var snapshot = taken
                    snapshot["records"] = ["deep"]
                    let record = #"{"kind":"consent","key":"a","value":\#(Self.nested(depth))}"#
                    let text = String(decoding: snapshot.encoded(), as: UTF8.self)
                    return try await send(running, .PUT, "/snapshot", text.replacing("\"deep\"", with: record)).status
                }
                #expect(try await restore(62) == 400)
                #expect(try await restore(61) == 204)
                #expect(try await send(running, .GET, "/snapshot").text.contains(Self.nested(61)))
                #expect(try await send(running, .DELETE, "/users/alice").status == 204)
                #expect(try await send(running, .POST, "/reset").status == 204)
            }
        }
    }

    @Test("The endpoints and rules of the OpenAPI document are those of the provider")
    func names() throws {
        let document = try Self.document()
        let parameters = document["paths"]?.object?["/requests"]?.object?["get"]?.object?["parameters"]?.array
        let endpoint = parameters?.first { $0.object?["name"] == "endpoint" }?.object?["schema"]?.object?["enum"]?.array
        #expect(endpoint?.compactMap(\.string) == Route.allCases.map(\.name))
        let schemas = try #require(document["components"]?.object?["schemas"]?.object)
        let change = try #require(schemas["SettingsChange"]?.object?["properties"]?.object)
        let rules = change["rules"]?.object?["enum"]?.array?.compactMap(\.string)
        #expect(rules == ProviderRules.all.map(\.name))
        let allowed = change["allow"]?.object?["items"]?.object?["enum"]?.array?.compactMap(\.string)
        #expect(Set(allowed ?? []) == Set(ProviderRule.allCases.filter { $0.lenientRules != nil }.map(\.rawValue)))
        let lifetimes = try #require(change["lifetimes"]?.object?["properties"]?.object)
        #expect(lifetimes.names == ProviderConfiguration.Lifetimes.names)
        for name in lifetimes.names {
            let range = ProviderConfiguration.Lifetimes.seconds(of: name)
            #expect(lifetimes[name]?.object?["minimum"]?.integer == range.lowerBound)
            #expect(lifetimes[name]?.object?["maximum"]?.integer == range.upperBound)
        }
    }

    @Test("A HEAD request counts once in the turns of scenarios")
    func head() async throws {
        try await withProvider { running in
            let set = try await send(running, .PUT, "/scenarios", #"{"turns": ["jwks:2=status-503"]}"#)
            #expect(set.status == 200)
            var statuses: [Int] = []
            for method in [HTTPMethod.HEAD, .HEAD, .GET] {
                let answer = try await RawHTTP.send(method, "\(running.issuer)/jwks")
                statuses.append(Int(answer.status))
            }
            #expect(statuses == [200, 503, 200])
        }
    }

    @Test("The administration is not there for a host name that an attacker's page may have pointed to this machine")
    func hostName() async throws {
        try await withProvider { running in
            let fields: HTTPHeaders = ["Authorization": "Bearer \(Self.token)", "Host": "attacker.example"]
            let answer = try await RawHTTP.send(.GET, "http://127.0.0.1:\(running.port)/admin/users", fields: fields)
            #expect(answer.status == 421)
        }
    }
}
