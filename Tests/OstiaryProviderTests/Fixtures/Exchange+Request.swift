import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Exchange where Self: ~Copyable {
    /// The request at a known time, with known one-time values.
    func request(at time: Date = Date(timeIntervalSince1970: 1_800_000_000)) throws(SignInError) -> EndpointRequest {
        var fresh = Freshness(now: time, random: CountingWords())
        return try request(&fresh)
    }
}

/// A generator whose numbers are known: never outside a test.
struct CountingWords: RandomNumberGenerator {
    private var word: UInt64 = 0
    mutating func next() -> UInt64 {
        word &+= 0x9E37_79B9_7F4A_7C15
        return word
    }
}

extension ExchangeContext {
    /// A context at a known time.
    init(
        clock: ServerClock = ServerClock(DeviceClock(now: { Date(timeIntervalSince1970: 1_800_000_000) })),
        events: @escaping @Sendable (RequestEvent) -> Void = { _ in }
    ) {
        self.init(clock: clock, random: { SystemRandomNumberGenerator() }, events: events)
    }
}

extension HTTPTransport {
    /// Carries out an exchange that shares nothing with others.
    func perform<E: Exchange & ~Copyable>(_ exchange: borrowing E) async throws(SignInError) -> E.Output {
        try await perform(exchange, in: ExchangeContext())
    }
}
