#if canImport(AuthenticationServices) && canImport(SimulatedPlatform)
    import Ostiary
    import SimulatedPlatform
    import Testing

    extension OnTheDevice {
        @Suite("The window of the web authentication sheet")
        struct WindowTests {
            let site: Site

            init() async throws {
                await freshDevice()
                site = try Site()
            }

            @Test("Among several windows the sheet takes the one that the person looks at", .field(rows: 9))
            func theRightWindow() async {
                let expected = await Windows.crowd()
                #expect(expected != nil)
                #expect(await Windows.found() === expected)
            }

            @Test("An app that comes to the front in a moment is waited for", .field(rows: 9))
            func waitsForActivation() async throws {
                await Windows.closeAll()
                let client = try site.client()
                let signIn = Task { try await client.signIn() }
                try await Task.sleep(for: .milliseconds(20))
                #expect(device.snapshot.web.opened == 0)
                await Windows.openInFront()
                #expect(try await signIn.value.identity?.subject == "alice-subject")
            }

            @Test("Waiting for a window ends with its task", .field(rows: 9))
            func waitingIsCancelled() async throws {
                await Windows.closeAll()
                let client = try site.client()
                let signIn = Task { try await client.signIn() }
                try await Task.sleep(for: .milliseconds(20))
                signIn.cancel()
                await #expect(throws: SignInError(.authorization, .cancelled)) { try await signIn.value }
            }

            @Test("A window that the app cannot name is missing, and no other is taken", .field(rows: 5, 9))
            func windowMissing() async throws {
                let client = try site.client(userAgent: WebAuthenticationUserAgent(window: .window { nil }))
                let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
                #expect(error == SignInError(.authorization, .presentation(.windowMissing)))
                #expect(device.snapshot.web.opened == 0)
            }

            @Test(
                "A window that has left the screen is told apart from a cancellation",
                .field(rows: 5, 9),
                arguments: [true, false]
            )
            func windowRejected(reportsWhy: Bool) async throws {
                device.with { $0.ambiguities.webSessionReportsFailedStart = reportsWhy }
                let window = await Windows.gone()
                let client = try site.client(userAgent: WebAuthenticationUserAgent(window: .window { window }))
                let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
                #expect(
                    error == SignInError(.authorization, .presentation(reportsWhy ? .windowRejected : .startRefused))
                )
            }
        }
    }
#endif
