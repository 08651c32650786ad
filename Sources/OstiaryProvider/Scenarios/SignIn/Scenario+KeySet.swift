import OstiaryJOSE

extension Scenario {
    /// Before each key stand two others with its `kid` and other algorithms: to be accepted by a client that compares
    /// `alg`.
    public static let keySetDecoys = Scenario(name: "key-set-decoys") {
        $0.keySet = { document in
            let keys = document["keys"]?.array ?? []
            document["keys"] = .array(keys.flatMap { key in decoys(of: key) + [key] })
        }
    }

    private static func decoys(of key: JSONValue) -> [JSONValue] {
        guard let object = key.object else { return [] }
        return decoyKeys.filter { .string($0.algorithm.rawValue) != object["alg"] }.prefix(2).map { decoy in
            var members = decoy.publicKey.jsonObject
            members["kid"] = object["kid"]
            return .object(members)
        }
    }

    /// Keys that sign nothing.
    private static let decoyKeys: [SigningKey] = [.es256, .edDSA, .es384].compactMap { try? SigningKey.generate($0) }
}
