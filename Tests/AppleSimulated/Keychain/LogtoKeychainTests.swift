import AppleWorld
import Foundation
import Ostiary
import OstiaryLogto
import OstiaryOAuth
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

@testable import SwiftUIApp

extension OnTheDevice.Keychain {
    @Suite("The session that Logto's own SDK kept") struct LogtoKeychainTests {
        private let doors: DoorWorld
        private let outage: AppOutage

        init() async throws {
            await freshDevice()
            doors = try DoorWorld()
            outage = AppOutage(of: doors.network)
            device.browser.visit(as: doors.network.person(at: .logto), awaiting: [DoorWorld.logtoScheme])
        }

        private func config(appId: String = "logto-app", persisting: Bool = true) throws -> LogtoConfig {
            try LogtoConfig(endpoint: "https://example.logto.app", appId: appId, usingPersistStorage: persisting)
        }

        private func client(_ config: LogtoConfig? = nil, store: any SecretStore) throws -> LogtoClient {
            LogtoClient(
                useConfig: try config ?? self.config(),
                transport: outage,
                store: store,
                clock: doors.network.clock.device
            )
        }

        private func logto(store: any SecretStore) throws -> Logto {
            try Logto(
                config(),
                redirectURI: DoorWorld.logtoScheme,
                transport: outage,
                store: store,
                clock: doors.network.clock.device
            )
        }

        private func add(_ account: String, _ text: String) {
            let item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: "io.logto.client",
                kSecAttrAccount as String: account,
                kSecValueData as String: Data(text.utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        }

        /// The accounts of the items that the SDK has.
        private var kept: [String] {
            device.keychainItems().filter { $0.service == "io.logto.client" }.map(\.account).sorted()
        }

        /// Signs in elsewhere, and keeps the tokens as Logto's SDK does.
        private func keepTokens() async throws {
            let other = try client(store: MemoryStore())
            try await other.signInWithBrowser(redirectUri: DoorWorld.logtoScheme)
            add("refresh_token", try #require(other.refreshToken).reveal())
            add("id_token", try #require(other.idToken).reveal())
            add("access_token_map", "{}")
        }

        @Test("LogtoClient continues the SDK's stored session once, without a page, and removes the SDK's items")
        func client() async throws {
            try await keepTokens()
            let pages = device.browser.visited.count
            let store = MemoryStore()
            let client = try client(store: store)
            #expect(!client.isAuthenticated)
            try await client.restore()
            #expect(client.isAuthenticated && kept.isEmpty)
            #expect(try client.getIdTokenClaims().sub == "user-alice")
            #expect(device.browser.visited.count == pages)
            let restarted = try self.client(store: store)
            #expect(restarted.isAuthenticated)
            #expect(await restarted.clearCredentials() == nil)
            try await restarted.restore()
            #expect(!restarted.isAuthenticated)
        }

        @Test("A call that needs a token continues the SDK's stored session")
        func firstCall() async throws {
            try await keepTokens()
            #expect(try await client(store: MemoryStore()).fetchUserInfo().sub == "user-alice")
            #expect(kept.isEmpty)
        }

        @Test("Without a network the SDK's items are kept, and the next start continues the session")
        func offline() async throws {
            try await keepTokens()
            let store = MemoryStore()
            outage.lose { _ in true }
            let client = try client(store: store)
            await #expect(throws: SignInError.self) { try await client.restore() }
            #expect(kept.count == 3)
            #expect(await client.clearCredentials()?.type == .unableToClearCredentials)
            outage.lose(nil)
            let session = try #require(try await logto(store: store).adoptFromKeychain())
            #expect(session.claims?.sub == "user-alice" && kept.isEmpty)
        }

        @Test("A sign-in replaces the SDK's stored session, and a sign-out does not bring it back")
        func replaced() async throws {
            try await keepTokens()
            let logto = try logto(store: MemoryStore())
            let session = try await logto.signIn()
            #expect(kept.isEmpty)
            try await session.clear()
            #expect(try await logto.adoptFromKeychain() == nil)
        }

        @Test("A stored session that the server ended is not continued, and the SDK's items are removed")
        func ended() async throws {
            let other = try client(store: MemoryStore())
            try await other.signInWithBrowser(redirectUri: DoorWorld.logtoScheme)
            add("refresh_token", try #require(other.refreshToken).reveal())
            add("id_token", try #require(other.idToken).reveal())
            #expect(await other.clearCredentials() == nil)
            #expect(try await logto(store: MemoryStore()).adoptFromKeychain() == nil)
            #expect(kept.isEmpty)
        }

        @Test("A client of another app, or one without persistence, leaves the SDK's items alone")
        func others() async throws {
            try await keepTokens()
            for config in [try config(appId: "other"), try config(persisting: false)] {
                let client = try client(config, store: MemoryStore())
                try await client.restore()
                #expect(!client.isAuthenticated && kept.count == 3)
            }
        }

        @Test("A stored refresh token without its ID token is left alone")
        func withoutIDToken() async throws {
            add("refresh_token", "token")
            #expect(try await logto(store: MemoryStore()).adoptFromKeychain() == nil)
            #expect(kept == ["refresh_token"])
        }
    }
}
