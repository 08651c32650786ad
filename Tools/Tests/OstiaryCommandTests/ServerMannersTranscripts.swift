import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Manners of a server on the command line", .fewAtOnce)
struct ServerMannersTranscripts {
    /// Changes the token responses of one grant type.
    private static func tokens(
        of type: RegisteredClient.GrantType,
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout Scenario) -> Void {
        { scenario in
            let next = scenario.tokenResponse
            scenario.tokenResponse = { object, found in
                if found == type { change(&object) }
                next(&object, found)
            }
        }
    }

    @Test("A login that accepts responses without token_type keeps that for every later refresh")
    func assumedBearer() async throws {
        try await TestProvider.running { scenario in
            let next = scenario.tokenResponse
            scenario.tokenResponse = { object, type in
                object["token_type"] = nil
                next(&object, type)
            }
        } _: { provider async throws in
            let tool = provider.tool
            let refused = try await tool.run(try provider.login())
            #expect(refused.status != 0 && refused.error.contains("token_type"))
            #expect(try await tool.run(try provider.login("--assume-bearer")).status == 0)
            #expect(try await tool.run(["refresh"]).status == 0)
            #expect(try await tool.run(["userinfo"]).status == 0)
            // A later login of the same client needs no option.
            #expect(try await tool.run(["login"] + Array(try provider.login().dropFirst(5))).status == 0)
        }
    }

    @Test("A refresh can name manners that the login did not, and later commands keep them")
    func toldLater() async throws {
        try await TestProvider.running(Self.tokens(of: .refreshToken) { $0["token_type"] = "user" }) {
            provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            #expect(try await tool.run(["refresh"]).status != 0)
            #expect(try await tool.run(["refresh", "--bearer-token-type", "user"]).status == 0)
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    @Test("Comma-separated scopes are read when the command line says so")
    func commas() async throws {
        try await TestProvider.running(Self.tokens(of: .refreshToken) { $0["scope"] = "openid,profile" }) {
            provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let refresh = try await tool.run(["refresh", "--comma-scopes", "--json"])
            #expect(try refresh.json()["scope"] == "openid profile")
        }
    }

    @Test("A session-ending error code ends the session only when the command line names it")
    func endingCode() async throws {
        try await TestProvider.running { scenario in
            scenario.response = { request, response in
                guard request.path == "/token",
                    String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token")
                else { return }
                response.status = .badRequest
                response.content = .bytes((["error": "token_expired"] as JSONObject).encoded())
            }
        } _: { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            #expect(try await tool.run(["refresh"]).status != 0)
            #expect(try await tool.run(["userinfo"]).status == 0)
            #expect(try await tool.run(["refresh", "--session-ending-code", "token_expired"]).status != 0)
            #expect(try await tool.run(["userinfo"]).status != 0)
        }
    }

    @Test("A logout with logout_uri ends the session of a provider like Cognito")
    func logoutURI() async throws {
        try await TestProvider.running(configuring: {
            $0.manners = ProviderManners(name: "test") { $0.endSession = .logoutURI }
        }) { provider async throws in
            let tool = provider.tool
            let logout = [
                "logout", "--user-agent", "http", "--post-logout-redirect-uri", "http://127.0.0.1/callback", "--json",
            ]
            #expect(try await tool.run(try provider.login()).status == 0)
            #expect(try await tool.run(logout).json()["endSession"] == "failed")
            #expect(try await tool.run(try provider.login()).status == 0)
            #expect(try await tool.run(logout + ["--logout-uri"]).json()["endSession"] == "ended")
            #expect(try await tool.run(try provider.login("--logout-uri")).status == 0)
            #expect(try await tool.run(logout).json()["endSession"] == "ended")
        }
    }

    @Test(
        "An impossible error code or token type is refused before anything is sent",
        arguments: [
            ["--session-ending-code", "a b"], ["--session-ending-code", ""], ["--bearer-token-type", "\u{E9}"],
        ]
    )
    func usage(arguments: [String]) async throws {
        let result = try await CommandLineTool().run(["refresh"] + arguments)
        #expect(result.status == 2 && result.error.contains(arguments[0]))
    }
}
