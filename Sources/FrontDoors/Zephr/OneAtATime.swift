import Ostiary
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lets one in at a time.
final class OneAtATime: Sendable {
    private let isTaken = Mutex(false)

    /// Whether nobody was in.
    func enter() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func leave() { isTaken.withLock { $0 = false } }
}

extension UserAgentAttempt {
    /// Shows a page for as long as the app allows.
    func open(_ url: URL, within deadline: Duration) async throws(SignInError) -> URL {
        let result = await withTaskGroup(of: Result<URL, SignInError>?.self) { group in
            group.addTask {
                do throws(SignInError) { return .success(try await open(url)) } catch { return .failure(error) }
            }
            group.addTask {
                do { try await Task.sleep(for: deadline) } catch { return nil }
                return .failure(SignInError(.authorization, .timedOut))
            }
            defer { group.cancelAll() }
            while let first = await group.next() {
                if let first { return first }
            }
            return .failure(SignInError(.authorization, .cancelled))
        }
        return try result.get()
    }
}
