import OstiaryCompatibility
import OstiaryOAuth

extension SignInClient {
    /// Waits until the tokens of this client's requests in progress are stored.
    ///
    /// A program calls it before it ends. A code and a rotating refresh token are valid once. When the process ends
    /// after such a request has left and before its response is stored, the user must sign in again. A refresh and the
    /// redemption of a code continue when their caller is cancelled; this method waits for both, and for retries of the
    /// store.
    ///
    /// It does not wait for a refresh that lost its last caller before its request left: that one sends nothing. Nor
    /// does it wait for revocations: tokens still to be revoked are stored, and ``retryRevocations()`` revokes them
    /// later.
    ///
    /// A session tries for two minutes to store its tokens in a store that rejects them. The wait ends with the last
    /// attempt.
    ///
    /// Cancelling the caller's task does not end the wait.
    ///
    ///     if await !client.settle() { logger.error("The session may be lost.") }
    ///
    /// - Parameter limit: The longest wait. Default 20 seconds, which is longer than one request may take.
    /// - Returns: Whether all tokens are stored; `false` when the limit was reached first, or the store rejected them
    ///   for two minutes.
    @discardableResult
    public func settle(within limit: Duration = .seconds(20)) async -> Bool {
        await work.settle(within: limit, by: device)
    }

    /// Waits until the tokens of all requests in progress in this process are stored, including those of front doors.
    ///
    /// - Parameter limit: As for ``settle(within:)``.
    /// - Returns: As ``settle(within:)``.
    @discardableResult
    public static func settleAll(within limit: Duration = .seconds(20)) async -> Bool {
        await UnsettledWork.ofProcess.settle(within: limit, by: .system)
    }

    /// Carries work through to its end even if its caller is cancelled meanwhile.
    ///
    /// - Throws: `cancelled` when the caller was cancelled before the work began; otherwise the error of the work.
    func carryThrough<Output: Sendable>(
        _ act: @escaping @Sendable () async throws(SignInError) -> Output
    ) async throws(SignInError) -> Output {
        guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
        work.begin()
        let task = Task<Result<Output, SignInError>, Never> { [work] in
            defer { work.end() }
            do throws(SignInError) { return .success(try await act()) } catch { return .failure(error) }
        }
        return try await task.value.get()
    }
}

/// A value that can be taken once, for a closure that may be called more than once.
final class UsedOnce<Value: ~Copyable & Sendable>: Sendable {
    private let value: Lock<Value?>

    init(_ value: consuming Value) { self.value = Lock(value) }

    /// Returns the value to the first caller, and `nil` to every other.
    func take() -> Value? { value.withLock { $0.take() } }
}
