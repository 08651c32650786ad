import OstiaryJOSE

/// Keys and tokens that the tests share.
enum Fixtures {
    /// One signing key for each algorithm, made once: RSA keys are slow to make.
    static let signingKeys: [SignatureAlgorithm: SigningKey] = {
        var keys: [SignatureAlgorithm: SigningKey] = [:]
        for algorithm in SignatureAlgorithm.allCases {
            keys[algorithm] = try? SigningKey.generate(algorithm, keyID: algorithm.rawValue)
        }
        return keys
    }()

    static let allAlgorithms = Set(SignatureAlgorithm.allCases)

    static let claims: JSONObject = ["iss": "https://issuer.example", "sub": "alice", "exp": 1_300_819_380]

    /// The modulus of an RSA key of 1024 bits.
    static let modulusOf1024Bits = """
        lYcxtNF0IbiGx7p9126tguKRAgOxGXy1tOTy9Efo-0Q2mAzgTN4N7eRibBjNItOM6t95r04p_MD1cfT5IPbcMN6UdPDSs9_ock5_DRpexdpiS3wlthjEOlhIFcdkCk56lslNA-TvsTRTaqO4jX0DdczPAJom0ExnRuw9GXQmX9U
        """

    static func signingKey(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        guard let key = signingKeys[algorithm] else { throw JOSEError.keyFailure }
        return key
    }

    static func object(_ json: String) throws -> JSONObject {
        try JSONObject(parsing: Array(json.utf8))
    }

    static func key(_ json: String) throws -> JSONWebKey {
        try JSONWebKey(object(json))
    }

    /// A key set document with these keys.
    static func document(_ keys: [JSONObject]) -> [UInt8] {
        JSONObject(dictionaryLiteral: ("keys", .array(keys.map { .object($0) }))).encoded()
    }

    /// A token with this header and payload, whatever they say, with a good signature of the key.
    static func token(header: String, payload: String, key: SigningKey) throws -> String {
        try token(header: Array(header.utf8), payload: Array(payload.utf8), key: key)
    }

    /// A token with these bytes as header and payload, with a good signature of the key.
    static func token(header: [UInt8], payload: [UInt8], key: SigningKey) throws -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    }
}
