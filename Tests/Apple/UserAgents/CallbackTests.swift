#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AppleWorld
    import AuthenticationServices
    import Foundation
    import OstiaryOAuth
    import Testing

    @testable import Ostiary

    @Suite("The redirects that the sheet can receive")
    struct CallbackTests {
        private func callback(_ redirectURI: String) throws -> WebAuthenticationCallback {
            try WebAuthenticationCallback(try RedirectURI(redirectURI))
        }

        @Test("A custom scheme is matched by its scheme, an https redirect by its host and its path")
        func kinds() throws {
            #expect(try callback("com.example.app:/callback") == .scheme("com.example.app"))
            #expect(try callback("https://app.example.com/cb") == .https(host: "app.example.com", path: "/cb"))
            #expect(try callback("https://app.example.com:443/cb") == .https(host: "app.example.com", path: "/cb"))
            #expect(try callback("https://app.example.com") == .https(host: "app.example.com", path: "/"))
        }

        @available(iOS 17.4, macOS 14.4, visionOS 1.1, *)
        @Test("The system's callback matches the redirect, and no other page or scheme")
        func system() throws {
            let redirect = try #require(URL(string: "https://app.example.com/cb?code=c&state=s"))
            let other = try #require(URL(string: "https://app.example.com/other?code=c&state=s"))
            let web = try callback("https://app.example.com/cb").systemValue
            #expect(web.matchesURL(redirect) && !web.matchesURL(other))
            let scheme = try callback("com.example.app:/callback").systemValue
            let delivered = try #require(URL(string: "com.example.app:/callback?code=c&state=s"))
            #expect(scheme.matchesURL(delivered) && !scheme.matchesURL(redirect))
        }

        @Test(
            "A redirect URI that the sheet cannot receive is a configuration error before a sheet opens",
            arguments: ["http://127.0.0.1/callback", "https://app.example.com:8443/callback"]
        )
        func refused(_ redirectURI: String) async throws {
            let uri = try RedirectURI(redirectURI)
            let error = await signInFailure { () async throws(SignInError) in
                _ = try await WebAuthenticationUserAgent().attempt(awaiting: uri)
            }
            #expect(error?.recovery == .fixConfiguration)
        }

        @Test("A sign-in without a window fails as windowMissing before a sheet opens")
        func noWindow() async throws {
            let attempt = try await WebAuthenticationUserAgent(window: .window { nil })
                .attempt(awaiting: try RedirectURI("com.example.app:/callback"))
            let page = try #require(URL(string: "https://id.example.test/authorize"))
            let error = await signInFailure { () async throws(SignInError) in
                _ = try await attempt.open(page, accepting: .any)
            }
            #expect(error == SignInError(.authorization, .presentation(.windowMissing)))
        }

        @Test(
            "A URL that is not a web page is a configuration error, and no sheet opens",
            arguments: ["file:///etc/passwd", "com.example.other:/x"]
        )
        func page(_ url: String) async throws {
            let attempt = try await WebAuthenticationUserAgent(window: .window { nil })
                .attempt(awaiting: try RedirectURI("com.example.app:/callback"))
            let page = try #require(URL(string: url))
            let error = await signInFailure { () async throws(SignInError) in
                _ = try await attempt.open(page, accepting: .any)
            }
            #expect(error?.recovery == .fixConfiguration)
        }
    }
#endif
