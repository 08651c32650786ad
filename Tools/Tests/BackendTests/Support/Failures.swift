import OstiaryPostgreSQL
import Synchronization

/// What a store reported.
final class Failures: Sendable {
    private let list = Mutex<[PostgreSQLFailure]>([])

    var all: [PostgreSQLFailure] { list.withLock { $0 } }

    func add(_ failure: PostgreSQLFailure) { list.withLock { $0.append(failure) } }
}
