#if canImport(UIKit) || canImport(AppKit)
    import AppleWorld
    import Foundation
    import Ostiary
    import OstiaryOAuth
    import Testing

    @Suite("URLs that the system opens the app with")
    struct ForwardingTests {
        private static let redirectURI = "https://app.example.com/callback"
        private let redirect: URL
        private let other: URL
        private let redirects = ForwardedRedirects()

        init() throws {
            redirect = try #require(URL(string: Self.redirectURI + "?code=c&state=right"))
            other = try #require(URL(string: "https://app.example.com/settings"))
        }

        /// An open sign-in.
        private func waiting() async throws -> Task<URL, any Error> {
            let page = try #require(URL(string: "https://id.example.test/authorize?state=right"))
            let (shown, pages) = AsyncStream<URL>.makeStream()
            let userAgent = ForwardingUserAgent(redirects) { (url: URL) throws(SignInError) in pages.yield(url) }
            let attempt = try await userAgent.attempt(awaiting: try RedirectURI(Self.redirectURI))
            let task = Task { try await attempt.open(page, accepting: .any) }
            #expect(await first(of: shown) == page)
            return task
        }

        @Test("A universal link is taken by the sign-in that it answers, and no other activity is")
        func activity() async throws {
            let task = try await waiting()
            #expect(!redirects.continues(other))
            #expect(!redirects.continues(nil))
            #expect(!redirects.continues(redirect, ofType: "com.example.handoff"))
            #expect(redirects.continues(redirect))
            #expect(try await task.value == redirect)
            #expect(!redirects.continues(redirect))
        }

        @Test("A sign-in consumes its own redirect among several URLs, and the others are returned")
        func urls() async throws {
            let task = try await waiting()
            let rest: [URL] = redirects.handle([other, redirect])
            #expect(rest == [other])
            #expect(try await task.value == redirect)
        }
    }
#endif
