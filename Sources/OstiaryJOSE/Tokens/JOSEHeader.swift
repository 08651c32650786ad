/// The header of a compact JWS. (RFC 7515 section 4)
///
/// Until the token is verified, every value here is the sender's claim. Keys and addresses of keys in a header
/// (`jwk`, `jku`, `x5c`, `x5u`) are never used to verify the token. (RFC 8725 section 3.10)
public struct JOSEHeader: Sendable, Hashable {
    /// The name of the algorithm, `alg`, supported or not.
    public let algorithmName: String
    /// The identifier of the key, `kid`.
    public let keyID: String?
    /// The type of the token, `typ`, such as `at+jwt`.
    public let type: String?
    /// The type of the payload, `cty`.
    public let contentType: String?
    /// All members, such as the `jwk` of a DPoP proof. (RFC 9449 section 4.2)
    public let parameters: JSONObject

    /// Reads a header.
    ///
    /// - Throws: ``JOSEError/criticalHeader`` when an extension must be understood to process the token,
    ///   ``JOSEError/malformed(_:)`` for a missing `alg` or a parameter that is not a string.
    init(_ parameters: JSONObject) throws(JOSEError) {
        // No extension is understood here, so a critical one is a refusal. An unencoded payload changes what is signed,
        // and is refused even when the sender forgot to mark it critical. (RFC 7515 section 4.1.11, RFC 7797 section 6)
        guard NamedCheck.holds("jws.crit", parameters[Self.crit] == nil),
            NamedCheck.holds("jws.b64", parameters[Self.b64] == nil)
        else { throw .criticalHeader }
        guard let algorithmName = parameters[Self.alg]?.string else { throw .malformed("alg") }
        self.algorithmName = algorithmName
        keyID = try Self.string(Self.kid, in: parameters)
        type = try Self.string(Self.typ, in: parameters)
        contentType = try Self.string(Self.cty, in: parameters)
        self.parameters = parameters
    }

    private static func string(_ name: MemberName, in parameters: JSONObject) throws(JOSEError) -> String? {
        guard let value = parameters[name] else { return nil }
        guard let string = value.string else { throw .malformed(name.text) }
        return string
    }

    private static let crit = MemberName("crit")
    private static let b64 = MemberName("b64")
    private static let alg = MemberName("alg")
    private static let kid = MemberName("kid")
    private static let typ = MemberName("typ")
    private static let cty = MemberName("cty")
}
