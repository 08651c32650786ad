import Foundation

/// The work of one connection's thread in a ``LoopbackServer``: it reads requests and writes responses.
final class LoopbackConversation {
    private let socket: SocketDescriptor
    private let goesOn: () -> Bool
    private let note: ((inout LoopbackServer.Connection) -> Void) -> Void
    private var unread: [UInt8] = []

    init(
        socket: SocketDescriptor,
        goesOn: @escaping () -> Bool,
        note: @escaping ((inout LoopbackServer.Connection) -> Void) -> Void
    ) {
        self.socket = socket
        self.goesOn = goesOn
        self.note = note
    }

    /// Reads one request with its body; `nil` at the end of the connection.
    func readRequest() -> (head: String, body: [UInt8])? {
        let emptyLine = Array("\r\n\r\n".utf8)
        var headEnd = unread.firstRange(of: emptyLine)
        while headEnd == nil {
            guard readMore() else { return nil }
            headEnd = unread.firstRange(of: emptyLine)
        }
        guard let headEnd else { return nil }
        let head = String(decoding: unread[..<headEnd.lowerBound], as: UTF8.self)
        let length = LoopbackServer.Request(number: 0, head: head, body: []).values(of: "Content-Length").first
        let count = length.flatMap { Int($0) } ?? 0
        unread.removeSubrange(..<headEnd.upperBound)
        while unread.count < count {
            guard readMore() else { return nil }
        }
        let body = Array(unread[..<count])
        unread.removeSubrange(..<count)
        return (head, body)
    }

    /// Writes a response.
    ///
    /// - Returns: Whether the connection can receive a further request.
    func write(_ answer: LoopbackServer.Answer) -> Bool {
        for step in answer.steps {
            switch step {
            case .bytes(let bytes):
                guard write(bytes) else { return false }
            case .endlessly(let bytes):
                while write(bytes) {}
                return false
            case .trickle(let bytes, let interval):
                while write(bytes), !clientCloses(within: interval) {}
                return false
            case .pause(let duration):
                guard !clientCloses(within: duration) else { return false }
            case .silence:
                while goesOn(), !clientCloses(within: .seconds(1)) {}
                return false
            case .close: return false
            }
        }
        return goesOn()
    }

    /// Notes the end; the socket closes when this value goes.
    func close() { note { $0.isClosed = true } }

    private func readMore() -> Bool {
        guard let bytes = socket.read(while: goesOn) else { return false }
        unread += bytes
        if bytes.isEmpty { note { $0.isClosedByClient = true } }
        return !bytes.isEmpty
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        let written = socket.write(bytes, while: goesOn)
        let isWhole = written == bytes.count
        let isStopped = !goesOn()
        note {
            $0.bytesWritten += written
            if !isWhole, !isStopped { $0.isClosedByClient = true }
        }
        return isWhole && !isStopped
    }

    private func clientCloses(within duration: Duration) -> Bool {
        let isClosed = socket.isClosed(within: duration, while: goesOn)
        if isClosed { note { $0.isClosedByClient = true } }
        return isClosed
    }
}

extension [UInt8] {
    fileprivate func firstRange(of pattern: [UInt8]) -> Range<Int>? {
        guard count >= pattern.count else { return nil }
        for start in 0...(count - pattern.count) where self[start..<(start + pattern.count)].elementsEqual(pattern) {
            return start..<(start + pattern.count)
        }
        return nil
    }
}
