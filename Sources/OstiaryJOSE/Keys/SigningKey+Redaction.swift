extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The algorithm and the identifier; never the key.
    public var description: String {
        "SigningKey(\(algorithm.rawValue), \(keyID))"
    }

    /// The algorithm and the identifier; never the key.
    public var debugDescription: String { description }

    /// A mirror of the algorithm and the identifier; never of the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["algorithm": algorithm.rawValue, "keyID": keyID], displayStyle: .struct)
    }
}
