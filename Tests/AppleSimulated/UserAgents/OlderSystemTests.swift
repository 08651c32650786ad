#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AppleWorld
    import Foundation
    import OstiaryOAuth
    import SimulatedPlatform
    import SimulatedWorld
    import Testing

    @testable import Ostiary

    extension OnTheDevice {
        @Suite("The sheet of a system before iOS 17.4")
        struct OlderSystemTests {
            private let site: Site

            init() async throws {
                await freshDevice()
                site = try Site()
            }

            @Test("A sign-in with a custom scheme ends at its redirect on an older system")
            func scheme() async throws {
                let client = try site.client(userAgent: WebAuthenticationUserAgent(on: .schemes))
                let session = try await client.signIn()
                #expect(session.identity?.subject == "alice-subject")
                #expect(device.snapshot.violations == [])
            }

            @Test("A private sheet of an older system has no cookies of an earlier sign-in")
            func ephemeral() async throws {
                func loginPages() -> Int { device.browser.visited.filter { $0.path == "/login" }.count }
                _ = try await site.client(userAgent: WebAuthenticationUserAgent(on: .schemes)).signIn()
                let first = loginPages()
                _ = try await site.client(userAgent: WebAuthenticationUserAgent(.ephemeral, on: .schemes)).signIn()
                #expect(loginPages() == 2 * first)
            }

            @Test("An https redirect on an older system is refused before a sheet is up, with the versions and the fix")
            func https() async throws {
                let client = try site.client(
                    redirectURI: "https://app.example.com/callback",
                    userAgent: WebAuthenticationUserAgent(on: .schemes)
                )
                let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
                #expect(
                    error
                        == SignInError(
                            .authorization,
                            .configuration(
                                "The redirect URI is an https URL on app.example.com, which the system's sheet takes from iOS "
                                    + "17.4, macOS 14.4 and visionOS 1.1 on: register a redirect URI with a custom scheme "
                                    + "for older systems."
                            )
                        )
                )
                #expect(device.snapshot.web.opened == 0)
            }

            @Test("Header fields on an older system are refused before a sheet is up")
            func headerFields() async throws {
                let client = try site.client(
                    userAgent: WebAuthenticationUserAgent(.shared, ["X-Brand": "acme"], on: .schemes)
                )
                let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
                #expect(error?.recovery == .fixConfiguration)
                #expect(device.snapshot.web.opened == 0)
            }

            @Test("The system that the tests run on has the newer form of the sheet")
            func current() {
                #expect(WebAuthenticationSystem.current == .callbacks)
            }
        }
    }
#endif
