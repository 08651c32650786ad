import OstiaryCompatibility
import OstiaryOAuth

extension Replay {
    /// The random source for the client: it returns the recorded `state`, `nonce` and `code_verifier` of the next
    /// sign-in.
    ///
    /// All other numbers differ each time. None of them is secret.
    public var random: @Sendable () -> any RandomNumberGenerator { { self.generator() } }

    private func generator() -> ReplayRandom {
        state.withLock { state in
            state.generators += 1
            let next = signIns.first { signIn in
                (signIn.page ?? signIn.redirect).map { !state.past.contains($0) } ?? false
            }
            return ReplayRandom(next?.words ?? [], seed: state.generators)
        }
    }
}

/// A random number generator that returns recorded numbers first, then pseudorandom ones (SplitMix64).
struct ReplayRandom: RandomNumberGenerator {
    private var words: [UInt64] = []
    private var seed: UInt64

    init(_ values: [[UInt64]?], seed: UInt64) {
        self.seed = seed &* 0x9E37_79B9_7F4A_7C15
        for value in values { words += value ?? (0..<4).map { _ in made() } }
        words.reverse()
    }

    mutating func next() -> UInt64 { words.popLast() ?? made() }

    private mutating func made() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var mixed = seed
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
