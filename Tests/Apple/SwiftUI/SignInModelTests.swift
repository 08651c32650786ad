#if canImport(SwiftUI)
    import OstiaryAutomation
    import AppleWorld
    import Foundation
    import OstiaryOAuth
    import OstiaryTesting
    import OstiaryCompatibility
    import Testing

    @testable import OstiarySwiftUI

    @Suite("The sign-in model", .timeLimit(.minutes(5)))
    @MainActor
    struct SignInModelTests {
        private let offline = SignInError(.token, .transport(.unreachable))

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A model that has not looked for a session is in the state restoring")
        func untouched() {
            #expect(SignInModel(Steps().source).state == .restoring)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A model that finds no stored session is signed out")
        func empty() async {
            let model = SignInModel(Steps().source)
            await model.restore()
            #expect(model.state == .signedOut && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A stored session is there after looking")
        func restored() async {
            let model = SignInModel(Steps(restore: { "ada" }).source)
            await model.restore()
            #expect(model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A locked device has a state of its own, and the session is restored after the unlock")
        func locked() async {
            let isLocked = Lock(true)
            let model = SignInModel(
                Steps(restore: {
                    if isLocked.withLock({ $0 }) { throw SignInError(.storage, .storage(.locked)) }
                    return "ada"
                }).source
            )
            await model.restore()
            #expect(model.state == .locked && model.failure == nil)
            isLocked.withLock { $0 = false }
            await model.restore()
            #expect(model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A store that cannot be read is a failure, and signing in is still possible")
        func corrupted() async {
            let steps = Steps(restore: { throw SignInError(.storage, .storage(.corrupted)) })
            let model = SignInModel(steps.source)
            await model.restore()
            let failure = SignInFailure(SignInError(.storage, .storage(.corrupted)), .restore)
            #expect(model.state == .failed(failure) && model.failure == failure)
            steps.signIns.yield(.success("ada"))
            await model.signIn()
            #expect(model.state == .signedIn("ada", .current) && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A sign-in is in the state signingIn until the user is signed in")
        func signIn() async {
            let steps = Steps()
            let model = SignInModel(steps.source)
            await model.restore()
            async let done: Void = model.signIn()
            // It begins on another thread, whenever that gets its turn.
            await changed(model) { $0.state == .signingIn }
            steps.signIns.yield(.success("ada"))
            await done
            #expect(model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A second tap joins the first")
        func secondTap() async {
            let count = Lock(0)
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let source = SignInSource<String>(
                restore: { nil },
                signIn: {
                    count.withLock { $0 += 1 }
                    for await _ in gate { break }
                    return "ada"
                },
                signOut: { _ in }
            )
            let model = SignInModel(source)
            // In this order on the main actor: both are at the door before it opens.
            let taps = [Task { await model.signIn() }, Task { await model.signIn() }]
            await Task { _ = opening.yield() }.value
            for tap in taps { await tap.value }
            #expect(count.withLock { $0 } == 1 && model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Two taps during a restore show one sign-in page")
        func tapsDuringRestore() async {
            let count = Lock(0)
            let (looking, found) = AsyncStream<Void>.makeStream()
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let model = SignInModel(
                SignInSource<String>(
                    restore: {
                        for await _ in looking { break }
                        return nil
                    },
                    signIn: {
                        count.withLock { $0 += 1 }
                        for await _ in gate { break }
                        return "ada"
                    },
                    signOut: { _ in }
                )
            )
            let look = Task { await model.restore() }
            let taps = [Task { await model.signIn() }, Task { await model.signIn() }]
            await Task { _ = found.yield() }.value
            await look.value
            await changed(model) { $0.state == .signingIn }
            opening.finish()
            for tap in taps { await tap.value }
            #expect(count.withLock { $0 } == 1 && model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A tap during a restore that finds a session shows no sign-in page")
        func tapBeforeRestored() async {
            let (looking, found) = AsyncStream<Void>.makeStream()
            let model = SignInModel(
                SignInSource<String>(
                    restore: {
                        for await _ in looking { break }
                        return "ada"
                    },
                    signIn: {
                        Issue.record("a page")
                        return "grace"
                    },
                    signOut: { _ in }
                )
            )
            let look = Task { await model.restore() }
            let tap = Task { await model.signIn() }
            await Task { _ = found.yield() }.value
            await look.value
            await tap.value
            #expect(model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Dismissing a failure while the next page is open shows the page's state")
        func dismissedDuringSignIn() async {
            let steps = Steps()
            let model = SignInModel(steps.source)
            steps.signIns.yield(.failure(offline))
            await model.signIn()
            let again = Task { await model.signIn() }
            await changed(model) { $0.state == .signingIn }
            model.dismissFailure()
            #expect(model.state == .signingIn)
            steps.signIns.yield(.failure(SignInError(.authorization, .cancelled)))
            await again.value
            #expect(model.state == .signedOut && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A user who closes the sign-in page returns to the state before, without a failure")
        func quietCancel() async {
            let steps = Steps()
            let model = SignInModel(steps.source)
            await model.restore()
            steps.signIns.yield(.failure(SignInError(.authorization, .cancelled)))
            await model.signIn()
            #expect(model.state == .signedOut && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A user who signs in again and closes the page is still signed in")
        func quietCancelOfAnother() async {
            let steps = Steps(restore: { "ada" })
            let model = SignInModel(steps.source)
            await model.restore()
            steps.signIns.yield(.failure(SignInError(.authorization, .cancelled)))
            await model.signIn()
            #expect(model.state == .signedIn("ada", .current))
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A page that is closed before the first restore ends in the state signedOut")
        func quietCancelAtFirst() async {
            let steps = Steps()
            let model = SignInModel(steps.source)
            steps.signIns.yield(.failure(SignInError(.authorization, .cancelled)))
            await model.signIn()
            #expect(model.state == .signedOut)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("An app that comes to the front three times restores the session once")
        func looksOnce() async {
            let count = Lock(0)
            let model = SignInModel(
                Steps(restore: {
                    count.withLock { $0 += 1 }
                    return nil
                }).source
            )
            for _ in 0..<3 { model.cameToFront() }
            await changed(model) { $0.state == .signedOut }
            for _ in 0..<10 { await Task.yield() }
            #expect(count.withLock { $0 } == 1 && model.state == .signedOut)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Cancelling a sign-in from the app closes the page")
        func cancelSignIn() async {
            let model = SignInModel(Steps().source)
            await model.restore()
            async let done: Void = model.signIn()
            await changed(model) { $0.state == .signingIn }
            model.cancelSignIn()
            await done
            #expect(model.state == .signedOut && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("When the task that waits is cancelled, so is the sign-in")
        func cancelledTask() async {
            let model = SignInModel(Steps().source)
            await model.restore()
            let waiting = Task { await model.signIn() }
            await changed(model) { $0.state == .signingIn }
            waiting.cancel()
            await waiting.value
            #expect(model.state == .signedOut)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A sign-in failure stays until it is dismissed")
        func failed() async {
            let steps = Steps()
            let model = SignInModel(steps.source)
            steps.signIns.yield(.failure(offline))
            await model.signIn()
            let failure = SignInFailure(offline, .signIn)
            #expect(model.state == .failed(failure) && model.failure == failure)
            model.dismissFailure()
            #expect(model.state == .signedOut && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A wrong configuration is a failure of the sign-in, and does not trap")
        func configuration() async {
            let model = SignInModel<Session>(
                try SignInSource(SignInClient(issuer: "http://id.example.com", clientID: "", redirectURI: "a_b:/c"))
            )
            await model.signIn()
            #expect(model.failure?.advice == .tellMaker)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Signing out ends the session, and a store that refuses keeps it")
        func signOut() async {
            let isFull = Lock(true)
            let steps = Steps(
                restore: { "ada" },
                signOut: { _ in
                    if isFull.withLock({ $0 }) { throw SignInError(.storage, .storage(.unavailable)) }
                }
            )
            let model = SignInModel(steps.source)
            await model.restore()
            await model.signOut()
            #expect(model.state == .signedIn("ada", .current) && model.failure?.occasion == .signOut)
            isFull.withLock { $0 = false }
            await model.signOut()
            #expect(model.state == .signedOut && model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Signing out without a session does nothing")
        func signOutOfNothing() async {
            let model = SignInModel(Steps(signOut: { _ in Issue.record("signed out") }).source)
            await model.restore()
            await model.signOut()
            #expect(model.state == .signedOut)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A session whose refresh fails offline stays signed in as stale")
        func stale() async {
            let steps = Steps(restore: { "ada" })
            let model = SignInModel(steps.source)
            await model.restore()
            steps.changes.yield(.stale)
            await changed(model) { $0.state == .signedIn("ada", .stale) }
            steps.changes.yield(.current)
            await changed(model) { $0.state == .signedIn("ada", .current) }
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A session that the provider ended is signed out with a failure")
        func ended() async {
            let steps = Steps(restore: { "ada" })
            let model = SignInModel(steps.source)
            await model.restore()
            steps.changes.yield(.ended)
            await changed(model) { $0.state == .signedOut }
            #expect(model.failure?.occasion == .sessionEnd && model.failure?.advice == .signInAgain)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A session that the user ended elsewhere is signed out without a failure")
        func closed() async {
            let steps = Steps(restore: { "ada" })
            let model = SignInModel(steps.source)
            await model.restore()
            steps.changes.yield(.closed)
            await changed(model) { $0.state == .signedOut }
            #expect(model.failure == nil)
        }

        /// Lets what is under way go on until a model is as expected; the time limit is the end of it.
        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        private func changed(
            _ model: SignInModel<String>,
            _ condition: (SignInModel<String>) -> Bool
        ) async {
            while !condition(model), !Task.isCancelled { await Task.yield() }
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    extension SignInModel {
        /// Whether the view may be out of date.
        fileprivate var isStale: Bool { if case .signedIn(_, .stale) = state { true } else { false } }
    }

    @Suite("The sign-in model with a client", .timeLimit(.minutes(5)))
    @MainActor
    struct SignInModelClientTests {
        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Sign in, read the claims, start again, sign out")
        func whole() async throws {
            let world = try SwiftUIWorld()
            let model = try world.model()
            await model.restore()
            #expect(model.state.account == nil && model.claims == nil)
            await model.signIn()
            #expect(model.claims?["sub"]?.string == "alice-subject")

            let later = try world.model()
            await later.restore()
            #expect(later.claims?["sub"]?.string == "alice-subject")
            await later.signOut()
            #expect(later.state.account == nil)

            let last = try world.model()
            await last.restore()
            #expect(last.state.account == nil && last.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Claims are read without a network")
        func offlineClaims() async throws {
            let world = try SwiftUIWorld()
            await (try world.model()).signIn()
            let offline = ScriptedUserAgent { _, _ throws(SignInError) in
                throw SignInError(.authorization, .cancelled)
            }
            let sent = world.network.requests.count
            let model = try world.model(offline)
            await model.restore()
            #expect(model.claims?["sub"]?.string == "alice-subject")
            #expect(world.network.requests.count == sent)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("Without a network the session is stale, and current again with one")
        func stale() async throws {
            let world = try SwiftUIWorld()
            let model = try world.model()
            await model.signIn()
            let session = try #require(model.state.account)
            world.clock.advance(by: .seconds(86_400))
            world.network.lose(to: "/token", .beforeProcessing, with: .unreachable)
            await #expect(throws: SignInError.self) { _ = try await session.accessToken() }
            while !model.isStale, !Task.isCancelled { await Task.yield() }
            #expect(model.claims?["sub"]?.string == "alice-subject" && model.failure == nil)
            world.clock.advance(by: .seconds(3600))
            try await session.refresh()
            while model.isStale, !Task.isCancelled { await Task.yield() }
            #expect(model.state.account === session)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A refresh token that the server revoked ends the session in use with a failure")
        func ended() async throws {
            let world = try SwiftUIWorld()
            let model = try world.model()
            await model.signIn()
            let session = try #require(model.state.account)
            try await world.client().revoke(try #require(session.tokens.refreshToken), kind: .refreshToken)
            await #expect(throws: SignInError.self) { try await session.refresh() }
            while model.state.account != nil, !Task.isCancelled { await Task.yield() }
            #expect(model.failure?.occasion == .sessionEnd)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A sign-out elsewhere in the app signs the model out without a failure")
        func signedOutElsewhere() async throws {
            let world = try SwiftUIWorld()
            let model = try world.model()
            await model.signIn()
            try await model.state.account?.signOut()
            while model.state.account != nil, !Task.isCancelled { await Task.yield() }
            #expect(model.failure == nil)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test("A URL that the app is opened with ends the sign-in that waits for it, and no other is taken")
        func openURL() async throws {
            let world = try SwiftUIWorld()
            let (pages, shown) = AsyncStream<URL>.makeStream()
            let model = try world.model(
                ForwardingUserAgent(world.redirects, opening: { url throws(SignInError) in shown.yield(url) })
            )
            async let done: Void = model.signIn()
            let page = try #require(await first(of: pages))
            let redirect = try await world.person.attempt(awaiting: try RedirectURI("com.example.app:/callback"))
                .open(page, accepting: .any)
            #expect(!model.open(try #require(URL(string: "com.example.app:/elsewhere"))))
            #expect(model.open(redirect))
            await done
            #expect(model.claims?["sub"]?.string == "alice-subject")
            #expect(!model.open(redirect))
        }
    }
#endif
