import OstiaryOAuth
import Synchronization

extension SignInClient {
    /// Waits until this client's requests under way are answered and their tokens are stored.
    ///
    /// A program calls it before it ends. A code and a rotating refresh token are valid once: when the process ends after
    /// such a request has left and before its response is stored, the user has to sign in again. A refresh goes on when
    /// its caller is cancelled, and so does the redemption of a code; both are waited for here, with the store's retries. A
    /// refresh that has lost its last caller before its request left sends nothing and is not waited for, and neither are
    /// revocations: what could not be revoked is stored, and ``retryRevocations()`` revokes it later.
    ///
    /// Cancelling the caller's task does not end the waiting.
    ///
    ///     if await !client.settle() { logger.error("The session may be lost.") }
    ///
    /// - Parameter limit: How long to wait. Default 20 seconds: longer than one request may take.
    /// - Returns: Whether everything is stored; `false` when the limit was reached first.
    @discardableResult
    public func settle(within limit: Duration = .seconds(20)) async -> Bool {
        await work.settle(within: limit / .seconds(1), by: device)
    }

    /// Waits until the requests under way of every client in this process are answered and their tokens are stored, those
    /// of front doors included.
    ///
    /// - Parameter limit: As for ``settle(within:)``.
    /// - Returns: As ``settle(within:)``.
    @discardableResult
    public static func settleAll(within limit: Duration = .seconds(20)) async -> Bool {
        await UnsettledWork.ofProcess.settle(within: limit / .seconds(1), by: .system)
    }

    /// Carries work through to its end, though its caller is cancelled meanwhile.
    ///
    /// - Throws: `cancelled` when the caller was cancelled before it began; what the work throws.
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

/// A value that is used up once, for a closure that may be called any number of times.
final class UsedOnce<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming Value) { self.value = Mutex(value) }

    /// The value for the first caller; `nil` for every other.
    func take() -> Value? { value.withLock { $0.take() } }
}
