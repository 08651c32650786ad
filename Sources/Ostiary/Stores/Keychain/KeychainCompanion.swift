/// The facts about a guarded value that are read without asking the user: its versions' numbers, and the enrolment.
///
/// An unguarded item holds them. The keychain asks the user for every query that a guarded item matches, even for one
/// that returns only attributes.
struct KeychainCompanion: Sendable, Hashable {
    /// The oldest version that may still exist: 1 or more.
    var oldest = 1
    /// The newest known version, 0 before the first; an interrupted write may have left the next one.
    var newest = 0
    /// The enrolment when the newest version was written; empty when it is unknown.
    var enrolment: [UInt8] = []

    /// The largest number of leftover versions that are still counted.
    static let maximumVersions = 1_000

    /// A value without any version yet.
    init() {}

    /// Reads the form that ``bytes`` writes; `nil` for anything else.
    init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let oldest = Self.number(parts[0]), let newest = Self.number(parts[1]),
            oldest >= 1, oldest <= newest + 1, newest - oldest < Self.maximumVersions
        else { return nil }
        (self.oldest, self.newest, enrolment) = (oldest, newest, Array(parts[2]))
    }

    /// Both numbers and the enrolment, each number with a space after it.
    var bytes: [UInt8] { Array("\(oldest) \(newest) ".utf8) + enrolment }

    /// The numbers of the versions that may exist.
    var versions: ClosedRange<Int> { oldest...newest + 1 }

    /// Records a version that was added after the newest one.
    mutating func add(enrolment: [UInt8]) {
        newest += 1
        oldest = max(oldest, newest + 1 - Self.maximumVersions)
        self.enrolment = enrolment
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
