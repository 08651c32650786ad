import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: a pending verification", .timeLimit(.minutes(5)))
struct SSAFYPendingTests {
    private static let iss = "iss=https%3A%2F%2Fverify.myknow.xyz"

    /// Starts a verification whose app ends while the page is open, and returns the callback that the user causes.
    private func interrupted(
        _ world: SSAFYWorld,
        redirectURI: String = SSAFYWorld.callback,
        purpose: String = "sign-in",
        answer: String? = nil
    ) async throws -> URL {
        let callback = Lock<URL?>(nil)
        let kept = Lock<[UInt8]?>(nil)
        let person = world.person()
        let key = StoreKey.pending(
            issuer: try Issuer(SSAFYWorld.issuer),
            clientID: "ssafy-partner",
            account: purpose
        )
        let store = world.store
        let verifier = try world.verifier(
            redirectURI: redirectURI,
            userAgent: ScriptedUserAgent { page, redirectURI throws(SignInError) in
                if let answer {
                    let state = SSAFYWorld.query(page)[.state] ?? ""
                    let text = "\(redirectURI)?" + answer.replacing("STATE", with: state)
                    callback.withLock { $0 = URL(string: text) }
                } else {
                    let url = try await person.attempt(awaiting: redirectURI).open(page, accepting: .any)
                    callback.withLock { $0 = url }
                }
                let bytes = try? await store.read(key)
                kept.withLock { $0 = bytes }
                throw SignInError(.authorization, .cancelled)
            }
        ) {
            $0.pendingLifetime = .seconds(600)
            $0.purpose = purpose
        }
        _ = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        // An app that ends does not tidy up: what the store had while the page was open is still there.
        try await store.write(try #require(kept.withLock { $0 }), for: key)
        return try #require(callback.withLock { $0 })
    }

    private func restarted(_ world: SSAFYWorld, purpose: String = "sign-in") throws -> SSAFYVerify {
        try world.verifier(fallback: SSAFYWorld.deepLink) {
            $0.pendingLifetime = .seconds(600)
            $0.purpose = purpose
        }
    }

    @Test("A callback after a restart is verified once", .covers(.ssafy, rows: 25))
    func resumes() async throws {
        let world = try SSAFYWorld()
        let callback = try await interrupted(world)
        let verifier = try restarted(world)
        let result = try await verifier.resume(from: callback)
        #expect(result?.cohort == "15")
        #expect(try await verifier.resume(from: callback) == nil)
        #expect(world.partner.requests.count == 1)
    }

    @Test("A callback to the fallback scheme is resumed after a restart", .covers(.ssafy, rows: 22, 25))
    func resumesAtScheme() async throws {
        let world = try SSAFYWorld()
        let callback = try await interrupted(world, redirectURI: SSAFYWorld.deepLink)
        #expect(try await restarted(world).resume(from: callback)?.cohort == "15")
    }

    @Test(
        "A pending verification expires after ten minutes, and is removed",
        .covers(.ssafy, rows: 25, cites: "V-9")
    )
    func expires() async throws {
        let world = try SSAFYWorld()
        let callback = try await interrupted(world)
        world.clock.advance(by: .seconds(601))
        #expect(try await restarted(world).resume(from: callback) == nil)
        world.clock.advance(by: .seconds(-601))
        #expect(try await restarted(world).resume(from: callback) == nil)
        #expect(world.partner.requests.isEmpty)
    }

    @Test(
        "A URL with another state is not consumed, and the verification stays pending",
        .covers(.ssafy, rows: 25)
    )
    func otherState() async throws {
        let world = try SSAFYWorld()
        let callback = try await interrupted(world)
        let other = URL(string: SSAFYWorld.callback + "?code=0123456789abcdef&state=other&" + Self.iss)!
        let verifier = try restarted(world)
        #expect(try await verifier.resume(from: other) == nil)
        #expect(try await verifier.resume(from: URL(string: "https://elsewhere.example/")!) == nil)
        #expect(try await verifier.resume(from: callback) != nil)
    }

    @Test("Pending verifications of two purposes are kept separate", .covers(.ssafy, rows: 25))
    func purposes() async throws {
        let world = try SSAFYWorld()
        let callback = try await interrupted(world, purpose: "re-authentication")
        #expect(try await restarted(world).resume(from: callback) == nil)
        #expect(try await restarted(world, purpose: "re-authentication").resume(from: callback) != nil)
    }

    @Test("A callback after a restart without iss is rejected", .covers(.ssafy, rows: 8, 25))
    func issuerAfterRestart() async throws {
        let world = try SSAFYWorld()
        let callback = try await interrupted(world, answer: "code=0123456789abcdef&state=STATE")
        let verifier = try restarted(world)
        let error = await thrownError { () throws(VerificationError) in try await verifier.resume(from: callback) }
        #expect(error == VerificationError(.mismatch(.issuer), code: .callbackIssuerMismatch))
    }

    @Test("An error in a callback after a restart keeps its code and request id", .covers(.ssafy, rows: 25, 56))
    func errorAfterRestart() async throws {
        let world = try SSAFYWorld()
        let answer = "error=x&error_code=CONSENT_DENIED&request_id=r-1&state=STATE&" + Self.iss
        let callback = try await interrupted(world, redirectURI: SSAFYWorld.deepLink, answer: answer)
        let verifier = try restarted(world)
        let error = await thrownError { () throws(VerificationError) in try await verifier.resume(from: callback) }
        let id = VerificationRequestID(rawValue: "r-1")
        #expect(error == VerificationError(.cancelled, code: .consentDenied, requestID: id))
    }

    @Test("By default no pending verification is stored", .covers(.ssafy, rows: 25, 53, cites: "V-9"))
    func memoryByDefault() async throws {
        let world = try SSAFYWorld()
        _ = try await world.verifier().verify()
        #expect(world.store.calls(of: .write) == 0)
    }

    @Test(
        "A pending verification is removed after success, a refusal and a cancelled page",
        .covers(.ssafy, rows: 25, cites: "V-9"),
        arguments: ["", "error=x&error_code=CONSENT_DENIED&state=STATE", "cancel"]
    )
    func tidiesUp(_ answer: String) async throws {
        let world = try SSAFYWorld()
        let userAgent: any UserAgent =
            switch answer {
            case "": world.person()
            case "cancel":
                ScriptedUserAgent { _, _ throws(SignInError) in throw SignInError(.authorization, .cancelled) }
            default: SSAFYWorld.answering(answer)
            }
        let verifier = try world.verifier(userAgent: userAgent) { $0.pendingLifetime = .seconds(600) }
        _ = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        let key = StoreKey.pending(
            issuer: try Issuer(SSAFYWorld.issuer),
            clientID: "ssafy-partner",
            account: "sign-in"
        )
        #expect(world.store.calls(of: .write) == 1)
        #expect(try await world.store.read(key) == nil)
    }

    @Test(
        "A store that fails before the page opens fails the verification, and nothing is sent",
        .covers(.ssafy, rows: 25)
    )
    func lockedStore() async throws {
        let world = try SSAFYWorld()
        world.store.failAlways(.write, with: .locked)
        let verifier = try world.verifier { $0.pendingLifetime = .seconds(600) }
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error == VerificationError(.storage(.locked)))
        #expect(world.network.requests.isEmpty)
    }
}

@Suite("SSAFY Verify: in the browser", .timeLimit(.minutes(5)))
struct SSAFYBrowserTests {
    @Test("A user who closes the page cancels the verification", .covers(.ssafy, rows: 26))
    func closed() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(
            userAgent: ScriptedUserAgent { _, _ throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        )
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error == VerificationError(.cancelled))
        #expect(error?.recovery == .retry)
    }

    @Test("A user who denies the consent cancels the verification, with the service's code", .covers(.ssafy, rows: 26))
    func cancelledAtService() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(answer: .deny)
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error?.reason == .cancelled)
        #expect(error?.code == .consentDenied)
        #expect(error?.requestID != nil)
    }

    @Test("A page without an answer fails as timedOut after the deadline", .covers(.ssafy, rows: 26))
    func timeout() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(
            userAgent: ScriptedUserAgent { url, _ throws(SignInError) in
                try? await Task.sleep(for: .seconds(60))
                throw SignInError(.authorization, .cancelled)
            }
        ) { $0.browserDeadline = .milliseconds(1) }
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error == VerificationError(.timedOut, code: .callbackTimeout))
    }

    @Test("A page that cannot be opened fails as presentationFailed", .covers(.ssafy, rows: 20))
    func presentation() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(
            userAgent: ScriptedUserAgent { _, _ throws(SignInError) in
                throw SignInError(.authorization, .configuration("There is no window."))
            }
        )
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error == VerificationError(.presentationFailed, code: .popupFailed))
    }

    @Test(
        "A forwarded link completes the waiting verification, and other links are not consumed",
        .covers(.ssafy, rows: 21)
    )
    func handle() async throws {
        let world = try SSAFYWorld()
        let redirects = ForwardedRedirects()
        let pages = AsyncStream<URL>.makeStream()
        let verifier = try world.verifier(
            userAgent: ForwardingUserAgent(redirects, opening: { pages.continuation.yield($0) }),
            redirects: redirects
        )
        let running = Task { try await verifier.verify() }
        var opened: URL?
        for await page in pages.stream {
            opened = page
            break
        }
        let page = try #require(opened)
        let state = try #require(SSAFYWorld.query(page)[.state])
        #expect(!verifier.handle(URL(string: "https://partner.example.com/elsewhere?state=\(state)")!))
        #expect(!verifier.handle(URL(string: SSAFYWorld.callback + "?error=x&state=other")!))
        let callback = try await world.person().attempt(awaiting: try RedirectURI(SSAFYWorld.callback)).open(
            page,
            accepting: .any
        )
        #expect(verifier.handle(callback))
        #expect(!verifier.handle(callback))
        #expect(try await running.value.cohort == "15")
    }

    @Test(
        "A second verification fails as alreadyInProgress, and the first continues",
        .covers(.ssafy, rows: 26)
    )
    func oneAtATime() async throws {
        let world = try SSAFYWorld()
        let redirects = ForwardedRedirects()
        let pages = AsyncStream<URL>.makeStream()
        let verifier = try world.verifier(
            userAgent: ForwardingUserAgent(redirects, opening: { pages.continuation.yield($0) }),
            redirects: redirects
        )
        let first = Task { try await verifier.verify() }
        for await page in pages.stream {
            let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
            #expect(error == VerificationError(.alreadyInProgress))
            let callback = try await world.person().attempt(awaiting: try RedirectURI(SSAFYWorld.callback)).open(
                page,
                accepting: .any
            )
            #expect(verifier.handle(callback))
            break
        }
        _ = try await first.value
    }

    @Test("After a failed verification the next one can begin", .covers(.ssafy, rows: 26))
    func afterAnyEnd() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(userAgent: SSAFYWorld.answering("state=STATE"))
        for _ in 0..<2 {
            let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
            #expect(error == VerificationError(.missingCode))
        }
    }

    @Test("Cancelling the task of a verification closes the page", .covers(.ssafy, rows: 26))
    func cancelledTask() async throws {
        let world = try SSAFYWorld()
        let closed = Lock(0)
        let opened = AsyncStream<Void>.makeStream()
        let verifier = try world.verifier(
            userAgent: ForwardingUserAgent(
                ForwardedRedirects(),
                opening: { _ in opened.continuation.yield() },
                closing: { closed.withLock { $0 += 1 } }
            )
        )
        let running = Task { await thrownError { () throws(VerificationError) in try await verifier.verify() } }
        for await _ in opened.stream { break }
        running.cancel()
        #expect(await running.value == VerificationError(.cancelled))
        #expect(closed.withLock { $0 } == 1)
    }
}
