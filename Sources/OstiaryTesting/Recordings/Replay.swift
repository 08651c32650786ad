import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A replay of a recording to a client, in place of the recorded server.
///
/// It opens no socket. The clock follows the recording, so that recorded tokens are as old as they were. `state`,
/// `nonce` and `code_verifier` come from the recording, because recorded ID tokens carry the recorded nonce.
///
///     let replay = Replay(try Recording(contentsOf: file))
///     let client = SignInClient(
///         issuer: issuer, client: registered,
///         configuration: SignInClient.Configuration(
///             userAgent: replay.userAgent, transport: replay.transport, store: MemoryStore(),
///             clock: replay.clock, random: replay.random))
///     let session = try await client.signIn()
public final class Replay: Sendable {
    /// The recording to replay.
    public let recording: Recording
    let signIns: [RecordedSignIn]
    let state: Lock<State>

    struct State {
        /// The indices of exchanges that were replayed or skipped.
        var past: Set<Int> = []
        var now: Date
        var sent: [Request] = []
        var generators: UInt64 = 0
    }

    /// A request that the client sent.
    public struct Request: Sendable {
        /// The request.
        public let request: EndpointRequest
        /// The exchange with its response; `nil` when the recording has none.
        public let exchange: Recording.Exchange?
    }

    /// Begins a replay; the clock starts at the time of the first exchange.
    public init(_ recording: Recording) {
        self.recording = recording
        signIns = RecordedSignIn.all(in: recording.exchanges)
        let start = recording.exchanges.first?.time ?? Date(timeIntervalSince1970: 1_800_000_000)
        state = Lock(State(now: start))
    }

    /// Every request of the client so far, in order.
    public var requests: [Request] { state.withLock { $0.sent } }

    /// The requests that the recording has no response for.
    public var unansweredRequests: [EndpointRequest] { requests.filter { $0.exchange == nil }.map(\.request) }

    /// The time of the replay: that of the latest exchange that was replayed.
    public var now: Date { state.withLock { $0.now } }

    /// A device clock with the time ``now``; a wait moves the clock and takes no time.
    public var clock: DeviceClock {
        DeviceClock(
            now: { self.now },
            uptime: { self.now.timeIntervalSince1970 },
            sleep: { pause in
                try Task.checkCancellation()
                self.state.withLock { $0.now += pause.inSeconds }
            }
        )
    }

    /// Skips every exchange before a step, and moves the clock to the first exchange of the step.
    ///
    /// Call it before each command of a recording that has several: the client may need fewer requests than the
    /// recorded one. A step without exchanges changes nothing.
    public func skip(toStep name: String) {
        guard let first = recording.exchanges.firstIndex(where: { $0.step == name }) else { return }
        state.withLock { state in
            state.past.formUnion(0..<first)
            state.now = max(state.now, recording.exchanges[first].time)
        }
    }
}

extension Replay.State {
    /// Takes an exchange as the response.
    mutating func take(_ index: Int, of exchanges: [Recording.Exchange]) {
        past.insert(index)
        // Exchanges overlap, and a clock that went back would put a token of the later one into the future.
        now = max(now, exchanges[index].time)
    }
}
