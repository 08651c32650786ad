import Foundation
import Ostiary
import SimulatedPlatform
import Testing

extension OnTheDevice {
    @Suite("URLs that the system opens the app with")
    struct SystemForwardingTests {
        static let redirect = URL(string: "com.example.app:/callback?code=c&state=right")
        static let other = URL(string: "com.example.app:/settings")

        let redirects = ForwardedRedirects()

        /// An open sign-in.
        private func waiting() async throws -> Task<URL, any Error> {
            let page = try #require(URL(string: "https://id.example.test/authorize?state=right"))
            let shown = AsyncStream.makeStream(of: Void.self)
            let userAgent = ForwardingUserAgent(redirects) { (_: URL) throws(SignInError) in
                shown.continuation.yield()
            }
            let attempt = try await userAgent.attempt(awaiting: try RedirectURI("com.example.app:/callback"))
            let task = Task { try await attempt.open(page, accepting: .any) }
            for await _ in shown.stream { break }
            return task
        }

        @Test("A scene's URLs are consumed by the sign-in they answer, and the others are returned")
        func openURLs() async throws {
            let task = try await waiting()
            let urls = [Self.redirect, Self.other].compactMap { $0 }
            #expect(await ForwardedByTheSystem.urls(urls, to: redirects) == [Self.other])
            #expect(try await task.value == Self.redirect)
        }
    }
}
