import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Reports of the provider")
struct EventTests {
    @Test("An unknown client or redirect URI is reported with the registered ones")
    func pages() async throws {
        let world = try World()
        _ = await world.browser().authorize(.authorization { $0[.clientID] = "ap" })
        var event = try #require(world.log.refusal)
        #expect(event.path == "/authorize" && event.clientID == "ap" && event.status == 400 && event.error == nil)
        #expect(event.mend?.hasPrefix("Known clients: app, stranger, web app, ") == true)
        _ = await world.browser().authorize(.authorization { $0[.redirectURI] = "http://localhost:3000/" })
        event = try #require(world.log.refusal)
        #expect(event.reason == "The redirect_uri is not registered: http://localhost:3000/")
        #expect(
            event.mend
                == "Add it to the client's redirect_uris. Registered: http://127.0.0.1/callback, com.example.app:/callback."
        )
    }

    @Test("A rejected code's cause is in the log, and not in the response")
    func code() async throws {
        let world = try World()
        let code = try await world.code()
        let first = await world.post("/token", .codeGrant(code) { $0[.codeVerifier] = Fixtures.challenge })
        #expect(first.json?["error_description"] == "The code is unknown, used, too old, or not for this request.")
        #expect(world.log.refusal?.reason == "The code_verifier does not belong to the code_challenge.")
        _ = await world.post("/token", .codeGrant(code))
        #expect(world.log.refusal?.reason.hasPrefix("The code was used before") == true)
        let late = try await world.code()
        world.clock.advance(by: .seconds(61))
        _ = await world.post("/token", .codeGrant(late))
        #expect(world.log.refusal?.reason == "The code is too old.")
        let other = try await world.code()
        _ = await world.post("/token", .codeGrant(other) { $0[.redirectURI] = "http://127.0.0.1:1/callback" })
        #expect(world.log.refusal?.reason == "The redirect_uri is not the one of the authorization request.")
        #expect(world.log.refusal?.error == "invalid_grant" && world.log.refusal?.clientID == "app")
    }

    @Test("A repeated parameter is named when an endpoint knows it, and no other, which may be the rest of a secret")
    func repetition() async throws {
        let world = try World()
        for path in ["/token", "/par", "/revoke", "/authorize"] {
            for (name, isNamed) in [("scope", true), ("hunter2", false), ("<b>", false), ("a\u{1B}[2J", false)] {
                let query = "client_id=app&redirect_uri=\(FormURLEncoding.escape(Fixtures.redirectURI))"
                let repeated = "&\(FormURLEncoding.escape(name))=1&\(FormURLEncoding.escape(name))=2"
                var request = ProviderRequest(method: .post, path: path, body: Array((query + repeated).utf8))
                request.fields[.contentType] = "application/x-www-form-urlencoded"
                if path == "/authorize" {
                    request = ProviderRequest(path: path, query: query + repeated)
                }
                let response = await world.provider.respond(to: request)
                let sentence = isNamed ? "A parameter is repeated: \(name)." : "A parameter is repeated."
                let inBody = response.json?["error_description"]?.string
                #expect(response.redirect?.parameters[.errorDescription] ?? inBody == sentence, "\(path) \(name)")
                #expect(world.log.refusal?.reason == sentence)
            }
        }
        let both = Parameters.authorization {
            $0.append("1", for: "hunter2")
            $0.append("2", for: "hunter2")
            $0.append("profile", for: .scope)
        }
        _ = await world.browser().authorize(both)
        #expect(world.log.refusal?.reason == "A parameter is repeated: scope.")
    }

    @Test("A DPoP or authentication challenge is reported with its error")
    func challenge() async throws {
        let world = try World()
        _ = await world.userInfo("wrong")
        let event = try #require(world.log.refusal)
        #expect(event.error == "invalid_token" && event.status == 401)
        #expect(event.reason == "The access token is unknown, too old or revoked.")
        _ = await world.get("/userinfo")
        #expect(world.log.refusal?.error == nil)
    }

    @Test("A scope that is left out for the client is reported")
    func narrowed() async throws {
        let world = try World()
        _ = await world.browser().authorize(.authorization { $0[.scope] = "openid notes" })
        let event = try #require(world.log.events.first)
        #expect(event.outcome == .narrowed && event.reason == "Scopes are left out: notes.")
        #expect(event.mend == "Add them to the client's scope.")
    }

    @Test("No provider event contains a secret, a code, a token or a password")
    func secrets() async throws {
        let world = try World { $0.rules = .oidc }
        let code = try await world.code()
        _ = await world.post("/token", .codeGrant(code) { $0[.codeVerifier] = Fixtures.challenge })
        let browser = world.browser()
        _ = try await browser.signIn(password: "the wrong password")
        let wrong: Parameters = [.grantType: "refresh_token", .clientID: "poster", .clientSecret: "the wrong secret"]
        _ = await world.post("/token", wrong.merging([.refreshToken: "the refresh token"]))
        _ = await world.userInfo("the access token")
        let tokens = try await world.tokens()
        let refresh = try #require(tokens.refresh)
        let next = try Tokens(await world.refresh(refresh))
        _ = await world.refresh(refresh)
        _ = await world.userInfo(tokens.access)
        let text = "\(world.log.events)"
        #expect(world.log.events.count >= 5)
        for secret in [
            code, Fixtures.challenge, Fixtures.verifier, "wrong password", "wrong secret", "the refresh token",
            "the access token", tokens.access, refresh, tokens.id ?? "", next.access, next.refresh ?? "",
        ] {
            #expect(!text.contains(secret))
        }
    }

    @Test("A provider event shortens outside text to 64 characters")
    func bounded() async throws {
        let world = try World()
        let long = String(repeating: "x", count: 5_000)
        _ = await world.browser().authorize(.authorization { $0[.clientID] = long })
        #expect(world.log.refusal?.clientID == String(repeating: "x", count: 64) + "...")
    }

    @Test("A provider event contains printable ASCII only, whatever the request holds")
    func printable() async throws {
        let world = try World()
        let marks = "e" + String(repeating: "\u{301}", count: 5_000)
        for text in ["a\nstatus=200", "a\r\u{1b}[31m", "a\u{202e}b", marks] {
            _ = await world.browser().authorize(.authorization { $0[.clientID] = text })
            _ = await world.browser().authorize(.authorization { $0[.redirectURI] = text })
            _ = await world.browser().authorize(.authorization { $0[.scope] = "openid \(text)" })
        }
        _ = await world.get("/a\nb")
        #expect(world.log.events.count >= 9)
        for value in world.log.events.flatMap(\.members).map(\.value) {
            #expect(value.unicodeScalars.allSatisfy { (0x20...0x7e).contains($0.value) })
            #expect(value.utf8.count < 1_000)
        }
        #expect(world.log.events.first?.clientID == "a\\u{a}status=200")
    }

    @Test("A provider event lists the first ten of many clients or redirect URIs")
    func manyClients() async throws {
        let world = try World { configuration in
            let uris = (1...500).map { try! RedirectURI("https://app.example.com/\($0)") }
            configuration.clients = (1...500).map { RegisteredClient(id: "c\($0)", name: "C", redirectURIs: uris) }
        }
        _ = await world.browser().authorize(.authorization { $0[.clientID] = "d" })
        #expect(world.log.refusal?.mend?.hasSuffix("c9, c10 and 490 more.") == true)
        _ = await world.browser().authorize(.authorization { $0[.clientID] = "c1" })
        #expect(world.log.refusal?.mend?.hasSuffix("app.example.com/10 and 490 more.") == true)
    }

    @Test("A refusal by a client's own rules does not advise an option that changes nothing")
    func ownRules() async throws {
        let world = try World {
            $0.rules = .oidc
            $0.clients[2].rules = .strict
        }
        let response = await world.browser().authorize(.webAuthorization { $0[.codeChallenge] = nil })
        let advice = "The client has rules of its own; with rules oidc there it is accepted."
        #expect(world.log.refusal?.mend == "Switch PKCE on in the client, with S256. \(advice)")
        #expect(response.redirect?.parameters[.errorDescription]?.hasSuffix(advice) == true)
    }

    @Test("A token in a form that the rules of its client refuse is reported with the client, and advises these rules")
    func ownRulesOfToken() async throws {
        let world = try World {
            $0.rules = .oidc
            $0.clients[0].rules = .strict
        }
        let token = try await world.tokens().access
        #expect(await world.post("/userinfo", ["access_token": token]).status == .badRequest)
        let mend =
            "Send the access token in the Authorization field. "
            + "The client has rules of its own; with rules oidc there it is accepted."
        #expect(world.log.refusal?.clientID == "app" && world.log.refusal?.mend == mend)
    }

    @Test("A step that rules or allow of the client serve does not name an option that still serves it")
    func ownLeniency() async throws {
        func mend(_ change: (inout ProviderConfiguration) -> Void) async throws -> String? {
            let world = try World(change: change)
            _ = await world.browser().authorize(.webAuthorization { $0[.codeChallenge] = nil })
            return world.log.events.first { $0.outcome == .admitted }?.mend
        }
        let step = "Switch PKCE on in the client, with S256. "
        let byRules = try await mend { $0.clients[2].rules = .oidc }
        #expect(byRules == step + "The client has rules of its own; with rules strict there it is refused.")
        let byAllow = try await mend { $0.clients[2].allowedRules = [.proofKeys] }
        #expect(byAllow == step + "--rules strict refuses this, without proofKeys in the client's allow.")
    }

    @Test("The advice on a rule that was broken changes the client, so that following it ends the advice")
    func advice() async throws {
        let world = try World { $0.rules = .oidc }
        _ = await world.browser().authorize(.webAuthorization { $0[.codeChallenge] = nil })
        #expect(world.log.events.first?.mend == "Switch PKCE on in the client, with S256. --rules strict refuses this.")
        _ = await world.browser().authorize(.webAuthorization())
        #expect(world.log.events.count == 1)
    }

    @Test("offline_access that a client lacks the grant type for is not advised to be a scope that the client has")
    func offlineAccess() async throws {
        let world = try World()
        let request = Parameters.webAuthorization {
            $0[.clientID] = "poster"
            $0[.scope] = "openid offline_access"
        }
        _ = await world.browser().authorize(request)
        #expect(world.log.events.first?.outcome == .narrowed)
        #expect(world.log.events.first?.mend == "Add refresh_token to the client's grant_types.")
        _ = await world.browser().authorize(request.merging([.scope: "offline_access"]))
        #expect(world.log.refusal?.mend == "Add refresh_token to the client's grant_types, for offline_access.")
    }

    @Test("A client that fapi2 wants a DPoP proof of is not advised to be registered for other tokens")
    func senderConstraint() async throws {
        let world = try World { $0.clients[0].requiresDPoP = true }
        _ = await world.post("/token", .codeGrant("x"))
        #expect(world.log.refusal?.mend == "Send a DPoP proof, or take dpop_bound_access_tokens from the client.")
        let constrained = try World {
            $0.rules = ProviderRules(name: "constrained") { $0.senderConstraint = .everyClient }
            $0.clients[0].requiresDPoP = true
        }
        _ = await constrained.post("/token", .codeGrant("x"))
        #expect(constrained.log.refusal?.mend == "Send a DPoP proof. --rules oidc accepts it.")
    }

    @Test("A client's request_uri that is pushed is refused with the parameters as the mend")
    func pushedRequestURI() async throws {
        let world = try World()
        _ = await world.post("/par", .authorization { $0[.requestURI] = "https://app.example.com/request" })
        #expect(world.log.refusal?.mend == "Push the parameters of the request themselves, without request_uri.")
    }

    @Test("The object of a provider event has the status as a number")
    func object() async throws {
        let world = try World()
        _ = await world.get("/nothing")
        let object = try #require(world.log.events.first?.object)
        #expect(object["status"] == 404 && object["path"] == "/nothing")
    }

    @Test("The members of a provider event are ordered and name the rule with its source")
    func members() async throws {
        let world = try World { $0.rules = .oidc }
        _ = await world.browser().authorize(.webAuthorization { $0[.codeChallenge] = nil })
        let event = try #require(world.log.events.first)
        #expect(event.members.map(\.name) == ["path", "client", "reason", "rule", "mend"])
        #expect(event.members[3].value == "proofKeys (RFC 9700 section 2.1.1)")
        #expect(event.members[4].value == "Switch PKCE on in the client, with S256. --rules strict refuses this.")
    }
}

extension Parameters {
    fileprivate func merging(_ other: Parameters) -> Parameters {
        other.pairs.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
