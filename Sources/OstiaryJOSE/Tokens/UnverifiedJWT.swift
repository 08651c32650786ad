/// A signed token from an untrusted source, split and not verified.
///
/// (RFC 7519, RFC 7515 section 7.1)
///
/// It gives access to its header, which selects the key, and to no claims.
/// ``verified(by:algorithms:)-(JSONWebKeySet,_)`` returns those.
public struct UnverifiedJWT: Sendable {
    /// The header of a token.
    public typealias Header = JOSEHeader

    /// The header, which the sender chose.
    public let header: Header

    let compact: String
    let bytes: [UInt8]
    let payload: Range<Int>
    let signature: [UInt8]

    /// Splits a compact token and reads its header; the payload is not looked at.
    ///
    /// - Parameters:
    ///   - compact: Three base64url parts with dots between them.
    ///   - maximumBytes: The longest token to accept. Default 65,536.
    /// - Throws: ``JOSEError/tooLarge``, ``JOSEError/malformed(_:)`` when there are not three parts or the header has
    ///   no `alg`, ``JOSEError/base64URL`` and ``JOSEError/json(_:)`` for the header and the signature,
    ///   ``JOSEError/criticalHeader`` when an extension is demanded.
    public init(_ compact: String, maximumBytes: Int = 65_536) throws(JOSEError) {
        guard compact.utf8.count <= maximumBytes else { throw .tooLarge }
        let bytes = Array(compact.utf8)
        guard let (first, second) = bytes.withElements({ Self.dots(in: $0) }) else {
            throw .malformed("a compact token has three parts")
        }
        let json = try Base64URL.decode(bytes[..<first])
        let parameters: JSONObject
        do { parameters = try JSONObject(parsing: json, limits: .header) } catch { throw .json(error) }
        header = try JOSEHeader(parameters)
        signature = try Base64URL.decode(bytes[(second + 1)...])
        payload = first + 1..<second
        self.bytes = bytes
        self.compact = compact
    }

    /// The bytes that were signed: header and payload as they came. (RFC 7515 section 5.2)
    var signingInput: ArraySlice<UInt8> { bytes[..<payload.upperBound] }

    /// Returns the positions of the dots, if there are exactly two.
    private static func dots(in text: LentElements<UInt8>) -> (first: Int, second: Int)? {
        guard let first = text.position(of: ASCII.dot, from: 0),
            let second = text.position(of: ASCII.dot, from: first &+ 1),
            text.position(of: ASCII.dot, from: second &+ 1) == nil
        else { return nil }
        return (first, second)
    }

    /// The claimed issuer, for selecting the keys; `nil` when the claims cannot be read.
    ///
    /// The claim is not trusted: the issuer is checked again once the signature has been verified.
    package var claimedIssuer: String? { try? claims()["iss"]?.string }

    /// The claims as the token states them; `nil` when they cannot be read.
    ///
    /// None of them is trusted. A claim that contradicts the session identifies a foreign token, whichever key signed
    /// it.
    package var unverifiedClaims: JSONObject? { try? claims() }

    /// The claims, for callers that have checked the signature.
    func claims() throws(JOSEError) -> JSONObject {
        let json = try Base64URL.decode(bytes[payload])
        do { return try JSONObject(parsing: json) } catch { throw .json(error) }
    }
}

extension JSONLimits {
    /// A header is flat but for a `jwk`, and small but for certificates.
    fileprivate static let header = JSONLimits(maximumBytes: 8_192, maximumDepth: 8, maximumMembers: 256)
}
