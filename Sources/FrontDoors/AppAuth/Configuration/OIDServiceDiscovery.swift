public import Foundation
import OstiaryJOSE

/// Metadata of an authorization server (OpenID Connect Discovery section 3).
public final class OIDServiceDiscovery: NSObject, NSCopying, NSSecureCoding, Sendable {
    let members: JSONObject
    /// The issuer identifier.
    public let issuer: URL
    /// The authorization endpoint.
    public let authorizationEndpoint: URL
    /// The token endpoint.
    public let tokenEndpoint: URL
    /// The location of the issuer's keys.
    public let jwksURL: URL

    /// Reads a JSON text, at most 256 KiB.
    ///
    /// - Throws: As ``init(jsonData:)``.
    public convenience init(json: String) throws { try self.init(jsonData: Data(json.utf8)) }

    /// Reads JSON, at most 256 KiB.
    ///
    /// - Throws: `jsonDeserializationError` for anything but one JSON object, `invalidDiscoveryDocument` when a required
    ///   member is missing or has another type.
    public convenience init(jsonData: Data) throws {
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(parsing: [UInt8](jsonData))
        } catch {
            throw OIDErrorUtilities.error(
                with: .jsonDeserializationError,
                underlyingError: error,
                description: "The metadata is not one JSON object of at most 256 KiB."
            )
        }
        try self.init(object)
    }

    /// Takes a dictionary of Foundation's JSON objects.
    ///
    /// - Throws: As ``init(jsonData:)``.
    public convenience init(dictionary: [AnyHashable: Any]) throws {
        guard let members = dictionary as? [String: Any], let object = JSONObject(foundation: members) else {
            throw OIDErrorUtilities.error(
                with: .jsonDeserializationError,
                underlyingError: nil,
                description: "The metadata has a value that JSON has not."
            )
        }
        try self.init(object)
    }

    init(_ members: JSONObject) throws {
        func url(_ name: String) throws -> URL {
            guard let text = members[name]?.string, let url = URL(string: text), url.scheme != nil else {
                throw OIDErrorUtilities.error(
                    with: .invalidDiscoveryDocument,
                    underlyingError: nil,
                    description: "The metadata's \(name) is missing or not a URL."
                )
            }
            return url
        }
        func require(_ name: String) throws {
            guard members[name]?.array == nil else { return }
            throw OIDErrorUtilities.error(
                with: .invalidDiscoveryDocument,
                underlyingError: nil,
                description: "The metadata's \(name) is missing or not an array."
            )
        }
        self.members = members
        issuer = try url("issuer")
        authorizationEndpoint = try url("authorization_endpoint")
        tokenEndpoint = try url("token_endpoint")
        jwksURL = try url("jwks_uri")
        try require("response_types_supported")
        try require("subject_types_supported")
        try require("id_token_signing_alg_values_supported")
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's: under its key, or in place as AppAuth's first versions wrote it.
    public convenience init?(coder: NSCoder) {
        guard let members = coder.json("discoveryDictionary") ?? Self.membersInPlace(coder) else { return nil }
        try? self.init(members)
    }

    /// The members where the dictionary encoded itself in place of its owner; Foundation on Linux cannot read that.
    private static func membersInPlace(_ coder: NSCoder) -> JSONObject? {
        #if canImport(Darwin)
            guard coder.containsValue(forKey: "NS.keys") else { return nil }
            return (NSDictionary(coder: coder) as? [String: Any]).flatMap { JSONObject(foundation: $0) }
        #else
            nil
        #endif
    }

    /// Writes the key of AppAuth's archives.
    public func encode(with coder: NSCoder) { coder.set(members, "discoveryDictionary") }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The issuer.
    override public var description: String { "OIDServiceDiscovery(\(issuer.absoluteString))" }

    func optionalURL(_ name: String) -> URL? { members[name]?.string.flatMap(URL.init(string:)) }
    func optionalTexts(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
    func flag(_ name: String) -> Bool? { members[name]?.bool }
    func algorithms(_ name: String) -> Set<SignatureAlgorithm>? {
        optionalTexts(name).map { Set($0.compactMap(SignatureAlgorithm.init(rawValue:))) }
    }
}
