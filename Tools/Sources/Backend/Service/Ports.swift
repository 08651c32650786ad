import NIOCore
import Synchronization

/// The ports that a starting service has bound.
final class Ports: Sendable {
    enum Name: Hashable, Sendable { case world, admin }

    private let bound: AsyncStream<(Name, Int)>
    private let note: AsyncStream<(Name, Int)>.Continuation
    private let names = Mutex<Set<Name>>([])

    init() { (bound, note) = AsyncStream.makeStream() }

    /// Records a bound port.
    func note(_ channel: any Channel, as name: Name) {
        guard let port = channel.localAddress?.port else { return }
        names.withLock { _ = $0.insert(name) }
        note.yield((name, port))
    }

    /// Whether a port has been bound.
    func isBound(_ name: Name) -> Bool { names.withLock { $0.contains(name) } }

    /// Ends the wait: no more ports will be bound.
    func finish() { note.finish() }

    /// Waits for ports; `nil` when the service ended first.
    func all(_ names: Set<Name>) async -> [Name: Int]? {
        var found: [Name: Int] = [:]
        for await (name, port) in bound {
            found[name] = port
            if names.isSubset(of: found.keys) { return found }
        }
        return nil
    }
}
