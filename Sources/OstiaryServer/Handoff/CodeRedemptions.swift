public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Redeems codes at most once, among all instances of a service, and gives who asks again the same answer.
///
/// An app whose connection broke sends its request again. The second one waits for the first, and hears what that one heard; it is
/// never a second redemption, which a server takes for a theft (RFC 6749 section 4.1.2). A code whose redeemer died is gone; one
/// that was certainly not redeemed is not.
public struct CodeRedemptions: Sendable {
    /// What trying to redeem a code came to.
    public enum Redemption: Sendable, Hashable {
        /// The code was redeemed or refused, or nobody knows: the answer is kept, and the code is used.
        case settled([UInt8])
        /// The code was certainly not redeemed, such as when the server was not reached or was too busy: the answer is
        /// given once, and who asks again has the code tried again.
        case postponed([UInt8])
    }

    /// What a request with a code comes to.
    public enum Outcome: Sendable, Hashable {
        /// This is the answer: of this redemption, or of the one before.
        case answered([UInt8])
        /// Another request had the code, its answer is no longer given, or its redeemer died.
        case used
        /// The redemption is under way, and took longer than anybody waits.
        case underWay
    }

    private let store: any RedemptionStore
    private let sealing: SealingKeys
    private let answerLifetime: Double
    private let memory: Double
    private let redemptionTime: Double
    private let patience: Double
    private let clock: DeviceClock

    /// Makes redemptions.
    ///
    /// - Parameters:
    ///   - store: One that all instances share.
    ///   - sealing: Seals the answers, which are about persons.
    ///   - answerLifetime: How long an answer is given again, in seconds. Default 120.
    ///   - memory: How long a code is remembered as used, in seconds; longer than any code lives. Default an hour.
    ///   - redemptionTime: How long a redemption may take, in seconds: after that its redeemer has died, and the code is used.
    ///     Default 60.
    ///   - patience: How long a repeated request waits for the first one, in seconds. Default 10.
    ///   - clock: The time, and the waiting. Default: the system's.
    public init(
        store: any RedemptionStore,
        sealing: SealingKeys,
        answerLifetime: Double = 120,
        memory: Double = 3600,
        redemptionTime: Double = 60,
        patience: Double = 10,
        clock: DeviceClock = .server
    ) {
        self.store = store
        self.sealing = sealing
        self.answerLifetime = answerLifetime
        self.memory = max(memory, answerLifetime)
        self.redemptionTime = redemptionTime
        self.patience = patience
        self.clock = clock
    }

    /// The answer to a request with a code, which is redeemed if nobody did yet.
    ///
    /// - Parameters:
    ///   - code: The code, with whose it is.
    ///   - request: All that was asked, the code too.
    ///   - redeem: Tries to redeem the code; an answer that settles it, good or bad, is kept.
    /// - Throws: What the store throws. When it was asked before the redemption, nothing is redeemed; when after it, and it
    ///   does not come back while a redemption may take, the answer is lost, and the code with it.
    public func outcome(
        code: StoreDigest,
        request: StoreDigest,
        redeeming redeem: () async throws(StorageFailure) -> Redemption
    ) async throws(StorageFailure) -> Outcome {
        let began = clock.uptime()
        var pause = 0.02
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
                    // The code is used, so a store that comes back in time still gets its answer.
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
                    try await store.giveBack(code, for: request)
                    return .answered(answer)
                }
            case .answered(let sealed): return .answered(try sealing.open(sealed, for: request))
            case .used: return .used
            case .underWay:
                guard clock.uptime() - began < patience else { return .underWay }
                do { try await clock.sleep(pause) } catch { return .underWay }
                pause = min(pause * 2, 0.5)
            }
        }
    }
}
