import Foundation
package import OstiaryJOSE
package import OstiaryOAuth

/// The path of a client's private key, and its signature algorithm.
///
/// The key itself is not copied into a store: its owner decides on its place.
package struct ClientKeyFile: Sendable, Hashable {
    /// The file, by its absolute path.
    package var path: String
    /// The only algorithm that the key signs with.
    package var algorithm: SignatureAlgorithm
    /// The audience of its assertions.
    package var audience = ClientAuthentication.AssertionAudience.issuer

    package init(path: String, algorithm: SignatureAlgorithm) {
        self.path = path
        self.algorithm = algorithm
    }

    /// Determines the signature algorithm of the key in a file.
    ///
    /// `algorithm` is the requested one; `nil` for the one that the key names or its curve implies. `profile`
    /// determines the algorithm of an RSA key that names none.
    ///
    /// - Throws: ``UsageError`` when the file contains no such key.
    init(
        _ path: String,
        algorithm: SignatureAlgorithm?,
        profile: SecurityProfile,
        console: Console
    ) throws(UsageError) {
        let path = URL(filePath: path).standardizedFileURL.path
        let text = try SecretFile.text(of: path, "key", console: console)
        let ofRSA: SignatureAlgorithm = profile.algorithms.map { $0.contains(.rs256) } ?? true ? .rs256 : .ps256
        let candidates: [SignatureAlgorithm?] = algorithm.map { [$0] } ?? [nil, .es256, .es384, .es512, .edDSA, ofRSA]
        guard let key = Self.key(in: text, of: candidates) else {
            let kind = algorithm.map { " for \($0.rawValue)" } ?? ""
            throw UsageError("The key file \(path) holds no private key\(kind): give PEM or one JSON Web Key.")
        }
        self.init(path: path, algorithm: key.algorithm)
    }

    /// Reads the key.
    ///
    /// - Throws: `configuration` when the file is gone, or holds another kind of key by now.
    func key() throws(SignInError) -> SigningKey {
        guard let text = try? SecretFile.text(of: path, "key", console: nil),
            let key = Self.key(in: text, of: [algorithm])
        else {
            throw SignInError(
                .token,
                .configuration("The client's key cannot be read any more: \(path), for \(algorithm.rawValue).")
            )
        }
        return key
    }

    /// `candidates` are the algorithms to try; `nil` stands for the one that a JSON Web Key names.
    private static func key(in text: String, of candidates: [SignatureAlgorithm?]) -> SigningKey? {
        let isJSON = text.drop(while: \.isWhitespace).first == "{"
        let jwk = isJSON ? try? JSONObject(parsing: Array(text.utf8)) : nil
        return candidates.lazy.compactMap { algorithm -> SigningKey? in
            if let jwk { return try? SigningKey(privateJWK: jwk, algorithm: algorithm) }
            return algorithm.flatMap { try? SigningKey(pem: text, algorithm: $0) }
        }.first
    }
}
