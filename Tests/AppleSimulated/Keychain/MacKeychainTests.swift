#if canImport(AppKit)
    import Foundation
    import Ostiary
    import OstiaryTesting
    import Security
    import SimulatedPlatform
    import SimulatedWorld
    import Testing

    extension OnTheDevice.Keychain {
        @Suite("A Mac's two keychains") struct Mac {
            init() async { await freshDevice() }

            @Test("An entitled app uses the data protection keychain, and reports it")
            func entitled() async throws {
                let store = Fixture.store()
                #expect(store.keychain == .dataProtection)
                try await store.write(Fixture.token, for: Fixture.key)
                #expect(Fixture.values.map(\.fileBased) == [false])
            }

            @Test("An entitled app's value replaces an item of the same name in the login keychain")
            func besideLogin() async throws {
                let tool = Fixture.store { $0.keychain = .always(.login) }
                try await tool.write(Fixture.token, for: Fixture.key)
                try await Fixture.store().write(Fixture.newer, for: Fixture.key)
                #expect(try await Fixture.store().read(Fixture.key) == Fixture.newer)
                // What was left in the other keychain is removed there, and there alone.
                #expect(Fixture.values.map(\.fileBased) == [false])
                try await tool.write(Fixture.token, for: Fixture.key)
                #expect(try await Fixture.store().keys() == [Fixture.key])
                try await Fixture.store().remove(Fixture.key)
                #expect(Fixture.values.isEmpty)
            }

            @Test("A store that requires the login keychain leaves the data protection keychain alone")
            func loginOnly() async throws {
                let strict = Fixture.store { $0.keychain = .always(.dataProtection) }
                let tool = Fixture.store { $0.keychain = .always(.login) }
                try await strict.write(Fixture.token, for: Fixture.key)
                #expect(try await tool.read(Fixture.key) == nil)
                #expect(try await tool.keys() == [])
                try await tool.write(Fixture.newer, for: Fixture.key)
                #expect(try await strict.read(Fixture.key) == Fixture.token)
                try await tool.remove(Fixture.key)
                #expect(try await strict.read(Fixture.key) == Fixture.token)
                #expect(Fixture.values.map(\.fileBased) == [false])
            }

            @Test("A tool without entitlements uses the login keychain, and keeps every promise of a secret store")
            func bareTool() async throws {
                device.with { $0.app.hasDataProtectionKeychain = false }
                let store = Fixture.store()
                #expect(store.keychain == .login)
                try await SecretStoreCheck(store, reopen: { Fixture.store() }).run()
                try await store.write(Fixture.token, for: Fixture.key)
                #expect(device.keychainItems().map(\.fileBased) == [true])
            }

            @Test("The kind of keychain is determined once")
            func once() async throws {
                let store = Fixture.store()
                _ = store.keychain
                device.with { $0.app.hasDataProtectionKeychain = false }
                #expect(store.keychain == .dataProtection)
                let error = await store.writeFailure()
                // A failed write is an error: it never falls back to another keychain.
                #expect(error == .notEntitled)
                #expect(device.keychainItemCount == 0)
            }

            @Test(
                "A locked Mac is not mistaken for an app without the entitlement",
                arguments: [true, false]
            )
            func locked(looksAbsent: Bool) async throws {
                device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
                device.reboot()
                #expect(Fixture.store().keychain == .dataProtection)
            }

            @Test(
                "Only a missing entitlement selects the login keychain, and no other failure does",
                arguments: [errSecInteractionNotAllowed, errSecNotAvailable, errSecParam]
            )
            func otherFailures(status: OSStatus) async throws {
                failKeychain(from: 1, with: status)
                #expect(Fixture.store().keychain == .dataProtection)
            }

            @Test("A tool can require either keychain")
            func choice() async throws {
                #expect(Fixture.store { $0.keychain = .always(.login) }.keychain == .login)
                device.with { $0.app.hasDataProtectionKeychain = false }
                let strict = Fixture.store { $0.keychain = .always(.dataProtection) }
                #expect(
                    await strict.readFailure() == .notEntitled
                )
            }

            @Test("An app that becomes entitled moves its values out of the login keychain, interrupted or not")
            func becomesEntitled() async throws {
                for step in 1...10 {
                    await freshDevice()
                    device.with { $0.app.hasDataProtectionKeychain = false }
                    try await Fixture.store().write(Fixture.token, for: Fixture.key)
                    device.with { $0.app.hasDataProtectionKeychain = true }
                    failKeychain(from: step)
                    _ = try? await Fixture.store().read(Fixture.key)
                    failKeychain()
                    #expect(try await Fixture.store().read(Fixture.key) == Fixture.token, "\(step)")
                    try await Fixture.store().remove(Fixture.key)
                    #expect(Fixture.values.isEmpty, "\(step)")
                }
            }

            @Test("A guarded value is not written to the login keychain, which cannot ask the user")
            func noUserCheck() async throws {
                device.with { $0.app.hasDataProtectionKeychain = false }
                let store = Fixture.guarded()
                let error = await store.writeFailure()
                #expect(error == .unavailable)
                #expect(device.keychainItemCount == 0)
            }
        }
    }
#endif
