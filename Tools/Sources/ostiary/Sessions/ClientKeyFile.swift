import Foundation
package import OstiaryJOSE
package import OstiaryOAuth

/// Where a client's private key lies, and what it signs with.
///
/// The key itself is not copied into a store: who keeps it decides where it lies.
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

    /// Finds out what the key in a file signs with.
    ///
    /// - Parameters:
    ///   - algorithm: What was asked for; `nil` for what the key says or its curve implies.
    ///   - profile: Decides for an RSA key that does not say.
    /// - Throws: ``UsageError`` when the file holds no such key.
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

    /// - Parameter candidates: What to try; `nil` is what a JSON Web Key says itself.
    private static func key(in text: String, of candidates: [SignatureAlgorithm?]) -> SigningKey? {
        let isJSON = text.drop(while: \.isWhitespace).first == "{"
        let jwk = isJSON ? try? JSONObject(parsing: Array(text.utf8)) : nil
        return candidates.lazy.compactMap { algorithm -> SigningKey? in
            if let jwk { return try? SigningKey(privateJWK: jwk, algorithm: algorithm) }
            return algorithm.flatMap { try? SigningKey(pem: text, algorithm: $0) }
        }.first
    }
}
