import HTTPTypes
public import Ostiary
import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A recorder that writes the requests of a client and the responses of a server as a ``Recording``.
///
///     let recorder = ExchangeRecorder()
///     let client = SignInClient(
///         issuer: issuer, client: registered,
///         configuration: SignInClient.Configuration(
///             userAgent: recorder.userAgent(over: userAgent), transport: recorder.transport(over: transport)))
///     _ = try await client.signIn()
///     try Data(recorder.recording).write(to: file)
///
/// A recording leaves out the pages that the user agent loads itself: for a sign-in it has the authorization request
/// and its redirect. Without redaction a recording holds valid tokens, so protect it as you would protect them.
public final class ExchangeRecorder: Sendable {
    /// The values that a recording leaves out.
    public enum Redaction: Sendable, Hashable {
        /// No values: the whole recording can be replayed.
        case none
        /// Every value but those that the protocol needs and that are known to be no secret and not about the user.
        ///
        /// Tokens, codes and the user's identifier are replaced by fingerprints, so that equal values stay equal; all
        /// else is `redacted`, as every parameter, member and header field is that no list here names. A query or a
        /// fragment that cannot be read is left out. Signatures of ID tokens are cut off: such a recording can be
        /// replayed up to the check of the first ID token.
        case secrets
    }

    private struct State {
        var head: JSONObject
        var lines: [[UInt8]]
        var bytes: Int
        var count: Int
        var step: String?
    }

    private let redaction: RecordingRedaction
    private let clock: DeviceClock
    private let state: Lock<State>

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - redaction: The values that the recording leaves out. Default: none.
    ///   - head: Members of the first line, such as `server` and `scenario`.
    ///   - clock: The clock for the times of the exchanges.
    public init(_ redaction: Redaction = .none, head: JSONObject = [:], clock: DeviceClock = .system) {
        self.redaction = RecordingRedaction(redaction)
        self.clock = clock
        var head = head
        if head["steps"]?.array == nil { head["steps"] = [] }
        state = Lock(State(head: head, lines: [], bytes: head.encoded().count, count: 0))
    }

    /// Makes a recorder that continues a recording.
    ///
    /// - Parameters:
    ///   - redaction: The replacement of secrets.
    ///   - recording: An earlier value of ``recording``; its lines stay unchanged.
    ///   - clock: The device's clocks, which date the exchanges.
    /// - Throws: ``RecordingError`` for any other bytes.
    public convenience init(
        _ redaction: Redaction = .none,
        continuing recording: [UInt8],
        clock: DeviceClock = .system
    ) throws {
        var reader = try RecordingReader(recording)
        let head = try reader.head()
        // Bodies in files lie elsewhere, and are neither read nor changed here.
        let count = try reader.exchanges { _ in [] }.count
        self.init(redaction, head: head, clock: clock)
        let lines = recording.split(separator: UInt8(ascii: "\n")).dropFirst().map(Array.init)
        state.withLock { state in
            state.lines = lines
            state.bytes = recording.count
            state.count = count
        }
    }

    /// The JSON Lines so far.
    public var recording: [UInt8] {
        state.withLock { state in
            ([state.head.encoded()] + state.lines).reduce(into: []) { $0 += $1 + [UInt8(ascii: "\n")] }
        }
    }

    /// Begins a command: later exchanges carry its name.
    public func begin(step: String) { state.withLock { $0.step = step } }

    /// Ends the last command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments for the head, without secrets.
    ///   - exit: The exit status.
    ///   - answer: The JSON object that the command printed.
    public func end(arguments: [String] = [], exit: Int = 0, answer: JSONObject? = nil) {
        state.withLock { state in
            var step: JSONObject = [:]
            step["step"] = state.step.map { .string($0) }
            step["arguments"] = .array(redaction.arguments(arguments).map { .string($0) })
            step["exit"] = .integer(exit)
            step["answer"] = answer.map { .object(redaction.answer($0)) } ?? .null
            state.head["steps"] = .array((state.head["steps"]?.array ?? []) + [.object(step)])
        }
    }

    /// The start time for ``add(_:_:from:isBrowser:)``.
    var now: Double { clock.now().timeIntervalSince1970 }

    /// Adds an exchange that began at a time.
    func add(
        _ request: EndpointRequest,
        _ result: Result<EndpointResponse, TransportFailure>,
        from start: Double,
        isBrowser: Bool = false
    ) {
        let took = ((now - start) * 1000).rounded() / 1000
        state.withLock { state in
            typealias Limits = Recording.Limits
            var line: JSONObject = ["n": .integer(state.count + 1)]
            line["step"] = state.step.map { .string($0) }
            line["time"] = .number((start * 1000).rounded() / 1000)
            line["took"] = .number(took)
            line["method"] = .string(request.method.rawValue)
            line["url"] = .string(redaction.url(request.url.absoluteString))
            line["request"] = .object(redaction.message(request.allFields, request.body ?? []))
            switch result {
            case .success(let response):
                var message = redaction.message(
                    response.fields,
                    response.body,
                    .init(ofResponseTo: request)
                )
                message["status"] = .integer(response.status.code)
                line["response"] = .object(message)
            case .failure(let failure): line["failure"] = .string(failure.rawValue)
            }
            if isBrowser { line["browser"] = true }
            let bytes = line.encoded()
            // A line that no replay could read is not written.
            guard state.count < Limits.maximumExchanges, bytes.count <= Limits.maximumLineBytes,
                state.bytes + bytes.count < Limits.maximumBytes - Limits.maximumLineBytes
            else { return }
            state.count += 1
            state.bytes += bytes.count + 1
            state.lines.append(bytes)
        }
    }
}
