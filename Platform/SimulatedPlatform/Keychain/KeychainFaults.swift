/// The keychain calls of the app that fail, counted from 1 since the faults were set.
public struct KeychainFaults: Sendable {
    /// These calls fail with a status, and change nothing.
    public var calls: [Int: Int32] = [:]
    /// Every call from this one on fails, as if the process ended before it.
    public var from: Int?
    /// The status of the failing calls.
    public var status: Int32 = KeychainStatus.notAvailable
    /// The number of calls.
    public private(set) var count = 0

    public init() {}

    /// The status that the next call fails with, if it does.
    mutating func next() -> Int32? {
        count += 1
        if let from, count >= from { return status }
        return calls[count]
    }
}
