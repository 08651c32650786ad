import ClientProbe
import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryOAuth
import Synchronization

/// A browser without scripts that signs the development provider's user in, and goes on to the client.
struct ProbeBrowser: Sendable {
    private let issuer: Issuer
    private let trail = Trail()
    private let agent: HTTPUserAgent

    init(issuer: Issuer, name: String, password: Secret) {
        self.issuer = issuer
        agent = HTTPUserAgent(
            transport: TrailingTransport(trail: trail),
            credentials: HTTPUserAgent.Credentials(name: name, password: password)
        )
    }

    /// Opens a URL of the provider, and delivers the redirect to the client.
    func open(_ url: URL) async { await visit(url) }

    /// Whether a URL is one of the provider's.
    func isOfProvider(_ url: URL) -> Bool {
        url.absoluteString.hasPrefix(issuer.description + "/")
    }

    /// Begins at a page of an app, and tells the end from its answer to the redirect.
    func signIn(from url: URL, limit: Duration) async -> ProbeEnd {
        let isOver = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await visit(url)
                return true
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        return isOver ? end : .timedOut
    }

    private func visit(_ url: URL) async {
        // The redirect goes on to the client: the attempt ends at its last page, which has no form.
        guard let unused = try? RedirectURI("http://127.0.0.1:1/never"),
            let attempt = try? await agent.attempt(awaiting: unused)
        else { return }
        _ = try? await attempt.open(url, accepting: RedirectPredicate { _ in false })
    }

    /// The end of an app's sign-in, by the responses after its redirect URI.
    private var end: ProbeEnd {
        let steps = trail.steps
        guard let last = steps.lastIndex(where: { isOfProvider($0.url) }),
            let first = steps.firstIndex(where: { isOfProvider($0.url) })
        else { return .noRedirect }
        let after = steps[(last + 1)...]
        guard let status = after.last?.status else {
            // The app was visited in between, and sent the browser back.
            let between = steps[first...last].contains { !isOfProvider($0.url) }
            return between ? .startedAgain : .noRedirect
        }
        return .answered(status)
    }
}

/// The pages that a browser went through.
private final class Trail: Sendable {
    struct Step: Sendable {
        let url: URL
        /// `nil` without a response.
        let status: Int?
    }

    private let list = Mutex<[Step]>([])

    var steps: [Step] { list.withLock { $0 } }

    func add(_ url: URL, _ status: Int?) { list.withLock { $0.append(Step(url: url, status: status)) } }
}

private struct TrailingTransport: HTTPTransport {
    let trail: Trail

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        do throws(TransportFailure) {
            let response = try await commandTransport.send(request)
            trail.add(request.url, response.status.code)
            return response
        } catch {
            trail.add(request.url, nil)
            throw error
        }
    }
}
