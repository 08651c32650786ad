import Foundation
@_exported public import OstiaryOAuth

// An app that names a scope or an issuer writes no second import. Of JOSE it sees the types of claims, and the
// algorithms that a client's policy names; keys and tokens come with `import OstiaryJOSE`.
@_exported public import struct OstiaryJOSE.JSONObject
@_exported public import enum OstiaryJOSE.JSONValue
@_exported public import enum OstiaryJOSE.SignatureAlgorithm

extension JSONObject {
    /// Decodes the members into a type of the app, such as the claims of an ID token.
    ///
    ///     struct Profile: Decodable {
    ///         let sub: String
    ///         let preferredUsername: String?
    ///         let updatedAt: Date?
    ///
    ///         enum CodingKeys: String, CodingKey {
    ///             case sub
    ///             case preferredUsername = "preferred_username"
    ///             case updatedAt = "updated_at"
    ///         }
    ///     }
    ///     let profile = try session.identity?.claims.decode(Profile.self)
    ///
    /// A `Date` is a NumericDate, seconds since 1970 (RFC 7519 section 2). Members that the type does not name are
    /// ignored.
    ///
    /// - Throws: `DecodingError` when a member that the type requires is missing or of another type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(DecodingError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(type, from: Data(encoded()))
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "The object cannot be decoded.",
                    underlyingError: error
                )
            )
        }
    }
}
