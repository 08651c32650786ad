import Foundation
import Logto
import LogtoClient
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import SwiftUI
import Testing

/// The guide's global client: each test puts one here, that works in this process.
private let current = Lock<LogtoClient?>(nil)
private var client: LogtoClient { current.withLock { $0 } ?? LogtoClient(useConfig: nil) }

/// "Sign-in and sign-out", version 2, as it stands.
private enum VersionTwo {
    struct ContentView: View {
        @State var isAuthenticated: Bool
        private let redirectUri = "io.logto.app://callback"
        private let postLogoutRedirectUri = "io.logto.app://signed-out"
        init() {
            isAuthenticated = client.isAuthenticated
        }
        var body: some View {
            VStack {
                if isAuthenticated {
                    Button("Sign Out") {
                        Task { [self] in
                            let error = await client.signOut(postLogoutRedirectUri: postLogoutRedirectUri)
                            if let error = error {
                                print(error)
                                return
                            }
                            isAuthenticated = false
                        }
                    }
                } else {
                    Button("Sign In") {
                        Task { [self] in
                            do {
                                try await client.signInWithBrowser(redirectUri: redirectUri)
                                isAuthenticated = true
                            } catch let error as LogtoClientErrors.SignIn {
                                // error occurred during sign in
                            } catch {
                                // other errors
                            }
                        }
                    }
                }
            }
        }
    }
}

/// "Sign-in and sign-out", version 1, as it stands.
private enum VersionOne {
    struct ContentView: View {
        @State var isAuthenticated: Bool
        init() {
            isAuthenticated = client.isAuthenticated
        }
        var body: some View {
            VStack {
                if isAuthenticated {
                    Button("Sign Out") {
                        Task { [self] in
                            await client.signOut()
                            isAuthenticated = false
                        }
                    }
                } else {
                    Button("Sign In") {
                        Task { [self] in
                            do {
                                try await client.signInWithBrowser(redirectUri: "io.logto://callback")
                                isAuthenticated = true
                            } catch let error as LogtoClientErrors.SignIn {
                                // error occurred during sign in
                            } catch {
                                // other errors
                            }
                        }
                    }
                }
            }
        }
    }
}

/// "Display user information", as it stands.
private enum UserInformation {
    struct ContentView: View {
        @State var isAuthenticated: Bool
        @State var name: String?
        init() {
            isAuthenticated = client.isAuthenticated
            name = try? client.getIdTokenClaims().name
        }
        var body: some View {
            VStack {
                if isAuthenticated {
                    Text("Welcome, \(name)")
                } else {
                    Text("Please sign in")
                }
            }
        }
    }
}

/// The blocks of Logto's guide that are SwiftUI.
///
/// | Block | Test |
/// |---|---|
/// | `struct ContentView`, "Sign-in and sign-out", v2 | `versionTwo` |
/// | `struct ContentView`, "Sign-in and sign-out", v1 | `versionOne` |
/// | `struct ContentView`, "Display user information" | `versionTwo`, before and after |
@Suite("Logto's guide, its views compiled and tapped", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct LogtoViewSnippetTests {
    init() throws {
        freshDevice()
        let clock = TestClock()
        var random = SecureRandom()
        let hash = try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
        let configuration = try ProviderConfiguration.logto(
            issuer: try Issuer("http://localhost:3001/oidc"),
            passwordHash: hash
        )
        let network = InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
        let person = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "alice", password: Secret("wonderland")),
            clock: clock.device
        )
        device.browser.visit(
            as: person,
            awaiting: ["io.logto.app://callback", "io.logto.app://signed-out", "io.logto://callback"]
        )
        let config = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app"
        )
        let made = LogtoClient(
            useConfig: config,
            transport: network,
            userAgent: WebAuthenticationUserAgent(),
            store: MemoryStore(),
            clock: clock.device
        )
        current.withLock { $0 = made }
    }

    @Test("The Logto guide's version 2 view signs in, shows the name and signs out")
    func versionTwo() async throws {
        #expect(SimulatedViewHost(UserInformation.ContentView()).texts == ["Please sign in"])
        let host = SimulatedViewHost(VersionTwo.ContentView())
        try host.tap("Sign In")
        await host.until { $0.buttons == ["Sign Out"] }
        // A state of an optional type has its value, nil, when the guide's init begins, and what is assigned to it
        // before the view is on the screen is dropped: the guide's view greets without the name that the client has.
        #expect(SimulatedViewHost(UserInformation.ContentView()).texts == ["Welcome, nil"])
        #expect(try client.getIdTokenClaims().name == "Alice Liddell")
        // After a launch the view is signed in at once.
        #expect(SimulatedViewHost(VersionTwo.ContentView()).buttons == ["Sign Out"])
        try host.tap("Sign Out")
        await host.until { $0.buttons == ["Sign In"] }
        #expect(!client.isAuthenticated)
    }

    @Test("The Logto guide's version 1 view signs in and out")
    func versionOne() async throws {
        let host = SimulatedViewHost(VersionOne.ContentView())
        try host.tap("Sign In")
        await host.until { $0.buttons == ["Sign Out"] }
        try host.tap("Sign Out")
        await host.until { $0.buttons == ["Sign In"] }
        #expect(!client.isAuthenticated)
    }
}
