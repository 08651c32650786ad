import NIOCore

/// The ports that a starting service has bound.
final class Ports: Sendable {
    enum Name: Hashable, Sendable { case world, admin }

    private let bound: AsyncStream<(Name, Int)>
    private let note: AsyncStream<(Name, Int)>.Continuation

    init() { (bound, note) = AsyncStream.makeStream() }

    /// Records a bound port.
    func note(_ channel: any Channel, as name: Name) {
        if let port = channel.localAddress?.port { note.yield((name, port)) }
    }

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
