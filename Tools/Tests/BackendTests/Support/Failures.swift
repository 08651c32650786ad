import OstiaryPostgreSQL
import OstiaryValkey
import Synchronization

/// The failures that a store reported.
final class FailureList<Failure: Error>: Sendable {
    private let list = Mutex<[Failure]>([])

    var all: [Failure] { list.withLock { $0 } }

    func add(_ failure: Failure) { list.withLock { $0.append(failure) } }
}

typealias Failures = FailureList<PostgreSQLFailure>
typealias ValkeyFailures = FailureList<ValkeyFailure>
