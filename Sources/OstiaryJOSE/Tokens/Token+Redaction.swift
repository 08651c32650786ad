extension UnverifiedJWT: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The algorithm; never the token.
    public var description: String { "UnverifiedJWT(\(header.algorithmName.cappedForError))" }

    /// The algorithm; never the token.
    public var debugDescription: String { description }

    /// A mirror of the algorithm; never of the token.
    public var customMirror: Mirror {
        Mirror(self, children: ["algorithm": header.algorithmName.cappedForError], displayStyle: .struct)
    }
}

extension VerifiedJWT: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The algorithm; never the token or its claims.
    public var description: String { "VerifiedJWT(\(algorithm.rawValue))" }

    /// The algorithm; never the token or its claims.
    public var debugDescription: String { description }

    /// A mirror of the algorithm; never of the token or its claims.
    public var customMirror: Mirror {
        Mirror(self, children: ["algorithm": algorithm.rawValue], displayStyle: .struct)
    }
}
