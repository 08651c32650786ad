public import HTTPTypes
public import OstiarySSAFY
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server API of SSAFY Verify, version 1, for the confidential client of a partner's backend.
///
/// A token is requested once for each set of scopes, however many calls wait for it, and used until 30 seconds before
/// it expires. A token that the service rejects is requested anew, once for each call. A call that gets 429 or a server
/// error is retried up to three times, after the service's Retry-After or a pause that doubles. A Retry-After beyond
/// the time that the caller allows is not waited for: the error has its `retryAfter`.
public actor SSAFYServerAPI {
    /// A scope of the server API.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        /// Profiles and their changes.
        case readProfiles = "ssafy.profile.read"
        /// Fetching a profile anew.
        case synchronizeProfiles = "ssafy.profile.sync"
        /// Looking users up by name.
        case lookUp = "ssafy.directory.lookup"
        /// Sending messages.
        case sendNotifications = "ssafy.notify.mattermost.send"
        /// The states of messages.
        case readNotifications = "ssafy.notify.mattermost.status"
    }

    private struct Token {
        let value: Secret
        let expiry: Date
    }

    /// The time before its expiry at which a token is no longer used, in seconds.
    private static let margin: Double = 30
    /// The number of retries of a call.
    private static let repetitions = 3

    let configuration: SSAFYServerConfiguration
    private let transport: any HTTPTransport
    private let clock: DeviceClock
    private let longestWait: Duration
    private let jitter: @Sendable () -> Double
    private let context: ExchangeContext
    private var tokens: [Permission: Token] = [:]
    private var flights: [Permission: Task<Result<Token, SignInError>, Never>] = [:]

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: The partner's configuration in the developer portal, with a client secret.
    ///   - transport: The HTTP transport for every request.
    ///   - clock: The clock for time and waiting. Default: the system's.
    ///   - longestWait: The longest time for which a call waits before it is retried, at most a minute: a request handler
    ///     has less. Default: a minute.
    ///   - jitter: A random number from 0 to 1 for each wait. Default: the system's random numbers.
    /// - Throws: `configuration` at stage `token` without a client secret.
    public init(
        _ configuration: SSAFYServerConfiguration,
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        longestWait: Duration = .seconds(60),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) throws(SignInError) {
        guard configuration.clientSecret != nil else {
            throw SignInError(
                .token,
                .configuration("The server API is for confidential clients: give the client secret.")
            )
        }
        self.configuration = configuration
        self.transport = transport
        self.clock = clock
        self.longestWait = min(max(longestWait, .zero), .seconds(60))
        self.jitter = jitter
        context = ExchangeContext(clock: ServerClock(clock), random: { SystemRandomNumberGenerator() })
    }

    /// Calls the API.
    ///
    /// - Parameters:
    ///   - method: GET or POST.
    ///   - path: The path below `/v1`, with the query; its parts have to be escaped.
    ///   - body: JSON for a POST.
    ///   - permission: The scope that the call needs.
    /// - Returns: The `data` of the envelope, or the whole response where there is none.
    /// - Throws: `configuration`; the error of the token request; or the API's response: `refused` with its code and
    ///   request id, `server`, `transport` or `malformed`, at stage `userinfo`.
    public func call(
        _ method: HTTPRequest.Method = .get,
        _ path: String,
        _ body: JSONObject? = nil,
        as permission: Permission
    ) async throws(SignInError) -> JSONObject {
        switch try await answer(method, path, body, as: permission) {
        case .found(let object): return object
        case .missing(let error): throw error
        }
    }

    func answer(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: JSONObject?,
        as permission: Permission
    ) async throws(SignInError) -> SSAFYAPIExchange.Answer {
        guard let url = configuration.url(below: "/v1" + path) else {
            throw SignInError(.userInfo, .configuration("The path has to be escaped."))
        }
        var attempt = 0
        var isRenewed = false
        while true {
            let token = try await token(for: permission)
            let exchange = SSAFYAPIExchange(url: url, method: method, body: body, token: token)
            do throws(SignInError) {
                return try await transport.perform(exchange, in: context)
            } catch {
                if error.reason == .server(status: 401), !isRenewed {
                    isRenewed = true
                    // Another call may have requested a new token already.
                    if tokens[permission]?.value == token { tokens[permission] = nil }
                    continue
                }
                guard attempt < Self.repetitions, Self.isWorthRepeating(error),
                    error.retryAfter ?? .zero <= longestWait
                else { throw error }
                try await wait(attempt, error.retryAfter)
                attempt += 1
            }
        }
    }

    private static func isWorthRepeating(_ error: SignInError) -> Bool {
        switch error.reason {
        case .server(let status): status == 429 || (500...599).contains(status)
        default: false
        }
    }

    /// Waits for the service's Retry-After, or for twice the earlier pause, and up to a quarter more, so that instances
    /// do not return together.
    private func wait(_ attempt: Int, _ asked: Duration?) async throws(SignInError) {
        let pause = asked ?? .milliseconds(500 << attempt)
        do {
            try await clock.sleep(min(pause * (1 + jitter() / 4), longestWait))
        } catch {
            throw SignInError(.userInfo, .cancelled)
        }
    }

    private func token(for permission: Permission) async throws(SignInError) -> Secret {
        if let token = tokens[permission], token.expiry > clock.now() { return token.value }
        let flight: Task<Result<Token, SignInError>, Never>
        if let under = flights[permission] {
            flight = under
        } else {
            // A task of its own: a cancelled caller does not cancel the request of the others.
            flight = Task { await self.fetch(permission) }
            flights[permission] = flight
        }
        return try await flight.value.get().value
    }

    private func fetch(_ permission: Permission) async -> Result<Token, SignInError> {
        defer { flights[permission] = nil }
        var attempt = 0
        while true {
            do throws(SignInError) {
                let asked = clock.now()
                let exchange = SSAFYAPITokenRequest(configuration: configuration, scope: permission.rawValue)
                let (value, lifetime) = try await transport.perform(exchange, in: context)
                let token = Token(value: value, expiry: asked.addingTimeInterval(lifetime - Self.margin))
                tokens[permission] = token
                return .success(token)
            } catch {
                guard attempt < Self.repetitions, Self.isWorthRepeating(error),
                    error.retryAfter ?? .zero <= longestWait
                else { return .failure(error) }
                do throws(SignInError) { try await wait(attempt, error.retryAfter) } catch { return .failure(error) }
                attempt += 1
            }
        }
    }
}
