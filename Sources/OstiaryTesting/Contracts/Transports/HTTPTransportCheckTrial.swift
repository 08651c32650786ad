import Foundation
import OstiaryCompatibility
import OstiaryOAuth

/// The check of one promise of one transport.
///
/// It holds the servers that it started: a server without a reference stops.
final class HTTPTransportTrial: Sendable {
    let promise: HTTPTransportCheck.Promise
    let transport: any HTTPTransport
    private let servers = Lock<[LoopbackServer]>([])

    init(of promise: HTTPTransportCheck.Promise, transport: any HTTPTransport) {
        self.promise = promise
        self.transport = transport
    }

    deinit {
        servers.withLock { for server in $0 { server.stop() } }
    }

    /// Returns how many bytes of an endless body were written, where that is the question.
    func run() async throws(HTTPTransportCheckFailure) -> Int? {
        switch promise {
        case .sendsRequestAsGiven: try await sendsRequestAsGiven()
        case .sendsFormAsGiven: try await sendsFormAsGiven()
        case .sendsContentAsGiven: try await sendsContentAsGiven()
        case .sendsHead: try await sendsHead()
        case .refusesBodyOfGet: try await refusesBodyOfGet()
        case .refusesOtherSchemes: try await refusesOtherSchemes()
        case .revealsNothingInUserAgent: try await revealsNothingInUserAgent()
        case .returnsStatusAndBody: try await returnsStatusAndBody()
        case .returnsChallenge: try await returnsChallenge()
        case .returnsRepeatedFields: try await returnsRepeatedFields()
        case .returnsSetCookieFieldsApart: try await returnsSetCookieFieldsApart()
        case .skipsInterimAnswer: try await skipsInterimAnswer()
        case .toleratesTrailerFields: try await toleratesTrailerFields()
        case .answersManyAtOnce: try await answersManyAtOnce()
        case .returnsRedirects: try await returnsRedirects()
        case .returnsRedirectWithoutLocation: try await returnsRedirectWithoutLocation()
        case .keepsNoCookies: try await keepsNoCookies()
        case .keepsNoCache: try await keepsNoCache()
        case .acceptsBodyAtLimit: try await acceptsBodyAtLimit()
        case .refusesAnnouncedLargeBody: try await refusesAnnouncedLargeBody()
        case .stopsReadingLargeBody: return try await stopsReadingLargeBody()
        case .stopsReadingLargeChunkedBody: return try await stopsReadingLargeChunkedBody()
        case .boundsDecodedBody: try await boundsDecodedBody()
        case .boundsRedirectBody: return try await boundsRedirectBody()
        case .waitsUntilDeadline: try await waitsUntilDeadline()
        case .endsSilenceAtDeadline: try await endsSilenceAtDeadline()
        case .endsSlowHeadAtDeadline: try await endsSlowHeadAtDeadline()
        case .endsSlowBodyAtDeadline: try await endsSlowBodyAtDeadline()
        case .endsHandshakeAtDeadline: try await endsHandshakeAtDeadline()
        case .endsWhenCancelled: try await endsWhenCancelled()
        case .endsBodyWhenCancelled: try await endsBodyWhenCancelled()
        case .sendsNothingWhenCancelled: try await sendsNothingWhenCancelled()
        case .reportsRefusedConnection: try await reportsRefusedConnection()
        case .reportsUnknownHost: try await reportsUnknownHost()
        case .reportsClosedConnection: try await reportsClosedConnection()
        case .reportsCutHead: try await reportsCutHead()
        case .reportsCutBody: try await reportsCutBody()
        case .reportsGarbage: try await reportsGarbage()
        case .reportsMissingTLS: try await reportsMissingTLS()
        }
        return nil
    }
}

extension HTTPTransportTrial {
    /// The outcome of an exchange.
    enum Outcome: Sendable, CustomStringConvertible {
        case answered(EndpointResponse)
        case failed(TransportFailure)
        case stillRunning

        var description: String {
            switch self {
            case .answered(let response): "it answered \(response)"
            case .failed(let failure): "it failed as \(failure)"
            case .stillRunning: "it did not end"
            }
        }
    }

    /// The time limit of an operation without a deadline of its own.
    static let patience = Duration.seconds(10)

    func broken(_ detail: String) -> HTTPTransportCheckFailure {
        HTTPTransportCheckFailure(promise: promise, detail: detail)
    }

    func require(_ condition: Bool, _ detail: @autoclosure () -> String) throws(HTTPTransportCheckFailure) {
        guard condition else { throw broken(detail()) }
    }

    func server(
        greeting: LoopbackServer.Answer = [],
        script: @escaping LoopbackServer.Script = { _ in .response(body: "ok") }
    ) throws(HTTPTransportCheckFailure) -> LoopbackServer {
        do {
            let server = try LoopbackServer(greeting: greeting, script: script)
            servers.withLock { $0.append(server) }
            return server
        } catch {
            throw broken("the check could not start its server: \(error)")
        }
    }

    /// Sends a request and waits for its end, even on a transport that never ends it.
    ///
    /// The task is cancelled when `cancel` returns.
    func outcome(
        of request: EndpointRequest,
        cancellingAfter cancel: (@Sendable () async -> Void)? = nil
    ) async -> Outcome {
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        let sending = Task { [transport] in
            let outcome: Outcome
            do throws(TransportFailure) {
                outcome = .answered(try await transport.send(request))
            } catch {
                outcome = .failed(error)
            }
            continuation.yield(outcome)
        }
        let waiting = Task {
            try await Task.sleep(for: Self.patience)
            continuation.yield(.stillRunning)
        }
        let cancelling = Task {
            guard let cancel else { return }
            await cancel()
            sending.cancel()
            try await Task.sleep(for: .seconds(5))
            continuation.yield(.stillRunning)
        }
        defer {
            sending.cancel()
            waiting.cancel()
            cancelling.cancel()
        }
        for await outcome in outcomes { return outcome }
        return .stillRunning
    }

    /// Sends a request that must get a response.
    func answer(to request: EndpointRequest) async throws(HTTPTransportCheckFailure) -> EndpointResponse {
        let outcome = await self.outcome(of: request)
        guard case .answered(let response) = outcome else { throw broken("instead of an answer, \(outcome)") }
        return response
    }

    /// Sends a request that must fail.
    func expect(
        _ request: EndpointRequest,
        toFailAs failures: Set<TransportFailure>,
        cancellingAfter cancel: (@Sendable () async -> Void)? = nil
    ) async throws(HTTPTransportCheckFailure) {
        let outcome = await self.outcome(of: request, cancellingAfter: cancel)
        guard case .failed(let failure) = outcome, failures.contains(failure) else {
            let names = failures.map(\.rawValue).sorted().joined(separator: " or ")
            throw broken("instead of failing as \(names), \(outcome)")
        }
    }

    /// Waits for something to become true, at most ``patience`` long.
    func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
        let end = ContinuousClock.now + Self.patience
        while !condition() {
            guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(5))) != nil else { return false }
        }
        return true
    }
}

extension LoopbackServer {
    func request(
        _ target: String = "/",
        scheme: String = "http",
        limit: Int = 65_536,
        deadline: Duration = .seconds(8)
    ) -> EndpointRequest {
        // A URL of a scheme, an address, a port and a path always parses.
        let url = URL(string: "\(scheme)://127.0.0.1:\(port)\(target)") ?? URL(fileURLWithPath: "/")
        return EndpointRequest(url: url, limits: .init(maximumBodyBytes: limit, deadline: deadline))
    }
}
