/// A signed token that came from outside, split but not believed. (RFC 7519, RFC 7515 section 7.1)
///
/// It shows its header, which is needed to find the key, and no claims. ``verified(by:algorithms:)-(JSONWebKeySet,_)``
/// is the way to those.
public struct UnverifiedJWT: Sendable {
    /// The header of a token.
    public typealias Header = JOSEHeader

    /// What the sender says about the signature.
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
    /// - Throws: ``JOSEError/tooLarge``, ``JOSEError/malformed(_:)`` when there are not three parts or the header has no
    ///   `alg`, ``JOSEError/base64URL`` and ``JOSEError/json(_:)`` for the header and the signature,
    ///   ``JOSEError/criticalHeader`` when an extension is demanded.
    public init(_ compact: String, maximumBytes: Int = 65_536) throws(JOSEError) {
        guard compact.utf8.count <= maximumBytes else { throw .tooLarge }
        let bytes = Array(compact.utf8)
        let dots = Self.dots(in: bytes.span)
        guard dots.count == 2, let first = bytes.firstIndex(of: ASCII.dot) else {
            throw .malformed("a compact token has three parts")
        }
        let second = dots.sumOfPositions - first
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

    /// How many dots there are, and the sum of their positions: with the first of two, that gives the second.
    ///
    /// Without an early exit, so that the loop is vectorized. The sum of two positions in a text of at most 4 GiB fits;
    /// that of more dots may wrap, and is not used.
    private static func dots(in bytes: Span<UInt8>) -> (count: UInt32, sumOfPositions: Int) {
        var count: UInt32 = 0
        var sum: UInt32 = 0
        for position in 0..<bytes.count {
            // 1 when the byte is a dot; a comparison would become a branch.
            let isDot = (UInt32(bytes[unchecked: position] ^ ASCII.dot) &- 1) >> 31
            count &+= isDot
            sum &+= (0 &- isDot) & UInt32(truncatingIfNeeded: position)
        }
        return (count, Int(sum))
    }

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
