import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import ProviderServer
import Testing

/// One at a time: each derives passwords at their full cost, and several at once on a busy machine outlast a request's deadline.
@Suite("Front doors at the terminal", .fewAtOnce, .serialized)
struct FrontDoorTranscripts {
    /// A provider that speaks a dialect, and where a user's sign-ins are kept meanwhile.
    private struct Stage: Sendable {
        let tool: CommandLineTool
        let folder: TemporaryFolder
        let origin: String
        let issuer: String
        let clientID: String
        let user: String
        let password: String

        func run(_ arguments: [String]) async throws -> JSONObject {
            try await tool.run(arguments + ["--store", "file:\(folder.path("store"))", "--json"]).json()
        }

        /// The reason a command failed.
        func refusal(of arguments: [String]) async throws -> String? {
            try await run(arguments)["error"]?.object?["reason"]?.string
        }

        /// Options that sign the user in without one.
        var person: [String] {
            get throws {
                [
                    "--user-agent", "http", "--http-user", user, "--http-password-file",
                    try folder.secretFile("password", password),
                ]
            }
        }
    }

    private func with(_ system: String, port: String = "0", _ act: @escaping @Sendable (Stage) async throws -> Void)
        async throws
    {
        let tool = CommandLineTool()
        let served = try await tool.run(["idp", "serve", "--dialect", system, "--port", port, "--json"]) { line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)),
                let dialect = object["dialects"]?.object?[system]?.object
            else { return .none }
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await act(
                Stage(
                    tool: tool,
                    folder: folder,
                    origin: dialect["origin"]?.string ?? "",
                    issuer: dialect["issuer"]?.string ?? "",
                    clientID: dialect["clientID"]?.string ?? "",
                    user: dialect["user"]?.string ?? "",
                    password: object["password"]?.string ?? ""
                )
            )
            return .interrupt
        }
        #expect(served.status == 0)
    }

    @Test(
        "Every demo completes its scenario and exits with 0",
        arguments: ["curity", "logi", "logto", "ssafy", "zephr"]
    )
    func demo(system: String) async throws {
        let demo = try await CommandLineTool().run(["demo", "--system", system])
        #expect(demo.status == 0 && demo.error.isEmpty)
        #expect(demo.output.hasPrefix(" 1. The development provider speaks \(system) at http://127.0.0.1:"))
        #expect(demo.output.hasSuffix("\nEverything worked.\n"))
    }

    @Test("The logi commands sign in, print claims and tokens, make a device key, and disconnect")
    func logi() async throws {
        try await with("logi") { stage in
            let login = ["logi", "login", "--issuer", stage.issuer, "--client-id", stage.clientID]
            let scope = ["--scope", "openid profile:basic email profile:write"]
            #expect(try await stage.run(login + scope + stage.person)["ok"] == true)
            #expect(try await stage.run(["logi", "claims"])["account"] == "8c1f0a52-mina")
            let first = try await stage.run(["logi", "token"])["accessToken"]
            let second = try await stage.run(["logi", "token"])["accessToken"]
            let renewed = try await stage.run(["logi", "token", "--renew"])["accessToken"]
            #expect(first != nil && first == second && first != renewed)
            #expect(try await stage.run(["logi", "device-key"])["key"]?.string?.isEmpty == false)
            #expect(try await stage.run(["logi", "disconnect"])["disconnected"] == true)
            #expect(try await stage.refusal(of: ["logi", "claims"]) == "signInRequired")
        }
    }

    @Test("The logi logout ends the session and revokes its tokens")
    func logiLogout() async throws {
        try await with("logi") { stage in
            let login = ["logi", "login", "--issuer", stage.issuer, "--client-id", stage.clientID]
            let signedIn = try await stage.run(login + stage.person)
            #expect(signedIn["ok"] == true)
            #expect(try await stage.run(["logi", "logout"])["revocation"] == .null)
            #expect(try await stage.refusal(of: ["logi", "token"]) == "signInRequired")
        }
    }

    @Test("The Logto commands sign in, print claims and tokens for an API and an organization, and sign out")
    func logto() async throws {
        try await with("logto") { stage in
            let api = "https://shopping.your-app.com/api"
            let login = [
                "logto", "login", "--endpoint", stage.origin, "--app-id", stage.clientID, "--scope",
                "email urn:logto:scope:organizations", "--resource", api,
            ]
            #expect(try await stage.run(login + stage.person)["ok"] == true)
            #expect(try await stage.run(["logto", "claims"])["claims"]?.object?["email"] == "alice@example.com")
            #expect(try await stage.run(["logto", "userinfo"])["claims"]?.object?["username"] == "alice")
            let plain = try await stage.run(["logto", "token"])["accessToken"]
            let forAPI = try await stage.run(["logto", "token", "--resource", api])["accessToken"]
            let forAcme = try await stage.run(["logto", "token", "--organization", "acme"])["accessToken"]
            #expect(Set([plain, forAPI, forAcme]).count == 3)
            let closed = try await stage.run(["logto", "token", "--organization", "vault"])
            #expect(closed["error"]?.object?["code"] == "access_denied")
            let logout = ["logto", "logout", "--redirect-uri", "http://127.0.0.1/callback"]
            #expect(try await stage.run(logout + stage.person)["endedProviderSession"] == true)
        }
    }

    @Test("The Curity commands register, sign in, renew credentials, sign out and forget")
    func curity() async throws {
        try await with("curity") { stage in
            let registered = try await stage.run(["curity", "register", "--issuer", stage.issuer])
            #expect(registered["clientID"]?.string?.isEmpty == false)
            #expect(try await stage.run(["curity", "login"] + stage.person)["ok"] == true)
            #expect(try await stage.run(["curity", "claims"])["claims"]?.object?["sub"] == "user-alice")
            #expect(try await stage.run(["curity", "renew"])["clientID"] == registered["clientID"])
            #expect(try await stage.run(["curity", "token", "--renew"])["accessToken"]?.string?.isEmpty == false)
            #expect(try await stage.run(["curity", "logout"] + stage.person)["revocation"] == .null)
            #expect(try await stage.run(["curity", "forget"])["forgotten"] == true)
        }
    }

    @Test("Curity's registration request has the file's members and the requested user consent")
    func curityMetadata() async throws {
        try await TestSystem.running(.curity) { stage in
            let file = try stage.file("client.json", #"{"client_name":"Bank","refresh_token_ttl":7200}"#)
            let register = ["curity", "register", "--issuer", stage.issuer]
            let registered = try await stage.tool.run(register + ["--requires-consent", "--metadata", file])
            #expect(registered.status == 0)
            let request = try JSONObject(parsing: try #require(stage.posts(to: "/oauth-registration").first).body)
            #expect(request["requires_consent"] == true && request["refresh_token_ttl"] == 7200)
            #expect(request["client_name"] == "Bank" && request["scope"] == "openid profile")
            // The user's consent page is answered by the user agent that fills forms.
            #expect(try await stage.tool.run(["curity", "login"] + stage.person).status == 0)
        }
    }

    @Test("Curity's registration file is refused when it conflicts, is no object, or comes with a template")
    func curityMetadataRefused() async throws {
        try await TestSystem.running(.curity) { stage in
            let register = ["curity", "register", "--issuer", stage.issuer]
            let own = try stage.file("own.json", #"{"redirect_uris":["https://elsewhere.example/"]}"#)
            let refused = try await stage.tool.run(register + ["--metadata", own])
            #expect(refused.status == 3)
            #expect(refused.error.contains("redirect_uris follows from the configuration"))
            let list = try stage.file("list.json", "[]")
            let unread = try await stage.tool.run(register + ["--metadata", list])
            #expect(unread.status == 2 && unread.error.contains("does not hold one JSON object"))
            let template = try await stage.tool.run(register + ["--template", "t", "--requires-consent"])
            #expect(template.status == 2 && template.error.contains("cannot be used with --template"))
            #expect(stage.posts(to: "/oauth-registration").isEmpty)
        }
    }

    @Test("Curity's registration gets its initial access token with a client secret, or by a user sign-in")
    func curityInitialAccess() async throws {
        try await TestSystem.running(.curity) { stage in
            let secret = try stage.file("secret", stage.backendSecret)
            let register = ["curity", "register", "--issuer", stage.issuer]
            let service = ["--initial-access-client", "dcr-service", "--initial-access-secret-file", secret]
            #expect(try await stage.tool.run(register + service).status == 0)
            let person = try stage.person + ["--profile", "mine"]
            let tied = try await stage.tool.run(register + ["--sign-in-client", "mobile-dcr-client"] + person)
            #expect(tied.status == 0)
            let tokens = stage.posts(to: "/oauth-registration").map { $0.fields[.authorization] ?? "" }
            #expect(tokens.count == 2 && tokens.allSatisfy { $0.hasPrefix("Bearer ") } && Set(tokens).count == 2)
            let alone = try await stage.tool.run(register + service.prefix(2))
            #expect(alone.status == 2 && alone.error.contains("go together"))
            let both = try await stage.tool.run(register + service + ["--sign-in-client", "mobile-dcr-client"])
            #expect(both.status == 2 && both.error.contains("Use one of"))
        }
    }

    @Test("SSAFY Verify's command fails with a status when the backend does not respond")
    func ssafy() async throws {
        try await with("ssafy") { stage in
            let verify = [
                "ssafy", "verify", "--client-id", stage.clientID, "--issuer", stage.issuer, "--backend",
                stage.origin + "/no-backend", "--json",
            ]
            let answer = try await stage.tool.run(verify + stage.person)
            #expect(answer.status == 8)
            #expect(try answer.json()["ok"] == false)
        }
    }

    @Test("The Zephr commands sign a reader in, call the site, and end the session")
    func zephr() async throws {
        try await with("zephr") { stage in
            let login = [
                "zephr", "login", "--site", stage.origin, "--redirect-uri", "http://127.0.0.1:8456/callback",
            ]
            #expect(try await stage.run(login + stage.person)["emailAddress"] == "ada@reader.example")
            #expect(try await stage.run(["zephr", "account"])["emailAddress"] == "ada@reader.example")
            let entitlements = try await stage.run(["zephr", "entitlements", "premium", "other"])["entitlements"]
            #expect(entitlements == ["premium": true, "other": false])
            #expect(try await stage.run(["zephr", "profile"])["ok"] == true)
            #expect(try await stage.run(["zephr", "logout"])["siteFailure"] == .null)
            #expect(try await stage.refusal(of: ["zephr", "account"]) == "signInRequired")
        }
    }

    /// A site whose sign-in begins on a page of a host of its own.
    private func site(pageAt host: String) throws -> LoopbackServer {
        try LoopbackServer { request in
            let path = request.target.prefix { $0 != "?" }
            let json = ["Content-Type: application/json"]
            if path.hasSuffix("/oauth/club") {
                return .response(200, json, body: #"{"location":"https://\#(host)/authorize?state=1"}"#)
            }
            guard path.hasSuffix("/account"), request.values(of: "Cookie") == ["blaize_session=s-1"] else {
                return .response(404)
            }
            let account = #"{"identifiers":{"email_address":"ada@reader.example"},"tracking_id":"t-1"}"#
            return .response(200, json, body: account)
        }
    }

    @Test(
        "Zephr's command opens a page on a host that --page-host names, or below it",
        arguments: ["club.example", "id.club.example"]
    )
    func zephrPageHost(host: String) async throws {
        let server = try site(pageAt: host)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let callback = "http://127.0.0.1:8456/callback"
        let answer = try await CommandLineTool().run(
            [
                "zephr", "login", "--site", "http://127.0.0.1:\(server.port)", "--redirect-uri", callback, "--provider",
                "club", "--page-host", "club.example", "--user-agent", "manual", "--store",
                "file:\(folder.path("store"))", "--json",
            ],
            reaction: { line in
                guard line == "https://\(host)/authorize?state=1" else { return .none }
                return .type("\(callback)?action=login&status=success&tracking_id=t-1&session_id=s-1")
            }
        )
        #expect(answer.status == 0)
        #expect(try answer.json()["emailAddress"] == "ada@reader.example")
        server.stop()
    }

    @Test(
        "Zephr's command does not open a page on a host that --page-host does not name",
        arguments: [[], ["--page-host", "other.example"], ["--page-host", "ub.example"]]
    )
    func zephrOtherHost(option: [String]) async throws {
        let server = try site(pageAt: "club.example")
        let answer = try await CommandLineTool().run(
            [
                "zephr", "login", "--site", "http://127.0.0.1:\(server.port)", "--redirect-uri",
                "http://127.0.0.1:8456/callback", "--provider", "club", "--user-agent", "manual", "--store", "memory",
                "--json",
            ] + option
        )
        #expect(answer.status == 7 && answer.error.isEmpty)
        let failure = try answer.json()["error"]?.object
        #expect(failure?["reason"] == "untrustedPage")
        server.stop()
    }

    /// The first sign-in at a system; `ISSUER`, `ORIGIN` and `CLIENT` stand for the system's own.
    static let signIns: [(VendorSystem, [[String]])] = [
        (.logi, [["logi", "login", "--issuer", "ISSUER", "--client-id", "CLIENT"]]),
        (.logto, [["logto", "login", "--endpoint", "ORIGIN", "--app-id", "CLIENT"]]),
        (.curity, [["curity", "register", "--issuer", "ISSUER"], ["curity", "login"]]),
        (.zephr, [["zephr", "login", "--site", "ORIGIN", "--redirect-uri", DevelopmentSystem.siteRedirectURI]]),
    ]

    @Test(
        "A second logout reports that the profile is signed out, and the printed login signs in again",
        arguments: signIns
    )
    func logoutTwice(system: VendorSystem, commands: [[String]]) async throws {
        try await TestSystem.running(system) { stage in
            let values = ["ISSUER": stage.issuer, "ORIGIN": stage.origin, "CLIENT": stage.clientID]
            let place = ["--profile", "work"]
            let person = try stage.person
            for command in commands {
                let pages = command[1] == "login" ? person : []
                #expect(try await stage.tool.run(command.map { values[$0] ?? $0 } + place + pages).status == 0)
            }
            let logout = [system.rawValue, "logout"] + place
            let pages = system == .curity ? person : []
            #expect(try await stage.tool.run(logout + pages).output.hasPrefix("Signed out"))
            let again = try await stage.tool.run(logout)
            #expect(again.status == 0 && again.output == "Already signed out (profile \"work\").\n")
            let json = try await stage.tool.run(logout + ["--json"]).json()
            #expect(json["ok"] == true && json.names.count > 1)

            let other = system == .zephr ? "account" : "claims"
            let refused = try await stage.tool.run([system.rawValue, other] + place)
            #expect(refused.status == 6)
            let line = try #require(refused.error.components(separatedBy: "Run: ").last?.split(separator: "\n").first)
            #expect(line == "ostiary \(system.rawValue) login --profile work")
            let words = (line.split(separator: " ").map(String.init) + person).map { "'\($0)'" }
            #expect(try await stage.tool.runInShell(words.joined(separator: " ")).status == 0)
            #expect(try await stage.tool.run([system.rawValue, other] + place).status == 0)
        }
    }

    @Test(
        "A first sign-in through a front door names the options that it needs",
        arguments: [
            (["logi", "login"], "A sign-in through logi needs --client-id: the profile default has no earlier one."),
            (
                ["logto", "login"],
                "A sign-in through logto needs --endpoint and --app-id: the profile default has no earlier one."
            ),
            (["logto", "login", "--endpoint", "https://a.example"], "A sign-in through logto needs --app-id."),
            (
                ["zephr", "login"],
                "A sign-in through zephr needs --site and --redirect-uri: the profile default has no earlier one."
            ),
        ]
    )
    func neededOptions(arguments: [String], message: String) async throws {
        let transcript = try await CommandLineTool().run(arguments + ["--store", "memory"])
        #expect(transcript.status == 2 && transcript.error == "ostiary: \(message)\n")
    }

    @Test("A dialect of the provider rejects options for users, configuration and store")
    func usage() async throws {
        for extra in [["--user", "bob"], ["--config", "file.json"], ["--store", "file:x.sqlite"]] {
            let served = try await CommandLineTool().run(["idp", "serve", "--dialect", "logi"] + extra)
            #expect(served.status == 2)
        }
        #expect(try await CommandLineTool().run(["idp", "serve", "--dialect", "nobody"]).status == 2)
    }
}
