import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Redeems codes at most once among all instances of a service, and repeats the response to a repeated request.
///
/// An app whose connection broke sends its request again. The repeated request waits for the first one and gets the
/// same response. It is never a second redemption, which an authorization server treats as an attack (RFC 6749 section
/// 4.1.2). If the redeeming instance crashes, the code is lost, unless it was certainly not redeemed.
public struct CodeRedemptions: Sendable {
    /// The result of a redemption attempt.
    public enum Redemption: Sendable, Hashable {
        /// The code was redeemed or rejected, or the result is unknown: the response is stored, and the code is used.
        case settled([UInt8])
        /// The code was certainly not redeemed, such as when the server was unreachable or overloaded: the response is
        /// given once, and a repeated request tries the code again.
        case postponed([UInt8])
    }

    /// The outcome of a request with a code.
    public enum Outcome: Sendable, Hashable {
        /// The response: of this redemption, or of an earlier one.
        case answered([UInt8])
        /// Another request redeemed the code, its response has expired, or the redeeming instance crashed.
        case used
        /// The redemption is in progress and took longer than a request waits.
        case underWay
    }

    /// The longest duration of a sign-in's redemption.
    ///
    /// The time limits of its requests for metadata, tokens (twice) and keys, and of storing its session, add up to 80
    /// seconds; the clocks of two instances may differ by 20.
    static let signInTime = Duration.seconds(120)

    private let store: any RedemptionStore
    private let sealing: SealingKeys
    private let answerLifetime: Double
    private let memory: Double
    private let redemptionTime: Double
    private let patience: Double
    private let clock: DeviceClock

    /// Configures redemptions.
    ///
    /// - Parameters:
    ///   - store: A store that all instances share.
    ///   - sealing: Seals the responses, which contain user data.
    ///   - answerLifetime: The time for which a response is repeated. Default: two minutes.
    ///   - memory: The time for which a code is remembered as used; longer than any code's lifetime. Default: an
    ///     hour.
    ///   - redemptionTime: The longest duration of a redemption; after it the redeeming instance counts as crashed,
    ///     and the code as used. Default: a minute.
    ///   - patience: The time for which a repeated request waits for the first one. Default: ten seconds.
    ///   - clock: The time, and the waiting. Default: the system's.
    public init(
        store: any RedemptionStore,
        sealing: SealingKeys,
        answerLifetime: Duration = .seconds(120),
        memory: Duration = .seconds(3600),
        redemptionTime: Duration = .seconds(60),
        patience: Duration = .seconds(10),
        clock: DeviceClock = .server
    ) {
        self.store = store
        self.sealing = sealing
        self.answerLifetime = answerLifetime.inSeconds
        self.memory = max(memory, answerLifetime).inSeconds
        self.redemptionTime = redemptionTime.inSeconds
        self.patience = patience.inSeconds
        self.clock = clock
    }

    /// The outcome of a request with a code, which is redeemed unless it was before.
    ///
    /// - Parameters:
    ///   - code: The digest of the code and its owner.
    ///   - request: The digest of all parameters of the request, including the code.
    ///   - redeem: Tries to redeem the code; a response that settles it, successful or not, is stored.
    /// - Returns: The response to send, or the reason that there is none.
    /// - Throws: The store's failure. If it occurs before the redemption, nothing is redeemed. If it occurs afterwards
    ///   and persists for the duration of a redemption, the response and the code are lost.
    public func outcome(
        code: StoreDigest,
        request: StoreDigest,
        redeeming redeem: () async throws(StorageFailure) -> Redemption
    ) async throws(StorageFailure) -> Outcome {
        let began = clock.uptime()
        var pause = Duration.milliseconds(20)
        while true {
            let now = clock.now()
            let claim = try await store.claim(
                code,
                for: request,
                until: now.addingTimeInterval(memory),
                answeredBy: now.addingTimeInterval(redemptionTime),
                now: now
            )
            switch claim {
            case .claimed:
                switch try await redeem() {
                case .settled(let answer):
                    let sealed = try sealing.seal(answer, for: request)
                    // The code is used, so storing the response is retried for as long as a redemption may take.
                    try await clock.repeating(until: now.addingTimeInterval(redemptionTime)) {
                        () async throws(StorageFailure) in
                        let done = clock.now()
                        _ = try await store.record(
                            sealed,
                            of: code,
                            for: request,
                            until: done.addingTimeInterval(answerLifetime),
                            now: done
                        )
                    }
                    return .answered(answer)
                case .postponed(let answer):
                    try await store.release(code, for: request)
                    return .answered(answer)
                }
            case .answered(let sealed): return .answered(try sealing.open(sealed, for: request))
            case .used: return .used
            case .underWay:
                guard clock.uptime() - began < patience else { return .underWay }
                do { try await clock.sleep(pause) } catch { return .underWay }
                pause = min(pause * 2, .milliseconds(500))
            }
        }
    }
}
