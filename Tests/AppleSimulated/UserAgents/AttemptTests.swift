import AppleWorld
import Foundation
import Ostiary
import OstiaryCompatibility
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("An attempt of the web authentication sheet")
    struct AttemptTests {
        let site: Site

        init() async throws {
            await freshDevice()
            site = try Site()
        }

        @Test(
            "Cancelling the task closes the sheet and ends the sign-in at once",
            arguments: Ambiguity.all
        )
        func taskCancellation(_ ambiguity: Ambiguity) async throws {
            ambiguity.apply()
            device.browser.script = { _ in .wait }
            let client = try site.client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { !device.browser.visited.isEmpty })
            signIn.cancel()
            await #expect(throws: SignInError(.authorization, .cancelled)) { try await signIn.value }
            #expect(device.snapshot.web.open == 0)
            device.browser.script = Site.alice
            _ = try await client.signIn()
            #expect(device.snapshot.violations == [])
        }

        @Test("The browser deadline closes the sheet")
        func deadline() async throws {
            device.browser.script = { _ in .wait }
            let client = try site.client(policy: SessionPolicy(browserDeadline: .milliseconds(20)))
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .timedOut))
            #expect(device.snapshot.web.open == 0)
        }

        @Test("A cancelled task opens no sheet")
        func cancelledBefore() async throws {
            let attempt = try await WebAuthenticationUserAgent().attempt(
                awaiting: try RedirectURI("com.example.app:/callback")
            )
            let url = try #require(URL(string: Site.issuer + "/login"))
            let opening = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await attempt.open(url, accepting: .any)
            }
            await #expect(throws: SignInError(.authorization, .cancelled)) { try await opening.value }
            #expect(device.snapshot.web.opened == 0)
        }

        @Test("A second attempt while a sheet is up fails as alreadyInProgress, and the first continues")
        func secondAttempt() async throws {
            device.browser.script = { _ in .wait }
            let client = try site.client()
            let first = Task { try await client.signIn() }
            #expect(await device.until { !device.browser.visited.isEmpty })
            // Of a session of its own, so that the turns of one session do not refuse it first.
            let other = try site.client(store: MemoryStore())
            let error = await signInFailure { () async throws(SignInError) in _ = try await other.signIn() }
            #expect(error == SignInError(.authorization, .alreadyInProgress))
            #expect(device.snapshot.web.open == 1)
            first.cancel()
            _ = await first.result
            device.browser.script = Site.alice
            _ = try await other.signIn()
        }

        @Test("After a sheet that failed to open the next sign-in can begin")
        func placeIsFree() async throws {
            let client = try site.client()
            device.with { $0.web.refusesToStart = true }
            _ = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            device.with { $0.web.refusesToStart = false }
            await Windows.closeAll()
            let lost = try site.client(userAgent: WebAuthenticationUserAgent(window: .window { nil }))
            _ = await signInFailure { () async throws(SignInError) in _ = try await lost.signIn() }
            await Windows.openInFront()
            _ = try await client.signIn()
        }

        @Test("A second report of the system is dropped and counted", arguments: [true, false])
        func doubleReport(offMain: Bool) async throws {
            device.with {
                $0.ambiguities.webSessionReportsTwice = true
                $0.ambiguities.webSessionReportsOffMain = offMain
            }
            let log = Log()
            let userAgent = WebAuthenticationUserAgent { log.add($0) }
            _ = try await site.client(userAgent: userAgent).signIn()
            #expect(await log.until { $0.dropped == 1 })
            _ = try await site.client(userAgent: userAgent).signIn()
            #expect(await log.until { $0.dropped == 2 })
            #expect(Set(log.opened).count == 2)
        }

        @Test("A report after the cancellation is dropped and counted")
        func lateReport() async throws {
            device.with { $0.web.holdsReports = true }
            let log = Log()
            let client = try site.client(userAgent: WebAuthenticationUserAgent { log.add($0) })
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.heldReports == 1 })
            signIn.cancel()
            await #expect(throws: SignInError(.authorization, .cancelled)) { try await signIn.value }
            #expect(log.dropped == 0)
            device.deliverReports()
            #expect(await log.until { $0.dropped == 1 })
        }

        @Test("A late report completes a sign-in that was not cancelled")
        func slowReport() async throws {
            device.with { $0.web.holdsReports = true }
            let client = try site.client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.heldReports == 1 })
            device.deliverReports()
            #expect(try await signIn.value.identity?.subject == "alice-subject")
        }

        @Test("Every attempt reports its opening and closing under its own identifier")
        func identifiers() async throws {
            let log = Log()
            let userAgent = WebAuthenticationUserAgent { log.add($0) }
            _ = try await site.client(userAgent: userAgent).signIn()
            let id = try #require(log.opened.first)
            #expect(log.events == [.opened(id), .closed(id)])
        }
    }
}

/// The reports of the user agent.
private final class Log: Sendable {
    private let list = Lock<[WebAuthenticationUserAgent.Event]>([])
    private let waiters = SimulatedWaiters()

    func add(_ event: WebAuthenticationUserAgent.Event) {
        list.withLock { $0.append(event) }
        waiters.look()
    }

    func until(_ condition: @escaping @Sendable (Log) -> Bool) async -> Bool {
        await waiters.until { [unowned self] in condition(self) }
    }

    var events: [WebAuthenticationUserAgent.Event] { list.withLock { $0 } }
    var dropped: Int { events.count { if case .droppedReport = $0 { true } else { false } } }
    var opened: [WebAuthenticationUserAgent.Event.AttemptID] {
        events.compactMap { if case .opened(let id) = $0 { id } else { nil } }
    }
}
