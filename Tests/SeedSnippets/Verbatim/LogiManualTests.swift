#if canImport(UIKit)
    import OstiaryAutomation
    import Foundation
    import OstiaryLogi
    import OstiaryOAuth
    import OstiaryProvider
    import OstiaryProviderDialects
    import OstiaryTesting
    import SimulatedPlatform
    import SimulatedWorld
    import Testing

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Logi's block "Manual integration (without the SDK)", compiled and run.
    ///
    /// It relies on two things that no document promises, and the front door on neither: the system reports on the main
    /// thread, and holds a session that no other object holds.
    @Suite("Logi's own class, without the SDK", .serialized, .timeLimit(.minutes(5)))
    @MainActor
    struct LogiManualTests {
        private let network: InProcessProvider
        private let person: HTTPUserAgent

        init() throws {
            freshDevice()
            device.with {
                $0.ambiguities.webSessionReportsOffMain = false
                $0.ambiguities.releasedSessionTakesItsSheetDown = false
            }
            let clock = TestClock()
            var random = SecureRandom()
            let hash = try PasswordHash(Secret("open sesame"), cost: .insecureForTests, using: &random)
            var configuration = ProviderConfiguration.logi(issuer: try Issuer("https://api.1pass.dev"), password: hash)
            configuration.clients[0].id = "logi_..."
            configuration.clients[0].redirectURIs = [try RedirectURI("com.example.myapp://callback")]
            let network = InProcessProvider(
                provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
            )
            self.network = network
            person = HTTPUserAgent(
                transport: network,
                credentials: .init(name: "mina", password: Secret("open sesame")),
                clock: clock.device
            )
            LogiManual.URLSession.shared = LogiManual.URLSession { request in
                let form = FormURLEncoding.decode(String(decoding: request.httpBody ?? Data(), as: UTF8.self))
                guard let url = request.url, request.httpMethod == "POST", let form else { throw URLError(.badURL) }
                return Data(try await network.send(EndpointRequest(url: url, method: .post, form: form)).body)
            }
        }

        @Test("The logi manual's copied code signs in and returns access and refresh tokens")
        func signIn() async throws {
            device.browser.visit(as: person, awaiting: ["com.example.myapp://callback"])
            let tokens = try await LogiManual.LogiOAuth.shared.signIn()
            #expect(!tokens.accessToken.isEmpty && !tokens.refreshToken.isEmpty)
            #expect(device.snapshot.web.opened == 1)
        }

        @Test("A user who closes the sheet cancels the logi manual's sign-in")
        func cancelled() async throws {
            device.browser.visit(as: person, awaiting: [])
            await #expect(throws: LogiManual.AuthError.userCancelled) {
                _ = try await LogiManual.LogiOAuth.shared.signIn()
            }
        }
    }
#endif
