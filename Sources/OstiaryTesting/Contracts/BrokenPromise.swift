/// What a contract check throws: the promise that was not kept.
public struct BrokenPromise: Error, Sendable, CustomStringConvertible {
    /// The promise, as a sentence.
    public let promise: String
    /// What happened instead.
    public let found: String

    init(_ promise: String, found: String) {
        self.promise = promise
        self.found = found
    }

    /// The promise and what happened instead.
    public var description: String { "Broken promise: \(promise) Found: \(found)." }
}
