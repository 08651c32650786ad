public import Ostiary
import OstiaryCompatibility
public import OstiaryOAuth

/// The HTTP transport of every request of this face, as AppAuth's `OIDURLSessionProvider` has a URL session.
public enum OIDTransportProvider {
    private static let standard = URLSessionTransport()
    private static let chosen = Lock<(any HTTPTransport)?>(nil)
    @TaskLocal private static var scoped: Surroundings?

    /// The transport of the requests that begin now.
    public static var transport: any HTTPTransport { surroundings.transport }

    /// Sets the transport for the whole process.
    ///
    /// - Parameter transport: `nil` sets the default, a `URLSessionTransport`.
    public static func setTransport(_ transport: (any HTTPTransport)?) { chosen.withLock { $0 = transport } }

    /// Runs an operation whose requests use a transport and a clock of their own, as in a test.
    ///
    /// Calls that the operation makes count, with a callback or without; calls from a callback do not.
    public static func withTransport<Outcome>(
        _ transport: any HTTPTransport,
        clock: DeviceClock = .system,
        operation: () async throws -> Outcome
    ) async rethrows -> Outcome {
        try await $scoped.withValue(Surroundings(transport: transport, clock: clock)) { try await operation() }
    }

    static func within<Outcome>(
        _ surroundings: Surroundings,
        _ operation: () async throws(SignInError) -> Outcome
    ) async throws(SignInError) -> Outcome {
        let result = await $scoped.withValue(surroundings) { () async -> Result<Outcome, SignInError> in
            do throws(SignInError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    static var surroundings: Surroundings {
        scoped ?? Surroundings(transport: chosen.withLock { $0 } ?? standard, clock: .system)
    }
}

/// The outside world of one operation.
struct Surroundings: Sendable {
    let transport: any HTTPTransport
    let clock: DeviceClock
}
