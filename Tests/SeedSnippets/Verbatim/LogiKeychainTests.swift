#if canImport(UIKit)
    import OstiaryAutomation
    import Foundation
    import OstiaryLogi
    import OstiaryProvider
    import OstiaryProviderDialects
    import OstiaryTesting
    import SimulatedPlatform
    import SimulatedWorld
    import Testing

    /// Logi's blocks about the keychain, compiled and run on the simulated device.
    @Suite("Logi's keychain blocks", .serialized, .timeLimit(.minutes(5)))
    @MainActor
    struct LogiKeychainTests {
        init() { freshDevice() }

        @Test("LogiKeychain saves, loads and deletes, under a service for each secret")
        func block() throws {
            #expect(LogiKeychain.load() == nil)
            try LogiKeychain.save("first")
            try LogiKeychain.save("second")
            #expect(LogiKeychain.load() == "second")
            let text = Data(#"{"access_token":"a","device_secret":"s"}"#.utf8)
            let response = try JSONDecoder().decode(LogiKeychainStatements.BootstrapResponse.self, from: text)
            #expect(
                try LogiKeychainStatements.keep(response, uuid: "u")
                    == ["device_uuid": "u", "platform": "ios", "device_secret": "s"]
            )
            LogiKeychainStatements.biometric(Data("token".utf8))
            #expect(device.keychainItems().contains { $0.service == "logi.high_assurance_token" })
            LogiKeychain.delete()
            #expect(LogiKeychain.load() == nil && LogiKeychain.load(service: "logi.device_secret") == "s")
        }

        @Test("The refresh token that the block kept is continued as a session")
        func adopted() async throws {
            let clock = TestClock()
            var random = SecureRandom()
            let hash = try PasswordHash(Secret("open sesame"), cost: .insecureForTests, using: &random)
            let configuration = ProviderConfiguration.logi(issuer: try Issuer("https://api.1pass.dev"), password: hash)
            let network = InProcessProvider(
                provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
            )
            func logi() throws -> Logi {
                try Logi(
                    LogiConfiguration(clientID: LogiDevelopment.clientID, redirectURI: "myapp://oauth/1pass/callback"),
                    browser: HTTPUserAgent(
                        transport: network,
                        credentials: .init(name: "mina", password: Secret("open sesame")),
                        clock: clock.device
                    ),
                    transport: network,
                    store: MemoryStore(),
                    clock: clock.device
                )
            }
            let token = try #require(try await logi().signIn().tokens.refreshToken)
            try LogiKeychain.save(token.reveal())
            let kept = try #require(LogiKeychain.load())
            let session = try await logi().adopt(refreshToken: Secret(kept))
            #expect(session.identity?.subject == "8c1f0a52-mina")
        }
    }
#endif
