import Foundation
import OstiaryCompatibility

/// A server on 127.0.0.1 that writes any bytes, so that it can misbehave as no HTTP library would.
///
/// It speaks plain HTTP/1.1, one thread for each connection, and keeps every request unchanged.
public final class LoopbackServer: Sendable {
    /// Returns the response to one request.
    public typealias Script = @Sendable (Request) -> Answer

    /// The port that it listens on, chosen by the system.
    public let port: Int
    private let greeting: Answer
    private let script: Script
    private let listener: SocketDescriptor
    private let log = Lock(Log())

    struct Log {
        var isStopped = false
        var requests: [Request] = []
        var connections: [Connection] = []
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - greeting: Written on each connection before anything is read.
    ///   - script: Called on a connection's thread for each request.
    /// - Throws: `POSIXError` when no port is available.
    public init(greeting: Answer = [], script: @escaping Script) throws {
        self.greeting = greeting
        self.script = script
        listener = try SocketDescriptor(onLoopback: ())
        try listener.startListening()
        port = try listener.localPort()
        Thread.detachNewThread { [listener, weak self] in
            while let connection = listener.accept(while: { self?.isStopped == false }) {
                guard let server = self else { return }
                server.serve(connection)
            }
        }
    }

    deinit { stop() }

    /// Stops listening and closes every connection.
    public func stop() {
        log.withLock { $0.isStopped = true }
    }

    /// Every request so far, in the order in which they came.
    public var requests: [Request] { log.withLock { $0.requests } }
    /// Every connection so far.
    public var connections: [Connection] { log.withLock { $0.connections } }
    var isStopped: Bool { log.withLock { $0.isStopped } }

    private func serve(_ socket: SocketDescriptor) {
        let index = log.withLock { log in
            log.connections.append(Connection())
            return log.connections.count - 1
        }
        // The thread keeps the script, not the server: a server without a reference stops.
        Thread.detachNewThread { [greeting, script, weak self] in
            let conversation = LoopbackConversation(
                socket: socket,
                goesOn: { self?.isStopped == false },
                note: { change in self?.log.withLock { change(&$0.connections[index]) } }
            )
            defer { conversation.close() }
            guard conversation.write(greeting) else { return }
            while let (head, body) = conversation.readRequest() {
                guard let request = self?.record(head: head, body: body), conversation.write(script(request)) else {
                    return
                }
            }
        }
    }

    private func record(head: String, body: [UInt8]) -> Request {
        log.withLock { log in
            let request = Request(number: log.requests.count, head: head, body: body)
            log.requests.append(request)
            return request
        }
    }
}

extension LoopbackServer {
    /// A request as it came.
    public struct Request: Sendable, Hashable {
        /// The number of earlier requests.
        public let number: Int
        /// The request line and the header fields, without the empty line at the end.
        public let head: String
        /// The body.
        public let body: [UInt8]

        /// The method.
        public var method: String { requestLine.first.map { String($0) } ?? "" }
        /// The path and the query, as sent.
        public var target: String { requestLine.dropFirst().first.map { String($0) } ?? "" }
        private var requestLine: [Substring] { head.prefix { $0 != "\r\n" }.split(separator: " ") }

        /// The values of every field of a name, in any case, in the order in which they came.
        public func values(of name: String) -> [String] {
            head.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// The state of a connection.
    public struct Connection: Sendable, Hashable {
        /// Bytes that the system took over for sending; some of them may never have left it.
        public internal(set) var bytesWritten = 0
        /// Whether it has ended.
        public internal(set) var isClosed = false
        /// Whether it was the client that ended it.
        public internal(set) var isClosedByClient = false
    }

    /// The response to write, step by step.
    public struct Answer: Sendable, ExpressibleByArrayLiteral {
        /// One step on a connection.
        public enum Step: Sendable {
            /// Write bytes.
            case bytes([UInt8])
            /// Write bytes again and again until the client closes.
            case endlessly([UInt8])
            /// Write bytes again and again, with pauses, until the client closes.
            case trickle([UInt8], every: Duration)
            /// Write nothing for a while.
            case pause(Duration)
            /// Write nothing until the client closes.
            case silence
            /// Close the connection.
            case close
        }

        /// The steps, in this order; the connection stays open for a further request unless one of them ends it.
        public var steps: [Step]
        /// Makes a response of steps.
        public init(steps: [Step]) { self.steps = steps }
        /// Makes a response of steps.
        public init(arrayLiteral elements: Step...) { steps = elements }

        /// An HTTP response whose Content-Length is true.
        ///
        /// - Parameters:
        ///   - status: The status code.
        ///   - fields: Header lines without their line ends, such as `Set-Cookie: a=1`.
        ///   - body: The content, in UTF-8.
        /// - Returns: The answer.
        public static func response(_ status: Int = 200, _ fields: [String] = [], body: String = "") -> Answer {
            [.head(status, fields + ["Content-Length: \(body.utf8.count)"]), .text(body)]
        }
    }
}

extension LoopbackServer.Answer.Step {
    /// The head of an HTTP response, and the empty line.
    public static func head(_ status: Int = 200, _ fields: [String] = []) -> Self {
        .text((["HTTP/1.1 \(status) Status"] + fields + ["", ""]).joined(separator: "\r\n"))
    }

    /// Writes text.
    public static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }
}
