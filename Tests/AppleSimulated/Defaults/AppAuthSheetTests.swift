import AppleWorld
import Foundation
import Ostiary
import OstiaryAppAuth
import OstiaryOAuth
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("AppAuth's user agents for iOS and macOS", .timeLimit(.minutes(5)))
    struct AppAuthSheetTests {
        private let site: Site
        private let screen: AppAuthScreen

        init() async throws {
            await freshDevice()
            site = try Site()
            screen = await AppAuthScreen()
        }

        @Test(
            "AppAuth's calls put the sheet into the window of the screen that presents, and not into the one in front"
        )
        func window() async throws {
            let request = try await request()
            let state: OIDAuthState? = try await answer { [screen] in screen.signIn(request, callback: $0) }
            #expect(state?.isAuthorized == true && state?.lastTokenResponse?.accessToken?.isEmpty == false)
            #expect(await screen.hasTheSheet)
            let response: OIDAuthorizationResponse? = try await answer { [screen] in
                screen.present(request, callback: $0)
            }
            #expect(response?.authorizationCode?.isEmpty == false)
            #expect(await screen.hasTheSheet)
            #expect(device.snapshot.violations == [] && device.snapshot.web.open == 0)
        }

        @Test("AppAuth's calls open a shared sheet, and a private one with prefersEphemeralSession")
        func browserSession() async throws {
            let request = try await request()
            let _: OIDAuthState? = try await answer { [screen] in screen.signIn(request, callback: $0) }
            let _: OIDAuthState? = try await answer { [screen] in screen.signInPrivately(request, callback: $0) }
            let _: OIDAuthorizationResponse? = try await answer { [screen] in screen.present(request, callback: $0) }
            let _: OIDAuthorizationResponse? = try await answer { [screen] in
                screen.presentPrivately(request, callback: $0)
            }
            #expect(device.browser.visits == [.shared, .isPrivate, .shared, .isPrivate])
        }

        @Test(
            "AppAuth's user agents open a shared sheet unless prefersEphemeralSession says otherwise",
            arguments: [nil, false, true] as [Bool?]
        )
        func userAgent(isPrivate: Bool?) async throws {
            let request = try await request()
            let userAgent = try #require(await screen.userAgent(isPrivate: isPrivate))
            let response: OIDAuthorizationResponse? = try await answer {
                OIDAuthorizationService.present(request, externalUserAgent: userAgent, callback: $0)
            }
            #expect(response?.authorizationCode?.isEmpty == false)
            #expect(await screen.hasTheSheet)
            #expect(device.browser.visits == [isPrivate == true ? .isPrivate : .shared])
        }

        @Test("A user who closes the sheet is AppAuth's userCanceledAuthorizationFlow, −3")
        func closed() async throws {
            device.browser.script = { _ in .cancel }
            let request = try await request()
            let error = await failure { [screen] in screen.signIn(request, callback: $0) }
            #expect(error?.domain == OIDGeneralErrorDomain && error?.code == -3)
            #expect(device.snapshot.web.open == 0)
        }

        @Test("cancel() takes the sheet away, and then calls the callback once with −3")
        func cancelled() async throws {
            let (flow, errors) = try await waiting()
            await withCheckedContinuation { continuation in flow.cancel { continuation.resume() } }
            let error = await first(of: errors)
            #expect(error?.domain == OIDGeneralErrorDomain && error?.code == -3)
            #expect(await device.until { device.snapshot.web.open == 0 })
            #expect(device.snapshot.violations == [])
            // The place is free again.
            device.browser.script = Site.alice
            let request = try await request()
            let state: OIDAuthState? = try await answer { [screen] in screen.signIn(request, callback: $0) }
            #expect(state?.isAuthorized == true)
        }

        @Test("A URL that the app is opened with ends the flow that has the sheet up, and takes the sheet away")
        func resumed() async throws {
            let (flow, errors) = try await waiting()
            let elsewhere = try #require(URL(string: "com.example.app:/elsewhere"))
            let isForeign: Bool = flow.resumeExternalUserAgentFlow(with: elsewhere)
            #expect(!isForeign && device.snapshot.web.open == 1)
            let redirect = try #require(URL(string: "com.example.app:/callback?state=other&code=c"))
            let isTaken: Bool = flow.resumeExternalUserAgentFlow(with: redirect)
            #expect(isTaken)
            let error = await first(of: errors)
            #expect(error?.domain == OIDOAuthAuthorizationErrorDomain)
            #expect(await device.until { device.snapshot.web.open == 0 })
        }

        @Test("A user agent of a closed screen fails as a missing window, and takes no other window")
        func screenGone() async throws {
            let request = try await request()
            let userAgent = try #require(await screen.userAgent())
            #expect(await screen.close())
            let error = await failure {
                OIDAuthorizationService.present(request, externalUserAgent: userAgent, callback: $0)
            }
            expectMissingWindow(error)
        }

        #if canImport(UIKit)
            @Test("A view controller whose view is not loaded fails as a missing window, and its view stays unloaded")
            func unloaded() async throws {
                let request = try await request()
                let (userAgent, isStillUnloaded) = try #require(await AppAuthScreen.userAgentOfAnUnloadedScreen())
                let error = await failure {
                    OIDAuthorizationService.present(request, externalUserAgent: userAgent, callback: $0)
                }
                expectMissingWindow(error)
                #expect(await isStillUnloaded())
            }
        #endif

        private func expectMissingWindow(_ error: NSError?) {
            #expect(error?.domain == OIDGeneralErrorDomain)
            let cause = error?.userInfo[NSUnderlyingErrorKey] as? SignInError
            #expect(cause == SignInError(.authorization, .presentation(.windowMissing)))
            #expect(device.snapshot.web.opened == 0)
        }

        private func request() async throws -> OIDAuthorizationRequest {
            let issuer = try #require(URL(string: Site.issuer))
            let configuration = try await OIDTransportProvider.withTransport(site.network, clock: site.clock.device) {
                try await OIDAuthorizationService.discoverConfiguration(forIssuer: issuer)
            }
            return OIDAuthorizationRequest(
                configuration: configuration,
                clientId: "app",
                clientSecret: nil,
                scopes: [OIDScopeOpenID],
                redirectURL: try #require(URL(string: "com.example.app:/callback")),
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
        }

        private typealias Callback<Response> = @MainActor @Sendable (Response?, (any Error)?) -> Void

        /// The arguments of a call's callback, on the main queue.
        private func answer<Response: Sendable>(
            _ call: @escaping @MainActor @Sendable (@escaping Callback<Response>) -> (any OIDExternalUserAgentSession)?
        ) async throws -> Response? {
            try await OIDTransportProvider.withTransport(site.network, clock: site.clock.device) {
                try await withCheckedThrowingContinuation { continuation in
                    Task { @MainActor in
                        let flow = call { response, error in
                            #expect(device.isOnMainQueue)
                            if let error {
                                continuation.resume(throwing: error)
                            } else {
                                continuation.resume(returning: response)
                            }
                        }
                        #expect(flow != nil)
                    }
                }
            }
        }

        private func failure<Response: Sendable>(
            _ call: @escaping @MainActor @Sendable (@escaping Callback<Response>) -> (any OIDExternalUserAgentSession)?
        ) async -> NSError? {
            do {
                _ = try await answer(call)
                return nil
            } catch {
                return error as NSError
            }
        }

        /// A flow whose sheet is up, before a user who does nothing.
        private func waiting() async throws -> (flow: any OIDExternalUserAgentSession, errors: AsyncStream<NSError>) {
            device.browser.script = { _ in .wait }
            let (errors, told) = AsyncStream<NSError>.makeStream()
            let request = try await request()
            let flow = await screen.present(request) { _, error in
                #expect(device.isOnMainQueue)
                if let error { told.yield(error as NSError) }
            }
            #expect(await device.until { !device.browser.visited.isEmpty })
            return (try #require(flow), errors)
        }
    }
}
