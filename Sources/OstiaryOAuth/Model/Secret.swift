import OstiaryJOSE

/// A value that must not be printed: a token, a code, a verifier, a client secret.
///
/// Printing, dumping or reflecting one gives `[redacted]`; ``reveal()`` returns the value.
public struct Secret: Sendable, Hashable {
    private let value: String

    /// Wraps a value.
    public init(_ value: String) { self.value = value }

    /// The value itself.
    ///
    /// Do not log it, and do not put it into a URL or an error.
    public func reveal() -> String { value }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { value.isEmpty }

    /// Compares in a time that does not depend on where two values of one length differ.
    public static func == (left: Secret, right: Secret) -> Bool { constantTimeEqual(left.value, right.value) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `[redacted]`.
    public var description: String { "[redacted]" }
    /// Always `[redacted]`.
    public var debugDescription: String { "[redacted]" }
    /// Has no children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
