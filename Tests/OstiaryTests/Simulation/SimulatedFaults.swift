/// The faults of a simulation, each with its chance.
struct SimulatedFaults {
    var requestLost = 0.0
    var answerLost = 0.0
    var serverError = 0.0
    var otherRefusal = 0.0
    /// The answer's ID token has to wait for keys.
    var keysMissing = 0.0
    var keysUnreachable = 0.0
    /// The answer is about another session: the server has mixed two up.
    var answerForeign = 0.0
    /// The answer fails a check, and its refresh token is valid.
    var answerUnusable = 0.0
    var readFails = 0.0
    var writeFails = 0.0
    var lockFails = 0.0
    /// Per step of a process.
    var crash = 0.0
    var suspension = 0.0
    var signOut = 0.0
    var newSignIn = 0.0
    var revocation = 0.0
    var cancellation = 0.0
    /// Seconds by which a clock may be wrong.
    var clockError = 0.0

    static let none = SimulatedFaults()

    /// A mix that a seed chooses, so that each kind of fault is also met alone.
    static func mixed(_ random: inout SeededRandom) -> SimulatedFaults {
        var faults = SimulatedFaults()
        func chance(_ random: inout SeededRandom, _ most: Double) -> Double {
            random.happens(0.4) ? random.fraction() * most : 0
        }
        faults.requestLost = chance(&random, 0.3)
        faults.answerLost = chance(&random, 0.3)
        faults.serverError = chance(&random, 0.2)
        faults.otherRefusal = chance(&random, 0.1)
        faults.keysMissing = chance(&random, 0.5)
        faults.keysUnreachable = chance(&random, 0.5)
        faults.answerForeign = chance(&random, 0.1)
        faults.answerUnusable = chance(&random, 0.3)
        faults.readFails = chance(&random, 0.1)
        faults.writeFails = chance(&random, 0.2)
        faults.lockFails = chance(&random, 0.1)
        faults.crash = chance(&random, 0.05)
        faults.suspension = chance(&random, 0.05)
        faults.signOut = chance(&random, 0.05)
        faults.newSignIn = chance(&random, 0.05)
        faults.revocation = chance(&random, 0.02)
        faults.cancellation = chance(&random, 0.2)
        faults.clockError = random.happens(0.3) ? 86_400 : 0
        return faults
    }
}

/// A mistake in carrying out what the machine says, or in the machine itself, that the simulation has to catch.
enum SimulatedMistake: String, CaseIterable, Sendable {
    case none
    /// Every process gets the lock at once.
    case noLock
    /// The value that was known before the lock is taken for the stored one, and marked so.
    case noRereading
    /// A write replaces whatever is there.
    case noComparison
    /// The mark is not written.
    case noMark
    /// Tokens are handed out that are not stored.
    case noSaving
    /// The lock is not given back.
    case noRelease
    /// The lock is kept when the system suspends the process.
    case lockKeptInSuspension
    /// After a refusal, whatever is stored is removed.
    case removalWithoutComparison
    /// A lost answer is taken for a refusal.
    case lossTakenForRefusal
    /// The refresh token of an answer that failed a check is dropped.
    case unusableAnswerDropped
    /// A notified value takes the place of a newer one that is not stored yet.
    case olderTakenOver
    /// The mark says that the refresh token left when it leaves again.
    case markRenewed
}
