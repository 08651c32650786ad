/// A key whose private half never leaves the hardware that signs with it, such as a Secure Enclave.
///
/// Only its ``handle`` can be stored, which is useful to that hardware alone.
public struct ExternalKey: Sendable {
    /// The kind of hardware that the handle is for, such as `secure-enclave`.
    public let kind: String
    /// The hardware's handle for the key.
    public let handle: [UInt8]
    /// The only algorithm that it signs with.
    public let algorithm: SignatureAlgorithm
    let publicMembers: JSONObject
    private let sign: @Sendable ([UInt8]) throws(JOSEError) -> [UInt8]

    /// Takes a key on the curve P-256, which signs with ES256.
    ///
    /// - Parameters:
    ///   - kind: The kind of hardware; stored with the handle.
    ///   - handle: The hardware's handle for the key.
    ///   - point: The public key: 32 bytes of x, then 32 of y.
    ///   - sign: Makes a signature over the SHA-256 of some bytes: 32 bytes of r, then 32 of s (RFC 7518 section 3.4).
    ///     It blocks its caller, so it must not wait for the user.
    /// - Throws: ``JOSEError/keyFailure`` when the point is not 64 bytes.
    public init(
        kind: String,
        handle: [UInt8],
        p256 point: [UInt8],
        sign: @escaping @Sendable ([UInt8]) throws(JOSEError) -> [UInt8]
    ) throws(JOSEError) {
        guard point.count == 64 else { throw .keyFailure }
        self.kind = kind
        self.handle = handle
        self.sign = sign
        algorithm = .es256
        publicMembers = [
            "kty": "EC", "crv": "P-256",
            "x": .string(Base64URL.encode(Array(point.prefix(32)))),
            "y": .string(Base64URL.encode(Array(point.suffix(32)))),
        ]
    }

    /// A signature; never one of another length than the algorithm's.
    func signature(for bytes: [UInt8]) throws(JOSEError) -> [UInt8] {
        let signature = try sign(bytes)
        guard signature.count == 64 else { throw .keyFailure }
        return signature
    }
}

extension ExternalKey: CustomStringConvertible, CustomReflectable {
    /// The kind.
    public var description: String { "ExternalKey(\(kind))" }
    /// The kind; not the handle.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind], displayStyle: .struct) }
}
