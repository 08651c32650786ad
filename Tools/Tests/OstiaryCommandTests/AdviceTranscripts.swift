import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization
import Testing

/// Each test brings about a message, and pastes the command that it prints into a shell.
@Suite("Commands that messages print", .fewAtOnce)
struct AdviceTranscripts {
    /// The command at the end of the line that has a phrase.
    private func command(
        after phrase: String,
        in text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let line = try #require(
            text.split(separator: "\n").last { $0.contains(phrase) },
            sourceLocation: sourceLocation
        )
        return String(try #require(line.components(separatedBy: phrase).last, sourceLocation: sourceLocation))
    }

    /// Options that sign the user in, as a shell takes them.
    private func person(_ provider: TestProvider) throws -> String {
        try provider.login().drop { $0 != "--user-agent" }.map { "'\($0)'" }.joined(separator: " ")
    }

    @Test("A session without an ID token names the login that brings one")
    func identity() async throws {
        try await TestProvider.running { provider in
            let tool = provider.tool
            #expect(
                try await tool.run(try provider.login("--scope", "offline_access", "--profile", "work")).status == 0
            )
            let token = try await tool.run(["token", "--id-token", "--profile", "work"])
            #expect(token.status == 3)
            let line = try command(after: "Run: ", in: token.error)
            #expect(line == "ostiary login --profile work --scope openid")
            #expect(try await tool.runInShell(line + " " + person(provider)).status == 0)
            let again = try await tool.run(["token", "--id-token", "--profile", "work"], printing: .onPurpose)
            #expect(again.status == 0)
        }
    }

    @Test("An expired session without a refresh token names the login that replaces it")
    func expired() async throws {
        try await TestProvider.running(lifetimes: .init(accessToken: .seconds(1))) { provider in
            let tool = provider.tool
            let login = try provider.login("--scope", "openid", "--profile", "work")
            #expect(try await tool.run(login).status == 0)
            var status = try await tool.run(["status", "--profile", "work"])
            for _ in 0..<100 where status.status == 0 { status = try await tool.run(["status", "--profile", "work"]) }
            #expect(status.status == 6 && status.error.contains("The session of profile \"work\" expired at 20"))
            let line = try command(after: "Run: ", in: status.error)
            #expect(line == "ostiary login --profile work")
            #expect(try await tool.runInShell(line + " " + person(provider)).status == 0)
        }
    }

    @Test("A revoked access token without a refresh token names the login that replaces it")
    func revoked() async throws {
        try await TestProvider.running { provider in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login("--scope", "openid")).status == 0)
            #expect(try await tool.run(["revoke"]).status == 0)
            let token = try await tool.run(["token"])
            #expect(token.status == 6 && token.error.contains("was revoked, and there is no refresh token."))
            #expect(
                try await tool.runInShell(try command(after: "Run: ", in: token.error) + " " + person(provider)).status
                    == 0
            )
            #expect(try await tool.run(["token"], printing: .onPurpose).status == 0)
        }
    }

    @Test("A token that the UserInfo endpoint refuses names the refresh of its profile and store")
    func refused() async throws {
        try await TestProvider.running({ scenario in
            scenario.response = { request, response in
                guard request.path == "/userinfo" else { return }
                response.status = .unauthorized
                response.fields = [.wwwAuthenticate: #"Bearer error="invalid_token""#]
            }
        }) { provider in
            let tool = provider.tool
            let place = ["--profile", "work", "--store", "file:\(provider.folder.path("a store"))"]
            #expect(try await tool.run(try provider.login() + place).status == 0)
            let user = try await tool.run(["userinfo"] + place)
            #expect(user.status == 8)
            let line = try command(after: "Get a new token: ", in: user.error)
            #expect(
                line == "ostiary refresh --profile work --store 'file:\(provider.folder.path("a store"))'"
            )
            #expect(try await tool.runInShell(line).status == 0)
        }
    }

    @Test("A damaged profile names the command that forgets it, in its store")
    func damaged() async throws {
        try await TestProvider.running { provider in
            let tool = provider.tool
            let folder = provider.folder.path("store")
            let place = ["--profile", "work", "--store", "file:\(folder)"]
            #expect(try await tool.run(try provider.login() + place).status == 0)
            #expect(try await tool.run(try provider.login() + place.map { $0 == "work" ? "other" : $0 }).status == 0)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".sealed") {
                let file = URL(filePath: folder + "/" + name)
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
            let token = try await tool.run(["token"] + place)
            #expect(token.status == 10)
            let line = try command(after: "Forget the profile: ", in: token.error)
            #expect(line == "ostiary sessions remove --profile work --store file:\(folder)")
            #expect(try await tool.runInShell(line).status == 0)
            let list = try await tool.run(["sessions", "list", "--store", "file:\(folder)"])
            let removal = try command(after: "To remove those of a profile, run: ", in: list.output)
            #expect(removal == "ostiary sessions remove --profile NAME --store file:\(folder)")
            #expect(try await tool.runInShell(removal.replacing("NAME", with: "other")).status == 0)
            let all = try command(after: "To remove all of them, run: ", in: list.output)
            #expect(all == "ostiary sessions remove --unreadable --store file:\(folder)")
            #expect(try await tool.runInShell(all).status == 0)
            let rest = try await tool.run(["sessions", "list", "--store", "file:\(folder)"])
            #expect(rest.output == "No profiles.\n")
        }
    }

    @Test("A profile with a registered client names the deletion, and one without names the registration")
    func registration() async throws {
        try await TestProvider.running(configuring: { $0.registration = .open }) { provider in
            let tool = provider.tool
            let register = ["register", "--issuer", provider.issuer, "--profile", "work"]
            let read = try await tool.run(["register", "read", "--profile", "work"])
            let first = try command(after: "Run: ", in: read.error)
            #expect(first == "ostiary register --issuer URL --profile work")
            #expect(try await tool.runInShell(first.replacing("URL", with: provider.issuer)).status == 0)
            let second = try await tool.run(register)
            #expect(second.status == 2)
            let deletion = try command(after: "or run: ", in: second.error)
            #expect(deletion == "ostiary register delete --profile work")
            #expect(try await tool.runInShell(deletion).status == 0)
            let login = try await tool.run(["login", "--profile", "work"])
            let other = try String(command(after: "Or create one: ", in: login.error).dropLast())
            #expect(try await tool.runInShell(other.replacing("URL", with: provider.issuer)).status == 0)
        }
    }

    @Test("A profile that is signed in through a front door names the command of that front door")
    func frontDoor() async throws {
        try await TestSystem.running(.logi) { stage in
            let login = ["logi", "login", "--issuer", stage.issuer, "--client-id", stage.clientID, "--profile", "work"]
            #expect(try await stage.tool.run(login + stage.person).status == 0)
            let token = try await stage.tool.run(["token", "--profile", "work"])
            #expect(token.status == 6)
            #expect(token.error.contains("The profile \"work\" is signed in through the front door logi."))
            let line = try command(after: "Run: ", in: token.error)
            #expect(line == "ostiary logi token --profile work")
            #expect(try await stage.tool.runInShell(line).status == 0)
            let user = try await stage.tool.run(["userinfo", "--profile", "work"])
            #expect(try await stage.tool.runInShell(try command(after: "Run: ", in: user.error)).status == 0)
        }
    }

    @Test("A sign-in with logi that cannot disconnect names the login whose session can")
    func disconnecting() async throws {
        try await TestSystem.running(.logi) { stage in
            let login = ["logi", "login", "--issuer", stage.issuer, "--client-id", stage.clientID]
            #expect(try await stage.tool.run(login + stage.person).status == 0)
            let refused = try await stage.tool.run(["logi", "disconnect"])
            #expect(refused.status == 3)
            let person = try stage.person.map { "'\($0)'" }.joined(separator: " ")
            let line = try command(after: "Run: ", in: refused.error)
            #expect(try await stage.tool.runInShell(line + " " + person).status == 0)
            #expect(try await stage.tool.run(["logi", "disconnect"]).status == 0)
        }
    }

    @Test("A site that has ended the reader's session makes Zephr's command name the login that replaces it")
    func endedBySite() async throws {
        let hasEnded = Mutex(false)
        try await TestSystem.running(
            .zephr,
            changing: { request, response in
                if request.path.hasSuffix("/account"), hasEnded.withLock({ $0 }) { response.status = .unauthorized }
            }
        ) { stage in
            let login = ["zephr", "login", "--site", stage.origin, "--redirect-uri", DevelopmentSystem.siteRedirectURI]
            #expect(try await stage.tool.run(login + stage.person + ["--profile", "work"]).status == 0)
            hasEnded.withLock { $0 = true }
            let account = try await stage.tool.run(["zephr", "account", "--profile", "work"])
            #expect(account.status == 6)
            hasEnded.withLock { $0 = false }
            let line = try command(after: "Run: ", in: account.error)
            #expect(line == "ostiary zephr login --profile work")
            let person = try stage.person.map { "'\($0)'" }.joined(separator: " ")
            #expect(try await stage.tool.runInShell(line + " " + person).status == 0)
            #expect(try await stage.tool.run(["zephr", "account", "--profile", "work"]).status == 0)
        }
    }

    @Test("A session that the issuer has ended names the login that replaces it, in its store")
    func endedByIssuer() async throws {
        try await TestProvider.running { provider in
            let tool = provider.tool
            let here = ["--store", "file:\(provider.folder.path("here"))"]
            let copy = ["--store", "file:\(provider.folder.path("copy"))"]
            #expect(try await tool.run(try provider.login() + here).status == 0)
            try FileManager.default.copyItem(atPath: provider.folder.path("here"), toPath: provider.folder.path("copy"))
            #expect(try await tool.run(["refresh"] + here).status == 0)
            let refresh = try await tool.run(["refresh"] + copy)
            #expect(refresh.status == 6)
            let line = try command(after: "Run: ", in: refresh.error)
            #expect(line == "ostiary login --store file:\(provider.folder.path("copy"))")
            #expect(try await tool.runInShell(line + " " + person(provider)).status == 0)
            #expect(try await tool.run(["refresh"] + copy).status == 0)
        }
    }

    @Test("A request to an origin that is not allowed names the option that allows it")
    func origin() async throws {
        try await TestProvider.running { provider in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let request = ["request", "GET", provider.issuer + "/userinfo"]
            let refused = try await tool.run(request)
            #expect(refused.status == 2)
            let option = try command(after: "If you trust it, add ", in: refused.error).dropLast()
            #expect(try await tool.run(request + option.split(separator: " ").map(String.init)).status == 0)
        }
    }

    @Test("A resource server that requires a newer sign-in or another scope names the login that satisfies it")
    func stepUp() async throws {
        try await TestProvider.running({ scenario in
            scenario.response = { request, response in
                guard request.path == "/api" else { return }
                response.status = .unauthorized
                response.fields = [
                    .wwwAuthenticate:
                        #"Bearer error="insufficient_user_authentication", max_age="60", scope="openid email""#
                ]
            }
        }) { provider in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let request = ["request", "GET", provider.issuer + "/api", "--allow-origin", provider.issuer]
            let refused = try await tool.run(request)
            #expect(refused.status == 6)
            let line = try command(after: "Run: ", in: refused.error)
            #expect(line == "ostiary login --max-age 60 --scope 'openid email'")
            #expect(try await tool.runInShell(line + " " + person(provider)).status == 0)
        }
    }

    @Test("A probe of an unknown scenario names the list, and a file that exists names the option that replaces it")
    func options() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let probe = try await CommandLineTool().run(["probe", "--scenario", "nosuch", "--", "true"])
        #expect(try command(after: "List them: ", in: probe.error) == "ostiary probe --list")
        let file = try folder.secretFile("token", "abc")
        let serve = try await CommandLineTool().run(["idp", "serve", "--port", "0", "--admin-token-file", file])
        #expect(serve.status == 2)
        #expect(try await CommandLineTool().runInShell(try command(after: "Run: ", in: serve.error)).status == 0)
        let content = try String(contentsOfFile: file, encoding: .utf8)
        #expect(content.trimmingCharacters(in: .newlines).count == 64)
    }
}
