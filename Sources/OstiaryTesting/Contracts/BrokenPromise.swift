/// The error of a contract check: the promise that was not kept.
public struct BrokenPromise: Error, Sendable, CustomStringConvertible {
    /// The promise, as a sentence.
    public let promise: String
    /// The observed behavior.
    public let found: String

    init(_ promise: String, found: String) {
        self.promise = promise
        self.found = found
    }

    /// The promise and the observed behavior.
    public var description: String { "Broken promise: \(promise) Found: \(found)." }
}
