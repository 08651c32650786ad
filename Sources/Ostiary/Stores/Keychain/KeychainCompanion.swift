/// The facts about a guarded value that are read without asking the user: the numbers of its versions, and the enrolment.
///
/// It is kept in an item that is not guarded. The keychain asks the user for every query that a guarded item matches, also
/// for one that returns no more than attributes.
struct KeychainCompanion: Sendable, Hashable {
    /// The oldest version that may still be there: 1 or more.
    var oldest = 1
    /// The newest version that is known, 0 before the first one; an interrupted write may have left the one after it.
    var newest = 0
    /// The faces or fingers that were enrolled when the newest version was written; empty when that is not known.
    var enrolment: [UInt8] = []

    /// The largest number of versions that are left over and still counted.
    static let maximumVersions = 1_000

    /// A value of which nothing is written yet.
    init() {}

    /// Reads what ``bytes`` writes; `nil` for anything else.
    init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let oldest = Self.number(parts[0]), let newest = Self.number(parts[1]),
            oldest >= 1, oldest <= newest + 1, newest - oldest < Self.maximumVersions
        else { return nil }
        (self.oldest, self.newest, enrolment) = (oldest, newest, Array(parts[2]))
    }

    /// Both numbers and the enrolment, each number with a space after it.
    var bytes: [UInt8] { Array("\(oldest) \(newest) ".utf8) + enrolment }

    /// The numbers of the versions that may be there.
    var versions: ClosedRange<Int> { oldest...newest + 1 }

    /// A version was added after the newest one.
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
