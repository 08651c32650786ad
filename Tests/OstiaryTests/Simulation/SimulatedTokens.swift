import Foundation
import Ostiary

/// Tokens that are numbers: a later one of the provider has a larger number.
struct SimulatedTokens: RefreshableTokens {
    struct AccessToken: Sendable, Equatable {
        var serial: Int
        var expiry: Date
    }

    var refreshToken: Int?
    var refreshTokenExpiry: Date?
    var access: [Int: AccessToken]

    func accessToken(for target: Int) -> Int? { access[target]?.serial }

    /// The user, if all sign-ins are of one; otherwise each is of another, and late tokens have to be revoked.
    var onlyUser: String?

    func isOfAnotherUser(than other: SimulatedTokens) -> Bool { onlyUser == nil || onlyUser != other.onlyUser }

    func isFresh(for target: Int, at reading: ClockReading, lasting validity: TokenValidity) -> Bool {
        guard let token = access[target] else { return false }
        switch validity {
        case .atLeast(let seconds), .usually(let seconds):
            return reading.date.addingTimeInterval(seconds) < token.expiry
        }
    }
}

/// Random numbers that are the same for the same seed on every machine (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
        // Else the numbers of one seed would be those of the next, one place on.
        state = next() ^ 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53 as UInt64) }

    /// Whether something of a given chance happens.
    mutating func happens(_ chance: Double) -> Bool { fraction() < chance }

    /// A number from 0 up to another one.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
